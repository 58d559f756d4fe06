/*
 * evidence: what the rules look at, gathered call by call while the trace is read: streams (the calls of one process
 * from one place in the source on one file), what each process did with each file, and each process as a whole.
 * Bounded, whatever the number of calls: what has no room is counted and not judged.
 *
 * Only what the program asked for on storage is here, and MPI-IO within other libraries, marked as nested.
 */
#ifndef PARIO_PROFILE_FINDINGS_EVIDENCE_H
#define PARIO_PROFILE_FINDINGS_EVIDENCE_H

#include "profile/findings/extents.h"
#include "profile/findings/waits.h"

enum {
	PARIO_EVIDENCE_STREAMS = 200000,
	PARIO_EVIDENCE_PAGE = 4096,	/* what a smaller request leaves unfilled */
	PARIO_EVIDENCE_LARGE = 1 << 20, /* what need not be larger */
};

/*
 * What a rule charges is what it has counted here, with its own time: never a share of the whole. Transfers that moved
 * nothing, as at the end of a file, are no transfers.
 */
struct pario_stream {
	uint32_t site, process, file; /* numbers; a site has an operation and a place in a module */
	uint32_t place;
	uint8_t class, layer;
	bool nested, collective;
	bool recovered; /* a call failed, and one succeeded after it */
	struct pario_profile_power
		lone; /* the last transfer, a small one not behind another such */
	bool was_small;
	int32_t error; /* of the first that failed */
	struct pario_profile_sum sum;
	uint64_t moves; /* calls that moved something */
	struct pario_profile_power
		small, /* smaller than a page, right behind such a one or at its stride */
		random, backward, /* backward: ends where the last began */
		misaligned,	  /* of a page or more, not at a multiple of one */
		misaligned_apart, /* of these, those that are not sequential */
		direct,		  /* small ones in sequence, past the page cache */
		again,		  /* behind those that had moved the range they lie in */
		locked;		  /* calls that lock, long enough to have waited */
	uint64_t same_error;	  /* failed with `error` */
	double failed_ns;
	uint64_t from, to, last; /* the part of the file, and where the last call was */
	double first_ns;
};

/* Calls and where the last of them was made. */
struct pario_evidence_sum {
	struct pario_profile_power sum;
	uint32_t site;
};

/* A file as one process uses it. */
struct pario_evidence_place {
	uint32_t process, file;
	uint64_t reads, writes, read_bytes, written_bytes, opens, removals;
	uint64_t since_sync, since_sync_bytes;
	struct pario_evidence_sum alone, /* syncs, each of one small write */
		few,	 /* syncs, each of several writes that were little together */
		syncs,	 /* all of them */
		through, /* writes while the file was open with O_SYNC or O_DSYNC */
		unlike,	 /* reads in another order than the advice said */
		again;	 /* writes of what was written before, and neither synced nor read since */
	double write_ns, open_close_ns;
	uint32_t write_site; /* the last */
	uint64_t from, to;
	double first_ns, last_ns; /* when it wrote */
	bool by_mpiio, locks;
	uint32_t thread;
	bool threads; /* several used it: calls come thread by thread, so their order is not known */
	bool write_through; /* open with O_SYNC or O_DSYNC */
	uint32_t advice;    /* of posix_fadvise, for the whole file as far as is known */
	struct pario_extents written;
	struct pario_extents fresh; /* since it was last opened, synced, read there or made anew */
};

/* A file as all processes use it. */
struct pario_evidence_file {
	uint32_t readers, writers, lockers; /* processes */
	double last_write_ns;
	bool synced, removed;
};

struct pario_evidence_process {
	double busiest_ns;
	uint32_t busiest;   /* stream */
	uint64_t transfers; /* reads and writes, and with syncs their time */
	double transfer_ns, sync_ns;
};

struct pario_evidence {
	struct pario_map stream_of;
	struct pario_stream *streams; /* by number, from 1 */
	uint32_t stream_capacity;
	struct pario_evidence_place *places; /* by place number */
	uint32_t place_count;
	struct pario_evidence_process *processes;
	struct pario_evidence_file *files; /* by number */
	double all_synced_ns;		   /* when sync or syncfs was last called; 0: never */
	uint64_t extents;
	struct pario_waits waits;
	struct pario_together *together; /* together.h; NULL until somebody asks */
};

struct pario_evidence *pario_evidence_new(const struct pario_job *job);
void pario_evidence_free(struct pario_evidence *e);

/* Numbers of the places that were written to, those of one file together; to be freed, NULL without memory. */
uint32_t *pario_evidence_by_file(const struct pario_evidence *e, uint32_t *count);

/* One call; `place` and `site` are its numbers in the profile. false: no memory. */
bool pario_evidence_add(struct pario_evidence *e, const struct pario_job *job,
			const struct pario_profile_call *of, uint32_t place, uint32_t site,
			enum pario_medium medium, enum pario_pattern pattern);

/* Does this call go on until other processes have come as well? */
bool pario_evidence_is_meeting(uint16_t op);

#endif
