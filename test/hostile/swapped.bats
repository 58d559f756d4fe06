#!/usr/bin/env bats
# A workspace exchanged for a link to somebody else's directory while a run uses it: is anything behind the link touched?

load lib

# ambush: the other user may rename in $DATA, and has a link to a directory of root's that looks like a workspace.
ambush()
{
	need_other
	chmod 777 "$DATA"
	VICTIM=$BATS_TEST_TMPDIR/victim
	mkdir -p "$VICTIM/madbench2.0.1/files" "$VICTIM/interactive/0/tree" "$VICTIM/overlap"
	for file in madbench2.0.1/files/data_0 madbench2.0.1/files/data interactive/0/tree/file interactive/0/a overlap/file; do
		echo precious >"$VICTIM/$file"
	done
	as_other ln -s "$VICTIM" "$DATA/trap"
	BEFORE=$(look)
}

look()
{
	(cd "$VICTIM" && find . -printf '%p %y %m %s %T@ %i\n' | sort)
}

# attacked PROGRAM AFTER_MS TEST ARGUMENTS...: bounded runs, until the thief came in time for one. He exchanges the names that
# long after the workspace was made.
attacked()
{
	for _ in 1 2 3 4 5 6; do
		attack_once "$@"
		[ "$(cat "$BATS_TEST_TMPDIR/swaps")" != 1 ] || return 0
	done
	return 1
}

attack_once()
{
	local program=$1 after=$2

	shift 2
	rm -rf "$OUT"
	attack "$SWAP" "$DATA/pario-*" "$DATA/trap" 1 "$after" >"$BATS_TEST_TMPDIR/swaps"
	status=0
	timeout -k 5 "$LIMIT_S" "$program" run "$@" --dir "$DATA" --output "$OUT" \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
	kill "$THIEF" 2>/dev/null || true
	wait "$THIEF" || true
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$* (status $status, swaps $(cat "$BATS_TEST_TMPDIR/swaps")): $output"
	[ "$status" -ne 124 ] && [ "$status" -ne 137 ]
	diff <(echo "$BEFORE") <(look)
	# What the run had made lies where the thief put it, and is no other's to remove.
	find "$DATA" -mindepth 1 -maxdepth 1 ! -type l -exec rm -r {} +
	find "$DATA" -name 'pario-*' -type l -delete
	[ -L "$DATA/trap" ] || as_other ln -s "$VICTIM" "$DATA/trap"
}

# went_on: no phase failed all the same, as the run never came to the link. (So little data may be too short to measure.)
went_on()
{
	[ "$(journal 'map(select(.kind == "result") | .outcome) | length > 0 and (unique - ["pass", "suspect"]) == []')" = true ]
}

@test "transfer through every backend: all phases pass, the victim is untouched" {
	local program api

	ambush
	tried 11
	for program in $(builds); do
		for api in posix uring mmap mpiio hdf5 pnetcdf; do
			[ "$program:$api" != "$PARIO_MPICH:pnetcdf" ] || continue
			attacked "$program" 5 transfer --api $api --np 1 --transfer_size 16k --block_size 64k --repetitions 100
			went_on
		done
	done
}

@test "tests that open files by themselves: madbench2, beff_io, noncontig, tile, overlap, interactive" {
	ambush
	tried 6
	attacked "$PARIO" 5 madbench2 --np 1 --no_pix 200
	attacked "$PARIO" 20 noncontig --np 2 --repetitions 5
	attacked "$PARIO" 20 tile --np 1 --repetitions 5
	attacked "$PARIO" 20 overlap --np 1 --routine mpi_read_at --file_size 64k --buffer_sizes 4k,16k --passes 2 \
		--study_time 0 --repetitions 1
	attacked "$PARIO" 20 interactive --np 2 --files 20 --repetitions 2
	attacked "$PARIO" 5 beff_io --np 2 --minutes 0.0167 --memory_per_node 256m
}
