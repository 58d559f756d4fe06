# shellcheck shell=bash
# What every test that waits for something uses: no wait is without a bound.

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
