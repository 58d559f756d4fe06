#!/usr/bin/env bats
# pario compare: which points belong together, what is said of each pair, and the exit code. Journals come from
# compare.py, so that every number is known.
load lib

journal() { "$PYTHON" "$CLI/compare.py" journal "$@"; }

# compare CODE ARGUMENTS...: of the journals a and b.
compare()
{
	local code=$1
	shift
	run "-$code" --separate-stderr pario compare a b "$@"
}

@test "p-values are those of an independent integration" {
	"$PYTHON" "$CLI/compare.py" check "$PARIO"
}

@test "equal runs: no difference found, in plain words, and exit code 0" {
	journal a 100 102 98 101 99
	journal b 99 101 100 98 102
	compare 0 --threshold 0.95
	[[ $output == *"no difference found"* ]]
	[[ $output == *"None is worse than the threshold 0.95 allows."* ]]
}

@test "a run against itself: there is nothing to compare; a run counts once among several" {
	journal a 100 102 98 101 99
	journal b 99 101 100 98 102
	ln -s a link
	for other in a link; do
		run -0 --separate-stderr pario compare a "$other" --threshold 0.95
		[[ $output == *"1 the same run. Both sides are one run: there is nothing to compare."* ]]
		[[ $output != *"cannot be decided"* && $output != *"scatter"* ]]
	done
	run -2 --separate-stderr pario compare a b -- a
	one_sentence
	says "a and a are the same run"
	run -2 --separate-stderr pario compare a link -- b
	says "a and link are the same run"
}

@test "the threshold counts only what is both proved and beyond it" {
	journal a 100 101 102 103 104
	journal b 80 80.1 80.2 80.3 80.4
	compare 0 --threshold 0.7
	[[ $output == *slower* ]]
	compare 1 --threshold 0.8
	[[ $output == *"slower ◀"* ]]
	compare 0
}

@test "a scatter around the same number is no regression, however far its median lies below" {
	journal a 100 100 100 40 100
	journal b 100 60 90 100 60
	compare 0 --threshold 0.95
	[[ $output == *"1 cannot be decided"* ]]
	[[ $output == *"takes about "*" runs of each side"* ]]
	[[ $output == *"pario compare --run 'A' 'B'"* ]]
}

@test "one repetition: nothing can be decided, but a threshold sees what is plainly worse" {
	journal a 100
	journal b 50
	compare 0
	[[ $output == *"cannot be decided"* ]]
	[[ $output == *"measure both with --repetitions 5"* ]]
	compare 1 --threshold 0.95
	compare 0 --threshold 0.4
	journal b 99
	compare 0 --threshold 0.95
	journal b 200
	compare 0 --threshold 0.95
}

@test "three and three repetitions that overlap are no regression" {
	journal a 100 101 80
	journal b 90 79 81
	compare 0 --threshold 0.95
	journal b 70 71 72
	compare 0 --threshold 0.95
	journal b 20 21 22
	compare 1 --threshold 0.95
}

@test "the same size written in another way is the same parameter" {
	journal a 100 101 102 --param block_size=1m --param share=0.50
	journal b 100 101 102 --param block_size=1024k --param share=0.5
	compare 0
	journal b 100 101 102 --param block_size=1048577 --param share=0.5
	compare 2
	says 'block_size is "1m" in one and "1048577" in the other'
}

@test "a swept value and the same value alone are the same point" {
	journal a 100 101 102 --param transfer_size=4k,64k --point "transfer_size=4k|transfer_size=64k"
	journal b 100 101 102 --param transfer_size=65536
	compare 0
	[[ $output == *"1 point compared"* ]]
	[[ $output == *"1 point is only in the first run, 0 only in the second."* ]]
}

@test "an option that only one version knows, at its default there, does not keep runs apart" {
	journal a 100 101 102
	journal b 100 101 102 --default fresh=1
	compare 0
	journal b 100 101 102 --param fresh=1
	compare 2
	says 'fresh is not set in one and "1" in the other'
}

@test "every parameter that differs is named, and the option that allows it" {
	journal a 100 --param api=posix --param direct=0
	journal b 100 --param api=uring --param direct=1
	compare 2
	one_sentence
	says 'api is "posix" in one and "uring" in the other'
	says '--across api,direct'
	compare 0 --across api,direct
}

@test "another client count is refused, and can be what is compared" {
	journal a 100 --clients 2
	journal b 180 --clients 4
	compare 2
	says "one has 2 clients and the other 4"
	says "--across clients"
	compare 0 --across clients
}

@test "--across of a name that no run knows is a slip" {
	journal a 100
	journal b 100
	compare 2 --across transfersize
	one_sentence
	says "neither run has a parameter of that name"
}

@test "seed, directory, label and repetitions do not count" {
	journal a 100 101 102 103 --param seed=1 --param dir=/a --param label=x --param repetitions=4
	journal b 100 101 102 103 --param seed=2 --param dir=/b --param label=y --param repetitions=9
	compare 0
}

@test "what cannot change a number does not keep runs apart: one flag for all of them" {
	journal a 100 101 102 103
	for name in pause csv until run_limit progress output plan label resume print_path keep_files deadline json quiet \
		color dry_run show_config print_sbatch np repetitions minutes ask filename; do
		journal b 100 101 102 103 --param "$name=1"
		compare 0
	done
	journal b 100 101 102 103 --param sync=1
	compare 2
	# nor is it told as a difference on the page
	journal b 100 101 102 103 --param pause=1
	compare 0 --out page.html
	run ! grep -q -- '--pause' page.html
}

@test "another phase is no common point" {
	journal a 100 --phase write
	journal b 100 --phase read
	compare 2
	says "no phase in common"
}

@test "a number that was lost is a regression, one that was gained is not" {
	journal a 100 101 102 103
	journal b 100 101 102 103 --fail
	compare 0
	[[ $output == *"no number any more"* ]]
	compare 1 --threshold 0.95
	run -0 pario compare b a --threshold 0.95
	[[ $output == *"no number before"* ]]
	run -0 pario compare b b --threshold 0.95
	[[ $output == *"no number in either"* ]]
}

@test "points that a cut run did not reach are said, and no threshold passes without them" {
	journal a 100 101 102 103 --point "n=1|n=2"
	journal b 100 101 102 103 --point "n=1" --no_end
	compare 0
	[[ $output == *"The second run was cut short."* ]]
	compare 1 --threshold 0.95
	[[ $output == *"cannot hold for 1 that was not reached"* ]]
	journal b 100 101 102 103 --point "n=1"
	compare 0 --threshold 0.95
}

@test "a journal without results" {
	journal a
	journal b 100
	compare 2
	says "a holds no results"
}

@test "thirty thousand results in each run" {
	"$PYTHON" "$CLI/compare.py" many a 6000 1
	"$PYTHON" "$CLI/compare.py" many b 6000 0.5
	compare 1 --threshold 0.95
	[[ $output == *"6000 slower"* ]]
}

@test "colour and blocks in a narrow terminal: no line is wider than it" {
	journal a 100 101 102 103 --param transfer_size=1m
	journal b 50 51 52 53 --param transfer_size=1m
	for columns in 40 60 80 106 200; do
		run -0 script -qec "unset COLUMNS; stty cols $columns; $PARIO compare a b" /dev/null
		[[ $output == *$'\033[31m'* ]]
		widest=$(sed 's/\x1b\[[0-9;]*[mK]//g; s/\r//g' <<<"$output" | wc -L)
		[ "$widest" -le "$columns" ]
		run -0 script -qec "stty cols $columns; NO_COLOR=1 $PARIO compare a b" /dev/null
		[[ $output != *$'\033'* ]]
	done
}

@test "a number of the test's own, where less is better: the threshold looks the other way" {
	own=(--test interactive --phase cp --headline cold_median_s --unit s --better lower)
	journal a 1.00 1.01 1.02 1.03 1.04 "${own[@]}"
	journal b 1.50 1.51 1.52 1.53 1.54 "${own[@]}"
	compare 1 --threshold 0.95
	grep -qE '1\.49 \[.*\] +slower' <<<"$output"
	run -0 pario compare b a --threshold 0.95
	[[ $output == *faster* ]]
	journal b 1.30 1.31 1.32 1.33 1.34 "${own[@]}"
	compare 0 --threshold 0.7
	compare 1 --threshold 0.8
	journal a 1 "${own[@]}"
	journal b 2 "${own[@]}"
	compare 1 --threshold 0.95
	run -0 pario compare b a --threshold 0.95
}

@test "a number that may be zero or negative has no ratio and is judged all the same" {
	own=(--test nht1_application --phase application --headline zeta --unit "" --better lower)
	journal a -0.02 0.01 0 0.02 0.01 "${own[@]}"
	journal b 0.40 0.41 0.39 0.42 0.40 "${own[@]}"
	compare 1 --threshold 0.95
	[[ $output == *slower* && $output == *–* ]]
	run -0 pario compare a a --threshold 0.95
}

@test "numbers of different meaning are not compared" {
	journal a 100 101 102 103
	journal b 5 6 7 8 --headline b_eff --unit MB/s
	compare 2
	says "the number of one is MiB/s, that of the other b_eff"
}

@test "a result that was stopped and measured again counts once" {
	run -0 --separate-stderr pario run transfer --api null --np 1 --delay 1000 --block_size 1m --transfer_size 64k \
		--operations write --repetitions 4 --dir "$DATA" --output a
	"$PYTHON" - a b <<-'END'
		import json, sys
		sys.path.insert(0, __import__("os").environ["PARIO_SOURCE"] + "/test/browser")
		import journals
		lines = [json.loads(line) for line in open("a/journal.jsonl")]
		stopped = json.loads(json.dumps(next(l for l in lines if l["kind"] == "result")))
		stopped.update(outcome="suspect", reason="stopped by the user before its end", rate_mib_s=1.0)
		at = next(i for i, l in enumerate(lines) if l["kind"] == "result")
		lines.insert(at, stopped)
		for line in lines:
		    line.pop("sum")
		journals.write("b", lines)
	END
	compare 0 --threshold 0.95
	[ "$(pario compare a b --json | jq -r '.points[0] | "\(.first_repetitions) \(.second_repetitions) \(.ratio == 1)"')" = \
		"4 4 true" ]
	[[ $output != *suspect* ]]
}

# around DIRECTORY NUMBER ARGUMENTS...: a journal of five values around that number.
around()
{
	local values
	mapfile -t values < <("$PYTHON" -c "for x in (0.98, 1.01, 1.0, 0.99, 1.02): print($2 * x)")
	journal "$1" "${values[@]}" "${@:3}"
}

@test "several runs of each side, and directories that hold them: runs are what is counted" {
	mkdir first second
	for run in 1 2 3; do
		around "first/$run" $((100 + run))
		around "second/$run" $((70 + run))
	done
	run -0 pario compare first/1 first/2 first/3 -- second/1 second/2 second/3
	[[ $output == *"slower"* && $output == *"from the runs of both sides."* ]]
	by_name=$output
	run -0 pario compare first second
	[ "$output" = "$by_name" ]
	run -0 pario compare first second --json
	[ "$(jq -r '.points[0] | "\(.first_runs) \(.second_runs) \(.first_repetitions) \(.scatter_from)"' <<<"$output")" = \
		"3 3 15 runs" ]
	# however often each run repeats itself, runs that scatter by a third decide nothing
	around second/1 40
	around second/2 160
	run -0 pario compare first second
	[[ $output == *"cannot be decided"* ]]
	run -2 --separate-stderr pario compare first --
}

@test "one run of each side: earlier ones tell how far runs scatter, and that is said" {
	for run in 1 2 3 4 5 6; do
		around "before-$run" $((100 + run % 2)) --param dir=/scratch --host n1
	done
	around a 100 --param dir=/scratch --host n1
	around b 90 --param dir=/scratch --host n1
	compare 0
	[[ $output == *slower* && $output == *"How far runs scatter was taken from 6 earlier runs."* ]]
	compare 0 --history none
	[[ $output == *"cannot be decided"* && $output == *"twice the scatter of repetitions"* ]]
	# those of another host or directory tell nothing
	around a 100 --param dir=/scratch --host n2
	compare 0
	[[ $output == *"twice the scatter of repetitions"* ]]
	mkdir elsewhere
	mv before-* elsewhere
	around a 100 --param dir=/scratch --host n1
	compare 0
	[[ $output == *"twice the scatter of repetitions"* ]]
	compare 0 --history elsewhere
	[[ $output == *"6 earlier runs"* ]]
}

@test "noise of 31 % hides a fifth: that is said, with what would show it, whatever the noise is like" {
	local slower faster same open model models=0

	while read -r model slower faster same open _; do
		echo "$model: $slower $faster $same $open"
		[ "$faster" -eq 0 ]
		[ "$same" -eq 0 ]
		[ $((slower + open)) -eq 4 ]
		models=$((models + 1))
	done < <("$PYTHON" "$CLI/compare.py" planted "$PARIO" 0.31 1.2 4 1)
	[ "$models" -eq 5 ]
}

@test "many points: how many of the differences stay when all are looked at together" {
	journal a 100 101 102 103 104 --point "n=1|n=2|n=3|n=4"
	journal b 50 51 52 53 54 --point "n=1|n=2|n=3|n=4"
	compare 0
	[[ $output == *"As one of 4 points, 4 of these 4 stand (at most 5 % of such are false)"* ]]
}

# both A B WORDS...: measured alternately on the null backend, where a delay is a known rate.
both()
{
	pario compare --run "--delay $1" "--delay $2" --output out "${@:3}" -- --api null --np 1 --block_size 256k \
		--transfer_size 64k --operations write --dir "$DATA"
}

@test "--run measures both alternately, and comparing its directories says the same" {
	run -0 both 1000 20000 --until 100% --time_limit 120 --seed 7 --threshold 0.01
	[[ $output == *slower* && $output == *"the pairs, which were measured alternately"* ]]
	[[ $output == *"alternated, order within pairs random (--seed 7)"* ]]
	verdict=$(grep -oE '[0-9.]+ \[[^]]*\]' <<<"$output")
	pairs=$(find out/a -mindepth 1 -maxdepth 1 | wc -l)
	[ "$pairs" -ge 5 ]
	[ "$pairs" -eq "$(find out/b -mindepth 1 -maxdepth 1 | wc -l)" ]
	run -0 pario compare out/a out/b --threshold 0.01
	[[ $output == *"$verdict"* ]]
	run -0 pario compare --json out/a/* -- out/b/*
	[ "$(jq -r '.points[0].scatter_from' <<<"$output")" = pairs ]
	run -1 pario compare out/a out/b --threshold 0.95
}

@test "--run: a side may be a directory, a plan file, a test or another pario program" {
	mkdir "$DATA/one" "$DATA/two"
	run -0 pario compare --run "$DATA/one" "$DATA/two" --output dirs --time_limit 0 -- --np 1 --block_size 64k \
		--transfer_size 64k
	[ "$(jq -r 'select(.kind == "begin") | .params.dir.value' dirs/a/001/journal.jsonl)" = "$DATA/one" ]
	printf '[transfer]\nblock_size = 128k\nrepetitions = 1\n' >plan.ini
	cp "$PARIO" ./other
	run -0 pario compare --run "$PWD/plan.ini" "$PWD/other --block_size 128k --direct 0" --output plans --time_limit 0 \
		-- --np 1 --dir "$DATA" --transfer_size 64k
	[ "$(jq -r 'select(.kind == "begin") | .params.block_size.value' plans/a/001/journal.jsonl)" = 128k ]
	run -0 pario compare --run "metadata --items 10 --phases file_create" "metadata --items 20 --phases file_create" \
		--output tests --time_limit 0 -- --np 1 --dir "$DATA"
	[[ $output == *"metadata file_create"* ]]
}

@test "--run: one side that fails ends it with that exit code, and what was measured stays" {
	run -2 --separate-stderr pario compare --run "--delay 1" "--no_such 1" --seed 1 --output out2 --time_limit 5 -- --api null --np 1 \
		--dir "$DATA"
	says "unknown option"
	says "B ended with exit code 2 in pair 1"
	[ -z "$(find out2/a out2/b -mindepth 1)" ]
	[ -e out2/unfinished/a-001/journal.jsonl ]
}

@test "--run: slips are told before anything is measured" {
	run -2 --separate-stderr pario compare --run "--delay 1"
	one_sentence
	run -2 --separate-stderr pario compare --run "nonsense" "--delay 1"
	one_sentence
	run -2 --separate-stderr pario compare --run "--delay '1" "--delay 1"
	one_sentence
	run -2 --separate-stderr pario compare --run "--delay 1" "--delay 2" --until 0
	one_sentence
	[ ! -e pario-results ]
}

@test "--run: one pair decides nothing, and the advice is more of them, not --run" {
	run -0 --separate-stderr pario compare --run "--delay 100" "--delay 200" --output out --time_limit 0.001 -- --api null \
		--np 1 --block_size 256k --transfer_size 64k --operations write --dir "$DATA"
	[[ $output == *"cannot be decided"*"A single pair does not show how far numbers scatter: measure more, with a larger --time_limit."* ]]
	[[ $output != *"compare --run 'A' 'B'"* ]]
}

@test "--run: Ctrl-C in the first pair says that nothing is complete" {
	"$PARIO" compare --run "--delay 20000" "--delay 20000" --output out --time_limit 600 -- --api null --np 1 \
		--block_size 64m --transfer_size 64k --operations write --dir "$DATA" >shown 2>said 3>&- &
	pid=$!
	until_true 120 eval 'compgen -G "out/?/001/journal.jsonl"'
	kill -INT $pid
	wait $pid && code=0 || code=$?
	[ "$code" -eq 130 ]
	grep -q '^pario: interrupted before the first pair was complete; what there is of it is in out/unfinished\.$' said
}

@test "--run: Ctrl-C keeps the pairs that are complete" {
	"$PARIO" compare --run "--delay 20000" "--delay 20000" --output out --until 0.001% --time_limit 600 -- --api null \
		--np 1 --block_size 256k --transfer_size 64k --operations write --dir "$DATA" >shown 2>said &
	pid=$!
	until_true 120 test -e out/a/003/journal.jsonl
	kill -INT $pid
	wait $pid && code=0 || code=$?
	[ "$code" -eq 130 ]
	grep -q 'ended: interrupted' shown
	[ "$(ls out/a)" = "$(ls out/b)" ]
}
