#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `tile`: sizes, places and contents of the tiles against formulae of places.py and known values, both MPIs.

load lib

FIXED=(--repetitions 1 --seed 7)

# tile PROGRAM ARGUMENTS...: one run in $DATA; the journal goes to $OUT.
tile()
{
	local program=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$program" run tile --dir "$DATA" --output "$OUT" "${FIXED[@]}" "$@"
}

# places: what the kept files hold, as places.py prints it; they are removed.
places()
{
	"$PYTHON" "$CLI/places.py" tile "$OUT/journal.jsonl"
	rm -rf "${DATA:?}"/*
}

programs()
{
	echo "$PARIO"
	if [ -x "$PARIO_MPICH" ]; then echo "$PARIO_MPICH"; fi
}

metric() { "$PYTHON" "$CLI/journal.py" fields "$OUT/journal.jsonl" "metrics.$1.value"; }

verified()
{
	jq -r 'select(.phase == "write") | .metrics.verified_bytes.value' "$OUT/journal.jsonl"
}

refuse_tile()
{
	run -2 --separate-stderr tile "$PARIO" "$@"
	one_sentence
	untouched
}

@test "2 x 2 tiles of the default size" {
	local program
	for program in $(programs); do
		for together in 0 1; do
			run -0 tile "$program" --np 4 --keep_files --collective $together
			run -0 places
			[ "$output" = "12582912 0 3072 6291456 6294528" ]
			[ "$(metric file_bytes | sort -u)" = 12582912 ]
			[ "$(verified)" = 12582912 ]
		done
	done
}

@test "3 x 2 tiles with overlap and header" {
	local program
	for program in $(programs); do
		for together in 0 1; do
			run -0 tile "$program" --np 6 --nr_tiles_x 3 --nr_tiles_y 2 --sz_tile_x 1024 --sz_tile_y 768 \
				--overlap_x 270 --overlap_y 128 --header_bytes 32 --keep_files --collective $together
			run -0 places
			[ "$output" = "10695200 32 2294 4556 4861472 4863734 4865996" ]
			[ "$(metric width | sort -u)" = 2532 ]
			[ "$(metric height | sort -u)" = 1408 ]
		done
	done
}

@test "Open MPI's ROMIO" {
	OMPI_MCA_io=romio321 run -0 tile "$PARIO" --np 4 --sz_tile_x 100 --sz_tile_y 30 --overlap_x 9 --overlap_y 4 \
		--header_bytes 5 --keep_files --collective 0,1
	run -0 places
	[ "${#lines[@]}" -eq 2 ]
	[ "${lines[0]}" = "${lines[1]}" ]
}

# Open MPI 4.1's OMPIO writes behind its buffer there: the run is refused with the way out, or it is right.
@test "narrow tiles that overlap, written together" {
	local narrow=(--np 6 --nr_tiles_x 3 --nr_tiles_y 2 --sz_tile_x 3 --sz_tile_y 10 --sz_element 13 --overlap_x 1
		--header_bytes 32 --collective 1) operations program

	for operations in write,read read; do
		for program in $(programs); do
			run tile "$program" "${narrow[@]}" --operations $operations
			[ "$status" -eq 0 ] || [[ $status -eq 2 && $output == *"corrupts memory in collective writes"*"--mpiio_impl romio"* ]]
		done
	done
	run -0 tile "$PARIO" "${narrow[@]}" --mpiio_impl romio
	run -0 tile "$PARIO" "${narrow[@]}" --collective 0
}

@test "tiles are arranged from the clients, as square as possible" {
	run -0 tile "$PARIO" --np 4 --clients 1,2,3,4 --sz_tile_x 16 --sz_tile_y 8 --keep_files
	run -0 places
	[ "${lines[0]}" = "384 0" ]
	[ "${lines[1]}" = "768 0 48" ]
	[ "${lines[2]}" = "1152 0 48 96" ]
	[ "${lines[3]}" = "1536 0 48 768 816" ]
}

@test "clients without a tile do not keep the others waiting" {
	local program
	for program in $(programs); do
		run -0 tile "$program" --np 4 --nr_tiles_x 1 --nr_tiles_y 2 --sz_tile_x 33 --sz_tile_y 7 \
			--collective 0,1 --keep_files --time_limit 60
		run -0 places
		[ "${lines[0]}" = "1386 0 693" ]
		[ "${lines[1]}" = "1386 0 693" ]
		[ "$(field bytes | sort -u)" = 1386 ]
	done
}

@test "reading alone makes the data first" {
	run -0 tile "$PARIO" --np 2 --operations read --sz_tile_x 64 --sz_tile_y 64
	[ "$(field phase bytes)" = "read 24576" ]
}

@test "reading another client's tile" {
	run -0 tile "$PARIO" --np 3 --read_shift 1 --sz_tile_x 50 --sz_tile_y 20 --collective 0,1
	[ "$(verified | tr '\n' ' ')" = "9000 9000 " ]
	[ "$(field phase bytes | sort -u | tr '\n' ' ')" = "read 9000 write 9000 " ]
}

@test "the rate of the original is all tiles over the longest call" {
	run -0 tile "$PARIO" --np 2 --operations write
	field bytes latency_ns.max metrics.tile_io_rate_mib_s.value seconds.total rate_mib_s | "$PYTHON" -c '
import math, sys
size, longest, original, total, rate = map(float, sys.stdin.read().split())
assert math.isclose(original, size / 2**20 / (longest / 1e9), rel_tol=1e-9), original
assert math.isclose(rate, size / 2**20 / total, rel_tol=1e-9), rate
assert longest / 1e9 <= total'
}

@test "data that changed on their way are found" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=corrupt=pwrite@1:7,path=.data.,rank=0 LD_PRELOAD=$injector OMPI_MCA_io=romio321 \
		run -4 --separate-stderr tile "$PARIO" --np 2 --sz_tile_x 4096 --sz_tile_y 1
	[ "$(field outcome | head -n 1)" = fail ]
	[ -z "$(ls -A "$DATA")" ]
}

@test "tiles that need more clients than there are" {
	refuse_tile --np 2 --nr_tiles_x 3 --nr_tiles_y 2
	says "3 x 2 tiles need 6 clients and there are 2"
	says "--np"
}

@test "an overlap as large as a tile" {
	refuse_tile --np 2 --sz_tile_x 10 --overlap_x 10
	says "--overlap_x below --sz_tile_x"
	refuse_tile --np 2 --sz_tile_y 10 --overlap_y 11
}

@test "counts and sizes of zero or less" {
	refuse_tile --np 1 --sz_tile_x 0
	says "--sz_tile_x"
	refuse_tile --np 1 --sz_tile_y -1
	refuse_tile --np 1 --sz_element 0
	refuse_tile --np 1 --operations ""
}

@test "sizes whose product is too large" {
	refuse_tile --np 1 --sz_tile_x 65536 --sz_tile_y 65536
	says "too large"
	refuse_tile --np 1 --sz_tile_x 16p --sz_tile_y 16p
	refuse_tile --np 1 --sz_element 16p
	refuse_tile --np 1 --header_bytes 9223372036854775807
}

@test "access options that do not apply" {
	refuse_tile --np 1 --direct
	says "do not apply"
	refuse_tile --np 1 --queue_depth 4
}
