#!/usr/bin/env bash
# What pario costs before and after the work: commands that do nothing, and runs with nothing to measure, in milliseconds; the
# runs also against programs of the same MPI that start and end. START_CLIENTS (1 16) chooses how many.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

cat >"$WORK/start.c" <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	return MPI_Finalize();
}
END
case $("$PARIO" --version) in
*openmpi*) compiler=mpicc.openmpi ;;
*) compiler=mpicc.mpich ;;
esac
$compiler -o "$WORK/start" "$WORK/start.c"

# took COMMAND...: its milliseconds
took() {
	local begun
	begun=$(date +%s%N)
	"$@" >/dev/null
	echo "$begun $(date +%s%N)" | awk '{ print ($2 - $1) / 1e6 }'
}

nothing() {
	"$PARIO" run transfer --api null --np "$1" --block_size 4k --transfer_size 4k --repetitions 1 --quiet \
		--output "$(mktemp -u "$WORK/out.XXXXXX")"
}

version=() list=()
for ((i = 0; i < 4 * ROUNDS; i++)); do
	version+=("$(took "$PARIO" --version)")
	list+=("$(took "$PARIO" list)")
done
below "pario --version" "milliseconds" "$(printf '%s\n' "${version[@]}" | median)" 7 ms
below "pario list" "milliseconds" "$(printf '%s\n' "${list[@]}" | median)" 10 ms
for n in ${START_CLIENTS:-1 16}; do
	mine=() bare=()
	for ((i = 0; i < ROUNDS; i++)); do
		bare+=("$(took launch "$n" "$WORK/start")")
		mine+=("$(took nothing "$n")")
	done
	below "an empty run, np $n" "MPI that starts and ends" "$(for i in "${!mine[@]}"; do echo "${mine[$i]} ${bare[$i]}"; done |
		awk '{ print $1 / $2 }' | median)" 1.5 times
	printf '%-44s %-26s %10.1f %10.1f\n' "" "milliseconds" "$(printf '%s\n' "${mine[@]}" | median)" \
		"$(printf '%s\n' "${bare[@]}" | median)"
done
