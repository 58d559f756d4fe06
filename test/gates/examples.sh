#!/bin/bash
# Does every plan in examples/ run? The first line of a plan is the command that runs it, as in
# `# pario run transfer --plan FILE`; here it stores nothing (--api null) and has a second. Where that does not apply,
# a line `# check: OPTIONS` gives what makes it small. Before that it is looked at in full size (--dry_run), which may end
# with 3 where this machine is too small. Comments say what it reproduces, its source and how long it takes.
. "$(dirname "$0")/lib.sh"

mapfile -t plans < <(files 'examples/*.ini')
[ ${#plans[@]} -gt 0 ] || skip "no examples yet"
[ -x "${PARIO:-}" ] || skip "pario was not built"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
for plan in "${plans[@]}"; do
	read -ra command < <(sed -n '1s/^# *//p' "$plan")
	if [ "${command[0]:-}" != pario ]; then
		echo "$plan: its first line must be the command that runs it, as \`# pario run TEST --plan FILE\`"
		status=1
		continue
	fi
	for word in Reproduces Source Takes; do
		grep -q "^# $word: " "$plan" || { echo "$plan: a comment \`$word: ...\` is missing"; status=1; }
	done
	command=("${command[@]//FILE/$plan}")
	dry=0
	timeout -k 5 300 "$PARIO" "${command[@]:1}" --dir "$scratch" --dry_run 1 || dry=$?
	[ "$dry" -eq 0 ] || [ "$dry" -eq 3 ] || { echo "$plan: --dry_run failed with status $dry"; status=1; }
	read -ra small < <(sed -n 's/^# check: *//p' "$plan") || true # most have none
	[ ${#small[@]} -gt 0 ] || small=(--api null --time_limit 1 --np 2)
	echo "== ${command[*]}"
	timeout -k 5 300 "$PARIO" "${command[@]:1}" "${small[@]}" --dir "$scratch" \
		--output "$scratch/$(basename "$plan")" || {
		echo "$plan: failed with status $?"
		status=1
	}
done
exit $status
