/*
 * join: copies blocks as they are, and packs directories of segments first; no call is unpacked for it.
 */
#include "trace/join.h"

#include <errno.h>
#include <sys/stat.h>

#include "trace/unpack.h"

/* The job that all traces have in common; directories do not say theirs. */
static int common_job(char *const *from, uint64_t *job, struct pario_err *err)
{
	const char *first = NULL;

	for (*job = 0; *from; from++) {
		struct pario_unpack u;
		struct stat st;

		if (stat(*from, &st) < 0)
			return pario_err_sys(err, errno, NULL, "the trace %s cannot be read",
					     *from);
		if (S_ISDIR(st.st_mode))
			continue;
		if (pario_unpack_open(&u, *from, err) < 0)
			return -1;
		pario_unpack_close(&u);
		if (*job && u.head.job && u.head.job != *job)
			return pario_err_set(
				err, PARIO_USAGE,
				"%s and %s are of different jobs: together they would be the "
				"profile of no program.",
				first, *from);
		if (u.head.job && !*job) {
			*job = u.head.job;
			first = *from;
		}
	}
	return 0;
}

static int check_twice(const char *to, char *const *from, struct pario_err *err)
{
	struct stat a, b;

	for (; *from; from++) {
		if (stat(*from, &a) < 0)
			continue;
		if (stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
			return pario_err_set(err, PARIO_USAGE,
					     "%s is to be written and read. Choose another name.",
					     to);
		for (char *const *other = from + 1; *other; other++) {
			if (stat(*other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return pario_err_set(err, PARIO_USAGE,
						     "%s and %s are the same: its calls would "
						     "count twice.",
						     *from, *other);
		}
	}
	return 0;
}

static int copy_trace(struct pario_pack *pack, const char *from, struct pario_err *err)
{
	struct pario_unpack u;
	int status = 0;

	if (pario_unpack_open(&u, from, err) < 0)
		return -1;
	while (status == 0 && pario_unpack_next(&u, false) > 0)
		status = pario_pack_copy(pack, &u.block, u.packed, err);
	pario_unpack_close(&u);
	return status;
}

int pario_join(const char *to, char *const *from, bool force, struct pario_err *err)
{
	const struct pario_pack_anchor none[2] = { 0 };
	struct pario_pack_totals totals = { 0 };
	struct pario_pack pack;
	struct stat st;
	uint64_t job;
	int status = 0;

	if (check_twice(to, from, err) < 0 || common_job(from, &job, err) < 0 ||
	    pario_pack_check(to, force, err) < 0 || pario_pack_open(&pack, to, 0, force, err) < 0)
		return -1;
	for (; status == 0 && *from; from++) {
		if (stat(*from, &st) == 0 && S_ISDIR(st.st_mode))
			status = pario_pack_directory(&pack, *from, none, &totals, err);
		else
			status = copy_trace(&pack, *from, err);
	}
	if (pario_pack_close(&pack, status < 0 ? NULL : err) < 0)
		status = -1;
	return status;
}
