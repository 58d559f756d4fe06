#!/usr/bin/env bats
# `pario rank`: where the numbers of a run stand among public systems or other runs.

load lib

FILES=$PARIO_SOURCE/test/data/import

# result NAME PHASE SCORE...: an imported result.txt of one phase with 4 processes on 2 nodes.
system()
{
	printf '[run]\nprocs = 4\nversion = io500-isc25\n\n[%s]\nt_start = 2026-03-03 10:00:00\nscore = %s\n' "$2" "$3" >"$1.txt"
	pario import "$1.txt" --output "runs/$1" >/dev/null
}

# row NAME COLUMN: of the CSV in $output.
cell()
{
	"$PYTHON" -c 'import csv, sys; print(next(r[sys.argv[2]] for r in csv.DictReader(sys.stdin) if r["name"] == sys.argv[1]))' "$1" "$2" <<<"$output"
}

@test "against other runs: the share that is below, per client, without the run itself" {
	mkdir runs
	system a find 40
	system b find 80
	system c find 10
	system d find 20
	system e find 5
	run -0 pario rank runs/a --against runs --csv -
	[ "$(cell find better_than)" = 0.75 ]
	[ "$(cell find others)" = 4 ]
	[ "$(cell find value)" = 10 ]
	[ "$(cell find per)" = client ]
	run -0 pario rank runs/a --against runs --per whole --csv -
	[ "$(cell find value)" = 40 ]
	run -0 pario rank runs/a --against runs
	[[ $output == *"find"*"10 kops/s per client"*"better than 75 % of 4"* ]]
}

@test "against public systems: every share between none and all, ascending with the number" {
	mkdir runs
	before=-1
	for score in 0.00001 0.1 1 10 100 10000000; do
		system s$score ior-easy-write $score
		run -0 pario rank runs/s$score --csv -
		share=$(cell ior-easy-write better_than)
		"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); assert a < b <= 1 or a == b == 1' "$before" "$share"
		before=$share
	done
	[ "$(cell ior-easy-write better_than)" = 1 ]
	# half of what the table holds lies between its quartiles
	"$PYTHON" -c 'import sys; low, high, least, most = map(float, sys.argv[1:]); assert least < low < high < most' \
		"$(cell ior-easy-write quartile_low)" "$(cell ior-easy-write quartile_high)" "$(cell ior-easy-write lowest)" "$(cell ior-easy-write highest)"
	run -0 pario rank runs/s1
	[[ $output == *"public IO500 runs of 2018 to 2025"*"per client"*"better than"*"% of 3"* ]]
}

@test "the nodes of a run, kinds of file systems, suspect numbers" {
	pario import "$FILES/io500-older-summary.txt" --output old >/dev/null
	run -0 pario rank old --csv -
	[ "$(cell ior-easy-write per)" = node ]
	[ "$(cell ior-easy-write value)" = 1.0044 ]
	run -0 pario rank old --file_system lustre
	[[ $output == *"those on Lustre"* ]]
	pario import "$FILES/io500-result_summary.txt" --output new --time 2026-03-03 >/dev/null
	run -2 --separate-stderr pario rank new --file_system ZFS
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"there are not enough public systems; known are"*Lustre* ]]
}

@test "numbers of glance stand beside the phases that do the same" {
	pario glance "$DATA" --minutes 1 --space 64m --repetitions 3 --parts large,metadata --np 2 --output g >/dev/null
	run -0 pario rank g
	[[ $output == *ior-easy-write*ior-easy-read* && $output == *mdtest-easy-stat* && $output == *"no counterpart there"* || $output == *mdtest-easy-stat* ]]
}

@test "what cannot be ranked gets a sentence" {
	pario run transfer --api null --np 2 --output t >/dev/null
	run -2 --separate-stderr pario rank t
	[[ $stderr == *"none of the numbers of t has a counterpart among public systems"* ]]
	run -2 --separate-stderr pario rank
	[[ $stderr == *"which run?"* ]]
	mkdir empty
	run -2 --separate-stderr pario rank t --against empty
	[[ $stderr == *"no other journal"* ]]
	run -2 --separate-stderr pario rank t --against empty --file_system lustre
	[[ $stderr == *"--file_system chooses among public systems"* ]]
}
