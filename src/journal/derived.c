/*
 * derived: begin, notes and end, with the members that every reader of a journal looks for.
 */
#include "journal/derived.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "version.h"

void pario_derived_begin(struct pario_json *j, const struct pario_derived *what, uint64_t run)
{
	char now[PARIO_CLOCK_CAPACITY], id[32];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)run);
	pario_journal_line(j, "begin");
	pario_json_string(j, "schema", PARIO_JOURNAL_SCHEMA);
	pario_json_string(j, "run", id);
	pario_json_string(j, "version", PARIO_VERSION);
	pario_json_open(j, "command", '[');
	pario_json_string(j, NULL, "pario");
	pario_json_string(j, NULL, what->command);
	pario_json_string(j, NULL, what->file);
	pario_json_close(j, ']');
	pario_json_string(j, "label", what->label);
	pario_json_string(j, "test", what->test);
	pario_json_string(j, "time", what->time ? what->time : pario_clock_label(now));
}

void pario_derived_param(struct pario_json *j, const char *name, const char *value,
			 const char *origin)
{
	pario_json_open(j, name, '{');
	pario_json_string(j, "value", value);
	pario_json_string(j, "origin", origin);
	pario_json_close(j, '}');
}

void pario_derived_machine(struct pario_json *j, const char *host)
{
	static const char *const untold[] = { "kernel",	      "cpu", "cores",
					      "memory_bytes", "mpi", "filesystem" };

	pario_json_open(j, "machine", '{');
	pario_json_string(j, "host", host);
	for (size_t i = 0; i < sizeof(untold) / sizeof(untold[0]); i++)
		pario_json_null(j, untold[i]);
	pario_json_close(j, '}');
	pario_json_open(j, "environment", '{');
	pario_json_close(j, '}');
}

int pario_derived_note(struct pario_journal *journal, struct pario_json *j, const char *level,
		       const char *text, const char *next, struct pario_err *err)
{
	pario_journal_line(j, "note");
	pario_json_string(j, "level", level);
	pario_json_string(j, "text", text);
	pario_json_string(j, "next", next);
	return pario_journal_append(journal, j, err);
}

int pario_derived_end(struct pario_journal *journal, struct pario_json *j, bool suspect,
		      uint64_t results, double seconds, struct pario_err *err)
{
	pario_journal_line(j, "end");
	pario_json_string(j, "outcome", suspect ? "suspect" : "pass");
	pario_json_u64(j, "exit_code", 0);
	pario_json_u64(j, "results", results);
	pario_json_real(j, "seconds", seconds);
	pario_json_open(j, "kept", '[');
	pario_json_close(j, ']');
	pario_json_bool(j, "removed", true);
	return pario_journal_append(journal, j, err);
}

int pario_derived_create(struct pario_journal *journal, const char *directory,
			 struct pario_err *err)
{
	int status, dirfd;

	if (pario_output_make_directory(directory, true, err) < 0)
		return -1;
	dirfd = pario_output_directory(directory, err);
	if (dirfd < 0)
		return -1;
	status = pario_journal_create_at(journal, dirfd, directory, err);
	close(dirfd);
	return status;
}
