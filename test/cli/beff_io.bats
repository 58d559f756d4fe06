#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `beff_io`: files byte by byte and values to the last digit against beff_io.py, both MPIs; bad input; full storage.

load lib

# A second for all patterns, and the smallest M_PART.
TINY=(--minutes 0.0167 --memory_per_node 256m)

# beff_io PROGRAM ARGUMENTS...: one run in $DATA; the journal goes to $OUT.
beff_io()
{
	local program=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$program" run beff_io --dir "$DATA" --output "$OUT" "${TINY[@]}" "$@"
}

# sound PARTITIONS: files and values are what the rules say; the files are removed.
sound()
{
	run -0 "$PYTHON" "$CLI/beff_io.py" files "$OUT/journal.jsonl"
	[ "$output" = "$(tail -n 1 <<<"$1") partitions, some bytes" ]
	run -0 "$PYTHON" "$CLI/beff_io.py" values "$OUT/journal.jsonl"
	echo "$output"
	rm -rf "${DATA:?}"/*
}

on_memory()
{
	MOUNTED=$DATA
	mount -t tmpfs -o "size=$1" none "$DATA" 2>/dev/null || {
		MOUNTED=
		skip "needs a mount"
	}
}

refuse_beff_io()
{
	run -2 --separate-stderr beff_io "$PARIO" --np 2 "$@"
	one_sentence
	untouched
}

# pattern_rows PHASE: the protocol's lines of an access method.
pattern_rows()
{
	grep -cE "^ +[0-9]+ $1 +(scatter|shared|separated|segmented|seg_coll) " "$OUT/beff_io.prot"
}

@test "files and values with Open MPI on disk" {
	for n in 1 3; do # and four, and seven, below
		run -0 beff_io "$PARIO" --np $n --keep_files
		[ $n -gt 1 ] || [[ $output == *"One process"* ]]
		sound 1
		# a second is no 15 minutes, and that is an outcome
		[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite suspect read suspect " ]
		[ "$(field reason | sort -u)" = "not valid: scheduled for 0.0167 min per partition, b_eff_io asks for 15" ]
	done
}

@test "files and values with seven clients in memory" {
	on_memory 2g
	run -0 beff_io "$PARIO" --np 7 --keep_files
	sound 1
}

@test "files and values with MPICH, on disk and in memory" {
	need_mpich
	run -0 beff_io "$PARIO_MPICH" --np 1 --keep_files
	sound 1
	on_memory 2g
	run -0 beff_io "$PARIO_MPICH" --np 2 --keep_files
	sound 1
}

@test "several partitions in one launch, the largest value is the system's" {
	run -0 beff_io "$PARIO" --np 2 --clients 1,2 --keep_files
	run -0 "$PYTHON" "$CLI/beff_io.py" values "$OUT/journal.jsonl"
	[ "$output" = "2 partitions" ]
	grep -q "the maximum over 2 partitions" "$OUT/beff_io.sum"
}

@test "release 2.0: three partitions, type 0 alone is rewritten" {
	run -0 beff_io "$PARIO" --np 4 --release 2.0 --keep_files
	[ "$(jq -c 'select(.phase == "write") | .sheets.partitions.rows[] | .[1]' "$OUT/journal.jsonl" | tr '\n' ' ')" = "2 3 4 " ]
	sound 3
	[ "$(pattern_rows rewrite)" -eq 27 ]
	[ "$(grep -c "b_eff_io of this partition = .* (the paper's weights: .*)" "$OUT/beff_io.sum")" -eq 3 ]
	run -0 beff_io "$PARIO" --np 1 --release 2.0 --partitions 1 --rewrite_all --keep_files
	sound 1
	[ "$(pattern_rows rewrite)" -eq 43 ]
}

@test "M_PART is a partition's share of a node's memory; the last line says what was used" {
	run -0 beff_io "$PARIO" --np 4 --release 2.0 --memory_per_node 1g --minutes 0.025
	[ "$(jq -c 'select(.phase == "write") | .sheets.partitions.rows[] | [.[1], .[5]]' "$OUT/journal.jsonl" | tr '\n' ' ')" = \
		"[2,4194304] [3,2796200] [4,2097152] " ]
	grep -qE '^b_eff_io = .* on (2 processes with 512|3 processes with 341|4 processes with 256) MByte per process and scheduled time 0.025 min on ' \
		"$OUT/beff_io.sum"
	run -0 beff_io "$PARIO" --np 2 --partitions 1
	[ "$(jq -c 'select(.phase == "write") | .sheets.partitions.rows[] | [.[1], .[5]]' "$OUT/journal.jsonl")" = "[1,2097152]" ]
}

@test "shared file pointers off: not valid, and the same file" {
	run -0 beff_io "$PARIO" --np 2 --shared_pointers off --keep_files
	[[ $output == *"not valid: shared file pointers were switched off"* ]]
	sound 1
	[ "$(field outcome | sort -u)" = suspect ]
	grep -q "NOT VALID: .*shared file pointers used for type 1 NO" "$OUT/beff_io.sum"
}

@test "a library whose shared file pointers fail or are old here: type 1 falls back" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=fail=open@1+:EACCES,path=.shfp LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -0 beff_io "$PARIO" --np 2 --keep_files
	[[ $(said) == *"no working shared file pointers"* ]]
	sound 1
	[ "$(field outcome | sort -u)" = suspect ]
	# client 0 sees an old pointer from its third look on, as on a network file system
	rm -rf "$OUT"
	INJECT=old=pread@3+,path=.shfp,rank=0 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -0 beff_io "$PARIO" --np 2 --keep_files
	[[ $(said) == *"no working shared file pointers"* ]]
	sound 1
}

@test "two clients: files, values, every pattern in the protocol, the summary its seven rows and verdicts" {
	run -0 beff_io "$PARIO" --np 2 --keep_files
	for phase in write rewrite read; do
		[ "$(pattern_rows $phase)" -eq 43 ]
		[ "$(grep -cE "^  $phase (1k|1k\+8|32k|32k\+8|1M|1M\+8|M_PART)( +[0-9.]+){5}$" "$OUT/beff_io.sum")" -eq 7 ]
		grep -qE "^  total-$phase( +[0-9.]+){5}$" "$OUT/beff_io.sum"
	done
	[[ $output == *"b_eff_io of this partition = "*" MB/s (release 2.1's rule: "* ]]
	grep -qE "^  total of this partition: S = [0-9.]+ MB, t = [0-9.]+ s$" "$OUT/beff_io.prot"
	[ "$(grep -cE " p0\.n2\.t2\.\* " "$OUT/beff_io.prot")" -eq 24 ]
	grep -q "not official" "$OUT/beff_io.sum"
	grep -q "20 times the cache: .*NOT met" "$OUT/beff_io.sum"
	grep -q "coffee cup: " "$OUT/beff_io.sum"
	grep -qE "moved [0-9.]+ MBytes, [0-9.]+ % of the memory" "$OUT/beff_io.sum"
	sound 1
}

@test "a protocol that cannot be written takes no summary with it" {
	mkdir -p "$OUT/beff_io.prot/taken"
	run -3 --separate-stderr timeout -k 5 "$LIMIT_S" "$PARIO" run beff_io --dir "$DATA" --output "$OUT" "${TINY[@]}" --np 1
	[[ $stderr == *'beff_io.prot is a directory and is not written to. Choose another name. The journal beside it is complete.'* ]]
	grep -q "b_eff_io of this partition" "$OUT/beff_io.sum"
	[[ $output == *"b_eff_io of this partition"* ]]
}

@test "the repetitions are one unless asked for, as above" {
	run -0 beff_io "$PARIO" --np 1 --repetitions 2
	[ "$(field phase | wc -l)" -eq 6 ]
}

# seen OPERATION: how many calls of that name the trace has, but for looking whether there are shared pointers.
seen()
{
	awk -F, -v name="^$1$" '$8 ~ name && $9 !~ /[.]probe$/ { n++ } END { print n + 0 }' calls.csv
}

@test "calls of MPI-IO: blocking, by individual and shared pointers, a sync per pattern that writes, never unique or atomic" {
	run -0 pario trace -o x.trace -- "$PARIO" run beff_io --np 1 --dir "$DATA" --output "$OUT" --quiet "${TINY[@]}"
	run -0 pario profile x.trace --csv calls.csv
	[ "$(seen MPI_File_sync)" -eq 86 ]
	# individual and collective, each as often written (twice) as it is read
	for kind in "" _all _ordered; do
		[ "$(seen MPI_File_write$kind)" -gt 40 ]
		[ "$(seen MPI_File_read$kind)" -gt 20 ]
	done
	[ "$(seen 'MPI_File_(i.*|.*_at|.*_at_all|.*_begin|(read|write|seek)_shared|set_atomicity)')" -eq 0 ]
	# MPI_MODE_UNIQUE_OPEN is 32 in Open MPI
	[ "$(seen MPI_File_open)" -ge 15 ]
	awk -F, '$8 == "MPI_File_open" { match($0, /amode=[0-9]+/); mode = substr($0, RSTART + 6, RLENGTH - 6)
		if (RSTART == 0 || int(mode / 32) % 2) exit 1 }' calls.csv
}

@test "--short is labelled, and not official" {
	run -0 beff_io "$PARIO" --np 2 --short
	[ -z "$(ls -A "$DATA")" ]
	[[ $output == *"not official"* ]]
	[ "$(field metrics.official.value | sort -u)" = 0 ]
	[[ $output == *", short"* ]]
	[[ $output == *"(short: not official)"* ]]
}

@test "--durable calls fsync once more per pattern that writes, and says so" {
	local injector=$PARIO_BUILD/test/fault/libinject.so plain durable

	[ -e "$injector" ] || skip "the injector is not built"
	for d in 0 1; do
		rm -f count
		INJECT=path=.data. INJECT_COUNT=$PWD/count LD_PRELOAD=$injector run -0 beff_io "$PARIO" --np 1 --durable=$d
		[ $d -eq 1 ] || plain=$(awk '$2 == "fsync" { n += $3 } END { print n + 0 }' count)
		durable=$(awk '$2 == "fsync" { n += $3 } END { print n + 0 }' count)
	done
	[ $((durable - plain)) -eq 86 ]
	[[ $output == *"with an fsync after each"* ]]
}

@test "data that changed on their way are found, and the pattern shown" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=corrupt=pwrite@1:7,path=.t2.0,rank=0 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -4 --separate-stderr beff_io "$PARIO" --np 2 --release 2.0 --partitions 2
	[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite suspect read fail " ]
	[[ $(field reason | tail -n 1) == *"1 of the numbers"*"on client 0"* ]]
	[[ $(field reason | tail -n 1) == *"the first in pattern 17, call 0, element 0: "*" instead of 171."* ]]
	grep -qE "1 error in pattern 17; the first on client 0: element 0 of call 0 is \S+ instead of 171$" "$OUT/beff_io.prot"
	grep -q "no errors NO" "$OUT/beff_io.sum"
	[ -z "$(ls -A "$DATA")" ]
}

# The marks at the ends of chunks are whole in all of these. Type 3 is rewritten, type 2 of release 2.0 is not.
@test "one wrong byte inside a chunk, written or read, is found by both MPIs" {
	local injector=$PARIO_BUILD/test/fault/libinject.so program

	[ -e "$injector" ] || skip "the injector is not built"
	for program in "$PARIO" "$PARIO_MPICH"; do
		[ -x "$program" ] || continue
		INJECT=corrupt=pwrite@2:777,path=.t3,rank=1 LD_PRELOAD=$injector run -4 --separate-stderr beff_io "$program" --np 2
		[ "$(field phase outcome)" = "write fail" ]
		[[ $(field reason) == *"on client 1"*"in pattern "* ]]
		INJECT=corrupt=pread@3:777,path=.t2.1,rank=1 LD_PRELOAD=$injector \
			run -4 --separate-stderr beff_io "$program" --np 2 --release 2.0 --partitions 2
		[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite suspect read fail " ]
	done
	[ -z "$(ls -A "$DATA")" ]
}

@test "wrong data in one partition leave the others theirs, and never make the system's value" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=corrupt=pwrite@2:777,path=.p1.n2.t2.1,rank=1 LD_PRELOAD=$injector \
		run -4 --separate-stderr beff_io "$PARIO" --np 2 --release 2.0 --partitions 1,1x2
	[ "$(grep -c "no errors NO" "$OUT/beff_io.sum")" -eq 1 ]
	grep -q "b_eff_io of this partition = - MB/s" "$OUT/beff_io.sum"
	grep -qE "^b_eff_io = +[0-9.]+ MB/s on 1 process " "$OUT/beff_io.sum"
	grep -qE "^ +2 1 node x 2 .* -  NOT VALID$" "$OUT/beff_io.sum"
}

@test "several T, partitions of nodes, many clients on a node, and what was in force" {
	run -0 beff_io "$PARIO" --np 1 --minutes 0.0167,0.02 --hint cb_nodes=1
	[ "$(grep -cE "^ +1 1 node x 1 +0\.0(167|2)( +[0-9.]+){4}  NOT VALID$" "$OUT/beff_io.sum")" -eq 2 ]
	grep -qE "smallest size of all files: [0-9.]+ MBytes, .* [0-9.]+ were written: NO" "$OUT/beff_io.sum"
	grep -q "^  in force" "$OUT/beff_io.sum"
	run -2 --separate-stderr beff_io "$PARIO" --np 2 --partitions 2x1
	[[ $stderr == *"--partitions 2x1"*nodes* ]]
	run -0 "$PARIO" run beff_io --np 122 --dir "$DATA" --memory_per_node 4g --dry_run
	[[ $output == *"4 MiB of memory per client"* ]]
}

# Not type 1: where the file of the shared pointer fails on one client, ROMIO itself waits in the others.
@test "a write that fails ends the run for all clients" {
	local injector=$PARIO_BUILD/test/fault/libinject.so place

	[ -e "$injector" ] || skip "the injector is not built"
	for place in t0@2 t2.1@3 t3@2 t4@2; do
		INJECT=fail=pwrite@${place#*@}:EIO,path=.n2.${place%@*},rank=1 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
			run -3 --separate-stderr beff_io "$PARIO" --np 2
		[ "$(field outcome)" = fail ]
		[[ $(field reason) == *"writing "*".${place%@*} by MPI-IO failed"* ]]
		[ -z "$(ls -A "$DATA")" ]
	done
}

# OMPIO reports success and fewer elements.
@test "a library that loses the error: failing storage is not called full" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=fail=pwrite@2:EIO,path=.n2.t3,rank=1 LD_PRELOAD=$injector OMPI_MCA_io=ompio \
		run -3 --separate-stderr beff_io "$PARIO" --np 2
	[ "$(field outcome)" = fail ]
	[[ $(field reason) == *"elements of 8; the storage accepts no more"* ]]
	[ -z "$(ls -A "$DATA")" ]
}

# Without shared pointers: on a slow machine the 60th write is one of type 1, see above.
@test "quota: what was measured is kept and marked" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=fail=pwrite@60+:EDQUOT,path=.data.,rank=1 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -0 --separate-stderr beff_io "$PARIO" --np 2 --shared_pointers off
	[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite skip read skip " ]
	[[ $(field reason | head -n 1) == "incomplete: there is no space, or no quota, "* ]]
	grep -q "all patterns measured NO" "$OUT/beff_io.sum"
	[ "$(pattern_rows write)" -ge 2 ]
	grep -q " incomplete$" "$OUT/beff_io.prot"
	[ -z "$(ls -A "$DATA")" ]
}

@test "a directory without space for the expected volume" {
	on_memory 160m
	run -0 --separate-stderr beff_io "$PARIO" --np 2 --minutes 5
	[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite skip read skip " ]
	[[ $(field reason | head -n 1) == "incomplete: "*"use another --dir or fewer --minutes" ]]
	[ "$(pattern_rows write)" -ge 2 ]
	[[ $output == *"no value"* ]]
	[ -z "$(ls -A "$DATA")" ]
}

@test "a directory without space for one call of each pattern" {
	on_memory 8m
	run -3 --separate-stderr beff_io "$PARIO" --np 2
	[[ $stderr == *" free"* ]]
}

@test "a time limit ends it, marked" {
	run -0 --separate-stderr beff_io "$PARIO" --np 2 --minutes 5 --time_limit 1
	[ "$(field phase outcome | tr '\n' ' ')" = "write suspect rewrite skip read skip " ]
	[[ $(field reason | head -n 1) == *incomplete*write* ]]
}

@test "files and values with Open MPI's ROMIO, with hints for some patterns" {
	printf '%s\n' "# all clients" "all all all on_open cb_nodes 1" "2 write scatter 1032 romio_cb_write disable" >hints
	OMPI_MCA_io=romio321 run -0 beff_io "$PARIO" --np 3 --hints_file hints --keep_files
	sound 1
	grep -q "hint: 2 write scatter 1032 romio_cb_write disable" "$OUT/beff_io.sum"
}

@test "words of the user reach no terminal as they are" {
	printf 'all all all on_open \033[31mkey value\n' >hints
	run -0 beff_io "$PARIO" --np 1 --label $'a \033]0;b\a' --hints_file hints
	[[ $output != *$'\033'* ]]
	grep -qF 'label=a \x1b]0;b\x07' "$OUT/beff_io.sum"
	grep -qF 'hint: all all all on_open \x1b[31mkey value' "$OUT/beff_io.sum"
}

@test "a pipe is no file of hints: it is read more than once" {
	mkfifo hints
	refuse_beff_io --hints_file hints
	says "is a pipe"
}

@test "hints files with mistakes" {
	echo "all all all 1000 cb_nodes 1" >hints
	refuse_beff_io --hints_file hints
	says 'line 1 of the hints file "hints": unknown pattern "1000"'
	echo "all all scater all cb_nodes 1" >hints
	refuse_beff_io --hints_file hints
	says "did you mean scatter?"
	echo "all all cb_nodes 1" >hints
	refuse_beff_io --hints_file hints
	says "a line has six"
	refuse_beff_io --hints_file missing
	says "ENOENT"
	head -c 3000 /dev/zero | tr '\0' '#' >hints
	refuse_beff_io --hints_file hints
	says "2000 characters"
}

@test "a dry run does not promise an end that only time knows" {
	run -0 "$PARIO" run beff_io --np 2 --dir "$DATA" --dry_run
	[[ $output == *"as much per phase as its time allows"* ]]
	[[ $output == *"moves what its time allows in all; uses at least "* ]]
	[ -z "$(ls -A "$DATA")" ]
}

@test "times that make no sense" {
	refuse_beff_io --minutes 0.016
	says "less than a second"
	refuse_beff_io --minutes soon
	refuse_beff_io --minutes nan
	refuse_beff_io --minutes -1
}

@test "more memory than the node has" {
	refuse_beff_io --memory_per_node 512t
	says "more than this node has"
}

@test "options that contradict the release, or do not apply" {
	refuse_beff_io --partitions 1,2
	says "--release 2.0"
	refuse_beff_io --rewrite_all
	refuse_beff_io --release 2.0 --partitions 3
	says "no part of 2 clients"
	refuse_beff_io --release 2.0 --partitions 1,1,1,1,1,1,1,1,1,1,1
	says "at most 10"
	refuse_beff_io --collective 1
	says "do not apply"
	refuse_beff_io --verify 0
	refuse_beff_io --preallocate 1
	refuse_beff_io --queue_depth 2
	refuse_beff_io --durability cached
	refuse_beff_io --read_shift 1
	refuse_beff_io --release 1.0
}
