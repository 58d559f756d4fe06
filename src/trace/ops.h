/*
 * ops: every operation a trace can hold. The order gives the numbers in the files: new ones go to the end.
 *
 * X(name, layer, class). Twins (64-bit, fortified, unlocked, internal names) count as the operation they are a twin of.
 */
#ifndef PARIO_TRACE_OPS_H
#define PARIO_TRACE_OPS_H

/* clang-format off */
#define PARIO_TRACE_LIBC_OPS(X) \
	X(open, POSIX, OPEN) X(openat, POSIX, OPEN) X(creat, POSIX, OPEN) \
	X(open_by_handle_at, POSIX, OPEN) X(name_to_handle_at, POSIX, STAT) X(mkstemp, POSIX, OPEN) \
	X(shm_open, POSIX, OPEN) X(shm_unlink, POSIX, NAME) X(memfd_create, POSIX, OPEN) \
	X(close, POSIX, CLOSE) X(close_range, POSIX, CLOSE) X(closefrom, POSIX, CLOSE) \
	X(dup, POSIX, OTHER) X(dup2, POSIX, OTHER) X(dup3, POSIX, OTHER) X(fcntl, POSIX, OTHER) \
	X(pipe, POSIX, OPEN) X(ioctl, POSIX, OTHER) \
	X(read, POSIX, READ) X(pread, POSIX, READ) X(readv, POSIX, READ) X(preadv, POSIX, READ) \
	X(preadv2, POSIX, READ) X(write, POSIX, WRITE) X(pwrite, POSIX, WRITE) \
	X(writev, POSIX, WRITE) X(pwritev, POSIX, WRITE) X(pwritev2, POSIX, WRITE) \
	X(sendfile, POSIX, WRITE) X(copy_file_range, POSIX, WRITE) X(splice, POSIX, WRITE) \
	X(tee, POSIX, WRITE) X(vmsplice, POSIX, WRITE) X(lseek, POSIX, SEEK) X(syscall, POSIX, OTHER) \
	X(fsync, POSIX, SYNC) X(fdatasync, POSIX, SYNC) X(sync, POSIX, SYNC) X(syncfs, POSIX, SYNC) \
	X(sync_file_range, POSIX, SYNC) X(ftruncate, POSIX, SIZE) X(truncate, POSIX, SIZE) \
	X(fallocate, POSIX, SIZE) X(posix_fallocate, POSIX, SIZE) X(posix_fadvise, POSIX, ADVICE) \
	X(readahead, POSIX, ADVICE) X(mmap, POSIX, MAP) X(munmap, POSIX, MAP) X(mremap, POSIX, MAP) \
	X(msync, POSIX, SYNC) X(madvise, POSIX, ADVICE) X(posix_madvise, POSIX, ADVICE) \
	X(process_madvise, POSIX, ADVICE) X(mincore, POSIX, ADVICE) \
	X(aio_read, ASYNC, READ) X(aio_write, ASYNC, WRITE) X(aio_fsync, ASYNC, SYNC) \
	X(aio_error, ASYNC, OTHER) X(aio_return, ASYNC, WAIT) X(aio_suspend, ASYNC, WAIT) \
	X(aio_cancel, ASYNC, OTHER) X(lio_listio, ASYNC, SUBMIT) X(aio_init, ASYNC, OTHER) \
	X(io_setup, ASYNC, OTHER) X(io_destroy, ASYNC, OTHER) X(io_submit, ASYNC, SUBMIT) \
	X(io_getevents, ASYNC, WAIT) X(io_pgetevents, ASYNC, WAIT) X(io_cancel, ASYNC, OTHER) \
	X(io_queue_init, ASYNC, OTHER) X(io_queue_run, ASYNC, WAIT) X(io_queue_wait, ASYNC, WAIT) \
	X(io_queue_release, ASYNC, OTHER) X(io_pread, ASYNC, READ) X(io_pwrite, ASYNC, WRITE) \
	X(io_fsync, ASYNC, SYNC) X(uring_init, ASYNC, OTHER) X(uring_exit, ASYNC, OTHER) \
	X(uring_register, ASYNC, OTHER) X(uring_submit, ASYNC, SUBMIT) X(uring_wait, ASYNC, WAIT) \
	X(uring_read, ASYNC, READ) X(uring_write, ASYNC, WRITE) X(uring_fsync, ASYNC, SYNC) \
	X(uring_other, ASYNC, OTHER) \
	X(stat, POSIX, STAT) X(lstat, POSIX, STAT) X(fstat, POSIX, STAT) X(fstatat, POSIX, STAT) \
	X(statx, POSIX, STAT) X(access, POSIX, STAT) X(faccessat, POSIX, STAT) \
	X(euidaccess, POSIX, STAT) X(statfs, POSIX, STAT) X(fstatfs, POSIX, STAT) \
	X(statvfs, POSIX, STAT) X(fstatvfs, POSIX, STAT) X(mkdir, POSIX, NAME) X(mkdirat, POSIX, NAME) \
	X(mkdtemp, POSIX, NAME) X(rmdir, POSIX, NAME) X(unlink, POSIX, NAME) X(unlinkat, POSIX, NAME) \
	X(remove, POSIX, NAME) X(rename, POSIX, NAME) X(renameat, POSIX, NAME) X(renameat2, POSIX, NAME) \
	X(link, POSIX, NAME) X(linkat, POSIX, NAME) X(symlink, POSIX, NAME) X(symlinkat, POSIX, NAME) \
	X(readlink, POSIX, STAT) X(readlinkat, POSIX, STAT) X(realpath, POSIX, STAT) \
	X(chmod, POSIX, ATTR) X(fchmod, POSIX, ATTR) X(fchmodat, POSIX, ATTR) X(lchmod, POSIX, ATTR) \
	X(chown, POSIX, ATTR) X(fchown, POSIX, ATTR) X(lchown, POSIX, ATTR) X(fchownat, POSIX, ATTR) \
	X(utime, POSIX, ATTR) X(utimes, POSIX, ATTR) X(lutimes, POSIX, ATTR) X(futimes, POSIX, ATTR) \
	X(futimens, POSIX, ATTR) X(utimensat, POSIX, ATTR) X(futimesat, POSIX, ATTR) \
	X(mknod, POSIX, NAME) X(mknodat, POSIX, NAME) X(mkfifo, POSIX, NAME) X(mkfifoat, POSIX, NAME) \
	X(getxattr, POSIX, ATTR) X(lgetxattr, POSIX, ATTR) X(fgetxattr, POSIX, ATTR) \
	X(setxattr, POSIX, ATTR) X(lsetxattr, POSIX, ATTR) X(fsetxattr, POSIX, ATTR) \
	X(listxattr, POSIX, ATTR) X(llistxattr, POSIX, ATTR) X(flistxattr, POSIX, ATTR) \
	X(removexattr, POSIX, ATTR) X(lremovexattr, POSIX, ATTR) X(fremovexattr, POSIX, ATTR) \
	X(opendir, POSIX, LIST) X(fdopendir, POSIX, LIST) X(readdir, POSIX, LIST) \
	X(readdir_r, POSIX, LIST) X(closedir, POSIX, LIST) X(rewinddir, POSIX, LIST) \
	X(seekdir, POSIX, LIST) X(telldir, POSIX, LIST) X(scandir, POSIX, LIST) \
	X(scandirat, POSIX, LIST) X(getdents, POSIX, LIST) X(getdirentries, POSIX, LIST) \
	X(ftw, POSIX, LIST) X(nftw, POSIX, LIST) X(fts_open, POSIX, LIST) X(fts_read, POSIX, LIST) \
	X(fts_children, POSIX, LIST) X(fts_set, POSIX, LIST) X(fts_close, POSIX, LIST) \
	X(glob, POSIX, LIST) X(chdir, POSIX, NAME) X(fchdir, POSIX, NAME) X(getcwd, POSIX, STAT) \
	X(flock, POSIX, LOCK) X(lockf, POSIX, LOCK) \
	X(fopen, STDIO, OPEN) X(fdopen, STDIO, OPEN) X(freopen, STDIO, OPEN) X(fclose, STDIO, CLOSE) \
	X(fcloseall, STDIO, CLOSE) X(popen, STDIO, OPEN) X(pclose, STDIO, CLOSE) X(tmpfile, STDIO, OPEN) \
	X(fmemopen, STDIO, OPEN) X(open_memstream, STDIO, OPEN) X(open_wmemstream, STDIO, OPEN) \
	X(fread, STDIO, READ) X(fwrite, STDIO, WRITE) X(fgetc, STDIO, READ) X(ungetc, STDIO, OTHER) \
	X(fgets, STDIO, READ) X(gets, STDIO, READ) X(getdelim, STDIO, READ) X(getw, STDIO, READ) \
	X(uflow, STDIO, READ) X(underflow, STDIO, READ) X(fputc, STDIO, WRITE) X(fputs, STDIO, WRITE) \
	X(puts, STDIO, WRITE) X(putw, STDIO, WRITE) X(overflow, STDIO, WRITE) X(printf, STDIO, WRITE) \
	X(dprintf, STDIO, WRITE) X(scanf, STDIO, READ) X(fgetwc, STDIO, READ) X(fgetws, STDIO, READ) \
	X(ungetwc, STDIO, OTHER) X(fputwc, STDIO, WRITE) X(fputws, STDIO, WRITE) X(wprintf, STDIO, WRITE) \
	X(wscanf, STDIO, READ) X(woverflow, STDIO, WRITE) X(wuflow, STDIO, READ) \
	X(wunderflow, STDIO, READ) X(fflush, STDIO, SYNC) X(fseek, STDIO, SEEK) X(ftell, STDIO, OTHER) \
	X(rewind, STDIO, SEEK) X(fgetpos, STDIO, OTHER) X(fsetpos, STDIO, SEEK) X(setvbuf, STDIO, OTHER) \
	X(fileno, STDIO, OTHER) \
	X(fork, PROCESS, PROCESS) X(posix_spawn, PROCESS, PROCESS) X(exec, PROCESS, PROCESS) \
	X(system, PROCESS, PROCESS) X(daemon, PROCESS, PROCESS) X(exit, PROCESS, PROCESS) \
	X(abort, PROCESS, PROCESS) X(pthread_create, PROCESS, PROCESS)

#define PARIO_TRACE_MPI_OPS(X) \
	X(MPI_File_open, MPIIO, OPEN) X(MPI_File_close, MPIIO, CLOSE) X(MPI_File_delete, MPIIO, NAME) \
	X(MPI_File_set_size, MPIIO, SIZE) X(MPI_File_preallocate, MPIIO, SIZE) \
	X(MPI_File_get_size, MPIIO, STAT) X(MPI_File_get_group, MPIIO, OTHER) \
	X(MPI_File_get_amode, MPIIO, OTHER) X(MPI_File_set_info, MPIIO, OTHER) \
	X(MPI_File_get_info, MPIIO, OTHER) X(MPI_File_set_view, MPIIO, OTHER) \
	X(MPI_File_get_view, MPIIO, OTHER) X(MPI_File_seek, MPIIO, SEEK) \
	X(MPI_File_seek_shared, MPIIO, SEEK) X(MPI_File_get_position, MPIIO, OTHER) \
	X(MPI_File_get_position_shared, MPIIO, OTHER) X(MPI_File_get_byte_offset, MPIIO, OTHER) \
	X(MPI_File_get_type_extent, MPIIO, OTHER) X(MPI_File_set_atomicity, MPIIO, OTHER) \
	X(MPI_File_get_atomicity, MPIIO, OTHER) X(MPI_File_sync, MPIIO, SYNC) \
	X(MPI_File_read, MPIIO, READ) X(MPI_File_read_at, MPIIO, READ) X(MPI_File_read_all, MPIIO, READ) \
	X(MPI_File_read_at_all, MPIIO, READ) X(MPI_File_read_shared, MPIIO, READ) \
	X(MPI_File_read_ordered, MPIIO, READ) X(MPI_File_write, MPIIO, WRITE) \
	X(MPI_File_write_at, MPIIO, WRITE) X(MPI_File_write_all, MPIIO, WRITE) \
	X(MPI_File_write_at_all, MPIIO, WRITE) X(MPI_File_write_shared, MPIIO, WRITE) \
	X(MPI_File_write_ordered, MPIIO, WRITE) X(MPI_File_iread, MPIIO, READ) \
	X(MPI_File_iread_at, MPIIO, READ) X(MPI_File_iread_all, MPIIO, READ) \
	X(MPI_File_iread_at_all, MPIIO, READ) X(MPI_File_iread_shared, MPIIO, READ) \
	X(MPI_File_iwrite, MPIIO, WRITE) X(MPI_File_iwrite_at, MPIIO, WRITE) \
	X(MPI_File_iwrite_all, MPIIO, WRITE) X(MPI_File_iwrite_at_all, MPIIO, WRITE) \
	X(MPI_File_iwrite_shared, MPIIO, WRITE) X(MPI_File_read_all_begin, MPIIO, READ) \
	X(MPI_File_read_at_all_begin, MPIIO, READ) X(MPI_File_read_ordered_begin, MPIIO, READ) \
	X(MPI_File_write_all_begin, MPIIO, WRITE) X(MPI_File_write_at_all_begin, MPIIO, WRITE) \
	X(MPI_File_write_ordered_begin, MPIIO, WRITE) X(MPI_File_read_all_end, MPIIO, WAIT) \
	X(MPI_File_read_at_all_end, MPIIO, WAIT) X(MPI_File_read_ordered_end, MPIIO, WAIT) \
	X(MPI_File_write_all_end, MPIIO, WAIT) X(MPI_File_write_at_all_end, MPIIO, WAIT) \
	X(MPI_File_write_ordered_end, MPIIO, WAIT) X(MPI_Register_datarep, MPIIO, OTHER) \
	X(MPI_Wait, MPI, WAIT) X(MPI_Waitall, MPI, WAIT) X(MPI_Waitany, MPI, WAIT) \
	X(MPI_Waitsome, MPI, WAIT) X(MPI_Test, MPI, WAIT) X(MPI_Testall, MPI, WAIT) \
	X(MPI_Testany, MPI, WAIT) X(MPI_Testsome, MPI, WAIT) X(MPI_Request_free, MPI, OTHER) \
	X(MPI_Init, MPI, MESSAGE) X(MPI_Init_thread, MPI, MESSAGE) X(MPI_Finalize, MPI, MESSAGE) \
	X(MPI_Abort, MPI, MESSAGE) X(MPI_Session_init, MPI, MESSAGE) X(MPI_Session_finalize, MPI, MESSAGE) \
	X(MPI_Barrier, MPI, MESSAGE) X(MPI_Bcast, MPI, MESSAGE) X(MPI_Reduce, MPI, MESSAGE) \
	X(MPI_Allreduce, MPI, MESSAGE) X(MPI_Gather, MPI, MESSAGE) X(MPI_Gatherv, MPI, MESSAGE) \
	X(MPI_Scatter, MPI, MESSAGE) X(MPI_Scatterv, MPI, MESSAGE) X(MPI_Allgather, MPI, MESSAGE) \
	X(MPI_Allgatherv, MPI, MESSAGE) X(MPI_Alltoall, MPI, MESSAGE) X(MPI_Alltoallv, MPI, MESSAGE) \
	X(MPI_Alltoallw, MPI, MESSAGE) X(MPI_Scan, MPI, MESSAGE) X(MPI_Exscan, MPI, MESSAGE) \
	X(MPI_Ibarrier, MPI, MESSAGE) X(MPI_Ibcast, MPI, MESSAGE) X(MPI_Ireduce, MPI, MESSAGE) \
	X(MPI_Iallreduce, MPI, MESSAGE) X(MPI_Igather, MPI, MESSAGE) X(MPI_Igatherv, MPI, MESSAGE) \
	X(MPI_Iscatter, MPI, MESSAGE) X(MPI_Iscatterv, MPI, MESSAGE) X(MPI_Iallgather, MPI, MESSAGE) \
	X(MPI_Iallgatherv, MPI, MESSAGE) X(MPI_Ialltoall, MPI, MESSAGE) X(MPI_Ialltoallv, MPI, MESSAGE) \
	X(MPI_Ialltoallw, MPI, MESSAGE) X(MPI_Iscan, MPI, MESSAGE) X(MPI_Iexscan, MPI, MESSAGE) \
	X(MPI_Send, MPI, MESSAGE) X(MPI_Ssend, MPI, MESSAGE) X(MPI_Bsend, MPI, MESSAGE) \
	X(MPI_Rsend, MPI, MESSAGE) X(MPI_Isend, MPI, MESSAGE) X(MPI_Issend, MPI, MESSAGE) \
	X(MPI_Ibsend, MPI, MESSAGE) X(MPI_Irsend, MPI, MESSAGE) X(MPI_Recv, MPI, MESSAGE) \
	X(MPI_Irecv, MPI, MESSAGE) X(MPI_Sendrecv, MPI, MESSAGE) X(MPI_Sendrecv_replace, MPI, MESSAGE) \
	X(MPI_Comm_dup, MPI, MESSAGE) X(MPI_Comm_split, MPI, MESSAGE) X(MPI_Comm_create, MPI, MESSAGE) \
	X(MPI_Comm_free, MPI, MESSAGE) X(MPI_Comm_spawn, MPI, MESSAGE)

#define PARIO_TRACE_LIBRARY_OPS(X) \
	X(H5Fcreate, HDF5, OPEN) X(H5Fopen, HDF5, OPEN) X(H5Freopen, HDF5, OPEN) \
	X(H5Fclose, HDF5, CLOSE) X(H5Fflush, HDF5, SYNC) X(H5Dcreate, HDF5, OPEN) X(H5Dopen, HDF5, OPEN) \
	X(H5Dclose, HDF5, CLOSE) X(H5Dread, HDF5, READ) X(H5Dwrite, HDF5, WRITE) \
	X(H5Dflush, HDF5, SYNC) X(H5Dset_extent, HDF5, SIZE) X(H5Dfill, HDF5, OTHER) \
	X(H5Dread_chunk, HDF5, READ) X(H5Dwrite_chunk, HDF5, WRITE) X(H5Acreate, HDF5, OPEN) \
	X(H5Aopen, HDF5, OPEN) X(H5Aread, HDF5, READ) X(H5Awrite, HDF5, WRITE) X(H5Aclose, HDF5, CLOSE) \
	X(H5Gcreate, HDF5, OPEN) X(H5Gopen, HDF5, OPEN) X(H5Gclose, HDF5, CLOSE) X(H5Oopen, HDF5, OPEN) \
	X(H5Oclose, HDF5, CLOSE) X(H5Pset_dxpl_mpio, HDF5, OTHER) X(H5Pset_fapl_mpio, HDF5, OTHER) \
	X(H5Pset_chunk, HDF5, OTHER) X(H5Pset_alignment, HDF5, OTHER) \
	X(ncmpi_create, PNETCDF, OPEN) X(ncmpi_open, PNETCDF, OPEN) X(ncmpi_close, PNETCDF, CLOSE) \
	X(ncmpi_enddef, PNETCDF, OTHER) X(ncmpi_redef, PNETCDF, OTHER) X(ncmpi_sync, PNETCDF, SYNC) \
	X(ncmpi_flush, PNETCDF, SYNC) X(ncmpi_def_var, PNETCDF, OTHER) X(ncmpi_def_dim, PNETCDF, OTHER) \
	X(ncmpi_wait, PNETCDF, WAIT) X(ncmpi_cancel, PNETCDF, OTHER) \
	X(ncmpi_buffer_attach, PNETCDF, OTHER) X(ncmpi_buffer_detach, PNETCDF, OTHER) \
	X(ncmpi_begin_indep_data, PNETCDF, OTHER) X(ncmpi_end_indep_data, PNETCDF, OTHER) \
	X(ncmpi_fill_var_rec, PNETCDF, WRITE) X(ncmpi_put, PNETCDF, WRITE) X(ncmpi_get, PNETCDF, READ) \
	X(ncmpi_iput, PNETCDF, WRITE) X(ncmpi_iget, PNETCDF, READ) X(ncmpi_bput, PNETCDF, WRITE) \
	X(ncmpi_mput, PNETCDF, WRITE) X(ncmpi_mget, PNETCDF, READ) X(ncmpi_put_att, PNETCDF, WRITE) \
	X(ncmpi_get_att, PNETCDF, READ)

/* Those that were added later. */
#define PARIO_TRACE_NEW_OPS(X) \
	X(uring_prepare, ASYNC, OTHER) X(uring_open, ASYNC, OPEN) X(uring_close, ASYNC, CLOSE) X(chroot, POSIX, NAME) \
	X(sendfile_in, POSIX, READ) X(copy_file_range_in, POSIX, READ) X(splice_in, POSIX, READ) \
	X(tee_in, POSIX, READ) \
	X(wait, PROCESS, PROCESS) X(pthread_join, PROCESS, PROCESS) \
	X(MPI_Reduce_scatter, MPI, MESSAGE) X(MPI_Ireduce_scatter, MPI, MESSAGE) \
	X(MPI_Reduce_scatter_block, MPI, MESSAGE) X(MPI_Ireduce_scatter_block, MPI, MESSAGE) \
	X(MPI_Comm_dup_with_info, MPI, MESSAGE) X(MPI_Comm_idup, MPI, MESSAGE) \
	X(MPI_Comm_split_type, MPI, MESSAGE) X(MPI_Comm_create_group, MPI, MESSAGE) \
	X(MPI_Intercomm_create, MPI, MESSAGE) X(MPI_Intercomm_merge, MPI, MESSAGE) \
	X(MPI_Cart_create, MPI, MESSAGE) X(MPI_Cart_sub, MPI, MESSAGE) X(MPI_Graph_create, MPI, MESSAGE) \
	X(MPI_Dist_graph_create, MPI, MESSAGE) X(MPI_Dist_graph_create_adjacent, MPI, MESSAGE) \
	X(MPI_Send_init, MPI, OTHER) X(MPI_Ssend_init, MPI, OTHER) X(MPI_Bsend_init, MPI, OTHER) \
	X(MPI_Rsend_init, MPI, OTHER) X(MPI_Recv_init, MPI, OTHER) X(MPI_Start, MPI, MESSAGE) \
	X(MPI_Startall, MPI, MESSAGE)

#define PARIO_TRACE_OPS(X) \
	PARIO_TRACE_LIBC_OPS(X) PARIO_TRACE_MPI_OPS(X) PARIO_TRACE_LIBRARY_OPS(X) PARIO_TRACE_NEW_OPS(X)
/* clang-format on */

#endif
