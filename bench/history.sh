#!/usr/bin/env bash
# How long do 10,000 journals take to be read, judged and drawn? The bar is 60 s.
. "$(dirname "$0")/lib.bash"

journals=${JOURNALS:-10000}
"$PARIO" run transfer --api null --np 1 --block_size 1m --repetitions 1 --quiet --output "$WORK/model"
python3 test/cli/history.py "$WORK/model/journal.jsonl" "$WORK/runs" "$journals" change=$((journals - 100)):0.8 points=4

# A change within the last runs makes the exit code 1.
before=$EPOCHREALTIME
"$PARIO" history "$WORK/runs" --out "$WORK/page.html" >/dev/null || true
took=$(awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }')
printf '%-44s %-26s %9ss %10s  %5s  %-8s\n' "history of $journals journals" "" "$took" - - "60 s"
