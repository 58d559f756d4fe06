#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # PIDS is filled within one test
# What works on a file system without locks (Lustre without flock)?
load lib

# without_locks COMMAND...: every flock fails as it does there.
without_locks()
{
	INJECT=fail=flock@1+:${NO_LOCKS:-ENOSYS} LD_PRELOAD=$INJECTOR "$@"
}

@test "a trace is written, added to and kept apart from other files" {
	local trace=$BATS_TEST_TMPDIR/new.trace

	for NO_LOCKS in ENOSYS EOPNOTSUPP; do
		rm -f "$trace"
		without_locks "$PARIO" trace -o "$trace" -- ls / >/dev/null
		[ -s "$trace" ]
		without_locks "$PARIO" profile "$trace" >/dev/null
	done
	echo mine >"$BATS_TEST_TMPDIR/mine"
	run without_locks "$PARIO" trace -o "$BATS_TEST_TMPDIR/mine" -- ls /
	[ "$status" -eq 2 ]
	[[ $output == *"is not a trace of pario"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/mine")" = mine ]
}

@test "any other failure to lock is told as what it is" {
	NO_LOCKS=EIO run without_locks "$PARIO" trace -o "$BATS_TEST_TMPDIR/new.trace" -- ls /
	[[ $output == *"cannot be locked"*"(EIO)"* ]]
}

@test "clean removes what a killed run left and leaves what a live one uses" {
	local manifest pid

	INJECT=fail=flock@1+:ENOSYS,delay=pwrite@2+:50ms LD_PRELOAD=$INJECTOR "$PARIO" run transfer --dir "$DATA" \
		--output "$OUT" --np 1 --transfer_size 4k --block_size 4m --repetitions 1 \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- &
	PIDS+=($!)
	until_true "$LIMIT_S" compgen -G "$DATA/pario-*/*.data.*" >/dev/null
	manifest=$(echo "$DATA"/pario-*/manifest)
	cat "$manifest"
	run without_locks "$PARIO" clean "$DATA"
	[ "$status" -eq 0 ]
	[[ $output == "left (in use"* ]]
	[ -e "$manifest" ]
	pid=$(sed -n 's/^\.maker .* \([0-9]*\) [0-9]*$/\1/p' "$manifest")
	kill -KILL "$pid" "${PIDS[0]}"
	until_true "$LIMIT_S" test ! -e "/proc/$pid/exe"

	# As if it had been started on another machine.
	sed -i 's/^\.maker /.maker x/' "$manifest"
	run without_locks "$PARIO" clean "$DATA"
	[[ $output == "left (no locks on this file system"* ]]
	[ -e "$manifest" ]
	sed -i 's/^\.maker x/.maker /' "$manifest"

	run without_locks "$PARIO" clean "$DATA"
	[ "$status" -eq 0 ]
	[[ $output == "removed "* ]]
	workspace_is_gone
}
