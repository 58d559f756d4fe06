/*
 * chronicle: from directories to an answer: the index up to date, its lines, their changes, and what changed with them.
 */
#include "history/chronicle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/random.h"
#include "base/text.h"
#include "history/update.h"
#include "version.h"

#ifdef PARIO_HAVE_SQLITE

/* The usual place is the user's cache, one file for each set of directories. */
static int usual_place(char *path, size_t capacity, const struct pario_chronicle_wish *wish)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char base[3800];
	uint64_t hash = 0;

	for (size_t i = 0; i < wish->count; i++) {
		char *real = realpath(wish->directories[i], NULL);
		const char *name = real ? real : wish->directories[i];

		hash = pario_random_join(hash, XXH64(name, strlen(name), 0));
		free(real);
	}
	if (cache && *cache == '/')
		snprintf(base, sizeof(base), "%s", cache);
	else if (home && *home == '/')
		snprintf(base, sizeof(base), "%.3700s/.cache", home);
	else
		return -1;
	mkdir(base, 0700);
	snprintf(path, capacity, "%s/pario", base);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	snprintf(path, capacity, "%s/pario/history-%016llx.sqlite", base, (unsigned long long)hash);
	return 0;
}

static void with_of(struct pario_index *index, const struct pario_chronicle *c,
		    struct pario_change *change)
{
	const struct pario_line *line = &c->line[change->line];
	char *before = pario_index_facts(index, line->moment[change->at - 1].run);
	char *after = pario_index_facts(index, line->moment[change->at].run);
	struct pario_text text = { 0 };

	if (before && after)
		pario_facts_differ(before, after, &text);
	change->with = text.length ? strdup(pario_text_string(&text)) : NULL;
	pario_text_release(&text);
	free(before);
	free(after);
}

static int answer(struct pario_index *index, struct pario_chronicle *c,
		  const struct pario_chronicle_wish *wish, struct pario_err *err)
{
	size_t read = 0;

	if (pario_index_update(index, wish->directories, wish->count, wish->across, &read, err) <
		    0 ||
	    pario_index_load(index, c, err) < 0)
		return -1;
	c->read = read;
	if (pario_changes_find(c, wish->least, err) < 0)
		return -1;
	for (size_t i = 0; i < c->changes; i++)
		with_of(index, c, &c->change[i]);
	return 0;
}

/* SQLite believes what lies beside its file as PATH-journal, and removes what that names. */
static int check_place(const char *path, struct pario_err *err)
{
	const char *slash = strrchr(path, '/');
	char above[4096];
	struct stat st;

	snprintf(above, sizeof(above), "%.*s.", slash ? (int)(slash + 1 - path) : 0, path);
	if (stat(above, &st) < 0 ||
	    ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & S_IWOTH)))
		return 0; /* that there is no such place is said when it is opened */
	return pario_err_set(
		err, PARIO_USAGE,
		"others can put files beside the index %s, which SQLite would take for "
		"its own. Name a place with --index that only you can write to.",
		path);
}

/* A place that was asked for must work; without the usual one the answer takes longer, and that is all. */
static int open_index(struct pario_index **index, char path[4096], char why[512],
		      const struct pario_chronicle_wish *wish, struct pario_err *err)
{
	struct pario_err refused = { 0 };

	snprintf(path, 4096, "%s", wish->index);
	if (*path) {
		if (check_place(path, err) < 0)
			return -1;
		if (wish->rebuild && pario_index_open(index, path, err) == 0) {
			pario_index_close(*index);
			unlink(path);
		}
		return pario_index_open(index, path, err);
	}
	if (usual_place(path, 4096, wish) < 0)
		snprintf(why, 512,
			 "there is no directory for caches (HOME is not set or cannot be "
			 "written)");
	else {
		if (wish->rebuild)
			unlink(path);
		if (pario_index_open(index, path, &refused) == 0)
			return 0;
		snprintf(why, 512, "%.500s", refused.text);
	}
	path[0] = '\0';
	return pario_index_open(index, "", err);
}

int pario_chronicle_of(struct pario_chronicle *chronicle, const struct pario_chronicle_wish *wish,
		       struct pario_err *err)
{
	struct pario_index *index = NULL;
	char path[4096], why[512] = "";
	int status = open_index(&index, path, why, wish, err);

	*chronicle = (struct pario_chronicle){ 0 };
	if (status < 0)
		return -1;
	status = answer(index, chronicle, wish, err);
	/* damage within the file shows only where it is read; the journals have everything */
	if (status < 0 && *path && pario_index_broken(index)) {
		pario_index_close(index);
		pario_chronicle_release(chronicle);
		unlink(path);
		if (pario_index_open(&index, path, err) < 0)
			return -1;
		status = answer(index, chronicle, wish, err);
	}
	pario_index_close(index);
	memcpy(chronicle->index, path, sizeof(path));
	memcpy(chronicle->why, why, sizeof(why));
	if (status < 0)
		pario_chronicle_release(chronicle);
	return status;
}

#else

int pario_chronicle_of(struct pario_chronicle *chronicle, const struct pario_chronicle_wish *wish,
		       struct pario_err *err)
{
	(void)chronicle;
	(void)wish;
	return pario_err_set(
		err, PARIO_USAGE,
		"`pario history` needs SQLite, which was %s. Install libsqlite3-dev and "
		"build pario again.",
		PARIO_SQLITE_STATUS);
}

#endif
