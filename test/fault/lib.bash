# shellcheck shell=bash disable=SC2034,SC2154 # set here for the tests, and set by bats
# What the fault tests share. test/step gives PARIO, PARIO_MPICH, PARIO_BUILD, PARIO_SOURCE and PYTHON.
# CHECK_TORTURE=full tries more faults than a fixed selection.

# shellcheck source=test/wait.bash
. "$PARIO_SOURCE/test/wait.bash"

# Every run is bounded; a run that reaches this has hung. Far above what it takes, as the machine may be busy.
LIMIT_S=240
INJECTOR=$PARIO_BUILD/test/fault/libinject.so
READ_JOURNAL=$PARIO_BUILD/test/fault/readjournal
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# A step of a healthy run may take longer than a short deadline where the machine is busy: a test whose run did not come to
# what is planted in it tries the next one.
DEADLINES=(3 15 60)

# Two clients, 8 transfers per phase. Always the same data: else one wrong byte of 256 is right by chance.
SMALL=(--np 2 --transfer_size 64k --block_size 256k --repetitions 1 --seed 1)

setup()
{
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out TEST=transfer
	mkdir "$DATA"
	PIDS=() MOUNTS=() LOOPS=() CGROUPS=()
}

# Everything a test made is taken down, also when it failed half way.
teardown()
{
	local i

	for i in "${PIDS[@]}" $(ours); do kill -KILL "$i" 2>/dev/null; done
	for ((i = ${#MOUNTS[@]} - 1; i >= 0; i--)); do umount "${MOUNTS[i]}" || umount -l "${MOUNTS[i]}"; done
	for i in "${LOOPS[@]}"; do losetup -d "$i"; done
	for i in "${CGROUPS[@]}"; do rmdir "$i"; done
	return 0
}

# tried N: how many attempts this test is made of, for the table; without it one.
tried()
{
	echo "# tried $1" >&3
}

# builds: the programs to test with, one for each MPI that there is.
builds()
{
	echo "$PARIO"
	if [ -n "$PARIO_MPICH" ] && [ -x "$PARIO_MPICH" ]; then echo "$PARIO_MPICH"; fi
}

# quickest: the program whose launcher starts fastest, for tests of many runs.
quickest()
{
	builds | tail -n 1
}

# measure PROGRAM ARGUMENTS...: one bounded run of $TEST; status, output and the journal in $OUT are what is looked at.
measure()
{
	local program=$1

	shift
	rm -rf "$OUT"
	status=0
	# Through a file: clients of a run that hangs would keep a pipe open for ever.
	timeout -k 5 "$LIMIT_S" "$program" run "$TEST" --dir "$DATA" --output "$OUT" "$@" \
		>"$BATS_TEST_TMPDIR/text" 2>&1 3>&- || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/text")
	echo "$output"
	echo "status $status"
	# launchers end a moment before the last client that they killed
	until_true 60 none_left || { ps -o pid,etimes,stat,args -p "$(ours | paste -sd,)"; return 1; }
	[ "$status" -ne 124 ] && [ "$status" -ne 137 ]
}

# ours: every process of the test's run: front, launcher, clients. Only they name this output directory.
ours()
{
	pgrep -f -- "--output $OUT " || true
}

none_left()
{
	[ -z "$(ours)" ]
}

# spoil RULES PROGRAM ARGUMENTS...: the same with faults; fails when no call was spoiled.
spoil()
{
	local rules=$1

	shift
	rm -f "$BATS_TEST_TMPDIR/spoiled"
	INJECT=$rules INJECT_LOG=$BATS_TEST_TMPDIR/spoiled LD_PRELOAD=$INJECTOR measure "$@" || return 1
	[ -s "$BATS_TEST_TMPDIR/spoiled" ] || { echo "no call was spoiled by $rules"; return 1; }
}

journal()
{
	jq -rs "$1" "$OUT/journal.jsonl"
}

# phase NAME FIELD: of the last result of that phase.
phase()
{
	journal "map(select(.kind == \"result\" and .phase == \"$1\")) | last | .$2"
}

# The journal is whole, ends with an end line, and says what the exit code said.
journal_is_sound()
{
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" \
		"$OUT/journal.jsonl" && [[ $("$READ_JOURNAL" "$OUT") == *" 0 1" ]]
}

workspace_is_gone()
{
	[ -z "$(ls -A "$DATA")" ] || { ls -lA "$DATA"; return 1; }
}

# failed CODE NAME: the run ended with this code, one sentence with that error's name, and left nothing behind.
failed()
{
	[ "$status" -eq "$1" ]
	[[ $output == *"$2"* ]]
	journal_is_sound
	[ "$(journal 'last | .exit_code')" -eq "$1" ]
	[ "$(journal 'last | .outcome')" = fail ]
	workspace_is_gone
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# mounted ARGUMENTS... DIR: mounts and remembers to unmount; skips where the kernel will not.
mounted()
{
	mount "$@" || skip "cannot mount here: mount $*"
	MOUNTS+=("${*: -1}")
}

# loop_device FILE: sets LOOP.
loop_device()
{
	LOOP=$(losetup -f --show "$1") || skip "no loop device"
	LOOPS+=("$LOOP")
}
