/*
 * journal_in: a journal in a directory that is known by its path.
 */
#ifndef PARIO_TEST_UNIT_JOURNAL_IN_H
#define PARIO_TEST_UNIT_JOURNAL_IN_H

#include <fcntl.h>
#include <unistd.h>

#include "journal/journal.h"

static inline int journal_in(struct pario_journal *journal, const char *path, struct pario_err *err)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = pario_journal_create_at(journal, directory, path, err);

	close(directory);
	return status;
}

#endif
