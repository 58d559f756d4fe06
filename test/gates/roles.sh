#!/bin/bash
# Does each file do only what its role allows? Aborting MPI, ending the process, printing, reading the clock, keeping state in
# globals, knowing a test or what an option means by name: test/gates/roles lists the files that do, each with its reason;
# docs/architecture.md says the rules.
. "$(dirname "$0")/lib.sh"
set -f # the patterns below are for `files`

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
table=$here/test/gates/roles

# What the rules look at; the tracer's shims live in the program that is traced.
everywhere='src/*.c'
measuring='src/engine/*.c src/tests/*.c src/backend/*.c src/comm/*.c'
shared='src/base/*.c src/journal/*.c src/comm/*.c src/backend/*.c src/machine/*.c src/engine/*.c src/session/*.c src/report/*.c'
deciding='src/report/*.c src/session/*.c src/history/*.c src/journal/*.c src/engine/*.c'

# does ROLE FILES PATTERN [EDIT]: "ROLE FILE" of each file with code that matches. Comments are no code, and strings are none
# unless EDIT leaves them.
does()
{
	local edit=${4:-'s/"([^"\\]|\\.)*"/""/g'}
	# shellcheck disable=SC2086,SC2016 # a list of patterns; what perl reads
	files $2 | { grep -v '^src/tracer/preload/' || true; } | ROLE=$1 PATTERN=$3 xargs -r -d '\n' perl -ne "
		$edit"'; s,/\*.*\*/,,; s,^[ \t]*(/\*|\*).*,,; s,/\*.*,,;
		if (/$ENV{PATTERN}/) { print "$ENV{ROLE} $ARGV\n"; close ARGV }'
}

# Globals and static variables that can change; tables of constants cannot.
keeps_state()
{
	# shellcheck disable=SC2086 # a list of patterns
	files $measuring | xargs -r -d '\n' awk '
		{ gsub(/"([^"\\]|\\.)*"/, "\"\""); gsub(/\/\*.*\*\//, "") }
		/^[a-z].*\{$/ { constant = /const/ }
		/const|pthread_mutex_t|_Static_assert|^(extern|typedef|return|goto|enum|static inline)|^struct [a-z_]+;/ { next }
		/^\} [a-z]/ && constant { next }
		/^\} [a-z][a-z_, ]*( = .*)?;/ || /^[ \t]+static / || /^[a-z][A-Za-z_0-9* ]* [*a-z_]+(\[[^]]*\])*( =.*|,|;)$/ {
			print "state " FILENAME
			nextfile
		}'
}

# Options whose rows say whether they shape a measurement, who hands them on, how a run is resumed: one list, settings.c.
names_of_options()
{
	{
		sed -nE 's/^	SETTING\(([a-z_]+),.*/\1/p' "$here/src/engine/settings.c"
		echo minutes
	} | paste -sd'|'
}

names_of_tests()
{
	grep -rhoE 'struct pario_test pario_test_[a-z0-9_]+' "$here/src/tests" | sed 's/.*pario_test_//' | sort -u | paste -sd'|'
}

all()
{
	does abort "$everywhere" '\bMPI_Abort\('
	does exit "$everywhere" '\b(_?exit|_Exit|quick_exit|abort)\('
	does print "$everywhere" '\b(printf|puts|putchar|vprintf|perror)\(|\bf(printf|puts|write)\(.*\bstd(out|err)\b|\bd?v?printf\((1|2|STD)|\bwrite\((1|2|STD)'
	does no-memory "$everywhere" 'no memory (for|to)\b|no memory\."' 's/^$//'
	does counter "$everywhere src/*.h" '__builtin_ia32_rdtsc|__rdtsc'
	does unknown "$everywhere" 'did you mean' 's/^$//'
	does split "$everywhere" '\bstrtok(_r)?\('
	does mpi-open "$everywhere" "\bMPI_File_open\("
	does clock 'src/tests/*.c src/backend/*.c' '\b(clock_gettime|gettimeofday|MPI_Wtime|pario_clock_[a-z]+|time)\('
	local option
	option="\"($(names_of_options))\""
	does option-name "$deciding" "(strcmp|same_name)\([^\"]*$option\)|$option, *$option" 's/^$//'
	does test-name "$shared" "(^|[{(=]) *\"($(names_of_tests))\"[,)]" 's/"open", "transfer"//'
	keeps_state
}

# What whole rooms may do needs no row.
allowed_rooms='^(print src/(console|session|cmd)/|exit src/cmd/)'

status=0
if grep -vE '^#|^[a-z-]+ src/[^ ]+ [^ ]' "$table"; then
	echo "test/gates/roles: these lines lack a role, a file or the reason"
	status=1
fi
found=$(all | { grep -vE "$allowed_rooms" || true; } | LC_ALL=C sort -u)
known=$(awk '!/^#/ { print $1, $2 }' "$table" | LC_ALL=C sort)
while read -r sign role file; do
	case $sign in
	'<') echo "$file: \"$role\" is not its role (docs/architecture.md, Roles). Leave it to whose it is, or enter it in test/gates/roles with the reason." ;;
	'>')
		[ "$ROOT" = "$here" ] || continue
		echo "test/gates/roles: $file has the role \"$role\" there, but does not use it any more." ;;
	*) continue ;;
	esac
	status=1
done < <(diff <(printf '%s\n' "$found") <(printf '%s\n' "$known") | grep '^[<>] .')
exit $status
