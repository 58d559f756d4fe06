# shellcheck shell=bash
# What every bench shares: alternating runs, medians, one table. Sourced by bench/run and the scripts in bench/.

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ROUNDS=${ROUNDS:-5}
: "${PARIO:?}" "${BUILD:?}" "${WORK:?}"

median() { sort -g | awk '{ v[NR] = $1 } END { if (NR) print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# launch N PROGRAM ARGS: by the launcher of the MPI that pario was built with.
launch() {
	local n=$1
	shift
	case $("$PARIO" --version) in
	*openmpi*) mpiexec.openmpi --oversubscribe --bind-to none -n "$n" "$@" ;;
	*) mpiexec.mpich -n "$n" "$@" ;;
	esac
}

# journal ARGS: the journal of one repetition of a pario test.
journal() { "$PARIO" run "$@" --repetitions 1 --quiet --json --output "$(mktemp -u "$WORK/out.XXXXXX")"; }

# rates ARGS: the rates of its phases in MiB/s, one per line; without making the data, as peers make theirs beforehand.
rates() {
	journal "$@" |
		jq -r 'select(.kind == "result") | .metrics.rate_without_fill_mib_s.value // .rate_mib_s'
}

# keep WHAT AGAINST UNIT BETTER BAR VALUES: for the journal of this bench (summary_journal.c).
keep() { printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$WORK/rows"; }

# row WHAT AGAINST BAR MINE.. -- PEER..: medians of both and of the ratios of the rounds, and whether the bar is reached.
row() {
	local what=$1 against=$2 bar=$3 mine=() peer=() i
	shift 3
	while [ "$1" != -- ]; do mine+=("$1"); shift; done
	shift
	peer=("$@")
	for i in "${!mine[@]}"; do echo "${mine[$i]} ${peer[$i]}"; done |
		awk '{ print $1 / $2 }' | tee "$WORK/ratios" | median >"$WORK/ratio"
	keep "$what" "$against" ratio 1 "$bar" "$(tr '\n' ' ' <"$WORK/ratios")"
	printf '%-44s %-26s %10.1f %10.1f  %5.3f  >= %-5s %s\n' "$what" "$against" \
		"$(printf '%s\n' "${mine[@]}" | median)" "$(printf '%s\n' "${peer[@]}" | median)" \
		"$(cat "$WORK/ratio")" "$bar" \
		"$(awk -v r="$(cat "$WORK/ratio")" -v b="$bar" 'BEGIN { print (r + 0 >= b + 0) ? "reached" : "MISSED" }')"
}

# below WHAT AGAINST VALUE BAR UNIT: a number that must not exceed its bar.
below() {
	keep "$1" "$2" "$5" -1 "$4" "$3"
	printf '%-44s %-26s %10.2f %-10s  <= %-7s %s\n' "$1" "$2" "$3" "$5" "$4" \
		"$(awk -v v="$3" -v b="$4" 'BEGIN { print (v + 0 <= b + 0) ? "reached" : "MISSED" }')"
}
