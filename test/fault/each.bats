#!/usr/bin/env bats
# What becomes of a run when any single call on its files or its journal fails: every nth of a kind, in each client, on both MPIs?
#
# test/fault/each.py counts the calls of a good run and makes it again with each of them failing. The check tries a sample,
# another one every day; CHECK_TORTURE=full (make reliability) all. To see one again: what a failure prints, with CHECK_DAY.
load lib

# each CASES: the table gets how many of how many.
each()
{
	local programs=("openmpi=$PARIO") how=(--cases 2 --tries 8)

	[ -z "$PARIO_MPICH" ] || programs+=("mpich=$PARIO_MPICH")
	[ "${CHECK_TORTURE:-}" != full ] || how=(--all)
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
