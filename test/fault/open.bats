#!/usr/bin/env bats
# shellcheck disable=SC2034 # TEST is read in lib.bash
# What becomes of a run whose file cannot be opened by one client, or has a name that the library cannot bear?
#
# Libraries open a file together. Open MPI's OMPIO never returns when one client fails there, and crashes with long
# paths; the default deadline of an hour must not be what ends such a run.
load lib

# After the workspace and its manifest, the first thing that client 1 opens there is the data.
ONE_CANNOT=fail=open@3+:EACCES,rank=1

refused_by_client_1()
{
	failed 3 EACCES
	[ "$(phase "$1" outcome)" = fail ]
	[[ $(phase "$1" reason) == *"client 1 on "* ]]
}

@test "a file that one client cannot open is a failure at once, whatever library opens it, on both MPIs" {
	local program api

	for program in $(builds); do
		for api in mpiio hdf5 pnetcdf; do
			[ "$program:$api" != "$PARIO_MPICH:pnetcdf" ] || continue
			spoil "$ONE_CANNOT,path=$DATA/pario-" "$program" "${SMALL[@]}" --api $api
			refused_by_client_1 write
		done
	done
}

# Five opens of client 1 come first, besides the library's: the workspace, its manifest, to write, for the size, for the
# sample.
@test "a file that one client cannot open any more is a failure of the later phase" {
	spoil "fail=open@6+:EACCES,rank=1,path=$DATA/pario-" "$PARIO" "${SMALL[@]}" --api mpiio \
		--operations write,rewrite --verify 0
	refused_by_client_1 rewrite
	[ "$(phase write rate_mib_s)" != null ]
}

@test "the same for tests that open with datatypes of their own" {
	local program test

	for program in $(builds); do
		for test in noncontig tile; do
			rm -rf "$OUT"
			status=0
			INJECT=$ONE_CANNOT,path=$DATA/pario- LD_PRELOAD=$INJECTOR timeout -k 5 "$LIMIT_S" "$program" \
				run $test --np 2 --repetitions 1 --dir "$DATA" --output "$OUT" \
				>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
			output=$(cat "$BATS_TEST_TMPDIR/text")
			echo "$output"
			refused_by_client_1 write
		done
	done
}

# GlusterFS opens a file as its open descriptors are, and takes the one that created it for cached.
@test "no library opens a file beside the descriptor that created it, on both MPIs" {
	local program api

	for program in $(builds); do
		for api in mpiio hdf5 pnetcdf; do
			[ "$program:$api" != "$PARIO_MPICH:pnetcdf" ] || continue
			TEST=transfer
			spoil "busy=created,path=.data." "$program" "${SMALL[@]}" --api $api
			[ "$status" -eq 0 ]
		done
		TEST=noncontig
		spoil "busy=created,path=.data." "$program" --np 2 --element_size 64 --repetitions 1
		[ "$status" -eq 0 ]
	done
}

@test "a client without descriptors to spare is a failure at once" {
	local program=$BATS_TEST_TMPDIR/program

	# Only client 1; what it has open when it comes to the file differs, so the limit is searched for.
	cat >"$program" <<-END
		#!/bin/sh
		[ "\$OMPI_COMM_WORLD_RANK" != 1 ] || ulimit -n \$FILES
		exec "$PARIO" "\$@"
	END
	chmod +x "$program"
	for FILES in 60 50 40 36 32 28 24; do
		export FILES
		rm -rf "$OUT"
		status=0
		timeout -k 5 "$LIMIT_S" mpiexec.openmpi --oversubscribe -n 2 "$program" run transfer --dir "$DATA" \
			--output "$OUT" --transfer_size 64k --block_size 256k --repetitions 1 --api mpiio \
			>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
		output=$(cat "$BATS_TEST_TMPDIR/text")
		echo "$FILES: $status $output"
		[ $status -ne 124 ]
		[ $status -eq 0 ] || break
	done
	[[ $output == *"(EMFILE)"*"client 1 on "* ]]
}

@test "paths of every length work, whatever component of OMPIO is asked for" {
	local name program part

	part=$(printf 'x%.0s' {1..200})
	for name in "${part:0:100}" "$part" "$part/$part" "$part/$part/$part/$part"; do
		mkdir -p "$BATS_TEST_TMPDIR/$name"
		for program in $(builds); do
			DATA=$BATS_TEST_TMPDIR/$name measure "$program" "${SMALL[@]}" --api mpiio
			[ "$status" -eq 0 ]
		done
	done
	# The component that prints a path into 256 bytes, asked for by name: it gets a short one.
	OMPI_MCA_sharedfp=sm,lockedfile DATA=$BATS_TEST_TMPDIR/$part measure "$PARIO" "${SMALL[@]}" --api mpiio
	[ "$status" -eq 0 ]
}

# HDF5 writes and reads what it keeps about a file by calls of single clients, in the middle of what all do together.
@test "a failing call of one client below HDF5 is a failure at once, with its reason, on both MPIs" {
	local program fault collective

	for program in $(builds); do
		for fault in pwrite@1:EIO,rank=1 pwrite@3:EIO,rank=1 pread@2:EIO,rank=0; do
			for collective in 0 1; do
				spoil "fail=$fault,path=$DATA/pario-" "$program" "${SMALL[@]}" --api hdf5 --collective $collective
				failed 3 EIO
				[[ $output == *"client ${fault##*=} on "* && $output != *"did not end within"* ]]
			done
		done
	done
}

# What pario has made nobody has misspelt, nobody else has taken, and without direct I/O nothing has to be aligned.
@test "what to do about an error on a file of pario's own is not what helps with a name of the user's" {
	local api rule

	for api in posix uring "mpiio --mpiio_impl romio"; do
		for rule in pread@1:EEXIST pread@1:ENOENT pwrite@1:EEXIST pwrite@1:EINVAL pwrite@1:EPERM fsync@1:EINVAL close@1:ENOENT; do
			[[ $api != uring || $rule == close* ]] || continue
			# shellcheck disable=SC2086 # several words
			spoil "fail=$rule,path=.data." "$PARIO" "${SMALL[@]}" --np 1 --api $api
			[ "$status" -eq 3 ]
			[[ $output != *"Check the spelling"* && $output != *"choose another name"* && $output != *"direct I/O"* &&
				$output != *"a privilege"* ]]
		done
	done
}
