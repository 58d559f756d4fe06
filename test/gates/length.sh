#!/bin/bash
# Are functions and files short enough? Functions: more than 60 lines are listed, more than 100 fail.
# Files: src/tests at most 250 lines, others 600. A function's lines are those from its { to its }, which stand
# alone in the first column (clang-format sees to that).
. "$(dirname "$0")/lib.sh"

mapfile -t sources < <(files 'src/*.[ch]' 'test/*.[ch]' 'bench/*.[ch]')
[ ${#sources[@]} -gt 0 ] || skip "no C files yet"

awk '
	function file_end() {
		limit = last ~ /^src\/tests\// ? 250 : 600
		if (last != "" && lines > limit) {
			printf "%s: %d lines, at most %d\n", last, lines, limit
			bad = 1
		}
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
