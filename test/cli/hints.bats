#!/usr/bin/env bats
# shellcheck disable=SC2154 # variables that bats and lib.bash set
# MPI-IO hints of tests that open their files in a way of their own: do they reach the library?

load lib

# hinted TEST ARGUMENTS...: ROMIO repeats what it was given when it opens a file.
hinted()
{
	ROMIO_PRINT_HINTS=1 OMPI_MCA_io=romio321 run -0 pario run "$@" --dir "$DATA" --output "$OUT" --repetitions 1 \
		--ind_rd_buffer_size 1234568 --hint my_own=thing
	grep -aqE 'ind_rd_buffer_size +value = 1234568' <<<"$output"
	rm -rf "$OUT"
}

@test "hints reach the library in madbench2, overlap and nht1_application" {
	hinted madbench2 --np 1 --no_pix 64 --no_bin 2 --sblocksize 8 --iomethod mpi --filetype shared
	hinted overlap --np 1 --routine mpi_read_at --file_size 64k --buffer_sizes 4k,8k --passes 2 --study_time 1 --phases read
	hinted nht1_application --np 2 --class S --api mpiio --best_of 1
}

@test "a test without MPI-IO has no hints" {
	run -2 --separate-stderr pario run metadata --np 1 --cb_nodes 3 --dir "$DATA" --output "$OUT"
	one_sentence
}
