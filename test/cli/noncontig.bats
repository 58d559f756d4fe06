#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `noncontig`: whose element stands where in the file, against formulae of places.py and known orders, both MPIs.

load lib

FIXED=(--repetitions 1 --seed 7 --element_size 8)
EVERY=(--type "vector,indexed,subarray,nested" --memory "contiguous,noncontiguous"
	--file "contiguous,noncontiguous"
	--collective "0,1")

# noncontig PROGRAM ARGUMENTS...: one run in $DATA; the journal goes to $OUT.
noncontig()
{
	local program=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$program" run noncontig --dir "$DATA" --output "$OUT" "${FIXED[@]}" "$@"
}

# order: what the kept files hold, as places.py prints it; they are removed.
order()
{
	"$PYTHON" "$CLI/places.py" noncontig "$OUT/journal.jsonl" "$@"
	rm -rf "${DATA:?}"/*
}

# right POINTS PROGRAM ARGUMENTS...: so many points, each file as it should be.
right()
{
	local points=$1

	shift
	run -0 noncontig "$@" --keep_files
	run -0 order
	echo "$output"
	[ "$output" = "$points" ]
}

# MPICH's clients spin: with more of them than cores, a run of seconds takes a minute.
mpich_clients()
{
	[ "$(nproc)" -lt 3 ] && echo 2 || echo 3
}

programs()
{
	echo "$PARIO"
	if [ -x "$PARIO_MPICH" ]; then echo "$PARIO_MPICH"; fi
}

refuse_noncontig()
{
	run -2 --separate-stderr noncontig "$PARIO" "$@"
	one_sentence
	untouched
}

@test "known orders of two clients and a vector of ten" {
	local program
	for program in $(programs); do
		for together in 0 1; do
			run -0 noncontig "$program" --np 2 --veclen 10 --veccount 1 --keep_files --collective $together \
				--memory contiguous,noncontiguous --file contiguous,noncontiguous
			run -0 order --order
			[ "${lines[0]}" = "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19" ] # neither
			[ "${lines[1]}" = "0 10 1 11 2 12 3 13 4 14 5 15 6 16 7 17 8 18 9 19" ] # the file
			[ "${lines[2]}" = "0 2 4 6 8 11 13 15 17 19" ]				# memory
			[ "${lines[3]}" = "0 11 2 13 4 15 6 17 8 19" ]				# both
		done
	done
}

@test "every type and every way, 1 to 4 clients" {
	right 128 "$PARIO" --np 4 --clients 1,2,3,4 --veclen 24 --veccount 5 "${EVERY[@]}"
}

@test "every type and every way, Open MPI's ROMIO" {
	OMPI_MCA_io=romio321 right 64 "$PARIO" --np 3 --clients 1,3 --veclen 24 --veccount 5 "${EVERY[@]}"
}

@test "every type and every way, MPICH" {
	local n

	need_mpich
	n=$(mpich_clients)
	right 64 "$PARIO_MPICH" --np "$n" --clients 1,"$n" --veclen 24 --veccount 5 "${EVERY[@]}"
}

@test "vectors that do not divide evenly, seven clients" {
	right 8 "$PARIO" --np 7 --veclen 50 --veccount 3 --type vector,indexed --collective 0,1 \
		--memory contiguous,noncontiguous
}

@test "several calls, the last one shorter" {
	local program
	for program in $(programs); do
		right 8 "$program" --np 2 --veclen 16 --veccount 7 --buffer_size 300 --collective 0,1 \
			--memory contiguous,noncontiguous --file contiguous,noncontiguous
		[ "$(field ops | sort -u)" = 8 ] # two vectors in a call: four calls of each client
	done
}

@test "another element size, reading another client's part" {
	run -0 noncontig "$PARIO" --np 3 --element_size 5 --veclen 30 --veccount 40 --read_shift 1 "${EVERY[@]}"
	[ "$(field outcome | grep -c fail)" -eq 0 ]
	[ "$(field phase | wc -l)" -eq 64 ]
}

@test "reading alone makes the data first" {
	run -0 noncontig "$PARIO" --np 2 --operations read --veclen 64 --veccount 8
	[ "$(field phase bytes)" = "read 4096" ]
}

@test "everything that was written is checked" {
	run -0 noncontig "$PARIO" --np 2 --veclen 64 --veccount 8 --memory contiguous,noncontiguous --operations write
	[ "$(field bytes metrics.verified_bytes.value | tr '\n' ' ')" = "8192 8192 4096 4096 " ]
}

@test "a file size moves the same bytes whatever the memory; by default any number of clients is served" {
	run -0 noncontig "$PARIO" --np 3 --fsize 50000 --operations write --memory contiguous,noncontiguous \
		--file contiguous,noncontiguous
	# 93 vectors of 66 elements of 8 bytes, each byte checked once
	[ "$(field bytes metrics.verified_bytes.value | sort | uniq -c | tr -s ' ')" = " 4 49104 49104" ]
	run -0 "$PARIO" run noncontig --np 122 --dry_run
	run -0 "$PARIO" run noncontig --np 122 --dry_run --type "vector,indexed,subarray,nested"
	[[ $output == *" 0 skipped"* ]]
}

@test "an offset, and the same again" {
	local program
	for program in $(programs); do
		run -0 noncontig "$program" --np 3 --veclen 24 --veccount 5 --offset 1000 --loops 3 --buffer_size 400 --keep_files \
			--memory contiguous,noncontiguous --file contiguous,noncontiguous --collective 0,1
		[ "$(field outcome | grep -c fail)" -eq 0 ]
		[ "$(field bytes | sort -un | tr '\n' ' ')" = "2880 8640 " ]
		[ "$(end kept | xargs stat -c %s | sort -un | tr '\n' ' ')" = "1960 3880 " ]
		for file in $(end kept); do head -c 1000 "$file" | tr -d '\0' | wc -c; done | grep -qvx 0 && return 1
		rm -rf "${DATA:?}"/*
	done
	jq -es '[.[] | select(.kind == "result") | .metrics] |
		all(.[]; .rate_min_mib_s.value <= .rate_max_mib_s.value and .rate_max_mib_s.value <= .rate_acc_mib_s.value and
		.rate_acc_mib_s.value <= 3.000001 * .rate_max_mib_s.value)' "$OUT/journal.jsonl"
}

@test "a time limit leaves an uneven file, whose written part is checked" {
	run -0 noncontig "$PARIO" --np 3 --fsize 64m --element_size 64 --buffer_size 64k --time_limit 0.2 --wear_out 0 \
		--memory contiguous,noncontiguous
	[ "$(field outcome | grep -c fail)" -eq 0 ]
	jq -es '[.[] | select(.kind == "result" and .phase == "write")] |
		length == 2 and all(.[]; (.metrics.verified_bytes.value // 0) == .bytes)' "$OUT/journal.jsonl"
}

@test "data that changed on their way are found" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=corrupt=pwrite@1:7,path=.data.,rank=0 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -4 --separate-stderr noncontig "$PARIO" --np 2 --file contiguous --memory contiguous
	[ "$(field outcome | head -n 1)" = fail ]
	[ -z "$(ls -A "$DATA")" ]
	for memory in contiguous noncontiguous; do
		INJECT=corrupt=pwrite@1:7,path=.data.,rank=0 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
			run -4 --separate-stderr noncontig "$PARIO" --np 3 --memory $memory --veclen 24 --veccount 50 --collective 1
		[ "$(field outcome | head -n 1)" = fail ]
	done
}

@test "a client whose writes fail does not keep the others waiting" {
	local injector=$PARIO_BUILD/test/fault/libinject.so program io rank

	[ -e "$injector" ] || skip "the injector is not built"
	for program in $(programs); do
		for io in ompio romio321; do
			for rank in 0 1; do
				INJECT=fail=pwrite@1+:ENOSPC,path=.data.,rank=$rank LD_PRELOAD=$injector OMPI_MCA_io=$io \
					run -3 --separate-stderr noncontig "$program" --np 2 --veccount 1k
				[ "$(field outcome)" = fail ]
				[ -z "$(ls -A "$DATA")" ]
			done
		done
	done
}

@test "vectors that cannot be divided" {
	refuse_noncontig --np 4 --veclen 3
	says "one for each of 4 clients"
	refuse_noncontig --np 4 --veclen 7 --type subarray
	says "is not an array"
}

@test "sizes of zero, or whose product is too large" {
	refuse_noncontig --np 1 --loops 0
	refuse_noncontig --np 1 --element_size 0
	refuse_noncontig --np 1 --veclen 1
	refuse_noncontig --np 1 --element_size 16p --veclen 1m --veccount 1g
	says "2^60"
	refuse_noncontig --np 1 --element_size 64 --veclen 1m --veccount 1k
	says "--buffer_size"
	refuse_noncontig --np 1 --buffer_size 100 --veclen 64
	says "at least a vector"
}

@test "access options that do not apply" {
	refuse_noncontig --np 1 --file_view
	says "do not apply"
}
