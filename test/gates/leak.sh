#!/bin/bash
# Is a leak of our own still seen below the suppressions for MPI? The planted one of 777 bytes must fail the run.
. "$(dirname "$0")/lib.sh"

program=$CHECK_DIR/asan/test/sanitizer/leak
[ -x "$program" ] || skip "the sanitizer build has no planted leak"
output=$(timeout -k 5 300 mpiexec.openmpi -n 1 "$program" 2>&1) && {
	echo "The planted leak was not seen."
	exit 1
}
echo "$output"
grep -q 'leak of 777 byte' <<<"$output"
