/*
 * waits: when each process was in calls on storage, and who waited for whom in collective messages. What a wait has
 * to do with I/O is seen once all calls are known: the calls of a meeting are those that the members of a
 * communicator made as their first, second and so on there; who began it last was waited for, and only what that
 * process did on storage meanwhile explains the wait.
 *
 * Bounded: spans that lie close together become one, the closer the fewer there are; meetings beyond the limit are
 * not judged.
 */
#ifndef PARIO_PROFILE_FINDINGS_WAITS_H
#define PARIO_PROFILE_FINDINGS_WAITS_H

#include "profile/analyse/profile.h"

enum { PARIO_WAITS_SPANS = 2 << 20, PARIO_WAITS_MEETINGS = 1 << 20 }; /* 48 and 40 MiB */

struct pario_span {
	double from, to, busy; /* ns; busy: the part of it spent in calls */
};

struct pario_spans {
	struct pario_span *items;
	uint32_t count, capacity, thread;
	double busy; /* once settled: of all, where threads worked beside each other once */
};

struct pario_meeting {
	double from, to;
	uint32_t process, site, comm, turn;
};

struct pario_waits {
	struct pario_spans *of; /* by process */
	uint32_t processes;
	double gap; /* what lies closer together is one span */
	uint64_t spans;
	struct pario_map comm_of;   /* identities */
	struct pario_map member_of; /* comm and process */
	uint32_t *turns;	    /* how often a member met, by its number */
	uint32_t turn_capacity;
	uint32_t *members; /* how many processes meet there, by number of the communicator */
	uint32_t member_capacity;
	struct pario_meeting *meetings;
	uint32_t meeting_count, meeting_capacity;
};

bool pario_waits_init(struct pario_waits *w, uint32_t processes);
void pario_waits_release(struct pario_waits *w);

/* A call on storage, or a meeting on the communicator of that identity; false: no memory. */
bool pario_waits_add_io(struct pario_waits *w, const struct pario_profile_call *call);
bool pario_waits_add_meeting(struct pario_waits *w, const struct pario_profile_call *call,
			     uint32_t site, uint64_t comm);

/* Puts everything in order, once all calls are there. */
void pario_waits_settle(struct pario_waits *w);

/* ns of the whole run in which at least one of these processes was; NULL for all. */
double pario_waits_union_ns(const struct pario_waits *w, const bool *processes, bool *no_memory);

/* Each wait that I/O explains: who waited, from where, for how long in all, and how much of it that is. */
typedef void pario_waits_see(void *context, const struct pario_meeting *waiting, double waited_ns,
			     double explained_ns);
void pario_waits_explain(const struct pario_waits *w, pario_waits_see *see, void *context);

#endif
