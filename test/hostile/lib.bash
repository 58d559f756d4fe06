# shellcheck shell=bash disable=SC2034,SC2154 # set here for the tests, and set by bats
# What the hostile tests share: everything of the fault tests, another user, and a file system that lies (faultfs).
# A test's title says what was tried; `tried N` says how often. docs/reliability.md is made of both (test/reliability.py).

# shellcheck source=test/fault/lib.bash
. "$PARIO_SOURCE/test/fault/lib.bash"

HOSTILE=$PARIO_BUILD/test/hostile
FAULTFS=$HOSTILE/faultfs

# The user who means harm. Not nobody's group alone: tests give it directories of its own.
OTHER=nobody

# need_other: another user to become, and a place that both can reach: the check's own scratch directories are closed to
# others. SWAP is the attacker's program, where that user can run it.
need_other()
{
	need_root
	command -v setpriv >/dev/null || skip "setpriv is not there"
	id "$OTHER" >/dev/null 2>&1 || skip "there is no user $OTHER"
	SHARED=$(mktemp -d /tmp/pario-hostile.XXXXXX)
	chmod 755 "$SHARED"
	BATS_TEST_TMPDIR=$SHARED DATA=$SHARED/data OUT=$SHARED/out SWAP=$SHARED/swap
	mkdir "$DATA"
	install -m 755 "$HOSTILE/swap" "$SWAP"
	as_other test -x "$SWAP" || skip "$OTHER cannot reach $SHARED"
}

# As the other user, without root's groups and capabilities.
OTHERWISE=(setpriv --reuid "$OTHER" --regid "$(id -g "$OTHER" 2>/dev/null)" --clear-groups --inh-caps=-all)

# as_other COMMAND...
as_other()
{
	"${OTHERWISE[@]}" "$@"
}

# attack COMMAND...: the same in the background, until the test ends; THIEF is the process itself, not a shell around it.
attack()
{
	"${OTHERWISE[@]}" "$@" 3>&- &
	THIEF=$!
	PIDS+=("$THIEF")
}

# faulty RULES [OPTIONS...]: $DATA lies on a file system that spoils calls by these rules; LOG names those it spoiled.
faulty()
{
	local rules=$1

	shift
	[ -x "$FAULTFS" ] || skip "faultfs was not built: libfuse3 is not there"
	[ -r /dev/fuse ] || skip "/dev/fuse is not there"
	[ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null || skip "fusermount3 is not there"
	LOG=$BATS_TEST_TMPDIR/spoiled
	rm -f "$LOG"
	mkdir -p "$BATS_TEST_TMPDIR/below"
	"$FAULTFS" -o "$rules" -l "$LOG" "$@" "$BATS_TEST_TMPDIR/below" "$DATA" 3>&- 2>"$BATS_TEST_TMPDIR/faultfs" &
	FAULTFS_PID=$!
	if ! until_true 60 ready || ! mountpoint -q "$DATA"; then
		cat "$BATS_TEST_TMPDIR/faultfs"
		skip "FUSE cannot mount here"
	fi
}

# ready: it is mounted, or it has ended and never will be.
ready()
{
	mountpoint -q "$DATA" || ! kill -0 "$FAULTFS_PID" 2>/dev/null || return 1
}

# healthy: no file system that lies any more; who waits for it gets an error.
healthy()
{
	[ -n "${FAULTFS_PID:-}" ] || return 0
	kill -TERM "$FAULTFS_PID" 2>/dev/null
	wait "$FAULTFS_PID" 2>/dev/null || true
	FAULTFS_PID=
	if mountpoint -q "$DATA"; then umount -l "$DATA"; fi
}

# was_spoiled: a test in which nothing went wrong has shown nothing.
was_spoiled()
{
	[ -s "$LOG" ] || { echo "no call was spoiled"; return 1; }
}

teardown()
{
	local i

	healthy
	for i in "${PIDS[@]}" $(ours); do kill -KILL "$i" 2>/dev/null; done
	for ((i = ${#MOUNTS[@]} - 1; i >= 0; i--)); do umount "${MOUNTS[i]}" || umount -l "${MOUNTS[i]}"; done
	for i in "${PIDS[@]}"; do wait "$i" 2>/dev/null; done
	[ -z "${SHARED:-}" ] || rm -rf "$SHARED"
	return 0
}
