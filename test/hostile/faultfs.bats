#!/usr/bin/env bats
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
