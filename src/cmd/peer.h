/*
 * peer: runs what another program's command line asks for, and shows the results its way too.
 */
#ifndef PARIO_CMD_PEER_H
#define PARIO_CMD_PEER_H

#include "compat/peer.h"
#include "engine/plan.h"
#include "journal/result.h"
#include "session/session.h"

/* One run of the job when it is over, its results in the order in which they came. */
struct pario_peer_done {
	const struct pario_peer_run *run;
	struct pario_plan plan;
	struct pario_result *results;
	size_t result_count;
	int64_t began_s; /* seconds since 1970 */
};

struct pario_peer_command {
	int (*read)(struct pario_peer_job *job, int argc, char **argv, struct pario_err *err);
	/* What is printed behind pario's own table of run i. */
	void (*show)(const struct pario_peer_job *job, const struct pario_session *s,
		     const struct pario_peer_done *done, size_t i, struct pario_text *out);
	/* When all runs are over; may be NULL. `out` is printed, files are written here. */
	int (*finish)(const struct pario_peer_job *job, const struct pario_session *s,
		      const struct pario_peer_done *done, size_t count, struct pario_text *out,
		      struct pario_err *err);
	/* Is standard output for a program to read? Then pario's own words go to standard error. May be NULL. */
	bool (*exports)(const struct pario_peer_job *job);
};

/* The file system of a directory, as it is now. */
void pario_peer_look(const char *dir, struct pario_peer_room *room);

/* Where the tables come from, for their heads: the command line, and system and host. */
void pario_peer_origin(struct pario_text *command, struct pario_text *machine);

/* The whole command; returns the exit code. */
int pario_peer_main(const struct pario_peer_command *command, int argc, char **argv);

#endif
