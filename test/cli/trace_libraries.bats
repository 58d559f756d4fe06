#!/usr/bin/env bats
# pario trace: the bytes of calls of PnetCDF and HDF5.

load lib

@test "calls of PnetCDF have the bytes of their elements in the file" {
	mpicc.openmpi -w -o ncprobe "$PARIO_SOURCE/test/trace/ncprobe.c" -lpnetcdf 2>/dev/null || skip "PnetCDF is not installed"
	mkdir work
	run -0 pario trace -o x.trace -- ./ncprobe work
	pario profile x.trace --csv calls.csv >profile.txt
	awk -F, '$6 == "pnetcdf" && $8 ~ /put|get/ { print $8, $11, $12 }' calls.csv >got
	cat got
	diff - <(sort got) <<-END
		ncmpi_get 320 320
		ncmpi_get 40 40
		ncmpi_get_att 4 4
		ncmpi_iget 320 320
		ncmpi_iput 40 40
		ncmpi_iput 40 40
		ncmpi_iput 80 80
		ncmpi_put 20 20
		ncmpi_put 320 320
		ncmpi_put 4 4
		ncmpi_put 40 40
		ncmpi_put 40 40
		ncmpi_put 40 40
		ncmpi_put 40 40
		ncmpi_put 80 80
		ncmpi_put_att 2 2
		ncmpi_put_att 4 4
	END
}
