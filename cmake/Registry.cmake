# Writes OUTPUT, a C file with the table pario_<KIND>s[] of every descriptor pario_<KIND>_<name> that a file
# DIRECTORY/<name>.c defines, in the order of the names. Run by cmake -P while building.

file(GLOB sources ${DIRECTORY}/*.c)
list(SORT sources)
set(names "")
foreach(source IN LISTS sources)
	get_filename_component(name ${source} NAME_WE)
	file(STRINGS ${source} found LIMIT_COUNT 1
		REGEX "(^|[ \t])pario_${KIND}_${name}[ \t]*=[ \t]*{")
	if(found)
		list(APPEND names ${name})
	endif()
endforeach()

set(text "/* Generated from the file names; not kept. */\n#include <stddef.h>\n\n#include \"${HEADER}\"\n\n")
foreach(name IN LISTS names)
	string(APPEND text "extern const struct pario_${KIND} pario_${KIND}_${name};\n")
endforeach()
string(APPEND text "\nconst struct pario_${KIND} *const pario_${KIND}s[] = {\n")
foreach(name IN LISTS names)
	string(APPEND text "\t&pario_${KIND}_${name},\n")
endforeach()
string(APPEND text "\tNULL\n};\n")
file(WRITE ${OUTPUT} "${text}")
