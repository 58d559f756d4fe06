#!/bin/bash
# Does every proof that the documents name exist? `cli/beff: words` is a case of test/cli/beff.bats whose name begins with
# these words, `unit/beff: name` and `mpi/bt: name` are functions of test/unit/test_beff.c and test/mpi/test_bt.c.
. "$(dirname "$0")/lib.sh"

status=0
# shellcheck disable=SC2016 # no commands: the marks of what is named
while IFS= read -r hit; do
	[[ $hit =~ ^([^:]+:[0-9]+):\`([a-z]+)/([a-z0-9_]+):\ (.*)\`$ ]]
	place=${BASH_REMATCH[1]} kind=${BASH_REMATCH[2]} name=${BASH_REMATCH[3]} words=${BASH_REMATCH[4]}
	case $kind in
	unit | mpi) grep -qE "^(static )?(void|int) $words\(" "test/$kind/test_$name.c" 2>/dev/null && continue ;;
	*) grep -qF "@test \"$words" "test/$kind/$name.bats" 2>/dev/null && continue ;;
	esac
	echo "$place: there is no test $kind/$name: $words"
	status=1
done < <(files 'docs/*.md' | xargs -r grep -HnoE '`(unit|mpi|cli|fault|hostile|cluster)/[a-z0-9_]+: [^`]+`')
exit $status
