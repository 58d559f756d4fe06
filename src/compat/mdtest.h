/*
 * mdtest: mdtest's options as runs of the test metadata, and mdtest's tables of the results.
 */
#ifndef PARIO_COMPAT_MDTEST_H
#define PARIO_COMPAT_MDTEST_H

#include "compat/peer.h"
#include "journal/result.h"

extern const struct pario_peer pario_mdtest;

/* A command line of mdtest. The job is to be released in any case. */
int pario_mdtest_command(struct pario_peer_job *job, int argc, char *const *argv,
			 struct pario_err *err);

/* A whole command of mdtest: when it began, on how many tasks and nodes, where, by which command line. */
struct pario_mdtest_frame {
	const struct pario_peer_job *job;
	int64_t began_s; /* seconds since 1970 */
	uint64_t tasks, nodes, tasks_per_node;
	const char *command, *path;
	struct pario_peer_room room;
};

/* The frame of the tables. A version of mdtest is claimed only with --peer_output only. */
void pario_mdtest_banner(const struct pario_mdtest_frame *frame, struct pario_text *out);
void pario_mdtest_end(struct pario_text *out);

/* "SUMMARY rate" (and, with -P or -Z, "SUMMARY time") of the results of one client count. */
void pario_mdtest_summary(const struct pario_peer_job *job, const struct pario_result *results,
			  size_t count, uint64_t tasks, struct pario_text *out);

#endif
