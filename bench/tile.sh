#!/usr/bin/env bash
# tile against the same access written by hand with MPI-IO: 2 x 2 tiles, collective, 16 MiB each, on disk.
set -eu
# shellcheck source=bench/lib.bash
. "$(dirname "$0")/lib.bash"

mine=() peer=()
mkdir -p "$WORK/tile"
for ((i = 0; i < ROUNDS; i++)); do
	peer+=("$(launch 4 "$BUILD/bench/raw_tile" "$WORK/tile" 2 2 2048 4)")
	mine+=("$(rates tile --np 4 --dir "$WORK/tile" --nr_tiles_x 2 --nr_tiles_y 2 --sz_tile_x 2048 --sz_tile_y 2048 \
		--sz_element 4 --collective 1 --operations write)")
done
row "tile collective write, 2 x 2, disk" "MPI-IO by hand" 0.97 "${mine[@]}" -- "${peer[@]}"
