#!/usr/bin/env bash
# transfer against raw loops and, where it is installed, IOR on tmpfs; queue.sh has fio's io_uring on disk.
# They use one buffer for all transfers, and so does pario here.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

memory=$WORK/memory
mkdir -p "$memory"
if [ -w /dev/shm ]; then
	memory=$(mktemp -d /dev/shm/pario-bench-XXXXXX)
	trap 'rm -rf "$memory"' EXIT
fi

against_raw() { # SIZE LABEL BAR BLOCK
	local size=$1 label=$2 bar=$3 block=$4 mine_w=() mine_r=() raw_w=() raw_r=() words i
	for ((i = 0; i < ROUNDS; i++)); do
		read -ra words < <(launch 2 "$BUILD/bench/raw_transfer" "$memory" "$size" "$block")
		raw_w+=("${words[1]}") raw_r+=("${words[3]}")
		mapfile -t words < <(rates transfer --reuse_buffers 1 --np 2 --dir "$memory" --layout per_client \
			--transfer_size "$size" --block_size "$block")
		mine_w+=("${words[0]}") mine_r+=("${words[1]}")
	done
	row "$label reads, tmpfs, 2 clients" "raw pread loop" "$bar" "${mine_r[@]}" -- "${raw_r[@]}"
	row "$label writes, tmpfs, 2 clients" "raw pwrite loop" "$bar" "${mine_w[@]}" -- "${raw_w[@]}"
}

against_ior() {
	local size=$1 block=$2 bar=1.0 mine_w=() mine_r=() ior_w=() ior_r=() words i
	command -v ior >/dev/null || { echo "ior is not on PATH: not compared"; return; }
	for ((i = 0; i < ROUNDS; i++)); do
		mapfile -t words < <(launch 2 ior -a POSIX -F -e -t "$size" -b "$block" -o "$memory/ior" -O summaryFormat=CSV |
			awk -F, '$1 == "write" || $1 == "read" { print $2 }')
		ior_w+=("${words[0]}") ior_r+=("${words[1]}")
		mapfile -t words < <(rates transfer --reuse_buffers 1 --np 2 --dir "$memory" --layout per_client \
			--transfer_size "$size" --block_size "$block")
		mine_w+=("${words[0]}") mine_r+=("${words[1]}")
	done
	row "$size-byte reads, tmpfs, 2 clients" "IOR" "$bar" "${mine_r[@]}" -- "${ior_r[@]}"
	row "$size-byte writes, tmpfs, 2 clients" "IOR" "$bar" "${mine_w[@]}" -- "${ior_w[@]}"
}

against_raw 4096 "4 KiB" 0.95 1073741824
against_raw 1048576 "1 MiB" 0.97 1073741824
against_ior 4096 268435456
