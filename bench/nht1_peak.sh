#!/usr/bin/env bash
# nht1_peak's write and read against the best of fio's sequential direct runs (1 MiB and 4 MiB, depths 1 to 32) of the
# same minutes. SIZE_MIB bytes (default 1024) are moved, so that it fits beside whatever else runs here.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

command -v fio >/dev/null || { echo "fio is not installed: nht1_peak not compared"; exit 0; }
SIZE_MIB=${SIZE_MIB:-1024}
disk=$WORK/peak
mkdir -p "$disk"
case $(stat -f -c %T "$disk") in tmpfs | ramfs) echo "$disk lies in memory: nht1_peak not compared"; exit 0 ;; esac

# fio_all DIRECTION: a line "SIZE DEPTH MIB_S" for each of fio's runs, fsync in the time, files of the same size.
fio_all() {
	local size depth
	for size in 1m 4m; do
		for depth in 1 2 4 8 16 32; do
			[ "$1" = read ] || rm -f "$disk/fio"
			fio --name=peak --filename="$disk/fio" --rw="$1" --bs="$size" --iodepth="$depth" --ioengine=io_uring \
				--direct=1 --size="${SIZE_MIB}m" --end_fsync=1 --invalidate=1 --output-format=json |
				jq -r "\"$size $depth \(.jobs[0].$1.bw_bytes / 1048576)\""
		done
	done
}

# best FILE: the rates, round by round, of the size and depth whose median is the highest. The best single run of many
# would be the luckiest one.
best() {
	sort -u -k1,2 "$1" | while read -r size depth _; do
		echo "$(awk -v s="$size" -v d="$depth" '$1 == s && $2 == d { print $3 }' "$1" | median) $size $depth"
	done | sort -g | tail -n 1 | while read -r _ size depth; do
		awk -v s="$size" -v d="$depth" '$1 == s && $2 == d { print $3 }' "$1"
	done
}

# S_MEM as the test itself sees it gives the fraction.
memory=$(journal nht1_peak --np 1 --dir "$disk" --fraction 0.000001 --method threads --direct 1 --request_size 1m \
	--queue_depth 1 | jq -r 'select(.phase == "read") | .metrics.S_MEM.value')
fraction=$(awk -v s="$SIZE_MIB" -v m="$memory" 'BEGIN { printf "%.9f", s * 1048576 / m }')

mine_w=() mine_r=()
for ((i = 0; i < ROUNDS; i++)); do
	fio_all write >>"$WORK/fio_write"
	fio_all read >>"$WORK/fio_read"
	mapfile -t words < <(journal nht1_peak --np 1 --dir "$disk" --fraction "$fraction" |
		jq -r 'select(.kind == "result" and .phase != "calibrate") | .rate_mib_s')
	mine_w+=("${words[0]}") mine_r+=("${words[1]}")
done
rm -f "$disk/fio"
mapfile -t fio_w < <(best "$WORK/fio_write")
mapfile -t fio_r < <(best "$WORK/fio_read")
row "peak write, $SIZE_MIB MiB, 1 client" "best of fio's 12 ways" 1.0 "${mine_w[@]}" -- "${fio_w[@]}"
row "peak read, $SIZE_MIB MiB, 1 client" "best of fio's 12 ways" 1.0 "${mine_r[@]}" -- "${fio_r[@]}"
