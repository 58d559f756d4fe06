! One MPI program by each of Fortran's three bindings: -DMPIFH, -DMPIMOD or -DMPIF08.
program fprobe
#if defined(MPIF08)
	use mpi_f08
#elif defined(MPIMOD)
	use mpi
#endif
	implicit none
#if defined(MPIFH)
	include 'mpif.h'
#endif
#if defined(MPIF08)
	type(MPI_File) :: file
	type(MPI_Status) :: status
#else
	integer :: file, status(MPI_STATUS_SIZE)
#endif
	integer :: error, rank, total, numbers(4)
	integer(kind=MPI_OFFSET_KIND) :: place

	call MPI_Init(error)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
	call MPI_Barrier(MPI_COMM_WORLD, error)
	call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
	numbers = rank
	place = 16 * rank
	call MPI_File_open(MPI_COMM_WORLD, 'fprobe.data', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, error)
	call MPI_File_write_at(file, place, numbers, 4, MPI_INTEGER, status, error)
	call MPI_File_close(file, error)
	call MPI_Barrier(MPI_COMM_WORLD, error)
	call MPI_Finalize(error)
end program
