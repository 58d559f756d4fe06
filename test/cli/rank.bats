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

# standing PAGE: name, number and share of each row of its section, as `pario rank` says them.
standing()
{
	"$PYTHON" - "$1" <<-'END'
		import html, re, sys
		page = open(sys.argv[1], encoding="utf-8").read()
		section = re.search(r'<h2 id="standing">.*?</section>', page, re.S)
		for row in re.findall(r"<tr[^>]*><th scope=.row.>.*?</tr>", section[0] if section else "", re.S):
		    cells = [html.unescape(re.sub(r"<[^>]*>", "", c)).strip() for c in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
		    print(cells[0], cells[1], "better than", cells[3], *cells[4:])
	END
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
	[[ $(standing g/report.html) == *mdtest-easy-stat* ]]
	[[ $output == *ior-easy-write*ior-easy-read* && $output == *mdtest-easy-stat* && $output == *"no counterpart there"* || $output == *mdtest-easy-stat* ]]
}

@test "the page of one run has the same standing; that of several has none" {
	mkdir runs
	system a find 40
	system b find 80
	pario import "$FILES/io500-older-summary.txt" --output old >/dev/null
	pario report old --out old.html
	standing old.html >page
	pario rank old | grep 'better than' | sed 's/[▁▂▃▄▅▆▇█◀]//g; s/  */ /g; s/^ //; s/ $//' >text
	[ "$(wc -l <page)" = 2 ]
	diff <(sed 's/ *$//' page) text
	pario report runs/a --out a.html
	[[ $(standing a.html) == "find 10 kops/s per client better than "*" of "* ]]
	pario report runs/a runs/b --out both.html
	[ -z "$(standing both.html)" ]
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

@test "compare with three runs and more: systems side by side, in text, as CSV and as a page" {
	mkdir runs
	system a find 40
	system b find 80
	system c find 10
	system d ior-easy-write 3
	run -0 pario compare runs/a runs/b runs/c
	[[ ${lines[0]} == "3 systems, 1 measurement" ]]
	[[ $output == *"▶ "*"40"*"80"*"10"* ]]
	run -0 pario compare runs --csv -
	[ "$("$PYTHON" -c 'import csv, sys; print(*("%(measurement)s=%(value)s/%(clients)s" % r for r in csv.DictReader(sys.stdin)))' <<<"$output")" = \
		"find=40/4 find=80/4 find=10/4" ]
	run -0 pario compare runs/a runs/b runs/c --per client
	[[ ${lines[0]} == *", per client" && $output == *"10"*"20"*"2.5"* ]]
	label=$(pario compare runs --csv - | tail -1 | cut -d, -f1)
	run -0 pario compare runs --highlight "$label" --out many.html
	[ "$(grep -c '<tr data-s="2" class="marked"' many.html)" = 2 ]
	grep -q 'id="per-node" disabled' many.html
	run -2 --separate-stderr pario compare runs --per node --out other.html
	# shellcheck disable=SC2154 # set by run
	[[ $stderr == *"on how many nodes"* && ! -e other.html ]]
}

@test "many systems: what cannot be is refused, and two sides stay two sides" {
	mkdir runs
	system a find 40
	system b find 80
	system c ior-easy-write 10
	run -2 --separate-stderr pario compare runs/a runs/b runs/c --highlight nobody
	[[ $stderr == *"none of the runs is called nobody"* ]]
	run -2 --separate-stderr pario compare runs/a runs/b runs/c --threshold 0.9
	[[ $stderr == *"--threshold is for two sides"* ]]
	run -0 pario compare runs/a runs/b
	[[ $output == *"second/first"* ]]
	rm -r runs/b
	system b mdtest-easy-stat 3
	run -2 --separate-stderr pario compare runs/a runs/b runs/c
	[[ $stderr == *"no two of the 3 runs measured the same"* ]]
	run -2 --separate-stderr pario compare runs/a
	[[ $stderr == *"which runs?"* ]]
	run -2 --separate-stderr pario compare runs/a runs/b --
	[[ $stderr == *"which runs?"* ]]
}
