# Which compiler, which MPI wrapper. Included before project().
#
# CC (or CMAKE_C_COMPILER) may name an MPI wrapper: then the compiler behind it is used, as OMPI_CC or MPICH_CC
# choose it, and FindMPI asks the wrapper for its flags, so that MPI's headers are system headers and warnings
# of theirs stay away. A compiler that knows MPI by itself (Cray's cc) is used as it is.
# Without a choice: Open MPI, or else whatever mpicc is.

set(PARIO_MPICC "" CACHE STRING "MPI compiler wrapper; empty = Open MPI's, or else any")

if(CMAKE_C_COMPILER)
	set(_cc "${CMAKE_C_COMPILER}")
else()
	set(_cc "$ENV{CC}")
endif()
get_filename_component(_name "${_cc}" NAME)

if(_name MATCHES "^mpi(cc|gcc|clang|icc|icx|xlc)")
	find_program(_wrapper "${_cc}" NO_CACHE)
	if(NOT _wrapper)
		message(FATAL_ERROR "The compiler ${_cc} was asked for, but it is not on PATH.")
	endif()
	execute_process(COMMAND "${_wrapper}" -show OUTPUT_VARIABLE _show
		ERROR_VARIABLE _error RESULT_VARIABLE _status)
	string(REGEX MATCH "^[^ \t\r\n]+" _behind "${_show}")
	find_program(_compiler "${_behind}" NO_CACHE)
	if(NOT _status EQUAL 0 OR NOT _compiler)
		message(FATAL_ERROR "`${_wrapper} -show` does not name a compiler that exists: ${_show}${_error}")
	endif()
	set(PARIO_MPICC "${_wrapper}" CACHE STRING "" FORCE)
	set(CMAKE_C_COMPILER "${_compiler}" CACHE FILEPATH "C compiler" FORCE)
endif()

if(PARIO_MPICC)
	find_program(_mpicc "${PARIO_MPICC}" NO_CACHE)
	if(NOT _mpicc)
		message(FATAL_ERROR "The MPI wrapper ${PARIO_MPICC} is not on PATH.")
	endif()
else()
	find_program(_mpicc NAMES mpicc.openmpi mpicc NAMES_PER_DIR NO_CACHE)
endif()

if(_mpicc AND DEFINED CACHE{PARIO_MPICC_USED} AND NOT "${_mpicc}" STREQUAL "${PARIO_MPICC_USED}")
	message(FATAL_ERROR "This build tree was made with ${PARIO_MPICC_USED}, now ${_mpicc} is wanted. "
		"Remove ${CMAKE_BINARY_DIR}/CMakeCache.txt first (make does this by itself).")
endif()
if(_mpicc)
	set(PARIO_MPICC_USED "${_mpicc}" CACHE INTERNAL "the wrapper this tree was configured with")
	set(MPI_C_COMPILER "${_mpicc}" CACHE FILEPATH "MPI compiler wrapper" FORCE)
endif()
