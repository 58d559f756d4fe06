#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154 # variables that bats and lib.bash set and use
# The phases of IO500 on one launch, and find: order, amounts, files, what marks a run as invalid.

load lib

config()
{
	cat >io500.ini <<-END
		[global]
		datadir = $DATA
		resultdir = ./results
		timestamp-resultdir = FALSE
		[debug]
		stonewall-time = 200
		[ior-easy]
		transferSize = 64k
		blockSize = 1m
		[ior-hard]
		segmentCount = 20
		[mdtest-easy]
		n = 60
		[mdtest-hard]
		n = 120
		$1
	END
}

phases()
{
	jq -r 'select(.kind == "result") | .params.part + " " + .phase + " " + (.ops | tostring)' "$1/journal.jsonl"
}

@test "the phases of io500 run in their order, on the data of the others, and are marked as invalid" {
	config
	run -1 --separate-stderr pario io500 io500.ini --np 2
	[ "$(phases results)" = "ior-easy write 32
mdtest-easy file_create 120
ior-hard write 40
mdtest-hard file_create 240
find find $((1 + 1 + 2 + 1 + 3 + 120 + 2 + 240))
ior-easy read 32
mdtest-easy file_stat 120
ior-hard read 40
mdtest-hard file_stat 240
mdtest-easy file_remove 120
mdtest-hard file_read 240
mdtest-hard file_remove 240
ior-easy random_read 512" ]
	[ "$(grep -c '^\[RESULT\] .* : time [0-9.]* seconds' results/result_summary.txt)" -eq 12 ]
	grep -qE '^\[      \]  ior-rnd4K-easy-read +[0-9.]+ GiB/s : time [0-9.]+ seconds$' results/result_summary.txt
	grep -qE '^\[SCORE \] Bandwidth [0-9.]+ GiB/s : IOPS [0-9.]+ kiops : TOTAL [0-9.]+ \[INVALID\]$' \
		results/result_summary.txt
	grep -q '^; ERROR INVALID stonewall-time is 200 s instead of 300 s$' results/result.txt
	grep -q '^; ERROR INVALID ior-easy-write took ' results/result.txt
	# 101 of each client: names that hold 01, of 3901 bytes, newer than the timestamp
	[ "$(sed -n '/^\[find\]/,/^$/s/^found *= //p' results/result.txt)" -eq 2 ]
	cmp io500.ini results/config-orig.ini
	[ -z "$(ls "$DATA")" ]
	# what io500 does not tell
	grep -qE '^ ior-easy-read .* cold: 0 of [0-9]+ pages resident' <<<"$output"
	for file in result.txt result_summary.txt; do
		run -0 pario import results/$file --output "imported-$file"
		[[ $output == "14 results of pario "* ]]
	done
}

@test "the score of io500 is the geometric mean of what the journal has" {
	config
	run -1 pario io500 io500.ini --np 3 --quiet
	jq -s '[.[] | select(.kind == "result" and .bytes > 0 and (.phase == "write" or .phase == "read")) | .rate_mib_s / 1024]
		| (map(log) | add / length | exp)' results/journal.jsonl >mean
	"$PYTHON" - "$(cat mean)" "$(sed -n 's/^BW *= //p' results/result.txt)" <<-'END'
		import sys
		ours, file = map(float, sys.argv[1:])
		assert abs(ours - file) < 1e-5 * ours + 1e-6, sys.argv
	END
}

@test "a phase of io500 that is not run leaves no score" {
	config $'[ior-hard-write]\nrun = FALSE'
	run -1 pario io500 io500.ini --np 2
	[ "$(jq -r 'select(.kind == "end") | "\(.outcome) \(.exit_code)"' results/journal.jsonl)" = "suspect 1" ]
	grep -q 'TOTAL 0.000000 \[INVALID\]$' results/result_summary.txt
	grep -q '^; ERROR INVALID ior-hard-read was not run$' results/result.txt
	[ "$(phases results | grep -c ior-hard)" -eq 0 ]
}

@test "wrong files of io500 are one sentence, before anything is written" {
	printf '[ior-esy]\n' >io500.ini
	run -2 --separate-stderr pario io500 io500.ini
	one_sentence
	says "did you mean [ior-easy]?"
	run -3 --separate-stderr pario io500 nowhere.ini
	one_sentence
	run -0 pario io500 --dir "$DATA" --dry_run
	[ "$(grep -cE '^ (ior|mdtest)-(easy|hard)-|^ find ' <<<"$output")" -eq 12 ]
	run -0 pario io500 "$DATA" --dry_run
	untouched
	run -2 --separate-stderr pario io500
	one_sentence
	says "which directory?"
	run -2 --separate-stderr pario io500 --stonewall 1
	says "pario io500 DIR"
}

@test "what only looks makes no directory" {
	local words

	config
	sed -i 's/^datadir.*/datadir = new/' io500.ini
	for words in "glance" "survey" "io500 io500.ini"; do
		# shellcheck disable=SC2086 # words on purpose
		run -0 pario $words --dry_run
		# shellcheck disable=SC2086 # words on purpose
		run -0 pario $words --show_config
		[[ $output == *"dry_run = "* ]]
	done
	run -0 pario glance --show_config
	[[ $output == *"dir = pario-scratch "* ]]
	run -0 pario glance --dry_run
	[[ $output == *" in pario-scratch and about "* ]]
	run -0 pario io500 io500.ini --dry_run
	[[ $output == *"the phases of IO500 in new: 4 of them write for "*" each, "*" are free)"* ]]
	run -0 pario glance --print_sbatch
	run -0 pario ior -o "$DATA/x" -- --show_config 1
	[[ $output == *"dry_run = "* ]]
	[ "$(ls)" = "$(printf '%s\n' data io500.ini)" ] || { ls -la; false; }
}

@test "phases that the stonewall ends tell what they had reached by then" {
	config
	sed -i 's/^n = 60/n = 100000000/' io500.ini
	run -1 pario io500 io500.ini --np 2 --quiet --stonewall 0.05
	[ "$(sed -n '/^\[mdtest-easy-write\]/,/^$/p' results/result.txt | grep -cE '^(rate-stonewall|score) +=')" -eq 2 ]
	rate=$(jq 'select(.kind == "result" and .params.part == "mdtest-easy" and .phase == "file_create") | .metrics.rate_at_limit_ops_s.value' \
		results/journal.jsonl)
	"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a / 1000 - b) < 1e-3 * b + 1e-5' "$rate" \
		"$(sed -n '/^\[mdtest-easy-write\]/,/^$/s/^rate-stonewall *= //p' results/result.txt)"
}

# Under job control, so that it has the default signal actions. It is interrupted in its second phase, while the data
# of the first wait in their slot.
@test "io500 stops in good order at a signal and leaves nothing" {
	local pid code=0

	config
	sed -i 's/^n = 60/n = 100000000/; s/^stonewall-time.*/stonewall-time = 200/' io500.ini
	set -m
	"$PARIO" io500 io500.ini --np 2 >log 2>&1 3>&- &
	pid=$!
	set +m
	until_true "$LIMIT_S" grep -qs '"phase":"write"' results/journal.jsonl
	sleep 0.5
	kill -INT "$pid"
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	[ -z "$(ls "$DATA")" ]
	grep -q '\[INVALID\]$' results/result_summary.txt
	grep -q '^; ERROR INVALID mdtest-hard-delete was not run$' results/result.txt
}

@test "find sees every entry once on 1, 2, 3, 4 and 7 clients" {
	run -0 pario run find --np 7 --clients 1,2,3,4,7 --dir "$DATA" --output "$OUT" --files 205 --directories 4 \
		--repetitions 1
	# every other file has bytes; of these, 010 .. 018 are no names, and 101 and 201 are odd
	[ "$(jq -r 'select(.kind == "result" and .outcome != "fail") | [.clients, .ops, .metrics.found.value] | join(" ")' \
		"$OUT/journal.jsonl")" = $'1 210 0\n2 420 0\n3 630 0\n4 840 0\n7 1470 0' ]
	rm -rf "$OUT"
	run -0 pario run find --np 3 --dir "$DATA" --output "$OUT" --files 205 --directories 4 --repetitions 1 --name '*10*'
	# 10, 100, 102, 104, 106, 108, 110, and of client 1 the same
	[ "$(field metrics.found.value)" -eq 21 ]
}

@test "find in a directory of the user's agrees with find(1) and changes nothing" {
	mkdir -p tree/a/b/c tree/d
	touch tree/a/x01 tree/a/b/01y tree/a/b/c/no tree/d/z01z
	ln -s ../a tree/d/link01
	truncate -s 3901 tree/a/b/01y tree/d/z01z
	touch -d '2020-01-01' tree/d/z01z
	touch -d '2021-01-01' stamp
	sums tree >before
	run -0 pario run find --np 3 --dir "$DATA" --output "$OUT" --path tree --repetitions 1
	[ "$(field metrics.found.value metrics.entries.value | xargs)" = "2 $(find tree -mindepth 1 | wc -l)" ]
	rm -rf "$OUT"
	run -0 pario run find --np 2 --dir "$DATA" --output "$OUT" --path tree --newer stamp --repetitions 1
	[ "$(field metrics.found.value)" -eq 1 ]
	rm -rf "$OUT"
	run -0 pario run find --np 2 --dir "$DATA" --output "$OUT" --path tree --size any --name '*' --repetitions 1
	[ "$(field metrics.found.value)" -eq "$(find tree ! -type d | wc -l)" ]
	sums tree | cmp - before
}

@test "a directory that cannot be read makes find fail" {
	[ "$(id -u)" -ne 0 ] || skip "root reads everything"
	mkdir -p tree/closed
	chmod 0 tree/closed
	run -3 pario run find --np 2 --dir "$DATA" --output "$OUT" --path tree --repetitions 1
	chmod 700 tree/closed
}
