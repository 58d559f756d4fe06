#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# What the journal says: valid lines, numbers that fit each other, and known answers from the null backend.

load lib

NULL=(--api null --operations write --repetitions 1)

valid() { "$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$@"; }

need_jsonschema()
{
	"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3 has no jsonschema"
}

consistent() { "$PYTHON" "$CLI/journal.py" consistent "$OUT/journal.jsonl"; }

# at_least A B, at_most A B: for numbers with a fraction.
at_least() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a >= b) }'; }
at_most() { at_least "$2" "$1"; }

@test "directories above that of --output are made" {
	measure "${NULL[@]}" --output "$BATS_TEST_TMPDIR/a/b/c"
	[ -s "$BATS_TEST_TMPDIR/a/b/c/journal.jsonl" ]
	touch file
	run -3 pario run transfer --dir "$DATA" "${NULL[@]}" --output file/b/c
	[[ $output == *file/b/c*ENOTDIR* ]]
}

@test "a journal of every backend is valid" {
	need_jsonschema
	measure --transfer_size 16k --block_size 64k --repetitions 2 --operations write,rewrite,read --clients 1,2 \
		--api null,posix,mmap,mpiio --seed 1
	valid "$OUT/journal.jsonl"
	[ "$(field outcome | wc -l)" -eq 48 ]
}

@test "a journal written with MPICH is valid" {
	need_jsonschema
	need_mpich
	PARIO=$PARIO_MPICH
	measure "${SMALL[@]}" --api null,posix,mpiio
	valid "$OUT/journal.jsonl"
}

@test "a journal with failures and skipped points is valid" {
	need_jsonschema
	run -3 transfer --api null,posix --fail_at 2 --transfer_size 16k,24k --block_size 64k --clients 2 --repetitions 1
	valid "$OUT/journal.jsonl"
	[ "$(field outcome | sed s/suspect/pass/ | sort -u | xargs)" = "fail pass skip" ]
}

@test "a journal with names that are not UTF-8 is valid" {
	need_jsonschema
	measure "${SMALL[@]}" --label $'caf\xe9 \x1b[31m "quoted" \\ <&>'
	valid "$OUT/journal.jsonl"
	[ "$("$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" label)" = 'caf\xe9 '$'\x1b''[31m "quoted" \ <&>' ]
}

@test "the quick look of the validator sees what jsonschema sees" {
	local agreed valid

	need_jsonschema
	run -3 transfer --api null,posix --fail_at 2 --transfer_size 16k,24k --block_size 64k --clients 2 --repetitions 1
	pario import "$PARIO_SOURCE/test/data/import/ior.json" --output imported
	"$PYTHON" "$PARIO_SOURCE/test/browser/journals.py" made sweep
	run -0 "$PYTHON" "$CLI/schema.py" "$PARIO_SOURCE/docs/journal.schema.json" made/sweep/journal.jsonl \
		imported/journal.jsonl "$OUT/journal.jsonl"
	read -r agreed valid <<<"$output"
	[ "$valid" -gt 100 ]
	[ $((agreed - valid)) -gt 1000 ]
}

@test "rates, times of clients and latencies fit each other" {
	measure --transfer_size 16k --block_size 256k --repetitions 2 --operations write,rewrite,read --clients 1,2,4 \
		--api null,posix,mpiio
	consistent
}

@test "the same for failures and skipped points: no rate, but a reason" {
	run -3 transfer --api null --fail_at 2 --transfer_size 16k,24k --block_size 64k --clients 2 --repetitions 1
	consistent
	[ "$(field outcome | xargs)" = "fail skip" ]
}

@test "bytes and operations follow from the parameters, for every pattern" {
	measure "${NULL[@]}" --seed 7 --pattern strided,random,general --transfer_size 4k,10000 --block_size 80000,160k \
		--segment_count 1,3 --layout shared,per_client --clients 1,3 --stride_padding 10
	# of the 96 points those whose block is no multiple of the transfer are left out
	run -0 "$PYTHON" "$CLI/journal.py" count "$OUT/journal.jsonl"
	echo "$output"
	[ "$output" -eq 48 ]
}

@test "a planted delay is the least that every operation takes" {
	measure "${NULL[@]}" --delay 1000 --transfer_size 4k --block_size 80k --clients 2
	[ "$(field ops)" -eq 40 ]
	at_least "$(field seconds.transfer)" 0.020
	at_least "$(field seconds.total)" 0.020
	at_least "$(field latency_ns.min)" 1000000
	at_least "$(field latency_ns.p50)" 1000000
	at_most "$(field latency_ns.p50)" 900000000 # no other unit fits
	at_most "$(field rate_mib_s)" "$(awk 'BEGIN { print 160 / 1024 / 0.020 }')"
}

@test "a delay per MiB grows with the transfer" {
	measure "${NULL[@]}" --delay_per_mib 8000 --transfer_size 1m --block_size 4m --clients 1
	at_least "$(field latency_ns.min)" 8000000
	at_most "$(field rate_mib_s)" 125
}

@test "a client that computes before every operation does so outside of the time" {
	measure "${NULL[@]}" --gap 100000 --transfer_size 4k --block_size 48k --clients 2
	[ "$(field ops)" -eq 24 ]
	at_least "$(end seconds)" "$(awk -v total="$(field seconds.total)" 'BEGIN { print total + 1.2 }')"
	# and stops in between when the time is over
	measure "${NULL[@]}" --gap 10000 --time_limit 0.2 --wear_out 0 --transfer_size 4k --block_size 40m --clients 2
	at_most "$(field ops)" 100
	at_least "$(field ops)" 2
	# in other tests it would be in their times, take work out of them, or do nothing
	for test in $(pario list | awk '/^tests/ { on = 1; next } /^$/ { exit } on { print $1 }'); do
		run pario run "$test" --dir "$DATA" --np 2 --gap 100 --dry_run
		case $test in
		transfer | metadata | smallfiles | noncontig | noncontig_array | tile) [ "$status" -eq 0 ] ;;
		*) [ "$status:$output" = "2:pario: $test does not measure one operation after the other: --gap would be in its times, \
or hide them, or do nothing. Leave --gap out." ] ;;
		esac
	done
	run -2 pario run transfer --dir "$DATA" --api null --queue_depth 4 --gap 100
	[[ $output == *--gap*queue* ]]
}

@test "every timed phase waits for a rest before, outside of its time and without a deadline" {
	measure --api null --repetitions 1 --rest 1.2 --deadline 1 --transfer_size 4k --block_size 4k --clients 2
	at_least "$(end seconds)" "$(field seconds.total | awk '{ sum += $1 } END { print sum + 2.4 }')"
}

@test "a queue of depth 8 waits for eight planted delays at once" {
	once_of 5 # two times that a busy machine may swap
	measure "${NULL[@]}" --delay 20000 --queue_depth 1,8 --transfer_size 4k --block_size 64k --clients 1
	# 16 operations of 20 ms: 320 ms one by one, and two rounds of 20 ms at the least in a queue.
	at_least "$(field seconds.total | sed -n 1p)" 0.320
	at_least "$(field seconds.total | sed -n 2p)" 0.040
	at_most "$(field seconds.total | sed -n 2p)" "$(field seconds.total | sed -n 1p)"
}

@test "the slowest client sets the rate" {
	measure "${NULL[@]}" --delay 1000 --transfer_size 4k --block_size 40k --clients 1,4
	consistent
	[ "$(field bytes | xargs)" = "40960 163840" ]
}

@test "a failing operation fails its phase: exit 3, with errno and client" {
	run -3 --separate-stderr transfer "${SMALL[@]}" --api null --operations write --fail_at 3
	[ "$(field outcome)" = fail ]
	[[ $(field reason) == *"(EIO)"*"First seen by client 0 "*"failed on 2 of 2 clients"* ]]
	[ "$(end outcome)" = fail ]
	[ "$(end exit_code)" = 3 ]
	[[ $output == *fail* ]]
}

@test "a failure on one client names that client" {
	run -3 transfer "${SMALL[@]}" --np 3 --api null --operations write --fail_at 1 --fail_client 1
	[[ $(field reason) == *"First seen by client 1 "*"failed on 1 of 3 clients"* ]]
}

@test "a failure says where in the file: the third transfer of client 1" {
	run -3 transfer "${SMALL[@]}" --api null --operations write --fail_at 3 --fail_client 1
	[[ $(field reason) == *"16384 bytes"*".data.0.2 "*"96 KiB"* ]]
}

@test "a failing sync, open or close fails the phase as well" {
	local on

	for on in sync open close; do
		run -3 transfer "${SMALL[@]}" --api null --operations write --fail_at 1 --fail_on $on --fail_errno enospc
		[ "$(field outcome)" = fail ]
		[[ $(field reason) == *"$on failed in "*"(ENOSPC)"* ]]
	done
}

@test "a failing read fails the read and leaves the write's result" {
	run -3 transfer "${SMALL[@]}" --api null --operations write,read --fail_at 2 --fail_on read
	[ "$(field phase | xargs)" = "write read" ]
	[[ $(field outcome | sed -n 1p) != fail ]]
	[ "$(field outcome | sed -n 2p)" = fail ]
}

@test "a failure ends neither the sweep nor the count of results" {
	run -3 transfer --transfer_size 16k,32k --block_size 64k --repetitions 1 --clients 1 --api null \
		--operations write --fail_at 4
	[ "$(field outcome | sed 's/suspect/pass/' | xargs)" = "fail pass" ]
	[ "$(end results)" = 2 ]
}

@test "a short transfer is continued" {
	measure "${SMALL[@]}" "${NULL[@]}" --short_at 2
	[[ $(field outcome) =~ ^(pass|suspect)$ ]]
	[ "$(field bytes ops)" = "131072 8" ]
}

@test "every write and read of data was verified, and the journal says how much" {
	measure "${SMALL[@]}" --operations write,read
	[ "$(field metrics.verified_bytes.value | sed -n 1p)" = 131072 ]
}

@test "the begin line tells what was run: command, parameters and their origin" {
	PARIO_SEGMENT_COUNT=2 measure "${SMALL[@]}" --label mine
	run -0 "$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" params.segment_count
	[ "$output" = '{"value": "2", "origin": "environment"}' ]
	run -0 "$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" params.label
	[ "$output" = '{"value": "mine", "origin": "command line"}' ]
	run -0 "$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" params.api
	[ "$output" = '{"value": "posix", "origin": "default"}' ]
	run -0 "$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" command
	[ "${lines[1]} ${lines[2]}" = "run transfer" ]
}

@test "the file system and the machine are described" {
	measure "${SMALL[@]}"
	[ "$("$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" machine.kernel)" != "" ]
	[ "$("$PYTHON" "$CLI/journal.py" begin "$OUT/journal.jsonl" machine.cores)" -ge 1 ]
}

@test "reads of a sustained run start cold, and the proof is in the result" {
	case $(stat -f -c %T "$DATA") in
	tmpfs | ramfs | overlayfs) skip "the file system keeps its data in memory or hides its pages" ;;
	esac
	measure "${SMALL[@]}" --operations write,read
	run -0 field cache.wanted cache.method cache.pages_resident cache.pages_total
	echo "$output"
	[[ ${lines[1]} =~ ^cold\ (cachestat|mincore)\ 0\ 32$ ]]
}

@test "cached transfers are labelled so" {
	measure "${SMALL[@]}" --operations write,read --durability cached
	[ "$(field cache.wanted | sort -u)" = any ]
	[[ $output == *cached* ]]
	[[ $output != *durable* ]]
}

@test "a file system in memory makes sustained results suspect, with the reason" {
	if [ "$(stat -f -c %T /dev/shm)" != tmpfs ] || [ ! -w /dev/shm ]; then skip "/dev/shm is no writable tmpfs"; fi
	DATA=$(mktemp -d /dev/shm/pario-cli.XXXXXX)
	run -0 transfer "${SMALL[@]}" --operations write
	rmdir "$DATA"
	[ "$(field outcome)" = suspect ]
	[[ $(field reason) == *"in memory"* ]]
	[ "$(end outcome)" = suspect ]
}

@test "a phase that one long call keeps beyond its time limit says so, once" {
	measure "${NULL[@]}" --time_limit 0.05 --delay 300000 --transfer_size 4k --block_size 8k --clients 2 --repetitions 2
	[ "$(jq -r 'select(.kind == "note") | .text' "$OUT/journal.jsonl" | grep -c "a call that has begun is not interrupted")" -eq 1 ]
}

@test "--time_limit ends a phase early, and bytes are what was moved" {
	measure "${NULL[@]}" --time_limit 0.2 --delay 1000 --transfer_size 4k --block_size 400m --clients 2
	consistent
	at_least "$(field seconds.total)" 0.2
	[ "$(field ops)" -lt 204800 ]
	[ "$(field bytes)" -eq $(($(field ops) * 4096)) ]
}

@test "the detail of a result adds up to the result, and the planted straggler is found" {
	once_of 5 # one client in the way of another makes a second straggler
	measure --api null --delay 40000 --slow_client 2 --transfer_size 64k --block_size 1m --np 4 --repetitions 1 --operations write
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
	"$PYTHON" - "$OUT/journal.jsonl" <<-'END'
		import json, sys
		r = next(r for r in map(json.loads, open(sys.argv[1])) if r["kind"] == "result")
		d = r["detail"]
		over, rows = d["over_time"], d["by_client"]["rows"]
		moved = lambda rates: sum(rates) * over["step_s"]
		assert abs(moved(over["rates"]) - 4) < 0.1, moved(over["rates"])
		assert sorted(c["client"] for c in over["clients"]) == [0, 1, 2, 3]
		assert all(abs(moved(c["rates"]) - 1) < 0.05 for c in over["clients"])
		# the others are done when the slow one is at a quarter: the rate falls
		assert sum(over["rates"][45:]) * 3 < sum(over["rates"][:15]), over["rates"]
		assert sum(row[2] for row in rows) == r["bytes"] and sum(row[3] for row in rows) == r["ops"]
		assert rows[0][0] == 2 and rows[0][5] < 0.75 * d["by_client"]["median_rate"]
		assert sum(n for _, n in d["latency"]) == r["latency_ns"]["count"] == 64
		assert r["metrics"]["slowest_client"]["value"] == 2 and r["metrics"]["stragglers"]["value"] == 1
		assert d["by_host"]["rows"][0][1] == 4
	END
	grep -q "straggler client 2 on" "$OUT/report.html"
	grep -q "Rate over time" "$OUT/report.html"
	grep -q "Cumulative latency" "$OUT/report.html"
	pario report "$OUT" --anonymize --out anonymous.html
	grep -q "straggler client 2 on host 1" anonymous.html
	run ! grep -qw "$(hostname)" anonymous.html
}
