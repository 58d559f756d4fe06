# pario_library(NAME FROM folders... [EXCEPT folders...] [REGISTRY kind] LINKS targets...): the static library pario_NAME
# of the sources that lie directly in the folders (patterns are allowed). With REGISTRY, the table pario_<kind>s[] of the
# descriptors in those files is generated and compiled in.

function(pario_library name)
	cmake_parse_arguments(arg "" "REGISTRY" "FROM;EXCEPT;LINKS" ${ARGN})
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

	add_library(pario_${name} STATIC ${sources})
	target_link_libraries(pario_${name} PRIVATE pario_flags PUBLIC ${arg_LINKS})
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
