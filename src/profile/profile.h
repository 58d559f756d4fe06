/*
 * profile: what a program did, from its trace: call classes, files, call sites, processes, a timeline, seek distances and
 * the longest calls. Memory does not grow with the number of calls.
 *
 * Times of calls that were made within other calls (a pwrite within an MPI_File_write) are shown at their own layer, but
 * only calls the program made itself count for the totals.
 */
#ifndef PARIO_PROFILE_PROFILE_H
#define PARIO_PROFILE_PROFILE_H

#include "base/histogram.h"
#include "base/text.h"
#include "profile/job.h"

enum {
	PARIO_PROFILE_KINDS = 2000, /* call classes, each with a histogram of 20 kB */
	PARIO_PROFILE_SITES = 100000,
	PARIO_PROFILE_BINS = 64,
	PARIO_PROFILE_LONGEST = 20,
	PARIO_PROFILE_SEEKS = 2 * 64 + 1, /* backward by powers of two, none, forward */
	PARIO_PROFILE_SIZES = 8,
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
};

/* operation x layer x size class x pattern x cache path */
struct pario_profile_kind {
	uint16_t op;
	uint8_t layer, size_class, pattern;
	bool direct, nested;
	struct pario_profile_sum sum;
	struct pario_histogram *times;
};

struct pario_profile_file {
	struct pario_profile_sum read, write, other;
};

struct pario_profile_site {
	uint16_t op;
	uint32_t module; /* UINT32_MAX: outside of every module */
	uint64_t offset; /* within the module, as in its file */
	struct pario_profile_sum sum;
};

struct pario_profile_process {
	struct pario_profile_sum read, write, other;
};

/* Where a process stands in a file. */
struct pario_profile_place {
	uint64_t end;
	int64_t distance;
	bool known;
};

struct pario_profile_call {
	double start_ns, ns;
	uint32_t process, thread, file;
	struct pario_trace_record record;
};

struct pario_profile_bin {
	uint64_t bytes[2];
	double ns;
};

struct pario_profile {
	struct pario_job job;
	struct pario_map kind_of, site_of;
	struct pario_profile_kind *kinds;
	uint32_t kind_room;
	struct pario_profile_site *sites;
	uint32_t site_room;
	struct pario_profile_file *files;	 /* by file number */
	struct pario_profile_process *processes; /* by process number */
	struct pario_profile_place *places;	 /* by place number */
	struct pario_profile_sum total;		 /* of the calls the program made itself */
	struct pario_profile_bin bins[PARIO_PROFILE_BINS];
	uint64_t checked_bytes[2]; /* read and written where the kernel's counts are known */
	double bin_ns, end_ns;
	uint64_t seeks[PARIO_PROFILE_SEEKS];
	struct pario_profile_call longest[PARIO_PROFILE_LONGEST]; /* a heap, the shortest first */
	uint32_t longest_count;
	struct {
		uint64_t site;
		uint32_t process, number;
		uint16_t op;
	} last; /* site that was looked up: mostly it is the next one as well */
	uint64_t all_calls, damaged_bytes, damaged_blocks;
	bool torn;
};

extern const struct pario_trace_op_info {
	const char *name;
	uint8_t layer, class;
} pario_trace_op_info[];

const char *pario_trace_layer_name(uint8_t layer);

/* Bytes a call of class read or write moved. */
static inline uint64_t pario_profile_bytes(const struct pario_trace_record *r)
{
	uint8_t class = pario_trace_op_info[r->op - PARIO_TRACE_FIRST].class;

	if ((class != PARIO_CLASS_READ && class != PARIO_CLASS_WRITE) ||
	    r->flags & PARIO_TRACE_FAILED)
		return 0;
	if (r->flags & (PARIO_TRACE_WHOLE | PARIO_TRACE_STARTED))
		return r->size;
	return r->result > 0 ? (uint64_t)r->result : 0;
}

/* Who wants to see every call: exports. */
typedef int pario_profile_see(void *context, const struct pario_profile *p,
			      const struct pario_profile_call *call, struct pario_err *err);

int pario_profile_read(struct pario_profile *p, const char *path, pario_profile_see *see,
		       void *context, struct pario_err *err);
void pario_profile_release(struct pario_profile *p);

/* The size class of a transfer and its name, "<= 4 KiB". */
unsigned pario_profile_size_class(uint64_t bytes);
extern const char *const pario_profile_size_names[PARIO_PROFILE_SIZES];
extern const char *const pario_pattern_names[PARIO_PATTERNS];

#endif
