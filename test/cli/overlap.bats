#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The overlap study: every routine moves and checks its data, planted costs come out, bad input gets a sentence.

load lib
load ops

# Small files and few passes: enough to walk every path, far too little to measure.
TINY=(--file_size 64k --buffer_sizes "4k,16k" --passes 2 --study_time 0 --repetitions 1)

# Like done_well, but here a routine may be missing and a number may be suspect: this machine has other work.
studied()
{
	run -0 --separate-stderr operate overlap "$@"
	sound
	[ -z "$(ls -A "$DATA")" ]
	[ "$(results 'select(.outcome == "fail")')" = "" ]
}

# passes FILTER: what jq makes of the rows of the sheet of passes.
passes()
{
	results ".sheets.passes.rows[] | $1"
}

@test "every routine reads, writes and does both, and all data are right" {
	studied "${TINY[@]}"
	for routine in pread readv stdio_quarter stdio_half stdio stdio_double mmap aio mpi_read_at mpi_iread_at mpi_read_all \
		thread; do
		[ "$(results "select(.sheets.case.rows[0][0] == \"$routine\") | .phase" | paste -sd,)" = read,write,both ]
	done
	[ "$(results 'select(.outcome == "skip" and (.reason | test("uring") | not))')" = "" ]
	# what was written was read back: 64 KiB by each channel of the last pass
	[ "$(results 'select(.phase == "write" and .outcome != "skip") |
		.metrics.verified_bytes.value == 65536 * .sheets.case.rows[-1][6]' | sort -u)" = true ]
}

@test "the same with MPICH" {
	need_mpich
	PROGRAM=$PARIO_MPICH studied "${TINY[@]}" --np 1
	[ "$(results 'select(.sheets.case.rows[0][0] == "mpi_iread_at") | .phase' | paste -sd,)" = read,write,both ]
}

@test "one client unless more are asked for, each with files of its own" {
	studied "${TINY[@]}" --routine pread
	[ "$(results .clients | sort -u)" = 1 ]
	studied "${TINY[@]}" --routine pread,mpi_read_all --np 3 --clients 1,2,3
	[ "$(results .clients | sort -u | paste -sd,)" = 1,2,3 ]
	[ "$(results 'select(.clients == 3 and .phase == "write") | .metrics.verified_bytes.value' | sort -u)" = 196608 ]
}

@test "random places, several channels, direct, the vector loop" {
	local routines=pread,aio,thread

	if has_uring; then routines+=,uring,uring_sqpoll,uring_fixed; fi
	studied "${TINY[@]}" --routine $routines --channels 3 --order random
	[ "$(passes '.[1]' | sort -un | paste -sd,)" = 3,6 ]
	studied "${TINY[@]}" --routine $routines --direct --phases both
	studied "${TINY[@]}" --routine pread --compute vector --phases read --loop 50
}

# calls_of ROUTINE: the sizes of its calls on 64 KiB in buffers of 16 KiB, reading, then writing
calls_of()
{
	rm -rf trace.* "$OUT"
	timeout -k 5 "$LIMIT_S" strace -ff -y -s 0 -e trace=read,write -o trace "$PARIO" run overlap --dir "$DATA" --output "$OUT" \
		--quiet --np 1 --routine "$1" --phases read,write "${TINY[@]}" --buffer_sizes 16k
	cat trace.* | sed -nE 's,^(read|write)\([0-9]+<[^>]*/overlap/[^>]*>.* = ([0-9]+)$,\1 \2,p' | sort -u | paste -sd,
}

@test "the C library has a system buffer of each size; what is larger than it passes by" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	[ "$(calls_of stdio_quarter)" = "read 16384,write 12288,write 16384,write 4096" ]
	[ "$(calls_of stdio_half)" = "read 16384,write 16384,write 8192" ]
	[ "$(calls_of stdio)" = "read 16384,write 16384" ]
	[ "$(calls_of stdio_double)" = "read 32768,write 32768" ]
}

@test "channels go up to the cores where several transfers are under way" {
	local cores counts=1 n

	cores=$(nproc)
	for ((n = 4; n < cores; n *= 4)); do counts+=,$n; done
	[ "$cores" -eq 1 ] || counts+=,$cores
	studied "${TINY[@]}" --routine thread,pread,null --phases write,both
	[ "$(results 'select(.sheets.case.rows[0][0] == "thread") | [.sheets.case.rows[][6]] | @csv' | sort -u)" = "$counts" ]
	[ "$(results 'select(.sheets.case.rows[0][0] != "thread") | [.sheets.case.rows[][6]] | @csv' | sort -u)" = 1 ]
	[ "$(results 'select(.phase == "both") | .sheets.passes.rows[-1][1]' | sort -un | paste -sd,)" = \
		"$([ "$cores" -eq 1 ] && echo 2 || echo "2,$((2 * cores))")" ]
	[ "$cores" -eq 1 ] || grep -q "^thread N=$cores " "$OUT/overlap.sum"
	# a client has its share of the cores
	studied "${TINY[@]}" --routine thread --phases write --np "$cores"
	[ "$(results '[.sheets.case.rows[][6]] | @csv' | sort -u)" = 1 ]
}

@test "passes take as long as asked for, over the files again where that is the same thing" {
	once_of 5 # a pass that gets no processor is over after its first round
	local long=(--file_size 64k --buffer_sizes 4k --passes 2 --pass_time 0.05 --repetitions 1)

	studied "${long[@]}" --routine null --phases read --null_delay 100
	[ "$(passes '.[4] > 16' | sort -u)" = true ]
	studied "${long[@]}" --routine pread --channels 1,3 --order sequential,random --phases write
	[ "$(passes '.[4] > 16 * .[1]' | sort -u)" = true ]
	[ "$(results .metrics.verified_bytes.value | sort -un | paste -sd,)" = 65536,196608 ]
	# cold files too: they are evicted before each time
	studied "${long[@]}" --routine pread --phases read,both --channels 2
	[ "$(passes '.[4] > 16 * .[1]' | sort -u)" = true ]
	grep -q -- '--pass_time 1' "$OUT/overlap.sum"
	studied "${long[@]}" --routine pread --phases read --channels 2 --cached
	[ "$(passes '.[4] > 16 * .[1]' | sort -u)" = true ]
}

@test "a control tells its CPU time beside the wall clock" {
	studied "${TINY[@]}" --routine pread --phases read
	# shellcheck disable=SC2016 # a variable of jq
	results '.sheets.passes | .columns as $c | .rows[] | [., $c] | transpose | map({(.[1]): .[0]}) | add' >rows
	[ "$(jq -c 'select(.part == "wait") | [.idle_cpu_ns, .idle_late_ns]' rows | sort -u)" = '[null,null]' ]
	[ "$(jq 'select(.part != "wait") | .idle_cpu_ns > 0 and .idle_loops >= 1 and .idle_late_ns != null' rows | sort -u)" = true ]
	grep -q 'in [0-9]* of these already in the control' "$OUT/overlap.sum"
}

@test "what threads of the kernel do is counted, however short a pass" {
	has_uring || skip "there is no io_uring"
	# its thread looks for requests all the time and never sleeps, so nobody but the tick books its time
	studied "${TINY[@]}" --routine uring_sqpoll --phases write --passes 10
	[ "$(passes '.[11] > .[10]' | sort -u)" = true ]
}

has_uring() { ! "$PARIO" list | grep -A 1 "^  uring " | grep -q unavailable; }

@test "a pass moves each channel's file once, in every part" {
	studied "${TINY[@]}" --routine pread --channels 2 --phases read
	[ "$(passes 'select(.[0] == 4096) | [.[2], .[4]]' | sort -u)" = $'["compute",32]\n["half",32]\n["wait",32]' ]
	[ "$(passes 'select(.[0] == 16384) | .[4]' | sort -u)" = 8 ]
	# one loop between two transfers of a routine that blocks: as many rounds as calls of a channel, then one that ends
	[ "$(passes 'select(.[2] != "wait" and .[0] == 4096) | .[6]' | sort -u)" = 16 ]
}

@test "planted delays are times of operations, and every law has its numbers" {
	studied --routine null --null_delay 1000 --null_delay_per_mib 20000 --null_cpu 300 --null_cpu_per_mib 3000 \
		--buffer_sizes 4k,64k,256k --passes 2 --phases read --file_size 1m --repetitions 1
	# lower bounds only: a busy machine makes everything longer, nothing makes it shorter
	[ "$(passes 'select(.[2] == "wait") | .[5] / .[4] >= 1000e3 + 20000e3 * .[0] / 1048576' | sort -u)" = true ]
	[ "$(results '.metrics | has("t_fix_us") and has("t_byte_ns") and has("best_rate_mib_s")')" = true ]
	[ ! -e "$DATA/overlap" ]
}

@test "the answer, then one table that defines its columns, and the page with the pictures" {
	rm -rf "$OUT"
	run -0 pario run overlap --dir "$DATA" --output "$OUT" "${TINY[@]}" --buffer_sizes 4k,8k,16k,32k --routine pread,stdio \
		--phases read,write
	[[ $output == *"Which routine to use"*"read   least CPU"*"most overlap"*"fastest"*"write  least CPU"*"Table 1"*"T_call"*"T_trans"*"CPU"*"rate"*"overlap"* ]]
	# no other table, whose numbers would be those of single repetitions
	[[ $output != *" median "* ]]
	[ "$(grep -c '^ *pread ' <<<"$output")" = 4 ] # in the table and among the laws, reading and writing
	[[ $output == *"rate   "*"highest of all sizes when every transfer is waited for"* ]]
	[[ $output == *"write, cached"*"cached   "*"end in the page cache"* ]]
	# passes over 64 KiB are far below a tick
	[[ $output == *"least CPU     not known: passes were too short to count CPU time. Use a longer --pass_time"* ]]
	[[ $output == *"too short to count what helper threads do"* ]]
	grep -q "by scheduler" "$OUT/overlap.points"
	grep -q "Overhead T_OH per sector against 1/B: read" "$OUT/report.html"
	grep -q "Which routine to use" "$OUT/report.html"
}

@test "where time is short there are fewer passes and sizes, not shorter passes" {
	# 8 sizes x 5 passes x 5 of 40 ms are 8 s for each phase; a busy machine may leave out more
	studied --routine null --phases read,write --null_delay 100 --study_time 2.5
	[ "$(passes '.[0]' | sort -un | paste -sd,)" = 4096,12288,147456,737280 ]
	[ "$(passes 'select(.[2] == "wait") | .[3] <= 2' | sort -u)" = true ]
	# sizes that were asked for are all measured
	studied --routine null --phases read --null_delay 100 --study_time 1 --buffer_sizes 4k,8k,12k,16k,20k
	[ "$(passes '.[0]' | sort -un | wc -l)" = 5 ]
}

@test "the procedure's own cost is measured and said" {
	studied "${TINY[@]}" --routine null --phases read --null_delay 100
	# shellcheck disable=SC2016 # a variable of jq
	results '.sheets.case | .columns as $c | .rows[] | [., $c] | transpose | map({(.[1]): .[0]}) | add' >case
	[ "$(jq '.own_call_ns > 0 and .own_wait_ns > 0 and .clock_ns > .own_wait_ns and .tick_ns > 0' case)" = true ]
}

@test "what cannot be told from zero is a bound" {
	# passes of one call, whose costs are those of the procedure
	studied --routine null --null_delay 500 --buffer_sizes 4k,64k,256k --phases read --file_size 1m --repetitions 1 \
		--passes 4 --study_time 0.2
	[ "$(results '.metrics | (has("t_trans_us") and has("t_trans_error_us")) != has("t_trans_bound_us")')" = true ]
	[ "$(results '.metrics | (has("t_call_us") and has("t_call_error_us")) != has("t_call_bound_us")')" = true ]
}

@test "rotating disks get sectors per revolution" {
	studied --routine null --null_delay 16667 --null_delay_per_mib 1000 --buffer_sizes 4k,8k,16k --passes 2 --phases read \
		--file_size 32k --repetitions 1 --rpm 3600 --study_time 0
	for how in waiting overlapped; do
		grep -qE "null read, $how: S (= [0-9.e+]+ ± [0-9.e+]+|> [0-9.e+]+) sectors per revolution, M (= [0-9.e+]+ ± [0-9.e+]+|< [0-9.e+]+) missed" "$OUT/overlap.sum"
	done
	grep -qE "^routine .* S +M +M overlapped +T_call" "$OUT/overlap.sum"
}

# turned PART all|any OPERATOR REVOLUTIONS: how long passes of that kind with the smallest buffers took, per call
turned()
{
	[ "$(results "[.sheets.passes.rows[] | select(.[0] == 4096 and .[2] == \"$1\") | .[5] / (.[4] - 1) / 2e6 $3 $4] | $2")" = true ]
}

@test "a disk that turns: waiting misses a revolution, computing none, but with a loop that is longer than the gap" {
	# 18 sectors in 2 ms, of which a quarter of one, 28 us, is the gap
	local disk=(--routine null --null_track 18 --rpm 30000 --buffer_sizes "4k,36k,360k" --phases read
		--file_size 720k --study_time 0 --passes 2 --repetitions 1)

	once_of 3 # for intervals of 95 %, and passes that get no processor half of the times
	studied "${disk[@]}" --loop 5
	turned wait all ">=" "1 + 1 / 18"
	turned compute any "<" 0.5
	# no interval but a doubtful one is without the truth
	[ "$(results .outcome)" = suspect ] ||
		awk '/^null read, / { s = $6; ds = $8; m = $14; dm = $16; if (m == "<") { m = 0; dm = $15 }
			wanted = /waiting/; print; n += s - ds < 18 && 18 < s + ds && m - dm <= wanted && wanted <= m + dm }
			END { exit n != 2 }' "$OUT/overlap.sum"
	studied "${disk[@]}" --buffer_sizes 4k --loop 400
	turned compute all ">" 0.5
}

@test "a routine that cannot be direct is skipped with its reason" {
	studied "${TINY[@]}" --routine pread,mmap --direct --phases read
	[ "$(results 'select(.outcome == "skip") | .reason')" = \
		"the routine mmap does not support --direct. Use pread, readv, aio, uring or thread, or leave it out." ]
	grep -q "not measured: routine=mmap" "$OUT/overlap.sum"
}

@test "wrong data are found in reads and in writes" {
	spoiled corrupt=pread@3:0,path=overlap/0.0 4 overlap "${TINY[@]}" --routine pread --phases read
	results .reason | grep -q 'wrong data in .*overlap/0.0.* at offset'
	spoiled shift=pread@5:4096,path=overlap/0.0 4 overlap "${TINY[@]}" --routine pread --phases read
	spoiled corrupt=pwrite@20+:100,path=overlap/0.1 4 overlap "${TINY[@]}" --routine pread --phases write
	results .reason | grep -q 'what pread wrote there did not come back'
	spoiled skip=pread@30,path=overlap/0.0 4 overlap "${TINY[@]}" --routine thread --phases read
}

@test "transfers that fail or come short end the phase with a sentence" {
	spoiled fail=pread@9:EIO,path=overlap/0.0 3 overlap "${TINY[@]}" --routine pread --phases read
	results .reason | grep -q 'reading of 4096 bytes failed in .*overlap/0.0.* at offset .*EIO'
	spoiled short=pwrite@30,path=overlap/0.1 3 overlap "${TINY[@]}" --routine thread --phases write
	results .reason | grep -q 'moved [0-9]* of [0-9]* bytes'
	spoiled fail=pwrite@2:ENOSPC,path=overlap/ 3 overlap "${TINY[@]}" --routine pread
}

@test "a time limit ends the passes, not the run" {
	# 3 x 100 passes of 64 ms are 19 s
	studied --routine null --null_delay 4000 --buffer_sizes 4k --file_size 64k --passes 100 --study_time 0 --time_limit 0.5 \
		--repetitions 1 --phases read
	[ "$(results .ops)" -lt 300 ]
}

@test "bad input gets a sentence" {
	local arguments

	for arguments in "--direct --buffer_sizes 4k,6000" "--channels 65536" "--routine prea" "--buffer_sizes 12" \
		"--buffer_sizes 1m --file_size 64k" "--phases sideways" "--routine null --null_track 18" "--buffer_sizes ," "--order backwards" "--passes 1"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr operate overlap $arguments
		echo "$arguments: $stderr"
		one_sentence
		untouched
	done
}

@test "what to do stands in the sentence" {
	run -2 --separate-stderr operate overlap --direct --buffer_sizes 6000
	says "is no multiple of the --sector"
	run -2 --separate-stderr operate overlap --routine urin
	says "did you mean 'uring'"
	ulimit -n 200
	run -2 --separate-stderr operate overlap --channels 50
	says "--channels 50 needs up to 264 open files and the limit is 200"
}
