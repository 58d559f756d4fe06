#!/bin/bash
# Is every call that makes, changes or removes something by its path known, and why that is safe? Where others can rename,
# a path may lead elsewhere by the time it is used; base/output.c, base/wipe.c and engine/workspace.c go by descriptor.
# test/gates/places lists the others: file, call, how often, reason. Reading alone is not looked at.
. "$(dirname "$0")/lib.sh"

table=$(dirname "${BASH_SOURCE[0]}")/places

# calls: "FILE CALL COUNT" of all such calls in the sources. A statement may have several lines; what stands in comments and
# strings is none.
calls()
{
	# shellcheck disable=SC2016 # a program for awk
	files 'src/*.c' 'src/*.h' | { grep -vE '^src/(base/(output|wipe)|engine/workspace)\.c$' || true; } | xargs -r -d '\n' awk '
		function count(name) { calls[FILENAME " " name]++ }
		function look(text,    name, rest) {
			while (match(text, /[A-Za-z_0-9]+\(/)) {
				name = substr(text, RSTART, RLENGTH - 1)
				before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
				rest = substr(text, RSTART + RLENGTH)
				text = rest
				if (before == ">" || before == ".")
					continue
				if (name ~ by_path)
					count(name)
				else if (name ~ /^(open|open64|freopen)$/ && rest !~ /^[^;]*O_RDONLY/ && rest !~ /^[^;]*O_PATH/)
					count(name)
				else if (name == "fopen" && rest !~ /^[^;]*, "r[be]*"\)/)
					count(name)
				else if (name ~ /^(openat|mkdirat|mkfifoat|mknodat|unlinkat|renameat|renameat2|linkat|symlinkat|fchmodat|fchownat|utimensat)$/ &&
				         rest ~ /^[ \n\t]*AT_FDCWD/ && (name != "openat" || rest !~ /^[^;]*O_(RDONLY|PATH)/))
					count(name)
			}
			while (match(raw, /SYS_(open|openat|openat2|creat|mkdirat|unlinkat|renameat2?|linkat|symlinkat|mknodat|truncate)[, \n\t]+AT_FDCWD[^;]*/)) {
				name = substr(raw, RSTART, RLENGTH)
				raw = substr(raw, RSTART + RLENGTH)
				rest = name
				sub(/[^A-Za-z_0-9].*/, "", name)
				if (rest !~ /O_(RDONLY|PATH)/)
					count(name)
			}
		}
		BEGIN {
			by_path = "^(creat|creat64|mkdir|mkfifo|mknod|unlink|remove|rmdir|rename|link|symlink|truncate|truncate64|" \
				"chmod|chown|lchown|utimes|mkstemp|mkostemp|mkstemps|mkdtemp|tmpfile|tempnam|tmpnam|nftw|ftw|shm_open|" \
				"setxattr|lsetxattr|MPI_File_open|MPI_File_delete|H5Fcreate|H5Fopen|ncmpi_create|ncmpi_open|sqlite3_open|sqlite3_open_v2)$"
		}
		FNR == 1 { statement = "" }
		{
			line = $0
			sub(/^[ \t]*(\/\*|\*).*/, "", line)
			sub(/\/\*.*/, "", line)
			quoted = line
			gsub(/"[^"]*\([^"]*"/, "\"\"", quoted)
			statement = statement quoted "\n"
			if (line ~ /[;{}][ \t]*$/) { raw = statement; look(statement); statement = "" }
		}
		END { for (call in calls) print call, calls[call] }' | LC_ALL=C sort
}

status=0
if grep -vE '^#|^src/[^ ]+ [^ ]+ [0-9]+ [^ ]' "$table"; then
	echo "test/gates/places: these lines lack a file, a call, a number or the reason"
	status=1
fi
known=$(awk '!/^#/ { print $1, $2, $3 }' "$table" | LC_ALL=C sort)
found=$(calls)
while read -r sign file call times; do
	case $sign in
	'<') echo "$file: $times of $call by path, which test/gates/places does not know. Go by descriptor, or enter it with the reason." ;;
	'>') [ "$ROOT" != "$(cd "$(dirname "$table")/../.." && pwd)" ] && continue
		echo "$file: test/gates/places knows $times of $call there; that is not so any more." ;;
	*) continue ;;
	esac
	status=1
done < <(diff <(printf '%s\n' "$found") <(printf '%s\n' "$known") | grep '^[<>] .')
exit $status
