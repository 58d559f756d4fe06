#!/usr/bin/env bash
# The BT solver in Gop/s by NPB's count: each build of the kernel against plain scalar loops (or an NPB binary, with
# `bash bench/bt.sh --peer PATH` or BT_PEER=PATH), two ranks against twice one rank, and a rank per core against as many
# single ranks at once: what the cores give when all of them work, which no division of the work can exceed.
# BT_CLASS (A) and BT_STEPS (20) choose the work; an NPB binary runs its own class to the end.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

class=${BT_CLASS:-A} steps=${BT_STEPS:-20} other=${BT_PEER:-}
while [ $# -gt 0 ]; do
	case $1 in
	--peer) other=${2:?--peer needs the path of an NPB binary} && shift 2 ;;
	*) echo "usage: bench/bt.sh [--peer NPB_BINARY]" >&2 && exit 2 ;;
	esac
done

# solve RANKS CLASS ISA: Gop/s of pario's solver.
solve() { launch "$1" "$BUILD/bench/solve_bt" "$2" "$steps" "$3" | awk 'NR == 1 { print $1 }'; }

# reference: Gop/s of what it is measured against, one process.
reference() {
	if [ -n "$other" ]; then
		launch 1 "$other" | awk '/Mop\/s total/ { print $NF / 1000 }'
	else
		"$BUILD/bench/raw_bt" "$class" 2 | awk '{ print $1 }'
	fi
}

against=${other:+NPB binary}
against=${against:-plain scalar loops}
peer=() builds=() names=()
for isa in v3:7 v4:8; do
	if launch 1 "$BUILD/bench/solve_bt" S 1 "${isa%:*}" >/dev/null 2>&1; then builds+=("$isa"); fi
done
for ((i = 0; i < ROUNDS; i++)); do
	peer+=("$(reference)")
	for isa in "${builds[@]}"; do solve 1 "$class" "${isa%:*}" >>"$WORK/bt.${isa%:*}"; done
	solve 1 B - >>"$WORK/bt.one"
	solve 2 B - >>"$WORK/bt.two"
done
cores=$(nproc)

# alone: Gop/s of independent solvers, one per core, at once.
alone() {
	for ((c = 0; c < cores; c++)); do taskset -c "$c" "$BUILD/bench/solve_bt" B "$steps" & done |
		awk '/Gop/ { sum += $1 } END { print sum }'
	wait
}

for ((i = 0; i < ROUNDS; i++)); do
	solve "$cores" B - >>"$WORK/bt.all"
	alone >>"$WORK/bt.alone"
done
for isa in "${builds[@]}"; do
	mapfile -t names <"$WORK/bt.${isa%:*}"
	row "BT class $class, 1 rank, ${isa%:*}, Gop/s" "$against" "${isa#*:}" "${names[@]}" -- "${peer[@]}"
done
mapfile -t names <"$WORK/bt.two"
mapfile -t peer < <(awk '{ print 2 * $1 }' "$WORK/bt.one")
row "BT class B, 2 ranks, Gop/s" "twice 1 rank" 0.90 "${names[@]}" -- "${peer[@]}"
mapfile -t names <"$WORK/bt.all"
mapfile -t peer < <(awk -v n="$cores" '{ print n * $1 }' "$WORK/bt.one")
row "BT class B, $cores ranks, Gop/s" "$cores times 1 rank" 0.80 "${names[@]}" -- "${peer[@]}"
mapfile -t peer <"$WORK/bt.alone"
row "the same" "$cores single ranks at once" 0.90 "${names[@]}" -- "${peer[@]}"
rm -f "$WORK"/bt.*
