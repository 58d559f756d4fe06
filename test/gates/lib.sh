# shellcheck shell=bash
# What every gate needs. A gate is a script that exits 0 (fine), 1 (breach, named on its output) or 77 (cannot
# run here; the last line `skip: reason` says why). ROOT is the tree it looks at: the repository, or a tree with
# planted breaches. Lines `note: ...` are shown even when the gate passes.
set -euo pipefail
ROOT=$(cd "${ROOT:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
cd "$ROOT"

skip()
{
	echo "skip: $*"
	exit 77
}

need()
{
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# files [PATTERN...]: the project's own files, whether committed yet or not.
files()
{
	if [ -e .git ] && command -v git >/dev/null; then
		git -c safe.directory='*' ls-files --cached --others --exclude-standard --deduplicate -- "$@"
	else
		find . -type f -not -path './.git/*' -not -path './build*' -not -path './pario-*' -printf '%P\n' |
			matching "$@"
	fi | while IFS= read -r file; do
		if [ -f "$file" ]; then printf '%s\n' "$file"; fi
	done
}

matching()
{
	local file pattern
	while IFS= read -r file; do
		[ $# -gt 0 ] || printf '%s\n' "$file"
		for pattern in "$@"; do
			# shellcheck disable=SC2053 # the pattern is one
			if [[ $file == $pattern ]]; then
				printf '%s\n' "$file"
				break
			fi
		done
	done
}
