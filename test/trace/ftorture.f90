! ftorture: calls of MPI from Fortran with what means nothing, and what they answer. Built for one of three bindings.
program ftorture
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
	type(MPI_Request) :: q(2)
	type(MPI_Comm) :: half, across
	type(MPI_Datatype) :: there
	type(MPI_File) :: f
#else
	integer :: q(2), half, across, there, f
#endif
	integer :: e, rank, x(8), y(8), ones(2), places(2)
	integer(MPI_ADDRESS_KIND) :: at(1)
	logical :: done
	character(len=4000) :: name

	x = 1
	y = 0
	ones = 1
	places = (/ 0, 1 /)
	call MPI_Init(e)
	call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, e)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
	write (name, '(a,i1)') 'fsaid.', rank
	open (10, file=name)
	call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
	call say('allgather')
	call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, ones, places, MPI_INTEGER, MPI_COMM_WORLD, e)
	call say('allgatherv')
	call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INTEGER, MPI_COMM_WORLD, q(1), e)
	call say('iallgather')
	call MPI_Wait(q(1), MPI_STATUS_IGNORE, e)
	call say('wait')
	call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_INTEGER, MPI_COMM_WORLD, e)
	call say('alltoall')
	call MPI_Allreduce(MPI_IN_PLACE, x, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
	call say('allreduce')
	if (rank == 0) then
		call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, y, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
		call say('gather')
		call MPI_Scatter(x, 1, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, e)
	else
		call MPI_Gather(x, 1, MPI_INTEGER, y, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD, e)
		call say('gather')
		call MPI_Scatter(x, 0, MPI_DATATYPE_NULL, y, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
	end if
	call say('scatter')
	call MPI_Irecv(y, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, q(1), e)
	call MPI_Isend(x, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, q(2), e)
	call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, e)
	call say('waitall')
	call MPI_Waitall(2, q, MPI_STATUSES_IGNORE, e)
	call say('waitall of none')
	call MPI_Recv(y, 1, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
	call say('recv from nobody')
	call MPI_Send(x, 1, MPI_DATATYPE_NULL, 1 - rank, 3, MPI_COMM_WORLD, e)
	call say('send of no type')
	call MPI_Send(x, 1, MPI_INTEGER, 99, 3, MPI_COMM_WORLD, e)
	call say('send to a stranger')
	call MPI_Barrier(MPI_COMM_NULL, e)
	call say('barrier of nobody')
	call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, half, e)
	call say('split')
	call MPI_Comm_free(half, e)
	call say('free of none')
	call MPI_Send(x, 0, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, e)
	call say('send of nothing')
	call MPI_Bcast(x, 0, MPI_INTEGER, 0, MPI_COMM_WORLD, e)
	call say('bcast of nothing')
	call MPI_Recv_init(y, 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, q(1), e)
	call MPI_Wait(q(1), MPI_STATUS_IGNORE, e)
	call say('wait for an inactive one')
	call MPI_Request_free(q(1), e)
	call MPI_Test(q(1), done, MPI_STATUS_IGNORE, e)
	call say('test of a freed one')
	call MPI_Get_address(x, at(1), e)
	call MPI_Type_create_hindexed(1, ones, at, MPI_INTEGER, there, e)
	call MPI_Type_commit(there, e)
	call MPI_Bcast(MPI_BOTTOM, 1, there, 0, MPI_COMM_WORLD, e)
	call say('bcast from the bottom')
	call MPI_Sendrecv(MPI_BOTTOM, 1, there, 1 - rank, 4, y, 1, MPI_INTEGER, 1 - rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
	call say('sendrecv from the bottom')
	call MPI_Type_free(there, e)
	call MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 5, across, e)
	call MPI_Allgather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, across, e)
	call say('allgather across')
	call MPI_Gather(x, 1, MPI_INTEGER, y, 1, MPI_INTEGER, merge(MPI_ROOT, 0, rank == 0), across, e)
	call say('gather across')
	call MPI_Comm_free(across, e)
	call say('free of the bridge')
	call MPI_File_open(MPI_COMM_WORLD, 'fsaid.data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, f, e)
	call say('open')
	call MPI_File_write_at_all(f, int(4 * rank, MPI_OFFSET_KIND), x, 1, MPI_INTEGER, MPI_STATUS_IGNORE, e)
	call say('write')
	call MPI_File_write_at(f, 0_MPI_OFFSET_KIND, x, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE, e)
	call say('write of no type')
	call MPI_File_close(f, e)
	call say('close')
	call MPI_File_open(MPI_COMM_WORLD, '/nowhere/at/all', MPI_MODE_RDONLY, MPI_INFO_NULL, f, e)
	call say('open of nothing')
	close (10)
	call MPI_Finalize(e)
contains
	subroutine say(what)
		character(len=*), intent(in) :: what
		integer :: kind, ignored

		kind = 0
		if (e /= MPI_SUCCESS) call MPI_Error_class(e, kind, ignored)
		write (10, *) what, kind, x(1:4)
	end subroutine
end program
