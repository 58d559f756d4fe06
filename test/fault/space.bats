#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # PIDS is filled within one test
# What happens when there is no room: for data, for files, for names. Real limits where the machine has them.
load lib

# fill PID KIB: takes what is free until it has so much, with which no point fits any more, or until the run is over. Without a
# pause: what a repetition gives back is there for a moment only, and the next one must not have all of it.
fill()
{
	local end=$((SECONDS + LIMIT_S)) kib=0

	exec 4>>"$DATA/filler"
	while [ $kib -lt "$2" ] && kill -0 "$1" 2>/dev/null && [ $SECONDS -lt $end ]; do
		printf '%65536s' '' 2>/dev/null >&4 && kib=$((kib + 64))
	done
	exec 4>&-
}

# Syncs that take their time: what is to be full is so before the last repetition, however busy the machine is.
SLOW=INJECT=delay=fsync@1+:300ms,path=.data.

# The space is there when it is planned for; while the small first point runs, something else takes it all.
@test "a file system that fills up during the run" {
	need_root
	mounted -t tmpfs -o size=8m none "$DATA"
	env "$SLOW" LD_PRELOAD="$INJECTOR" timeout -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" --np 2 \
		--transfer_size 64k --block_size 256k,3m --operations write --repetitions 20 --quiet >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	PIDS+=($!)
	until_true "$LIMIT_S" grep -qs '"kind":"result"' "$OUT/journal.jsonl"
	fill "${PIDS[0]}" 7744 # the small point needs 512
	status=0
	wait "${PIDS[0]}" || status=$?
	rm -f "$DATA/filler"
	cat "$BATS_TEST_TMPDIR/text"
	echo "status $status"
	output=$(cat "$BATS_TEST_TMPDIR/text"; journal 'map(select(.outcome == "fail")) | first | .reason')
	failed 3 ENOSPC
	[ "$(phase write outcome)" = fail ]
}

@test "repetitions that failed are counted in the table, on standard error and on the page, with one reason" {
	local line

	need_root
	mounted -t tmpfs -o size=8m none "$DATA"
	env "$SLOW" LD_PRELOAD="$INJECTOR" timeout -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" --np 1 \
		--transfer_size 64k --block_size 4m --operations write --repetitions 30 >"$BATS_TEST_TMPDIR/out.txt" \
		2>"$BATS_TEST_TMPDIR/err.txt" 3>&- &
	PIDS+=($!)
	until_true "$LIMIT_S" grep -qs '"kind":"result"' "$OUT/journal.jsonl"
	fill "${PIDS[0]}" 5120
	wait "${PIDS[0]}" || true
	rm -f "$DATA/filler"
	cat "$BATS_TEST_TMPDIR/out.txt" "$BATS_TEST_TMPDIR/err.txt"
	line=$(grep -oE '[0-9]+ of 30, [0-9]+ failed: ENOSPC' "$BATS_TEST_TMPDIR/out.txt")
	grep -q "${line% ENOSPC}.*ENOSPC" "$BATS_TEST_TMPDIR/err.txt"
	grep -q "$line" "$OUT/report.html"
	grep -q "<td>${line% ENOSPC}.*ENOSPC" "$OUT/report.html"
}

# Open MPI's OMPIO reports success for collective writes that did not happen, and PnetCDF for short ones; a sync after them
# hangs. Nothing is read back here: the run must see it by itself.
@test "a full file system is seen through every library, collective or not, and in queues" {
	local way pid

	need_root
	mounted -t tmpfs -o size=8m none "$DATA"
	for way in "mpiio --collective 1" mpiio "hdf5 --collective 1" hdf5 "pnetcdf --collective 1" pnetcdf \
		"mpiio --queue_depth 8" "uring --queue_depth 8"; do
		rm -rf "$OUT"
		# shellcheck disable=SC2086 # words
		env "$SLOW" LD_PRELOAD="$INJECTOR" timeout -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" --np 3 --api $way \
			--transfer_size 64k --block_size 2m --operations write \
			--repetitions 20 --verify 0 --quiet >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
		pid=$!
		PIDS+=("$pid")
		until_true "$LIMIT_S" grep -qs '"kind":"result"' "$OUT/journal.jsonl"
		fill $pid 4096
		status=0
		wait $pid || status=$?
		rm -f "$DATA/filler"
		tail -n 20 "$BATS_TEST_TMPDIR/text"
		echo "$way: status $status"
		[ "$status" -eq 3 ] || [ "$status" -eq 4 ] # 4: the file is as long as it should be, but a sample of it is missing
		[ "$(journal 'map(select(.kind == "result")) | last | .outcome')" = fail ]
		[ "$(journal 'map(select(.outcome == "fail" and .kind == "result") | .rate_mib_s) | unique | join(" ")')" = "" ]
		journal_is_sound
		workspace_is_gone
	done
}

@test "too little space is found before the first byte" {
	need_root
	mounted -t tmpfs -o size=8m none "$DATA"
	measure "$PARIO" --np 2 --block_size 8m
	[ "$status" -eq 3 ]
	[[ $output == *" free"* ]]
	[ ! -e "$OUT/journal.jsonl" ]
	workspace_is_gone
}

# 40 MB fit into the page cache of an ext4 whose device can take no more than 24 MB.
@test "write succeeds and fsync fails on a real file system" {
	local store=$BATS_TEST_TMPDIR/store

	need_root
	command -v mkfs.ext4 >/dev/null || skip "mkfs.ext4 is not installed"
	mkdir "$store"
	mounted -t tmpfs -o size=24m none "$store"
	truncate -s 256m "$store/image"
	mkfs.ext4 -q -F -O ^has_journal -E lazy_itable_init=1,nodiscard "$store/image" || skip "mkfs.ext4 failed"
	loop_device "$store/image"
	mounted "$LOOP" "$DATA"
	rmdir "$DATA/lost+found"
	measure "$PARIO" --np 2 --transfer_size 1m --block_size 20m --operations write --repetitions 1
	[ "$status" -eq 3 ]
	[ "$(phase write outcome)" = fail ]
	[ "$(phase write rate_mib_s)" = null ]
	[[ $(phase write reason) =~ fsync.*(ENOSPC|EIO) ]]
	journal_is_sound
}

@test "a limit on the file's size" {
	(
		ulimit -f 102400
		measure "$PARIO" "${SMALL[@]}" --header_bytes 200m
		failed 3 EFBIG
		[[ $output == *"ulimit -f"* ]]
	)
}

@test "a limit on the file's size that no MPI can start with is told at once" {
	local program

	for program in $(builds); do
		( ulimit -f 1024; measure "$program" "${SMALL[@]}"; [ "$status" -eq 3 ] )
		[[ $(<"$BATS_TEST_TMPDIR/text") == *"no file may be larger than 1024 KiB here"*"(ulimit -f)"* ]]
		workspace_is_gone
	done
}

@test "quota, named with what to do" {
	spoil fail=pwrite@3:EDQUOT,path=.data.,rank=1 "$(quickest)" "${SMALL[@]}"
	failed 3 EDQUOT
	[[ $output == *"quota is used up"* ]]
}

@test "no more descriptors, in a client" {
	spoil fail=open@1:EMFILE,path=.data.,rank=1 "$(quickest)" "${SMALL[@]}"
	failed 3 EMFILE
	[[ $output == *"ulimit -n"* ]]
}

@test "no more descriptors, for the launcher" {
	local program

	for program in $(builds); do
		(
			ulimit -n 12
			measure "$program" "${SMALL[@]}"
			[ "$status" -ne 0 ]
			[ -n "$output" ]
			workspace_is_gone
		)
	done
}

@test "a file system mounted read-only" {
	need_root
	mounted -t tmpfs -o ro none "$DATA"
	measure "$PARIO" "${SMALL[@]}"
	[ "$status" -eq 3 ]
	[[ $output == *EROFS* ]]
	[ ! -e "$OUT" ]
}

@test "a name that is too long" {
	local long

	printf -v long '%0300d' 0
	DATA=$DATA/$long measure "$PARIO" "${SMALL[@]}"
	[ "$status" -eq 3 ]
	[[ $output == *ENAMETOOLONG* ]]
	[ ! -e "$OUT" ]
}

@test "a path that is too long is refused, not cut" {
	local part deep=$DATA

	printf -v part '%0200d' 0
	while [ ${#deep} -lt 1200 ]; do
		deep=$deep/$part
		mkdir "$deep"
	done
	DATA=$deep measure "$PARIO" "${SMALL[@]}"
	[[ $status -eq 2 || $status -eq 3 ]]
	[ -n "$output" ]
	[ -z "$(find "$DATA" -name 'pario-*')" ]
}

@test "a directory just below the longest that is taken works with every path in full" {
	local part deep=$DATA

	while [ ${#deep} -lt 800 ]; do
		deep=$deep/$(printf '%0100d' 0)
		mkdir "$deep"
	done
	DATA=$deep measure "$PARIO" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ -z "$(ls -A "$deep")" ]
}

@test "preallocation that fails" {
	spoil fail=fallocate@1:ENOSPC,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}" --preallocate 1
	failed 3 ENOSPC
	[[ $output == *fallocate* ]]
}
