/*
 * gather: the journals below a directory, as one archive; what is no run of pario is passed over, and links are not
 * followed.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>

#include "rank/rank.h"

enum { DEPTH = 32 };

/* Is it the journal of this run? Its first line says so early. */
static bool is_run(const char *path, const char *id)
{
	char line[4096] = "", word[128];
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(line, 1, sizeof(line) - 1, file) : 0;

	if (file)
		fclose(file);
	line[length] = '\0';
	snprintf(word, sizeof(word), "\"run\":\"%.100s\"", id);
	return *id && strstr(line, word);
}

int pario_rank_gather(struct pario_archive *archive, const char *directory, const char *except,
		      size_t *left_out, struct pario_err *err)
{
	char *paths[] = { (char *)(uintptr_t)directory, NULL };
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	*left_out = 0;
	while (fts && (entry = fts_read(fts))) {
		struct pario_err ignored = { 0 };

		if (entry->fts_level > DEPTH)
			fts_set(fts, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_F &&
			 strcmp(entry->fts_name, "journal.jsonl") == 0 &&
			 !is_run(entry->fts_path, except) &&
			 pario_archive_add(archive, entry->fts_path, NULL, &ignored) < 0)
			++*left_out;
	}
	if (fts)
		fts_close(fts);
	if (archive->volume_count == 0)
		return pario_err_set(
			err, PARIO_USAGE,
			"below %s there is no other journal that can be read (journal.jsonl).",
			directory);
	return 0;
}
