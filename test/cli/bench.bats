#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats sets
# The benches themselves: rows for every depth and number of clients, and the comparison with the run before.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	mkdir bin
	# In place of fio, which is slow: a rate, and what it was asked for.
	cat >bin/fio <<-'END'
		#!/bin/sh
		echo "$*" >>"$CALLS"
		case $* in
		*randread*) echo '{"jobs": [{"read": {"bw_bytes": 1048576}}]}' ;;
		*randwrite*) echo '{"jobs": [{"write": {"bw_bytes": 1048576}}]}' ;;
		esac
	END
	chmod +x bin/fio
	command -v jq >/dev/null || skip "jq is not installed"
}

teardown() { return 0; }

bench()
{
	PATH=$PWD/bin:$PATH CALLS=$PWD/calls BUILD=$PARIO_BUILD ROUNDS=2 QUEUE_DEPTHS="2 8" QUEUE_CLIENTS=3 QUEUE_SECONDS=1 QUEUE_MIB=3 \
		SUMMARY=$PWD/results/$1-bench timeout -k 5 600 "$PARIO_SOURCE/bench/run" queue
}

@test "queues have a row for each depth, peer and number of clients, and the next bench is compared with them" {
	has_backend "$PARIO" uring || skip "io_uring cannot be used here"
	run -0 bench 1
	[ "$(grep -c '^4 KiB random reads, direct, depth .* reached\|^4 KiB random reads, direct, depth .* MISSED' <<<"$output")" -eq 5 ]
	[ "$(grep -c '^4 KiB random writes, direct, depth ' <<<"$output")" -eq 5 ]
	[[ $output != *"beside "* ]]
	grep -q -- '--numjobs=3 .*--rw=randwrite .*--iodepth=32 .*--ioengine=io_uring --registerfiles --fixedbufs' calls
	grep -q -- '--rw=randread .*--iodepth=8 .*--ioengine=io_uring' calls
	grep -q -- '--ioengine=libaio' calls
	run -0 bench 2
	[[ $output == *"journal: $PWD/results/2-bench"* ]]
	[[ $output == *"beside $PWD/results/1-bench:"*"10 points compared"* ]]
	run -0 "$PARIO" compare results/1-bench results/2-bench
	[[ $output == *"np_3"* ]]
}
