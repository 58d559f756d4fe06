# shellcheck shell=bash disable=SC2154 # set by bats and lib.bash
# What the tests of operations (metadata, small files, commands) share.

INJECTOR=$PARIO_BUILD/test/fault/libinject.so

# operate TEST ARGUMENTS...: one bounded run; the journal goes to $OUT and must be sound whatever the outcome.
operate()
{
	local test=$1

	shift
	rm -rf "$OUT"
	timeout -k 5 "$LIMIT_S" "${PROGRAM:-$PARIO}" run "$test" --dir "$DATA" --output "$OUT" --quiet "$@" || return
}

# done_well TEST ARGUMENTS...: a run that succeeds, writes a sound journal and leaves nothing behind.
done_well()
{
	run -0 --separate-stderr operate "$@"
	sound
	[ -z "$(ls -A "$DATA")" ]
	[ "$(results 'select(.outcome == "fail" or .outcome == "skip")')" = "" ]
}

# spoiled RULES CODE TEST ARGUMENTS...: a run with faults that ends with this code and leaves nothing behind.
spoiled()
{
	local rules=$1 code=$2

	shift 2
	[ -e "$INJECTOR" ] || skip "the fault injector is not built"
	rm -f spoiled
	INJECT=$rules INJECT_LOG=$PWD/spoiled LD_PRELOAD=$INJECTOR run "-$code" --separate-stderr operate "$@"
	[ -s spoiled ] || { echo "no call was spoiled by $rules"; return 1; }
	sound
	[ -z "$(ls -A "$DATA")" ]
}

sound()
{
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
}

# results FILTER: what jq makes of each result line, one compact line each.
results()
{
	jq -cr "select(.kind == \"result\") | $1" "$OUT/journal.jsonl"
}

# ops CLIENTS: "phase operations" of the first repetition at this client count.
ops()
{
	results "select(.clients == $1 and .repetition == 0) | \"\(.phase) \(.ops)\"" | paste -sd,
}
