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
	for file in "$FILES"/*.*; do
		[[ $file != *config.ini ]] || continue
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
	[ "$(jq -r 'select(.kind == "begin") | .params.xfersize.value + " " + .params.tasks.value' "$OUT/journal.jsonl")" = "16384 bytes 2" ]
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

@test "a job's output: every run of every program, whatever stands between and before the rows" {
	for file in job.txt job-srun.txt; do
		import "$FILES/$file"
		[ "$(results 'select(.test == "ior" and .phase == "write") | "\(.params.run) \(.rate_mib_s) \(.bytes) \(.ops) \(.clients)"' | tr '\n' ,)" = \
			"1 1.87 58720256 56 4,2 2.25 58720256 56 4," ]
		[ "$(results 'select(.phase == "remove").seconds.total' | tr '\n' ,)" = "0.000461,0.000461," ]
		[ "$(results 'select(.test == "mdtest") | "\(.phase) \(.metrics.mean.value) \(.metrics.mean_time.value)"' | tr '\n' ,)" = \
			"file creation 12044.31 0.332,tree creation 3120.01 null," ]
		[ "$(results 'select(.test == "mdtest") | .params | keys | join(" ")' | sort -u)" = "-F -n dir nodes run" ]
		# printed twice, told once; GB/s of old summaries are GiB/s; names as today
		[ "$(results 'select(.test == "io500") | "\(.phase) \(.outcome) \(.metrics.score.value) \(.metrics.score.unit)"' | tr '\n' ,)" = \
			"ior-easy-write pass 0.836 GiB/s,mdtest-hard-write suspect 604.503 kops/s,score suspect null null," ]
		[ "$(results .test | sort | uniq -c | tr -s ' \n' ' ')" = " 4 ior 2 mdtest 3 io500 " ] ||
			[ "$(results .test | sort | uniq -c | tr -s ' \n' ' ')" = " 3 io500 4 ior 2 mdtest " ]
		jq -r 'select(.kind == "note").text' "$OUT/journal.jsonl" | grep -q '^1 row not understood: the first is line .*write     broken'
		[ "$(jq -r 'select(.kind == "end").outcome' "$OUT/journal.jsonl")" = suspect ]
	done
}

# told FILE: what is imported of it, a line each.
told()
{
	import "$1"
	results '"\(.test) \(.phase) \(.clients) \(.repetition) \(.metrics | map_values(.value))"'
}

@test "lines as terminals, launchers, Windows and file systems leave them: the same numbers" {
	for file in ior.txt mdtest.txt io500-result_summary.txt; do
		told "$FILES/$file" >plain
		[ -s plain ]
		while IFS= read -r how; do
			sed "$how" "$FILES/$file" >changed.txt
			diff plain <(told changed.txt) || { echo "$file: $how"; false; }
		done <<-'END'
			s/$/\r/
			s/$/\x00/
			s/$/   /
			s/.*/\x1b[1;32m&\x1b[0m/
			s/^\([^ ]\+\)/\x1b[1m\1\x1b[m/
			s/^/[1,0]<stdout>:/
			s/^/[0] /
			s/^/ 0: /
			s/^/ 10 %\r 20 %\r/
			1s/^/\xef\xbb\xbf/
			/./p
		END
		iconv -f UTF-8 -t UTF-16 "$FILES/$file" >changed.txt
		diff plain <(told changed.txt)
		[[ $file != io500* ]] || continue
		awk '{ printf "2026-03-03 10:%02d:%02d %s\n", NR / 60, NR % 60, $0 }' "$FILES/$file" >changed.txt
		diff plain <(told changed.txt)
		awk '{ printf "2026-03-03T10:00:%02d.%dZ stdout F %s\n", NR % 60, NR * NR, $0 }' "$FILES/$file" >changed.txt
		diff plain <(told changed.txt)
	done
}

@test "IOR 2: rates without rows, and never a second time beside them; a summary or its largest alone" {
	import "$FILES/ior-2.10.txt"
	[ "$(results '"\(.phase) \(.rate_mib_s) \(.metrics.max.value) \(.clients)"' | tr '\n' ,)" = "write 800 812.5 4,read 1600 1640 4," ]
	[ "$(jq -r 'select(.kind == "begin").time' "$OUT/journal.jsonl")" = 2009-03-03T10:15:02Z ]
	# with -vv the same summary stands below rows
	sed '/^Operation/i access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s) total(s)  iter\nwrite     787.50     8192       1024       0.000045   0.000169   0.000010   0.000214   0    XXCEL' \
		"$FILES/ior-2.10.txt" >rows.txt
	import rows.txt
	[ "$(results '"\(.phase) \(.rate_mib_s)"' | tr '\n' ,)" = "write 787.5,read 1600," ]
	grep '^Max' "$FILES/ior-2.10.txt" >largest.txt
	import largest.txt
	[ "$(results '"\(.phase) \(.rate_mib_s) \(.clients)"' | tr '\n' ,)" = "write 812.5 0,read 1640 0," ]
	sed -n '/^Summary of all/,$p' "$FILES/ior.txt" >summary.txt
	if [ -s summary.txt ]; then
		import summary.txt
		[ "$(results .phase | tr '\n' ,)" = "write,read," ]
	fi
}

@test "tables without the program's first line, as people cut them out, also in a margin" {
	told "$FILES/mdtest.txt" >plain
	sed -n '/ tasks, /,$p' "$FILES/mdtest.txt" | sed 's/^/    /' >cut.txt
	diff plain <(told cut.txt)
	told "$FILES/ior.txt" | cut -d' ' -f1,2,4- >plain
	sed -n '/^access/,$p' "$FILES/ior.txt" | sed 's/^/   /' >cut.txt
	diff plain <(told cut.txt | cut -d' ' -f1,2,4-)
	# blanks may be others, too, where a text went through a browser
	told "$FILES/ior.txt" >plain
	tr -s ' ' <"$FILES/ior.txt" >cut.txt
	diff plain <(told cut.txt)
	told "$FILES/io500-result_summary.txt" >plain
	sed 's/^/results\/result_summary.txt:/' "$FILES/io500-result_summary.txt" >cut.txt
	diff plain <(told cut.txt)
}

@test "words of others within rows are no numbers" {
	sed 's/^write.*/& slurmstepd: error 12 34/; s/^remove.*/& delaying 15 seconds/' "$FILES/ior.txt" >noise.txt
	told "$FILES/ior.txt" >plain
	diff plain <(told noise.txt)
	awk '$1 == "write" { sub($4, "[n1] 7 of 9 " $4) } 1' "$FILES/ior.txt" >noise.txt
	import noise.txt
	[ "$(results 'select(.seconds.total == 9)' | wc -l)" = 0 ]
	[[ $output == *"not understood"* ]]
	sed 's/^ *File stat.*/& error 1 2 3 4/' "$FILES/mdtest.txt" >noise.txt
	import noise.txt
	[[ $output == *"not understood"* ]]
	[ "$(results 'select(.metrics.mean.value == 3)' | wc -l)" = 0 ]
	sed 's/^\(.*ior-hard-write\)  *\([0-9.]*\)/\1 \2 100/' "$FILES/io500-result_summary.txt" >noise.txt
	import noise.txt
	[[ $output == *"1 row not understood"* ]]
	# a section whose head is not seen does not give its score to the one before
	sed 's/^\[mdtest-easy-write\]/& slurmstepd: error/' "$FILES/io500-result.txt" >noise.txt
	import noise.txt
	[[ $output == *"not understood"* ]]
	[ "$(results 'select(.phase == "ior-easy-write")' | wc -l)" = 0 ]
}

@test "JSON: behind a launcher, in UTF-16, with other lines and with what is no number" {
	for file in ior.json fio-group.json; do
		told "$FILES/$file" >plain
		for how in 's/^/[1,0]<stdout>:/' 's/^/ 0: /' 's/$/\r/' '1!s/^ *["}]/Participating tasks: 2\n&/' 's/^/  /'; do
			sed "$how" "$FILES/$file" >changed.json
			diff plain <(told changed.json) || { echo "$file: $how"; false; }
		done
		iconv -f UTF-8 -t UTF-16 "$FILES/$file" >changed.json
		diff plain <(told changed.json)
	done
	sed '0,/"openTime": [0-9.]*/s//"openTime": -nan/' "$FILES/ior.json" >changed.json
	told "$FILES/ior.json" >plain
	diff plain <(told changed.json)
	[ "$(results '.seconds.open' | head -1)" = null ]
}

@test "mdtest: lines of others between its rows, and times without rates" {
	told "$FILES/mdtest.txt" >plain
	sed '/^ *File/a\\n   File system  : 100 200 300 400\n[n1:1] [warn] Directory of 4 entries' "$FILES/mdtest.txt" >between.txt
	diff plain <(told between.txt)
	sed '/^SUMMARY time/,$d; s/^SUMMARY rate:.*/SUMMARY time: (of 1 iterations)/; s/^ *File stat.*/   File stat    0.004   0.001   0.002   0.001/' \
		"$FILES/mdtest.txt" >times.txt
	import times.txt
	[ "$(results 'select(.phase == "file stat") | "\(.metrics.mean_time.value) \(.headline) \(.better)"' | head -1)" = "0.002 mean_time lower" ]
	# since 4.1 they are those of one operation, in milliseconds
	sed 's/^SUMMARY time:/SUMMARY time (in ms\/op):/' times.txt >each.txt
	import each.txt
	[ "$(results 'select(.phase == "file stat") | "\(.metrics.mean_time_per_op.value) \(.metrics.mean_time_per_op.unit) \(.headline)"' | head -1)" = "0.002 ms mean_time_per_op" ]
	[ "$(results 'select(.rate_mib_s != null)' | wc -l)" = 0 ]
}

@test "what is cut off says so: without a score, within a table, a run without a result" {
	for file in io500-result.txt io500-result_summary.txt; do
		sed '/SCORE/,$d' "$FILES/$file" >part.txt
		import part.txt
		[[ $output == *"There is no score"* ]]
	done
	sed '/^Max Write/,$d; /^Summary of all/,$d' "$FILES/ior.txt" >part.txt
	import part.txt
	[[ $output == *"ends within a table of IOR"* ]]
	{ sed '/^access/,$d' "$FILES/ior.txt"; cat "$FILES/ior.txt"; } >killed.txt
	import killed.txt
	[[ $output == *"1 run of IOR printed no result"* ]]
}

@test "a comma within a number is not its end" {
	sed 's/\([0-9]\)\.\([0-9]\)/\1,\2/g' "$FILES/io500-result_summary.txt" >comma.txt
	run -1 --separate-stderr pario import comma.txt --output "$OUT"
	[[ $stderr == *"no row was understood"* ]]
	sed 's/^\(score *= [0-9]*\)\./\1,/' "$FILES/io500-result.txt" >comma.txt
	import comma.txt
	[[ $output == *"rows not understood"* ]]
	# brackets that other programs begin lines with are no sections
	told "$FILES/io500-result.txt" >plain
	sed '/^t_start/a [node12:03321] mca_base: cannot open shared object file' "$FILES/io500-result.txt" >between.txt
	diff plain <(told between.txt)
}

@test "IOR 3.3 nests its JSON by repetitions, and fio writes its progress before it" {
	told "$FILES/ior.json" >plain
	jq '.tests[].Results |= map([.])' "$FILES/ior.json" >nested.json
	diff plain <(told nested.json)
	told "$FILES/fio.json" >plain
	{ printf 'Starting 1 process\nJobs: 1 (f=1), 0-10 IOPS\r'; cat "$FILES/fio.json"; } >progress.json
	diff plain <(told progress.json)
}

@test "what nobody told is empty in every CSV, not 0" {
	mkdir untold
	for score in 4 5; do
		printf '[find]\nt_start = 2026-03-03 10:00:0%s\nscore = %s\n' "$score" "$score" >result.txt
		pario import result.txt --output "untold/$score"
	done
	[ "$(pario report untold/4 --csv - | "$PYTHON" -c 'import csv, sys; r = next(csv.DictReader(sys.stdin)); print(r["clients"] + r["bytes"] + r["ops"] + r["seconds"])')" = "" ]
	[ "$(pario history untold --csv - | "$PYTHON" -c 'import csv, sys; print({r["clients"] for r in csv.DictReader(sys.stdin)})')" = "{''}" ]
	[ "$(pario compare untold/4 untold/5 --csv - | "$PYTHON" -c 'import csv, sys; print({r["clients"] for r in csv.DictReader(sys.stdin)})')" = "{''}" ]
	pario report untold/4 --out page.html
	grep -q '^[^,]*,io500,,find,pass,,1,4,kops/s,,,,,,$' page.html
}

@test "memory does not grow with a text" {
	{ yes '[node17:1234] WARNING: something happened in a library that nobody asked about' | head -c 24m; echo; cat "$FILES/ior.txt"; } >long.txt
	"$PYTHON" -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$PARIO" import long.txt --output long >peak
	cat peak
	[ "$CHECK_SANITIZED" ] || [ "$(cat peak)" -le 16 ]
	[ "$(jq -r 'select(.kind == "result").phase' long/journal.jsonl | wc -l)" = "$(told "$FILES/ior.txt" | wc -l)" ]
}

@test "a table of which no row can be read is an error with exit code 1" {
	sed 's/^write .*/write     garbage    in    this    row/; /^\(remove\|Max\|Summary\)/d' "$FILES/ior-3.0.txt" | grep -v '^read' >part
	rm -rf "$OUT"
	run -1 --separate-stderr pario import part --output "$OUT"
	[[ $stderr == *"no row was understood"*garbage* ]]
	[ ! -e "$OUT" ]
	sed '/^\(write\|read\|remove\|Max\)/d' "$FILES/ior-3.0.txt" >part
	run -1 --separate-stderr pario import part --output "$OUT"
	[[ $stderr == *"holds no result"* ]]
}

@test "IOR of 2015, tables of single ranks, CSV" {
	import "$FILES/ior-3.0.txt"
	[ "$(results '"\(.phase) \(.rate_mib_s) \(.clients) \(.seconds.total)"' | tr '\n' ,)" = "write 1054.12 4 0.003795,read 3017.55 4 0.001326,remove null 4 0.000105," ]
	[ "$(jq -r 'select(.kind == "begin") | .params.api.value + " " + .machine.host + " " + .time' "$OUT/journal.jsonl")" = \
		"MPIIO (version=3, subversion=0) node17 2015-03-03T10:15:02Z" ]
	import "$FILES/ior.csv"
	[ "$(results '"\(.phase) \(.rate_mib_s) \(.clients) \(.repetition)"' | tr '\n' ,)" = "write 123.0732 2 0,read 292.8779 2 0,write 94.8699 2 1," ]
	import "$FILES/ior-ranks.csv"
	[ "$(results '"\(.phase) \(.clients) \(.bytes) \(.rate_mib_s) \(.between_clients.min_s) \(.between_clients.max_s) \(.detail.by_client.rows[0][0])"')" = \
		"write 2 209715200 50 2 4 1" ]
	import "$FILES/mdtest-ranks.csv"
	[ "$(results '"\(.phase) \(.clients) \(.metrics.mean.value) \(.between_clients.mean_s) \(.detail.by_client.rows[0][0])"')" = "file creation 2 1000 0.9 0" ]
}

@test "fio: grouped jobs, mixed directions, syncs, status intervals beside another run, version 2" {
	import "$FILES/fio-group.json"
	[ "$(results '"\(.phase) \(.clients) \(.bytes)"')" = "read 3 3145728" ]
	import "$FILES/fio-mixed-sync.json"
	[ "$(results '"\(.phase) \(.ops) \(.latency_ns.p99)"' | tr '\n' ,)" = "mixed 512 80000,sync 64 80000," ]
	import "$FILES/fio-status.txt"
	[ "$(results '"\(.phase) \(.ops) \(.params.run)"' | tr '\n' ,)" = "read 300 1,write 50 2," ]
	import "$FILES/fio-2.json"
	[ "$(results '"\(.bytes) \(.rate_mib_s * 1024 | round) \(.latency_ns.p50) \(.ops)"')" = "7286784 275 14000000 1779" ]
}

@test "io500: summaries of 2018, marks of the whole run, the extended score" {
	import "$FILES/io500-older-summary.txt"
	[ "$(results '"\(.phase) \(.metrics[.headline].value) \(.clients)"' | tr '\n' ,)" = "ior-easy-write 10.044 80,find 114.08 80,score 33.85 80," ]
	jq -es '.[0] | .label == "Small system" and .params.site.value == "Somewhere University" and .params.nodes.value == "10"' "$OUT/journal.jsonl"
	import "$FILES/io500-invalid-result.txt"
	[ "$(results '"\(.phase) \(.outcome) \(.clients)"' | tr '\n' ,)" = "ior-easy-write suspect 320,score suspect 320,score extended suspect 320," ]
	results .reason | grep -q "stonewall-time < 30s"
}

@test "a directory of io500 is one run, with its outputs and ranks; a collection is many" {
	mkdir -p site/2026.03.03
	cp "$FILES/io500-result.txt" site/2026.03.03/result.txt
	sed 's/2.512345/2.512345/' "$FILES/io500-result_summary.txt" >site/2026.03.03/result_summary.txt
	cp "$FILES/io500-result_summary.txt" site/copy.txt
	cp "$FILES/ior-3.0.txt" site/2026.03.03/ior-easy-write.txt
	# within io500 IOR prints no summary behind its rows
	sed '/^Summary of all tests/,$d' "$FILES/ior-3.0.txt" >site/2026.03.03/ior-hard-write.txt
	cp "$FILES/ior-ranks.csv" site/2026.03.03/ior-easy-write.csv
	cp "$FILES/io500-config.ini" site/2026.03.03/config.ini
	import site
	[[ $output == *"1 run from 6 files below site; 1 holds no results that are known, 0 could not be read"* ]]
	[[ $output != *"ends within a table"* ]]
	[ "$(results 'select(.test == "io500") | .phase' | sort | uniq -d)" = "" ]
	[ "$(results 'select(.phase == "ior-easy-write").clients')" = 40 ]
	[ "$(results 'select(.test == "ior" and .phase == "write" and .point == "file=ior-easy-write") | "\(.point) \(.between_clients.max_s) \(.detail.by_client.clients)"')" = "file=ior-easy-write 4 2" ]
	[ "$(jq -r 'select(.kind == "begin") | .test + " " + .label' "$OUT/journal.jsonl")" = "io500 site/2026.03.03" ]
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
	mkdir many
	cp "$FILES/io500-result_summary.txt" many/a.txt
	sed 's/12.717700/13.7/' many/a.txt >many/b.txt
	pario import many
	[ "$(find pario-results -name journal.jsonl | wc -l)" = 2 ]
	[ "$(jq -rs 'map(select(.kind == "begin").label) | join(" ")' pario-results/*/journal.jsonl)" = "many/a.txt many/b.txt" ] ||
		[ "$(jq -rs 'map(select(.kind == "begin").label) | join(" ")' pario-results/*/journal.jsonl)" = "many/b.txt many/a.txt" ]
}

@test "compressed files, standard input, and what the user says of the system" {
	gzip -c "$FILES/ior.txt" >ior.txt.gz
	import ior.txt.gz
	[ "$(results .phase | wc -l)" = 5 ]
	head -c 200 ior.txt.gz >cut.gz
	rm -rf "$OUT"
	run -3 --separate-stderr pario import cut.gz --output "$OUT"
	[[ $stderr == *"cannot be read to its end"* ]]
	pario import - --output stdin --system "Big one" --site here --time 2026-03-01 <"$FILES/mdtest.txt"
	jq -es '.[0] | .label == "Big one" and .params.system.value == "Big one" and .params.site.value == "here" and .time == "2026-03-01T00:00:00Z"' stdin/journal.jsonl
	run -2 --separate-stderr pario import "$FILES/ior.txt" --time yesterday --output never
	[[ $stderr == *"--time yesterday is no time"* ]]
}

@test "Darshan: sums per module, calls of DXT with their times" {
	import "$FILES/darshan-parser.txt"
	[ "$(results 'select(.point == "module=POSIX" and .phase == "write") | "\(.bytes) \(.ops) \(.metrics.time_in_calls.value) \(.seconds.total)"')" = "419430400 400 12.5 28" ]
	[ "$(results 'select(.point == "module=POSIX" and .phase == "read").clients')" = 4 ]
	[ "$(results 'select(.point == "module=MPI-IO" and .phase == "write").ops')" = 40 ]
	import "$FILES/darshan-dxt-parser.txt"
	[ "$(results 'select(.phase == "write") | "\(.bytes) \(.ops) \(.latency_ns.count)"')" = "6291456 6 6" ]
}

@test "what a job printed in several formats: each is read, and one that cannot be does not keep the others out" {
	{
		cat "$FILES/ior.txt"
		cat "$FILES/fio.json"
		echo "Job done, saved as a, b, c"
		cat "$FILES/ior.csv"
		echo "WARNING: 3 nodes"
		tail -n 1 "$FILES/ior.csv"
		cat "$FILES/elbencho.csv" "$FILES/elbencho.json"
	} >job.txt
	for one in ior.txt fio.json ior.csv elbencho.csv elbencho.json; do
		import "$FILES/$one"
		results '"\(.test) \(.phase) \(.bytes) \(.rate_mib_s) \(.seconds.total)"'
	done | sort >each
	import "$FILES/ior.csv"
	results '"\(.test) \(.phase) \(.bytes) \(.rate_mib_s) \(.seconds.total)"' | tail -n 1 >>each
	import job.txt
	[[ $output == *" (mixed) in "* ]]
	results '"\(.test) \(.phase) \(.bytes) \(.rate_mib_s) \(.seconds.total)"' | sort >got
	sort each | diff - got
	head -c 2000 "$FILES/fio.json" >>job.txt
	cat "$FILES/ior.txt" >>job.txt
	head -c 2000 "$FILES/fio.json" | cat "$FILES/ior.txt" - >cut.txt
	import cut.txt
	[[ $output == *"cut off or damaged"* ]]
}

@test "tables of ranks one after the other are each read" {
	# a rank that was done before its clock moved is one all the same
	sed 's/^1,.*/1,,,,inf,0.0000000000e+00/' "$FILES/mdtest-ranks.csv" >quick.csv
	import quick.csv
	[[ $output == *'1 number beside the results not understood: the first is "inf"'* ]]
	[ "$(results '"\(.clients) \(.between_clients.max_s)"')" = "2 1" ]
	cat "$FILES/mdtest-ranks.csv" "$FILES/mdtest-ranks.csv" >twice.csv
	import "$FILES/mdtest-ranks.csv"
	results '"\(.clients) \(.metrics.mean.value)"' >once
	import twice.csv
	results '"\(.clients) \(.metrics.mean.value)"' >got
	cat once once | diff - got
	# mdtest -i 2: the row of all ranks is the first iteration's, and rows of ranks end before the cells of trees
	{
		echo "rank,items,rate-File creation,time-File creation,rate-Tree creation,time-Tree creation"
		printf '%s\n' all,500,1000,1,50,0.02 0,,500,1 1,,625,0.8 0,,400,1.25 1,,nan,0.5 1,,-625,0.8
		printf '1,,625,0.'
	} >twice.csv
	import twice.csv
	results '"\(.phase) \(.clients) \(.repetition) \(.metrics.mean.value) \(.seconds.total)"' >got
	diff - got <<-'END'
		file creation 2 0 1000 1
		tree creation 0 0 50 0.02
		file creation 1 0 null 1.25
	END
	[[ $output == *"3 rows not understood"* ]]
	cat "$FILES/ior-ranks.csv" "$FILES/ior-ranks.csv" >twice.csv
	import "$FILES/ior-ranks.csv"
	results '"\(.clients) \(.rate_mib_s)"' >once
	import twice.csv
	results '"\(.clients) \(.rate_mib_s)"' >got
	cat once once | diff - got
}

@test "cells that are no numbers, or below nothing, are left out and said" {
	awk '$1 == "write" && !n++ { $3 = "-nan" } 1' "$FILES/ior.txt" >spoilt.txt
	import spoilt.txt
	[[ $output == *'1 number beside the results not understood: the first is "-nan"'* ]]
	sed '0,/^write,[^,]*,/s//write,-5.5,/' "$FILES/ior.csv" >spoilt.csv
	import spoilt.csv
	[[ $output == *"1 row not understood"* ]]
	[ "$(results '.rate_mib_s' | grep -c -- -5.5)" = 0 ]
	# commas for points make more cells than there are columns
	sed '2,$s/\([0-9]\)[.]\([0-9]\)/\1,\2/g' "$FILES/ior-ranks.csv" >comma.csv
	run -1 --separate-stderr pario import comma.csv --output comma
	[[ $stderr == *"no row was understood"* ]]
	awk '$1 == "X_POSIX" && !n++ { $7 = "nan" } 1' "$FILES/darshan-dxt-parser.txt" >spoilt.txt
	import spoilt.txt
	[[ $output == *"1 row not understood"* ]]
	cat "$FILES/darshan-parser.txt" "$FILES/darshan-parser.txt" >twice.txt
	refused twice.txt "holds several dumps"
}

@test "elbencho: a row of CSV or an object of JSON is a phase" {
	import "$FILES/elbencho.csv"
	results '"\(.phase) \(.clients) \(.seconds.total) \(.bytes) \(.ops) \(.headline) \(.metrics["MiB/s [last]"].value) \(.latency_ns.max)"' >got
	diff - got <<-'END'
		mkdirs 8 0.008 null 8 entries/s [last] null null
		write 8 2.5 null null MiB/s [last] 3276 120000000
		sync 8 0.004 null null  null null
	END
	[ "$(jq -r 'select(.kind == "begin") | .params.label.value' "$OUT/journal.jsonl")" = "big, new" ]
	import "$FILES/elbencho.json"
	results '"\(.phase) \(.clients) \(.seconds.total) \(.bytes) \(.rate_mib_s) \(.metrics["IOPS [first]"].value) \(.latency_ns.max) \(.params["IO_depth"])"' >got
	diff - got <<-'END'
		rwmix30 8 1.25 1048576001 800.0000009536743 700 90000 null
		rwmix30 read 8 1.25 419430400 320 300 70000 null
		sync 8 0.004 null null null null null
	END
	[ "$(jq -r 'select(.kind == "begin") | .time' "$OUT/journal.jsonl")" = 2026-02-03T09:00:01Z ]
	[[ $output == *histograms*"left out"* ]]
	# a row that was cut off is counted
	head -c -60 "$FILES/elbencho.csv" >part.csv
	import part.csv
	[[ $output == *"1 row not understood"* ]]
}

@test "Darshan 2: counters stand for the modules that count them since" {
	import "$FILES/darshan-2.txt"
	results '"\(.point) \(.phase) \(.ops) \(.bytes) \(.metrics.records.value) \(.metrics.time_in_calls.value)"' >got
	diff - got <<-'END'
		module=POSIX read 14 140000 2 0.5
		module=POSIX write 18 180000 2 1
		module=POSIX metadata 24 0 2 0.25
		module=MPI-IO read 6 0 2 0.6
		module=MPI-IO write 10 0 2 1.2
		module=MPI-IO metadata 6 0 2 0.125
		module=STDIO read 22 0 2 0
		module=STDIO write 26 0 2 0
		module=STDIO metadata 2 0 2 0
	END
	head -n -3 "$FILES/darshan-2.txt" >part
	refused part "ends within a record"
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
	refused part "not a file that can be imported"
	refused "$FILES/io500-config.ini" "configuration of io500"
	for head in fio-3.33 "3;fio-3.33;a;0" "5;fio-3.33;a;0"; do
		echo "$head" >part
		refused part "--output-format=json"
	done
	echo "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE" >part
	refused part "looks like elbencho's text"
	cat "$FILES/ior.txt" >>part
	import part
	[[ $output == *elbencho*"left out"* ]]
	printf '#!/bin/sh\nior\n' >part
	refused part "looks like a script"
	printf 'IOR-3.2.0: MPI Coordinated Test of Parallel I/O\n' >part
	refused part "holds no result"
	mkdir empty
	refused empty "no file below"
	mkfifo fifo
	run -3 --separate-stderr pario import fifo
	[[ $stderr == *"fifo is a pipe"* ]]
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

@test "what is not told is empty in CSV, and the page names the program that measured" {
	import "$FILES/darshan-2.txt"
	pario report "$OUT" --csv - | "$PYTHON" -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["version"], row["clients"], row["bytes"] != "", row["ops"])' >got
	grep -qx 'darshan 4 True 14' got
	sed 's/: MPI Coordinated/: MPI Coordinated/; /^tasks/d' "$FILES/ior-3.0.txt" >untold
	import untold
	pario report "$OUT" --csv - | "$PYTHON" -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["version"], "ops:" + row["ops"])' | sort -u >got
	cat got
	grep -qx 'IOR-3.0.1 ops:' got
	pario report "$OUT" --out page.html
	grep -q 'measured by</th><td>IOR-3.0.1' page.html
	run ! grep -q 'pario 0[.]' <(grep 'class="machine"' page.html)
}

@test "a history names numbers by words without blanks" {
	pario import "$FILES/ior.txt" --output a
	run -0 pario history a
	[[ $output == *xfersize=1_MiB* ]]
	[[ $output != *" MiB "* ]]
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
