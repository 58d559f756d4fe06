# pario_library(LAYER [REGISTRY header] links...): the static library pario_LAYER of src/LAYER and below. With REGISTRY,
# the list of the descriptors in those files is generated and compiled in. An empty directory makes an empty target.

function(pario_library layer)
	cmake_parse_arguments(arg "" "REGISTRY" "" ${ARGN})
	file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${layer}/*.c)
	set(scope PUBLIC)

	if(arg_REGISTRY AND EXISTS ${PROJECT_SOURCE_DIR}/src/${arg_REGISTRY})
		string(REGEX REPLACE "s$" "" kind ${layer})
		set(registry ${PROJECT_BINARY_DIR}/generated/${kind}s.c)
		add_custom_command(OUTPUT ${registry}
			COMMAND ${CMAKE_COMMAND} -DKIND=${kind} -DHEADER=${arg_REGISTRY}
				-DDIRECTORY=${PROJECT_SOURCE_DIR}/src/${layer} -DOUTPUT=${registry}
				-P ${PROJECT_SOURCE_DIR}/cmake/Registry.cmake
			DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/Registry.cmake
				${PROJECT_BINARY_DIR}/generated/${kind}s.list
			COMMENT "Listing the ${kind}s" VERBATIM)
		# A deleted source changes no dependency, but it changes this list.
		file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/generated/${kind}s.list CONTENT "${sources}\n")
		list(APPEND sources ${registry})
	endif()

	if(sources)
		add_library(pario_${layer} STATIC ${sources})
		target_link_libraries(pario_${layer} PRIVATE pario_flags)
	else()
		add_library(pario_${layer} INTERFACE)
		set(scope INTERFACE)
	endif()
	target_link_libraries(pario_${layer} ${scope} ${arg_UNPARSED_ARGUMENTS})
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
		if(NOT PARIO_BUILD_TESTS)
			set_target_properties(bench_${name} PROPERTIES EXCLUDE_FROM_ALL ON)
		endif()
		target_link_libraries(bench_${name} PRIVATE pario_flags pario_bt pario_record pario_base
			PkgConfig::JANSSON MPI::MPI_C)
		add_dependencies(bench_programs bench_${name})
	endforeach()
endfunction()
