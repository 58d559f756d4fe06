#!/bin/bash
# Does every command in the documents run as it is written? All lines of code blocks that begin with pario (or build/pario,
# or a prompt before it), and the examples of the man pages, are run by a shell in a scratch directory that holds what they name. Measuring commands get
# PARIO_DRY_RUN=1 in their environment: they go through all their points, and a contradiction or a missing value is refused as
# in a real run, but nothing is measured. They may end with 3 where a directory is not on this machine, or it is too small.
# A block that cannot be run here follows a line `<!-- not run: REASON -->`.
. "$(dirname "$0")/lib.sh"
shopt -s extglob

[ -x "${PARIO:-}" ] || skip "pario was not built"
mapfile -t texts < <(files 'docs/*.md' README.md)
[ ${#texts[@]} -gt 0 ] || skip "no documents yet"
program=$(realpath "$PARIO")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset PARIO
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C.UTF-8

# FILE:LINE:COMMAND of every command; blocks are indented by four or stand between fences.
commands()
{
	awk '
	FNR == 1 { fence = skipped = 0 }
	/^```/ { fence = !fence; next }
	/^<!-- not run: .+ -->$/ { skipped = 1; next }
	!fence && !/^    / && !/^[ \t]*$/ { skipped = 0 }
	(fence || /^    /) && !skipped {
		line = $0
		sub(/^ */, "", line)
		sub(/^\$ /, "", line)
		if (line ~ /^(build\/)?pario [a-z]/)
			print FILENAME ":" FNR ":" line
	}' "$@"
}

# The same of man pages: lines of their own, with hyphens that are escaped.
examples()
{
	grep -Hn '^\.Dl pario ' "$@" | sed 's/\\-/-/g; s/\(^[^:]*:[0-9]*:\)\.Dl /\1/'
}

# What the commands name: runs, traces, a program.
furnish()
{
	mkdir -p bin build pario-results input
	ln -s "$program" bin/pario
	ln -s "$program" build/pario
	[ ! -d "$ROOT/examples" ] || ln -s "$ROOT/examples" examples
	export PATH=$scratch/bin:$PATH
	pario run transfer --api null --np 2 --block_size 1m --repetitions 2 --quiet --output "$scratch/before"
	for run in after BEFORE AFTER pario-results/2026-11-16T01-56-transfer-a8915553 pario-results/NEW; do
		cp -r before "$run"
	done
	# shellcheck disable=SC2016 # the program's own words
	printf '#!/bin/sh\ncat "$1"/* >/dev/null\n' >app
	chmod +x app
	echo text >input/data
	pario trace -o job.trace -- ./app input >/dev/null 2>&1
	cp job.trace other.trace
	[ ! -d "$ROOT/test/data/import" ] || cp "$ROOT/test/data/import/"* .
}

# try COMMAND: its exit status; what it says is in the file said.
try()
{
	local dry=
	case $1 in *pario\ @(run|glance|survey|characterize|ior|mdtest|io500)*) dry=1 ;; esac
	PARIO_DRY_RUN=$dry timeout -k 5 300 bash -c "$1" >said 2>&1 </dev/null
}

# Where the machine is too small, or has no such directory.
lacks()
{
	grep -qE 'ENOENT|are free|of memory|must be free|not available' said
}

mapfile -t pages < <(files 'docs/man/*.1')
mapfile -t list < <(commands "${texts[@]/#/$ROOT/}"; examples "${pages[@]/#/$ROOT/}")
cd "$scratch"
furnish
status=0
for entry in "${list[@]}"; do
	IFS=: read -r file line command <<<"$entry"
	code=0
	try "$command" || code=$?
	# what is traced just now is nothing here
	[[ $code$command == 2*pario\ top* ]] && code=0
	# doctor answers with 1 where it would not measure
	[[ $code$command == 1*pario\ doctor* ]] && code=0
	if [ $code -ne 0 ] && ! { [ $code -eq 3 ] && lacks; }; then
		echo "${file#"$ROOT/"}:$line: status $code from: $command"
		tail -n 3 said
		status=1
	fi
done
echo "note: ${#list[@]} commands of ${#texts[@]} documents"
exit $status
