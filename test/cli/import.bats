#!/usr/bin/env bats
# `pario import`: results of other programs become journals; what they do not tell stays absent.

load lib

FILES=$PARIO_SOURCE/test/data/import

# import FILE: into $OUT.
import()
{
	rm -rf "$OUT"
	run -0 --separate-stderr pario import "$1" --output "$OUT"
}

# results FILTER: of the journal in $OUT.
results()
{
	jq -r "select(.kind == \"result\") | $1" "$OUT/journal.jsonl"
}

# refused FILE WORDS: one sentence that holds them, and no directory.
refused()
{
	rm -rf "$OUT"
	run -2 --separate-stderr pario import "$1" --output "$OUT"
	# shellcheck disable=SC2154 # set by run
	echo "$stderr"
	one_sentence
	[[ $stderr == *"$2"* ]]
	[ ! -e "$OUT" ]
}

@test "every kind of file becomes a valid journal that report reads" {
	for file in "$FILES"/*; do
		import "$file"
		"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
		[ "$(jq -r 'select(.kind == "import").file' "$OUT/journal.jsonl")" = "$file" ]
		run -0 pario report "$OUT" --out "$BATS_TEST_TMPDIR/$(basename "$file").html"
	done
}

@test "fio: bytes, times, rate, latencies and bins as fio tells them, also behind text" {
	import "$FILES/fio-plus.json"
	write=$(jq '.jobs[0].write' "$FILES/fio-plus.json")
	[ "$(results 'select(.phase == "write").bytes')" = "$(jq .io_bytes <<<"$write")" ]
	[ "$(results 'select(.phase == "write").clients')" = 2 ]
	[ "$(results 'select(.phase == "write") | .latency_ns.p99')" = "$(jq '.clat_ns.percentile["99.000000"]' <<<"$write")" ]
	[ "$(results 'select(.phase == "write") | [.detail.latency[][1]] | add')" = "$(jq .clat_ns.N <<<"$write")" ]
	results 'select(.phase == "read") | .rate_mib_s * 1048576 | round' | grep -qx "$(jq '.jobs[1].read.bw_bytes' "$FILES/fio-plus.json")"
	import "$FILES/fio-text-before.txt"
	[ "$(results '.clients' | sort -u)" = 1 ]
	[ "$(results '.point' | wc -l)" = 2 ]
}

@test "IOR: rows of text and JSON; bytes only where no stonewall may have cut them" {
	import "$FILES/ior.txt"
	[ "$(results 'select(.phase == "write") | "\(.repetition) \(.rate_mib_s) \(.bytes) \(.clients)"' | head -1)" = "0 812.44 134217728 4" ]
	[ "$(results 'select(.phase == "write").repetition' | tail -1)" = 1 ]
	[ "$(results 'select(.phase == "remove") | "\(.rate_mib_s) \(.metrics.totalTime.value) \(.better)"')" = "null 0.000461 lower" ]
	[ "$(jq -r 'select(.kind == "begin") | .time + " " + .machine.host + " " + .params.xfersize.value' "$OUT/journal.jsonl")" = "2026-03-03T10:15:02Z node17 1 MiB" ]
	jq -r 'select(.kind == "note").text' "$OUT/journal.jsonl" | grep -q "without a zone"
	import "$FILES/ior.json"
	[ "$(results '"\(.phase) \(.bytes)"' | head -3 | tr '\n' ,)" = "write 67108864,read 67108864,write null," ]
}

@test "mdtest and io500: means, scores and what io500 marks as invalid" {
	import "$FILES/mdtest.txt"
	[ "$(results 'select(.phase == "file stat") | "\(.metrics.mean.value) \(.metrics.mean.unit) \(.metrics.iterations.value) \(.clients) \(.bytes)"')" = "195104.55 ops/s 3 4 null" ]
	for file in io500-result.txt io500-result_summary.txt; do
		import "$FILES/$file"
		[ "$(results 'select(.phase == "find") | "\(.metrics.score.value) \(.metrics.score.unit) \(.outcome)"')" = "310.224101 kops/s pass" ]
		[ "$(results 'select(.phase == "ior-hard-write").outcome')" = suspect ]
		[ "$(results 'select(.phase == "score").metrics.SCORE.value')" = 12.7177 ]
	done
	[ "$(results .clients | sort -u)" = 0 ]
}

@test "what pario ior, mdtest and io500 print is imported like what the programs print" {
	pario ior -o "$DATA/x" -t 16k -b 32k -i 2 -e -A 3 -- --np 2 --output a >ior.txt
	rate=$(jq -r 'select(.kind == "result" and .phase == "write") | .rate_mib_s' a/journal.jsonl | head -1)
	time=$(jq -r 'select(.kind == "begin").time' a/journal.jsonl)
	import ior.txt
	[[ $output == "4 results of pario "*" (ior-text) in "* ]]
	[ "$(results '"\(.phase) \(.repetition) \(.bytes) \(.clients)"' | tr '\n' ,)" = "write 0 65536 2,read 0 65536 2,write 1 65536 2,read 1 65536 2," ]
	"$PYTHON" -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a - b) <= 0.006 + 1e-6 * a' \
		"$rate" "$(results 'select(.phase == "write").rate_mib_s' | head -1)"
	[[ $(jq -r 'select(.kind == "begin").time' "$OUT/journal.jsonl") == "${time:0:13}"* ]]
	[ "$(jq -r 'select(.kind == "begin") | .params.xfersize.value + " " + .params.tasks.value' "$OUT/journal.jsonl")" = "16 KiB 2" ]
	run -0 jq -r 'select(.kind == "note").text' "$OUT/journal.jsonl"
	[[ $output != *zone* ]]
	# two tests of a script, and pario's own table between theirs
	printf '%s\n' "IOR START" "testFile=$DATA/x" "transferSize=16k, blockSize=32k" writeFile=1 RUN filePerProc=1 RUN "IOR STOP" >script
	pario ior -f script -O summaryFile=summary.txt -- --np 2 --output b >ior.txt
	for file in ior.txt summary.txt; do
		import $file
		[ "$(results '"\(.phase) \(.params.access)"' | tr '\n' ,)" = "write single-shared-file,write file-per-process," ]
	done
	pario ior -o "$DATA/x" -t 16k -b 32k -D 5 -O summaryFormat=JSON -- --np 2 --output c >ior.json
	import ior.json
	[[ $output == "2 results of pario "*" (ior-json) in "* ]]
	[ "$(results .bytes | sort -u)" = null ]
	pario mdtest -n 10 -F -i 2 -f 1 -l 3 -s 2 -d "$DATA" -- --np 3 --output d >mdtest.txt
	import mdtest.txt
	[ "$(results 'select(.phase == "file creation") | "\(.clients) \(.repetition) \(.metrics.iterations.value)"' | tr '\n' ,)" = "1 0 2,3 0 2," ]
	jq -es '.[0] | .time != "" and .params["-n"].value == "10"' "$OUT/journal.jsonl"
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
}

@test "Darshan: sums per module, calls of DXT with their times" {
	import "$FILES/darshan-parser.txt"
	[ "$(results 'select(.point == "module=POSIX" and .phase == "write") | "\(.bytes) \(.ops) \(.metrics.time_in_calls.value) \(.seconds.total)"')" = "419430400 400 12.5 28" ]
	[ "$(results 'select(.point == "module=POSIX" and .phase == "read").clients')" = 4 ]
	[ "$(results 'select(.point == "module=MPI-IO" and .phase == "write").ops')" = 40 ]
	import "$FILES/darshan-dxt-parser.txt"
	[ "$(results 'select(.phase == "write") | "\(.bytes) \(.ops) \(.latency_ns.count)"')" = "6291456 6 6" ]
}

@test "a dump of Darshan that was cut off is refused" {
	for lines in 45 52; do
		head -n $lines "$FILES/darshan-parser.txt" >part
		refused part "cut off"
	done
	head -c 3000 "$FILES/darshan-parser.txt" >part
	refused part "cut off"
	head -n -4 "$FILES/darshan-dxt-parser.txt" >part
	refused part "cut off"
	head -n 5 "$FILES/darshan-parser.txt" >part
	refused part "number of processes"
}

@test "what is damaged, empty, unknown or a directory gets a sentence" {
	head -c 2000 "$FILES/fio.json" >part
	refused part "cut off or damaged"
	: >part
	refused part "is empty"
	echo hello >part
	refused part "none of the files"
	refused "$FILES" "is a directory"
	run -3 --separate-stderr pario import missing
	[[ $stderr == *ENOENT* ]]
	run -2 --separate-stderr pario import
	run -2 --separate-stderr pario import "$FILES/ior.txt" "$FILES/ior.json" --output "$OUT"
}

@test "the same file is imported once; a bad one does not keep the others out" {
	echo hello >bad
	run -2 --separate-stderr pario import "$FILES/ior.txt" bad "$FILES/mdtest.txt"
	[ "$(wc -l <<<"$output")" = 2 ]
	[ "$(find pario-results -mindepth 1 -maxdepth 1 | wc -l)" = 2 ]
	run -2 --separate-stderr pario import "$FILES/ior.txt"
	[[ $stderr == *"imported before"* ]]
}

@test "imported results are compared with each other" {
	for run in a b; do
		awk -v f="$([ $run = a ] && echo 1 || echo 0.5)" '/^write/ { for (i = 0; i < 5; i++) { $2 = 800 * f + i; print } next } { print }' \
			"$FILES/ior.txt" >$run.txt
		pario import $run.txt --output $run
	done
	run -1 pario compare a b --threshold 0.9
	[[ $output == *slower* ]]
	[[ $output == *"no difference"* || $output == *"too few"* ]]
}
