#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Memory to disk and back: what is reported, what is proved, what is found, and that memory is taken with care.

load lib
load ops

# 1 MiB of memory for each client, whatever the machine has.
TINY=(--fraction 0.000001 --repetitions 1 --calibration 0.1)
FIXED=(--method threads --direct 1 --request_size 256k --queue_depth 2)

teardown()
{
	local group

	for group in "${GROUPS_MADE[@]}"; do rmdir "$group"; done
	[ -z "$MOUNTED" ] || umount "$MOUNTED" || umount -l "$MOUNTED"
	chmod -R u+w "$BATS_TEST_TMPDIR"
}

on_disk()
{
	case $(stat -f -c %T "$DATA") in
	tmpfs | ramfs) skip "the directory of the tests lies in memory" ;;
	esac
}

@test "write and read on 1, 2, 3 and 4 clients: times, rate and bytes fit together" {
	on_disk
	done_well nht1_peak --np 4 --clients 1,2,3,4 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results '[.clients, .phase, .bytes, .ops]' | paste -sd' ')" = "[1,\"write\",1048576,4] [1,\"read\",1048576,4] \
[2,\"write\",2097152,8] [2,\"read\",2097152,8] [3,\"write\",3145728,12] [3,\"read\",3145728,12] \
[4,\"write\",4194304,16] [4,\"read\",4194304,16]" ]
	[ "$(results 'select(.phase == "read") | .bytes == .metrics.verified_bytes.value' | sort -u)" = true ]
	# R_PEAK = 2 bytes / (T_PREAD + T_PWRITE), since less than 80 % was moved
	jq -se '[.[] | select(.kind == "result")] | group_by(.clients) | length == 4 and all(.[];
		(map(.metrics.T_PWRITE.value // 0) | add) as $w | (map(.metrics.T_PREAD.value // 0) | add) as $r |
		(map(.metrics.R_PEAK.value // 0) | add) as $rate | .[0].bytes as $b |
		$w > 0 and $r > 0 and ($rate * ($w + $r) / (2 * $b) - 1 | fabs) < 1e-9)' "$OUT/journal.jsonl"
	[ "$(grep -c '^  R_PEAK  *[0-9]*\.[0-9][0-9] B/s$' "$OUT/nht1_peak.txt")" -eq 4 ]
	[ "$(grep -c ': NOT CONFORMING, less than 80 %' "$OUT/nht1_peak.txt")" -eq 4 ]
	[ "$(results '.metrics | .S_MEM.value > 0 and .fraction.value < 0.8' | sort -u)" = true ]
}

@test "before the read nothing of the data is cached, and that was counted" {
	on_disk
	done_well nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results 'select(.phase == "read") | .cache | [.wanted, .pages_total, .pages_resident]')" = '["cold",512,0]' ]
	results 'select(.phase == "read") | .cache.method' | grep -qE '^(cachestat|mincore)$'
	[ "$(results 'select(.phase == "write") | .cache.method')" = "new file" ]
}

@test "less than 80 % of memory is flagged as not conforming" {
	done_well nht1_peak --np 1 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results .outcome | sort -u)" = suspect ]
	[ "$(results .reason | grep -c 'not conforming to NHT-1: 1 MiB were moved, .* instead of 80 %')" -eq 2 ]
}

@test "the calibration tries several ways, and the fastest is taken" {
	on_disk
	done_well nht1_peak --np 2 "${TINY[@]}"
	[ "$(results .phase | paste -sd,)" = calibrate,write,read ]
	[ "$(results 'select(.phase == "calibrate") | .sheets.trials.rows | map(.[0]) | unique | contains(["threads"])')" = true ]
	[ "$(results 'select(.phase == "calibrate") | .sheets.trials.rows | map(.[7]) | unique')" = '[""]' ] # none failed
	# the way that is said is the one whose trials, without the first that only looks, have the best rate
	jq -se '[.[] | select(.kind == "result")] as $r | ($r[0].sheets.trials.rows[1:] | group_by(.[0:4]) |
		map({way: .[0][0:4], time: map(1 / .[5]) | add}) | min_by(.time).way) == $r[1].sheets.way.rows[0][1:5]' \
		"$OUT/journal.jsonl"
	jq -se '[.[] | select(.kind == "result")] as $r | ($r[0].sheets.trials.rows[1:] | group_by(.[0:4]) |
		map({way: .[0][0:4], time: map(1 / .[6]) | add}) | min_by(.time).way) == $r[2].sheets.way.rows[0][1:5]' \
		"$OUT/journal.jsonl"
}

@test "each way works, and is said" {
	local method direct

	for method in threads uring; do
		[ $method = threads ] || has_backend "$PARIO" uring || continue
		for direct in 0 1; do
			[ $direct = 0 ] || on_disk
			done_well nht1_peak --np 2 "${TINY[@]}" --method $method --direct $direct --request_size 64k --queue_depth 3
			[ "$(results '.sheets.way.rows[0][1:5]' | sort -u)" = "[\"$method\",$direct,65536,3]" ]
			[ "$(results .ops | sort -u)" -eq 32 ]
		done
	done
}

@test "the same with MPICH" {
	need_mpich
	PROGRAM=$PARIO_MPICH done_well nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results .bytes | sort -u)" -eq 2097152 ]
}

@test "on a file system in memory it runs and says that no device was measured" {
	[ -w /dev/shm ] || skip "no /dev/shm"
	DATA=$(mktemp -d /dev/shm/pario-test.XXXXXX)
	run -0 operate nht1_peak --np 2 "${TINY[@]}"
	rmdir "$DATA" # nothing was left in it
	[ "$(results 'select(.phase != "calibrate") | .reason | test("keeps its data in memory")' | sort -u)" = true ]
	[ "$(results 'select(.phase == "read") | .metrics.verified_bytes.value')" -eq 2097152 ]
}

@test "a byte that changes on its way back is found" {
	on_disk
	spoiled corrupt=pread@3:100,path=peak/ 4 nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	[ "$(results 'select(.phase == "read") | .outcome')" = fail ]
	results 'select(.phase == "read") | .reason' | grep -q 'wrong data in .*peak/.*should be 0x.* and is 0x'
}

@test "a write that is lost, and one that goes elsewhere, are found" {
	on_disk
	spoiled skip=pwrite@2,path=peak/ 4 nht1_peak --np 1 "${TINY[@]}" "${FIXED[@]}"
	results .reason | grep -q 'zeros, as in a hole'
	spoiled shift=pwrite@2:4096,path=peak/ 4 nht1_peak --np 1 "${TINY[@]}" "${FIXED[@]}"
}

@test "a read that brings nothing is found, since memory was overwritten" {
	on_disk
	spoiled skip=pread@2,path=peak/ 4 nht1_peak --np 1 "${TINY[@]}" "${FIXED[@]}"
	results 'select(.phase == "read") | .reason' | grep -q 'wrong data'
}

@test "a disk that is full and an fsync that fails get a sentence" {
	on_disk
	spoiled fail=pwrite@2:ENOSPC,path=peak/ 3 nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	results .reason | grep -q 'pwrite of .* failed in .*peak/.*ENOSPC'
	spoiled fail=fsync@1:EIO,path=peak/ 3 nht1_peak --np 2 "${TINY[@]}" "${FIXED[@]}"
	results .reason | grep -q 'fsync failed in .*EIO'
}

@test "a cgroup's limit is the memory, and it is never exceeded" {
	local group=/sys/fs/cgroup/memory/pario-test-$$ limit=memory.limit_in_bytes max=memory.max_usage_in_bytes

	[ -e /sys/fs/cgroup/memory/$limit ] || group=/sys/fs/cgroup/pario-test-$$ limit=memory.max max=memory.peak
	mkdir "$group" 2>/dev/null || skip "no cgroup can be made here"
	GROUPS_MADE+=("$group")
	echo 268435456 >"$group/$limit" || skip "no memory limit can be set here"
	# shellcheck disable=SC2016 # for the inner shell
	run -0 bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec timeout 300 "$@"' - "$group" \
		"$PARIO" run nht1_peak --dir "$DATA" --output "$OUT" --quiet --np 2 --repetitions 1 "${FIXED[@]}"
	[ "$(results .metrics.memory_allowed.value | sort -u)" -eq 268435456 ]
	[ "$(results .metrics.S_MEM.value | sort -u)" -gt 268435456 ]
	# 80 % do not fit beside MPI itself: what does was taken, and that is said
	[ "$(results '.bytes > 0 and .bytes < 0.8 * 268435456' | sort -u)" = true ]
	results .reason | grep -q 'memory or disk had no room for more'
	[ ! -e "$group/memory.events" ] || grep -q '^oom_kill 0' "$group/memory.events"
	[ "$(cat "$group/$max" 2>/dev/null || echo 0)" -le 268435456 ]
}

@test "80 % of what a cgroup allows is measured, said, and does not conform: the system has more" {
	local bytes=805306368 group=/sys/fs/cgroup/memory/pario-test-$$ limit=memory.limit_in_bytes

	on_disk
	[ -e /sys/fs/cgroup/memory/$limit ] || group=/sys/fs/cgroup/pario-test-$$ limit=memory.max
	mkdir "$group" 2>/dev/null || skip "no cgroup can be made here"
	GROUPS_MADE+=("$group")
	echo $bytes >"$group/$limit" || skip "no memory limit can be set here"
	# shellcheck disable=SC2016 # for the inner shell
	run -0 bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec timeout 300 "$@"' - "$group" \
		"$PARIO" run nht1_peak --dir "$DATA" --output "$OUT" --quiet --np 1 --repetitions 1 "${FIXED[@]}"
	[ "$(results "[.metrics.memory_allowed.value == $bytes, .bytes >= 0.8 * $bytes, .bytes < 0.8 * .metrics.S_MEM.value, .outcome,
		(.reason | test(\"not conforming to NHT-1: .* of memory, instead of 80 %; a container or cgroup allows only 768 MiB of it\"))]" |
		sort -u)" = '[true,true,true,"suspect",true]' ]
	[ "$(results .metrics.S_MEM.value | sort -u)" -eq "$(($(awk '/^MemTotal:/ { print $2 }' /proc/meminfo) * 1024))" ]
	# what was moved takes the place of 80 % of memory
	jq -se "[.[] | select(.kind == \"result\")] | (.[0].metrics.T_PWRITE.value + .[1].metrics.T_PREAD.value) as \$t |
		.[1].metrics.R_PEAK.value * \$t / (2 * .[1].bytes) - 1 | fabs < 1e-9" "$OUT/journal.jsonl"
	grep -q '^  allowed  *805306368 B     768 MiB by a container or cgroup' "$OUT/nht1_peak.txt"
	grep -q '^  moved .* % of S_MEM: NOT CONFORMING, less than 80 %$' "$OUT/nht1_peak.txt"
}

# A ring that still held the files of trials would leave no room for the next.
@test "a file system with room for the data once, in several repetitions" {
	mkdir small
	mount -t tmpfs -o size=20m none small 2>/dev/null || skip "no file system can be mounted here"
	MOUNTED=$PWD/small
	DATA=$MOUNTED
	done_well nht1_peak --np 1 --repetitions 3 --calibration 0.1
	[ "$(results 'select(.phase != "calibrate") | .bytes' | sort -u)" -eq $((18 * 1048576)) ]
	[ "$(results 'select(.phase == "calibrate") | .sheets.trials.rows | map(.[7]) | unique' | sort -u)" = '[""]' ]
	dd if=/dev/zero of=small/full bs=1M count=19 2>/dev/null
	run -3 --separate-stderr operate nht1_peak --np 1 "${TINY[@]}"
	says "the file system of --dir has less than 1 MiB"
	[ "$(ls -A small)" = full ]
}

@test "contradictions get a sentence" {
	local arguments

	for arguments in "--fraction 0" "--fraction 1" "--request_size 1000" "--queue_depth 257" "--method ftp" \
		"--direct 2" "--calibration 0"; do
		# shellcheck disable=SC2086 # two words
		run -2 --separate-stderr operate nht1_peak --np 1 "${TINY[@]}" $arguments
		one_sentence
		untouched
	done
}

@test "interrupted, it stops and leaves nothing" {
	on_disk
	set -m
	timeout -k 5 "$LIMIT_S" "$PARIO" run nht1_peak --dir "$DATA" --output "$OUT" --np 2 --fraction 0.000001 \
		--repetitions 1000000 --calibration 0.1 --quiet 3>&- &
	PID=$!
	set +m
	until_true "$LIMIT_S" jq -se 'map(select(.kind == "result")) | length >= 4' "$OUT/journal.jsonl" >/dev/null 2>&1
	kill -INT -"$PID"
	status=0
	wait "$PID" || status=$?
	[ "$status" -eq 130 ]
	[ -z "$(ls -A "$DATA")" ]
}
