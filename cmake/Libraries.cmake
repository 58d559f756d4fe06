# pario_library(NAME FROM folders... [EXCEPT folders...] [OPTIONAL sources...] [REGISTRY kind] LINKS targets...): the static
# library pario_NAME of the sources that lie directly in the folders (patterns are allowed). With REGISTRY, the table
# pario_<kind>s[] of the descriptors in those files is generated and compiled in.
#
# Several trees of one compiler, as the check has, need not all compile what is the same in them: with PARIO_SHARE, archives
# of another tree stand for the rooms named in PARIO_SHARED_ROOMS. Sources that ask for an optional library are not the same
# where that is switched off: named as OPTIONAL, they are an archive of their own, pario_NAME_optional.

set(PARIO_SHARE "" CACHE PATH "Build tree whose archives are used for PARIO_SHARED_ROOMS")
set(PARIO_SHARED_ROOMS "" CACHE STRING "Rooms that are the same here and in PARIO_SHARE")

# pario_shared(NAME RESULT LINKS...): is pario_NAME an archive of the other tree? Then it is made here.
function(pario_shared name result)
	set(${result} FALSE PARENT_SCOPE)
	if(PARIO_SHARE AND name IN_LIST PARIO_SHARED_ROOMS)
		add_library(pario_${name} STATIC IMPORTED GLOBAL)
		set_target_properties(pario_${name} PROPERTIES IMPORTED_LOCATION ${PARIO_SHARE}/libpario_${name}.a)
		target_link_libraries(pario_${name} INTERFACE ${ARGN})
		set(${result} TRUE PARENT_SCOPE)
	endif()
endfunction()

function(pario_library name)
	cmake_parse_arguments(arg "" "REGISTRY" "FROM;EXCEPT;OPTIONAL;LINKS" ${ARGN})
	if(arg_OPTIONAL)
		pario_shared(${name}_optional shared pario_${name} ${arg_LINKS})
		if(NOT shared)
			add_library(pario_${name}_optional STATIC ${arg_OPTIONAL})
			target_link_libraries(pario_${name}_optional PRIVATE pario_flags PUBLIC pario_${name} ${arg_LINKS})
		endif()
		list(APPEND arg_LINKS pario_${name}_optional) # each calls the other
	endif()
	pario_shared(${name} shared ${arg_LINKS})
	if(shared)
		return()
	endif()
	set(sources "")
	foreach(folder IN LISTS arg_FROM)
		file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.c)
		list(APPEND sources ${found})
	endforeach()
	foreach(folder IN LISTS arg_EXCEPT)
		list(FILTER sources EXCLUDE REGEX "^${PROJECT_SOURCE_DIR}/${folder}/")
	endforeach()
	list(REMOVE_DUPLICATES sources)

	if(arg_REGISTRY)
		set(kind ${arg_REGISTRY})
		set(registry ${PROJECT_BINARY_DIR}/generated/${kind}s.c)
		set(listed ${PROJECT_BINARY_DIR}/generated/${kind}s.list)
		# A deleted source changes no dependency, but it changes this list.
		file(GENERATE OUTPUT ${listed} CONTENT "${sources}")
		add_custom_command(OUTPUT ${registry}
			COMMAND ${CMAKE_COMMAND} -DKIND=${kind} -DSOURCES=${listed} -DOUTPUT=${registry}
				-P ${PROJECT_SOURCE_DIR}/cmake/Registry.cmake
			DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/Registry.cmake ${listed}
			COMMENT "Listing the ${kind}s" VERBATIM)
		list(APPEND sources ${registry})
	endif()

	foreach(source IN LISTS arg_OPTIONAL)
		list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/${source})
	endforeach()
	add_library(pario_${name} STATIC ${sources})
	target_link_libraries(pario_${name} PRIVATE pario_flags PUBLIC ${arg_LINKS})
endfunction()

# pario_module(NAME FROM source FOR room): where the optional library NAME was found, the source is compiled a second time,
# with PARIO_HAVE_<NAME>, into libpario-NAME.so, which the program loads when it needs it (src/backend/module.h). In the
# program it is compiled with PARIO_MODULE_<NAME> instead.
function(pario_module name)
	cmake_parse_arguments(arg "" "FROM;FOR" "" ${ARGN})
	string(TOUPPER ${name} upper)
	if(NOT ${upper}_FOUND)
		return()
	endif()
	target_compile_definitions(pario_${arg_FOR} PRIVATE PARIO_MODULE_${upper}=1)

	add_library(pario-${name} MODULE ${arg_FROM})
	set_target_properties(pario-${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
	# As the program, but for what makes it one.
	target_compile_definitions(pario-${name} PRIVATE $<TARGET_PROPERTY:pario_flags,INTERFACE_COMPILE_DEFINITIONS>)
	target_include_directories(pario-${name} PRIVATE $<TARGET_PROPERTY:pario_flags,INTERFACE_INCLUDE_DIRECTORIES>)
	target_compile_options(pario-${name} PRIVATE $<TARGET_PROPERTY:pario_flags,INTERFACE_COMPILE_OPTIONS> -fPIC)
	target_link_options(pario-${name} PRIVATE -Wl,-z,relro,-z,now -Wl,--as-needed)
	if(PARIO_SANITIZE)
		target_link_options(pario-${name} PRIVATE -fsanitize=${PARIO_SANITIZE})
	endif()
	target_link_libraries(pario-${name} PRIVATE pario_with_${name} MPI::MPI_C)
	install(TARGETS pario-${name} LIBRARY DESTINATION ${trace_install})
	add_dependencies(pario_${arg_FOR} pario-${name})
endfunction()

# The programs pario is measured against: bench/*.c, built by the target bench_programs (and with the tests).
function(pario_bench)
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
	add_custom_target(bench_programs)
	foreach(source IN LISTS sources)
		get_filename_component(name ${source} NAME_WE)
		add_executable(bench_${name} ${source})
		set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
		if(NOT PARIO_BUILD_TESTS OR PARIO_BUILD_TESTS STREQUAL "MPI")
			set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
		endif()
		target_link_libraries(bench_${name} PRIVATE pario_flags pario_bt pario_journal pario_base
			PkgConfig::JANSSON MPI::MPI_C)
		add_dependencies(bench_programs bench_${name})
	endforeach()
endfunction()
