# libpario-trace.so: preloaded into programs, so it links nothing but libc, shows nothing but its wrappers, and is built
# without the flags of pario's own programs (no sanitizer, no fortified calls: those would call the wrappers).
# Sets PARIO_TRACE_FROM_BIN, the way from the installed program to the installed library.

set(trace_install ${CMAKE_INSTALL_LIBDIR}/pario)
file(RELATIVE_PATH PARIO_TRACE_FROM_BIN
	${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${trace_install})

function(pario_preload name)
	if(PARIO_SHARE AND name IN_LIST PARIO_SHARED_ROOMS)
		# beside the program, where it is looked for
		add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/lib${name}.so
			COMMAND ${CMAKE_COMMAND} -E copy ${PARIO_SHARE}/lib${name}.so ${PROJECT_BINARY_DIR}/lib${name}.so
			DEPENDS ${PARIO_SHARE}/lib${name}.so VERBATIM)
		add_custom_target(${name} ALL DEPENDS ${PROJECT_BINARY_DIR}/lib${name}.so)
		install(PROGRAMS ${PROJECT_BINARY_DIR}/lib${name}.so DESTINATION ${trace_install})
		return()
	endif()
	add_library(${name} MODULE ${ARGN})
	set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
	# The second keeps the headers from defining inline what is defined here.
	target_compile_definitions(${name} PRIVATE _GNU_SOURCE __NO_INLINE__=1)
	target_compile_options(${name} PRIVATE -O2 -fno-builtin -fexceptions -U_FORTIFY_SOURCE
		-Wall -Wextra -Wconversion -Wshadow -Wformat=2 $<$<BOOL:${PARIO_WERROR}>:-Werror>
		-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
	# Wrappers call what writes records without the detour by which another library could take its place.
	target_link_options(${name} PRIVATE -Wl,-z,relro -Wl,-Bsymbolic-functions)
	install(TARGETS ${name} LIBRARY DESTINATION ${trace_install})
endfunction()

file(GLOB trace_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tracer/preload/*.c)
# What is asked of program files is also asked by the command.
pario_preload(pario-trace ${trace_sources} ${PROJECT_SOURCE_DIR}/src/tracer/program.c
	${PROJECT_SOURCE_DIR}/src/tracer/libraries.c)
if(NOT PARIO_SHARE OR NOT "pario-trace" IN_LIST PARIO_SHARED_ROOMS)
	target_include_directories(pario-trace PRIVATE ${PROJECT_BINARY_DIR}/generated)
endif()

# One shim per MPI: it needs MPI's header for the handles and links nothing.
file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tracer/preload/mpi/*.c)
pario_preload(pario-trace-${PARIO_MPI_FLAVOUR} ${mpi_sources})
target_include_directories(pario-trace-${PARIO_MPI_FLAVOUR} SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})

# HDF5 needs no header at all; PnetCDF's names are read from its own.
pario_preload(pario-trace-hdf5 ${PROJECT_SOURCE_DIR}/src/tracer/preload/hdf5/hdf5.c)
if(PNETCDF_FOUND)
	find_file(PARIO_PNETCDF_HEADER pnetcdf.h HINTS ${PNETCDF_INCLUDE_DIRS} ${PNETCDF_INCLUDEDIR})
	file(STRINGS ${PARIO_PNETCDF_HEADER} lines REGEX "^ncmpi_[a-z0-9_]+\\(")
	set(rows "/* Generated from pnetcdf.h. */\n")
	set(seen "")
	foreach(line IN LISTS lines)
		string(REGEX REPLACE "\\(.*" "" name "${line}")
		set(op "")
		set(more "OTHER, 0")
		if(name MATCHES "^ncmpi_(put|get)_att(_text)?")
			set(op ncmpi_${CMAKE_MATCH_1}_att)
			string(TOUPPER "ATT_${CMAKE_MATCH_1}${CMAKE_MATCH_2}, 0" more)
		elseif(name MATCHES "^ncmpi_([bim]?put|[im]?get)_(var[1amnsd]?)(_all)?(_[a-z]+)?")
			# one element, a whole variable or a part of it; with a type in the name there is none among the arguments
			set(op ncmpi_${CMAKE_MATCH_1})
			string(TOUPPER "${CMAKE_MATCH_2}" more)
			if(CMAKE_MATCH_4)
				string(APPEND more ", 1")
			else()
				string(APPEND more ", 0")
			endif()
		elseif(name MATCHES "^ncmpi_(close|enddef|redef|sync|flush|def_var|def_dim|wait|cancel|buffer_attach|buffer_detach|begin_indep_data|end_indep_data|fill_var_rec)$")
			set(op ${name})
		elseif(name STREQUAL ncmpi_wait_all)
			set(op ncmpi_wait)
		elseif(name STREQUAL ncmpi__enddef)
			set(op ncmpi_enddef)
		endif()
		if(op AND NOT name IN_LIST seen)
			list(APPEND seen ${name})
			string(APPEND rows "NCMPI(${name}, ${op}, ${more})\n")
		endif()
	endforeach()
	file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/tracer/preload/pnetcdf_calls.h CONTENT "${rows}")
	file(GLOB pnetcdf_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tracer/preload/pnetcdf/*.c)
	pario_preload(pario-trace-pnetcdf ${pnetcdf_sources})
	target_include_directories(pario-trace-pnetcdf PRIVATE ${PROJECT_BINARY_DIR}/generated)
endif()
