#!/usr/bin/env bats
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
