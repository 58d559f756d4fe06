#!/usr/bin/env bats
# shellcheck disable=SC2154 # set by bats
# Striping is told and set by the file system's own tools. Here stand-ins are on PATH, and the file system only has the name.
load lib

# stand_in NAME: a program that writes down how it was called, and answers from a file.
stand_in()
{
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/$1" <<END
#!/bin/sh
echo "\$*" >>'$BATS_TEST_TMPDIR/calls'
case "\$*" in
*setstripe*|*setpattern*) cp '$BATS_TEST_TMPDIR/later' '$BATS_TEST_TMPDIR/now'; exit \$(cat '$BATS_TEST_TMPDIR/code') ;;
*) cat '$BATS_TEST_TMPDIR/now' ;;
esac
END
	chmod +x "$BATS_TEST_TMPDIR/bin/$1"
	echo 0 >"$BATS_TEST_TMPDIR/code"
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

called()
{
	cat "$BATS_TEST_TMPDIR/calls"
	grep -qE -- "$1" "$BATS_TEST_TMPDIR/calls"
}

begun()
{
	journal "map(select(.kind == \"begin\")) | first | .machine.filesystem.striping$1"
}

@test "Lustre: striping is read, set for the data, and read back" {
	stand_in lfs
	printf 'stripe_count:  1\nstripe_size:   1048576\nstripe_offset: -1\n' >"$BATS_TEST_TMPDIR/now"
	printf 'stripe_count:  -1\nstripe_size:   4194304\n' >"$BATS_TEST_TMPDIR/later"
	faulty path=none -t lustre
	measure "$PARIO" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(begun ' | "\(.tool) \(.count) \(.size_bytes) \(.all)"')" = "lfs 1 1048576 false" ]
	called "^getstripe -d -y $DATA\$"
	[ "$(grep -c setstripe "$BATS_TEST_TMPDIR/calls")" -eq 0 ]
	[[ $(said) == *"not excluded: the FUSE daemon's cache and whatever is behind it"* ]]
	measure "$PARIO" "${SMALL[@]}" --stripe_count all --stripe_size 4m
	[ "$status" -eq 0 ]
	called "^setstripe -c-1 -S4194304 $DATA/pario-[0-9a-f]{8}\$"
	[ "$(journal 'map(select(.kind == "note" and (.text | startswith("striping")))) | first | .text')" = \
		"striping of the data: stripe count all, stripe size 4 MiB (lfs)" ]
	workspace_is_gone
	echo 5 >"$BATS_TEST_TMPDIR/code"
	measure "$PARIO" "${SMALL[@]}" --stripe_count 4
	[ "$status" -eq 3 ]
	[[ $output == *"pario: lfs setstripe failed for "* ]]
	workspace_is_gone
}

@test "BeeGFS: striping is read and set" {
	stand_in beegfs-ctl
	printf 'Stripe pattern details:\n+ Type: RAID0\n+ Chunksize: 512K\n+ Number of storage targets: desired: 4; actual: 4\n' \
		>"$BATS_TEST_TMPDIR/now"
	cp "$BATS_TEST_TMPDIR/now" "$BATS_TEST_TMPDIR/later"
	faulty path=none -t beegfs
	measure "$PARIO" "${SMALL[@]}" --stripe_count 2
	[ "$status" -eq 0 ]
	[ "$(begun ' | "\(.tool) \(.count) \(.size_bytes)"')" = "beegfs-ctl 4 524288" ]
	called "^--setpattern --numtargets=2 $DATA/pario-[0-9a-f]{8}\$"
}

@test "without its tool nothing is told, and setting it is refused" {
	faulty path=none -t lustre
	measure "$PARIO" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(begun)" = null ]
	measure "$PARIO" "${SMALL[@]}" --stripe_count 4
	[ "$status" -eq 3 ]
	[[ $output == *"lfs setstripe failed"*"it is not on PATH"* ]]
	workspace_is_gone
}

@test "where no tool sets it, MPI-IO gets hints, and others are refused" {
	measure "$PARIO" "${SMALL[@]}" --api mpiio --stripe_count 4 --stripe_size 1m
	[ "$status" -eq 0 ]
	[ "$(journal 'map(select(.kind == "note" and (.text | startswith("MPI-IO hints")))) | first | .text')" = \
		"MPI-IO hints: striping_factor=4 (requested, not confirmed), striping_unit=1048576 (requested, not confirmed)" ]
	measure "$PARIO" "${SMALL[@]}" --stripe_count 4
	[ "$status" -eq 2 ]
	[[ $output == *"lies on no file system whose striping pario can set"* ]]
	measure "$PARIO" "${SMALL[@]}" --api mpiio --stripe_count many
	[ "$status" -eq 2 ]
	[ ! -e "$OUT" ]
}
