# Writes OUTPUT, a C file that holds the report page's style and script as bytes, with their SHA-256 for the page's
# content security policy. Run by cmake -P while building; needs nothing but cmake.

set(text "/* Generated from web/; not kept. */\n#include \"report/page/web.h\"\n")
foreach(part style.css script.js)
	string(REGEX REPLACE "\\..*" "" name ${part})
	file(READ ${DIRECTORY}/${part} bytes HEX)
	file(SHA256 ${DIRECTORY}/${part} sum)
	string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
	string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
	string(APPEND text "\nstatic const unsigned char ${name}_bytes[] = {\n${bytes}\n};\n"
		"const struct pario_web_part pario_web_${name} = { ${name}_bytes, sizeof(${name}_bytes), \"${sum}\" };\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
