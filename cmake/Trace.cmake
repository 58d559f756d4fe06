# libpario-trace.so: preloaded into programs, so it links nothing but libc, shows nothing but its wrappers, and is built
# without the flags of pario's own programs (no sanitizer, no fortified calls: those would call the wrappers).
# Sets PARIO_TRACE_FROM_BIN, the way from the installed program to the installed library.

set(trace_install ${CMAKE_INSTALL_LIBDIR}/pario)
file(RELATIVE_PATH PARIO_TRACE_FROM_BIN
	${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR} ${CMAKE_INSTALL_PREFIX}/${trace_install})

function(pario_preload name)
	add_library(${name} MODULE ${ARGN})
	set_target_properties(${name} PROPERTIES C_VISIBILITY_PRESET hidden
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
	target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
	# The second keeps the headers from defining inline what is defined here.
	target_compile_definitions(${name} PRIVATE _GNU_SOURCE __NO_INLINE__=1)
	target_compile_options(${name} PRIVATE -O2 -fno-builtin -fexceptions -U_FORTIFY_SOURCE
		-Wall -Wextra -Wconversion -Wshadow -Wformat=2 $<$<BOOL:${PARIO_WERROR}>:-Werror>
		-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
	target_link_options(${name} PRIVATE -Wl,-z,relro)
	install(TARGETS ${name} LIBRARY DESTINATION ${trace_install})
endfunction()

file(GLOB trace_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/trace/*.c)
pario_preload(pario-trace ${trace_sources})

# One shim per MPI: it needs MPI's header for the handles and links nothing.
file(GLOB mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/trace/mpi/*.c)
pario_preload(pario-trace-${PARIO_MPI_FLAVOUR} ${mpi_sources})
target_include_directories(pario-trace-${PARIO_MPI_FLAVOUR} SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
