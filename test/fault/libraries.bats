#!/usr/bin/env bats
# What becomes of a failure below a library that hides it, or that waits for a client which has left?
load lib

# each_library RULE ARGUMENTS...: through every library of both MPIs, one client's calls spoiled.
each_library()
{
	local rule=$1 program api

	shift
	for program in $(builds); do
		for api in mpiio hdf5 pnetcdf; do
			[ "$program:$api" != "$PARIO_MPICH:pnetcdf" ] || continue
			spoil "$rule,path=.data.,rank=1" "$program" "${SMALL[@]}" --api $api --collective 1 --verify 0 "$@"
			failed 3 "$(basename "$DATA")/pario-"
			[ "$(phase write outcome)" = fail ]
			[[ $(phase write reason) == *"client 1 on "* ]]
		done
	done
}

@test "one client's fsync that fails" {
	each_library fail=fsync@1:EIO --operations write
}

@test "closes that fail, where nothing is synced" {
	each_library fail=close@1+:EDQUOT --operations write --durability cached
}

# Neither OMPIO nor PnetCDF says a word.
@test "a write that a library lost, without verification" {
	spoil fail=pwrite@2:EIO,path=.data.,rank=1 "$PARIO" "${SMALL[@]}" --api pnetcdf --verify 0 --operations write
	failed 4 "wrong data in $DATA/pario-"

	# One that the sample does not hold: nothing stands for the number.
	spoil fail=pwrite@3:EIO,path=.data.,rank=1 "$PARIO" --np 2 --transfer_size 4k --block_size 256k --repetitions 1 \
		--api pnetcdf --verify 0 --operations write
	[ "$status" -eq 0 ]
	[ "$(phase write outcome)" = suspect ]
	[[ $(phase write reason) == *"not verified (--verify 0): PnetCDF may lose an error"* ]]
}

@test "what is not verified is sampled, and suspect where a library may lose errors" {
	local way

	for way in "mpiio suspect --collective 1" "hdf5 suspect --collective 1" "mpiio pass" "posix pass" \
		"mpiio pass --collective 1 --mpiio_impl romio" "mpiio pass --pointer shared"; do
		read -ra way <<<"$way"
		measure "$PARIO" "${SMALL[@]}" --api "${way[0]}" "${way[@]:2}" --verify 0 --operations write,read
		[ "$status" -eq 0 ]
		[ "$(journal 'map(select(.kind == "result") | .reason | test("not verified")) | first')" = \
			"$([ "${way[1]}" = pass ] && echo false || echo true)" ]
		[ "$(phase write metrics.sampled_bytes.value)" -gt 0 ]
		[ "$(phase write metrics.verified_bytes)" = null ]
		journal_is_sound
	done
}

# Client 1 writes last, so that it alone could have seen all of the file; the other one must not go on to HDF5's flush.
@test "a client that cannot look at a file of HDF5 keeps nobody waiting" {
	# shellcheck disable=SC2034 # lib.bash reads it
	TEST=noncontig_array
	spoil "fail=fstat@5:ESTALE,delay=pwrite@1+:200ms,path=/pario-,rank=1" "$PARIO" --veclen 8 --veccount 4 --api hdf5 --np 2 \
		--repetitions 1 --seed 1 --deadline 60
	failed 3 "(ESTALE)"
	[[ $output == *"client 1 on "* ]]
	[[ $output != *"did not end within"* ]]
}

# ROMIO makes a file on one process, which closes it again, and opens the one of a shared pointer when it is asked for: where that
# fails on the one process, the others wait for it inside the library.
@test "closes that fail while ROMIO makes the files of b_eff_io" {
	[ -x "$PARIO_MPICH" ] || skip "there is no build with MPICH"
	# shellcheck disable=SC2034 # lib.bash reads it
	TEST=beff_io
	for n in 7 9 10 14; do
		spoil "fail=close@$n:EIO,path=/pario-,rank=0" "$PARIO_MPICH" --np 2 --minutes 0.0167 --memory_per_node 256m \
			--repetitions 1 --seed 1 --deadline 60
		[[ $output != *"did not end within"* ]]
		if grep -q probe "$BATS_TEST_TMPDIR/spoiled"; then continue; fi
		[ "$status" -eq 3 ]
		[[ $output == *"(EIO)"*"client 0 on "* ]]
		journal_is_sound
	done
	spoil "fail=close@14:EIO,path=/pario-,rank=1" "$PARIO_MPICH" --np 2 --minutes 0.0167 --memory_per_node 256m \
		--repetitions 1 --seed 1 --deadline 60
	[ "$status" -eq 3 ]
	[[ $output == *"(EIO)"*"client 1 on "* ]]
}

@test "a client that fails while another does not come is what is told when the deadline ends the run" {
	run timeout 200 "$PARIO" run transfer --api null --np 2 --transfer_size 4k --block_size 4k --repetitions 1 --fail_at 1 \
		--fail_client 0 --slow_client 1 --delay 10000000 --slow_factor 1000 --operations write --deadline 15 --output "$OUT"
	echo "$output"
	[ "$status" -eq 3 ]
	[[ $output == *"write failed: "*"(EIO)"*"Seen by client 0 on "*"; the others have not come since"* ]]
}
