#!/usr/bin/env bats
# Does every call that can fail have someone who notices?
#
# A small run's file calls are counted, then it is run again with each of them failing in turn. However it fails, it
# must end, say why, leave a sound journal whose number for the spoiled phase is gone, and leave nothing behind.
# Calls whose failure loses nothing (closing what was only read) may be ignored, but nothing else.
load lib

ARGUMENTS=("${SMALL[@]}" --operations "write,rewrite,read")

# count PATH: lines "rank call count" of a good run.
count()
{
	INJECT=path=$1 INJECT_COUNT=$BATS_TEST_TMPDIR/counts LD_PRELOAD=$INJECTOR \
		measure "$(quickest)" "${ARGUMENTS[@]}"
	[ "$status" -eq 0 ]
	grep -v '^-1' "$BATS_TEST_TMPDIR/counts" | sort
}

# numbers COUNT: all of 1..COUNT, or the first, the last and one between that is always the same.
numbers()
{
	if [ "${CHECK_TORTURE:-}" = full ]; then
		seq "$1"
	else
		printf '%s\n' 1 $(((RANDOM % $1) + 1)) "$1" | sort -nu
	fi
}

# The phase a spoiled data call belongs to is the first one without a number.
failed_phase_has_no_number()
{
	local outcomes

	outcomes=$(journal 'map(select(.kind == "result") | .outcome) | join(" ")')
	[[ $outcomes =~ ^((pass|suspect)\ )*fail$ ]] || { echo "outcomes: $outcomes"; return 1; }
}

# What one spoiled call must lead to, by what it was: "rank call number path" as the injector logged it.
judge()
{
	local call path

	read -r _ call _ path _ <"$BATS_TEST_TMPDIR/spoiled"
	journal_is_sound || return 1
	case $call:$path in
	close_read:* | close:*/manifest | open:* | flock:* | stat:* | fstat:*)
		if [ "$status" -eq 0 ]; then # nothing was lost, or the result says what is not known
			workspace_is_gone
			return
		fi ;;
	esac
	[ "$status" -eq 3 ] || return 1
	# in the table, and on standard error where the logs of failures are looked for
	[[ $(grep -o '(EIO)' <<<"$output" | wc -l) == [12] ]] || return 1
	case $call:$path in
	unlink:* | rmdir:* | stat:* | pread:*/manifest | open:*/..) return ;; # what stayed is told
	fstat:*) # at the end, as for those; at the beginning nothing has to stay
		[[ $output != *"cannot be removed"* && $output != *"removes the workspace later"* ]] || return 0 ;;
	close_read:* | *:*.data.*) failed_phase_has_no_number || return 1 ;;
	esac
	workspace_is_gone
}

# torture PATH EXCEPT: every call on that path, but for those the pattern names.
torture()
{
	local rank call total i bad=0 tried=0

	RANDOM=17
	while read -r rank call total; do
		[[ ! $call =~ $2 ]] || continue
		for i in $(numbers "$total"); do
			tried=$((tried + 1))
			if ! spoil "fail=$call@$i:EIO,path=$1,rank=$rank" "$(quickest)" \
				"${ARGUMENTS[@]}" >"$BATS_TEST_TMPDIR/said" 2>&1 || ! judge; then
				echo "wrong after failure of $call number $i in client $rank:"
				cat "$BATS_TEST_TMPDIR/spoiled" "$BATS_TEST_TMPDIR/said"
				bad=$((bad + 1))
			fi
			rm -rf "${DATA:?}"/*
		done
	done < <(count "$1" | grep -E '^[01] [a-z_]+ [0-9]+$')
	echo "$tried faults tried, $bad wrong"
	[ $tried -gt 4 ] && [ $bad -eq 0 ]
}

@test "every failing call on the data is noticed" {
	torture /data/pario- '^fadvise$'
}

# The journal itself: a run that cannot record must not end well.
@test "every failing call on the journal is noticed" {
	local rule

	for rule in mkdir@1 open@1 open@2 fsync@1 write@1 write@3 fdatasync@1 fdatasync@3; do
		spoil "fail=$rule:ENOSPC,path=/out,rank=0" "$(quickest)" "${ARGUMENTS[@]}"
		[ "$status" -eq 3 ]
		[ "$(grep -o '(ENOSPC)' <<<"$output" | wc -l)" -ge 1 ]
		workspace_is_gone
		[ ! -s "$OUT/journal.jsonl" ] || "$READ_JOURNAL" "$OUT"
	done
}

@test "a write that succeeds and an fsync that fails is no result, on both MPIs" {
	local program

	for program in $(builds); do
		spoil fail=fsync@1:ENOSPC,path=.data.,rank=1 "$program" "${SMALL[@]}"
		failed 3 ENOSPC
		[ "$(phase write outcome)" = fail ]
		[ "$(phase write rate_mib_s)" = null ]
		[[ $(phase write reason) == *"client 1"* ]]
	done
}

@test "a close that fails is no result" {
	spoil fail=close@1:EDQUOT,path=.data.,rank=1 "$(quickest)" "${SMALL[@]}"
	failed 3 EDQUOT
	[ "$(phase write outcome)" = fail ]
}

@test "short transfers and interrupted calls are continued" {
	spoil short=pwrite@2,short=pread@3,fail=pwrite@5:EINTR,fail=pread@7:EAGAIN,path=.data. \
		"$(quickest)" "${SMALL[@]}"
	[ "$status" -eq 0 ]
	[ "$(phase read bytes)" -eq 524288 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/spoiled")" -ge 6 ]
	journal_is_sound
	workspace_is_gone
}

@test "a call that is interrupted for ever ends the run" {
	spoil fail=pwrite@2+:EINTR,path=.data.,rank=0 "$(quickest)" "${SMALL[@]}"
	failed 3 EINTR
}
