#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # variables that bats sets
# A file system below the program that fails, flips, loses or hangs chosen calls.

load lib

# spoiled RULES...: each faulty call in a file system of its own; the run's status and output are what is looked at.
under()
{
	local rules=$1

	shift
	faulty "$rules"
	measure "$(quickest)" "${SMALL[@]}" "$@"
	was_spoiled
}

@test "the injector itself: fails, flips, loses, delays and counts what it is told to" {
	faulty fail=write@2:ENOSPC,corrupt=read@1:1,skip=unlink@1,delay=mkdir@1:10ms -c "$BATS_TEST_TMPDIR/counts"
	echo one >"$DATA/a"
	run bash -c "echo two >'$DATA/b'"
	[[ $status -ne 0 && $output == *"No space left"* ]]
	[ "$(od -An -tx1 -N2 "$DATA/a" | tr -d ' ')" = 6f91 ]
	rm "$DATA/a" && [ -e "$BATS_TEST_TMPDIR/below/a" ]
	mkdir "$DATA/d"
	[ "$(cut -d' ' -f1,2 "$LOG" | sort | paste -sd,)" = "mkdir 1,read 1,unlink 1,write 2" ]
	healthy
	grep -qx 'write 2' "$BATS_TEST_TMPDIR/counts"
	run "$FAULTFS" -o fail=nothing@1:EIO "$BATS_TEST_TMPDIR/below" "$DATA"
	[ "$status" -eq 2 ]
	faulty fail=write@1:EIO,byte=5000
	run dd if=/dev/zero of="$DATA/c" bs=4096 count=3
	[ "$status" -ne 0 ] && [ "$(stat -c %s "$DATA/c")" -eq 4096 ] && [ "$(wc -l <"$LOG")" -eq 1 ]
}

@test "a write that fails with ENOSPC or EIO below: the run fails with that name and leaves nothing" {
	tried 2
	for error in ENOSPC EIO; do
		under "fail=write@5+:$error,path=.data"
		failed 3 "$error"
		healthy
	done
}

@test "one byte flipped in what is stored, or in what is read: the run does not pass" {
	tried 2
	for rule in corrupt=write@3:100 corrupt=read@2:100; do
		under "$rule,path=.data"
		[ "$status" -eq 4 ]
		journal_is_sound
		healthy
	done
}

# each_below CALL WORDS...: the call that moves a byte of the shared file fails: its first, the first of the second client, its
# last. By the byte and not by number: how many writes the kernel makes of mapped pages is another in each run.
each_below()
{
	local call=$1 byte times=1

	shift
	# one read that fails ahead of the program is made again by the kernel
	[ "$call" = write ] || times=1+
	for byte in 0 262144 524287; do
		faulty "fail=$call@$times:EIO,path=.data,byte=$byte"
		measure "$(quickest)" "$@"
		was_spoiled
		[ "$status" -eq 3 ]
		[[ $output == *"(EIO)"* && $output == *"client "[01]" on "* ]]
		journal_is_sound
		healthy
		[ -z "$(ls -A "$BATS_TEST_TMPDIR/below")" ] || "$PARIO" clean "$BATS_TEST_TMPDIR/below"
	done
}

# What test/fault/inject.c does not see, as these calls do not go through the C library's functions.
@test "requests of io_uring and pages of mmap that fail below: the first byte, one between and the last" {
	tried 12
	for call in write read; do
		for api in uring mmap; do
			each_below $call "${SMALL[@]}" --api $api
		done
	done
}
