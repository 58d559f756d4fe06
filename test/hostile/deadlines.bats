#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# Does everything end that was started, whatever hangs, stops or dies, and does it say why?

load lib

# bounded PROGRAM ARGUMENTS...: as measure, but what cannot be killed yet may still be there.
bounded()
{
	local program=$1

	shift
	rm -rf "$OUT"
	status=0
	timeout -k 5 "$LIMIT_S" "$program" run transfer --dir "$DATA" --output "$OUT" "$@" \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$output"
	echo "status $status"
	[ "$status" -eq 3 ]
}

# The run was ended by its deadline, the journal (if there is one) says so, and no process stays.
ended_by_deadline()
{
	[[ $output == *"did not end within "*" s"* || $output == *"no sign of life"* ||
		$output == *"did not start the clients within"* ]]
	healthy
	until_true "$LIMIT_S" none_left
	"$PARIO" clean "$DATA" || true
}

# hanging RULE PROGRAM ARGUMENTS...: the same on storage that hangs, with a deadline in which the run comes to where it does.
hanging()
{
	local rule=$1 deadline

	shift
	for deadline in "${DEADLINES[@]}"; do
		faulty "$rule"
		bounded "$@" --deadline "$deadline"
		! was_spoiled || return 0
		ended_by_deadline
	done
	return 1
}

@test "storage that hangs in a write: the run ends, on both MPIs" {
	local program np=0

	tried 2
	for program in $(builds); do
		np=$((np + 1))
		hanging hang=write@2,path=.data "$program" "${SMALL[@]}" --np $np
		ended_by_deadline
		journal_is_sound
		[ "$(journal 'last | .kind + .outcome + (.removed | tostring)')" = endfailfalse ]
		[ "$(journal '.[-2] | .kind + .level')" = notewarning ]
		[[ $output == *"pario clean $DATA"* ]]
	done
}

@test "storage that hangs while the workspace is made or removed: the run ends" {
	local rule

	tried 2
	for rule in hang=mkdir@1 hang=unlink@1; do
		hanging $rule "$(quickest)" "${SMALL[@]}"
		ended_by_deadline
	done
}

@test "a failure is told before storage that hangs when files are removed, with its client and node, on both MPIs" {
	local program

	tried 2
	for program in $(builds); do
		hanging fail=write@5:ENOSPC,hang=unlink@1 "$program" "${SMALL[@]}"
		[[ $output == *"(ENOSPC)"*"irst seen by client "[01]" on "*"did not end within"* ]]
		[ "$(journal 'map(select(.kind == "result" and .outcome == "fail"))[0].reason | contains("(ENOSPC)")')" = true ]
		[ "$(grep -c "(ENOSPC)" <<<"$output")" -eq 1 ]
	done
}

@test "clean on storage that hangs ends by its deadline, names what it waits for, and keeps what it said before" {
	local call

	tried 3
	for call in unlink readdir rmdir; do
		mkdir -p "$DATA/pario-00000001" "$DATA/pario-0000000a/tree"
		echo "pario workspace 1" >"$DATA/pario-00000001/manifest"
		printf '%s\n' "pario workspace 1" tree/ >"$DATA/pario-0000000a/manifest"
		touch "$DATA/pario-0000000a/tree/file"
		cp -a "$DATA/." "$BATS_TEST_TMPDIR/below"
		faulty "hang=$call@1,path=pario-0000000a/tree"
		run timeout -k 5 "$LIMIT_S" "$PARIO" clean --deadline 2 "$DATA"
		was_spoiled
		healthy
		[ "$status" -eq 3 ]
		[[ $output == *"pario: $DATA/pario-0000000a: the storage has not answered for 2 s."* ]]
		run "$PARIO" clean --deadline 0 "$BATS_TEST_TMPDIR/below"
		[ "$status" -eq 0 ]
		rm -rf "${DATA:?}"/pario-*
	done
}

@test "a front that hangs before the clients are started ends" {
	touch "$BATS_TEST_TMPDIR/plan"
	INJECT="delay=open@1:600s,path=$BATS_TEST_TMPDIR/plan" LD_PRELOAD=$INJECTOR \
		bounded "$PARIO" "${SMALL[@]}" --deadline 3 --plan "$BATS_TEST_TMPDIR/plan"
	ended_by_deadline
	[ ! -e "$OUT" ]
}

@test "a journal that hangs too: the run ends all the same" {
	OUT=$DATA/out hanging hang=write@2,path=journal "$(quickest)" "${SMALL[@]}" --api null
	OUT=$DATA/out ended_by_deadline
}

# stopped PROGRAM RANK CLIENTS
stopped()
{
	INJECT=stop=start,rank=$2 LD_PRELOAD=$INJECTOR bounded "$1" "${SMALL[@]}" --np "$3" --deadline 3
	ended_by_deadline
	workspace_is_gone
}

@test "a client that is stopped before it begins: the run ends, on both MPIs" {
	tried 3
	stopped "$PARIO" 0 1
	stopped "$PARIO" 1 2
	stopped "$(quickest)" 0 2
}

@test "a launcher that is stuck or cannot begin is told in a sentence" {
	local program

	[[ $("$PARIO" --version) == *openmpi* ]] || skip "this build is not for Open MPI"
	tried 2
	cat >"$BATS_TEST_TMPDIR/few" <<-END
		#!/bin/bash
		for fd in /proc/self/fd/*; do
			[ "\${fd##*/}" -le 2 ] || eval "exec \${fd##*/}>&-"
		done
		ulimit -n 24
		exec "$PARIO" "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/few"
	bounded "$BATS_TEST_TMPDIR/few" "${SMALL[@]}" --api null --deadline 3
	[[ $output == "pario: "*"did not start the clients within"* ]]
	until_true "$LIMIT_S" none_left
	# and one that is interrupted does not wait for it
	rm -rf "$OUT"
	"$BATS_TEST_TMPDIR/few" run transfer --dir "$DATA" --output "$OUT" --np 2 --api null >"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	PIDS+=($!)
	until_true "$LIMIT_S" pgrep -P $! >/dev/null # it has its launcher, and who has one has taken the signals
	kill -TERM $!
	status=0
	wait $! || status=$?
	cat "$BATS_TEST_TMPDIR/text"
	[ "$status" -eq 130 ]
	until_true "$LIMIT_S" none_left
	run env PATH=/nowhere "$(command -v timeout)" -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" \
		--np 2 --api null
	[ "$status" -eq 3 ]
	[[ $output == "pario: "*"could not start the clients"* ]]
}
