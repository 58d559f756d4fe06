#!/bin/bash
# Is every function that a header of src declares called from another file of src? One that only its own file calls is static,
# unless a test calls it, too; one that only tests call, or nobody, goes. A measurement in bench counts as a caller.
. "$(dirname "$0")/lib.sh"

declared='^[a-zA-Z].*[ *]\**pario_[a-z0-9_]+\('

# FILE NAME for each time a name is written in what git knows by the patterns.
written()
{
	files "$@" | xargs -r -d '\n' grep -oHwE 'pario_[a-z0-9_]+' | tr : ' '
}

files 'src/*.h' | xargs -r -d '\n' grep -oHE "$declared" | { grep -vE ':(static|typedef|#)|INLINE' || true; } |
	awk -F: '{ match($2, /pario_[a-z0-9_]+\($/); print $1, substr($2, RSTART, RLENGTH - 1) }' |
	awk '
		FILENAME == ARGV[1] { times[$2]++; times[$2, $1]++; if (!(($2, $1) in here)) { here[$2, $1] = 1; files[$2]++ } next }
		FILENAME == ARGV[2] { tested[$2] = 1; next }
		files[$2] > 2 || times[$2, $1] > 1 || seen[$2]++ { next } # the second: in an inline function
		times[$2] <= 2 { print $1 ": nobody in src calls " $2 "()"; bad = 1; next }
		files[$2] == 2 && !tested[$2] { within[$2] = $1 }
		END {
			for (name in within) { print within[name] ": only its own file calls " name "()"; bad = 1 }
			exit bad
		}' <(written 'src/*.[ch]' 'bench/*.[ch]' 'test/fuzz/*.c' test/mpi/test_bt.c) <(written 'test/*.[ch]') -
