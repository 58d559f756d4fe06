#!/usr/bin/env bats
# shellcheck disable=SC2154 # set by bats
# Clients that see the same files through different caches, as on different nodes: old data are no lost data.
load lib

# apart RULES [OPTIONS...]: client 0 sees the files at $DATA, client 1 at the same path through another mount that has
# these rules.
apart()
{
	need_root
	command -v unshare >/dev/null || skip "unshare is not there"
	OTHER_MOUNT=$BATS_TEST_TMPDIR/other
	mkdir "$OTHER_MOUNT"
	faulty path=none "${@:2}"
	"$FAULTFS" -o "$1" "${@:2}" "$BATS_TEST_TMPDIR/below" "$OTHER_MOUNT" 3>&- &
	PIDS+=($!)
	until_true 60 mountpoint -q "$OTHER_MOUNT"
	MOUNTS+=("$OTHER_MOUNT")
	unshare -m true || skip "there are no mount namespaces"
}

# both PROGRAM WORDS...: the same command by both clients, each with its view of $DATA.
both()
{
	local launcher=mpiexec.openmpi

	[ "$1" = "$PARIO" ] || launcher=mpiexec.mpich
	rm -rf "$OUT"
	status=0
	timeout -k 5 "$LIMIT_S" "$launcher" -n 1 "$@" --dir "$DATA" --output "$OUT" : \
		-n 1 unshare -m --propagation private sh -c "mount --bind '$OTHER_MOUNT' '$DATA' && exec \"\$@\"" - \
		"$@" --dir "$DATA" --output "$OUT" >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$output"
	echo "status $status"
}

REWRITES=(run transfer --transfer_size 64k --block_size 256k --seed 1 --read_shift 1)

@test "a client that keeps old pages and sizes compares new data all the same, with every backend" {
	local program api

	apart stale=1s
	for program in $(builds); do
		for api in posix mmap mpiio; do
			[ $api = mpiio ] || [ "$program" = "$PARIO" ] || continue
			both "$program" "${REWRITES[@]}" --api $api --operations write,rewrite,read --repetitions 2
			[ "$status" -eq 0 ]
			[ "$(journal 'map(select(.kind == "result" and .outcome == "fail")) | length')" -eq 0 ]
			[ "$(journal 'map(select(.kind == "result")) | length')" -eq 6 ]
		done
	done
}

@test "data that are old at first and right later are stale on that node, not lost" {
	apart lag=2 -d
	both "$PARIO" "${REWRITES[@]}" --block_size 64k --operations write,rewrite --repetitions 1
	[ "$status" -eq 0 ]
	[ "$(phase rewrite outcome)" = suspect ]
	[[ $(phase rewrite reason) == *"stale on node $(uname -n): wrong data in "*"an earlier phase wrote"*"nothing was lost"* ]]
}

@test "data that stay old are lost" {
	apart lag=1000000 -d
	both "$PARIO" "${REWRITES[@]}" --block_size 64k --operations write,rewrite --repetitions 1
	[ "$status" -eq 4 ]
	[ "$(phase rewrite outcome)" = fail ]
	[[ $(phase rewrite reason) == *"wrong data in "*"It stayed so for "* ]]
}

@test "visibility tells how long a change takes to be seen, and what is not seen" {
	once_of 4 # who looks for the first time after three seconds sees it at once
	apart stale=3s
	both "$PARIO" run visibility --changes extend,create --rounds 1
	[ "$status" -eq 0 ]
	[ "$(phase extend 'metrics.seen_first_percent.value')" = 0 ]
	[ "$(journal 'map(select(.phase == "extend"))[0].metrics.seen_max_s.value > 0.5')" = true ]
	[ "$(phase create 'metrics.unseen.value')" = 0 ]
}

@test "visibility counts what is never seen" {
	apart lag=1000000 -d
	both "$PARIO" run visibility --changes rewrite --rounds 8 --patience 0.2
	[ "$status" -eq 0 ]
	[ "$(phase rewrite outcome)" = suspect ]
	[ "$(phase rewrite 'metrics.unseen.value')" = 3 ] # then it gives up
	[[ $(phase rewrite reason) == *"3 changes were not seen by another client within 0.2 s"* ]]
}

@test "mounts that number inodes in their own way and keep removed files that are open are no hindrance" {
	local program

	apart path=none -s
	mkdir "$OTHER_MOUNT/one" && ls -l "$OTHER_MOUNT/one" # this mount's numbers are ahead now
	rmdir "$DATA/one"
	for program in $(builds); do
		both "$program" "${REWRITES[@]}" --operations write,read --repetitions 1
		[ "$status" -eq 0 ]
		workspace_is_gone
	done
}
