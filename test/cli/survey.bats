#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# survey: planted cliffs of the null backend are found with their borders, nothing else is, an interrupted survey goes
# on, and bad input is refused. How well regions are found under noise is the unit test's matter (test_survey.c);
# here the planted times are long against what a busy machine adds, and what is planted is slower by more than it is.

load lib

# A small corner of the space that takes seconds: few sizes, 2 alignments, 2 layouts.
NULL=(--api null --delay 3000 --slow_factor 20 --threshold 5 --focus "segmented,write" --repetitions 3 --seed 7 --time_limit 0.05)

# survey ARGUMENTS...: in $DATA; the journal goes to $OUT.
survey()
{
	pario survey "$DATA" "$@"
}

# regions: one line per region in the journal, its bounds sorted by axis.
regions()
{
	"$PYTHON" - "$OUT/journal.jsonl" <<-'PYTHON' | sort
	import json, sys
	for line in open(sys.argv[1]):
	    note = json.loads(line)
	    if note["kind"] == "note" and "region" in note:
	        r = note["region"]
	        print("size", min(r["transfer_size"]), max(r["transfer_size"]), "clients", r["clients"],
	              "".join(r["alignment"]), "".join(r["layout"]))
	PYTHON
}

valid()
{
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
}

# points: how many different points were measured.
points()
{
	field point clients | sort -u | wc -l
}

@test "nothing planted, nothing found, within 60 % of the grid" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 512k --np 2 --minutes 2 --output "$OUT"
	echo "$output"
	[ -z "$(regions)" ]
	grep -q "0 regions of poor performance" <<<"$output"
	valid
	[ "$(points)" -le 38 ] # of 64
	[ -z "$(ls -A "$DATA")" ]
}

@test "slow below 16 KiB and slow when unaligned: both borders, within 60 % of the grid" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 512k --np 2 --minutes 2 --output "$OUT" \
		--slow_below 16k --slow_unaligned 4k
	echo "$output"
	[ "$(regions)" = "size 4096 524288 clients [1, 2] unaligned sharedper_client
size 4096 8192 clients [1, 2] alignedunaligned sharedper_client" ]
	grep -q "use transfers of at least 16 KiB" <<<"$output"
	grep -q "align transfers to their size" <<<"$output"
	valid
	[ "$(points)" -le 38 ] # of 64
}

@test "slow for more than 2 clients" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 16k --np 4 --minutes 2 --output "$OUT" --slow_clients 2
	echo "$output"
	[ "$(regions)" = "size 4096 16384 clients [4] alignedunaligned sharedper_client" ]
	grep -q "use at most 2 clients" <<<"$output"
}

@test "the survey ends when its time is over, says so, and goes on when resumed" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 64k --np 2 --minutes 0.03 --output "$OUT"
	says "the time was over"
	before=$(points)
	[ "$before" -lt 20 ]
	run -0 --separate-stderr survey --resume "$OUT" --minutes 2
	echo "$output"
	[ "$(points)" -gt "$before" ]
	[ -z "$(regions)" ]
	[ -z "$(field point clients repetition | sort | uniq -d)" ]
	valid
	[ "$(end results)" -eq "$(field point | wc -l)" ]
}

some_results() { [ "$(grep -cs '"kind":"result"' "$OUT/journal.jsonl")" -gt 3 ]; }

@test "an interrupted survey exits with 130 and goes on when resumed" {
	set -m # as the head of a process group it has the default signal actions
	"$PARIO" survey "$DATA" "${NULL[@]}" --largest 64k --np 2 --minutes 1 --output "$OUT" >text 2>&1 3>&- &
	pid=$!
	set +m
	until_true "$LIMIT_S" some_results
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	run -0 --separate-stderr survey --resume "$OUT"
	echo "$output"
	[ -z "$(regions)" ]
	[ "$(end outcome)" != interrupted ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "--resume takes only the survey it was" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 8k --np 2 --minutes 0.01 --output "$OUT"
	run -2 --separate-stderr survey --resume "$OUT" --largest 64k
	one_sentence
	says '--largest is "64k", but the run to go on with was made with "8k"'
	run -2 --separate-stderr survey --resume "$OUT" --np 3
	one_sentence
	measure "${SMALL[@]}" --api null
	run -2 --separate-stderr survey --resume "$OUT"
	one_sentence
	says "is the journal of transfer, not of survey"
}

@test "--dry_run shows the axes and the number of points, and measures nothing" {
	run -0 --separate-stderr survey --api posix --np 4 --dry_run
	echo "$output"
	grep -q "clients *1, 2, 4$" <<<"$output"
	grep -q "330 points in all" <<<"$output"
	untouched
}

@test "what cannot be surveyed is refused with one sentence" {
	while read -r -a arguments; do
		run -2 --separate-stderr survey --np 2 "${arguments[@]}"
		echo "$stderr"
		one_sentence
		untouched
	done <<-'END'
	--focus nowhere
	--focus per_client,collective
	--focus large --largest 64k
	--smallest 8k --largest 4k
	--api nosuch
	--minutes 0
	--threshold 1
	--slow_below 4k
	other
	END
}

@test "what glance recommends, survey accepts" {
	local focus count=0

	while read -r focus; do
		run timeout "$LIMIT_S" "$PARIO" survey "$BATS_TEST_TMPDIR" --focus "$focus" --dry_run
		[ "$status" -eq 0 ]
		count=$((count + 1))
	done < <(grep -oE 'survey --focus [a-z_,]*[a-z]' "$PARIO_SOURCE/src/report/text/findings.c" | cut -d ' ' -f 3)
	[ "$count" -gt 0 ]
}

@test "a glance keeps to the space it is given" {
	run -0 pario glance "$DATA" --np 2 --space 32m --dry_run
	[[ $output == *"will use at most 32 MiB in "* ]]
	run -2 --separate-stderr pario glance "$DATA" --np 3 --space 32m
	[[ $stderr == *"--space is too small for a glance with 3 clients: at least 48 MiB."* ]]
}

@test "a glance measures the parts that are asked for" {
	run -0 pario glance "$DATA" --np 1 --space 16m --minutes 1 --repetitions 1 --parts metadata,large_cached --output "$OUT"
	[ "$(field point | sort -u | xargs)" = "part=large_cached part=metadata" ]
	[[ $output != *"cp -r of"* ]]
	run -2 --separate-stderr pario glance "$DATA" --parts ""
	run -2 --separate-stderr pario glance "$DATA" --parts small
	[[ $stderr == *small_files* ]]
}

@test "a glance at a small place says so, marks what was left out, and its commands name the place" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	once_of 3
	mkdir tiny
	mount -t tmpfs -o size=3m none tiny || skip "cannot mount here"
	MOUNTED=$PWD/tiny
	run -3 pario glance tiny --np 1 --output "$OUT"
	[[ $output == *"a glance with 1 client: at least 32 MiB must be free"* ]]
	mount -o remount,size=64m tiny
	run -0 pario glance tiny --np 2 --minutes "$(by_try 1 2 4)" --repetitions 2 --output "$OUT"
	[ "$(field point repetition | grep -c ' 2$')" -eq 0 ] # the third
	[ "$(field repetition | grep -c '^1$')" -gt 10 ]
	[[ $output != *failed* ]]
	[[ $output == *"b_eff_io, short"*skipped* ]]
	[[ $output != *"pario survey --focus"* ]]
	[ -z "$(ls -A tiny)" ]
	# in memory every rate is suspect, and a finding needs better than that
	[[ $output != *"Large writes to disk are"* ]]
	[[ $output != *±* ]]
	# one table: each cell of the journal's stands in the terminal's and in the page's
	valid
	count=0
	while read -r cell; do
		grep -qF "$cell" <<<"$output"
		grep -qF ">$cell</td>" "$OUT/report.html"
		count=$((count + 1))
	done < <(jq -r 'select(.table) | .table[] | .what, .result, .interval | select(. != "")' "$OUT/journal.jsonl")
	[ "$count" -gt 40 ]
	# what stands out comes first on the page, in the words of the terminal
	verdict=$(jq -r 'select(.finding == 0) | .text' "$OUT/journal.jsonl")
	[[ -n $verdict && $output == *"What stands out"*"$verdict"* ]]
	[[ $(<"$OUT/report.html") == *">What stands out</h2><p>${verdict//\'/"&#39;"}</p>"*">At a glance</h2>"* ]]
}
