#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031 # a program for another shell; bats runs each test in a subshell
# Where others may rename, can they make `pario trace` write or remove what is not its own?

load lib

# ambush: a place without sticky bit, and a directory of root's whose files are named like segments.
ambush()
{
	need_other
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -m 777 open
	chmod 777 open
	VICTIM=$BATS_TEST_TMPDIR/victim
	mkdir -m 700 "$VICTIM"
	for file in 2024.1 10.0 ask ptrace; do echo precious >"$VICTIM/$file"; done
	BEFORE=$(look)
}

look()
{
	(cd "$VICTIM" && find . -printf '%p %y %m %s %T@ %i\n' | sort)
}

# exchange WITH: what the thief runs while the program is traced: the segments' directory gets another name, and WITH its own.
exchange()
{
	cat >thief <<-END
		cd "$BATS_TEST_TMPDIR/open"
		for name in pario-trace-*; do mv "\$name" moved && $1 "\$name"; done
	END
}

# The program: exchanges, and is many processes afterwards, one of them another user's, one static.
program='setpriv --reuid nobody --regid nogroup --clear-groups bash thief
	for i in 1 2 3; do cat thief >/dev/null; done
	setpriv --reuid nobody --regid nogroup --clear-groups cat thief >/dev/null
	bash -c "cat thief; cat thief" >/dev/null
	dd if=/dev/zero of=/dev/null bs=1 count=$COUNT 2>/dev/null'

# traced OPTIONS...: traces it; the program's own end is not changed, and nothing behind the link is.
traced()
{
	run timeout -k 5 "$LIMIT_S" "$PARIO" trace "$@" -o open/x.trace -- env COUNT="${COUNT:-60000}" bash -ec "$program" 3>&-
	echo "$output"
	[ "$status" -eq 0 ]
	[ -e open/moved ]
	diff <(echo "$BEFORE") <(look)
	[[ $output == *"WAS RENAMED OR EXCHANGED"* ]]
	rm -rf open/*
}

@test "a link to root's directory in the place of that of the segments: nothing there is removed, nothing made" {
	ambush
	tried 4
	exchange "ln -s '$VICTIM'"
	traced
	traced --live
	traced --stack 3
	COUNT=100 traced --ptrace
}

@test "another directory of root's renamed into its place: nothing there is removed, nothing made" {
	ambush
	mv "$VICTIM" open/results
	VICTIM=$BATS_TEST_TMPDIR/open/results
	exchange "mv results"
	run timeout -k 5 "$LIMIT_S" "$PARIO" trace -o open/x.trace -- env COUNT="${COUNT:-60000}" bash -ec "$program" 3>&-
	echo "$output"
	[ "$status" -eq 0 ]
	VICTIM=$(echo "$BATS_TEST_TMPDIR"/open/pario-trace-*)
	diff <(echo "$BEFORE") <(look)
}

@test "names exchanged as fast as the kernel does it, from the moment the directory is made" {
	ambush
	tried 10
	as_other ln -s "$VICTIM" open/trap
	for _ in {1..10}; do
		attack "$SWAP" "$PWD/open/pario-trace-*" "$PWD/open/trap" >/dev/null
		run timeout -k 5 "$LIMIT_S" "$PARIO" trace --force -o open/x.trace -- \
			bash -c 'for i in 1 2 3 4 5 6 7 8; do cat /etc/passwd >/dev/null; done' 3>&-
		echo "$output"
		[ "$status" -eq 0 ]
		kill "$THIEF"
		wait "$THIEF" || true
		diff <(echo "$BEFORE") <(look)
		rm -rf open/*
		as_other ln -s "$VICTIM" open/trap
	done
}
