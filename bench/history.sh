#!/usr/bin/env bash
# How long do 10,000 journals take to be indexed, and a question after that? The bars are 60 s and 1 s.
. "$(dirname "$0")/lib.bash"

journals=${JOURNALS:-10000}
"$PARIO" run transfer --api null --np 1 --block_size 1m --repetitions 1 --quiet --output "$WORK/model"
python3 test/cli/history.py "$WORK/model/journal.jsonl" "$WORK/runs" "$journals" change=$((journals - 100)):0.8 points=4

# seconds COMMAND...: how long it took; a change within the last runs makes the exit code 1.
seconds()
{
	local before=$EPOCHREALTIME
	"$@" >/dev/null || true
	awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }'
}

first=$(seconds "$PARIO" history "$WORK/runs" --index "$WORK/index")
again=$(seconds "$PARIO" history "$WORK/runs" --index "$WORK/index" --out "$WORK/page.html")
printf '%-44s %-26s %9ss %10s  %5s  %-8s\n' "history of $journals journals, first call" "" "$first" - - "60 s"
printf '%-44s %-26s %9ss %10s  %5s  %-8s\n' "history of $journals journals, again" "" "$again" - - "1 s"
