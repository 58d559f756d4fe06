/*
 * log: Darshan's binary logs, versions 3.00 to 3.41 of the format (releases 3.0 to 3.5), read in pieces.
 *
 * A log is a header, and regions that are compressed each: the job, the names of files by their ids, and the records of
 * each module. The header says where they lie. A region may be several compressed streams, one behind the other. All
 * numbers have 8 bytes in the order of the machine that wrote them, which shows in the second word.
 *
 * Memory does not grow with the log: records come one counter at a time.
 */
#ifndef PARIO_DARSHAN_LOG_H
#define PARIO_DARSHAN_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PARIO_DARSHAN_MODULES = 64, PARIO_DARSHAN_SIGN = 16, PARIO_DARSHAN_JOB = 1 << 16 };

/* Where the log's bytes come from; fewer than wanted at the end only. */
struct pario_darshan_bytes {
	size_t (*read)(void *self, uint64_t offset, void *to, size_t wanted);
	void *self;
	const char *path;
};

struct pario_darshan_region {
	uint64_t offset, length;
};

struct pario_darshan_log {
	struct pario_darshan_bytes bytes;
	char version[8];  /* of the format */
	char library[64]; /* what wrote it */
	bool swapped;	  /* numbers are in the other order */
	unsigned char compression;
	unsigned count;	  /* of modules the header has room for */
	uint64_t partial; /* a bit for each module that ran out of memory */
	struct pario_darshan_region names, module[PARIO_DARSHAN_MODULES];
	uint32_t versions[PARIO_DARSHAN_MODULES];
	char *job; /* text: the program, then a line for each mounted file system */
	uint64_t uid, jobid, nprocs;
	double start, end; /* seconds since 1970 */
};

struct pario_darshan_record {
	const char *module;
	uint64_t number; /* of the record within its module */
	uint64_t id;
	int64_t rank; /* -1: of all of them */
};

/* One counter: a whole number, a real one, or a word. */
struct pario_darshan_value {
	const char *name;
	enum { PARIO_DARSHAN_WHOLE, PARIO_DARSHAN_REAL, PARIO_DARSHAN_WORD } kind;
	int64_t whole;
	double real;
	const char *word;
};

/* One call that DXT recorded. */
struct pario_darshan_segment {
	const char *host;
	bool write;
	uint64_t index, offset,
		bytes;	   /* index: among the reads or writes of the record; offset -1: not told */
	double start, end; /* seconds since the job's start */
};

/* Who wants to see records; what is NULL is passed over. Negative ends the reading. */
struct pario_darshan_see {
	int (*counter)(void *self, const struct pario_darshan_record *record,
		       const struct pario_darshan_value *value, struct pario_err *err);
	int (*segment)(void *self, const struct pario_darshan_record *record,
		       const struct pario_darshan_segment *segment, struct pario_err *err);
	void *self;
};

/* Does a file begin like this? */
bool pario_darshan_is_log(const void *bytes, size_t length);

/* Reads the header and the job. */
int pario_darshan_log_open(struct pario_darshan_log *log, const struct pario_darshan_bytes *bytes,
			   struct pario_err *err);
void pario_darshan_log_release(struct pario_darshan_log *log);

/* NULL: a module that pario does not know. */
const char *pario_darshan_module_name(const struct pario_darshan_log *log, unsigned module);
static inline bool pario_darshan_is_partial(const struct pario_darshan_log *log, unsigned module)
{
	return log->partial >> module & 1;
}

/*
 * The records of a module. PARIO_DARSHAN_UNKNOWN: nobody knows what they look like, so none was read.
 */
enum { PARIO_DARSHAN_UNKNOWN = 1 };
int pario_darshan_module_read(const struct pario_darshan_log *log, unsigned module,
			      const struct pario_darshan_see *see, struct pario_err *err);

/* The name of every id; names longer than a path may be are cut off. */
typedef int pario_darshan_name(void *self, uint64_t id, const char *name, struct pario_err *err);
int pario_darshan_names_read(const struct pario_darshan_log *log, pario_darshan_name *see,
			     void *self, struct pario_err *err);

#endif
