#!/bin/bash
# Are the shell scripts sound? Scripts are known by their name or their first line.
. "$(dirname "$0")/lib.sh"
need shellcheck

scripts() {
	files '*' | while IFS= read -r file; do
		case $file in
		*.bats) ;;
		*.sh | *.bash) printf '%s\n' "$file" ;;
		*) if head -c 64 "$file" | head -n 1 | tr -d '\0' | grep -Eq '^#!.*\b(ba|da)?sh\b'; then
			printf '%s\n' "$file"
		fi ;;
		esac
	done
}

status=0
scripts | xargs -r -d '\n' -n 8 -P "$(nproc)" shellcheck || status=1
files '*.bats' | xargs -r -d '\n' -n 8 -P "$(nproc)" shellcheck -s bats || status=1
exit $status
