#!/bin/bash
# Has every struct, enum and union one definition, and every function that other files call one declaration? One name with two
# meanings misleads whoever searches for it, and a debugger.
. "$(dirname "$0")/lib.sh"

# A tag of a file that is written for others (the tracer's shims, the modules) counts as well.
twice()
{
	sort | awk '
		$1 == name { print place ": " what " " name " is also in " $2; found = 1 }
		{ name = $1; place = $2; what = kind }
		END { exit !found }' kind="$1"
}

status=0
tags='^(struct|enum|union) pario_[a-z0-9_]+ \{'
if files 'src/*.[ch]' | xargs -r -d '\n' grep -oHE "$tags" |
	awk -F: '{ split($2, word, " "); print word[2], $1 }' | twice type; then status=1; fi
declared='^[a-zA-Z].*[ *]\**pario_[a-z0-9_]+\('
if files 'src/*.h' | xargs -r -d '\n' grep -oHE "$declared" | grep -vE ':(static|#)' |
	awk -F: '{ match($2, /pario_[a-z0-9_]+\($/); print substr($2, RSTART, RLENGTH - 1), $1 }' | twice function; then
	status=1
fi
exit $status
