#!/bin/bash
# Are functions short enough? More than 60 lines are listed, more than 100 fail. Files above 600 lines are listed and
# never fail: a file holds one object, and a limit only makes people cut one in two. A function's lines are those from
# its { to its }, which stand alone in the first column (clang-format sees to that).
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]')
[ ${#sources[@]} -gt 0 ] || skip "no C files yet"

awk '
	function file_end() {
		if (last != "" && lines > 600)
			printf "note: %s has %d lines; does it hold one object?\n", last, lines
	}
	FNR == 1 { file_end(); last = FILENAME; start = 0 }
	{ lines = FNR }
	/^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^{/ { start = FNR }
	/^}/ && start {
		count = FNR - start + 1
		if (count > 60)
			printf "%s%s:%d: %s() has %d lines, %s\n", (count > 100 ? "" : "note: "),
				FILENAME, start, name, count, (count > 100 ? "at most 100" : "better 60")
		if (count > 100)
			bad = 1
		start = 0
	}
	END { file_end(); exit bad }' "${sources[@]}"
