#!/usr/bin/env bash
# How long a report of 100 000 results takes to write and to open, how large it is, and how fast pario itself starts.
# Against fixed limits, not against peers: 3 s, 3 s, 30 MB, 50 ms. Medians of ROUNDS; the browser part needs Chromium.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

# seconds COMMAND...: wall-clock time of one call.
seconds() {
	local from
	from=$(date +%s%N)
	"$@" >/dev/null
	echo "$(($(date +%s%N) - from))" | awk '{ print $1 / 1e9 }'
}

# limit WHAT UNIT LIMIT VALUE...: the median beside its limit.
limit() {
	local what=$1 unit=$2 most=$3 value
	shift 3
	value=$(printf '%s\n' "$@" | median)
	keep "$what" limit "$unit" -1 "$most" "$*"
	printf '%-44s %-26s %10.3f %10s  %5.3f  <= %-5s %s\n' "$what" "limit, $unit" "$value" "$most" \
		"$(awk -v v="$value" -v m="$most" 'BEGIN { print v / m }')" "$most" \
		"$(awk -v v="$value" -v m="$most" 'BEGIN { print (v <= m) ? "reached" : "MISSED" }')"
}

"$BUILD/bench/report_journal" "$WORK/large" 100000
made=() opened=() version=() list=()
for ((i = 0; i < ROUNDS; i++)); do
	made+=("$(seconds "$PARIO" report "$WORK/large" --out "$WORK/large.html")")
	version+=("$(seconds "$PARIO" --version)")
	list+=("$(seconds "$PARIO" list)")
done
limit "report of 100 000 results, written" s 3 "${made[@]}"
limit "its size" MB 30 "$(stat -c %s "$WORK/large.html" | awk '{ print $1 / 1e6 }')"
# A browser takes seconds to start and to end; three looks are enough for a median.
for ((i = 0; i < (ROUNDS < 3 ? ROUNDS : 3); i++)); do
	opened+=("$(timeout 60 /usr/bin/python3 test/browser/open.py "$WORK/large.html")") ||
		{ opened=(); break; }
done
if [ ${#opened[@]} -gt 0 ]; then
	limit "opened in Chromium until it can be used" s 3 "${opened[@]}"
else
	echo "opened in Chromium: not measured (Chromium or python3-websocket is missing)"
fi
limit "pario --version" s 0.05 "${version[@]}"
limit "pario list" s 0.05 "${list[@]}"
