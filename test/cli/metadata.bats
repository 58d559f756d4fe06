#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# The metadata test: every operation counted once, trees of the right shape, failures counted as failures.

load lib
load ops

FILES=(--phases "file_create,file_stat,file_read,file_remove")

# With n clients of i items in d directories: exactly this many operations in each phase.
expected()
{
	local n=$1 i=$2 d=$3

	echo "tree_create $d,dir_create $((n * i)),dir_stat $((n * i)),dir_rename $((n * i)),dir_remove $((n * i)),\
file_create $((n * i)),file_stat $((n * i)),file_read $((n * i)),file_remove $((n * i)),tree_remove $d"
}

@test "every phase makes exactly its operations on 1, 2, 3, 4 and 7 clients" {
	local n

	done_well metadata --np 7 --clients 1,2,3,4,7 --items 30 --repetitions 1
	for n in 1 2 3 4 7; do
		[ "$(ops $n)" = "$(expected $n 30 1)" ]
	done
}

@test "with --looks files are looked at so often, and made and removed once, in any order" {
	done_well metadata --np 2 --items 7 --looks 9 --order random --phases file_create,file_stat,file_remove --repetitions 1
	[ "$(ops 2)" = "file_create 14,file_stat 126,file_remove 14" ]
}

@test "the same with MPICH" {
	need_mpich
	PROGRAM=$PARIO_MPICH done_well metadata --np 3 --items 30 --repetitions 2
	[ "$(ops 3)" = "$(expected 3 30 1)" ]
}

@test "any number of repetitions, each with a directory of its own" {
	done_well metadata --np 2 --items 2 --phases file_create --repetitions 17
}

# Where several clients make one directory at once, GlusterFS says that it is there before it can be opened.
@test "what all clients share is made by one of them" {
	[ -e "$INJECTOR" ] || skip "the fault injector is not built"
	INJECT=path=test-dir. INJECT_COUNT=$PWD/counts LD_PRELOAD=$INJECTOR done_well metadata --np 2 --items 12 --depth 1 --branch 2 \
		--phases file_create --repetitions 1
	grep -q "^0 mkdir" counts
	run ! grep "^1 mkdir" counts
}

@test "a tree for each client: its directories are each client's to make" {
	done_well metadata --np 3 --unique --depth 2 --branch 3 --items 130 --write_bytes 100 --read_bytes 60 \
		--order random --repetitions 2
	[ "$(ops 3)" = "$(expected 3 130 39)" ]
	[ "$(results 'select(.phase == "file_create") | .bytes')" = $'39000\n39000' ]
	[ "$(results 'select(.phase == "file_read") | .bytes')" = $'23400\n23400' ]
}

@test "items are spread evenly and rounded down, or counted per directory" {
	done_well metadata --np 2 --depth 1 --branch 4 --items 23 --phases file_create --repetitions 1
	[ "$(ops 2)" = "file_create 40" ]
	done_well metadata --np 2 --depth 2 --branch 2 --items_per_directory 3 --phases file_create --repetitions 1
	[ "$(ops 2)" = "file_create 42" ]
	done_well metadata --np 2 --depth 2 --branch 2 --items_per_directory 3 --leaf_only --phases file_create \
		--repetitions 1
	[ "$(ops 2)" = "file_create 24" ]
}

# (branch^(depth+1) - 1) / (branch - 1), depth + 1 where branch is 1; counted by find, not by pario.
@test "the kept tree has the shape of the formula and the names of mdtest" {
	local shape branch depth directories top

	for shape in "1 0 1" "1 4 5" "2 3 15" "3 2 13" "10 2 111" "7 3 400"; do
		read -r branch depth directories <<<"$shape"
		rm -rf "${DATA:?}"/*
		run -0 operate metadata --np 2 --branch "$branch" --depth "$depth" --items_per_directory 2 \
			--phases file_create --repetitions 1 --keep_files
		top=("$DATA"/pario-*/test-dir.0-0)
		[ "$(find "${top[0]}" -type d -name 'mdtest_tree.*' | wc -l)" -eq "$directories" ]
		[ "$(find "${top[0]}" -type f -name 'file.mdtest.[01].*' | wc -l)" -eq $((4 * directories)) ]
		[ "$(find "${top[0]}" -type d -name 'mdtest_tree.*' -printf '%d\n' | sort -n | tail -n 1)" -eq $((depth + 1)) ]
		[ "$(results .metrics.directories.value)" -eq "$directories" ]
	done
	[ -e "${top[0]}/mdtest_tree.0/mdtest_tree.1/mdtest_tree.8/mdtest_tree.57" ]
}

@test "what a phase needs and no phase makes is made without being timed" {
	done_well metadata --np 2 --items 20 --phases file_stat,dir_rename,tree_remove --repetitions 1
	[ "$(ops 2)" = "dir_rename 40,file_stat 40,tree_remove 1" ]
}

@test "directories are synced after a file was made in each, which is gone afterwards" {
	local durable

	for durable in 0 1; do
		done_well metadata --np 2 --items 6 --fsync $durable --phases dir_create,dir_fsync,dir_remove --repetitions 1
		[ "$(ops 2)" = "dir_create 12,dir_fsync 12,dir_remove 12" ]
	done
	done_well metadata --np 2 --items 6 --phases dir_fsync --unique --repetitions 2
	[ "$(ops 2)" = "dir_fsync 12" ]
	# each is synced before the file is made, and then timed: the fourth is the second one's
	spoiled fail=fsync@4:EIO,path=dir.mdtest,rank=1 3 metadata --np 2 --items 6 --phases dir_fsync --repetitions 1
	[ "$(results '[.phase, .outcome, .ops, .metrics.failed_ops.value]')" = '["dir_fsync","fail",11,1]' ]
	results .reason | grep -q 'the fsync of .*/dir.mdtest.0.1 failed: .*EIO'
}

@test "names that are not there are looked for beside the files, and only when asked to" {
	done_well metadata --np 2 --items 6 --phases file_create,file_absent,file_remove --repetitions 1
	[ "$(ops 2)" = "file_create 12,file_absent 12,file_remove 12" ]
	done_well metadata --np 2 --items 6 --phases file_absent,tree_remove --unique --repetitions 2
	[ "$(ops 2)" = "file_absent 12,tree_remove 2" ]
}

@test "files are opened and closed in phases of their own, and only when asked to" {
	done_well metadata --np 2 --items 6 --write_bytes 100 --read_bytes 60 --phases file_open,file_close,file_read --repetitions 1
	[ "$(ops 2)" = "file_open 12,file_close 12,file_read 12" ]
	[ "$(results '.bytes' | tr '\n' ' ')" = "0 0 720 " ]
	# no more are open at a time than are needed
	(ulimit -n 64 && done_well metadata --np 1 --items 200 --phases file_open,file_close --repetitions 1)
	spoiled fail=close_read@4:EIO,path=file.mdtest,rank=1 3 metadata --np 2 --items 6 --phases file_close --repetitions 1
	[ "$(results '[.phase, .outcome, .ops, .metrics.failed_ops.value]')" = '["file_close","fail",11,1]' ]
	results .reason | grep -q 'closing .*/file.mdtest.0.3 failed: .*EIO'
}

@test "files are locked and renamed in phases of their own, and keep their names" {
	done_well metadata --np 2 --items 6 --phases file_create,file_lock,file_link,file_rename,file_remove --repetitions 2
	[ "$(ops 2)" = "file_create 12,file_lock 12,file_link 12,file_rename 12,file_remove 12" ]
	# a second name that stays is told
	spoiled fail=unlink@3:EIO,path=moved.mdtest,rank=1 3 metadata --np 2 --items 6 --phases file_link --repetitions 1
	[ "$(results '[.phase, .outcome, .metrics.failed_ops.value]')" = '["file_link","fail",1]' ]
	results .reason | grep -q 'removing .*moved.mdtest.0.2 failed: .*EIO'
}

@test "what is in files is read in a phase of its own, and compared" {
	done_well metadata --np 2 --items 6 --write_bytes 100 --read_bytes 60 --phases file_content --repetitions 1
	[ "$(results '[.phase, .ops, .bytes]')" = '["file_content",12,720]' ]
	(ulimit -n 64 && done_well metadata --np 1 --items 200 --write_bytes 10 --read_bytes 10 --phases file_content --repetitions 1)
	spoiled fail=read@4:EIO,path=file.mdtest,rank=1 3 metadata --np 2 --items 6 --write_bytes 100 --read_bytes 60 \
		--verify 0 --phases file_content --repetitions 1
	[ "$(results '[.phase, .outcome, .ops, .metrics.failed_ops.value]')" = '["file_content","fail",11,1]' ]
	results .reason | grep -q 'reading .*/file.mdtest.0.3 failed: .*EIO'
}

@test "a file that cannot be removed counts as failed, not as done, and its path is named" {
	spoiled fail=unlink@7:EIO,path=file.mdtest,rank=1 3 metadata --np 2 --items 20 "${FILES[@]}" --repetitions 1
	[ "$(results 'select(.outcome == "fail") | [.phase, .ops, .metrics.failed_ops.value, .rate_mib_s]')" = \
		'["file_remove",39,1,null]' ]
	results .reason | grep -q 'test-dir.0-0/mdtest_tree.0/file.mdtest.0.6 failed: .*EIO'
	results .reason | grep -q 'failed on 1 of 2 clients'
}

@test "directories that cannot be made, and files that cannot be opened, are all counted" {
	spoiled fail=mkdir@5+:ENOSPC,path=dir.mdtest,rank=0 3 metadata --np 2 --items 20 --phases dir_create --repetitions 1
	[ "$(results '[.phase, .ops, .metrics.failed_ops.value]')" = '["dir_create",24,16]' ]
	results .reason | grep -q 'dir.mdtest.0.4 failed: .*ENOSPC'
	# 20 opens create, 20 more of the partner's verify; the 41st is the first read
	spoiled fail=open@41:EACCES,path=file.mdtest,rank=1 3 metadata --np 2 --items 20 --write_bytes 10 --read_bytes 10 \
		--phases file_create,file_read --repetitions 1
	[ "$(results 'select(.outcome == "fail") | [.phase, .ops, .metrics.failed_ops.value]')" = '["file_read",39,1]' ]
}

@test "lost and altered contents are found" {
	spoiled corrupt=write@3:5,path=file.mdtest,rank=0 4 metadata --np 2 --items 10 --write_bytes 64 "${FILES[@]}" \
		--repetitions 1
	results .reason | grep -q 'wrong data in .*file.mdtest.0.2'
	spoiled skip=write@3,path=file.mdtest,rank=0 4 metadata --np 2 --items 10 --write_bytes 64 "${FILES[@]}" \
		--repetitions 1
	results .reason | grep -q 'file.mdtest.0.2: the file has 0 bytes, 64 were written'
	spoiled corrupt=read@14,path=file.mdtest,rank=1 4 metadata --np 2 --items 10 --write_bytes 64 --read_bytes 64 \
		"${FILES[@]}" --repetitions 1
	[ "$(results 'select(.outcome == "fail") | .phase')" = file_read ]
}

@test "a file that stays although its removal succeeded is found" {
	spoiled skip=unlink@4,path=file.mdtest,rank=0 4 metadata --np 2 --items 10 "${FILES[@]}" --repetitions 1
	results .reason | grep -q 'holds 1 entries after file_remove, 0 should be there'
	spoiled skip=rmdir@4,path=renamed.mdtest,rank=0 4 metadata --np 2 --items 10 --repetitions 1
	[ "$(results 'select(.outcome == "fail") | .phase')" = dir_remove ]
}

@test "after a time limit the later phases take what is there" {
	done_well metadata --np 2 --items 1000000 --time_limit 0.3 --repetitions 1 --phases file_create,file_remove
	[ "$(results 'select(.phase == "file_create") | .ops')" -gt 0 ]
	[ "$(results 'select(.phase == "file_create") | .ops')" -eq "$(results 'select(.phase == "file_remove") | .ops')" ]
}

@test "steady: each step stats, reads, deletes and creates in every data set" {
	local n

	done_well metadata --steady --np 4 --clients 1,2,3,4 --items 12 --steps 5 --data_sets 3 --write_bytes 50 --repetitions 1
	for n in 1 2 3 4; do
		[ "$(ops $n)" = "precreate $((n * 36)),benchmark $((n * 5 * 3 * 4)),cleanup $((n * (36 + 3)))" ]
	done
	[ "$(results 'select(.phase == "benchmark" and .clients == 2) | .metrics | [.stat_p50_ns, .read_p99_ns, .delete_max_ns,
		.create_p50_ns] | map(.value > 0) | all')" = true ]
}

@test "steady: an object that another client lost is a failed operation" {
	spoiled fail=unlink@2:EIO,path=/file-,rank=0 3 metadata --steady --np 2 --items 4 --data_sets 2 --repetitions 1
	[ "$(results 'select(.outcome == "fail") | [.phase, .ops, .metrics.failed_ops.value]')" = '["benchmark",63,1]' ]
}

@test "more files than free inodes are refused while planning" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	mount -t tmpfs -o nr_inodes=100,size=10m none "$DATA" || skip "cannot mount here"
	MOUNTED=$DATA
	run -3 --separate-stderr operate metadata --np 2 --items 60
	[[ $stderr == *"needs 122 files"*"inodes are free"* ]]
	[ ! -e "$OUT" ]
	[ -z "$(ls -A "$DATA")" ]
	run -0 operate metadata --np 2 --items 40 --repetitions 1
}

@test "contradictions get a sentence" {
	local arguments

	for arguments in "--items 0" "--branch 0" "--items 3 --depth 2 --branch 2" "--read_bytes 10 --write_bytes 5" \
		"--branch 1m --depth 4" "--shift next" "--phases file_made" "--steady --items 5 --steps 6" \
		"--items_per_directory 1t --branch 1000 --depth 3"; do
		# shellcheck disable=SC2086 # several words
		run -2 --separate-stderr operate metadata --np 2 $arguments
		one_sentence
		untouched
	done
}

@test "letters of mdtest" {
	done_well metadata --np 2 -n 12 -b 2 -z 1 -u -L -w 10 -e 5 -N 1 -F -R -y -i 1
	[ "$(ops 2)" = "file_create 24,file_stat 24,file_read 24,file_remove 24" ]
}

@test "files of others in the directory are not touched" {
	mkdir "$DATA/test-dir.0-0" "$DATA/steady"
	echo mine >"$DATA/test-dir.0-0/file.mdtest.0.0"
	sums "$DATA" >before
	run -0 operate metadata --np 2 --items 10 --repetitions 1
	run -0 operate metadata --np 2 --items 10 --repetitions 1 --steady
	sums "$DATA" >after
	# the directory itself is newer, nothing in it is
	diff <(grep -v '^\. d' before) <(grep -v '^\. d' after)
}

@test "--syncfs ends the phases that change something or create, and no others, with syncfs on every client" {
	local which
	command -v strace >/dev/null || skip "strace is not there"
	for which in "change 4" "create 2"; do
		rm -rf "$OUT"
		run -0 timeout "$LIMIT_S" strace -f -qq -e trace=syncfs -o calls "$PARIO" run metadata --np 2 --dir "$DATA" \
			--output "$OUT" --items 5 --phases file_create,file_stat,file_remove --syncfs "${which% *}" --repetitions 1
		[ "$(grep -c 'syncfs.*= 0' calls)" -eq "${which#* }" ]
	done
}
