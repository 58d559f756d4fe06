/*
 * arguments: by operation: the one place that knows where in a record an argument lies.
 */
#include "trace/arguments.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

/* clang-format off */
#define ROW(op, kind) [PARIO_OP_##op - PARIO_TRACE_FIRST] = PARIO_ARGUMENTS_##kind,
static const uint8_t kinds[PARIO_TRACE_END - PARIO_TRACE_FIRST] = {
	ROW(open, OPEN) ROW(openat, OPEN) ROW(creat, OPEN) ROW(open_by_handle_at, OPEN) ROW(mkstemp, OPEN)
	ROW(shm_open, OPEN) ROW(memfd_create, OPEN) ROW(fopen, OPEN) ROW(fdopen, OPEN) ROW(freopen, OPEN)
	ROW(popen, OPEN) ROW(tmpfile, OPEN) ROW(uring_open, OPEN)
	ROW(fallocate, FLAGS) ROW(posix_fadvise, FLAGS) ROW(sync_file_range, FLAGS) ROW(fstatat, FLAGS)
	ROW(statx, FLAGS) ROW(access, FLAGS) ROW(faccessat, FLAGS) ROW(euidaccess, FLAGS) ROW(mkdir, FLAGS)
	ROW(mkdirat, FLAGS) ROW(unlinkat, FLAGS) ROW(chmod, FLAGS) ROW(fchmod, FLAGS) ROW(fchmodat, FLAGS)
	ROW(lchmod, FLAGS) ROW(utimensat, FLAGS) ROW(mknod, FLAGS) ROW(mknodat, FLAGS) ROW(mkfifo, FLAGS)
	ROW(mkfifoat, FLAGS) ROW(nftw, FLAGS) ROW(setvbuf, FLAGS) ROW(fread, FLAGS) ROW(fwrite, FLAGS)
	ROW(MPI_File_set_atomicity, FLAGS)
	ROW(close_range, CLOSE) ROW(closefrom, CLOSE)
	ROW(dup, COPY) ROW(dup2, COPY) ROW(dup3, COPY)
	ROW(ioctl, CONTROL) ROW(fcntl, CONTROL)
	ROW(flock, LOCK) ROW(lockf, LOCK)
	ROW(pipe, PIPE)
	ROW(readv, VECTOR) ROW(writev, VECTOR) ROW(preadv, VECTOR) ROW(pwritev, VECTOR) ROW(preadv2, VECTOR)
	ROW(pwritev2, VECTOR) ROW(vmsplice, VECTOR)
	ROW(sendfile, TRANSFER) ROW(copy_file_range, TRANSFER) ROW(splice, TRANSFER) ROW(tee, TRANSFER)
	ROW(sendfile_in, TRANSFER) ROW(copy_file_range_in, TRANSFER) ROW(splice_in, TRANSFER) ROW(tee_in, TRANSFER)
	ROW(lseek, SEEK) ROW(fseek, SEEK) ROW(rewind, SEEK) ROW(MPI_File_seek, SEEK) ROW(MPI_File_seek_shared, SEEK)
	ROW(mmap, MAP) ROW(munmap, MAP) ROW(mremap, MAP) ROW(msync, MAP) ROW(madvise, MAP) ROW(posix_madvise, MAP)
	ROW(mincore, MAP)
	ROW(rename, NAMES) ROW(renameat, NAMES) ROW(renameat2, NAMES) ROW(link, NAMES) ROW(linkat, NAMES)
	ROW(symlink, NAMES) ROW(symlinkat, NAMES) ROW(glob, NAMES)
	ROW(chown, OWNER) ROW(fchown, OWNER) ROW(lchown, OWNER) ROW(fchownat, OWNER)
	ROW(getxattr, ATTRIBUTE) ROW(lgetxattr, ATTRIBUTE) ROW(fgetxattr, ATTRIBUTE) ROW(setxattr, ATTRIBUTE)
	ROW(lsetxattr, ATTRIBUTE) ROW(fsetxattr, ATTRIBUTE) ROW(removexattr, ATTRIBUTE) ROW(lremovexattr, ATTRIBUTE)
	ROW(fremovexattr, ATTRIBUTE)
	ROW(wait, PROCESS) ROW(exit, PROCESS)
	ROW(pthread_create, THREAD) ROW(pthread_join, THREAD)
	ROW(MPI_File_open, MPI_OPEN) ROW(MPI_File_delete, MPI_OPEN) ROW(MPI_File_set_info, MPI_OPEN)
	ROW(MPI_File_set_view, MPI_VIEW)
	ROW(MPI_Wait, REQUESTS) ROW(MPI_Waitall, REQUESTS) ROW(MPI_Waitany, REQUESTS) ROW(MPI_Waitsome, REQUESTS)
	ROW(MPI_Test, REQUESTS) ROW(MPI_Testall, REQUESTS) ROW(MPI_Testany, REQUESTS) ROW(MPI_Testsome, REQUESTS)
	ROW(MPI_Request_free, REQUESTS) ROW(MPI_Start, REQUESTS) ROW(MPI_Startall, REQUESTS)
	ROW(MPI_Barrier, COLLECTIVE) ROW(MPI_Ibarrier, COLLECTIVE) ROW(MPI_Bcast, COLLECTIVE)
	ROW(MPI_Ibcast, COLLECTIVE) ROW(MPI_Reduce, COLLECTIVE) ROW(MPI_Ireduce, COLLECTIVE)
	ROW(MPI_Allreduce, COLLECTIVE) ROW(MPI_Iallreduce, COLLECTIVE) ROW(MPI_Gather, COLLECTIVE)
	ROW(MPI_Igather, COLLECTIVE) ROW(MPI_Gatherv, COLLECTIVE) ROW(MPI_Igatherv, COLLECTIVE)
	ROW(MPI_Scatter, COLLECTIVE) ROW(MPI_Iscatter, COLLECTIVE) ROW(MPI_Scatterv, COLLECTIVE)
	ROW(MPI_Iscatterv, COLLECTIVE) ROW(MPI_Allgather, COLLECTIVE) ROW(MPI_Iallgather, COLLECTIVE)
	ROW(MPI_Allgatherv, COLLECTIVE) ROW(MPI_Iallgatherv, COLLECTIVE) ROW(MPI_Alltoall, COLLECTIVE)
	ROW(MPI_Ialltoall, COLLECTIVE) ROW(MPI_Alltoallv, COLLECTIVE) ROW(MPI_Ialltoallv, COLLECTIVE)
	ROW(MPI_Alltoallw, COLLECTIVE) ROW(MPI_Ialltoallw, COLLECTIVE) ROW(MPI_Scan, COLLECTIVE)
	ROW(MPI_Iscan, COLLECTIVE) ROW(MPI_Exscan, COLLECTIVE) ROW(MPI_Iexscan, COLLECTIVE)
	ROW(MPI_Reduce_scatter, COLLECTIVE) ROW(MPI_Ireduce_scatter, COLLECTIVE)
	ROW(MPI_Reduce_scatter_block, COLLECTIVE) ROW(MPI_Ireduce_scatter_block, COLLECTIVE)
	ROW(MPI_Send, MESSAGE) ROW(MPI_Ssend, MESSAGE) ROW(MPI_Bsend, MESSAGE) ROW(MPI_Rsend, MESSAGE)
	ROW(MPI_Isend, MESSAGE) ROW(MPI_Issend, MESSAGE) ROW(MPI_Ibsend, MESSAGE) ROW(MPI_Irsend, MESSAGE)
	ROW(MPI_Recv, MESSAGE) ROW(MPI_Irecv, MESSAGE) ROW(MPI_Sendrecv, MESSAGE) ROW(MPI_Sendrecv_replace, MESSAGE)
	ROW(MPI_Send_init, MESSAGE) ROW(MPI_Ssend_init, MESSAGE) ROW(MPI_Bsend_init, MESSAGE)
	ROW(MPI_Rsend_init, MESSAGE) ROW(MPI_Recv_init, MESSAGE)
	ROW(MPI_Comm_dup, COMM) ROW(MPI_Comm_split, COMM) ROW(MPI_Comm_create, COMM) ROW(MPI_Comm_free, COMM)
	ROW(MPI_Comm_spawn, COMM) ROW(MPI_Comm_dup_with_info, COMM) ROW(MPI_Comm_idup, COMM)
	ROW(MPI_Comm_split_type, COMM) ROW(MPI_Comm_create_group, COMM) ROW(MPI_Intercomm_create, COMM)
	ROW(MPI_Intercomm_merge, COMM) ROW(MPI_Cart_create, COMM) ROW(MPI_Cart_sub, COMM) ROW(MPI_Graph_create, COMM)
	ROW(MPI_Dist_graph_create, COMM) ROW(MPI_Dist_graph_create_adjacent, COMM)
};
/* clang-format on */

static enum pario_arguments_kind kind_of(const struct pario_trace_record *r)
{
	uint8_t kind = r->op >= PARIO_TRACE_FIRST && r->op < PARIO_TRACE_END
			       ? kinds[r->op - PARIO_TRACE_FIRST]
			       : 0;

	if (r->op == PARIO_OP_fcntl && pario_locks(r->arg))
		return PARIO_ARGUMENTS_LOCK;
	return kind == PARIO_ARGUMENTS_NONE && r->layer == PARIO_TRACE_MPIIO
		       ? PARIO_ARGUMENTS_MPI_TRANSFER
		       : (enum pario_arguments_kind)kind;
}

static void lock(struct pario_arguments *a, const struct pario_trace_record *r)
{
	a->lock.command = r->arg;
	a->lock.from = r->offset == PARIO_TRACE_NOWHERE ? 0 : (int64_t)r->offset;
	a->lock.length = (int64_t)r->size;
	if (r->op != PARIO_OP_fcntl)
		return;
	a->lock.type = (uint16_t)r->more;
	a->lock.whence = (uint16_t)(r->more >> 16);
}

static void message(struct pario_arguments *a, const struct pario_trace_record *r, int32_t comm)
{
	bool both = r->op == PARIO_OP_MPI_Sendrecv || r->op == PARIO_OP_MPI_Sendrecv_replace;

	a->message.comm = comm;
	a->message.peer = r->fd;
	a->message.tag = r->arg;
	a->message.from = both ? (int32_t)(r->more >> 32) : PARIO_RANK_NONE;
	a->message.from_tag = both ? (uint32_t)r->more : 0;
	a->message.request = both ? 0 : (uint32_t)r->more;
	a->message.receives = both && r->offset != PARIO_TRACE_NOWHERE ? r->offset : 0;
}

static void of_mpi(struct pario_arguments *a, const struct pario_trace_record *r)
{
	int32_t comm = r->flags & PARIO_TRACE_FAILED ? -1 : r->result;

	switch (a->kind) {
	case PARIO_ARGUMENTS_MPI_OPEN:
		a->mpi_open.amode = r->arg;
		a->mpi_open.hints = (uint32_t)(r->more >> 32);
		a->mpi_open.comm = (int32_t)r->more;
		break;
	case PARIO_ARGUMENTS_MPI_VIEW:
		a->mpi_view.view = (uint32_t)r->size;
		a->mpi_view.hints = (uint32_t)(r->more >> 32);
		a->mpi_view.etype = r->arg;
		break;
	case PARIO_ARGUMENTS_MPI_TRANSFER:
		a->mpi_transfer.request = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_COLLECTIVE:
		a->collective.comm = comm;
		a->collective.root = r->fd;
		a->collective.request = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_MESSAGE:
		message(a, r, comm);
		break;
	case PARIO_ARGUMENTS_REQUESTS:
		a->requests.given = r->arg;
		a->requests.done = comm < 0 ? 0 : (uint32_t)r->result;
		a->requests.first = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_COMM:
		a->comm.of = comm;
		a->comm.made = (int32_t)r->more;
		break;
	default:
		break;
	}
}

void pario_arguments_of(struct pario_arguments *a, const struct pario_trace_record *r)
{
	memset(a, 0, sizeof(*a));
	a->kind = kind_of(r);
	switch (a->kind) {
	case PARIO_ARGUMENTS_NONE:
		break;
	case PARIO_ARGUMENTS_OPEN:
		a->open.flags = r->arg;
		a->open.mode = r->layer != PARIO_TRACE_STDIO ? (uint32_t)r->more : 0;
		break;
	case PARIO_ARGUMENTS_FLAGS:
		a->flags.value = r->arg;
		a->flags.second = r->more;
		break;
	case PARIO_ARGUMENTS_CLOSE:
		a->close.flags = r->arg;
		a->close.last = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_COPY:
		a->copy.flags = r->arg;
		a->copy.wanted = r->op == PARIO_OP_dup ? -1 : (int32_t)r->more;
		break;
	case PARIO_ARGUMENTS_CONTROL:
		a->control.command = r->arg;
		a->control.argument = r->more;
		break;
	case PARIO_ARGUMENTS_LOCK:
		lock(a, r);
		break;
	case PARIO_ARGUMENTS_PIPE:
		a->pipe.flags = r->arg;
		a->pipe.write_end = (int32_t)r->more;
		break;
	case PARIO_ARGUMENTS_VECTOR:
		a->vector.buffers = r->arg;
		a->vector.flags = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_TRANSFER:
		a->transfer.other = (int32_t)r->more;
		a->transfer.flags = r->arg;
		break;
	case PARIO_ARGUMENTS_SEEK:
		a->seek.whence = r->arg;
		a->seek.by = (int64_t)r->more;
		break;
	case PARIO_ARGUMENTS_MAP:
		a->map.address = r->more;
		a->map.flags = r->op == PARIO_OP_mmap ? r->arg >> 4 : r->arg;
		a->map.protection = r->op == PARIO_OP_mmap ? r->arg & 15 : 0;
		break;
	case PARIO_ARGUMENTS_NAMES:
		a->names.second = (uint32_t)r->more;
		a->names.flags = r->arg;
		break;
	case PARIO_ARGUMENTS_OWNER:
		a->owner.user = r->arg;
		a->owner.group = (uint32_t)r->more;
		break;
	case PARIO_ARGUMENTS_ATTRIBUTE:
		a->attribute.name = (uint32_t)r->more;
		a->attribute.flags = r->arg;
		break;
	case PARIO_ARGUMENTS_PROCESS:
		a->process.status =
			(int32_t)(r->op == PARIO_OP_exit ? (r->arg & 255) << 8 : r->arg);
		a->process.asked = r->op == PARIO_OP_exit ? -1 : (int64_t)r->more;
		break;
	case PARIO_ARGUMENTS_THREAD:
		a->thread.id = r->more;
		break;
	default:
		of_mpi(a, r);
	}
}

/* ---- in words ---- */

struct word {
	uint32_t value;
	const char *name;
};

static void words(struct pario_text *text, const char *what, const struct word *known, size_t count,
		  uint32_t value)
{
	const char *between = "";

	pario_text_add(text, "%s%s=", text->length ? " " : "", what);
	for (size_t i = 0; i < count; i++) {
		if (!known[i].value || (value & known[i].value) != known[i].value)
			continue;
		pario_text_add(text, "%s%s", between, known[i].name);
		value &= ~known[i].value;
		between = "|";
	}
	if (value || !*between)
		pario_text_add(text, "%s0x%x", between, value);
}

#define WORD(name)                     \
	{                              \
		(uint32_t) name, #name \
	}
#define WORDS(t, w, k, v) words(t, w, k, sizeof(k) / sizeof((k)[0]), v)

static void open_flags(struct pario_text *text, uint32_t flags)
{
	static const struct word known[] = {
		WORD(O_TMPFILE), WORD(O_SYNC),	   WORD(O_DSYNC),   WORD(O_CREAT),
		WORD(O_EXCL),	 WORD(O_TRUNC),	   WORD(O_APPEND),  WORD(O_NONBLOCK),
		WORD(O_DIRECT),	 WORD(O_NOFOLLOW), WORD(O_CLOEXEC), WORD(O_DIRECTORY),
		WORD(O_NOATIME), WORD(O_PATH),	   WORD(O_NOCTTY),
	};
	static const char *const modes[] = { "O_RDONLY", "O_WRONLY", "O_RDWR", "3" };

	pario_text_add(text, "flags=%s", modes[flags & O_ACCMODE]);
	flags &= ~(uint32_t)O_ACCMODE;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].value && (flags & known[i].value) == known[i].value) {
			pario_text_add(text, "|%s", known[i].name);
			flags &= ~known[i].value;
		}
	}
	if (flags & ~(uint32_t)0100000) /* O_LARGEFILE, which the kernel adds */
		pario_text_add(text, "|0x%x", flags);
}

static void map_words(struct pario_text *text, const struct pario_arguments *a)
{
	static const struct word protections[] = { WORD(PROT_READ), WORD(PROT_WRITE),
						   WORD(PROT_EXEC) };
	static const struct word flags[] = { WORD(MAP_SHARED_VALIDATE), WORD(MAP_SHARED),
					     WORD(MAP_PRIVATE),		WORD(MAP_FIXED),
					     WORD(MAP_DENYWRITE),	WORD(MAP_POPULATE),
					     WORD(MAP_NORESERVE) };

	WORDS(text, "protection", protections, a->map.protection);
	WORDS(text, "flags", flags, a->map.flags);
}

static const char *whence_of(uint32_t whence)
{
	static const char *const names[] = { "SEEK_SET", "SEEK_CUR", "SEEK_END", "SEEK_DATA",
					     "SEEK_HOLE" };

	return whence < 5 ? names[whence] : "?";
}

static void message_words(struct pario_text *text, const struct pario_arguments *a)
{
	pario_text_add(text, "comm=%d peer=%d tag=%u", a->message.comm, a->message.peer,
		       a->message.tag);
	if (a->message.from != PARIO_RANK_NONE)
		pario_text_add(text, " from=%d from_tag=%u", a->message.from, a->message.from_tag);
	if (a->message.request)
		pario_text_add(text, " request=%u", a->message.request);
}

static void lock_words(struct pario_text *text, const struct pario_arguments *a, uint16_t op)
{
	static const char *const types[] = { "F_RDLCK", "F_WRLCK", "F_UNLCK" };

	pario_text_add(text, "command=%u", a->lock.command);
	if (op == PARIO_OP_fcntl)
		pario_text_add(text, " type=%s whence=%s from=%lld length=%lld",
			       a->lock.type < 3 ? types[a->lock.type] : "?",
			       whence_of(a->lock.whence), (long long)a->lock.from,
			       (long long)a->lock.length);
}

static void mpi_words(const struct pario_arguments *a, struct pario_text *text)
{
	switch (a->kind) {
	case PARIO_ARGUMENTS_MPI_OPEN:
		pario_text_add(text, "amode=%u comm=%d hints=%u", a->mpi_open.amode,
			       a->mpi_open.comm, a->mpi_open.hints);
		break;
	case PARIO_ARGUMENTS_MPI_VIEW:
		pario_text_add(text, "view=%u etype=%u hints=%u", a->mpi_view.view,
			       a->mpi_view.etype, a->mpi_view.hints);
		break;
	case PARIO_ARGUMENTS_MPI_TRANSFER:
		if (a->mpi_transfer.request)
			pario_text_add(text, "request=%u", a->mpi_transfer.request);
		break;
	case PARIO_ARGUMENTS_COLLECTIVE:
		pario_text_add(text, "comm=%d", a->collective.comm);
		if (a->collective.root != PARIO_RANK_NONE)
			pario_text_add(text, " root=%d", a->collective.root);
		if (a->collective.request)
			pario_text_add(text, " request=%u", a->collective.request);
		break;
	case PARIO_ARGUMENTS_MESSAGE:
		message_words(text, a);
		break;
	case PARIO_ARGUMENTS_REQUESTS:
		pario_text_add(text, "given=%u done=%u first=%u", a->requests.given,
			       a->requests.done, a->requests.first);
		break;
	case PARIO_ARGUMENTS_COMM:
		pario_text_add(text, "of=%d made=%d", a->comm.of, a->comm.made);
		break;
	default:
		break;
	}
}

void pario_arguments_text(const struct pario_arguments *a, uint16_t op, struct pario_text *text,
			  const char *(*name)(void *context, uint32_t number), void *context)
{
	const char *second = NULL;

	if (name && a->kind == PARIO_ARGUMENTS_NAMES)
		second = name(context, a->names.second);
	if (name && a->kind == PARIO_ARGUMENTS_ATTRIBUTE)
		second = name(context, a->attribute.name);
	switch (a->kind) {
	case PARIO_ARGUMENTS_OPEN:
		open_flags(text, a->open.flags);
		if (a->open.mode)
			pario_text_add(text, " mode=0%o", a->open.mode);
		break;
	case PARIO_ARGUMENTS_FLAGS:
		pario_text_add(text, "value=%u", a->flags.value);
		if (a->flags.second)
			pario_text_add(text, " second=%llu", (unsigned long long)a->flags.second);
		break;
	case PARIO_ARGUMENTS_CLOSE:
		pario_text_add(text, "last=%u flags=%u", a->close.last, a->close.flags);
		break;
	case PARIO_ARGUMENTS_COPY:
		pario_text_add(text, "wanted=%d flags=%u", a->copy.wanted, a->copy.flags);
		break;
	case PARIO_ARGUMENTS_CONTROL:
		pario_text_add(text, "command=%u argument=%llu", a->control.command,
			       (unsigned long long)a->control.argument);
		break;
	case PARIO_ARGUMENTS_LOCK:
		lock_words(text, a, op);
		break;
	case PARIO_ARGUMENTS_PIPE:
		pario_text_add(text, "write_end=%d flags=%u", a->pipe.write_end, a->pipe.flags);
		break;
	case PARIO_ARGUMENTS_VECTOR:
		pario_text_add(text, "buffers=%u", a->vector.buffers);
		if (a->vector.flags)
			pario_text_add(text, " flags=%u", a->vector.flags);
		break;
	case PARIO_ARGUMENTS_TRANSFER:
		pario_text_add(text, "other=%d flags=%u", a->transfer.other, a->transfer.flags);
		break;
	case PARIO_ARGUMENTS_SEEK:
		pario_text_add(text, "whence=%s by=%lld", whence_of(a->seek.whence),
			       (long long)a->seek.by);
		break;
	case PARIO_ARGUMENTS_MAP:
		if (op == PARIO_OP_mmap)
			map_words(text, a);
		else
			pario_text_add(text, "flags=%u", a->map.flags);
		pario_text_add(text, " address=0x%llx", (unsigned long long)a->map.address);
		break;
	case PARIO_ARGUMENTS_NAMES:
		pario_text_add(text, "second=%s flags=%u", second ? second : "?", a->names.flags);
		break;
	case PARIO_ARGUMENTS_OWNER:
		pario_text_add(text, "user=%d group=%d", (int)a->owner.user, (int)a->owner.group);
		break;
	case PARIO_ARGUMENTS_ATTRIBUTE:
		pario_text_add(text, "attribute=%s flags=%u", second ? second : "?",
			       a->attribute.flags);
		break;
	case PARIO_ARGUMENTS_PROCESS:
		pario_text_add(text, "status=%d", a->process.status);
		break;
	case PARIO_ARGUMENTS_THREAD:
		pario_text_add(text, "thread=0x%llx", (unsigned long long)a->thread.id);
		break;
	default:
		mpi_words(a, text);
	}
}
