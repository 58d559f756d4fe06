/*
 * passing_journal: a journal that lives as long as it takes to read it, for pages of what is no run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "report/page/archive.h"

int pario_cmd_passing_journal(struct pario_archive *archive, const char *label,
			      pario_cmd_journal_writer *write, void *self, struct pario_err *err)
{
	const char *slash = strrchr(label, '/');
	char directory[4096], journal[4200];
	int status;

	if (pario_output_temporary(directory, sizeof(directory), "pario-profile-XXXXXX", err) < 0)
		return -1;
	if (!mkdtemp(directory))
		return pario_err_sys(err, errno, NULL,
				     "a temporary directory for the page cannot be made as %s",
				     directory);
	status = write(self, directory, err);
	snprintf(journal, sizeof(journal), "%s/journal.jsonl", directory);
	if (status == 0)
		status = pario_archive_add(archive, journal, slash && slash[1] ? slash + 1 : label,
					   err);
	/* The file's name is no title: what was traced says more. */
	if (status == 0)
		archive->volume[0].named = false;
	unlink(journal);
	rmdir(directory);
	return status;
}
