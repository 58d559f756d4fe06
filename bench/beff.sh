#!/usr/bin/env bash
# beff against others that measure the same: hpcc's rings (messages of 2 000 000 bytes, latency of 8) and, with
# PEER=/path/to/b_eff, the original program (its result line on standard error). Rounds are alternated.
# usage: bench/run beff; PEER=path NP=n bench/run beff
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

NP=${NP:-2}
PEER=${PEER:-}

# near WHAT AGAINST WITHIN MINE.. -- PEER..: the median of the rounds' ratios must be within so much of 1.
near()
{
	local what=$1 against=$2 within=$3 mine=() peer=() i ratio
	shift 3
	while [ "$1" != -- ]; do mine+=("$1"); shift; done
	shift
	peer=("$@")
	ratio=$(for i in "${!mine[@]}"; do echo "${mine[$i]} ${peer[$i]}"; done | awk '{ print $1 / $2 }' | median)
	printf '%-44s %-26s %10.2f %10.2f  %5.3f  ±%-6s %s\n' "$what" "$against" \
		"$(printf '%s\n' "${mine[@]}" | median)" "$(printf '%s\n' "${peer[@]}" | median)" "$ratio" "$within" \
		"$(awk -v r="$ratio" -v w="$within" 'BEGIN { d = r - 1; print (d <= w && -d <= w) ? "reached" : "MISSED" }')"
}

# rings: pario's own rings after hpcc's test, random neighbours (a mean over many rings): latency of 8 bytes in us, MB/s per process with messages of 2 MB.
rings()
{
	journal beff --np "$NP" --phases hpcc --memory_per_process 1m |
		jq -r 'select(.kind == "result") | .metrics | "\(.hpcc_random_latency_us.value) \(.hpcc_random_mb_s.value)"'
}

# hpcc with everything but its latency and bandwidth test as small as it goes.
hpcc_rings()
{
	mkdir -p "$WORK/hpcc"
	cat >"$WORK/hpcc/hpccinf.txt" <<-INPUT
		HPLinpack benchmark input file
		for pario
		HPL.out      output file name (if any)
		8            device out (6=stdout,7=stderr,file)
		1            # of problems sizes (N)
		64           Ns
		1            # of NBs
		32           NBs
		0            PMAP process mapping (0=Row-,1=Column-major)
		1            # of process grids (P x Q)
		1            Ps
		$NP          Qs
		16.0         threshold
		1            # of panel fact
		2            PFACTs (0=left, 1=Crout, 2=Right)
		1            # of recursive stopping criterium
		4            NBMINs (>= 1)
		1            # of panels in recursion
		2            NDIVs
		1            # of recursive panel fact.
		1            RFACTs (0=left, 1=Crout, 2=Right)
		1            # of broadcast
		1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
		1            # of lookahead depth
		1            DEPTHs (>=0)
		2            SWAP (0=bin-exch,1=long,2=mix)
		64           swapping threshold
		0            L1 in (0=transposed,1=no-transposed) form
		0            U  in (0=transposed,1=no-transposed) form
		1            Equilibration (0=no,1=yes)
		8            memory alignment in double (> 0)
		##### This line (no. 32) is ignored (it serves as a separator). ######
		0            Number of additional problem sizes for PTRANS
		1200         values of N
		0            number of additional blocking sizes for PTRANS
		40           values of NB
	INPUT
	rm -f "$WORK/hpcc/hpccoutf.txt"
	(cd "$WORK/hpcc" && mpiexec.openmpi --oversubscribe --bind-to none -n "$NP" timeout 300 hpcc >/dev/null 2>&1)
	awk -F= '$1 == "RandomlyOrderedRingLatency_usec" { l = $2 }
		$1 == "RandomlyOrderedRingBandwidth_GBytes" { b = $2 * 1000 } END { print l, b }' "$WORK/hpcc/hpccoutf.txt"
}

# The result of the original program in MB/s.
peer_b_eff() { launch "$NP" "$PEER" -f "$WORK/peer" 2>&1 | sed -n 's/.*b_eff[^=]*= *\([0-9.]*\) MB\/s.*/\1/p' | head -n 1; }

if ! command -v hpcc >/dev/null; then
	echo "beff: hpcc is not installed (Debian package hpcc); its comparison is left out"
elif [[ $("$PARIO" --version) != *openmpi* ]]; then
	echo "beff: hpcc of Debian uses Open MPI and this pario does not; its comparison is left out"
else
	latency=() bandwidth=() peer_latency=() peer_bandwidth=()
	for ((i = 0; i < ROUNDS; i++)); do
		read -r a b < <(rings)
		latency+=("$a") bandwidth+=("$b")
		read -r a b < <(hpcc_rings)
		peer_latency+=("$a") peer_bandwidth+=("$b")
	done
	near "beff ring latency, 8 bytes, us" "hpcc" 0.10 "${latency[@]}" -- "${peer_latency[@]}"
	near "beff ring bandwidth, 2 MB, MB/s per process" "hpcc" 0.10 "${bandwidth[@]}" -- "${peer_bandwidth[@]}"
fi

if [ -n "$PEER" ]; then
	mine=() peer=()
	for ((i = 0; i < 3; i++)); do
		mine+=("$(journal beff --np "$NP" --release 3.6 | jq -r 'select(.kind == "result") | .metrics.b_eff.value')")
		peer+=("$(peer_b_eff)")
	done
	near "b_eff --release 3.6, MB/s" "$PEER" 0.05 "${mine[@]}" -- "${peer[@]}"
else
	echo "beff: PEER=/path/to/b_eff compares with the original program"
fi
