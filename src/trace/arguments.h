/*
 * arguments: what a call was told beyond file, offset and size, by operation. docs/trace-format.md lists where
 * each lies in a record; this is the one place that reads it from there.
 */
#ifndef PARIO_TRACE_ARGUMENTS_H
#define PARIO_TRACE_ARGUMENTS_H

#include "base/text.h"
#include "trace/format.h"

/* Which member of the union holds. */
enum pario_arguments_kind {
	PARIO_ARGUMENTS_NONE,
	PARIO_ARGUMENTS_OPEN,
	PARIO_ARGUMENTS_FLAGS, /* flags, modes, advice: one number */
	PARIO_ARGUMENTS_CLOSE,
	PARIO_ARGUMENTS_COPY, /* dup and its kin */
	PARIO_ARGUMENTS_CONTROL,
	PARIO_ARGUMENTS_LOCK,
	PARIO_ARGUMENTS_PIPE,
	PARIO_ARGUMENTS_VECTOR,
	PARIO_ARGUMENTS_TRANSFER,
	PARIO_ARGUMENTS_SEEK,
	PARIO_ARGUMENTS_MAP,
	PARIO_ARGUMENTS_NAMES, /* two names */
	PARIO_ARGUMENTS_OWNER,
	PARIO_ARGUMENTS_ATTRIBUTE,
	PARIO_ARGUMENTS_PROCESS,
	PARIO_ARGUMENTS_THREAD,
	PARIO_ARGUMENTS_MPI_OPEN,
	PARIO_ARGUMENTS_MPI_VIEW,
	PARIO_ARGUMENTS_MPI_TRANSFER,
	PARIO_ARGUMENTS_COLLECTIVE,
	PARIO_ARGUMENTS_MESSAGE,
	PARIO_ARGUMENTS_REQUESTS,
	PARIO_ARGUMENTS_COMM,
};

/*
 * Numbers of names are those of the process; struct pario_trace_call has them as numbers of the job. Communicators,
 * views and hints are by their numbers in the process.
 */
struct pario_arguments {
	enum pario_arguments_kind kind;
	union {
		struct {
			uint32_t flags, mode;
		} open;
		struct {
			uint32_t value; /* flags of fallocate, advice, mode of mkdir ... */
			uint64_t
				second; /* mask of statx, device of mknod, flags of faccessat ... */
		} flags;
		struct {
			uint32_t flags, last; /* of a range of descriptors */
		} close;
		struct {
			uint32_t flags;
			int32_t wanted; /* descriptor, -1 = any */
		} copy;
		struct {
			uint32_t command;
			uint64_t argument;
		} control; /* fcntl and ioctl */
		struct {
			uint32_t command; /* of fcntl, flock or lockf */
			uint16_t type, whence;
			int64_t from, length;
		} lock;
		struct {
			uint32_t flags;
			int32_t write_end;
		} pipe;
		struct {
			uint32_t buffers, flags;
		} vector;
		struct {
			int32_t other; /* descriptor at the other side */
			uint32_t flags;
		} transfer;
		struct {
			uint32_t whence;
			int64_t by;
		} seek;
		struct {
			uint32_t protection,
				flags; /* of mmap; flags also of msync, advice of madvise */
			uint64_t address;
		} map;
		struct {
			uint32_t second, flags; /* second: number of a name or text */
		} names;
		struct {
			uint32_t user, group;
		} owner;
		struct {
			uint32_t name, flags;
		} attribute;
		struct {
			int32_t status; /* of wait and exit, as waitpid gives it */
			int64_t asked;	/* child that was waited for, -1 = any */
		} process;
		struct {
			uint64_t id; /* pthread_t */
		} thread;
		struct {
			uint32_t amode, hints;
			int32_t comm;
		} mpi_open; /* also set_info and delete */
		struct {
			uint32_t view, hints, etype;
		} mpi_view;
		struct {
			uint32_t request; /* 0 = none */
		} mpi_transfer;
		struct {
			int32_t comm, root; /* root: PARIO_RANK_NONE where there is none */
			uint32_t request;
		} collective;
		struct {
			int32_t comm, peer,
				from; /* from, from_tag: of a call that sends and receives */
			uint32_t tag, from_tag, request;
			uint64_t receives; /* bytes */
		} message;
		struct {
			uint32_t given, done,
				first; /* first: number of the first that is done, 0 = none */
		} requests;
		struct {
			int32_t of, made; /* made: 0 = none */
		} comm;
	};
};

void pario_arguments_of(struct pario_arguments *a, const struct pario_trace_record *record);

/*
 * "flags=O_RDWR|O_CREAT mode=0644", in words where there are; nothing for calls that have none. `name` gives the text
 * of a number of the process, and may be NULL.
 */
void pario_arguments_text(const struct pario_arguments *a, uint16_t op, struct pario_text *text,
			  const char *(*name)(void *context, uint32_t number), void *context);

#endif
