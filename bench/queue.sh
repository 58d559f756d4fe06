#!/usr/bin/env bash
# Queues of 4 KiB direct requests in random order against fio, in turns: every depth from 1 to 128, reads and writes, with
# registered files and buffers, as the backend uring has them; plain io_uring and libaio at depth 32; 4 and 16 clients, each
# with a file of its own. Both read files that were written and synced just before, and write into reserved space.
# QUEUE_DEPTHS, QUEUE_CLIENTS, QUEUE_SECONDS (2, for each measurement), QUEUE_MIB (256, all clients together) choose the work.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

command -v fio >/dev/null || { echo "fio is not on PATH: queues not compared"; exit 0; }
disk=$WORK/queue seconds=${QUEUE_SECONDS:-2} mib=${QUEUE_MIB:-256}
mkdir -p "$disk"

# theirs CLIENTS DEPTH OPERATION OPTIONS...: MiB/s of fio.
theirs() {
	local n=$1 depth=$2 operation=$3 common
	shift 3
	common=(--name=queue --directory="$disk" --numjobs="$n" --size="$((mib / n))m" --group_reporting)
	[ "$operation" = write ] || fio "${common[@]}" --rw=write --bs=1m --end_fsync=1 --output=/dev/null
	fio "${common[@]}" --rw="rand$operation" --bs=4k --direct=1 --iodepth="$depth" --runtime="$seconds" --end_fsync=1 \
		--output-format=json "$@" | sed -n '/^{/,$p' | jq -r ".jobs[0].$operation.bw_bytes / 1048576"
	rm -f "$disk"/queue.*
}

# ours CLIENTS DEPTH OPERATION: into reserved space, as fio has it, so that the same few extents are read and written.
ours() {
	rates transfer --np "$1" --dir "$disk" --api uring --direct --queue_depth "$2" --order random --layout per_client \
		--reuse_buffers 1 --transfer_size 4k --block_size "$((mib / $1))m" --operations "$3" --verify 0 \
		--time_limit "$seconds" --preallocate 1
}

# compare CLIENTS DEPTH OPERATION BAR AGAINST OPTIONS...
compare() {
	local n=$1 depth=$2 operation=$3 bar=$4 against=$5 mine=() other=() i
	shift 5
	for ((i = 0; i < ROUNDS; i++)); do
		other+=("$(theirs "$n" "$depth" "$operation" "$@")")
		mine+=("$(ours "$n" "$depth" "$operation")")
	done
	row "4 KiB random ${operation}s, direct, depth $depth, np $n" "$against" "$bar" "${mine[@]}" -- "${other[@]}"
}

registered=(--ioengine=io_uring --registerfiles --fixedbufs)
for operation in read write; do
	for depth in ${QUEUE_DEPTHS:-1 2 4 8 16 32 64 128}; do
		compare 1 "$depth" $operation "$([ "$depth" = 1 ] && echo 0.95 || echo 1.0)" "fio io_uring, registered" "${registered[@]}"
	done
	compare 1 32 $operation 1.0 "fio io_uring" --ioengine=io_uring
	compare 1 32 $operation 1.0 "fio libaio" --ioengine=libaio
	for n in ${QUEUE_CLIENTS:-4 16}; do
		compare "$n" 32 $operation 1.0 "fio io_uring, registered" "${registered[@]}"
	done
done
