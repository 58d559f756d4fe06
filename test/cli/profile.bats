#!/usr/bin/env bats
# pario profile: what it shows, what it exports, and what it makes of damaged files.

load lib

trace() # a trace of a known program
{
	gcc -w -g -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario trace -o x.trace -- ./victim 50000
}

calls() { awk '$1 == "calls" { print $2 }' <<<"$output"; }

@test "classes, files, sites, processes, timeline, distances and longest calls are shown" {
	trace
	run -0 pario profile x.trace
	for part in "call classes" files "call sites" processes timeline "seek distances" "longest calls"; do
		grep -q "^$part" <<<"$output"
	done
	[ "$(calls)" -ge 50001 ]
	grep -qE 'posix +pwrite +<= 256 B +sequential +cached +50000 ' <<<"$output"
	grep -qE '^  none +49999$' <<<"$output"
	grep -q "$PWD/victim.data" <<<"$output"
}

@test "a call site has function, file and line" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	line=$(grep -n 'pwrite(fd' "$PARIO_SOURCE/test/trace/victim.c" | cut -d: -f1)
	pario profile x.trace | grep -E "pwrite .* work .*victim.c:$line\$"
}

@test "a program that has moved is found by its build-id" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	mkdir moved
	mv victim moved/
	run -0 pario profile x.trace
	grep -E 'pwrite .*  victim\+0x' <<<"$output"
	pario profile x.trace --symbols moved | grep -E 'pwrite .* work .*victim.c:'
}

@test "lines of a program that was built anew are not shown" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	trace
	gcc -w -g -O1 -DOTHER -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario profile x.trace | grep -E 'pwrite .*  victim\+0x'
}

@test "without debug information there is function and offset" {
	pario list | grep -E 'libdw +[0-9]' || skip "built without libdw"
	gcc -w -O0 -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	pario trace -o x.trace -- ./victim 10
	pario profile x.trace | grep -E 'pwrite .* work\+0x[0-9a-f]+ \(victim\)'
}

@test "the journal is valid" {
	trace
	run -0 pario profile x.trace --journal out
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" out/journal.jsonl
	grep -c '"kind":"result"' out/journal.jsonl
}

@test "the JSON for Perfetto can be read" {
	trace
	run -0 pario profile x.trace --perfetto out.json
	"$PYTHON" -c 'import json; t = json.load(open("out.json"))["traceEvents"]; assert sum(e["name"] == "pwrite" for e in t) == 50000'
}

@test "names in the CSV are no formulas" {
	pario trace -o x.trace -- cat =1+1 || true
	run -0 pario profile x.trace --csv out.csv
	run ! grep -E ',"?=' out.csv
}

@test "exports do not overwrite" {
	trace
	echo precious >out.csv
	run -3 --separate-stderr pario profile x.trace --csv out.csv
	one_sentence
	[ "$(cat out.csv)" = precious ]
}

@test "a regular program needs at most 12 bytes per call" {
	pario list | grep -E 'zstd +[0-9]' || skip "built without zstd"
	trace
	[ $(($(stat -c %s x.trace) / 50000)) -le 12 ]
}

@test "a truncated trace gives its valid prefix, wherever it is cut" {
	trace
	size=$(stat -c %s x.trace)
	for ((cut = 0; cut < size; cut += size / 60 + 1)); do
		head -c $cut x.trace >cut.trace
		run --separate-stderr pario profile cut.trace
		[ $status -eq 0 ] || [ $status -eq 2 ] || { echo "cut at $cut: status $status"; return 1; }
		[ $status -ne 2 ] || one_sentence
	done
	head -c $((size * 3 / 4)) x.trace >cut.trace
	run -0 pario profile cut.trace
	[[ $output == *"THE FILE IS DAMAGED"*torn* ]]
	[ "$(calls)" -gt 0 ]
}

@test "damage in the middle costs only what it touches" {
	trace
	size=$(stat -c %s x.trace)
	for ((at = 100; at < size; at += size / 40 + 1)); do
		cp x.trace bad.trace
		printf '\377\377\377' | dd of=bad.trace bs=1 seek=$at conv=notrunc status=none
		run --separate-stderr pario profile bad.trace
		[ $status -eq 0 ] || { echo "damaged at $at: status $status"; return 1; }
	done
}

@test "foreign and empty files and other versions are refused with a sentence" {
	for what in /etc/passwd /dev/null nowhere; do
		run ! --separate-stderr pario profile $what
		one_sentence
	done
	: >empty
	run -2 --separate-stderr pario profile empty
	says "is empty"
	trace
	printf '\011' | dd of=x.trace bs=1 seek=8 conv=notrunc status=none
	run -2 --separate-stderr pario profile x.trace
	says "another version"
}

@test "segments that a killed launcher left can be read" {
	gcc -w -o victim "$PARIO_SOURCE/test/trace/victim.c" -lpthread
	timeout -s KILL 1 "$PARIO" trace -o x.trace -- bash -c './victim 1000; sleep 20' || true
	run -0 pario profile pario-trace-*
	[ "$(calls)" -ge 1000 ]
}
