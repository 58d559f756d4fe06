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
