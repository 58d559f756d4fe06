#!/bin/bash
# Can a product or sum of option values wrap? Where a plan is made, `*`, `+` and `<<` on a count or size that somebody gave, or on
# a variable that was made of one, are breaches: pario_times and pario_plus stay at the largest number, and such a plan is
# refused (engine/bound.c). Functions of a run (they take struct pario_run) work within what its plan was found to need.
. "$(dirname "$0")/lib.sh"

need python3
files 'src/*.c' 'src/*.h' >/dev/null
set -f
files 'src/engine/*.c' 'src/engine/*.h' 'src/backend/*.c' 'src/backend/*.h' 'src/tests/*.c' 'src/tests/*.h' 'src/session/*.c' 'src/cmd/*.c' \
	'src/survey/walk/*' 'src/characterize/measure/*' | python3 "$(dirname "${BASH_SOURCE[0]}")/arithmetic.py"
