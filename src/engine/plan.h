/*
 * plan: everything a command will measure, checked before the first byte is written.
 *
 * A plan belongs to one test. Its options come from the settings, the access options (when the test transfers
 * data), the test's own table and those of all backends. Lists become points; each point runs at each client count.
 * Only client 0 parses; the others receive each bound point as plain bytes.
 */
#ifndef PARIO_ENGINE_PLAN_H
#define PARIO_ENGINE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/options.h"
#include "engine/run_options.h"
#include "engine/test.h"
#include "machine/machine.h"

enum { PARIO_PLAN_TABLES = 24 };

struct pario_plan {
	const struct pario_test *test;
	struct pario_table tables[PARIO_PLAN_TABLES];
	size_t table_count;
	size_t backend_table[PARIO_PLAN_TABLES]; /* table of backend i, 0 = it has no options */
	struct pario_config config;
	struct pario_settings settings; /* of the whole run; valid after pario_plan_settle */
	double until; /* likewise: --until as a share of the median; 0 = --repetitions decide */
	uint64_t *clients;
	size_t client_count;
	uint64_t per_node;		    /* clients on the fullest node; 0 = all are on one */
	struct pario_last_cache last_cache; /* of this node, which stands for all */
	uint64_t memory_bytes, free_bytes;  /* of this node; of the file system of --dir */
	uint64_t points;
};

/* A point with all its values; one block of memory, so that it can be sent. */
struct pario_bound {
	struct pario_point point;
	struct pario_layout layout; /* of client 0 */
	struct pario_settings settings;
	struct pario_access access;
	uint64_t backend_index;
	uint64_t buffers;	  /* transfers of a client take so many buffers in turn, */
	uint64_t buffer_capacity; /* each of so many bytes */
	uint64_t params_bytes, backend_bytes; /* lengths of the two parts in `tail` */
	char *tail;			      /* test parameters, then backend parameters */
	char name[512];
};

/* No phase writes. Then a file that the user named must be there, else not. May it be used so? (PARIO_USAGE) */
bool pario_bound_only_reads(const struct pario_bound *bound);
int pario_bound_check_file(const struct pario_bound *bound, struct pario_err *err);

/* What storage is taken for that nobody has measured yet: bytes and operations of a second. */
#define PARIO_PLAN_RATE ((double)(1 << 30))
#define PARIO_PLAN_OPS	1e4

/* What the whole plan will use. */
struct pario_need {
	uint64_t points, skipped; /* points times client counts, and how many of them cannot run */
	uint64_t disk_bytes, files; /* at the same time, at most */
	bool open_ended;	    /* no: at least, and time decides */
	uint64_t memory_bytes;	    /* per client, at most */
	uint64_t group_bytes;	    /* of all clients that measure at the same time, at most */
	uint64_t moved_bytes, operations; /* by all phases and repetitions */
	double seconds; /* likewise, at PARIO_PLAN_RATE and PARIO_PLAN_OPS where the storage decides */
};

int pario_plan_init(struct pario_plan *plan, const struct pario_test *test, struct pario_err *err);
void pario_plan_release(struct pario_plan *plan);

/* Fixes the settings and client counts once all sources were read. `available` = clients that will be there. */
int pario_plan_settle(struct pario_plan *plan, uint64_t available, struct pario_err *err);

/* Largest client count asked for, 0 when none was; usable before pario_plan_settle. */
int pario_plan_wanted(const struct pario_plan *plan, uint64_t *np, struct pario_err *err);

/*
 * Binds one point at one client count. Fails with PARIO_USAGE when its options contradict each other, with
 * PARIO_SYSTEM when the backend is not available.
 */
int pario_plan_bind(const struct pario_plan *plan, uint64_t index, uint64_t clients,
		    struct pario_bound *bound, struct pario_err *err);
void pario_bound_release(struct pario_bound *bound);

/* Sets the pointers inside a bound point after its bytes arrived from another client. */
void pario_bound_link(struct pario_bound *bound, const struct pario_test *test);

/* Binds every point once and adds up. Fails when no point can run (with the first one's reason). */
int pario_plan_need(const struct pario_plan *plan, struct pario_need *need, struct pario_err *err);

/* Compares the need with the space and inodes that are there, and with the memory of every node. */
int pario_plan_fits(const struct pario_plan *plan, const struct pario_need *need,
		    const struct pario_nodes *nodes, struct pario_err *err);
/* The same before there are any clients, for so many of them on this node. */
int pario_plan_fits_here(const struct pario_plan *plan, const struct pario_need *need,
			 uint64_t clients, struct pario_err *err);

/* Does some point use a pointer that all clients of a file share? */
bool pario_plan_shared_pointers(const struct pario_plan *plan);

/* Phases of a bound point; returns how many. */
unsigned pario_bound_phases(const struct pario_bound *bound, struct pario_phase *phases);

#endif
