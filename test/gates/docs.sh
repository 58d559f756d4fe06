#!/bin/bash
# Are the man pages in docs/ what the option tables say now, and is the mdoc clean?
# `make docs` mends it.
. "$(dirname "$0")/lib.sh"

[ -x "${PARIO:-}" ] || skip "pario was not built"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/man"
tools/man.py "$PARIO" "$scratch/man" || exit 1

status=0
diff -ru docs/man "$scratch/man" || status=1
[ $status -eq 0 ] || echo "docs/ is out of date: make docs writes it anew"
if command -v mandoc >/dev/null; then
	mandoc -Tlint "$scratch"/man/*.[17] || status=1
fi
for page in "$scratch"/man/*.1; do
	grep -q '^\.Sh EXAMPLES$' "$page" || { echo "$(basename "$page"): no EXAMPLES; tools/man.txt has them"; status=1; }
done
exit $status
