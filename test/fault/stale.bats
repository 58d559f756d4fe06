#!/usr/bin/env bats
# shellcheck disable=SC2034 # TEST is read in lib.bash
# Network file systems show old sizes for a while. Where clients look through different mounts, what looks too short is looked at
# again: it is told as stale where it is right later, and as missing where it stays so.
load lib

# Client 1 has a mount of its own, whose view of the file is old.
STALE=mount=own,rank=1,path=.data.

# stale: the write is right in the end, and the journal says who saw it late.
stale()
{
	[ "$status" -eq 0 ]
	[ "$(phase write outcome)" = suspect ]
	[[ $(phase write reason) == *"stale on node "*"data are missing in "*"It was right "*" s later: nothing was lost"* ]]
	journal_is_sound
	workspace_is_gone
}

@test "noncontig: an old size is looked at again" {
	TEST=noncontig
	spoil "$STALE,old=pread@1" "$PARIO" --np 2 --element_size 64 --operations write --repetitions 1
	stale
	spoil "$STALE,old=pread@1+" "$PARIO" --np 2 --element_size 64 --operations write --repetitions 1
	failed 4 "data are missing in"
	[[ $output == *"It stayed so for "*" s, with caches emptied"* ]]
}

# What ROMIO reads between its pieces it writes back.
@test "noncontig: data that stay wrong name data sieving, where it can be the cause" {
	local program

	TEST=noncontig
	export OMPI_MCA_io=romio321
	for program in $(builds); do
		spoil "$STALE,corrupt=pread@1+" "$program" --np 2 --element_size 64 --operations write --repetitions 1
		failed 4 "wrong data in"
		[[ $output == *"It stayed so for "*"try --romio_ds_write disable."* ]]
		spoil "$STALE,corrupt=pread@1+" "$program" --np 2 --element_size 64 --operations write --repetitions 1 \
			--romio_ds_write disable
		failed 4 "wrong data in"
		[[ $output != *"try --romio_ds_write disable."* ]]
	done
}

@test "tile: an old size is looked at again" {
	TEST=tile
	spoil "$STALE,old=pread@1" "$PARIO" --np 2 --sz_tile_x 64 --sz_tile_y 64 --operations write --repetitions 1
	stale
}

@test "beff_io: an old size is looked at again" {
	TEST=beff_io
	spoil "rank=0,path=.p0.,old=fstat@1" "$PARIO" --np 2 --minutes 0.0167 --memory_per_node 256m
	[ "$status" -eq 0 ]
	[ "$(journal 'map(select(.outcome == "fail")) | length')" -eq 0 ]
	workspace_is_gone
}

# A node may take a name for the file that had it before.
@test "the parts of a glance have files of their own" {
	local log=$BATS_TEST_TMPDIR/opened

	INJECT=mount=own,rank=1,path=.data.,delay=open@1+:1us INJECT_LOG=$log LD_PRELOAD=$INJECTOR timeout -k 5 "$LIMIT_S" "$PARIO" \
		glance --np 2 --parts large,large_cached --minutes 1 --space 64m --repetitions 2 --dir "$DATA" --output "$OUT" 3>&-
	[ "$(sed 's/.*\(\.data\.\)/\1/' "$log" | sort -u | sed 's/\.[0-9]*$//' | uniq | wc -l)" -eq 4 ]
}
