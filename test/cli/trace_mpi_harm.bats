#!/usr/bin/env bats
# shellcheck disable=SC2154 # bats sets stderr
# pario trace: what the tracer asks MPI for itself never reaches the program's handlers of errors.

load lib

# in_place COMPILER LAUNCHER PARIO: what does not count at a rank is a null handle there.
in_place()
{
	cat >in_place.c <<-END
		#include <mpi.h>
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			int rank, x[8] = { 0 }, ones[2] = { 1, 1 }, places[2] = { 0, 1 };
			MPI_Request q;

			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			x[rank] = rank + 1;
			MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, MPI_COMM_WORLD);
			MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, ones, places, MPI_INT, MPI_COMM_WORLD);
			MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, MPI_COMM_WORLD, &q);
			MPI_Wait(&q, MPI_STATUS_IGNORE);
			MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, MPI_COMM_WORLD);
			if (rank) {
				MPI_Gather(x, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
				MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, 0, MPI_COMM_WORLD);
				MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, x, 1, MPI_INT, 0, MPI_COMM_WORLD);
			} else {
				MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INT, 0, MPI_COMM_WORLD);
				MPI_Scatter(x, 1, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
				MPI_Scatterv(x, ones, places, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
			}
			printf("%d %d %d\n", rank, x[0], x[1]);
			MPI_Finalize();
			return 0;
		}
	END
	"$1" -w -o in_place in_place.c
	timeout "$LIMIT_S" "$2" -n 2 ./in_place | sort >plain.txt
	timeout "$LIMIT_S" "$3" trace -o x.trace -- "$2" -n 2 ./in_place | sort >traced.txt
	[ "$(wc -l <plain.txt)" = 2 ]
	diff plain.txt traced.txt
	# each gives four bytes, whichever argument says so
	"$3" profile x.trace --csv calls.csv >profile.txt
	awk -F, '$8 ~ /^MPI_.*(gather|Gather|Scatter|scatter|toall)/ { print $3, $8, $11 }' calls.csv | sort >sizes.txt
	cat sizes.txt
	[ "$(wc -l <sizes.txt)" = 14 ]
	[ "$(awk '{ print $3 }' sizes.txt | sort -u)" = 4 ]
}

@test "null handles beside MPI_IN_PLACE and away from the root are not asked about, Open MPI" {
	command -v mpicc.openmpi || skip "there is no Open MPI"
	in_place mpicc.openmpi mpirun.openmpi "$PARIO"
}

@test "null handles beside MPI_IN_PLACE and away from the root are not asked about, MPICH" {
	need_mpich
	in_place mpicc.mpich mpiexec.mpich "$PARIO_MPICH"
}

@test "Python's programs with MPI end as they do untraced, and their calls are seen" {
	"$PYTHON" -c 'import mpi4py' || skip "there is no mpi4py"
	cat >meets.py <<-'END'
		from mpi4py import MPI
		import array, sys

		world = MPI.COMM_WORLD
		rank, size = world.Get_rank(), world.Get_size()
		numbers = array.array("i", [0] * size)
		numbers[rank] = rank + 1
		world.Allgather(MPI.IN_PLACE, [numbers, 1, MPI.INT])
		file = MPI.File.Open(world, "met.data", MPI.MODE_CREATE | MPI.MODE_WRONLY)
		file.Write_at_all(4 * rank, numbers[rank : rank + 1].tobytes())
		file.Close()
		half = world.Split(rank % 2, rank)
		half.Barrier()
		half.Free()
		sys.stdout.write(f"{rank} {world.allgather(str(rank))} {list(numbers)}\n")
	END
	timeout "$LIMIT_S" mpirun.openmpi -n 2 "$PYTHON" meets.py | sort >plain.txt
	mv met.data plain.data
	timeout "$LIMIT_S" "$PARIO" trace -o x.trace -- mpirun.openmpi -n 2 "$PYTHON" meets.py | sort >traced.txt
	[ "$(wc -l <plain.txt)" = 2 ]
	diff plain.txt traced.txt
	cmp plain.data met.data
	"$PARIO" profile x.trace --csv calls.csv >profile.txt
	[ "$(grep -c ',MPI_File_write_at_all,' calls.csv)" = 2 ]
	[ "$(grep -c ',MPI_Comm_split,' calls.csv)" = 2 ]
}

@test "applications of Fortran and Python end as untraced, and the trace counts what strace does" {
	local mpich=()
	command -v mpif90.openmpi strace || skip "there is no Fortran or no strace"
	[ ! -x "$PARIO_MPICH" ] || mpich=(--mpich "$PARIO_MPICH")
	run -0 --separate-stderr "$PYTHON" "$PARIO_SOURCE/test/real/programs.py" "$PARIO" fortran h5py mpi4py "${mpich[@]}"
	echo "$output"
	[ "$(wc -l <<<"$output")" -ge 1 ]
	while IFS='|' read -r _ verdict _ written _ judged; do
		[[ $verdict == *"the same (exit 0)"* ]]
		[[ $written == *[1-9]*" B, "[1-9]* && $written != *[≠/]* ]]
		[[ $judged == *"counted"* ]]
	done <<<"$output"
}

@test "HDF5's stack of errors stands as the program's call left it, and nothing is printed" {
	pkg-config --exists hdf5-openmpi || skip "there is no HDF5"
	cat >stack.c <<-'END'
		#include <hdf5.h>
		#include <stdio.h>
		int main(void)
		{
			hid_t file = H5Fcreate("stack.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
			hsize_t size = 4;
			hid_t space = H5Screate_simple(1, &size, NULL), data;
			int x[4] = { 0 }, r;

			data = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
			H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
			H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
			r = H5Dread(data, space, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
			printf("read %d, %d errors\n", r < 0, H5Eget_num(H5E_DEFAULT) > 0);
			r = H5Dwrite(data, H5T_NATIVE_INT, data, H5S_ALL, H5P_DEFAULT, x);
			printf("write %d, %d errors\n", r < 0, H5Eget_num(H5E_DEFAULT) > 0);
			H5Dclose(data);
			H5Fclose(file);
			r = H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
			printf("closed %d, %d errors\n", r < 0, H5Eget_num(H5E_DEFAULT) > 0);
			return 0;
		}
	END
	# shellcheck disable=SC2046
	mpicc.openmpi -w -o stack stack.c $(pkg-config --cflags --libs hdf5-openmpi)
	./stack >plain.txt 2>&1
	pario trace --quiet -o x.trace -- ./stack >traced.txt 2>&1
	[ "$(grep -c "1, 1 errors" plain.txt)" = 3 ]
	diff plain.txt traced.txt
	pario profile x.trace --csv calls.csv >profile.txt
	[ "$(grep -c ',H5Dwrite,' calls.csv)" = 3 ]
}
