#!/bin/bash
# Does each header compile alone, and those of the layers without MPI, without MPI's directories?
. "$(dirname "$0")/lib.sh"
need gcc mpicc.openmpi pkg-config

flags=(-fsyntax-only -x c -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wconversion -Wshadow -Wformat=2 -Werror
	-Isrc)
if [ -d "${GENERATED:-}" ]; then flags+=("-I$GENERATED"); fi
mapfile -t mpi < <({ mpicc.openmpi -show; pkg-config --cflags hdf5-openmpi 2>/dev/null; } |
	tr ' ' '\n' | sed -n 's/^-I/-isystem/p')

shopt -s extglob
status=0
while IFS= read -r header; do
	case $header in
	src/@(base|record|report|profile|predict|replay)/*) extra=() ;;
	*) extra=("${mpi[@]}") ;;
	esac
	# Compiled by inclusion: a header given as the main file would warn about its own pragmas.
	printf '#include "%s"\n' "${header#src/}" | gcc "${flags[@]}" "${extra[@]}" - || {
		echo "$header does not compile alone"
		status=1
	}
done < <(files 'src/*.h')
exit $status
