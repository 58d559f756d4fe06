#!/usr/bin/env bats
# Is a rate of the page cache ever passed off as one of storage?
load lib

# A device that cannot read faster than 8 MiB/s, for processes of one group: a known answer.
throttled_device()
{
	local group=/sys/fs/cgroup/blkio/pario-$$-$BATS_TEST_NUMBER numbers

	need_root
	command -v mkfs.ext4 >/dev/null || skip "mkfs.ext4 is not installed"
	[ -e /sys/fs/cgroup/blkio/blkio.throttle.read_bps_device ] || skip "no blkio throttle of cgroup version 1"
	truncate -s 96m "$BATS_TEST_TMPDIR/image"
	mkfs.ext4 -q -F "$BATS_TEST_TMPDIR/image"
	loop_device "$BATS_TEST_TMPDIR/image"
	mounted "$LOOP" "$DATA"
	rmdir "$DATA/lost+found"
	mkdir "$group" || skip "cannot make a cgroup"
	CGROUPS+=("$group")
	numbers=$(lsblk -nro MAJ:MIN "$LOOP" 2>/dev/null | head -n 1)
	echo "$numbers 8388608" >"$group/blkio.throttle.read_bps_device" || skip "cannot throttle $LOOP"
	GROUP=$group
}

# throttled ARGUMENTS...: a run whose processes all are in the group.
throttled()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	measure "$BATS_TEST_TMPDIR/inside" "$@"
}

inside_group()
{
	printf '#!/bin/sh\necho $$ >"%s/cgroup.procs"\nexec "%s" "$@"\n' "$GROUP" "$1" >"$BATS_TEST_TMPDIR/inside"
	chmod +x "$BATS_TEST_TMPDIR/inside"
}

READING=(--np 2 --transfer_size 256k --block_size 8m --operations read --verify 0 --repetitions 1)

@test "a sustained read is not faster than a device of known speed" {
	local options rate

	throttled_device
	inside_group "$PARIO"
	for options in '' '--layout per_client' '--direct 1' '--api mpiio' '--api mmap'; do
		# shellcheck disable=SC2086 # several words
		throttled "${READING[@]}" $options
		[ "$status" -eq 0 ]
		rate=$(phase read rate_mib_s)
		echo "$options: $rate MiB/s"
		[ "$(phase read cache.pages_resident)" -eq 0 ]
		jq -en "$rate < 8 * 1.3"
	done
}

@test "a cached read of the same data is faster, and says that it is cached" {
	once_of 5 # others may use the memory, or the processors
	throttled_device
	inside_group "$PARIO"
	throttled "${READING[@]}" --durability cached
	[ "$status" -eq 0 ]
	jq -en "$(phase read rate_mib_s) > 8 * 1.3"
	[ "$(phase read cache.wanted)" = any ]
}

on_disk()
{
	[ "$(stat -f -c %T "$DATA")" != tmpfs ] || skip "the scratch directory is in memory"
}

@test "data that will not leave the cache make a read suspect" {
	once_of 5 # but the kernel may take the memory
	on_disk
	spoil skip=fadvise@1+,path=.data. "$(quickest)" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(phase read outcome)" = suspect ]
	[[ $(phase read reason) =~ "% of the file was still cached ("[1-9][0-9]*" of 128 pages)" ]]
	[ "$(phase read cache.pages_resident)" -gt 0 ]
	[ "$(journal 'last | .outcome')" = suspect ]
	journal_is_sound
}

@test "data that left the cache are shown to have left it" {
	on_disk
	measure "$(quickest)" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(phase read cache.wanted)" = cold ]
	[ "$(phase read cache.pages_total)" -eq 128 ]
	[ "$(phase read cache.pages_resident)" -eq 0 ]
}

@test "a file system in memory is no storage device" {
	[ -d /dev/shm ] && [ -w /dev/shm ] || skip "/dev/shm is not writable"
	DATA=$(mktemp -d /dev/shm/pario-cache.XXXXXX)
	measure "$(quickest)" "${SMALL[@]}"
	workspace_is_gone
	rmdir "$DATA"
	[ "$status" -eq 0 ]
	[ "$(phase read outcome)" = suspect ]
	[[ $(phase read reason) == *"keeps its data in memory"* ]]
}
