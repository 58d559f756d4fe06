/*
 * system: what a storage system costs, as one readable JSON file. `pario characterize` writes it, `pario predict`
 * reads two of them. docs/system-format.md describes every member.
 *
 * Numbers that were not measured are NaN in memory and null in the file; what they would have been for stands in
 * `coverage` with the reason.
 */
#ifndef PARIO_PREDICT_SYSTEM_SYSTEM_H
#define PARIO_PREDICT_SYSTEM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/err.h"

#define PARIO_SYSTEM_SCHEMA "pario-system/1"

enum pario_system_op {
	PARIO_SYSTEM_READ,
	PARIO_SYSTEM_WRITE,
	PARIO_SYSTEM_FSYNC,	  /* of a file that is new or has grown */
	PARIO_SYSTEM_FSYNC_AGAIN, /* of one whose bytes were only written over */
	PARIO_SYSTEM_FDATASYNC_AGAIN, /* likewise, by fdatasync: no metadata that reading needs have changed */
	PARIO_SYSTEM_FSYNC_DIRECTORY, /* of a directory in which names have changed */
	PARIO_SYSTEM_FSYNC_DIRECTORY_AGAIN, /* of one whose names changed before another file was synced */
	PARIO_SYSTEM_OPEN,
	PARIO_SYSTEM_CREATE,
	PARIO_SYSTEM_CLOSE,
	PARIO_SYSTEM_STAT,
	PARIO_SYSTEM_LOOKUP, /* asking for a name that nobody asked for during the last second */
	PARIO_SYSTEM_LOCK,   /* asking for a lock, or giving it back */
	PARIO_SYSTEM_ABSENT, /* looking for a name that is not there, by whichever call */
	PARIO_SYSTEM_UNLINK,
	PARIO_SYSTEM_MKDIR,
	PARIO_SYSTEM_RMDIR,
	PARIO_SYSTEM_LINK,
	PARIO_SYSTEM_RENAME, /* of a file */
	PARIO_SYSTEM_RENAME_DIRECTORY,
	PARIO_SYSTEM_READDIR,
	PARIO_SYSTEM_TRUNCATE,
	PARIO_SYSTEM_SEEK,
	PARIO_SYSTEM_OPS
};

enum pario_system_locality {
	PARIO_SYSTEM_ANYWHERE, /* where places do not matter: metadata, fsync */
	PARIO_SYSTEM_SEQUENTIAL,
	PARIO_SYSTEM_STRIDED,
	PARIO_SYSTEM_RANDOM,
	PARIO_SYSTEM_LOCALITIES
};

/* What a call meets on its way. */
enum pario_system_path {
	PARIO_SYSTEM_ANY,	/* not told apart: metadata */
	PARIO_SYSTEM_HIT,	/* read of pages that are in memory */
	PARIO_SYSTEM_MISS,	/* read of pages that are not */
	PARIO_SYSTEM_ABSORBED,	/* write that only fills new pages */
	PARIO_SYSTEM_REWRITTEN, /* write over pages that are in memory */
	PARIO_SYSTEM_THROTTLED, /* write that waits because too many pages are dirty */
	PARIO_SYSTEM_SYNC,	/* write that returns when it is stored (O_SYNC), and every fsync */
	PARIO_SYSTEM_DIRECT,	/* O_DIRECT */
	PARIO_SYSTEM_PATHS
};

extern const char *const pario_system_op_names[PARIO_SYSTEM_OPS];
extern const char *const pario_system_locality_names[PARIO_SYSTEM_LOCALITIES];
extern const char *const pario_system_path_names[PARIO_SYSTEM_PATHS];

/* seconds(bytes) = t_call + bytes * t_trans, from from_bytes up to to_bytes. */
struct pario_system_piece {
	uint64_t from_bytes, to_bytes;
	double t_call, t_trans;
};

/* One call of this size, as one client sees it. For fsync `bytes` are those that were dirty, for metadata 0. */
struct pario_system_point {
	uint64_t bytes;
	double seconds, low, high; /* median, least and greatest of the repetitions */
	uint32_t repetitions;
};

struct pario_system_surface {
	enum pario_system_op op;
	enum pario_system_locality locality;
	enum pario_system_path path;
	uint64_t distance_bytes; /* strided: from start to start; random: the span; 0: none */
	uint32_t clients;	 /* that did the same at the same time */
	bool shared;		 /* in one file */
	struct pario_system_piece *pieces;
	struct pario_system_point *points;
	size_t piece_count, point_count;
	double residual_rsd; /* of the points about the pieces, in percent */
};

/* Throughput of all clients together. */
struct pario_system_device {
	uint32_t clients;
	double bytes_per_second;      /* large transfers */
	double operations_per_second; /* 4 KiB, random */
};

struct pario_system_barrier {
	uint32_t clients;
	double seconds;
};

struct pario_system_gap {
	char *what, *why; /* what was not measured, a phrase; why, a sentence */
};

struct pario_system {
	char program[64];    /* "pario 0.2.0" */
	char measured[40];   /* when: 2026-11-16T06:30:00Z */
	char name[256];	     /* what people call it; at first host and mount point */
	char point[512];     /* where it is mounted */
	char filesystem[64]; /* its type */
	char source[256];    /* what is mounted there */
	char journal[4096];  /* the run directory with the measurements; may be "" */
	double seconds;	     /* that measuring took */
	json_t *machine;     /* as in the first line of a journal; NULL: not told */

	struct pario_system_surface *surfaces;
	struct pario_system_device *read, *write; /* by clients, growing */
	struct pario_system_barrier *barriers;	  /* by clients, growing */
	struct pario_system_gap *coverage;
	size_t surface_count, read_count, write_count, barrier_count, coverage_count;

	double write_back_bytes_per_second;
	double dirty_background_bytes, dirty_limit_bytes;
	double cache_bytes; /* of files that stay in memory */
	double read_ahead_bytes;
	double reopened_read_seconds; /* the first 4 KiB of a file that was just written, after opening it */
	double found_read_seconds; /* 10000 bytes of a file that was written more than a second before */
	double message_latency_seconds, message_bytes_per_second;
	double noise_floor_rsd; /* in percent: of the same measurement, repeated */
};

/* Nothing known: numbers are NaN, lists empty. */
void pario_system_init(struct pario_system *s);
void pario_system_release(struct pario_system *s);

/* Additions; what they return is zeroed and stays valid until the next one of its kind. NULL: no memory. */
struct pario_system_surface *pario_system_add_surface(struct pario_system *s);
struct pario_system_piece *pario_system_add_piece(struct pario_system_surface *surface);
struct pario_system_point *pario_system_add_point(struct pario_system_surface *surface);
struct pario_system_device *pario_system_add_device(struct pario_system *s, bool write);
struct pario_system_barrier *pario_system_add_barrier(struct pario_system *s);
int pario_system_add_gap(struct pario_system *s, const char *what, const char *why);

/* Writes the file; only one that pario wrote is replaced, or with `force` any. */
int pario_system_save(const struct pario_system *s, const char *path, bool force,
		      struct pario_err *err);

/* Reads it. A sentence for what is no SYSTEM, one of another schema, or one that is damaged. */
int pario_system_load(struct pario_system *s, const char *path, struct pario_err *err);

#endif
