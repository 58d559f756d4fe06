# Optional libraries: PARIO_WITH_<NAME> = AUTO (use it when found), ON (must be found), OFF.
#
# pario_optional(NAME MODULES m... [BARE] [FLAVOUR f] [UNLESS_NAMED m... PLAIN m] [LIBRARY l HEADER h]) makes the interface target
# pario_with_<name>, which carries the library and PARIO_HAVE_<NAME>=1 when found and is empty otherwise, and sets
# PARIO_<NAME>_STATUS to one phrase for the summary and for version.h.
# BARE: link the library the module is named after and nothing else, for a module whose description names the wrong
# MPI (Debian's scalapack-mpich asks for "mpi", which is Open MPI where both are installed).
# FLAVOUR: only built for that MPI. UNLESS_NAMED/PLAIN: a distribution that names the module after the MPI must
# have the one of our MPI; where none of the named ones exists, the plain name is tried.
# LIBRARY, HEADER: where pkg-config knows none of the modules, these are looked for.

set(PARIO_OPTIONAL_NAMES "")

macro(pario_optional name)
	cmake_parse_arguments(_opt "BARE" "FLAVOUR;PLAIN;LIBRARY;HEADER" "MODULES;UNLESS_NAMED" ${ARGN})
	string(TOLOWER ${name} _lower)
	set(PARIO_WITH_${name} AUTO CACHE STRING "Use ${_lower}: AUTO, ON or OFF")
	set_property(CACHE PARIO_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
	list(APPEND PARIO_OPTIONAL_NAMES ${name})
	add_library(pario_with_${_lower} INTERFACE)

	if(NOT PARIO_WITH_${name})
		set(PARIO_${name}_STATUS "switched off when pario was built")
	elseif(_opt_FLAVOUR AND NOT PARIO_MPI_FLAVOUR STREQUAL _opt_FLAVOUR)
		set(PARIO_${name}_STATUS "only used with ${_opt_FLAVOUR}; this build has ${PARIO_MPI_FLAVOUR}")
	else()
		pario_optional_find(${name})
	endif()

	if(PARIO_WITH_${name} STREQUAL "ON" AND NOT ${name}_FOUND)
		message(FATAL_ERROR "PARIO_WITH_${name}=ON, but: ${PARIO_${name}_STATUS}.")
	endif()
endmacro()

macro(pario_optional_find name)
	pkg_search_module(${name} IMPORTED_TARGET ${_opt_MODULES})
	if(NOT ${name}_FOUND AND _opt_PLAIN)
		pkg_search_module(${name}_NAMED QUIET ${_opt_UNLESS_NAMED})
		if(NOT ${name}_NAMED_FOUND)
			pkg_search_module(${name} IMPORTED_TARGET ${_opt_PLAIN})
		endif()
	endif()
	if(NOT ${name}_FOUND AND _opt_LIBRARY)
		find_library(PARIO_LIBRARY_${name} NAMES ${_opt_LIBRARY})
		find_path(PARIO_HEADER_${name} NAMES ${_opt_HEADER})
	endif()
	if(PARIO_LIBRARY_${name} AND PARIO_HEADER_${name})
		set(PARIO_${name}_STATUS "found")
		set(${name}_FOUND TRUE)
		target_include_directories(pario_with_${_lower} SYSTEM INTERFACE ${PARIO_HEADER_${name}})
		target_link_libraries(pario_with_${_lower} INTERFACE ${PARIO_LIBRARY_${name}})
		target_compile_definitions(pario_with_${_lower} INTERFACE PARIO_HAVE_${name}=1)
	elseif(${name}_FOUND)
		set(PARIO_${name}_STATUS "${${name}_VERSION}")
		if(_opt_BARE)
			find_library(${name}_LIBRARY NAMES ${${name}_MODULE_NAME} REQUIRED)
			target_link_libraries(pario_with_${_lower} INTERFACE ${${name}_LIBRARY})
		else()
			target_link_libraries(pario_with_${_lower} INTERFACE PkgConfig::${name})
		endif()
		target_compile_definitions(pario_with_${_lower} INTERFACE PARIO_HAVE_${name}=1)
	else()
		list(JOIN _opt_MODULES " or " _modules)
		set(PARIO_${name}_STATUS "not found when pario was built (pkg-config ${_modules})")
	endif()
endmacro()

function(pario_summary)
	message(STATUS "")
	message(STATUS "pario ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}")
	message(STATUS "  compiler    ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} (${CMAKE_C_COMPILER})")
	message(STATUS "  MPI         ${PARIO_MPI_FLAVOUR} (${MPI_C_COMPILER}), launcher ${PARIO_MPIEXEC}")
	foreach(name IN LISTS PARIO_OPTIONAL_NAMES)
		string(TOLOWER "${name}           " label)
		string(SUBSTRING "${label}" 0 11 label)
		message(STATUS "  ${label} ${PARIO_${name}_STATUS}")
	endforeach()
	if(PARIO_SANITIZE)
		message(STATUS "  sanitizers  ${PARIO_SANITIZE}")
	endif()
	message(STATUS "")
endfunction()
