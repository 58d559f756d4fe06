#!/usr/bin/env bats
# pario trace: MPI programs in Fortran, whichever binding they use: every call once.

load lib

# fortran COMPILER LAUNCHER PARIO BINDING
fortran()
{
	command -v "$1" >/dev/null || skip "there is no $1"
	"$1" -g -w -cpp "-D$4" -o fprobe "$PARIO_SOURCE/test/trace/fprobe.f90" >build.log 2>&1 || {
		grep -qiE "can.t open|cannot open" build.log && skip "this MPI has no such binding for this compiler"
		cat build.log
		return 1
	}
	timeout "$LIMIT_S" "$2" -n 2 "$3" trace -o x.trace -- ./fprobe
	"$3" profile x.trace --csv calls.csv >profile.txt
	for rank in 0 1; do
		awk -F, -v r=$rank '$3 == r && $7 == 0 && $8 ~ /^MPI_/ { print $8 }' calls.csv | sort | uniq -c | awk '{ print $2, $1 }' >got
		diff - got <<-END
			MPI_Allreduce 1
			MPI_Barrier 2
			MPI_File_close 1
			MPI_File_open 1
			MPI_File_write_at 1
			MPI_Finalize 1
			MPI_Init 1
		END
	done
	grep -qE 'MPI_File_write_at .*fprobe.f90:' profile.txt
}

@test "Fortran's mpif.h under Open MPI" { fortran mpif90.openmpi mpirun.openmpi "$PARIO" MPIFH; }
@test "Fortran's module mpi under Open MPI" { fortran mpif90.openmpi mpirun.openmpi "$PARIO" MPIMOD; }
@test "Fortran's module mpi_f08 under Open MPI" { fortran mpif90.openmpi mpirun.openmpi "$PARIO" MPIF08; }
@test "Fortran's mpif.h under MPICH" { need_mpich; fortran mpif90.mpich mpiexec.mpich "$PARIO_MPICH" MPIFH; }
@test "Fortran's module mpi under MPICH" { need_mpich; fortran mpif90.mpich mpiexec.mpich "$PARIO_MPICH" MPIMOD; }
@test "Fortran's module mpi_f08 under MPICH" { need_mpich; fortran mpif90.mpich mpiexec.mpich "$PARIO_MPICH" MPIF08; }

@test "a tool that turns MPI_x into PMPI_x counts nothing twice, before or behind the tracer" {
	cat >tool.c <<-END
		#include <mpi.h>
		int MPI_Barrier(MPI_Comm comm) { return PMPI_Barrier(comm); }
	END
	cat >meets.c <<-END
		#include <mpi.h>
		int main(int argc, char **argv)
		{
			MPI_Init(&argc, &argv);
			MPI_Barrier(MPI_COMM_WORLD);
			PMPI_Barrier(MPI_COMM_WORLD);
			MPI_Finalize();
			return 0;
		}
	END
	mpicc.openmpi -shared -fPIC -o libtool.so tool.c
	mpicc.openmpi -o meets meets.c
	mpicc.openmpi -o behind meets.c -L. -ltool "-Wl,-rpath,$PWD"
	pario trace -o before.trace -- env LD_PRELOAD="$PWD/libtool.so" ./meets
	pario trace -o behind.trace -- ./behind
	for trace in before behind; do
		rm -f calls.csv
		pario profile $trace.trace --csv calls.csv >profile.txt
		[ "$(grep -c ',MPI_Barrier,' calls.csv)" = 2 ]
	done
}

@test "the call site is the program's line, whatever library of its language makes the call" {
	cat >f.f90 <<-END
		program f
		  real(8) :: x(1000)
		  x = 1
		  open (10, file='f.data', access='stream', form='unformatted')
		  write (10) x
		  close (10)
		  open (11, file='f.text')
		  write (11, *) x
		  flush (11)
		  close (11)
		end program
	END
	cat >c.cc <<-END
		#include <fstream>
		int main()
		{
			std::ofstream out("c.data");
			out << 1 << std::flush;
			out.close();
		}
	END
	gfortran -g -O2 -o f f.f90
	g++ -g -O2 -o c c.cc
	pario trace -o f.trace -- ./f
	pario profile f.trace --rows 100 >f.txt
	for line in 'open .*f.f90:4' 'fstat .*f.f90:4' 'write .*f.f90:[56]' 'close .*f.f90:6' 'open .*f.f90:7' 'write .*f.f90:[89]$'; do
		grep -qE "$line" f.txt || { cat f.txt; false; }
	done
	# it looks at the standard streams on its own account
	grep -E '^  posix +(open|write|close) .*libgfortran' f.txt && false
	pario trace -o c.trace -- ./c
	pario profile c.trace --rows 100 >c.txt
	grep -qE '(open|fopen) .*main .*c.cc:4' c.txt
	grep -E '^  (posix|stdio) .*libstdc' c.txt && false
	grep -qE 'close .*main .*c.cc:6' c.txt
}
