#!/usr/bin/env bats
# `pario history`: numbers over time, and their changes.

load lib

setup_file()
{
	cd "$BATS_FILE_TMPDIR" || return
	timeout "$LIMIT_S" "$PARIO" run transfer --api null --np 1 --block_size 1m --repetitions 1 --quiet --output model
}

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	# shellcheck disable=SC2034 # lib.bash looks at it
	MOUNTED=
}

# nights N WORDS...: so many journals in ./runs.
nights()
{
	"$PYTHON" "$CLI/history.py" "$BATS_FILE_TMPDIR/model/journal.jsonl" runs "$@"
}

@test "noise alone is no change, and the exit code is 0" {
	nights 120 points=3 noise=0.05
	run -0 --separate-stderr pario history runs
	[[ $output == *"120 runs from 2020-01-01 to 2020-04-29, 3 numbers over time"* ]]
	[[ $output == *"0 changes are marked; over the 348 places"* ]]
	[ -z "$stderr" ]
}

@test "a change is marked once per number, dated, and with what changed along with it" {
	nights 30 points=2 change=25:0.8 "kernel=25:Linux 9.9"
	run -1 pario history runs --csv all.csv
	[ "$(grep -c 'slower: 0\.[78]' <<<"$output")" = 2 ]
	[ "$(grep -c '^  2020-01-26 ' <<<"$output")" = 2 ]
	[ "$(grep -c 'kernel: .* → Linux 9.9' <<<"$output")" = 2 ]
	[ "$(awk -F, '$13 ~ /^1/ { n++ } END { print n }' all.csv)" = 10 ]
}

@test "what became faster, or changed long ago, is marked but does not fail" {
	nights 30 points=1 change=25:1.5
	run -0 pario history runs
	[[ $output == *"faster: 1."* ]]
	rm -r runs
	nights 60 points=1 change=20:0.5
	run -0 pario history runs
	[[ $output == *"slower"* ]]
	run -1 pario history runs --recent 50
}

@test "a change smaller than --least is not marked" {
	nights 60 points=1 change=30:0.97 noise=0.002
	run -0 pario history runs
	[[ $output == *"0 changes"* ]]
	run -1 pario history runs --least 0.01 --recent 40
}

@test "damaged journals are named, left out and counted; the next call sees them repaired" {
	nights 8 points=1
	cp runs/00003/journal.jsonl whole
	sed -i '3s/"bytes":1/"bytes":2/' runs/00003/journal.jsonl
	run -0 --separate-stderr pario history runs
	[[ $stderr == *"left out: "*00003* ]]
	[[ $output == *"7 runs"*"1 journal is damaged and is left out"* ]]
	cp whole runs/00003/journal.jsonl
	run -0 --separate-stderr pario history runs
	[[ $output == *"8 runs"* ]]
	[ -z "$stderr" ]
}

@test "runs come, grow and go; copies count once, and nothing is left beside the journals" {
	nights 10 points=1
	before=$(find .)
	run -0 pario history runs
	[[ $output == *"10 runs"* ]]
	[ "$(find .)" = "$before" ]
	cp -r runs/00009 runs/copy
	run -0 pario history runs
	[[ $output == *"10 runs"*"1 journal is a copy"* ]]
	rm -r runs/00009
	run -0 pario history runs
	[[ $output == *"10 runs"* && $output != *copy* ]]
	rm -r runs/copy
	run -0 pario history runs
	[[ $output == *"9 runs"* ]]
	head -n -2 runs/00004/journal.jsonl >short
	cat short >runs/00004/journal.jsonl
	run -0 pario history runs
	[[ $output == *"9 runs"* ]]
}

@test "parameters make lines of their own, unless they are what is looked across" {
	nights 6 points=2
	run -0 pario history runs
	[[ $output == *"2 numbers over time"* ]]
	run -0 pario history runs --across transfer_size
	[[ $output == *"1 number over time"* ]]
}

@test "imported results of unlike or unknown systems join no line" {
	data=$PARIO_SOURCE/test/data/import
	mkdir runs
	# two runs of one host a day apart, one of another, and two that say nothing of their system
	for run in "a node17 3" "b node17 4" "c node18 5"; do
		read -r name host day <<<"$run"
		sed "s/node17/$host/; s/Mar  3/Mar  $day/" "$data/ior.txt" >"$name.txt"
		pario import "$name.txt" --output "runs/$name"
	done
	for day in 3 4; do
		sed "s/2.512345/2.6$day/" "$data/io500-result_summary.txt" >d$day.txt
		pario import d$day.txt --time 2026-03-0$day --output runs/d$day
	done
	run -0 pario history runs --csv -
	# write, read and remove of two hosts; five phases and a score twice
	[ "$("$PYTHON" -c 'import csv, sys; print(sum(r["phase"] == "write" for r in csv.DictReader(sys.stdin)))' <<<"$output")" = 3 ]
	run -0 pario history runs
	[[ $output == *"5 runs"*", 18 numbers over time"* ]]
	# named, they are one system's
	rm -rf runs/*
	for day in 3 4; do
		pario import "$data/io500-result.txt" --time 2026-03-0$day --system one --output runs/d$day
	done
	run -0 pario history runs
	[[ $output == *"2 runs"*", 6 numbers over time"* ]]
}

@test "imported results have their place in time" {
	nights 2 points=1
	pario import "$PARIO_SOURCE/test/data/import/ior.txt" --output runs/ior
	pario import "$PARIO_SOURCE/test/data/import/io500-result_summary.txt" --output runs/io500
	run -0 pario history runs
	[[ $output == *"to 2026-03-03"* && $output == *"ior write, 4 clients"* ]]
	[[ $output == *"1 journal does not tell its time"* ]]
}

@test "the page holds the changes; nothing and nowhere get a sentence" {
	nights 30 points=1 change=25:0.5
	run -1 pario history runs --out page.html
	grep -q 'class="slower"' page.html
	grep -q 'worse on 2020-01-26' page.html
	# a mark leads to the page of its run, where there is one
	local of
	of=$(realpath "$(find runs -name journal.jsonl | sort | head -n 1 | xargs dirname)")
	run ! grep -qF "$of/report.html" page.html
	: >"$of/report.html"
	run -1 pario history runs --out page.html
	grep -qF "\"$of/report.html\"" page.html
	mkdir empty
	run -0 pario history empty
	[[ $output == *"0 runs"* ]]
	run -3 --separate-stderr pario history nowhere
	[[ $stderr == *ENOENT* ]]
	run -2 --separate-stderr pario history
	[[ $stderr == *"which directories"* ]]
}
