# Finds MPI, tells Open MPI from MPICH by their headers, and picks the launcher that belongs to it.
# Sets PARIO_MPI_FLAVOUR, PARIO_MPIEXEC, PARIO_MPIEXEC_NAME.

set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.0 COMPONENTS C)
if(NOT MPI_C_FOUND)
	message(FATAL_ERROR "No usable MPI 3 was found. `make deps` installs Open MPI on Debian; "
		"elsewhere put mpicc on PATH or set CC=mpicc.")
endif()

include(CheckSymbolExists)
set(CMAKE_REQUIRED_INCLUDES ${MPI_C_INCLUDE_DIRS})
set(CMAKE_REQUIRED_LIBRARIES ${MPI_C_LIBRARIES})
check_symbol_exists(OMPI_MAJOR_VERSION mpi.h PARIO_IS_OPENMPI)
check_symbol_exists(MPICH_VERSION mpi.h PARIO_IS_MPICH)
unset(CMAKE_REQUIRED_INCLUDES)
unset(CMAKE_REQUIRED_LIBRARIES)

if(PARIO_IS_OPENMPI)
	set(PARIO_MPI_FLAVOUR openmpi)
	set(_launchers mpiexec.openmpi mpirun.openmpi)
elseif(PARIO_IS_MPICH)
	set(PARIO_MPI_FLAVOUR mpich)
	set(_launchers mpiexec.mpich mpiexec.hydra)
else()
	set(PARIO_MPI_FLAVOUR other)
	set(_launchers)
endif()

# The plain name `mpiexec` may belong to the other MPI: names that say whose they are come first, and the
# wrapper's own directory before PATH.
get_filename_component(_bin "${MPI_C_COMPILER}" DIRECTORY)
find_program(PARIO_MPIEXEC NAMES ${_launchers} mpiexec mpirun HINTS "${_bin}" NO_DEFAULT_PATH
	DOC "MPI launcher pario starts itself with")
if(NOT PARIO_MPIEXEC)
	find_program(PARIO_MPIEXEC NAMES ${_launchers} DOC "MPI launcher pario starts itself with")
endif()
if(NOT PARIO_MPIEXEC)
	set(PARIO_MPIEXEC "${MPIEXEC_EXECUTABLE}")
endif()
get_filename_component(PARIO_MPIEXEC_NAME "${PARIO_MPIEXEC}" NAME)
