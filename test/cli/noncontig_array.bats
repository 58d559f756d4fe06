#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The test `noncontig_array`: the array in the file, put together from the clients' regions, against places.py.

load lib

FIXED=(--repetitions 1 --seed 7 --veclen 24 --veccount 50)

# array PROGRAM ARGUMENTS...: one run in $DATA; the journal goes to $OUT.
array()
{
	local program=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "$program" run noncontig_array --dir "$DATA" --output "$OUT" "${FIXED[@]}" "$@"
}

# whole PROGRAM API: all types, together and alone, 2 to 4 clients.
whole()
{
	has_backend "$1" "$2" || skip "$2 is not available"
	run -0 array "$1" --api "$2" --np 4 --clients 2,3,4 --type vector,subarray,nested --collective 0,1 --keep_files
	run -0 "$PYTHON" "$CLI/places.py" array "$OUT/journal.jsonl"
	[ "$output" = 18 ]
	[ "$(jq -r 'select(.phase == "write") | .metrics.verified_bytes.value' "$OUT/journal.jsonl" | sort -u)" = 4800 ]
}

@test "HDF5" {
	whole "$PARIO" hdf5
}

@test "PnetCDF" {
	whole "$PARIO" pnetcdf
}

@test "HDF5 with MPICH" {
	need_mpich
	whole "$PARIO_MPICH" hdf5
}

@test "one client alone, and reading alone" {
	has_backend "$PARIO" hdf5 || skip "hdf5 is not available"
	run -0 array "$PARIO" --api hdf5 --np 1
	[ "$(field phase bytes | tr '\n' ' ')" = "write 2400 read 2400 " ]
	run -0 array "$PARIO" --api hdf5 --np 2 --operations read --read_shift 1
	[ "$(field phase bytes)" = "read 4800" ]
}

@test "interfaces without arrays, and arrays too small" {
	run -2 --separate-stderr array "$PARIO" --np 2 --api posix
	one_sentence
	says "--api hdf5 or pnetcdf"
	has_backend "$PARIO" hdf5 || skip "hdf5 is not available"
	run -2 --separate-stderr array "$PARIO" --np 2 --api hdf5 --veclen 1
	one_sentence
	untouched
}

@test "without --api the first array library that is there is used" {
	has_backend "$PARIO" hdf5 || has_backend "$PARIO" pnetcdf || skip "no array library is available"
	run -0 array "$PARIO" --np 2
	[ "$(field phase bytes | tr '\n' ' ')" = "write 4800 read 4800 " ]
}
