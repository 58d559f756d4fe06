! heat: a rod that is warm at one end. Ranks share it, exchange their ends, write it with MPI-IO at times, and rank 0 keeps a log.
program heat
	use mpi
	implicit none
	integer, parameter :: own = 20000, steps = 200, every = 50
	real(8) :: u(0:own + 1), v(own), most
	integer :: rank, ranks, left, right, step, e, f
	integer(MPI_OFFSET_KIND) :: at

	call MPI_Init(e)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
	call MPI_Comm_size(MPI_COMM_WORLD, ranks, e)
	left = merge(MPI_PROC_NULL, rank - 1, rank == 0)
	right = merge(MPI_PROC_NULL, rank + 1, rank == ranks - 1)
	u = 0
	if (rank == 0) u(0) = 100
	if (rank == 0) open (10, file='heat.log')
	call MPI_File_open(MPI_COMM_WORLD, 'heat.data', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, f, e)
	do step = 1, steps
		call MPI_Sendrecv(u(own), 1, MPI_REAL8, right, 1, u(0), 1, MPI_REAL8, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
		call MPI_Sendrecv(u(1), 1, MPI_REAL8, left, 2, u(own + 1), 1, MPI_REAL8, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
		v = u(1:own) + 0.25d0*(u(0:own - 1) - 2*u(1:own) + u(2:own + 1))
		most = maxval(abs(v - u(1:own)))
		u(1:own) = v
		call MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_REAL8, MPI_MAX, MPI_COMM_WORLD, e)
		if (rank == 0) write (10, '(i6,es14.6)') step, most
		if (mod(step, every) == 0) then
			at = (int(step/every - 1, MPI_OFFSET_KIND)*ranks + rank)*own*8
			call MPI_File_write_at_all(f, at, v, own, MPI_REAL8, MPI_STATUS_IGNORE, e)
		end if
	end do
	call MPI_File_close(f, e)
	if (rank == 0) print '(a,f12.6)', 'warm: ', sum(v)
	if (rank == 0) close (10)
	call MPI_Finalize(e)
end program
