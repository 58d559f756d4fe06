# Writes OUTPUT, a C file with the table pario_<KIND>s[] of every descriptor pario_<KIND>_<name> that one of the SOURCES
# (a file with their list) defines, in the order of the names. Run by cmake -P while building.

set(HEADER_backend "backend/backend.h")
set(HEADER_test "tests/tests.h")

file(READ ${SOURCES} sources)
set(names "")
foreach(source IN LISTS sources)
	file(STRINGS ${source} found REGEX "^const struct pario_${KIND} pario_${KIND}_[a-z0-9_]+[ \t]*=[ \t]*{")
	foreach(line IN LISTS found)
		string(REGEX REPLACE ".* pario_${KIND}_([a-z0-9_]+)[ \t]*=.*" "\\1" name "${line}")
		list(APPEND names ${name})
	endforeach()
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names) # with and without its library, a backend's file defines the same one

set(text "/* Generated from the descriptors; not kept. */\n#include <stddef.h>\n\n#include \"${HEADER_${KIND}}\"\n\n")
foreach(name IN LISTS names)
	string(APPEND text "extern const struct pario_${KIND} pario_${KIND}_${name};\n")
endforeach()
string(APPEND text "\nconst struct pario_${KIND} *const pario_${KIND}s[] = {\n")
foreach(name IN LISTS names)
	string(APPEND text "\t&pario_${KIND}_${name},\n")
endforeach()
string(APPEND text "\tNULL\n};\n")
file(WRITE ${OUTPUT} "${text}")
