# The programs test/run runs, of each kind those of the target <kind>_programs. Unit tests and fuzzers link no MPI; that keeps the layers below it honest.

function(pario_programs kind directory pattern)
	file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${directory}/${pattern})
	add_custom_target(${kind}_programs)
	foreach(source IN LISTS sources)
		get_filename_component(name ${source} NAME_WE)
		add_executable(${kind}_${name} ${source})
		# where the modules lie
		set_target_properties(${kind}_${name} PROPERTIES OUTPUT_NAME ${name} INSTALL_RPATH ${PROJECT_BINARY_DIR}
			RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${directory})
		# run for moments: what it tests is optimised, its own code need not be
		target_compile_options(${kind}_${name} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
		target_link_libraries(${kind}_${name} PRIVATE pario_flags ${ARGN})
		add_dependencies(${kind}_programs ${kind}_${name})
	endforeach()
endfunction()

if(PARIO_BUILD_TESTS)
	pario_programs(mpi test/mpi test_*.c pario_bt pario_test_reports pario_report pario_tests pario_engine
		pario_machine pario_backend pario_comm pario_journal pario_base MPI::MPI_C)
endif()

if(PARIO_BUILD_TESTS AND NOT PARIO_BUILD_TESTS STREQUAL "MPI")
	pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
	pario_programs(unit test/unit test_*.c pario_characterize pario_predict pario_profile pario_test_reports pario_models pario_bt_problem
		pario_survey pario_compat pario_report pario_journal pario_base
		PkgConfig::JANSSON PkgConfig::CMOCKA)
	pario_programs(fault test/fault readjournal.c pario_journal pario_base PkgConfig::JANSSON)
	# Preloaded into programs, so neither position-independent executable nor sanitizer flags fit it.
	add_library(fault_inject MODULE test/fault/inject.c)
	set_target_properties(fault_inject PROPERTIES OUTPUT_NAME inject
		LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/fault)
	target_compile_definitions(fault_inject PRIVATE _GNU_SOURCE)
	target_compile_options(fault_inject PRIVATE -Wall -Wextra -Wconversion -Wshadow
		$<$<BOOL:${PARIO_WERROR}>:-Werror>)
	add_dependencies(fault_programs fault_inject)
	# Progress line and budget need no MPI: the archive of their room is linked, not what else that asks for.
	foreach(name progress_line budget)
		add_dependencies(unit_test_${name} pario_session)
		target_link_libraries(unit_test_${name} PRIVATE $<TARGET_FILE:pario_session> pario_report pario_base)
	endforeach()
	target_sources(unit_test_roll PRIVATE src/comm/roll_words.c)
	# An attacker; a file system that misbehaves below the program, where FUSE is there.
	pario_programs(hostile test/hostile swap.c)
	pkg_check_modules(FUSE3 IMPORTED_TARGET fuse3)
	if(FUSE3_FOUND)
		pario_programs(faultfs test/hostile faultfs.c PkgConfig::FUSE3)
	endif()
	# Traces with right sums that no program leaves.
	pario_programs(forge test/trace forge.c pario_profile pario_journal pario_base PkgConfig::JANSSON)
	if(PARIO_SANITIZE MATCHES address)
		pario_programs(sanitizer test/sanitizer leak.c MPI::MPI_C)
	endif()
endif()

if(PARIO_BUILD_FUZZERS)
	pario_programs(fuzz test/fuzz fuzz_*.c pario_import pario_predict pario_models pario_profile pario_test_reports pario_compat pario_report pario_journal pario_base
		PkgConfig::JANSSON -fsanitize=fuzzer)
	# Their readers find what they read in memory, in place of base/input.c.
	file(GLOB harnesses CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/test/fuzz/fuzz_*.c)
	foreach(harness IN LISTS harnesses)
		get_filename_component(name ${harness} NAME_WE)
		target_sources(fuzz_${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/fuzz/memory_input.c)
	endforeach()
	# These need neither a launcher nor MPI to be started; plan and resume know the tests, and those are linked with it.
	target_sources(fuzz_fuzz_relay PRIVATE src/comm/relay.c)
	target_link_options(fuzz_fuzz_plan PRIVATE -Wl,--wrap=pario_machine_last_cache,--wrap=pario_machine_memory_total)
	foreach(name plan resume)
		target_link_libraries(fuzz_fuzz_${name} PRIVATE pario_walk pario_session pario_tests pario_engine
			pario_machine pario_backend pario_comm MPI::MPI_C)
	endforeach()
endif()
