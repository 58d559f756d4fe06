#!/bin/bash
# Does every room include only what it may? (docs/architecture.md, "Rooms")
. "$(dirname "$0")/lib.sh"
shopt -s extglob

# Tests whose subject is MPI itself.
mpi_tests='beff beff_io find noncontig tile madbench2 nht1 replay checkpoint training'

# The room of a file below src, as `allowed` knows it; the word before a colon is the test it belongs to.
room_of()
{
	local below=${1#tests/}

	case $1 in
	tests/report/*) echo test_report ;;
	tests/*/model/*) echo "${below%%/*}:model" ;;
	tests/*/report/*) echo "${below%%/*}:report" ;;
	tests/nht1/bt/*) echo bt ;;
	tests/*/*) echo "${below%%/*}:test" ;;
	survey/walk/*) echo walk ;;
	characterize/measure/*) echo characterizing ;;
	tracer/preload/*) echo preload ;;
	*) echo "${1%%/*}" ;;
	esac
}

# What a room may include, as a pattern for the text between the quotes.
allowed()
{
	local test=${1%%:*}

	case $1 in
	base) echo 'base/*' ;;
	journal) echo '@(base|journal)/*' ;;
	comm) echo '@(base|comm)/*' ;;
	backend) echo '@(base|comm|backend)/*' ;;
	machine) echo '@(base|comm|backend|machine)/*' ;;
	engine) echo '@(base|journal|comm|backend|machine|engine)/*' ;;
	bt) echo '@(base|tests/nht1/bt)/*' ;;
	replay:model) echo '@(base|trace|tests/replay/model)/*' ;;
	replay:test) echo '@(base|trace|tests/replay)/*|engine/test.h' ;;
	*:model) echo "@(base|tests/$test/model)/*" ;;
	*:report) echo "@(base|journal|report|tests/$test/model|tests/$test/report)/*|tests/report/reports.h" ;;
	*:test) echo "@(base|backend|tests/common|tests/$test)/*|engine/test.h" ;;
	tests) echo 'base/*|engine/test.h|tests/tests.h|tests/common/*' ;;
	test_report) echo '@(journal|report|tests/*/model|tests/*/report)/*|tests/report/reports.h' ;;
	report) echo '@(base|journal|survey|report)/*|engine/run_options.h' ;;
	survey) echo '@(base|journal|survey)/*' ;;
	history) echo '@(base|journal|report|history)/*' ;;
	rank) echo '@(base|journal|report|rank)/*' ;;
	darshan) echo '@(base|darshan)/*' ;;
	import) echo '@(base|journal|darshan|import)/*' ;;
	trace) echo '@(base|trace)/*' ;;
	profile) echo '@(base|journal|survey|darshan|trace|profile)/*' ;;
	predict) echo '@(base|journal|trace|predict)/*' ;;
	compat) echo '@(base|journal|compat)/*' ;;
	console) echo '@(base|console)/*' ;;
	preload) echo '@(base|tracer/preload)/*|trace/@(format|ops).h|tracer/*.h' ;;
	tracer) echo '@(base|console|trace|tracer)/*' ;;
	session) echo '@(base|console|journal|comm|machine|backend|engine|rank|report|session)/*|tests/tests.h|tests/report/reports.h' ;;
	walk) echo '@(base|console|journal|comm|machine|engine|session|survey)/*|tests/tests.h' ;;
	characterize) echo '@(base|journal|characterize)/*|predict/system/system.h' ;;
	characterizing) echo '@(base|console|journal|comm|machine|engine|session|characterize)/*|tests/tests.h' ;;
	manual | cmd) echo '*/*' ;;
	*) return 1 ;;
	esac
}

# May this file include mpi.h (or a library that brings it)?
may_use_mpi()
{
	case $(room_of "${1#src/}") in
	comm | backend | machine | engine | session | cmd | preload | bt) return 0 ;;
	*:model | *:report) return 1 ;;
	common:test) return 0 ;;
	*:test) [[ " $mpi_tests overlap " == *" $(room_of "${1#src/}" | cut -d: -f1) "* ]] ;;
	tests) [[ " $mpi_tests " == *" $(basename "$1" .c | sed 's/_.*//') "* ]] ;;
	*) return 1 ;;
	esac
}

like()
{
	# shellcheck disable=SC2053 # the second is a pattern
	[[ $1 == @($2) ]]
}

status=0
breach()
{
	echo "$*"
	status=1
}

declare -A patterns
last=
include='[<"]([^>"]*)[>"]'
while IFS=: read -r file line text; do
	[ "$file" = "$last" ] || layer=$(room_of "${file#src/}")
	last=$file
	[ -n "${patterns[$layer]:-}" ] || patterns[$layer]=$(allowed "$layer" || echo none)
	pattern=${patterns[$layer]}
	if [ "$pattern" = none ]; then
		breach "$file: no rule says what it may include; add one to test/gates/layers.sh"
		continue
	fi
	what=$text
	if [[ $text =~ $include ]]; then what=${BASH_REMATCH[1]}; fi
	case $text in
	*'<'*)
		case $what in
		mpi.h | hdf5.h | H5*.h | pnetcdf.h)
			may_use_mpi "$file" || breach "$file:$line: <$what>: it is built without MPI" ;;
		esac ;;
	*'"version.h"'*)
		[[ $layer != base && $layer != tests ]] || breach "$file:$line: \"version.h\" in $layer" ;;
	*)
		if [[ $what == mpi.h ]]; then
			breach "$file:$line: write <mpi.h>"
		elif [[ $what == *..* ]] || ! like "$what" "$pattern"; then
			breach "$file:$line: \"$what\": the room $layer may include only $pattern"
		fi ;;
	esac
done < <(files 'src/*.[ch]' | xargs -r -d '\n' grep -nHE '^[ 	]*#[ 	]*include' || true)
exit $status
