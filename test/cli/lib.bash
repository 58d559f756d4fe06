# shellcheck shell=bash disable=SC2034,SC2154 # set here for the tests, and set by bats
# What the black-box tests share. test/step gives PARIO, PARIO_MPICH, PARIO_SOURCE and PYTHON.

bats_require_minimum_version 1.5.0

# shellcheck source=test/wait.bash
. "$PARIO_SOURCE/test/wait.bash"

PYTHON=${PYTHON:-python3}
CLI=$PARIO_SOURCE/test/cli
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1
unset NO_COLOR
# A sentence is one line, whatever is looked for in it; terminal.bats is about widths.
export COLUMNS=1000

# Every run is bounded; one that reaches this has hung. Far above what it takes, as the machine may be busy.
LIMIT_S=300

# Small, and a result after a second or so.
SMALL=(--transfer_size 16k --block_size 64k --repetitions 1 --np 2)

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	DATA=$BATS_TEST_TMPDIR/data OUT=$BATS_TEST_TMPDIR/out
	mkdir "$DATA"
	MOUNTED=
}

teardown()
{
	if [ -n "$MOUNTED" ]; then umount "$MOUNTED" || umount -l "$MOUNTED"; fi
	chmod -R u+w "$BATS_TEST_TMPDIR" # a read-only directory would stay behind
}

pario() { timeout -k 5 "$LIMIT_S" "$PARIO" "$@"; }

pario_mpich() { timeout -k 5 "$LIMIT_S" "$PARIO_MPICH" "$@"; }

need_mpich()
{
	[ -x "$PARIO_MPICH" ] || skip "there is no build with MPICH"
}

# has_backend PROGRAM NAME: can it be used here?
has_backend()
{
	! "$1" list | grep -A 1 "^  $2 " | grep -q unavailable
}

# transfer ARGUMENTS...: one run of the test in $DATA; the journal goes to $OUT.
transfer()
{
	rm -rf "$OUT"
	pario run transfer --dir "$DATA" --output "$OUT" "$@"
}

# measure ARGUMENTS...: a run that must succeed.
measure()
{
	run -0 --separate-stderr transfer "$@"
}

# refuse ARGUMENTS...: options that must be refused with one sentence, before anything is written.
refuse()
{
	run -2 --separate-stderr transfer "${SMALL[@]}" "$@"
	echo "$stderr"
	[ -z "$output" ]
	one_sentence
	untouched
}

# One line that begins with the program's name and ends like a sentence.
one_sentence()
{
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ $stderr == "pario: "*[.?] ]]
}

# says WORDS: the message holds them.
says()
{
	echo "$stderr"
	grep -qF -- "$1" <<<"$stderr"
}

# Nothing was made, neither data nor results.
untouched()
{
	[ -z "$(ls -A "$DATA")" ]
	[ ! -e "$OUT" ]
	[ ! -e pario-results ]
}

# field NAME...: members of the journal's result lines, one line per result.
field()
{
	"$PYTHON" "$CLI/journal.py" fields "$OUT/journal.jsonl" "$@"
}

# end NAME: a member of the journal's last line.
end()
{
	"$PYTHON" "$CLI/journal.py" end "$OUT/journal.jsonl" "$1"
}

# golden [ARGUMENTS]: the kept files hold what they should.
golden()
{
	"$PYTHON" "$CLI/golden.py" "$OUT/journal.jsonl" "$@"
}

# sums DIRECTORY: what is in it, to compare before and after.
sums()
{
	(cd "$1" && find . -printf '%p %y %m %s %T@\n' -type f -exec sha256sum {} + | sort)
}

# only_the_trace: has `pario trace` said nothing but its last line?
only_the_trace()
{
	[[ $stderr =~ ^"pario: "[^$'\n']*\.trace\ \([^$'\n']*\ calls\ of\ [0-9]+\ process(es)?\)\;\ next:\ pario\ profile\ [^$'\n']*$ ]]
}
