#!/bin/bash
# Do the layers include only what lies below them? (docs/architecture.md, "Direction")
. "$(dirname "$0")/lib.sh"
shopt -s extglob

# Tests whose subject is MPI itself.
mpi_tests='beff beff_io noncontig tile madbench2 nht1_'

# What src/LAYER/ may include, as a pattern for the text between the quotes.
allowed()
{
	case $1 in
	base) echo 'base/*' ;;
	record) echo '@(base|record)/*' ;;
	comm) echo '@(base|comm)/*' ;;
	backend) echo '@(base|comm|backend)/*' ;;
	run) echo '@(base|record|comm|backend|run)/*' ;;
	kit) echo '@(base/*|backend/*|run/test.h|kit/*|beff/*|bt/*|nht1/*|overlap/*)' ;;
	tests) echo '@(run/test.h|kit/*|beff/*|bt/*|madbench/*|nht1/*|overlap/*)' ;;
	madbench) echo '@(base/*|backend/mpiio_calls.h|run/test.h|madbench/*)' ;;
	beff | nht1 | overlap) echo "@(base|$1)/*" ;;
	bt | trace) echo "@(base|$1)/*" ;;
	profile | predict | replay | report | survey) echo "@(base/*|record/*|beff/*|nht1/*|overlap/*|trace/format.h|$1/*)" ;;
	cmd) echo '*/*' ;;
	*) return 1 ;;
	esac
}

# May this file include mpi.h (or a library that brings it)?
may_use_mpi()
{
	local name prefix

	case $1 in
	src/@(comm|backend|run|kit|cmd|trace|bt|madbench)/*) return 0 ;;
	src/tests/*)
		name=$(basename "$1")
		for prefix in $mpi_tests; do
			[[ $name != "$prefix"* ]] || return 0
		done ;;
	esac
	return 1
}

like()
{
	# shellcheck disable=SC2053 # the second is a pattern
	[[ $1 == $2 ]]
}

status=0
breach()
{
	echo "$*"
	status=1
}

declare -A patterns
include='[<"]([^>"]*)[>"]'
while IFS=: read -r file line text; do
	layer=${file#src/}
	layer=${layer%%/*}
	[ -n "${patterns[$layer]:-}" ] || patterns[$layer]=$(allowed "$layer" || echo none)
	pattern=${patterns[$layer]}
	if [ "$pattern" = none ]; then
		breach "$file: no rule says what src/$layer may include; add one to test/gates/layers.sh"
		continue
	fi
	what=$text
	if [[ $text =~ $include ]]; then what=${BASH_REMATCH[1]}; fi
	case $text in
	*'<'*)
		case $what in
		mpi.h | hdf5.h | H5*.h | pnetcdf.h)
			may_use_mpi "$file" || breach "$file:$line: <$what>: src/$layer is built without MPI" ;;
		esac ;;
	*'"version.h"'*)
		[[ $layer != base && $layer != tests ]] || breach "$file:$line: \"version.h\" in src/$layer" ;;
	*)
		if [[ $what == mpi.h ]]; then
			breach "$file:$line: write <mpi.h>"
		elif [[ $what == *..* ]] || ! like "$what" "$pattern"; then
			breach "$file:$line: \"$what\": src/$layer may include only $pattern"
		fi ;;
	esac
done < <(files 'src/*.[ch]' | xargs -r -d '\n' grep -nHE '^[ 	]*#[ 	]*include' || true)
exit $status
