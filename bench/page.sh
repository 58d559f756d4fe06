#!/usr/bin/env bash
# How large the pages are that people open every day, and how long a browser takes to open them: a run, a glance, thirteen runs.
# Against fixed limits: 0.4, 1 and 3 MB; 1, 2 and 4 s. With OLD=PROGRAM another pario makes its pages of the same journals, and
# both are opened by turns. Needs Chromium for the times.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$WORK/scratch"
"$PARIO" glance "$WORK/scratch" --minutes 1 --output "$WORK/glance" --quiet || true
runs=()
for ((i = 0; i < 13; i++)); do
	"$PARIO" run transfer --np 2 --dir "$WORK/scratch" --block_size 16m --output "$WORK/run$i" --quiet
	runs+=("$WORK/run$i")
done

# opened PAGE: seconds until it can be used; nothing without a browser.
opened() { timeout 120 /usr/bin/python3 test/browser/open.py "$1" || true; }

# page NAME MB SECONDS RUN...: of each program, by turns.
page() {
	local name=$1 mb=$2 seconds=$3 new=() old=()
	shift 3
	"$PARIO" report "$@" --out "$WORK/new.html" >/dev/null
	[ -z "${OLD:-}" ] || "$OLD" report "$@" --out "$WORK/old.html" >/dev/null
	for ((i = 0; i < (ROUNDS < 3 ? ROUNDS : 3); i++)); do
		new+=("$(opened "$WORK/new.html")")
		[ -z "${OLD:-}" ] || old+=("$(opened "$WORK/old.html")")
	done
	printf '%-14s %6.2f MB (limit %s)   opened in %s s (limit %s)' "$name" \
		"$(stat -c %s "$WORK/new.html" | awk '{ print $1 / 1e6 }')" "$mb" \
		"$(printf '%s\n' "${new[@]}" | median)" "$seconds"
	[ -z "${OLD:-}" ] || printf '   before: %.2f MB, %s s' "$(stat -c %s "$WORK/old.html" | awk '{ print $1 / 1e6 }')" \
		"$(printf '%s\n' "${old[@]}" | median)"
	printf '\n'
	rm -f "$WORK/new.html" "$WORK/old.html"
}

page "a run" 0.4 1 "${runs[0]}"
page "a glance" 1 2 "$WORK/glance"
page "thirteen runs" 3 4 "${runs[@]}"
