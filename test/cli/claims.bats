#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154 # variables that bats and lib.bash set and use
# What is said about a run before and after it holds: what it needs, what was cached, what is official, what differs.

load lib

# one TEST ARGUMENTS...: one small run of a test; the journal goes to $OUT.
one()
{
	rm -rf "$OUT"
	pario run "$@" --dir "$DATA" --output "$OUT" --repetitions 1
}

@test "--dry_run says bytes, space, files, memory and time for every test" {
	local test arguments
	while read -r test arguments; do
		# shellcheck disable=SC2086 # words
		run -0 pario run "$test" --dir "$DATA" --dry_run $arguments
		echo "$output"
		grep -qE '^takes about [0-9.]+ (us|ms|s|min|h)' <<<"$output"
		grep -qE 'of memory per client$' <<<"$output"
		[ "$test" = beff ] || [[ $output != *" 0 B in "* ]]
		[[ $test == @(beff|beff_io|overlap) ]] || grep -qE '^moves [0-9.]+ [KMGT]?i?B in all; ' <<<"$output"
		[ "$test" != nht1_peak ] || [[ $output != *" 0 B of memory"* ]]
		[ -z "$(ls -A "$DATA")" ]
	done <<-'END'
	transfer --np 2
	noncontig --np 2
	tile --np 2
	metadata --np 2 --write_bytes 1k
	smallfiles --np 2
	interactive --np 1
	overlap --np 1
	beff --np 2
	beff_io --np 2
	madbench2 --np 1
	nht1_application --np 1
	nht1 --np 2
	nht1_peak --np 2
	nht1_network --np 1
	END
}

@test "a dry run of NHT-1's peak test names what the run then takes" {
	run -0 pario run nht1_peak --dir "$DATA" --np 2 --fraction 0.00001 --dry_run
	[[ $output == *"uses at most 2 MiB in 3 files"*"and 1 MiB of memory per client"* ]]
	one nht1_peak --np 2 --fraction 0.00001 --calibration 0.1
	[ "$(field bytes | tail -n 1)" -eq 2097152 ]
}

@test "--drop_caches is honoured or refused" {
	run -2 one beff --np 2 --drop_caches 1
	[[ $output == *"Leave --drop_caches away"* ]]
	[ "$(id -u)" -eq 0 ] && [ -w /proc/sys/vm/drop_caches ] || skip "needs root"
	run -0 one metadata --np 2 --items 4 --phases file_create,file_stat --drop_caches 1
	[[ $output == *"cold: all caches of the machine were dropped before"* ]]
	[ "$(field metrics.caches_dropped.value | sort -u)" = 1 ]
}

@test "files that are synced are not called cached" {
	run -0 one smallfiles --np 1 --files 2 --fsync each --phases create,write
	[[ $output == *"durable: fsync inside the time, new file"*"durable: fsync inside the time"* ]]
	[[ $output != *"cached: caches"* ]]
	run -0 one smallfiles --np 1 --files 2 --fsync never --phases create
	[[ $output == *"cached: caches were left to work"* ]]
}

@test "matrices that fit into memory are not storage" {
	run -0 one madbench2 --np 1 --no_pix 64 --no_bin 2
	[[ $output == *"suspect: "*"the 2 MiB that the clients of a node have in files fit into its memory"* ]]
}

@test "overlap names calls that write, and says what ends in the page cache" {
	run -0 one overlap --np 1 --routine mpi_read_at --phases read,write --buffer_sizes 4k,64k,256k --file_size 256k \
		--passes 2 --study_time 0 --channels 1
	cat "$OUT/overlap.sum"
	grep -q "fastest       mpi_write_at (.* MiB/s into the page cache" "$OUT/overlap.sum"
	run ! grep -q "fastest       mpi_read_at (.* into the page cache" "$OUT/overlap.sum"
	grep -q "mpi_read_at  *write, cached" "$OUT/overlap.sum"
	grep -q "without --direct writes end in the page cache" "$OUT/overlap.sum"
	run ! grep -E "at most [0-9.]+ MiB/s(,|$)" "$OUT/overlap.sum"
}

@test "a report of several runs shows every parameter in which they differ, and never calls the null backend best" {
	pario run transfer --dir "$DATA" --output a "${SMALL[@]}" --operations write --quiet 1
	pario run transfer --dir "$DATA" --output b "${SMALL[@]}" --operations write --transfer_size 32k --api posix,null --quiet 1
	pario report a b -o - >page.html
	grep -q '<tr class="differs"><th scope="row">--transfer_size</th><td>16k</td><td>32k</td></tr>' page.html
	grep -q '<tr class="differs"><th scope="row">--api</th><td>posix</td><td>posix,null</td></tr>' page.html
	run ! grep -q '<th scope="row">--block_size</th>' page.html
	grep -q '<td>2 clients, api=posix</td>' page.html
	run ! grep -q '<td>2 clients, api=null</td>' page.html
}
