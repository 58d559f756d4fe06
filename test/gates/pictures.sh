#!/bin/bash
# Do the pictures in docs/ show pages as they are now? docs/pictures.txt has the structure that they had; `make pictures` mends it.
. "$(dirname "$0")/lib.sh"

[ -x "${PARIO:-}" ] || skip "pario was not built"
"$(dirname "${BASH_SOURCE[0]}")/../../tools/pictures.py" "$PARIO" --structure | diff docs/pictures.txt - || {
	echo "docs/pictures.txt: pages do not look as in docs/*.png any more: make pictures"
	exit 1
}
