# The BT solver: src/tests/nht1/bt, its kernel compiled once as it is and, where the compiler knows them, once for each level of
# x86-64. The program picks one while it runs (src/tests/nht1/bt/isa.c).

include(CheckCCompilerFlag)

# The problem itself (formulae, scalar operator, norms) is a library without MPI, for unit tests.
file(GLOB bt_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/tests/nht1/bt/*.c)
set(bt_parallel ${bt_sources})
list(FILTER bt_parallel EXCLUDE REGEX "/(problem|operator|norms|kernel)\\.c$")
list(FILTER bt_sources INCLUDE REGEX "/(problem|operator|norms)\\.c$")
pario_shared(bt_problem bt_problem_shared pario_base m)
if(NOT bt_problem_shared)
	add_library(pario_bt_problem STATIC ${bt_sources})
	target_link_libraries(pario_bt_problem PRIVATE pario_flags PUBLIC pario_base m)
endif()
add_library(pario_bt STATIC ${bt_parallel})
target_link_libraries(pario_bt PRIVATE pario_flags PUBLIC pario_bt_kernel pario_bt_problem MPI::MPI_C)
pario_shared(bt_kernel bt_kernel_shared)
if(NOT bt_kernel_shared)
	add_library(pario_bt_kernel STATIC ${PROJECT_SOURCE_DIR}/src/tests/nht1/bt/kernel.c)
	target_link_libraries(pario_bt_kernel PRIVATE pario_flags)
endif()

# The kernel is arithmetic on vectors that never fails: it gains from -O3 and loses by guards of the stack.
# Its values live in memory on purpose; what gcc would carry from point to point in registers, it spills.
set(bt_kernel_options -O3 -fno-math-errno -fno-trapping-math -fno-stack-protector)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
	list(APPEND bt_kernel_options -fno-predictive-commoning -fno-tree-pre -fno-tree-slp-vectorize)
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/tests/nht1/bt/kernel.c PROPERTIES
	COMPILE_OPTIONS "${bt_kernel_options}")

function(pario_bt_level level width)
	add_library(pario_bt_${level} OBJECT ${PROJECT_SOURCE_DIR}/src/tests/nht1/bt/kernel.c)
	target_link_libraries(pario_bt_${level} PRIVATE pario_flags)
	target_compile_options(pario_bt_${level} PRIVATE -march=x86-64-${level} ${ARGN})
	target_compile_definitions(pario_bt_${level} PRIVATE KERNEL=pario_bt_kernel_${level}
		KERNEL_NAME="${level}" WIDTH=${width})
	target_sources(pario_bt_kernel PRIVATE $<TARGET_OBJECTS:pario_bt_${level}>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
	check_c_compiler_flag(-march=x86-64-v4 PARIO_HAS_X86_64_LEVELS)
	if(PARIO_HAS_X86_64_LEVELS AND NOT bt_kernel_shared)
		pario_bt_level(v3 4)
		pario_bt_level(v4 8 -mprfchw) # which all of them have: Skylake-X, Zen 4 and later
	endif()
	if(PARIO_HAS_X86_64_LEVELS)
		target_compile_definitions(pario_bt PRIVATE PARIO_BT_LEVELS)
	endif()
endif()

# What the solver is measured against deserves the same care.
set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/raw_bt.c PROPERTIES COMPILE_OPTIONS "-O3")
