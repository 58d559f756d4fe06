#!/usr/bin/env bats
# What becomes of a run when any single call on its files or its journal fails: every nth of a kind, in each client, on both MPIs?
#
# test/fault/each.py counts the calls of a good run and makes it again with each of them failing. The check tries a sample,
# another one every day; `make reliability` all of them. To see one again: what a failure prints, with CHECK_DAY.
load lib

# each CASES [OPTION...]: the table gets how many of how many.
each()
{
	local programs=("openmpi=$PARIO") how=(--jobs 2 --cases 2 --tries 5)

	[ -z "$PARIO_MPICH" ] || programs+=("mpich=$PARIO_MPICH")
	[ $# -eq 1 ] || how=(--jobs 2 "${@:2}")
	run "$PYTHON" "$PARIO_SOURCE/test/fault/each.py" "${how[@]}" ${CHECK_DAY:+--day "$CHECK_DAY"} \
		"$BATS_TEST_TMPDIR/each" "$1" "${programs[@]}"
	echo "$output"
	echo "# $(sed -nE 's/^(tried [0-9]+ of [0-9]+), .*/\1/p' <<<"$output")" >&3
	[ "$status" -eq 0 ]
}

@test "each failing call below transfer, through posix, uring and mmap" {
	each '^transfer (posix|uring|mmap)'
}

@test "each failing call below transfer, through MPI-IO" {
	each '^transfer mpiio'
}

@test "each failing call below transfer, through HDF5 and PnetCDF" {
	each '^transfer (hdf5|pnetcdf)'
}

@test "each failing call below tile, noncontig and noncontig_array" {
	each '^(tile|noncontig)'
}

@test "each failing call below metadata, smallfiles, find and interactive" {
	each '^(metadata|smallfiles|find|interactive)'
}

@test "each failing call below madbench2, beff_io, nht1_application and nht1_peak" {
	each '^(madbench2|beff_io|nht1)'
}

@test "each failing call below overlap and visibility" {
	each '^(overlap|visibility)'
}

@test "calls whose failure was once passed over, or blamed on something else" {
	each '^smallfiles' --fault data 0 close 7 EIO --fault data 1 close 12 EDQUOT
	each '^visibility' --fault data 1 pread 3 EIO --fault out 0 stat 1 ESTALE
	each '^metadata' --fault data 0 fstat 6 EIO
	each '^nht1_peak' --fault data 0 unlink 1 EIO --fault data 1 unlink 24 ESTALE
}
