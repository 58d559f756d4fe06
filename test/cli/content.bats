#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2034,SC2154 # variables that bats and lib.bash set and use
# What stands in the files: every pattern, layout, order and backend, byte by byte, against a formula that does not
# come from pario (golden.py). Each test is one launch that sweeps many points.

load lib

WRITE=(--operations write --repetitions 1 --keep_files --seed 4711 --durability cached)

# written POINTS ARGUMENTS...: writes, and the files of so many points must be right.
written()
{
	local points=$1

	shift
	measure "${WRITE[@]}" "$@"
	golden --results "$points"
}

@test "segmented: both layouts and orders, with and without a header, on 1 to 4 clients" {
	written 32 --pattern segmented --transfer_size 8k --block_size 40k --layout shared,per_client \
		--order sequential,random --header_bytes 0,1000 --clients 1,2,3,4
}

@test "strided without and with padding, on 1 to 4 clients" {
	written 32 --pattern strided --transfer_size 4k --block_size 12k --segment_count 5 --stride_padding 0,700 \
		--layout shared,per_client --order sequential,random --clients 1,2,3,4
}

@test "random sizes, on 1 to 4 clients" {
	written 32 --pattern random --transfer_size 6000 --block_size 30000 --segment_count 1,3 \
		--layout shared,per_client --order sequential,random --clients 1,2,3,4
}

@test "general: random sizes, padding and a header that is drawn or given" {
	written 32 --pattern general --transfer_size 8k --block_size 32k --segment_count 3 --stride_padding 5000 \
		--header_bytes 0,123 --layout shared,per_client --order sequential,random --clients 1,2,3,4
}

@test "the pattern auto is segmented for one segment and strided for more" {
	written 4 --transfer_size 4k --block_size 16k --segment_count 1,4 --clients 1,3
	[ "$(field bytes)" = "$(printf '%s\n' 16384 49152 65536 196608)" ]
}

@test "sizes that fit no page: transfers of 1, 7 and 1000 bytes" {
	written 12 --transfer_size 1,7,1000 --block_size 7000 --layout shared,per_client --clients 1,3
}

@test "a transfer is larger than many pages of data" {
	written 2 --transfer_size 1m --block_size 2m --clients 1,2
}

@test "posix with direct I/O: every pattern" {
	written 48 --direct --api posix --pattern strided,random,general --transfer_size 16k --block_size 64k \
		--segment_count 2 --stride_padding 8k --header_bytes 0,4k --layout shared,per_client \
		--order sequential,random --clients 1,3
}

@test "posix with synchronous writes and preallocated files" {
	written 4 --sync 0,1 --preallocate --transfer_size 4k --block_size 16k --segment_count 2 --clients 1,2
}

@test "uring one by one and eight at a time: every pattern" {
	has_backend "$PARIO" uring || skip "io_uring is not available here"
	written 48 --api uring --queue_depth 1,8 --pattern strided,random,general --transfer_size 8k --block_size 64k \
		--segment_count 2 --stride_padding 100 --layout shared,per_client --order sequential,random --clients 1,3
}

@test "uring with direct I/O and a queue" {
	has_backend "$PARIO" uring || skip "io_uring is not available here"
	written 12 --api uring --queue_depth 8 --direct --uring_fixed 0,1 --pattern strided,random,general \
		--transfer_size 16k --block_size 128k --segment_count 2 --clients 1,2
}

@test "mmap: every pattern" {
	written 24 --api mmap --pattern strided,random,general --transfer_size 6000 --block_size 30000 --segment_count 2 \
		--stride_padding 100 --layout shared,per_client --order sequential,random --clients 1,3
}

@test "mpiio with explicit offsets, independent and collective: every pattern" {
	written 48 --api mpiio --collective 0,1 --pattern strided,random,general --transfer_size 8k --block_size 32k \
		--segment_count 2 --stride_padding 100 --layout shared,per_client --order sequential,random --clients 1,3
}

@test "mpiio with individual pointers" {
	written 16 --api mpiio --pointer individual --collective 0,1 --pattern strided,general --transfer_size 8k \
		--block_size 32k --segment_count 2 --order sequential,random --clients 1,3
}

@test "mpiio with file views, explicit and individual" {
	written 24 --api mpiio --file_view --pointer explicit,individual --collective 0,1 --pattern strided \
		--transfer_size 4k --block_size 16k --segment_count 3 --stride_padding 0,500,4k --clients 1,3
}

@test "mpiio with a queue of nonblocking calls" {
	written 6 --api mpiio --queue_depth 8 --pattern strided,random,general --transfer_size 4k --block_size 64k \
		--segment_count 2 --clients 1,2
}

@test "mpiio with a shared pointer: every transfer once, in any order" {
	written 8 --api mpiio --pointer shared --collective 0,1 --transfer_size 4000,8k --block_size 1024000 --clients 1,3
}

@test "mpiio through ROMIO and through OMPIO" {
	local impl

	[[ $("$PARIO" --version) == *openmpi* ]] || skip "the choice is Open MPI's"
	for impl in romio ompio; do
		written 8 --api mpiio --mpiio_impl $impl --collective 0,1 --pattern strided,general --transfer_size 8k \
			--block_size 32k --segment_count 2 --stride_padding 100 --clients 1,2
	done
}

@test "hdf5, independent and collective: every pattern" {
	has_backend "$PARIO" hdf5 || skip "built without HDF5"
	written 48 --api hdf5 --collective 0,1 --pattern strided,random,general --transfer_size 8k --block_size 32k \
		--segment_count 2 --stride_padding 100 --layout shared,per_client --order sequential,random --clients 1,3
}

@test "pnetcdf, independent and collective: every pattern" {
	has_backend "$PARIO" pnetcdf || skip "built without PnetCDF"
	written 24 --api pnetcdf --collective 0,1 --pattern strided,random,general --transfer_size 8k --block_size 32k \
		--segment_count 2 --stride_padding 100 --layout shared,per_client --clients 1,3
}

@test "a rewrite leaves the data of the second generation, in every backend" {
	local api=posix,mmap,mpiio

	! has_backend "$PARIO" uring || api+=,uring
	! has_backend "$PARIO" hdf5 || api+=,hdf5
	! has_backend "$PARIO" pnetcdf || api+=,pnetcdf
	measure "${WRITE[@]}" --operations write,rewrite --api $api --pattern strided,random --transfer_size 8k \
		--block_size 32k --segment_count 2 --layout shared,per_client --clients 2
	golden
	[ "$(field phase | sort | uniq -c | awk '{ print $2 }' | xargs)" = "rewrite write" ]
}

@test "a rewrite on its own makes the first generation itself" {
	measure "${WRITE[@]}" --operations rewrite --transfer_size 8k --block_size 32k --clients 2
	golden --results 1
	[ "$(field phase)" = rewrite ]
}

@test "a read on its own finds data that were made for it" {
	measure "${WRITE[@]}" --operations read --transfer_size 8k --block_size 32k --clients 2
	golden --results 1
	[ "$(field phase bytes outcome | sed s,suspect,pass,)" = "read 65536 pass" ]
}

@test "reading another client's part finds that client's data" {
	measure --operations write,read --repetitions 1 --transfer_size 8k --block_size 32k --read_shift 1,2 \
		--layout shared,per_client --pattern segmented,random --api posix,mpiio --clients 3
	[ "$(field phase | sort | uniq -c | xargs)" = "16 read 16 write" ]
	[ "$(field outcome | grep -cv 'pass\|suspect')" -eq 0 ]
}

@test "of several repetitions the last one's data are kept" {
	measure "${WRITE[@]}" --repetitions 3 --transfer_size 8k --block_size 32k --clients 2
	golden --results 1
}

@test "sustained writes hold the same data as cached ones" {
	measure "${WRITE[@]}" --durability sustained --transfer_size 8k --block_size 32k --layout shared,per_client --clients 2
	golden --results 2
	measure "${WRITE[@]}" --durability sustained --fdatasync --api posix,mmap --transfer_size 8k --block_size 32k --clients 2
	golden --results 2
}

@test "--fdatasync ends sustained writes with fdatasync instead of fsync" {
	local injector=$PARIO_BUILD/test/fault/libinject.so asked=1 code=3

	[ -e "$injector" ] || skip "the fault injector is not built"
	for asked in 1 0; do
		INJECT=fail=fdatasync@1:EIO,path=.data. LD_PRELOAD=$injector run -$code --separate-stderr transfer "${WRITE[@]}" \
			--durability sustained --fdatasync $asked --transfer_size 8k --block_size 32k --clients 1
		[ $asked = 0 ] || [[ $(field reason) == *"fdatasync failed in "*EIO* ]]
		code=0
	done
}

@test "MPICH: posix, mpiio and hdf5, independent and collective" {
	local api=mpiio

	need_mpich
	! has_backend "$PARIO_MPICH" hdf5 || api+=,hdf5
	PARIO=$PARIO_MPICH
	measure "${WRITE[@]}" --api $api --collective 0,1 --pattern strided,general --transfer_size 8k --block_size 32k \
		--segment_count 2 --stride_padding 100 --clients 1,2
	golden
	measure "${WRITE[@]}" --api mpiio --file_view --pointer explicit,individual --transfer_size 4k --block_size 16k \
		--segment_count 3 --clients 2
	golden --results 2
	measure "${WRITE[@]}" --api mpiio --pointer shared --collective 0,1 --transfer_size 8k --block_size 64k --clients 2
	golden --results 2
}

@test "both MPIs write the same bytes from the same seed" {
	need_mpich
	measure "${WRITE[@]}" --pattern general --transfer_size 8k --block_size 64k --clients 2
	cp "$(end kept)" openmpi
	PARIO=$PARIO_MPICH
	measure "${WRITE[@]}" --pattern general --transfer_size 8k --block_size 64k --clients 2
	cmp openmpi "$(end kept)"
}

@test "another seed gives other data" {
	measure "${WRITE[@]}" --transfer_size 8k --block_size 32k --clients 1
	cp "$(end kept)" first
	measure "${WRITE[@]}" --transfer_size 8k --block_size 32k --clients 1 --seed 4712
	golden --results 1
	run -1 cmp -s first "$(end kept)"
}

@test "without a seed every run writes other data, and the journal tells the seed" {
	measure "${WRITE[@]}" --transfer_size 8k --block_size 32k --clients 1 --seed 0
	golden --results 1
	cp "$(end kept)" first
	measure "${WRITE[@]}" --transfer_size 8k --block_size 32k --clients 1 --seed 0
	golden --results 1
	run -1 cmp -s first "$(end kept)"
}

@test "the data do not compress and no block stands twice, in all files of a run" {
	measure "${WRITE[@]}" --transfer_size 64k --block_size 1m --layout shared,per_client --clients 1,3
	"$PYTHON" "$CLI/golden.py" --unique "$OUT/journal.jsonl"
}

@test "random_read takes every piece of what was written once, and finds what was written there" {
	measure --operations write,read,random_read --transfer_size 16k --random_size 4k,16k --block_size 64k --segment_count 1,3 \
		--layout shared,per_client --order sequential,random --clients 1,2,3 --repetitions 1
	[ "$(jq -s 'map(select(.phase == "random_read")) | length' "$OUT/journal.jsonl")" -eq 48 ]
	jq -es 'map(select(.phase == "random_read") | select(.outcome == "fail" or
		.bytes != 65536 * .clients * (.params.segment_count | tonumber) or
		.ops != .bytes / (if .params.random_size == "4k" then 4096 else 16384 end))) == []' "$OUT/journal.jsonl"
	# as many as there is time for, within what the writes had time for
	measure --operations write,random_read --transfer_size 64k --block_size 64m --np 2 --time_limit 0.05 --wear_out 0 \
		--durability cached --verify 0 --repetitions 2
	jq -es 'map(select(.phase == "random_read" and .outcome == "fail")) == []' "$OUT/journal.jsonl"
	refuse --operations random_read --random_size 5k
	refuse --operations random_read --pattern random
}

@test "the pieces of random_read come in no order" {
	command -v strace >/dev/null || skip "strace is not installed"
	strace -o probe true 2>/dev/null || skip "tracing is not allowed here"
	strace -f -qq -e trace=pread64 -o calls timeout -k 5 "$LIMIT_S" "$PARIO" run transfer --dir "$DATA" --output "$OUT" --np 1 \
		--operations write,random_read --transfer_size 16k --block_size 64k --segment_count 2 --durability cached --verify 0 \
		--repetitions 1 --quiet
	sed -n 's/.*, 4096, \([0-9]*\)) *= 4096$/\1/p' calls >offsets
	[ "$(sort -n offsets | uniq | xargs)" = "$(seq 0 4096 126976 | xargs)" ]
	run ! sort -nc offsets
}
