#!/bin/bash
# Is everything known that the tracer's shims ask MPI, HDF5 and PnetCDF for themselves, and why it cannot fail? A question that fails
# reaches the program's handler of errors, which ends most programs. test/gates/questions lists them: file, function, how often, reason.
# Nor may the shims call these libraries but through a function that was looked up, or use the header's names of handles: where the library comes
# late, or the linker has put copies into the program, they are something else (core.c looks them up).
. "$(dirname "$0")/lib.sh"

table=$(dirname "${BASH_SOURCE[0]}")/questions
shims=(src/tracer/preload/mpi/ src/tracer/preload/hdf5/ src/tracer/preload/pnetcdf/)

# statements: the shims' lines without comments
statements()
{
	files "${shims[@]/%/*.[ch]}" | while IFS= read -r file; do
		sed -E 's#^[ \t]*(/\*|\*).*##; s#/\*.*##' "$file" | awk -v file="$file" 'NF { print file " " $0 }'
	done
}

# questions: "FILE FUNCTION COUNT" of all functions that are looked up by their names
questions()
{
	statements | awk '{
		file = $1
		line = $0
		while (match(line, /"(P?MPI_|H5|ncmpi_)[A-Za-z_0-9]+"|ASK\("[A-Za-z_0-9]+"/)) {
			name = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			sub(/ASK\("/, "PMPI_", name)
			gsub(/"/, "", name)
			n[file " " name]++
		}
	} END { for (q in n) print q, n[q] }' | LC_ALL=C sort
}

status=0
if grep -vE '^#|^src/[^ ]+ [^ ]+ [0-9]+ [^ ]' "$table"; then
	echo "test/gates/questions: these lines lack a file, a function, a number or the reason"
	status=1
fi
while read -r sign file name times; do
	case $sign in
	'<') echo "$file: asks $name at $times places, which test/gates/questions does not know. Can it fail? Enter why not." ;;
	'>') [ "$ROOT" != "$(cd "$(dirname "$table")/../.." && pwd)" ] && continue
		echo "$file: test/gates/questions knows $times of $name there; that is not so any more." ;;
	*) continue ;;
	esac
	status=1
done < <(diff <(questions) <(awk '!/^#/ { print $1, $2, $3 }' "$table" | LC_ALL=C sort) | grep '^[<>] .')

direct=$(statements | grep -E '(^|[^A-Za-z_0-9"#])(P?MPI_[A-Z][a-z]|H5[A-Z]+[a-z]|ncmpi_)[A-Za-z_0-9]* ?\(' || true)
if [ -n "$direct" ]; then
	echo "These call a library without having looked for it:"
	echo "$direct"
	status=1
fi
named=$(statements | grep -v '^src/tracer/preload/mpi/core.c ' |
	grep -E 'MPI_((COMM|DATATYPE|REQUEST|INFO|GROUP|FILE|WIN|MESSAGE|ERRHANDLER)_(NULL|WORLD|SELF|EMPTY)|BYTE|CHAR|INT|PACKED)([^A-Z_]|$)' || true)
if [ -n "$named" ]; then
	echo "These use the header's name of a handle, which is not the library's where it comes late:"
	echo "$named"
	status=1
fi
exit $status
