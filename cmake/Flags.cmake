# Compiler flags of everything we build, carried by the interface target pario_flags.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_STANDARD_REQUIRED ON)
# Without NDEBUG: invariants stay checked in the program that users run.
set(PARIO_DEBUG_INFO "-g" CACHE STRING "Debug information of a RelWithDebInfo build; lines alone (-g1) are compiled faster")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 ${PARIO_DEBUG_INFO}")

add_library(pario_flags INTERFACE)
target_compile_definitions(pario_flags INTERFACE _GNU_SOURCE)
target_include_directories(pario_flags INTERFACE
	${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(pario_flags INTERFACE
	-Wall -Wextra -Wconversion -Wshadow -Wformat=2 -fstack-protector-strong -fPIE
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_link_options(pario_flags INTERFACE -pie -Wl,-z,relro,-z,now -Wl,--as-needed)

if(PARIO_WERROR)
	target_compile_options(pario_flags INTERFACE -Werror)
endif()

if(PARIO_SANITIZE)
	target_compile_options(pario_flags INTERFACE -fsanitize=${PARIO_SANITIZE}
		-fno-sanitize-recover=all -fno-omit-frame-pointer -U_FORTIFY_SOURCE)
	target_link_options(pario_flags INTERFACE -fsanitize=${PARIO_SANITIZE})
else()
	# Fortify needs optimisation and only warns without it.
	target_compile_options(pario_flags INTERFACE
		$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
		$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
endif()
