#!/usr/bin/env bats
# shellcheck disable=SC2034,SC2154 # variables that bats and lib.bash set and use
# Command lines of IOR and mdtest: what is run, and the tables that scripts read. test/unit/peers.tsv has the translations.

load lib

# ior WORDS...: a small command line of IOR on two clients.
ior()
{
	rm -rf "$OUT"
	pario ior -o "$DATA/file" "$@" -- --np 2 --output "$OUT"
}

@test "the first line of ior, typed, makes the same files; both have IOR's layout" {
	local line

	run -0 ior -t 16k -b 32k -s 3 -k -e -w -G 5
	line=${lines[0]}
	[[ $line == "pario run transfer --dir $DATA --operations write"* ]]
	find "$DATA" -type f -name '*.data.*' -exec sha256sum {} + | cut -d" " -f1 >ours
	[ -s ours ]
	[ "$(find "$DATA" -name '*.data.*' -size 192k | wc -l)" -eq 1 ]
	rm -rf "$DATA"/pario-* "$OUT"
	# shellcheck disable=SC2086 # its words
	run -0 timeout "$LIMIT_S" "$PARIO" ${line#pario }
	find "$DATA" -type f -name '*.data.*' -exec sha256sum {} + | cut -d" " -f1 >typed
	cmp ours typed
}

@test "ior's tables: a line for each repetition, the best, the summary" {
	run -0 ior -t 16k -b 32k -F -C -e -i 2
	[ "$(grep -cE '^(write|read) +[0-9.]+ +[0-9.]+ +[0-9.]+ +32.00 +16.00 ' <<<"$output")" -eq 4 ]
	awk '/^(write|read) +.* +32.00 +16.00 / && $8 > $10 { bad = 1 } END { exit bad }' <<<"$output"
	grep -qE '^Max Write: [0-9.]+ MiB/sec \([0-9.]+ MB/sec\)$' <<<"$output"
	grep -qE '^Max Read:  [0-9.]+ MiB/sec' <<<"$output"
	[ "$(grep -A 2 '^Operation   Max(MiB)' <<<"$output" | awk 'NR > 1 { print $1, $14, $16, $17 }')" = \
		$'write 2 2 1\nread 2 2 1' ]
	# the rate of the table is the rate of the journal
	[ "$(jq -r 'select(.kind == "result" and .phase == "write") | .rate_mib_s' "$OUT/journal.jsonl" |
		sort -g | tail -1 | xargs printf %.2f)" = "$(sed -n 's/^Max Write: \([0-9.]*\) .*/\1/p' <<<"$output")" ]
}

# different FILES...: how many different transfers of 16 KiB stand in them.
different() { cat "$@" | split -b 16k --filter=sha256sum - | sort -u | wc -l; }

@test "ior's writes send one buffer again and again, and -l o makes data for every place" {
	local api

	for api in POSIX MPIIO AIO; do
		run -0 ior -a $api -t 16k -b 64k -s 2 -F -k -w -W
		[ "$(grep -c '^as in IOR, all writes of a task send the same bytes' <<<"$output")" -eq 1 ]
		[ "$(find "$DATA" -name '*.data.*' -size 128k | wc -l)" -eq 2 ]
		find "$DATA" -name '*.data.*' -exec cat {} + >ours
		[ "$(different ours)" -eq 2 ] # one of each task
		rm -rf "$DATA"/pario-*
	done
	run -0 ior -t 16k -b 64k -s 2 -F -k -w -l o
	[[ $output != *"send the same bytes"* ]]
	find "$DATA" -name '*.data.*' -exec cat {} + >ours
	[ "$(different ours)" -eq 16 ]
}

# shape NAME VERSION WORDS...: with --peer_output, standard output is what the program of that version prints, byte for byte but for
# numbers and times: test/data/peers has what the programs themselves printed.
shape()
{
	local name=$1 version=$2 how=only
	shift 2
	[ "$version" = 4.1 ] || how=only_3.3
	rm -rf "$OUT"
	pario "$@" -- --np 2 --output "$OUT" --peer_output $how 2>said | sed -E -f "$BATS_TEST_DIRNAME/peer_shape.sed" >ours
	diff "$BATS_TEST_DIRNAME/../data/peers/$name" ours
	[ -s "$OUT/journal.jsonl" ]
	grep -q '^pario run ' said
}

@test "with --peer_output only, ior and mdtest print what the programs print, of 3.3 and of 4.1" {
	local version
	local -A more=([3.3]=-k [4.1]=-v) # -v of 3.3 tells of its inside

	for version in 3.3 4.1; do
		shape ior-$version.plain $version ior -o "$DATA/file" -t 16k -b 32k -s 2 -i 2
		shape ior-$version.own $version ior -o "$DATA/file" -t 1m -b 3m -F -C -z -D 30 -k "${more[$version]}"
		rm -rf "$DATA"/pario-*
		shape mdtest-$version.all $version mdtest -d "$DATA" -n 10 -i 2
		shape mdtest-$version.files $version mdtest -d "$DATA" -n 10 -F -u -C -T -r
	done
	run -2 --separate-stderr pario ior -w -o "$DATA/file" -- --peer_output all
	[[ $stderr == *"--peer_output is both, only (what ior 4.1 would print) or only_3.3, not 'all'."* ]]
}

@test "ior and mdtest tell when they end, and where the data were" {
	run -0 ior -t 16k -b 32k -w
	grep -qE '^FS +: [0-9.]+ [GT]iB   Used FS: [0-9.]+%   Inodes: [0-9.]+ Mi   Used Inodes: [0-9.]+%$' <<<"$output"
	grep -qE '^Finished +: [A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} 20[0-9]{2}$' <<<"$output"
	run -0 pario mdtest -n 3 -d "$DATA" -- --np 2 --output "$OUT.2"
	grep -qE '^-- finished at [0-9]{2}/[0-9]{2}/20[0-9]{2} [0-9:]{8} --$' <<<"$output"
	grep -q '^Nodemap: 11$' <<<"$output"
}

@test "ior as JSON and CSV: nothing else on standard output" {
	run -0 --separate-stderr ior -t 16k -b 32k -O summaryFormat=JSON
	jq -e '.tests[0].Results | map(.access) == ["write", "read"]' <<<"$output"
	jq -e '.summary[0] | .operation == "write" and .numTasks == 2 and .bwMaxMIB > 0 and .xsizeMiB == 0.0625' <<<"$output"
	# every key that IOR 4.1 writes, in each of the parts
	jq -e '[.tests[0] | (keys - ["max"])[], (.Parameters, .Options, .Results[0] | keys[])] | sort' <<<"$output" |
		diff "$BATS_TEST_DIRNAME/../data/peers/ior-4.1.keys" -
	grep -q '"bwMaxMIB":[0-9]*[.e]' <<<"$output"
	[[ $stderr == "pario run transfer "* ]]
	run -0 --separate-stderr ior -t 16k -b 32k -w -O summaryFormat=CSV
	[ "$(head -1 <<<"$output" | cut -d, -f1-3)" = "access,bw(MiB/s),IOPS" ]
	[ "$(wc -l <<<"$output")" -eq 2 ]
}

@test "ior's summaryFile is written, and no file of somebody else is replaced" {
	run -0 ior -t 16k -b 32k -w -O summaryFormat=JSON,summaryFile=s.json
	jq -e .summary s.json
	run -0 ior -t 16k -b 32k -w -O summaryFormat=JSON,summaryFile=s.json
	echo mine >s.json
	run -2 ior -t 16k -b 32k -w -O summaryFormat=JSON,summaryFile=s.json
	[ ! -e "$OUT" ] # refused before anything was measured
	[ "$(cat s.json)" = mine ]
}

@test "a script of ior with two tests is one run with two parts" {
	printf '%s\n' "IOR START" "testFile=$DATA/x" "transferSize=16k, blockSize=32k" fsync=1 writeFile=1 RUN \
		filePerProc=1 RUN "IOR STOP" >script
	run -0 --separate-stderr pario ior -f script -- --np 2 --output "$OUT"
	[ "$(head -2 <<<"$output" | grep -c '^pario run transfer')" -eq 2 ]
	[ "$(grep -A 2 '^Operation   Max' <<<"$output" | awk 'NR > 1 { print $13, $17 }')" = $'0 0\n1 1' ]
	[ "$(jq -r 'select(.kind == "result") | .params.part' "$OUT/journal.jsonl" | xargs)" = "test_0 test_1" ]
}

@test "wrong options of ior and mdtest are one sentence, before anything is written" {
	local words

	for words in "ior -b 1m -W -Q" "ior --blokSize 1m" "ior -z -z" "ior -t 3k -b 4k" "mdtest -n 1 -B" "mdtest"; do
		# shellcheck disable=SC2086 # words on purpose
		run -2 --separate-stderr pario $words
		[ -z "$output" ]
		one_sentence
	done
	[ -z "$(ls "$DATA")" ]
}

@test "mdtest makes its directory with all levels, and a sentence names the option that was typed" {
	run -0 pario mdtest -n 3 -d "$DATA/a/b/c" -- --np 2 --output "$OUT"
	[ -d "$DATA/a/b/c" ]
	[ -z "$(ls -A "$DATA/a/b/c")" ]
	run -0 pario mdtest -n 3 -d "$DATA/x/y" -- --dry_run 1
	[ ! -e "$DATA/x" ]
	touch "$DATA/file"
	run -3 pario mdtest -n 3 -d "$DATA/file/x" -- --np 1
	[[ $output == *"$DATA/file"*ENOTDIR*" -d"* && $output != *--dir* ]]
	run -3 pario ior -w -o "$DATA/none/file" -- --np 1
	[[ $output == *"$DATA/none "*ENOENT*" -o"* && $output != *--dir* ]]
}

@test "mdtest's table has its lines, and rates of what was counted" {
	run -0 pario mdtest -n 20 -i 2 -F -C -T -r -w 100 -d "$DATA" -Y -- --np 2 --output "$OUT"
	[[ ${lines[0]} == "pario run metadata --dir $DATA --phases tree_create,file_create,file_stat,file_remove,tree_remove "* ]]
	grep -q '^2 tasks, 40 files$' <<<"$output"
	grep -q '^SUMMARY rate: (of 2 iterations)$' <<<"$output"
	[ "$(awk '/^   File (creation|stat|removal) / && $3 > 0 && $4 <= $5 && $5 <= $3' <<<"$output" | wc -l)" -eq 3 ]
	grep -qE '^   File read +0\.000 +0\.000 +0\.000 +0\.000$' <<<"$output"
	[ "$(jq -s 'map(select(.phase == "file_create") | .ops) | unique' "$OUT/journal.jsonl" -c)" = "[40]" ]
}

@test "mdtest's task counts are measured one after the other" {
	run -0 pario mdtest -n 10 -D -f 1 -l 3 -s 2 -d "$DATA" -- --output "$OUT"
	[ "$(grep -E '^[0-9]+ tasks' <<<"$output" | xargs)" = "1 tasks, 10 directories 3 tasks, 30 directories" ]
}

@test "ior and mdtest with MPICH" {
	need_mpich
	PARIO=$PARIO_MPICH run -0 ior -t 16k -b 32k -e
	grep -q '^Max Write: ' <<<"$output"
	PARIO=$PARIO_MPICH run -0 pario mdtest -n 5 -d "$DATA" -- --np 2 --output "$OUT.2"
	grep -q '^   Tree removal ' <<<"$output"
}
