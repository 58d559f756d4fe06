#!/bin/bash
# Is what fails, and holds when it is tried again, let pass once and no more? Three runs of a check are made up, with their results
# and logs, and summed up as test/run does.
. "$(dirname "$0")/lib.sh"
need python3

check=$(mktemp -d)
trap 'rm -rf "$check"' EXIT

# results FILE NAME=STATUS...
results()
{
	local file=$check/$1 pair

	shift
	echo '<testsuite>' >"$file"
	for pair in "$@"; do echo "<testcase name=\"${pair%=*}\" status=\"${pair#*=}\" time=\"1\"/>" >>"$file"; done
	echo '</testsuite>' >>"$file"
}

# sums STATUS LAST_LINE WHAT: what the summary of these results must end with.
sums()
{
	local status=0 text

	text=$(test/summary.py "$check" 60) || status=$?
	if [ $status -ne "$1" ] || [ "${text##*$'\n'}" != "$2" ]; then
		echo "$3: the summary exits with $status and should with $1, or does not end with \"$2\":"
		echo "$text"
		exit 1
	fi
}

printf '1..1\nok 1 waits\n' >"$check/cli-steady.log"
printf '1..1\n# tried again: a gap\nok 1 a gap\n' >"$check/cli-gap.log"
results again.xml
results results.xml cli/steady=run cli/race=fail
sums 1 '1 passed, 1 failed, 0 skipped' "a failure"
results again.xml cli/race=run
sums 0 '2 passed, 0 failed, 0 skipped' "unsteady for the first time"
sums 1 '2 passed, 1 failed, 0 skipped' "unsteady again"
rm "$check/again.xml"
results results.xml cli/race=run
for _ in 1 2 3; do sums 0 '1 passed, 0 failed, 0 skipped' "steady"; done
results results.xml cli/race=fail
results again.xml cli/race=run
sums 0 '1 passed, 0 failed, 0 skipped' "unsteady after three steady runs"
rm "$check/again.xml"
results results.xml cli/gap=run
for _ in 1 2 3; do sums 0 '1 passed, 0 failed, 0 skipped' "a case that tries again itself"; done
sums 1 '1 passed, 1 failed, 0 skipped' "a case that tried again in all of the last runs"
