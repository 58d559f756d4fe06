# shellcheck shell=bash
# What every test that waits for something uses: no wait is without a bound. And what it waits for, in one line.

# What was printed, as one line: sentences are broken where the terminal ends.
# shellcheck disable=SC2154 # set by bats
said() { tr -s ' \n' ' ' <<<"$output"; }

# until_true SECONDS COMMAND...: tries it again and again; fails when it was not true in that time.
until_true()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || { echo "still not: $*"; return 1; }
		sleep 0.05
	done
}

# once_of N: the test that calls this first is tried so many times, and once it must hold. Only for what a busy machine can hide
# and nothing but the right program can show: the shorter of two planted times, a gap between two real ones. The summary of the
# check names who needed it (test/summary.py).
once_of()
{
	export BATS_TEST_RETRIES=$(($1 - 1)) # bats reads it when the test has failed
	[ "${BATS_TEST_TRY_NUMBER:-1}" -eq 1 ] || echo "# tried again: $BATS_TEST_DESCRIPTION" >&3
}

# by_try VALUE...: the one for this try; the last one for all further.
by_try()
{
	local n=${BATS_TEST_TRY_NUMBER:-1}

	[ "$n" -le $# ] || n=$#
	echo "${!n}"
}
