#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `beff`: b_eff and its protocol at several client counts, both MPIs; what stops it, and what it refuses.

load lib

# A short run with messages of at most 128 KiB, and shorter ones. All of it is measured, however long a busy machine takes.
SMALL=(--short --memory_per_process 16m --budget 1000)
TINY=(--tiny --memory_per_process 1m --budget 1000)

# beff PROGRAM ARGUMENTS...: one run; the results go to $OUT.
beff()
{
	local program=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$program" run beff --dir "$DATA" --output "$OUT" "$@"
}

again() { "$PYTHON" "$CLI/beff.py" "$@"; }

metric() { field "metrics.$1.value"; }

refuse_beff()
{
	run -2 --separate-stderr beff "$PARIO" "$@"
	one_sentence
	untouched
}

# The measurements give the same numbers again, in another language and in the documents.
reproduced()
{
	run -0 again recompute "$OUT/journal.jsonl"
	[[ $output == *equal ]]
	[ "$(grep -c 'the journal says' "$OUT/beff.sum")" -eq 0 ]
}

@test "2, 3, 4 and 7 clients: all documents, and the same number from the measurements" {
	local n kind
	for n in 2 3 4 7; do
		[ $n -eq 2 ] && kind=short || kind=tiny
		run -0 --separate-stderr beff "$PARIO" --np $n "${SMALL[@]/--short/--$kind}"
		grep -q "^b_eff (${kind/tiny/test}) = .* MB/s = .* \*   $n processes,  16 MB per process, on " <<<"$output"
		[ "$(metric lmax_bytes)" = 131072 ]
		[ -s "$OUT/beff.prot" ] && [ -s "$OUT/beff.short" ] && [ -s "$OUT/beff.plot" ]
		[ "$(grep -vc '^#' "$OUT/beff.plot")" -eq 21 ]
		reproduced
		[ -z "$(ls -A "$DATA")" ]
	done
}

@test "the rings of 7 clients by the paper and by the program" {
	run -0 beff "$PARIO" --np 7 "${TINY[@]}"
	[ "$(again rings "$OUT/journal.jsonl")" = \
		"ring-3*2&+1 ring-1*7fix ring-1*7fix ring-1*7fix ring-1*7fix ring-1*7fix" ]
	reproduced
	run -0 beff "$PARIO" --np 7 "${TINY[@]}" --release 3.6
	[ "$(again rings "$OUT/journal.jsonl")" = \
		"ring-3*2&+1 ring-2*4&-1 ring-1*7fix ring-1*7fix ring-1*7fix ring-1*7fix" ]
	reproduced
}

@test "MPICH" {
	need_mpich
	run -0 --separate-stderr beff "$PARIO_MPICH" --np 2 "${SMALL[@]}"
	reproduced
	run -0 beff "$PARIO_MPICH" --np 2 "${TINY[@]}" --release 3.6
	reproduced
}

@test "every measurement is in the protocol" {
	run -0 beff "$PARIO" --np 2 "${TINY[@]}"
	sed -n '/^VALUES/,/^$/p' "$OUT/beff.prot" | tail -n +3 | grep -c . >rows
	read -r _ rows _ < <(again recompute "$OUT/journal.jsonl")
	[ "$(cat rows)" -eq "$rows" ]
	run -0 "$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" \
		"$OUT/journal.jsonl"
}

@test "how many loops took what the paper asks for is counted" {
	local loops
	run -0 beff "$PARIO" --np 2 "${TINY[@]}"
	loops=$(grep '^LOOPS ' "$OUT/beff.short")
	# shellcheck disable=SC2016 # jq's variables
	jq -r 'select(.kind == "result") | .sheets.measurements | (.columns | index("loop")) as $l | (.columns | index("max_ns")) as $t |
		.rows | map([.[$l], .[$t]]) | map(select(.[0] > 1)) as $m | ($m | length) as $n |
		($m | map(select(.[1] < 25e3)) | length) as $less | ($m | map(select(.[1] > 50e3)) | length) as $more |
		[$n, 100 * ($n - $less - $more) / $n, 100 * $less / $n, 100 * $more / $n, length - $n] | @tsv' "$OUT/journal.jsonl" |
		awk '{ printf "LOOPS    of %.0f with more than one iteration %.1f %% took 0.025 to 0.05 ms, %.1f %% less and " \
			"%.1f %% more; %.0f had a single one\n", $1, $2, $3, $4, $5 }' >counted
	[ "$loops" = "$(cat counted)" ]
}

@test "several client counts in one start" {
	run -0 beff "$PARIO" --np 3 --clients 2,3 "${TINY[@]}"
	[ "$(field clients | tr '\n' ' ')" = "2 3 " ]
	[ "$(grep -c '^b_eff (test) = ' "$OUT/beff.sum")" -eq 2 ]
	[ "$(again recompute "$OUT/journal.jsonl" | wc -l)" -eq 2 ]
}

@test "the longest message follows from the node's memory, shared by its clients" {
	run -0 beff "$PARIO" --np 2 --tiny --time_limit 0.1
	again head "$OUT/journal.jsonl" memory_bytes >memory
	jq -r 'select(.kind == "begin") | .machine.memory_bytes' "$OUT/journal.jsonl" >node
	"$PYTHON" -c 'import sys; share, node = map(float, sys.argv[1:]); assert share == node / 2 // 2**20 * 2**20' \
		"$(cat memory)" "$(cat node)"
}

@test "the balance factor is b_eff over R_max" {
	run -0 beff "$PARIO" --np 2 "${TINY[@]}"
	[ "$(metric balance_factor)" = "-" ] || [ "$(metric balance_factor)" = "null" ] || [ -z "$(metric balance_factor)" ]
	run -0 beff "$PARIO" --np 2 "${TINY[@]}" --rmax 3.5
	"$PYTHON" -c 'import math, sys; b, f = map(float, sys.argv[1:]); assert math.isclose(f, b * 1e6 / 3.5e9)' \
		"$(metric b_eff)" "$(metric balance_factor)"
	grep -q "^Balance factor: " "$OUT/beff.sum"
}

@test "the same seed draws the same orders" {
	run -0 beff "$PARIO" --np 4 "${TINY[@]}" --order_seed 12345
	[ "$(again head "$OUT/journal.jsonl" order_seed)" = 12345 ]
	again orders "$OUT/journal.jsonl" >drawn
	[ "$(head -n 2 drawn | tr '\n' '/')" = "0 2 3 1/3 2 0 1/" ]
}

@test "a spoilt message is found by every method" {
	local at
	for at in 1 2 3 500; do
		run -4 --separate-stderr beff "$PARIO" --np 3 "${SMALL[@]}" --spoil $at
		[ "$(field outcome)" = fail ]
		field reason | grep -q "instead of .* changes data.*First seen by client"
		[ ! -e "$OUT/beff.sum" ]
	done
}

@test "stopped by a time limit: measurements are kept, and there is no b_eff" {
	run -0 beff "$PARIO" --np 2 --memory_per_process 16m --time_limit 2
	grep -q "There is no b_eff: the run is incomplete" <<<"$output"
	[ "$(field outcome)" = suspect ]
	field reason | grep -q "^incomplete: "
	[ "$(jq -r 'select(.kind == "result") | .metrics | has("b_eff")' "$OUT/journal.jsonl")" = false ]
	[ "$(jq -r 'select(.kind == "result") | .sheets.measurements.rows | length' "$OUT/journal.jsonl")" -gt 0 ]
}

@test "Ctrl-C: the same" {
	local pid code=0
	set -m
	"$PARIO" run beff --dir "$DATA" --output "$OUT" --np 2 --memory_per_process 16m --progress 1 >shown 2>&1 3>&- &
	pid=$!
	set +m
	until_true "$LIMIT_S" grep -q '%  beff' shown # it measures
	kill -INT -$pid
	wait $pid || code=$?
	[ $code -eq 130 ]
	[ "$(jq -r 'select(.kind == "result") | .outcome' "$OUT/journal.jsonl")" = suspect ]
	[ "$(jq -r 'select(.kind == "result") | .metrics | has("b_eff")' "$OUT/journal.jsonl")" = false ]
	[ "$(jq -r 'select(.kind == "end") | .outcome' "$OUT/journal.jsonl")" = interrupted ]
}

@test "without time, less is measured, and it is said: a gutted run does not pass" {
	run -0 beff "$PARIO" --np 2 --memory_per_process 1m --budget 2
	[ "$(field outcome)" = suspect ]
	field reason | grep -qE "[0-9]+ of [0-9]+ measurements were made in .* \(budget 2 s\); left out: "
	grep -qE "^Caution: [0-9]+ of [0-9]+ measurements were made within 2 s. Left out: " <<<"$output"
	run -0 beff "$PARIO" --np 2 --memory_per_process 1m --budget 0.000001
	field reason | grep -qE "incomplete: there is no b_eff; 0 of [0-9]+ measurements"
}

@test "the rings of hpcc, alone and after b_eff" {
	run -0 beff "$PARIO" --np 3 --phases hpcc --memory_per_process 1m
	[ "$(field phase)" = hpcc ]
	[ "$(jq -r 'select(.kind == "result") | .metrics |
		[.hpcc_ring_latency_us, .hpcc_random_latency_us, .hpcc_ring_mb_s, .hpcc_random_mb_s] | all(.value > 0)' \
		"$OUT/journal.jsonl")" = true ]
	grep -qE "^    3 in the order of ranks +[0-9.]+ us +[0-9.]+ MB/s$" <<<"$output"
	[ "$(jq -r 'select(.kind == "result") | .sheets.rings.rows | length' "$OUT/journal.jsonl")" -eq 42 ]
	grep -qE "^      in random orders +[0-9.]+ us +[0-9.]+ MB/s$" "$OUT/beff.hpcc"
	[ ! -e "$OUT/beff.sum" ]
	run -0 beff "$PARIO" --np 2 --phases exchange,hpcc "${TINY[@]}"
	[ "$(field phase | tr '\n' ' ')" = "exchange hpcc " ]
	[ "$(grep -c '^b_eff (test) = ' "$OUT/beff.sum")" -eq 1 ]
}

@test "one client" {
	refuse_beff --np 1
	says "beff needs at least 2 clients"
}

@test "more memory than the node has" {
	refuse_beff --np 2 --memory_per_process 1p
	says "is more than the"
}

@test "values that make no sense" {
	refuse_beff --np 2 --memory_per_process 100k
	says "at least 1m"
	refuse_beff --np 2 --memory_per_process many
	refuse_beff --np 2 --release 2.0
	refuse_beff --np 2 --phases ""
	refuse_beff --np 2 --rmax -1
	refuse_beff --np 2 --order_seed 4294967296
	refuse_beff --np 2 --budget soon
}
