#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154 # variables that bats and lib.bash set and use
# What a rate counts: from when to when, with which buffers, from which state of the caches.

load lib

metric() { field "metrics.$1.value"; }

# holds EXPRESSION: over the results as a list, in jq.
holds()
{
	jq -es "[.[] | select(.kind == \"result\")] | $1" "$OUT/journal.jsonl"
}

# memory ARGUMENTS...: what a dry run says, in bytes.
memory()
{
	transfer --dry_run "$@" | sed -nE 's/.* and ([0-9.]+) ([KMG]?)i?B of memory per client/\1\2/p' | numfmt --from=iec
}

@test "the headline is the interval of all clients; own times and making the data stand beside" {
	measure "${SMALL[@]}" --transfer_size 64k --block_size 4m --repetitions 2
	holds 'all(.[]; .rate_mib_s <= .metrics.rate_slowest_mib_s.value * (1 + 1e-9) and
		.seconds.total >= .between_clients.max_s)'
	holds 'all(.[] | select(.phase == "write"); .metrics.fill_s.value > 0 and
		.metrics.rate_without_fill_mib_s.value > .rate_mib_s)'
	holds 'all(.[] | select(.phase == "read"); .metrics.rate_without_fill_mib_s == null)'
	"$PYTHON" "$CLI/journal.py" consistent "$OUT/journal.jsonl"
}

@test "one client has one time" {
	measure "${SMALL[@]}" --np 1
	holds 'all(.[]; .seconds.total == .between_clients.max_s and .metrics.rate_slowest_mib_s == null)'
}

@test "buffers are not used again unless asked, and the plan counts them" {
	[ "$(memory --np 2 --transfer_size 64k --block_size 1m)" -eq 1048576 ] # as much as the client moves
	[ "$(memory --np 2 --transfer_size 64k --block_size 1m --reuse_buffers 1)" -eq 65536 ]
	[ "$(memory --np 2 --transfer_size 64k --block_size 1m --api null)" -eq 65536 ]
	[ "$(memory --np 1 --transfer_size 64k --block_size 1t)" -lt $((1 << 34)) ]
	[ "$(memory --np 1 --transfer_size 1 --block_size 64k)" -eq $((64 << 16)) ] # a cache line for each
	[ "$(memory --np 1 --transfer_size 512 --block_size 64k --direct 1 --reuse_buffers 1)" -eq 4096 ]
}

@test "data are right with many buffers and with one, queues and collective calls included" {
	local options
	for options in '--api posix' '--api posix --direct 1' '--api mmap' '--api mpiio --queue_depth 3' \
		'--api mpiio --collective 1' '--api uring --queue_depth 5' '--api uring --queue_depth 5 --uring_fixed 0'; do
		[[ $options != *uring* ]] || has_backend "$PARIO" uring || continue
		# shellcheck disable=SC2086 # several words
		measure "${SMALL[@]}" --transfer_size 4k --block_size 256k --order random --operations write,rewrite,read \
			--reuse_buffers 0,1 $options
		holds 'length == 6 and all(.[]; .outcome != "fail")'
	done
}

@test "a cached rewrite starts cold unless asked otherwise" {
	local memory
	memory=$(stat -f -c %T "$DATA")
	[ "$memory" != tmpfs ] || skip "nothing is cold on $memory"
	measure "${SMALL[@]}" --durability cached --operations write,rewrite,read
	holds 'map(.cache.wanted) == ["any", "cold", "any"]'
	holds '.[1].cache.pages_resident == 0 and .[1].cache.pages_total > 0'
	measure "${SMALL[@]}" --durability cached --operations write,rewrite,read --cache warm
	holds 'map(.cache.wanted) == ["any", "warm", "warm"] and all(.[]; .cache.pages_total == 0)'
	measure "${SMALL[@]}" --durability cached --operations write,read --cache cold
	holds 'map(.cache.wanted) == ["any", "cold"] and .[1].cache.pages_resident == 0'
}

# handed_over ARGUMENTS...: the most requests that one io_uring_enter gave to the kernel.
handed_over()
{
	command -v strace >/dev/null || skip "strace is not installed"
	has_backend "$PARIO" uring || skip "no io_uring here"
	rm -rf "$OUT"
	strace -f -e trace=io_uring_enter -o "$BATS_TEST_TMPDIR/calls" "$PARIO" run transfer --dir "$DATA" --output "$OUT" \
		--np 1 --api uring --queue_depth 8 --transfer_size 4k --block_size 64k --repetitions 1 --operations read "$@" \
		>/dev/null
	sed -nE 's/.*io_uring_enter\([0-9]+, ([0-9]+),.*/\1/p' "$BATS_TEST_TMPDIR/calls" | sort -n | tail -1
}

@test "requests of a queue go to the kernel together, direct ones too" {
	[ "$(handed_over)" -eq 8 ]
	[ "$(handed_over --direct 1)" -gt 1 ]
}

@test "a queue of direct requests enters the kernel at most once for each of them" {
	has_backend "$PARIO" uring || skip "io_uring cannot be used here"
	dd if=/dev/zero of="$DATA/direct" bs=4k count=1 oflag=direct 2>/dev/null || skip "no direct I/O here"
	rm "$DATA/direct"
	run -0 timeout -k 5 "$LIMIT_S" strace -f -c -e trace=io_uring_enter -o calls "$PARIO" run transfer --dir "$DATA" --output "$OUT" \
		--api uring --direct --queue_depth 32 --transfer_size 4k --block_size 8m --np 1 --repetitions 1 --operations write --verify 0
	# those that look at a sample afterwards are read one by one
	most=$(jq 'select(.kind == "result") | .ops + .metrics.sampled_bytes.value / 4096' "$OUT"/journal.jsonl)
	[ "$most" -ge 2048 ]
	[ "$(awk '/io_uring_enter/ { print $4 }' calls)" -le "$most" ]
}

@test "what took the time must be the thing measured" {
	local null=(--api null --np 1 --repetitions 1 --operations write --transfer_size 64k)
	# 8 transfers of 20 ms, after an opening of 160 ms
	measure "${null[@]}" --block_size 512k --delay 20000 --delay_open 160000
	holds '.[0].outcome == "suspect" and
		(.[0].reason | test("^too short: opening and closing the file took [0-9]+ % of the time \\("))'
	[[ $output == *"suspect: too short: opening and closing the file took "* ]]
	measure "${null[@]}" --block_size 512k --delay 20000
	holds '.[0].outcome == "pass"'
	measure "${null[@]}" --block_size 128k
	holds '.[0].outcome == "suspect" and (.[0].reason | test("^too short: "))'
}

@test "a result says what else its nodes did" {
	measure --api null --np 2 --repetitions 2 --operations write --transfer_size 64k --block_size 512k --delay 30000
	holds 'all(.[]; .disturbance | (.host | length > 0) and (.switches | type == "number") and
		(.others == null or (.others >= 0 and .others <= 1)) and has("steal") and (.pressure | has("io")))'
	"$PYTHON" "$PARIO_SOURCE/test/validate_journal.py" "$PARIO_SOURCE/docs/journal.schema.json" "$OUT/journal.jsonl"
}

# beside COMMAND...: on one processor that three others want, too; those end with it.
beside()
{
	local cpu others=()

	cpu=$(taskset -cp $$ | sed -E 's/.*: ([0-9]+).*/\1/')
	for _ in 1 2 3; do
		taskset -c "$cpu" bash -c 'while :; do :; done' 3>&- &
		others+=($!)
	done
	taskset -c "$cpu" "$@" || { kill "${others[@]}"; return 1; }
	kill "${others[@]}"
	wait "${others[@]}" 2>/dev/null || true
}

@test "what a client waits for a processor can be taken out of the time" {
	[ -r /proc/self/schedstat ] || skip "this kernel does not say who waited for a processor"
	local null=(run transfer --dir "$DATA" --output "$OUT" --api null --np 1 --repetitions 1 --operations write --transfer_size 64k)
	# spun, so that the client has to wait for a processor again and again; never more than all of the time
	beside "$PARIO" "${null[@]}" --block_size 256m --delay 50
	holds '.[0] | .metrics.transfer_without_wait_s.value > 0 and
		.metrics.transfer_without_wait_s.value < 0.9 * .seconds.transfer'
	# asleep until 60 us before its end: 40 times 20 ms are the storage's, whoever else runs
	rm -r "$OUT"
	beside "$PARIO" "${null[@]}" --block_size 2560k --delay 20000
	holds '.[0] | .ops == 40 and .metrics.transfer_without_wait_s.value >= 0.797 and
		.metrics.transfer_without_wait_s.value <= .seconds.transfer'
}

@test "memory_copy counts each copied byte once, at 1, 3 and 4 clients, and by a time limit what was copied" {
	run -0 pario run memory_copy --np 4 --clients 1,3,4 --buffer_size 3m --rounds 5 --repetitions 1 --output "$OUT"
	holds 'map(.bytes / 1048576) == [15, 45, 60]'
	holds 'all(.[]; .ops * 1048576 == .bytes and .outcome != "fail")'
	rm -r "$OUT"
	run -0 pario run memory_copy --np 1 --buffer_size 8m --rounds 1m --time_limit 0.2 --repetitions 1 --output "$OUT"
	holds 'all(.[]; .bytes > 0 and .bytes < 8 * 1048576 * 1048576)'
	run -2 --separate-stderr pario run memory_copy --buffer_size 3m --transfer_size 2m
	[[ $stderr == *"--buffer_size 3145728 is not a multiple of --transfer_size 2097152."* ]]
}
