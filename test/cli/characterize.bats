#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# characterize: a SYSTEM comes out of a run and out of its journal alike, an interrupted run goes on, and bad input is
# refused. Whether planted laws come back is the unit test's matter (test_characterize.c); a busy machine can only
# make calls slower than their planted times.

load lib

NULL=(--api null --delay 200 --delay_per_mib 400 --repetitions 1 --seed 7)

# characterize ARGUMENTS...: in $DATA; the journal goes to $OUT.
characterize()
{
	pario characterize "$DATA" --output "$OUT" "$@"
}

@test "planted times come back, and what was not measured is named" {
	once_of 3
	run -0 --separate-stderr characterize "${NULL[@]}" --np 2 --minutes "$(by_try 0.5 2 4)" -o "$BATS_TEST_TMPDIR/system.json"
	echo "$output"
	grep -q "not measured: readdir" <<<"$output"
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
	"$PYTHON" - "$BATS_TEST_TMPDIR/system.json" <<-'PYTHON'
	import json, sys
	s = json.load(open(sys.argv[1]))
	assert s["schema"] == "pario-system/1", s["schema"]
	seen = {(f["op"], f["path"], f["clients"]): f for f in s["surfaces"]}
	for op, path in ("read", "hit"), ("write", "absorbed"):
	    for clients in 1, 2:
	        for point in seen[op, path, clients]["points"]:
	            planted = 200e-6 + point["bytes"] / 2**20 * 400e-6
	            assert point["seconds"] >= planted * 0.98, (op, clients, point)
	for op in "fsync", "fsync_again", "fdatasync_again", "fsync_directory", "fsync_directory_again":
	    for clients in 1, 2:
	        assert all(p["seconds"] > 0 for p in seen[op, "sync", clients]["points"]), (op, clients)
	for clients in 1, 2:
	    assert seen["absent", "any", clients]["points"][0]["seconds"] > 0, clients
	for op in "lookup", "lock", "link", "rename", "rename_directory":
	    assert seen[op, "any", 1]["points"][0]["seconds"] > 0, op
	assert s["memory"]["found_read_seconds"] > 0 and s["memory"]["reopened_read_seconds"] > 0, s["memory"]
	gaps = {g["what"] for g in s["coverage"]}
	assert {"the usual time", "repetitions", "readdir"} <= gaps, gaps
	assert all(g["why"] for g in s["coverage"])
	PYTHON
	[ -z "$(ls -A "$DATA")" ]

	# The journal alone says the same, all but the time when it ended.
	run -0 pario characterize --from "$OUT" -o "$BATS_TEST_TMPDIR/again.json"
	diff <(grep -v '"seconds":[0-9.]*,$' "$BATS_TEST_TMPDIR/system.json") \
		<(grep -v '"seconds":[0-9.]*,$' "$BATS_TEST_TMPDIR/again.json")
}

@test "journals of one place make one SYSTEM; a comma in a name separates nothing" {
	cd "$BATS_TEST_TMPDIR"
	once_of 3
	OUT=$PWD/one,two
	run -0 characterize "${NULL[@]}" --np 1 --minutes "$(by_try 0.5 2 4)" -o one.json
	run -0 pario characterize --from "$OUT" -o again.json
	cp -r "$OUT" second
	run -0 pario characterize --from second,second/journal.jsonl -o both.json
	[ "$(jq '.surfaces[] | select(.op == "read" and .path == "hit" and .locality == "sequential") | .points[] |
		select(.bytes == 4096).repetitions' both.json)" -eq 2 ]
	run -2 --separate-stderr pario characterize --from , -o none.json
	[[ $stderr == *"--from names no journal."* ]]
	[ ! -e none.json ]
}

@test "an interrupted run writes no SYSTEM, and --resume measures the rest" {
	once_of 3
	set -m # as the head of a process group it has the default signal actions
	"$PARIO" characterize "$DATA" --output "$OUT" "${NULL[@]}" --np 1 -o "$BATS_TEST_TMPDIR/system.json" >text 2>&1 3>&- &
	pid=$!
	set +m
	until_true "$LIMIT_S" grep -qs '"kind":"result"' "$OUT/journal.jsonl"
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	cat text
	[ "$code" -eq 130 ]
	[ ! -e "$BATS_TEST_TMPDIR/system.json" ]
	before=$(grep -c '"kind":"result"' "$OUT/journal.jsonl")
	run -0 pario characterize --resume "$OUT" --minutes "$(by_try 0.2 1 4)"
	echo "$output"
	[ -s "$BATS_TEST_TMPDIR/system.json" ]
	[ "$(grep -c '"kind":"result"' "$OUT/journal.jsonl")" -gt "$before" ]
	# only the repetition that was cut short was measured twice
	[ "$(field point clients repetition phase | sort | uniq -d | wc -l)" -le 1 ]
}

@test "bad input gets a sentence" {
	echo mine >"$BATS_TEST_TMPDIR/mine"
	run -2 characterize -o "$BATS_TEST_TMPDIR/mine"
	[[ $output == *"mine is there already."*"--force"* ]]
	[ "$(cat "$BATS_TEST_TMPDIR/mine")" = mine ]
	run -2 characterize --direct 1
	[[ $output == *"tries every --direct itself"* ]]
	run -2 characterize --clients 1
	[[ $output == *"--clients do not apply"* ]]
	run -2 pario characterize --from "$OUT"
	[[ $output == *"-o FILE"* ]]
	pario run transfer --dir "$DATA" --output "$OUT" --api null --np 1 --repetitions 1 --quiet
	run -2 pario characterize --from "$OUT" -o "$BATS_TEST_TMPDIR/system.json"
	[[ $output == *"journal of transfer"* ]]
	run -2 pario characterize "$DATA" "$DATA/b"
	[[ $output == *"one directory at a time"* ]]
}

@test "a SYSTEM that cannot be written is told before anything is measured, and what was measured is kept" {
	local injector=$PARIO_BUILD/test/fault/libinject.so

	run -3 characterize -o "$BATS_TEST_TMPDIR/nowhere/system.json"
	[[ $output == *"nowhere/system.json cannot be written: "*ENOENT* ]]
	[ ! -e "$OUT" ]
	run -2 characterize --force 1 -o "$DATA"
	[[ $output == *"is a directory"* ]]
	[ ! -e "$OUT" ]
	[ -e "$injector" ] || skip "the injector is not built"
	INJECT=fail=open@2+:ENOSPC,path=system.json,rank=0 LD_PRELOAD=$injector \
		run -3 characterize "${NULL[@]}" --np 1 --minutes 0.05 -o "$BATS_TEST_TMPDIR/system.json"
	[[ $output == *"system.json cannot be written: "*ENOSPC*"kept: \`pario characterize --from $OUT -o FILE\`"* ]]
	run -0 pario characterize --from "$OUT" -o "$BATS_TEST_TMPDIR/system.json"
}
