/*
 * profile: what a program did, from its trace: call classes, files, call sites, processes, a timeline, seek distances
 * and the longest calls. Memory does not grow with the number of calls.
 *
 * Times of calls that were made within other calls (a pwrite within an MPI_File_write) are shown at their own layer,
 * but only calls the program made itself count for the totals.
 */
#ifndef PARIO_PROFILE_ANALYSE_PROFILE_H
#define PARIO_PROFILE_ANALYSE_PROFILE_H

#include "base/histogram.h"
#include "base/text.h"
#include "trace/job.h"
#include "trace/operation.h"
#include "trace/medium.h"
#include "trace/origin.h"
#include "profile/analyse/stacks.h"
#include "trace/timeline.h"

enum {
	PARIO_PROFILE_KINDS = 2000, /* call classes, each with a histogram of 20 kB */
	PARIO_PROFILE_SITES = 100000,
	PARIO_PROFILE_FAILURES = 20000,
	PARIO_PROFILE_LONGEST = 20,
	PARIO_PROFILE_LOOKED_UP = 1024,
	PARIO_PROFILE_SEEKS = 2 * 64 + 1, /* backward by powers of two, none, forward */
	PARIO_PROFILE_SIZES = 8,
	PARIO_PROFILE_POWERS = 66, /* nothing, one byte, up to 2, 4, 8 ... 2^64 bytes */
	PARIO_PROFILE_DEPTHS = 4,  /* levels at which a file is moved through: HDF5, MPI-IO, libc */
};

enum pario_pattern {
	PARIO_PLACELESS,
	PARIO_SEQUENTIAL,
	PARIO_STRIDED,
	PARIO_RANDOM,
	PARIO_PATTERNS
};

struct pario_profile_sum {
	uint64_t calls, failed, bytes;
	double ns, max_ns;
	uint32_t layers; /* of which these calls are: a bit each */
};

/* operation x layer x size class x pattern x cache path x medium */
struct pario_profile_kind {
	uint16_t op;
	uint8_t layer, size_class, pattern;
	bool direct, nested;
	enum pario_medium medium;
	struct pario_profile_sum sum;
	struct pario_histogram *times;
};

/*
 * Calls on a file by their depth: the program's own [0], those within them [1] and so on. What lies deeper is what
 * libraries made of the calls above, so depths together would count bytes twice.
 */
struct pario_profile_file {
	struct pario_profile_sum read[PARIO_PROFILE_DEPTHS], write[PARIO_PROFILE_DEPTHS],
		other[PARIO_PROFILE_DEPTHS];
	struct pario_profile_sum mapped; /* of `other`: parts that became memory */
};

struct pario_profile_site {
	uint16_t op;
	uint32_t module; /* UINT32_MAX: outside of every module */
	uint64_t offset; /* within the module, as in its file */
	enum pario_medium medium;
	struct pario_profile_sum sum;
};

/* Calls that failed in one way. */
struct pario_profile_failure {
	uint16_t op;
	uint8_t layer;
	bool nested;
	int32_t error;
	uint32_t file;
	struct pario_profile_sum sum;
};

/* The program's own calls: on storage, and what is not. */
struct pario_profile_process {
	struct pario_profile_sum read, write, other, meet, /* messages, and waiting for others */
		elsewhere, /* pipes, sockets, terminals and the like, and starting programs */
		mapped;	   /* of `other`: parts of files that became memory */
};

/*
 * Where a process stands in a file, at one level: what MPI-IO asks for and the pwrites it makes of that are two walks.
 */
struct pario_profile_place {
	uint64_t end;
	int64_t distance;
	bool known, nowhere; /* nowhere: this is no file with places */
};

struct pario_profile_call {
	double start_ns, ns;
	uint32_t process, thread, file;
	struct pario_trace_record record;
};

/* Which calls: those that began from `from_ns` on and before `to_ns`, counted from the job's first moment. */
struct pario_profile_range {
	bool limited;
	double from_ns, to_ns;
};

/* Transfers of one size, by power of two. */
struct pario_profile_power {
	uint64_t calls, bytes;
	double ns;
};

/* Tables of the journal that are worked out elsewhere. */
struct pario_result_tables;
struct pario_profile_more {
	void (*add)(const void *self, struct pario_result_tables *tables);
	const void *self;
};

struct pario_profile {
	struct pario_job job;
	struct pario_map kind_of, site_of, failure_of;
	struct pario_profile_failure *failures;
	uint32_t failure_capacity;
	enum pario_medium *media; /* by file number */
	struct pario_profile_kind *kinds;
	uint32_t kind_capacity;
	struct pario_profile_site *sites;
	uint32_t site_capacity;
	struct pario_profile_file *files;			    /* by file number */
	struct pario_profile_process *processes;		    /* by process number */
	struct pario_profile_place (*places)[PARIO_PROFILE_DEPTHS]; /* by place number */
	struct pario_profile_sum total; /* of the calls the program made itself, on whatever */
	struct pario_profile_sum on[PARIO_MEDIA];	 /* the same, by medium */
	struct pario_profile_sum classes[PARIO_CLASSES]; /* of those on storage */
	/* on storage, by layer, the program's own and those within others: read, written, all calls */
	struct pario_profile_sum layers[PARIO_TRACE_LAYERS][2][3];
	struct pario_profile_sum
		beside; /* of these, requests: their time passes beside the program's */
	struct pario_timeline timeline;
	struct pario_stacks stacks;
	struct pario_origins origins;
	const struct pario_history
		*storage; /* a journal of measurements of it; NULL: none was given */
	const struct pario_profile_more *more; /* tables that others add; NULL: none */
	struct pario_evidence *evidence;       /* findings/evidence.h */
	struct pario_profile_sum *stack_sums;  /* by stack number */
	uint32_t stack_capacity;
	uint64_t checked_bytes[2]; /* read and written where the kernel's counts are known */
	uint64_t seeks
		[2][PARIO_PROFILE_SEEKS]; /* before reads and before writes of the program itself */
	/* own, or those of a layer within others (1 + layer); read or write; on storage */
	struct pario_profile_power powers[1 + PARIO_TRACE_LAYERS][2][PARIO_PROFILE_POWERS];
	struct pario_profile_call longest[PARIO_PROFILE_LONGEST]; /* a heap, the shortest first */
	uint32_t longest_count;
	struct {
		uint64_t site;
		uint32_t process, number;
		uint16_t op, medium;
	} looked_up
		[PARIO_PROFILE_LOOKED_UP]; /* sites, by a hash: a program has few that it uses all the time */
	uint64_t unplaced_calls;	   /* on files beyond the limit */
	struct pario_profile_range range;
	uint64_t outside; /* calls that began outside of it */
	uint64_t all_calls, damaged_bytes, damaged_blocks;
	bool torn;
	bool counted; /* made of counters: there are no calls to be seen */
	bool partial; /* and some are known to be missing, as `notes` say, a line each */
	struct pario_text notes;
};

enum { PARIO_ERROR_CAPACITY = 32 };

/* "ENOENT"; a library's own number where it has its own errors. */
const char *pario_profile_error(const struct pario_profile_failure *f,
				char buf[PARIO_ERROR_CAPACITY]);

/* What counts of a file: the program's own calls, or where it made none, the outermost of others. */
static inline const struct pario_profile_sum *pario_profile_counts(
	const struct pario_profile_sum sums[PARIO_PROFILE_DEPTHS])
{
	for (int i = 0; i < PARIO_PROFILE_DEPTHS; i++) {
		if (sums[i].calls)
			return &sums[i];
	}
	return &sums[0];
}

enum { PARIO_LAYERS_CAPACITY = 80 };

/* "mpi-io", "posix, stdio": the layers of a set; "-" for none. */
char *pario_profile_layers(uint32_t layers, char buf[PARIO_LAYERS_CAPACITY]);

static inline double pario_profile_file_ns(const struct pario_profile_file *f)
{
	return pario_profile_counts(f->read)->ns + pario_profile_counts(f->write)->ns +
	       pario_profile_counts(f->other)->ns;
}

/* None where only the runtime used it. */
static inline uint64_t pario_profile_file_calls(const struct pario_profile_file *f)
{
	return pario_profile_counts(f->read)->calls + pario_profile_counts(f->write)->calls +
	       pario_profile_counts(f->other)->calls;
}

/* The layers whose calls a file's numbers are of. */
static inline uint32_t pario_profile_file_layers(const struct pario_profile_file *f)
{
	return pario_profile_counts(f->read)->layers | pario_profile_counts(f->write)->layers |
	       pario_profile_counts(f->other)->layers;
}

/* The time of a process in calls on storage. */
static inline double pario_profile_busy_ns(const struct pario_profile_process *q)
{
	return q->read.ns + q->write.ns + q->other.ns;
}

/* How many times the mean the busiest rank was busy on storage; NaN with fewer than two ranks. */
double pario_profile_imbalance(const struct pario_profile *p);

/* Who wants to see every call: exports. */
typedef int pario_profile_see(void *context, const struct pario_profile *p,
			      const struct pario_profile_call *call, struct pario_err *err);

/* `range`: NULL for all calls. */
int pario_profile_read(struct pario_profile *p, const char *path,
		       const struct pario_profile_range *range, pario_profile_see *see,
		       void *context, struct pario_err *err);
void pario_profile_release(struct pario_profile *p);

/* The least distance of seeks[i]; negative backwards, 0 where nothing was skipped. */
double pario_profile_seek_bytes(unsigned i);

/* The size class of a transfer and its name, "<= 4 KiB". */
unsigned pario_profile_size_class(uint64_t bytes);
extern const char *const pario_profile_size_names[PARIO_PROFILE_SIZES];
extern const char *const pario_pattern_names[PARIO_PATTERNS];

#endif
