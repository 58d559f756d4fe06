#!/usr/bin/env bash
# metadata against a raw loop of the same calls on tmpfs, 2 clients, and mdtest where it is installed.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

items=200000
memory=$WORK/memory
mkdir -p "$memory"
if [ -w /dev/shm ]; then
	memory=$(mktemp -d /dev/shm/pario-bench-XXXXXX)
	trap 'rm -rf "$memory"' EXIT
fi

# Operations per second of create, stat and remove, in this order.
pario_rates() {
	journal metadata --np 2 --dir "$memory" --items "$items" --phases file_create,file_stat,file_remove |
		jq -r 'select(.kind == "result") | .metrics.rate_ops_s.value'
}

mdtest_rates() {
	launch 2 mdtest -F -n "$items" -N 1 -C -T -r -d "$memory/mdtest" |
		awk '/File creation|File stat|File removal/ { print $5 }'
}

against() { # LABEL BAR COMMAND...
	local label=$1 bar=$2 mine=() peer=() words i k names=(create stat remove)
	shift 2
	for ((i = 0; i < ROUNDS; i++)); do
		mapfile -t words < <("$@")
		peer+=("${words[@]}")
		mapfile -t words < <(pario_rates)
		mine+=("${words[@]}")
	done
	for k in 0 1 2; do
		local a=() b=()
		for ((i = k; i < 3 * ROUNDS; i += 3)); do a+=("${mine[$i]}") b+=("${peer[$i]}"); done
		row "file ${names[$k]} (per s), tmpfs, 2 clients" "$label" "$bar" "${a[@]}" -- "${b[@]}"
	done
}

raw_rates() { launch 2 "$BUILD/bench/raw_metadata" "$memory" "$items" | tr ' ' '\n' | grep '^[0-9]'; }

against "raw loop of the calls" 0.95 raw_rates
if command -v mdtest >/dev/null; then
	against mdtest 1.0 mdtest_rates
else
	echo "mdtest is not on PATH: not compared"
fi
