#!/bin/bash
# Are the C files laid out as .clang-format says (`make format` mends it), and are comments at most 120 columns wide?
# clang-format leaves comments, strings and tables between `clang-format off` and `on` alone.
. "$(dirname "$0")/lib.sh"
need clang-format

found=$(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]' |
	xargs -r -d '\n' -n 32 -P "$(nproc)" clang-format --dry-run -Werror 2>&1) || {
	sed -nE 's/^([^ :]+\.[ch]):[0-9]+:.*/\1 is not laid out as .clang-format says/p' <<<"$found" | sort -u | grep . ||
		echo "$found"
	exit 1
}

# A tab counts as eight columns.
# shellcheck disable=SC2016 # the dollars are those of awk
long=$(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]' | xargs -r -d '\n' awk '
	/^[ \t]*(\/\*|\*)/ {
		line = $0
		tabs = gsub(/\t/, "", line)
		if (length(line) + 8 * tabs > 120)
			printf "%s:%d: a comment of more than 120 columns\n", FILENAME, FNR
	}')
[ -z "$long" ] || {
	echo "$long"
	exit 1
}
