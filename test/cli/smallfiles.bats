#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Small random accesses to many files: every place once, every failure counted, cold reads proved.

load lib
load ops

# 5 files of 10000 bytes: 12 places of 800 bytes each, and a rest of 400.
SHAPE=(--files 5 --file_size 10000 --io_size 800 --repetitions 1)

@test "every phase makes exactly its accesses on 1, 2, 3, 4 and 7 clients" {
	local n

	done_well smallfiles --np 7 --clients 1,2,3,4,7 "${SHAPE[@]}"
	for n in 1 2 3 4 7; do
		[ "$(ops $n)" = "create $((n * 5)),write $((n * 60)),read $((n * 60)),destroy $((n * 5))" ]
	done
	[ "$(results 'select(.clients == 3) | .bytes' | paste -sd,)" = 150000,144000,144000,0 ]
	[ "$(results 'select(.clients == 3 and .phase == "write") | .metrics.verified_bytes.value')" -eq 144000 ]
}

@test "the same with MPICH, few open files, and durable after each write" {
	need_mpich
	PROGRAM=$PARIO_MPICH done_well smallfiles --np 3 "${SHAPE[@]}" --open_files 2 --fsync each
	[ "$(ops 3)" = "create 15,write 180,read 180,destroy 15" ]
}

@test "fewer accesses than places: what was not written again still holds its first data" {
	done_well smallfiles --np 2 "${SHAPE[@]}" --accesses 23
	[ "$(ops 2)" = "create 10,write 46,read 46,destroy 10" ]
}

@test "reading alone makes its files first, untimed" {
	done_well smallfiles --np 2 "${SHAPE[@]}" --phases read
	[ "$(ops 2)" = "read 120" ]
}

@test "reads start cold and say what proves it, or they are suspect" {
	done_well smallfiles --np 2 "${SHAPE[@]}"
	[ "$(results 'select(.phase == "read") | .cache.wanted')" = cold ]
	[ "$(results 'select(.phase == "read") | .cache | .pages_total > 0')" = true ]
	[ "$(results 'select(.phase == "read") | .outcome == "suspect" or .cache.pages_resident == 0')" = true ]
}

@test "on tmpfs no read is cold" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] && [ -w /dev/shm ] || skip "/dev/shm is no tmpfs"
	DATA=$(mktemp -d /dev/shm/pario-test.XXXXXX)
	run operate smallfiles --np 2 "${SHAPE[@]}"
	rmdir "$DATA"
	[ "$status" -eq 0 ]
	[ "$(results 'select(.phase == "read") | .outcome')" = suspect ]
	results 'select(.phase == "read") | .reason' | grep -q 'keeps its data in memory'
}

@test "accesses that fail count as failed, not as done" {
	spoiled fail=pwrite@9:EIO,path=/smallfiles/,rank=1 3 smallfiles --np 2 "${SHAPE[@]}"
	[ "$(results 'select(.outcome == "fail") | [.phase, .ops, .metrics.failed_ops.value]')" = '["write",119,1]' ]
	spoiled short=pread@3,path=/smallfiles/,rank=0 3 smallfiles --np 2 "${SHAPE[@]}" --phases read
	[ "$(results '[.phase, .ops, .metrics.failed_ops.value]')" = '["read",119,1]' ]
	spoiled fail=unlink@2:EACCES,path=/smallfiles/0/,rank=0 3 smallfiles --np 2 "${SHAPE[@]}" --phases destroy
	[ "$(results '[.phase, .ops, .metrics.failed_ops.value]')" = '["destroy",9,1]' ]
}

@test "an fsync that fails is an error of its phase" {
	spoiled fail=fsync@1:EIO,path=/smallfiles/,rank=0 3 smallfiles --np 2 "${SHAPE[@]}"
	[ "$(results 'select(.outcome == "fail") | .phase')" = create ]
	results .reason | grep -q 'the fsync of .*/smallfiles/0/file.0 failed: .*EIO'
}

@test "lost, misplaced and altered writes are found, and altered reads" {
	local rule

	for rule in skip corrupt shift; do
		spoiled $rule=pwrite@11,path=/smallfiles/,rank=1 4 smallfiles --np 2 "${SHAPE[@]}" --phases create,write
		[ "$(results 'select(.outcome == "fail") | .phase')" = write ]
	done
	spoiled corrupt=pread@5:3,path=/smallfiles/,rank=0 4 smallfiles --np 2 "${SHAPE[@]}" --phases read
}

@test "after a time limit the later phases take what is there" {
	local made

	done_well smallfiles --np 2 --files 200000 --file_size 8k --time_limit 0.2 --fsync never --repetitions 1
	made=$(results 'select(.phase == "create") | .ops')
	[ "$made" -gt 0 ]
	[ "$(results 'select(.phase == "destroy") | .ops')" -eq "$made" ]
}

@test "contradictions get a sentence" {
	local arguments

	for arguments in "--files 0" "--io_size 0" "--io_size 2k --file_size 1k" "--accesses 61" "--phases erase" \
		"--open_files 0" "--fsync often"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr operate smallfiles --np 2 "${SHAPE[@]}" $arguments
		one_sentence
		untouched
	done
}

@test "files of others in the directory are not touched" {
	mkdir -p "$DATA/smallfiles/0"
	echo mine >"$DATA/smallfiles/0/file.0"
	sums "$DATA" >before
	run -0 operate smallfiles --np 2 "${SHAPE[@]}"
	sums "$DATA" >after
	# the directory itself is newer, nothing in it is
	diff <(grep -v '^\. d' before) <(grep -v '^\. d' after)
}
