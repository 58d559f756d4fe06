#!/bin/bash
# Does what the documents name exist? Every --option, every `pario COMMAND` and `pario run TEST` in docs/, README.md,
# examples/ and CONTRIBUTING.md must be known to the program, every test must have its section with question, method and
# when it misleads, and every link between the documents must lead somewhere.
. "$(dirname "$0")/lib.sh"

[ -x "${PARIO:-}" ] || skip "pario was not built"
# add-a-test.md makes up a test of its own.
mapfile -t texts < <(files 'docs/*.md' README.md CONTRIBUTING.md 'examples/*.ini' | grep -v add-a-test)
[ ${#texts[@]} -gt 0 ] || skip "no documents yet"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/man"
"$(dirname "${BASH_SOURCE[0]}")/../../tools/man.py" "$PARIO" "$scratch/man" || exit 1
status=0

# Options of this program, from its manual pages: the tables write them there.
declare -A known
while read -r name; do known[$name]=1; done < <(sed -n 's/.*Fl Fl \([a-z0-9_][a-z0-9_]*\).*/\1/p' "$scratch"/man/*.[17])
# Its own that no table has, and those of other programs that the documents speak of.
for name in version help tables complete oversubscribe seccomp_bpf getentryinfo update check peer test_dir map_by prefix host \
	output_format with peer_output torch threads; do
	known[$name]=1
done

tests=$("$PARIO" list | sed -n '/^tests/,/^$/s/^  \([a-z0-9_]*\) .*/\1/p')
commands=$("$PARIO" help | sed -n 's/^  pario \([a-z0-9]*\) .*/\1/p')
has() { [[ $'\n'$2$'\n' == *$'\n'"$1"$'\n'* ]]; }

while IFS=: read -r file line word; do
	name=${word#--}
	name=${name//-/_}
	[ -n "${known[$name]:-}" ] || { echo "$file:$line: there is no option $word"; status=1; }
done < <(grep -HnoE -- '(^|[^a-zA-Z0-9_-])--[a-z][a-zA-Z0-9_-]*' "${texts[@]}" | sed -E 's/:[^:]*(--[a-z])/:\1/')

while IFS=: read -r file line words; do
	read -r _ command test _ <<<"$words"
	has "$command" "$commands" || { echo "$file:$line: there is no command pario $command"; status=1; }
	[ "$command" != run ] || [ -z "$test" ] || has "$test" "$tests" || {
		echo "$file:$line: there is no test $test"
		status=1
	}
done < <(grep -HnoE '(`|\$ |^    |build/)pario [a-z][a-z0-9]*( [a-z][a-z0-9_]*)?' "${texts[@]}" | sed -E 's/:[^:]*pario /:pario /')

# Files and folders that say how the parts fit, with or without src/ before them and .c or .h behind.
while read -r place; do
	for known in "$place" {src,test,docs}/"$place" src/"$place".{c,h}; do [ ! -e "$known" ] || continue 2; done
	echo "docs/architecture.md: there is no $place"
	status=1
done < <([ ! -e docs/architecture.md ] || tr -c 'a-z0-9_./-' '\n' <docs/architecture.md | grep -E '^[a-z0-9_]+(/[a-z0-9_]+)+(\.[a-z]+)?$' | sort -u)

[ -e docs/tests.md ] || exit $status # a tree with a planted breach
for test in $tests; do
	grep -qE "pario run $test( |\`|\$)" docs/*.md || { echo "docs/: no page shows pario run $test"; status=1; }
done
for word in Question Method number misleads; do
	sections=$(grep -c '^## ' docs/tests.md) found=$(grep -c "^\*\*[A-Za-z ]*$word" docs/tests.md)
	[ "$sections" -eq "$found" ] || { echo "docs/tests.md: $sections tests, $found say \"$word\""; status=1; }
done

for file in docs/*.md README.md CONTRIBUTING.md; do
	while read -r target; do
		[ -e "$(dirname "$file")/${target%%#*}" ] || { echo "$file: a link leads to $target, which is not there"; status=1; }
	done < <(grep -oE '\]\([^)#:]+(#[a-z0-9_-]*)?\)' "$file" | sed 's/^](//; s/)$//')
done
exit $status
