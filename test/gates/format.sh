#!/bin/bash
# Are the C files laid out as .clang-format says? `make format` mends it.
. "$(dirname "$0")/lib.sh"
need clang-format

found=$(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]' |
	xargs -r -d '\n' -n 32 -P "$(nproc)" clang-format --dry-run -Werror 2>&1) || {
	sed -nE 's/^([^ :]+\.[ch]):[0-9]+:.*/\1 is not laid out as .clang-format says/p' <<<"$found" | sort -u | grep . ||
		echo "$found"
	exit 1
}
