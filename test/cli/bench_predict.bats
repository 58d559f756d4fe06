#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats and lib.bash set and use
# bench/predict on two programs and two systems, when it is asked for: it measures for two minutes.

load lib

@test "two programs on two systems are characterized, traced, predicted and compared" {
	[ -n "${PARIO_BENCH:-}" ] || skip "takes two minutes; PARIO_BENCH=1 asks for it"
	export PARIO
	run -0 timeout 170 "$PARIO_SOURCE/bench/predict" -n 2 --each 0.3 --minutes 2 --systems ext4,tmpfs --reference ext4 \
		--programs checkpoint,tar --work "$BATS_TEST_TMPDIR" -o "$BATS_TEST_TMPDIR/table.md" \
		--cases "$BATS_TEST_TMPDIR/cases.csv"
	echo "$output"
	cat "$BATS_TEST_TMPDIR/table.md" "$BATS_TEST_TMPDIR/cases.csv"
	# both directions of both programs, each with a number of every model
	[ "$(grep -cE '^(checkpoint|tar),(ext4|tmpfs),(ext4|tmpfs),[0-9.]+,[0-9.]+,-?[0-9.]+,-?[0-9.]+,-?[0-9.]+,' "$BATS_TEST_TMPDIR/cases.csv")" -eq 4 ]
	[ -z "$(ls -d "$BATS_TEST_TMPDIR"/pario-predict-* "$BATS_TEST_TMPDIR"/pario-ext4-* /dev/shm/pario-tmpfs-* 2>/dev/null)" ]
}
