#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# survey: what the null backend plants is stated with its factor, nothing else is, an interrupted survey goes on, it
# answers questions, and bad input is refused. How well the model does under noise is the unit test's matter
# (test_survey.c); here the planted times are long against what a busy machine adds.

load lib

# A corner of the space that takes seconds.
NULL=(--api null --delay 2000 --delay_per_mib 1000 --slow_factor 6 --threshold 3 --focus "segmented,random" --seed 7 --time_limit 0.03)

# survey ARGUMENTS...: in $DATA; the journal goes to $OUT.
survey()
{
	pario survey "$DATA" "$@"
}

# told POINTS ARGUMENTS...: a survey that goes on until so many points are measured, which takes as long as the machine is busy. What
# waits for a processor is known where the kernel tells it; elsewhere noise may rightly deny a statement, and the test is tried again.
told()
{
	local least=$1

	shift
	[ -r /proc/self/schedstat ] || once_of 3
	run -0 --separate-stderr survey "$@" --output "$OUT"
	go_on 0.5 "$least"
	echo "$output"
}

# go_on MINUTES POINTS [STANDING]: until so many are measured, and no statement has this standing any more.
go_on()
{
	local minutes=$1 end=$((SECONDS + LIMIT_S))

	while [ "$(points)" -lt "$2" ] || { [ $# -gt 2 ] && statements | grep -q "$3"; }; do
		[ $SECONDS -lt $end ]
		run -0 --separate-stderr survey --resume "$OUT" --minutes "$minutes"
		minutes=$((${minutes%.*} + 1))
	done
}

# statements: one line per statement beyond the size law, and whether its factor is within a quarter of 6.
statements()
{
	"$PYTHON" - "$OUT/journal.jsonl" <<-'PYTHON'
	import json, sys
	for line in open(sys.argv[1]):
	    survey = json.loads(line).get("survey")
	    if survey:
	        said = survey["statements"]
	for s in said:
	    if s["standing"] != "law":
	        worst = max(f[0] for f in s["factors"] if f[0])
	        print(s["name"], "as planted" if 4.8 < worst < 7.5 else worst, s["standing"], s["remedy"])
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

# narrow: none of the statements' lines is wider than 100 columns.
narrow()
{
	"$PYTHON" -c 'import sys; sys.exit(any(len(l) > 101 and l[:2].strip().isdigit() for l in sys.stdin))' <<<"$output"
}

@test "nothing planted, nothing stated but the law of the size, which points held back confirm" {
	told 50 "${NULL[@]}" --largest 512k --np 2 --minutes 0.3
	[ -z "$(statements)" ]
	[[ $output == *"Nothing else slows access down by 3.00 × or more."* ]]
	[[ $output == *"This explains "*" points measured afterwards lay within "* ]]
	valid
	[ -z "$(ls -A "$DATA")" ]
}

@test "slow when unaligned" {
	told 50 "${NULL[@]}" --largest 512k --np 2 --minutes 0.3 --slow_unaligned 4k
	go_on 0.5 50 untried # and measured beside its neighbours, it holds
	[ "$(statements)" = "Unaligned access as planted confirmed align" ]
	narrow
	valid
}

@test "slow below 16 KiB, and slow for more than 2 clients" {
	told 30 "${NULL[@]}" --largest 128k --np 3 --minutes 0.4 --slow_clients 2 --slow_below 16k
	[ "$(statements | sed -E 's/confirmed|untried/said/' | sort)" = "Access by 3 clients as planted said 2 clients
Transfers up to 8 KiB as planted said 16 KiB at a time" ]
	narrow
}

@test "slow where random order and a shared file come together" {
	told 40 "${NULL[@]}" --largest 128k --np 2 --minutes 0.3 --slow_random shared
	[[ $(statements) == "Random access of shared files as planted "* ]]
	[ "$(statements | wc -l)" -eq 1 ]
}

@test "a survey answers questions about points it has not measured, offline" {
	told 40 "${NULL[@]}" --largest 128k --np 2 --minutes 0.3 --slow_unaligned 4k
	for words in "read random 64k shared null 2" "write 100k unaligned"; do
		run -0 --separate-stderr pario survey "$OUT" --ask "$words"
		echo "$output"
		[[ $output == *" MiB/s ["*", "*"an operation"* ]]
	done
	# 6 times 2 ms and what 100 KiB take: nobody else may say 12 ms
	low=$("$PYTHON" -c 'import re, sys; print(re.search(r", ([0-9.]+) ms an operation", sys.argv[1]).group(1))' "$output")
	"$PYTHON" -c 'import sys; sys.exit(not 9.6 < float(sys.argv[1]) < 20)' "$low"
	run -2 --separate-stderr pario survey "$OUT" --ask "read backwards 64k"
	one_sentence
	says backwards
	run -2 --separate-stderr pario survey --ask "read 64k"
	one_sentence
	says "which survey is asked"
	measure "${SMALL[@]}" --api null
	run --separate-stderr pario survey "$OUT" --ask "read 64k"
	[ "$status" -ne 0 ]
	says "holds no survey"
}

@test "two surveys are compared by what they say, and the page says the same" {
	OUT=a told 40 "${NULL[@]}" --largest 64k --np 2 --minutes 0.3
	OUT=b told 40 "${NULL[@]}" --largest 64k --np 2 --minutes 0.3 --slow_unaligned 4k
	run -1 --separate-stderr pario compare a b
	echo "$output"
	grep -q "^ new  *Unaligned access: " <<<"$output"
	# and so in every other form
	run -1 --separate-stderr pario compare a b --csv changes.csv --out changes.html
	run -1 --separate-stderr pario compare a b --json
	[ "$(jq -r '.statements[] | select(.verdict == "new") | .name' <<<"$output")" = "Unaligned access" ]
	jq -e '.statements[] | select(.verdict == "new") | .second[0] > 4.8 and .second[0] < 7.5' <<<"$output"
	grep -q '^Unaligned access,new,times,' changes.csv
	grep -q '<td>Unaligned access</td>.*<td>new</td>' changes.html
	run -0 --separate-stderr pario compare b a
	grep -q "^ gone  *Unaligned access: " <<<"$output"
	run -0 --separate-stderr pario compare b b
	grep -q "^ the same  *Unaligned access: " <<<"$output"
	grep -q "What is slow here, and what avoids it" b/report.html
	grep -q "<b>Unaligned access</b>: " b/report.html
	grep -q "Nothing else slows access down" a/report.html
}

@test "the survey ends when its time is over, says so, and goes on when resumed" {
	run -0 --separate-stderr survey "${NULL[@]}" --largest 64k --np 2 --minutes 0.03 --output "$OUT"
	says "the time was over"
	before=$(points)
	[ "$before" -lt 40 ]
	run -0 --separate-stderr survey --resume "$OUT" --minutes 0.3
	echo "$output"
	[ "$(points)" -gt "$before" ]
	[ -z "$(statements)" ]
	[ -z "$(field point clients phase repetition | sort | uniq -d)" ]
	valid
	[ "$(end results)" -eq "$(field point | wc -l)" ]
}

some_results() { [ "$(grep -cs '"kind":"result"' "$OUT/journal.jsonl")" -gt 3 ]; }

@test "an interrupted survey exits with 130 and goes on when resumed" {
	set -m # as the head of a process group it has the default signal actions
	"$PARIO" survey "$DATA" "${NULL[@]}" --largest 64k --np 2 --minutes 0.4 --output "$OUT" >text 2>&1 3>&- &
	pid=$!
	set +m
	until_true "$LIMIT_S" some_results
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	run -0 --separate-stderr survey --resume "$OUT"
	echo "$output"
	[ -z "$(statements)" ]
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
	done < <(grep -oE 'survey --focus [a-z_,]*[a-z]' "$PARIO_SOURCE/src/report/text/limit.c" | cut -d ' ' -f 3)
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
	[[ -n $verdict && $(said) == *"What stands out"*"$(tr -s ' ' <<<"$verdict")"* ]]
	[[ $(<"$OUT/report.html") == *"<p>${verdict//\'/"&#39;"}</p>"*">At a glance</h2>"* ]]
}
