/*
 * evidence: what the rules look at, gathered call by call while the trace is read: streams (the calls of one process
 * from one place in the source on one file), what each process did with each file, and each process as a whole.
 * Bounded, whatever the number of calls: what has no room is counted and not judged.
 *
 * Only what the program asked for on storage is here, and MPI-IO within other libraries, marked as nested.
 */
#ifndef PARIO_PROFILE_FINDINGS_EVIDENCE_H
#define PARIO_PROFILE_FINDINGS_EVIDENCE_H

#include <stdbool.h>

#include "profile/profile.h"

enum {
	PARIO_EVIDENCE_STREAMS = 200000,
	PARIO_EVIDENCE_EXTENTS = 256,	      /* written parts of one file by one process */
	PARIO_EVIDENCE_ALL_EXTENTS = 4 << 20, /* 64 MiB of them in all */
	PARIO_EVIDENCE_PAGE = 4096,	      /* what a smaller request leaves unfilled */
};

struct pario_stream {
	uint32_t site, process, file; /* numbers; a site has an operation and a place in a module */
	uint8_t class, layer;
	bool nested, collective;
	int32_t error; /* of the first that failed */
	struct pario_profile_sum sum;
	struct pario_profile_power
		small; /* smaller than a page, right behind the one before or at its stride */
	uint64_t sequential, random, backward; /* calls; backward: ends where the last began */
	uint64_t misaligned,
		misaligned_apart; /* of a page or more, not at a multiple of one; apart: not sequential */
	uint64_t direct;	  /* past the page cache */
	uint64_t same_error; /* failed with `error` */
	double failed_ns, misaligned_ns;
	uint64_t after_io;
	double after_io_ns; /* in calls in which processes meet, right after a call on storage */
	uint64_t from, to, last; /* the part of the file, and where the last call was */
};

struct pario_extent {
	uint64_t from, to;
};

/* A file as one process uses it. */
struct pario_evidence_place {
	uint32_t process, file;
	uint64_t reads, writes, read_bytes, written_bytes, opens, syncs;
	uint64_t since_sync, since_sync_bytes;
	uint64_t alone, alone_bytes; /* writes that were synced one by one */
	double write_ns, open_close_ns, sync_ns;
	uint32_t sync_site, write_site; /* the last */
	uint64_t from, to;
	double first_ns, last_ns; /* when it wrote */
	bool by_mpiio, renamed;
	bool write_through; /* opened with O_SYNC or O_DSYNC */
	uint32_t advice;    /* of posix_fadvise, for the whole file as far as is known */
	struct pario_profile_power unlike; /* reads in another order than the advice said */
	uint32_t unlike_site;
	bool inexact;	      /* more parts than are kept */
	uint64_t again_bytes; /* written where it had written before */
	struct pario_extent *extents;
	uint32_t extent_count, extent_capacity;
};

struct pario_evidence_process {
	bool on_storage; /* its last call was */
	double busiest_ns;
	uint32_t busiest; /* stream */
};

struct pario_evidence {
	struct pario_map stream_of;
	struct pario_stream *streams; /* by number, from 1 */
	uint32_t stream_capacity;
	struct pario_evidence_place *places; /* by place number */
	uint32_t place_count;
	struct pario_evidence_process *processes;
	uint32_t *writers; /* processes that wrote, by file number */
	uint64_t extents;
};

struct pario_evidence *pario_evidence_new(const struct pario_job *job);
void pario_evidence_free(struct pario_evidence *e);

/* How many processes wrote to a file. */
static inline uint32_t pario_evidence_writers(const struct pario_evidence *e, uint32_t file)
{
	return e->writers[file];
}

/* Numbers of the places that were written to, those of one file together; to be freed, NULL without memory. */
uint32_t *pario_evidence_by_file(const struct pario_evidence *e, uint32_t *count);

/* Bytes that both wrote, as far as the parts are kept. */
uint64_t pario_evidence_common(const struct pario_evidence_place *a,
			       const struct pario_evidence_place *b);

/* One call; `place` and `site` are its numbers in the profile. false: no memory. */
bool pario_evidence_add(struct pario_evidence *e, const struct pario_profile_call *call,
			uint32_t place, uint32_t site, enum pario_medium medium,
			enum pario_pattern pattern);

#endif
