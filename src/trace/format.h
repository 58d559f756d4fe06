/*
 * format: what the tracer leaves behind. One header for the writers (libpario-trace.so, the ptrace tracer) and all
 * readers.
 *
 * While a program runs, each of its threads has one segment: a file mapped shared, so that whatever ends the process,
 * the records are in the kernel's hands already. A segment is a header, a mapped window of records of 64 bytes, of
 * which as much is there as was needed, and the records of earlier windows in their order; the file goes on behind
 * that, empty. `used` counts the records reserved, `spilled` those behind the window; the rest is in the window. A
 * record whose op is 0 was reserved and never finished: its process died, or a signal handler jumped out of it. Numbers
 * are in the byte order of the machine.
 *
 * Kinds below PARIO_TRACE_FIRST are notes, not calls. Those that carry text are followed by as many records of plain
 * bytes as `size` bytes need. What the members of a call's record mean depends on its operation: docs/trace-format.md.
 *
 * `pario trace` packs the segments into one file (trace/pack.h).
 */
#ifndef PARIO_TRACE_FORMAT_H
#define PARIO_TRACE_FORMAT_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/ops.h"

#define PARIO_TRACE_MAGIC 0x3147455345434152u /* "RACESEG1" */
enum { PARIO_TRACE_VERSION = 3 };	      /* of segments */

enum pario_trace_layer {
	PARIO_TRACE_POSIX,
	PARIO_TRACE_STDIO,
	PARIO_TRACE_ASYNC,
	PARIO_TRACE_PROCESS,
	PARIO_TRACE_MPIIO,
	PARIO_TRACE_MPI,
	PARIO_TRACE_HDF5,
	PARIO_TRACE_PNETCDF,
	PARIO_TRACE_LAYERS
};

enum pario_trace_class {
	PARIO_CLASS_OTHER,
	PARIO_CLASS_OPEN,
	PARIO_CLASS_CLOSE,
	PARIO_CLASS_READ,
	PARIO_CLASS_WRITE,
	PARIO_CLASS_SEEK,
	PARIO_CLASS_SYNC,
	PARIO_CLASS_SIZE,
	PARIO_CLASS_ADVICE,
	PARIO_CLASS_MAP,
	PARIO_CLASS_STAT,
	PARIO_CLASS_NAME,
	PARIO_CLASS_ATTR,
	PARIO_CLASS_LIST,
	PARIO_CLASS_LOCK,
	PARIO_CLASS_SUBMIT,
	PARIO_CLASS_WAIT,
	PARIO_CLASS_PROCESS,
	PARIO_CLASS_MESSAGE,
	PARIO_CLASSES
};

/* What a record is. Operations follow at PARIO_TRACE_FIRST. In traces of version 1 they began at 16. */
enum pario_trace_kind {
	PARIO_TRACE_EMPTY, /* reserved, not finished; layer: records behind it that belong to it */
	PARIO_TRACE_PAD,   /* `size` records from here on hold nothing */
	PARIO_TRACE_FILE,  /* text: name of file number `file` of this process */
	PARIO_TRACE_MODULE, /* text: path of what is mapped at offset..site; then the build-id in hex after a newline */
	/* text: the path of the program, a newline, and its arguments, each ended by a zero; file: its directory */
	PARIO_TRACE_PROGRAM,
	PARIO_TRACE_THREAD, /* the thread `size` writes from here on; more: its pthread_t */
	PARIO_TRACE_CLOCK, /* at t0 ticks CLOCK_MONOTONIC said `offset` ns and CLOCK_REALTIME `size` ns */
	PARIO_TRACE_RANK, /* MPI says: this is process `file` of `size` */
	PARIO_TRACE_STACK, /* frames above the site of the record before: t0, site, offset, size, 0 = none */
	PARIO_TRACE_IO, /* /proc/self/io: offset = rchar, size = wchar; site: page faults, major << 32 | minor */
	PARIO_TRACE_CHILD, /* process `size`, a child of vfork that began at `offset` ns, writes from here on */
	PARIO_TRACE_RING, /* `size` asynchronous requests were not seen; file: enum pario_trace_ring */
	PARIO_TRACE_GAP,   /* the thread was in no call; stands before the next one. See below */
	PARIO_TRACE_STATE, /* file `file` when this process first opened it. See below */
	PARIO_TRACE_USAGE, /* size: peak resident bytes so far; offset: ns of processor time, user; more: system */
	PARIO_TRACE_MEMORY, /* size: bytes of memory; offset: most that the cgroup allows, NOWHERE = no limit */
	PARIO_TRACE_EXIT,  /* the program ended by itself, with status `size` */
	PARIO_TRACE_COMM,  /* text: members of communicator `file`. See below */
	PARIO_TRACE_HINTS, /* text: MPI info `file`: key=value, each ended by a newline */
	PARIO_TRACE_VIEW, /* text: struct pario_trace_run each: the blocks of a file type. See below */
	PARIO_TRACE_REQUESTS, /* text: uint32_t each: requests that the next call of this thread saw completed */
	PARIO_TRACE_MATCH, /* request `file`, a receive from anybody, was from rank `fd` with tag `arg`, `size` bytes */
	PARIO_TRACE_FIRST = 32
};

/* Commands of fcntl that have a range; by number, since not every header has all. */
static inline bool pario_locks(uint32_t command)
{
	return command == F_GETLK || command == F_SETLK || command == F_SETLKW ||
	       (command >= 36 && command <= 38); /* those of open files */
}

/* Of a note: does text follow it? */
static inline bool pario_trace_has_text(uint16_t op)
{
	return op == PARIO_TRACE_FILE || op == PARIO_TRACE_MODULE || op == PARIO_TRACE_PROGRAM ||
	       op == PARIO_TRACE_COMM || op == PARIO_TRACE_HINTS || op == PARIO_TRACE_VIEW ||
	       op == PARIO_TRACE_REQUESTS;
}

/* Why requests were not seen. */
enum pario_trace_ring {
	PARIO_RING_ENTERED, /* submitted by system calls of the program's own, and overwritten since */
	PARIO_RING_PTRACE, /* ptrace sees the calls that submit them */
	PARIO_RINGS
};

#define PARIO_TRACE_ENUM(name, layer, class) PARIO_OP_##name,
enum pario_trace_op {
	PARIO_OP_BEFORE = PARIO_TRACE_FIRST - 1,
	PARIO_TRACE_OPS(PARIO_TRACE_ENUM) PARIO_TRACE_END
};

/* Bits of `flags`; the low three are the nesting depth, 0 = called by the program itself. */
enum {
	PARIO_TRACE_DEPTH = 7,
	PARIO_TRACE_FAILED = 8,	  /* `result` is an errno */
	PARIO_TRACE_WHOLE = 16,	  /* all of `size` was transferred, whatever `result` could hold */
	PARIO_TRACE_DIRECT = 32,  /* the file is open with O_DIRECT */
	PARIO_TRACE_STARTED = 64, /* asynchronous: its completion was never seen */
	PARIO_TRACE_COMPLETED =
		128, /* asynchronous: from the submission until the completion was seen */
};

#define PARIO_TRACE_NOWHERE UINT64_MAX /* offset of what has none */

struct pario_trace_record {
	uint64_t t0;	   /* ticks of the process' clock */
	uint64_t site;	   /* return address of the call */
	uint64_t offset;   /* bytes, or PARIO_TRACE_NOWHERE */
	uint64_t size;	   /* bytes asked for */
	uint64_t more;	   /* a second argument, by operation */
	uint32_t duration; /* ticks: 27 bits, then 5 bits of shift (pario_trace_ticks) */
	uint32_t file;	   /* number within the process, 0 = none */
	int32_t result; /* what the call returned, kept within the type; the errno when it failed */
	int32_t fd; /* descriptor the call was made on, PARIO_TRACE_NO_FD = none; a rank, by operation */
	uint32_t arg; /* flags, whence, advice, mode ..., by operation */
	uint16_t op;
	uint8_t layer;
	uint8_t flags;
};

_Static_assert(sizeof(struct pario_trace_record) == 64, "the record is 64 bytes");

enum { PARIO_TRACE_NO_FD = -1 };

/* Ranks in `fd` that are none. */
enum { PARIO_RANK_NONE = -1, PARIO_RANK_NULL = -2, PARIO_RANK_ANY = -3, PARIO_RANK_ROOT = -4 };
#define PARIO_TAG_ANY UINT32_MAX

/*
 * A gap: time of a thread between two calls that the program made itself, longer than a millisecond. The processor
 * time is looked at when a call ends and the last look was 64 calls and a millisecond, or ten milliseconds ago, and
 * when a gap ends. So the first look lies that long before the gap at the most, and no other gap in between.
 *
 *   t0        ticks of the first look
 *   duration  ticks from there to the second look, which is the end of the gap
 *   more      ticks from the first look to the beginning of the gap
 *   offset    ns of processor time of the thread at the first look
 *   size      ns of processor time between the looks
 */

/*
 * The state of a file: as it was before the program opened it.
 *
 *   result  1 = existed, 0 = did not, -1 = not known
 *   size    bytes; more: bytes allocated (less than `size`: it has holes)
 *   offset  the device (dev_t); site: the inode's number; both 0 when it did not exist
 *   fd      mode (type and permissions)
 *   arg     type of the file system, as statfs says it (f_type)
 *   t0      when it was looked at
 */

/*
 * A communicator: what MPI calls say as `result` is its number within the process. 0 = MPI_COMM_WORLD and 1 =
 * MPI_COMM_SELF have no note.
 *
 *   file    the number; offset: its identity, the same in all its members (pario_trace_comm_id)
 *   site    the identity of the communicator it was made of, 0 = none
 *   result  how many of the same members were made of the same one before
 *   fd      rank of this process in it; arg: the operation that made it
 *   flags   PARIO_COMM_REMOTE: the other side of an intercommunicator, whose own side stands before
 *   text    struct pario_trace_members each: members by their rank in MPI_COMM_WORLD
 *   more    a note holds so many bytes; of a longer list: which part this is, << 32 | how many there are
 */
enum { PARIO_COMM_WORLD, PARIO_COMM_SELF, PARIO_COMM_FIRST };
enum { PARIO_COMM_REMOTE = 8 };
#define PARIO_COMM_WORLD_ID 1u
#define PARIO_COMM_SELF_LOW 2u /* the identity of MPI_COMM_SELF: the rank << 32, and this */

/* Ranks first, first + step ... ; UINT32_MAX: not of this world. */
struct pario_trace_members {
	uint32_t first;
	int32_t step;
	uint32_t count;
};

/*
 * A view: file types flattened to blocks of bytes in their order.
 *
 *   file    its number within the process
 *   offset  the type's lower bound; site: its extent
 *   result  1: longer than could be kept, what is here is only the beginning
 *   arg     bytes of the elementary type
 *   text    struct pario_trace_run each
 *   more    parts, as for communicators
 */
struct pario_trace_run {
	int64_t from;	 /* bytes from the type's origin */
	uint64_t length; /* of a block */
	int64_t step;	 /* from one block to the next */
	uint64_t count;	 /* blocks */
};

enum { PARIO_TRACE_PARTS = 64 }; /* most parts of a list */

/* The beginning of a segment. */
struct pario_trace_segment {
	uint64_t magic;
	uint32_t version, header_bytes;
	uint64_t used;	  /* records reserved; the only word that changes all the time */
	uint64_t spilled; /* of these, how many lie behind the window */
	uint64_t
		dropped; /* calls that could not be recorded: no space, or a signal came while the window spilled */
	uint32_t pid, ppid, tid,
		rank; /* rank from the launcher's environment, UINT32_MAX = unknown */
	uint32_t ranks,
		counter; /* counter: 1 = ticks are of the time-stamp counter, 0 = nanoseconds */
	uint64_t start_ticks, start_ns, start_real_ns; /* the three clocks at one moment */
	uint64_t
		process; /* CLOCK_MONOTONIC when this program started in the process: tells programs of one pid apart */
	uint64_t why;  /* errno of the first failure to grow, 0 = none */
	char boot[40]; /* boot id of the machine: segments of one boot share their clocks */
	char host[64];
};

enum {
	PARIO_TRACE_HEADER = 256, /* and 60 records fill the first page */
	PARIO_TRACE_WINDOW = 4096 - PARIO_TRACE_HEADER + 11 * 12288,
	PARIO_TRACE_SPILLED =
		PARIO_TRACE_HEADER + PARIO_TRACE_WINDOW, /* where spilled records begin */
};
_Static_assert(sizeof(struct pario_trace_segment) <= PARIO_TRACE_HEADER - 2 * sizeof(uint64_t),
	       "the header has room, a word for the writer, and before it the one below");

/* In the header: calls that were jumped out of before they returned, which have no records. */
enum { PARIO_TRACE_LEFT = PARIO_TRACE_HEADER - 2 * sizeof(uint64_t) };
static inline uint64_t *pario_trace_left(struct pario_trace_segment *s)
{
	return (uint64_t *)((char *)s + PARIO_TRACE_LEFT);
}

/*
 * A duration fits 32 bits with a relative error below 2^-26: up to 44 ms at 3 GHz exactly, and a call of hours needs no
 * second record.
 */
static inline uint32_t pario_trace_pack_ticks(uint64_t ticks)
{
	unsigned shift = 0;

	if (ticks >> 27)
		shift = 37 - (unsigned)__builtin_clzll(ticks);
	if (shift > 31)
		return UINT32_MAX;
	return (uint32_t)(ticks >> shift) << 5 | shift;
}

static inline uint64_t pario_trace_ticks(uint32_t packed)
{
	return (uint64_t)(packed >> 5) << (packed & 31);
}

/* Records of plain bytes that follow a record with `size` bytes of text. */
static inline uint64_t pario_trace_text_records(uint64_t size)
{
	return (size + sizeof(struct pario_trace_record) - 1) / sizeof(struct pario_trace_record);
}

#define PARIO_TRACE_AWAY \
	"/tmp" /* where ranks go whose node does not see the directory of the segments */

enum { PARIO_TRACE_TEXT_MAX = 4096 + 128, PARIO_TRACE_STACK_MAX = 32 };

#endif
