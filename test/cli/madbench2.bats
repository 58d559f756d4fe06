#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `madbench2`: its answer, its calls and its files against the golden values and formulae of docs/madbench2.md.

load lib
load ops

FULL=(--mode full --repetitions 1 --no_pix 32 --no_bin 4 --sblocksize 4 --fblocksize 4k)
SHORT=(--repetitions 1 --no_pix 100 --no_bin 8 --sblocksize 8 --fblocksize 4k --bwexp 0.01)

need_full()
{
	[ -e "$(dirname "${1:-$PARIO}")/libpario-scalapack.so" ] || skip "this build has no ScaLAPACK"
}

# answers POINTS VALUE: so many results have a dC0, and all are this one.
answers()
{
	results 'select(.metrics.dC0) | .metrics.dC0.value' | awk -v points="$1" -v value="$2" '
		function distance(a, b) { return a > b ? a - b : b - a }
		distance($1, value) > 1e-9 { print "dC0 is " $1 " instead of " value; bad = 1 }
		END { if (NR != points) { print NR " answers instead of " points; bad = 1 }; exit bad }'
}

# near LINE VALUES...: words of the line are these numbers, to nine digits.
near()
{
	local line=$1

	shift
	awk -v wanted="$*" '{
		n = split(wanted, want, " ")
		if (NF != n) { print NF " numbers instead of " n; exit 1 }
		for (i = 1; i <= n; i++)
			if (($i - want[i]) ^ 2 > (1e-9 * want[i]) ^ 2) { print $i " instead of " want[i]; exit 1 }
	}' <<<"$line"
}

# because WORDS: the reason of the last result holds them.
because()
{
	results .reason | tail -n 1 | grep -F -- "$1"
}

refuse_madbench2()
{
	run -2 --separate-stderr operate madbench2 "$@"
	one_sentence
	untouched
}

# traced ARGUMENTS...: a run under strace, one file per thread in trace.*, for the calls that move data.
traced()
{
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	rm -rf trace.* "$OUT"
	run -0 timeout -k 5 "$LIMIT_S" strace -ff -y -s 0 -ttt -T -e trace=read,write,pread64,pwrite64 -o trace \
		"$PARIO" run madbench2 --dir "$DATA" --output "$OUT" --quiet "${SHORT[@]}" "$@"
}

# calls FILES...: "CALL bytes" of every call on data, in order.
calls()
{
	sed -nE 's,^[0-9.]+ ([a-z0-9]+)\([0-9]+<[^>]*/files/data[^>]*>.* = ([0-9]+) <.*,\1 \2,p' "$@"
}

# ---- full mode ----

@test "the answer is the same for gangs, ways of I/O, files and remaps" {
	need_full
	done_well madbench2 --np 4 "${FULL[@]}" --no_gang 1,4 --iomethod posix,mpi --iomode sync,async \
		--filetype unique,shared --remap custom,scalapack
	answers 32 -0.9884285586
}

@test "streams of the C library: the same answer, and another layer in a trace" {
	need_full
	done_well madbench2 --np 4 "${FULL[@]}" --no_gang 1,4 --iomethod stdio --filetype unique,shared
	answers 4 -0.9884285586
	rm -rf "$OUT"
	run -0 pario trace -o x.trace -- "$PARIO" run madbench2 --np 1 --dir "$DATA" --output "$OUT" --quiet "${SHORT[@]}" \
		--iomethod stdio
	run -0 pario profile x.trace --csv calls.csv
	# 8 bins written, read, written and read, each after a seek, and no call of the system of pario's own
	run ! grep -qE '^([^,]*,){7}p?(read|write)(64)?,[^,]*files.data' calls.csv
	[ "$(awk -F, '$9 ~ /files.data/ { print $8 }' calls.csv | grep -E '^(fseeko?|fread|fwrite)$' | sort | uniq -c |
		awk '{ print $2, $1 }' | sed 's/fseeko/fseek/' | paste -sd,)" = "fread 16,fseek 32,fwrite 16" ]
}

@test "the answer is the same for every grid; other numbers of clients are left out" {
	need_full
	run -0 operate madbench2 --np 9 --clients 1,2,3,4,7,9 "${FULL[@]}" --iomethod posix,mpi
	answers 6 -0.9884285586
	[ "$(results 'select(.outcome == "skip") | .clients' | sort -u | paste -sd' ')" = "2 3 7" ]
	results 'select(.outcome == "skip") | .reason' | grep -q "square number of clients"
}

@test "gangs of several clients" {
	need_full
	done_well madbench2 --np 16 --mode full --repetitions 1 --no_pix 64 --no_bin 4 --sblocksize 8 --fblocksize 64 \
		--no_gang 1,4 --remap custom,scalapack
	answers 4 -0.9349369302
}

@test "blocks of any size" {
	need_full
	done_well madbench2 --np 4 "${FULL[@]}" --sblocksize 1,3,7,16,31 --no_gang 1,4
	answers 10 -0.9884285586
}

@test "clients take turns" {
	need_full
	done_well madbench2 --np 4 "${FULL[@]}" --r_mod 1,2,4 --w_mod 1,4 --iomode sync,async
	answers 12 -0.9884285586
}

@test "all numbers of the golden tables" {
	local pix bins trace sum inverse d00 d10 answer
	need_full
	while read -r pix bins trace sum inverse d00 d10 answer; do
		done_well madbench2 --np 4 --mode full --repetitions 1 --sblocksize 4 --fblocksize 4k --no_pix "$pix" \
			--no_bin "$bins"
		near "$(results 'select(.phase == "S") | .metrics | "\(.trace_S.value) \(.sum_S.value)"')" "$trace" "$sum"
		near "$(results 'select(.phase == "D") | .metrics.trace_D_inverse.value')" "$inverse"
		near "$(results 'select(.phase == "C") | .sheets.answer.rows[:2] | map(.[2]) | @tsv')" "$d00" "$d10"
		# dL of all bins, then dC
		near "$(results 'select(.phase == "C") | .sheets.answer.rows | map(.[1]) + map(.[3]) | @tsv')" "$answer"
	done <<-'END'
		16 2 560.22539968 534.56131200 0.44609681167 0.5841898943 1.486277124 -2.078270790 -5.472415966 -1.438622776 -0.8328473087
		32 4 4278.0848703 4151.1128421 0.23851364464 0.1012053388 0.2044983142 -1.125329899 -3.011869487 -4.889353789 -6.732173304 -0.9884285586 -1.027186102 -0.9695640133 -1.011364370
		64 4 8556.1697406 9601.7883590 0.72369958297 0.2637836673 0.4104917821 -2.139121360 -5.800745768 -9.566350432 -13.89872527 -0.9349369302 -0.9944933667 -0.9749998849 -1.037618372
	END
}

@test "the same answer with MPICH" {
	need_mpich
	need_full "$PARIO_MPICH"
	PROGRAM=$PARIO_MPICH
	done_well madbench2 --np 1 "${FULL[@]}" --iomethod posix,mpi --iomode sync,async --filetype unique,shared
	answers 8 -0.9884285586
	done_well madbench2 --np 4 "${FULL[@]}" --no_gang 4 --iomethod mpi --filetype shared
	answers 1 -0.9884285586
}

@test "reads in full mode: every step as a column and as rows for those before it" {
	need_full
	done_well madbench2 --np 4 "${FULL[@]}" --no_gang 1,4
	[ "$(ops 4)" = "S 16,D 0,W 32,C 40,S 16,D 0,W 20,C 4" ]
}

@test "the report of the original" {
	need_full
	rm -rf "$OUT"
	run -0 pario run madbench2 --dir "$DATA" --output "$OUT" --np 1 "${FULL[@]}"
	[[ $(cat "$OUT/madbench2.txt") == *"MADbench2, full mode
NO_PE = 1  NO_PIX = 32  NO_BIN = 4  NO_GANG = 1  SBLOCKSIZE = 4  FBLOCKSIZE = 4096  R_MOD = 1  W_MOD = 1
IOMETHOD = POSIX  IOMODE = SYNC  FILETYPE = UNIQUE  REMAP = CUSTOM  BWEXP = -1"* ]]
	[ "$(sed -nE 's/^([SDWC]_[a-z]+) +[0-9]+\.[0-9]{2} \[ *[0-9.]+: *[0-9.]+\]$/\1/p' "$OUT/madbench2.txt" | paste -sd' ')" = \
		"S_cc S_w S_total D_cc D_total W_cc W_r W_w W_total C_cc C_r C_total" ]
	grep -qx 'dC\[0\] = -9.88429e-01' "$OUT/madbench2.txt"
	# all reads, all writes and both follow from the phases
	awk '/^[SWC]_r/ { r += $2 } /^[SWC]_w/ { w += $2 } /^read/ { a = $2 } /^write/ { b = $2 } /^I\/O/ { c = $2 }
		END { exit !(a != "" && (a - r) ^ 2 < 0.0005 && (b - w) ^ 2 < 0.0005 && (c - a - b) ^ 2 < 0.0005) }' "$OUT/madbench2.txt"
}

# ---- I/O mode ----

@test "a phase is what was calculated, waited, busy, read and written" {
	done_well madbench2 --np 4 "${SHORT[@]}" --bwexp 1 --no_gang 1,4 --iomode sync,async,none
	# waiting for each other before a call is there in I/O mode, too
	# shellcheck disable=SC2016 # jq's variables
	results '.phase as $p | .metrics | with_entries(select(.key | startswith($p + "_")) | .value |= .value) |
		[.[$p + "_cc"] > 0, .[$p + "_bw"] > 0,
			((.[$p + "_cc"] + .[$p + "_bw"] + (.[$p + "_r"] // 0) + (.[$p + "_w"] // 0)) / .[$p + "_total"] - 1 | fabs) < 1e-9]' |
		sort | uniq -c >kinds
	[ "$(sed 's/^ *//' kinds)" = "18 [true,true,true]" ]
}

@test "matrices that do not fit into memory: the number of pixels follows from it" {
	local memory
	done_well madbench2 --np 1 "${SHORT[@]}"
	[ "$(results .metrics.no_pix.value | sort -u)" = 100 ]
	memory=$(jq -r 'select(.kind == "begin") | .machine.memory_bytes' "$OUT/journal.jsonl")
	run -0 pario run madbench2 --np 1 --dir "$DATA" --no_pix 0 --no_bin 4096 --fblocksize 4k --dry_run
	# of n^2 elements a matrix, as few as exceed it: less than one part in n more
	awk -v memory="$memory" 'BEGIN { unit["MiB"] = 2 ^ 20; unit["GiB"] = 2 ^ 30; unit["TiB"] = 2 ^ 40 }
		match($0, /uses at most [0-9.]+ [MGT]iB/) {
			split(substr($0, RSTART, RLENGTH), word, " "); bytes = word[4] * unit[word[5]] }
		END { exit !(bytes > 0.99 * memory && bytes < 1.05 * memory) }' <<<"$output"
}

@test "memory for four matrices, and for five in full mode, is planned" {
	run -0 pario run madbench2 --np 1 --dir "$DATA" --no_pix 1000 --dry_run
	[[ $output == *"30.5 MiB of memory per client"* ]]
	need_full
	run -0 pario run madbench2 --np 1 --dir "$DATA" --no_pix 1000 --mode full --dry_run
	[[ $output == *"38.2 MiB of memory per client"* ]]
}

@test "means and deviations over the repetitions end the report" {
	rm -rf "$OUT"
	run -0 pario run madbench2 --dir "$DATA" --output "$OUT" --np 1 --mode io --no_pix 1000 --no_bin 8 --sblocksize 64 \
		--bwexp 0.01 --repetitions 3 --filetype unique,shared
	[[ $output == *"means over the repetitions, in seconds, and their deviations in percent"* ]]
	[ "$(grep -c '^ *1  *3 .*filetype=' "$OUT/madbench2.txt")" -eq 2 ]
	# the mean of what stands at the end of each repetition, but for the last digit of each
	awk '/^IOMETHOD/ { p = $0 ~ /FILETYPE = SHARED/ } /^I\/O/ { s[p] += $2 / 3 } /filetype=/ { m[$0 ~ /shared/] = $7 }
		END { for (p = 0; p < 2; p++) if ((s[p] - m[p]) ^ 2 > 0.011 ^ 2) exit 1 }' "$OUT/madbench2.txt"
}

@test "bins written, read, written and read, each call all of a client's matrix" {
	local file seen=0
	traced --np 4
	for file in trace.*; do
		[ -n "$(calls "$file")" ] || continue
		seen=$((seen + 1))
		[ "$(calls "$file" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd,)" = "16 read,16 write" ]
		calls "$file" | awk '{ print $2 }' | sort -u >>sizes
		[ "$(calls "$file" | awk '{ print $1 }' | head -n 8 | sort -u)" = write ]
		[ "$(calls "$file" | awk '{ print $1 }' | tail -n 8 | sort -u)" = read ]
	done
	[ $seen -eq 4 ]
	# 52 and 48 of 100 rows and columns
	[ "$(sort -n sizes | paste -sd' ')" = "18432 19968 19968 21632" ]
	[ "$(ops 4)" = "S 32,W 64,C 32" ]
	[ "$(results .bytes | paste -sd,)" = "640000,1280000,640000" ]
}

# shown LAUNCHER PROGRAM: the configuration of 004, scaled, as `pario profile` shows it. Of 1000 rows and columns in blocks
# of 64, two processes hold 512 and 488.
shown()
{
	local method calls rank bytes=(2097152 1998848 1998848 1905152)

	for method in posix mpi; do
		rm -rf x.trace calls.csv "$OUT"
		run -0 timeout -k 5 "$LIMIT_S" "$1" -n 4 "$2" trace -o x.trace -- "$2" run madbench2 --dir "$DATA" --output "$OUT" \
			--quiet --repetitions 1 --mode io --no_pix 1000 --no_bin 8 --sblocksize 64 --fblocksize 1m \
			--bwexp 0.01 --filetype shared --iomethod $method
		run -0 timeout "$LIMIT_S" "$2" profile x.trace --csv calls.csv
		# MPI-IO's calls, and those of its library below them
		grep -E '^ +(64 +122.1 MiB +64 +122.1|128 +244.1 MiB +128 +244.1) MiB .*/files/data$' <<<"$output"
		[ $method = mpi ] && calls='MPI_File_(read|write)' || calls='(read|write)'
		for rank in 0 1 2 3; do
			awk -F, -v r=$rank '$3 == r && $7 == 0 && $9 ~ /files.data/ { print $1, $8, $11 }' calls.csv |
				grep -E " $calls " | sort -n | sed 's/MPI_File_//' >seen
			# S; W, whose reads run a step ahead; C
			[ "$(awk '{ print $2 }' seen | paste -sd' ' | sed 's/read/r/g; s/write/w/g')" = \
				"w w w w w w w w r r w r w r w r w r w r w r w w r r r r r r r r" ]
			[ "$(awk '{ print $3 }' seen | sort -u)" -eq "${bytes[rank]}" ]
		done
	done
}

@test "traced, each task shows bins written, read, written and read, by POSIX and MPI-IO" {
	export OMPI_MCA_rmaps_base_oversubscribe=1
	shown mpiexec.openmpi "$PARIO"
}

@test "in a shared file every client stays in its own part" {
	traced --np 4 --filetype shared
	[ "$(calls trace.* | wc -l)" -eq 128 ]
	done_well madbench2 --np 4 "${SHORT[@]}" --filetype shared --iomethod posix,mpi --iomode sync,async
	# both phases compare what they read with what this client wrote
	[ "$(results 'select(.phase != "S") | .metrics.verified_bytes.value' | sort -u)" = 640000 ]
}

@test "asynchronous calls are made by another thread" {
	local file
	traced --np 1 --iomode async
	[ "$(calls trace.* | sort | uniq -c | awk '{ print $1, $2, $3 }' | paste -sd,)" = "16 pread64 80000,16 pwrite64 80000" ]
	for file in trace.*; do
		[ -z "$(calls "$file")" ] || ! grep -q journal.jsonl "$file"
	done
}

@test "gangs: all read every bin, each writes and reads its own" {
	done_well madbench2 --np 4 "${SHORT[@]}" --no_gang 4
	[ "$(ops 4)" = "S 32,W 40,C 8" ]
	[ "$(results .bytes | paste -sd,)" = "640000,1280000,640000" ]
}

@test "with w_mod 4 no two clients write at the same time" {
	traced --np 4 --w_mod 4
	sed -nE 's,^([0-9.]+) write\([0-9]+<[^>]*/files/data_([0-9])>.*<([0-9.]+)>$,\1 \3 \2,p' trace.* | sort -n |
		awk '{ if (NR > 1 && $1 < end) { print "client " $3 " began before client " who " ended"; bad = 1 }
			end = $1 + $2; who = $3 } END { exit bad || NR != 64 }'
}

# Of 52 and 48 rows and columns, matrices every 24576 bytes; the last one ends the file.
@test "names and sizes of the files, of all points" {
	local last=$((7 * 24576))
	run -0 operate madbench2 --np 4 "${SHORT[@]}" --keep_files --filetype unique,shared
	[ "$(find "$DATA" -type f -path '*/files/data*' -printf '%f %s\n' | sort | paste -sd,)" = \
		"data $((3 * 8 * 24576 + last + 18432)),data_0 $((last + 21632)),data_1 $((last + 19968)),data_2 $((last + 19968)),data_3 $((last + 18432))" ]
}

@test "without I/O there are no files and no operations" {
	done_well madbench2 --np 1 "${SHORT[@]}" --iomode none --bwexp 1
	[ "$(ops 1)" = "S 0,W 0,C 0" ]
	[ "$(results '.metrics | has("S_bw") or has("W_bw") or has("C_bw")' | sort -u)" = true ]
}

# The kernel makes each of 32 calls last 50 ms or more; who waits for less than they lasted did something else meanwhile.
@test "asynchronous I/O goes on behind the busy-work" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -f -o probe -e inject=getppid:delay_enter=1 true 2>/dev/null || skip "strace delays no calls here"
	once_of 5 # the busy-work itself may find no processor
	run -0 timeout -k 5 "$LIMIT_S" strace -f -y -T -e trace=pread64,pwrite64 -e inject=pread64,pwrite64:delay_enter=50000 \
		-o trace "$PARIO" run madbench2 --np 1 --dir "$DATA" --output "$OUT" --quiet --repetitions 1 --no_pix 300 \
		--no_bin 8 --bwexp 1.6 --iomode async
	[ "$(grep -F files/data trace | grep -cv resumed)" -eq 32 ]
	took=$(grep -F files/data trace | sed -nE 's/.*<([0-9.]+)>$/\1/p' | awk '{ s += $1 } END { print s }')
	results . | jq -es "map(.metrics | .S_w.value, .W_r.value, .W_w.value, .C_r.value | values) | add < ([$took, 1.6] | max)"
}

# ---- faults ----

@test "busy-work that would last for hours ends with an interrupt" {
	local status=0
	set -m
	timeout -k 5 "$LIMIT_S" "$PARIO" run madbench2 --dir "$DATA" --output "$OUT" --np 4 --no_pix 1000 --bwexp 3 --quiet 3>&- &
	PID=$!
	set +m
	until_true "$LIMIT_S" compgen -G "$DATA/pario-*/*/files/data_3" >/dev/null
	kill -INT -"$PID"
	wait "$PID" || status=$?
	[ "$status" -eq 130 ]
	[ -z "$(ls -A "$DATA")" ]
	sound
}

@test "data that changed on their way are found, in S and in W" {
	spoiled corrupt=write@3:17,path=files/data,rank=0 4 madbench2 --np 4 "${SHORT[@]}"
	because "wrong data"
	[ "$(results .phase | tail -n 1)" = W ]
	spoiled corrupt=write@12:17,path=files/data,rank=2 4 madbench2 --np 4 "${SHORT[@]}"
	[ "$(results .phase | tail -n 1)" = C ]
}

@test "in full mode, too" {
	need_full
	spoiled corrupt=write@2:100,path=files/data,rank=0 4 madbench2 --np 4 "${FULL[@]}"
	because "not the matrix that was written there"
}

@test "a client that fails does not keep the others waiting" {
	spoiled fail=write@3:ENOSPC,path=files/data,rank=1 3 madbench2 --np 4 "${SHORT[@]}"
	because ENOSPC
	spoiled fail=read@2:EIO,path=files/data,rank=3 3 madbench2 --np 4 "${SHORT[@]}" --no_gang 4 --w_mod 1
	because EIO
	spoiled fail=open@1:EACCES,path=files/data,rank=2 3 madbench2 --np 4 "${SHORT[@]}"
	because EACCES
	spoiled fail=mkdir@1:EROFS,path=files,rank=0 3 madbench2 --np 4 "${SHORT[@]}"
	because EROFS
}

@test "calls that move less are continued" {
	spoiled short=write@2,path=files/data,rank=0 0 madbench2 --np 4 "${SHORT[@]}"
	spoiled short=read@5,path=files/data,rank=1 0 madbench2 --np 4 "${SHORT[@]}"
}

# ---- input ----

@test "numbers of clients that are no square" {
	refuse_madbench2 --np 2
	says "square number of clients and there are 2. Start it with --np 1 or 4."
	refuse_madbench2 --np 7
	says "--np 4 or 9"
}

@test "unless a number is given, as many clients as make a square on the cores" {
	local cores side=1
	cores=$(nproc)
	while [ $(((side + 1) * (side + 1))) -le "$cores" ]; do side=$((side + 1)); done
	done_well madbench2 "${SHORT[@]}"
	[ "$(results .clients | sort -u)" -eq $((side * side)) ]
}

@test "gangs that do not divide" {
	refuse_madbench2 --np 4 --no_gang 2
	says "--no_gang 2 is not a square number"
	refuse_madbench2 --np 4 --no_gang 9
	says "--no_gang 9 must divide the number of clients, 4"
	refuse_madbench2 --np 4 --no_gang 4 --no_bin 6
	says "--no_bin, 6"
	refuse_madbench2 --np 4 --r_mod 3
	says "--r_mod 3"
	refuse_madbench2 --np 4 --no_gang 4 --w_mod 2
	says "clients of a gang, 1"
}

@test "sizes that do not fit" {
	refuse_madbench2 --np 4 --no_pix 64 --sblocksize 64
	says "too few for a grid of 2 x 2 clients"
	refuse_madbench2 --np 1 --fblocksize 1001
	says "not a multiple of 8"
	refuse_madbench2 --np 1 --no_pix 50000
	says "more than 2^31-1"
	refuse_madbench2 --np 1 --sblocksize 0
	refuse_madbench2 --np 1 --r_mod 0
}

@test "choices that do not exist, and combinations without a result" {
	refuse_madbench2 --np 1 --iomethod hdf5
	refuse_madbench2 --np 1 --mode half
	refuse_madbench2 --np 1 --iomethod stdio --iomode async
	says "stdio has no asynchronous calls"
	refuse_madbench2 --np 1 --bwexp -2
	need_full
	refuse_madbench2 --np 1 --mode full --iomode none
	says "--iomode none has no result"
	refuse_madbench2 --np 1 --mode full --no_pix 4 --no_bin 11
	says "--no_bin 11 is more than 4 pixels can tell apart"
}

@test "full mode without ScaLAPACK names the package" {
	local program=$CHECK_DIR/minimal/pario
	[ -x "$program" ] || skip "there is no minimal build"
	[ ! -e "${program%/*}/libpario-scalapack.so" ]
	PROGRAM=$program
	refuse_madbench2 --np 1 --mode full
	says libscalapack-mpi-dev
	done_well madbench2 --np 1 "${SHORT[@]}"
}
