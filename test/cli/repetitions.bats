#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154 # variables that bats and lib.bash set and use
# How often a point is measured, in which order, and when it is enough.

load lib

# The null backend: nothing is stored, and a planted delay makes the rates steady.
PLAN=(--api null --np 2 --transfer_size 64k --block_size 128k --operations write)

# order: "point/clients/repetition" of every result, in the order of the journal.
order()
{
	jq -r 'select(.kind == "result") | "\(.params.transfer_size)/\(.clients)/\(.repetition)"' "$OUT/journal.jsonl"
}

@test "five repetitions, of all points in turn" {
	measure "${PLAN[@]}" --transfer_size 64k,128k --clients 1,2 --verbose
	[ "$(order | wc -l)" -eq 20 ]
	[ "$(order | head -5 | tr '\n' ' ')" = "64k/1/0 64k/2/0 128k/1/0 128k/2/0 64k/1/1 " ]
	[ "$(order | tail -1)" = 128k/2/4 ]
	[ "$(grep -cE '^ write  transfer_size=(64k|128k) +[12] .* 5( |$)' <<<"$output")" -eq 4 ]
	[ "$(grep -cE '^ scaling  transfer_size=(64k|128k): write ' <<<"$output")" -eq 2 ]
	[[ $output != *±* ]]
}

@test "--clients sweep: 1, 2, 4 ... and all, and where scaling ends" {
	measure "${PLAN[@]}" --np 5 --clients sweep --delay 2000
	[ "$(jq -r 'select(.kind == "result") | .clients' "$OUT/journal.jsonl" | sort -u | paste -sd' ')" = "1 2 4 5" ]
	[ "$(jq -c 'select(.kind == "begin") | .clients' "$OUT/journal.jsonl")" = "[1,2,4,5]" ]
	[[ $output == *"scaling  write with 1, 2, 4, 5 clients: "*"; "@(beyond|every step|the most with)* ]]
	# only what the test can use: squares, and not one alone
	for np in 9 15; do
		run -0 pario run madbench2 --np $np --clients sweep --dir "$DATA" --dry_run
		[ "$(grep -oE '[0-9]+ clients? ' <<<"$output" | paste -sd' ' | tr -s ' ')" = "1 client 4 clients 9 clients " ]
	done
	run -0 pario run beff --np 3 --clients sweep --dry_run
	[ "$(grep -oE '[0-9]+ clients? ' <<<"$output" | paste -sd' ' | tr -s ' ')" = "2 clients 3 clients " ]
	run -2 --separate-stderr pario run transfer --clients sweeps --dir "$DATA"
}

@test "a run that was cut goes on at the point and repetition where it stopped" {
	measure "${PLAN[@]}" --transfer_size 64k,128k --repetitions 3
	# what is left of a run killed after the first of the second round
	grep -v '"kind":"end"' "$OUT/journal.jsonl" | awk '!/"kind":"result"/ || ++n <= 3' >left.jsonl
	cp left.jsonl "$OUT/journal.jsonl"
	run -0 pario run transfer --resume "$OUT"
	[ "$(order | tr '\n' ' ')" = "64k/2/0 128k/2/0 64k/2/1 128k/2/1 64k/2/2 128k/2/2 " ]
	[ "$(grep -cE '^ write  transfer_size=(64k|128k) +2 .* 3( |$)' <<<"$output")" -eq 2 ]
}

@test "--pause lies between the repetitions" {
	measure "${PLAN[@]}" --repetitions 3 --pause 1
	[ "$(order | tr '\n' ' ')" = "null/2/0 null/2/1 null/2/2 " ]
	jq -e 'select(.kind == "end") | .seconds >= 2' "$OUT/journal.jsonl"
}

@test "after --run_limit no repetition begins, but every point has its first" {
	# 20 ms of planted time are more than the limit
	measure "${PLAN[@]}" --transfer_size 64k,128k --delay 20000 --repetitions 50 --run_limit 0.01
	[ "$(order | tr '\n' ' ')" = "64k/2/0 128k/2/0 " ]
	[[ $stderr == *"--run_limit 0.01: 98 "* ]]
	refuse --run_limit 1 --keep_files 1 --repetitions 2
	run -2 --separate-stderr pario glance "$DATA" --pause 1
	one_sentence
	run -2 --separate-stderr pario survey "$DATA" --run_limit 1
	one_sentence
}

@test "a signal ends a pause" {
	local pid code=0

	set -m
	"$PARIO" run transfer --dir "$DATA" --output "$OUT" "${PLAN[@]}" --repetitions 2 --pause 1000 >log 2>&1 3>&- &
	pid=$!
	set +m
	until_true 60 grep -qs '"kind":"result"' "$OUT/journal.jsonl"
	kill -INT "$pid"
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	[ "$(order)" = null/2/0 ]
}

@test "--until goes on until the interval is narrow" {
	once_of 5
	# 100 ms of planted time: far above what a busy machine adds, so that half of the median is soon narrow enough
	measure "${PLAN[@]}" --np 1 --block_size 64k --delay 100000 --until 100% --repetitions 2
	[ "$(order | wc -l)" -eq 6 ]
	# one that nothing can reach ends when its time is over
	measure "${PLAN[@]}" --np 1 --block_size 64k --delay 2000 --until 0.0001% --time_limit "$(by_try 0.5 5 30)" \
		--verbose
	[ "$(order | wc -l)" -gt 6 ]
	[[ $output == *"(9"[0-9]" % for this run, $(order | wc -l) repetitions)"* ]]
	refuse "${PLAN[@]}" --until 0
	refuse "${PLAN[@]}" --until many
	refuse "${PLAN[@]}" --until 5% --keep_files 1
}

@test "two runs with the default number of repetitions can be told apart" {
	once_of 5
	measure "${PLAN[@]}" --np 1 --block_size 64k --delay 3000 && mv "$OUT" before
	measure "${PLAN[@]}" --np 1 --block_size 64k --delay 300000 && mv "$OUT" after
	run pario compare before after --across delay
	echo "$output"
	[[ $output == *slower* ]]
}

@test "kept files are listed once, whatever the number of repetitions" {
	measure --np 1 --transfer_size 64k --block_size 64k,128k --operations write --keep_files 1 --repetitions 3
	[ "$(jq -r 'select(.kind == "end") | .kept[]' "$OUT/journal.jsonl" | wc -l)" -eq 2 ]
}

@test "the consortium's statistics over clients and repetitions are in journal, table and page" {
	local part
	measure "${PLAN[@]}" --np 2 --repetitions 3 --verbose
	for part in open transfer close; do
		jq -es --arg p "$part" '[.[] | select(.kind == "result")] | all(.[];
			.metrics[$p + "_min_s"].value <= .metrics[$p + "_mean_s"].value and
			.metrics[$p + "_mean_s"].value <= .metrics[$p + "_max_s"].value and
			.metrics[$p + "_variance_s2"].value >= 0 and .metrics[$p + "_max_s"].value == .seconds[$p])' "$OUT/journal.jsonl"
		[[ ${output//$'\n'/ } == *"over clients, min / mean / max, variance:"*"$part "*" s²"* ]]
		grep -q "<th scope=\"col\">$part variance, s²</th>" "$OUT/report.html"
	done
	[[ $output == *"maximum "*", deviation "*" over 3 repetitions"* ]]
	grep -q '<th scope="col">maximum</th><th scope="col">deviation</th>' "$OUT/report.html"
}
