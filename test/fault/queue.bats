#!/usr/bin/env bats
# What becomes of the other requests in a queue when one of them fails, comes short or brings wrong data?
#
# The failure belongs to its request: all others come back, the phase ends at once with the reason, and the points after
# it are measured. One launch tries every depth, size and number of clients.
load lib

SWEEP=(--clients "1,2,3" --queue_depth "1,2,8,64" --transfer_size "4k,16k" --block_size 256k)

# points OUTCOMES: every point of the sweep has these outcomes, those of its repetitions and phases in their order.
points()
{
	local all

	all=$(journal 'map(select(.kind == "result")) | group_by([.point, .clients]) | map(map(.outcome) | join(" ")) |
		"\(length) \(unique | join(" or "))"')
	echo "$all"
	[ "$all" = "24 $1" ]
	journal_is_sound
	workspace_is_gone
}

@test "a failing request, whatever its number, ends its phase with the reason" {
	local at

	for at in 1 5 16; do
		measure "$(quickest)" "${SWEEP[@]}" --api null --fail_at $at --repetitions 2
		[ "$status" -eq 3 ]
		points "fail fail"
		[ "$(journal 'map(select(.kind == "result") | .reason |
			test("^write of [0-9]+ bytes failed in .*planted with --fail_at")) | all')" = true ]
	done
}

@test "one client's failing request, with time limits and delays" {
	measure "$(quickest)" "${SWEEP[@]}" --api null --fail_at 5 --fail_on read --fail_client 0 --repetitions 1 \
		--delay 50 --time_limit 60 --quiet
	[ "$status" -eq 3 ]
	[ "$(journal 'map(select(.phase == "read") | .outcome) | "\(length) \(unique | join(" "))"')" = "24 fail" ]
	[ "$(journal 'map(select(.phase == "write" and .outcome == "fail")) | length')" -eq 0 ]
	journal_is_sound
}

@test "short transfers are continued" {
	measure "$(quickest)" "${SWEEP[@]}" --api null --short_at 3 --repetitions 1
	[ "$status" -eq 0 ]
	[ "$(journal 'map(select(.kind == "result") | .bytes / .clients) | unique | join(" ")')" = 262144 ]
}

# Open MPI's ROMIO makes queued transfers with calls that can be spoiled.
@test "wrong data in the middle of what comes back" {
	local np

	for np in 1 2 3; do
		spoil corrupt=pread@6:3,path=.data.0.,rank=0 "$PARIO" --np $np --api mpiio --mpiio_impl romio \
			--queue_depth 1,8,4 --transfer_size 64k --block_size 256k --repetitions 2
		failed 4 "wrong data in $DATA/pario-"
		[ "$(journal 'map(select(.kind == "result") | .outcome == "fail") | join(" ")')" = \
			"false true false false false false false false false false" ]
	done
}

@test "a failing and a short call below queued transfers of MPI-IO" {
	spoil short=pwrite@2,fail=pwrite@5:EIO,path=.data.0.,rank=0 "$PARIO" --np 2 --api mpiio --mpiio_impl romio \
		--queue_depth 8 --transfer_size 64k,32k --block_size 512k --repetitions 1
	failed 3 "MPI_ERR"
	[ "$(journal 'map(select(.kind == "result") | .outcome == "fail") | join(" ")')" = "true false false" ]
}
