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

/* Who made the tables, when, on how many tasks and nodes, by which command line. No version of mdtest is claimed. */
void pario_mdtest_banner(const char *began, uint64_t tasks, uint64_t nodes, const char *command,
			 struct pario_text *out);

/* "SUMMARY rate" (and, with -P or -Z, "SUMMARY time") of the results of one client count. */
void pario_mdtest_summary(const struct pario_peer_job *job, const struct pario_result *results,
			  size_t count, uint64_t tasks, struct pario_text *out);

#endif
