/*
 * routine: the table, and what the families share: how errors and short transfers are told. A family is a file of its
 * own.
 */
#include "tests/overlap/measure/routine.h"

#include <stddef.h>
#include <sys/resource.h>

#include "base/units.h"

enum { SPARE_FILES = 64 }; /* descriptors that MPI and pario need besides */

#define DECLARE(name) extern const struct pario_routine pario_routine_##name;
#define POINT(name)   &pario_routine_##name,
#define NAME(name)    #name,

PARIO_ROUTINES(DECLARE)

const struct pario_routine *const pario_routines[] = { PARIO_ROUTINES(POINT) NULL };
const char *const pario_routine_names[] = { PARIO_ROUTINES(NAME) NULL };

int pario_routine_check(const struct pario_routine *routine, uint64_t channels, bool direct,
			struct pario_err *err)
{
	const char *reason = routine->unavailable ? routine->unavailable() : NULL;
	/* Readers and writers, and for each its file and a stream or ring. */
	unsigned long long need = 4 * (unsigned long long)channels + SPARE_FILES;
	struct rlimit files;

	if (reason)
		return pario_err_set(err, PARIO_SYSTEM, "the routine %s is not available: %s.",
				     routine->name, reason);
	if (direct && (routine->bits & PARIO_ROUTINE_BUFFERED))
		return pario_err_set(
			err, PARIO_USAGE,
			"the routine %s does not support --direct. Use pread, readv, aio, "
			"uring or thread, or leave it out.",
			routine->name);
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY &&
	    need > files.rlim_cur)
		return pario_err_set(
			err, PARIO_USAGE,
			"--channels %llu needs up to %llu open files and the limit is %llu. Use "
			"fewer channels or raise ulimit -n.",
			(unsigned long long)channels, need, (unsigned long long)files.rlim_cur);
	return 0;
}

int pario_routine_error(const struct pario_channel *channel, const char *what, uint64_t offset,
			int sys, struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_sys(err, sys, NULL, "%s of %llu bytes failed in %s at offset %s", what,
			     (unsigned long long)channel->size, channel->path,
			     pario_units_size(size, offset));
}

int pario_routine_short(const struct pario_channel *channel, const char *what, uint64_t offset,
			int64_t moved, struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_set(
		err, PARIO_SYSTEM,
		"%s in %s at offset %s moved %lld of %llu bytes. The file was cut short or the "
		"file system is full.",
		what, channel->path, pario_units_size(size, offset), (long long)moved,
		(unsigned long long)channel->size);
}

int pario_routine_done(struct pario_channel *channel, struct pario_err *err)
{
	(void)channel;
	(void)err;
	return 1;
}

int pario_routine_spin(struct pario_channel *channel, struct pario_err *err)
{
	int done;

	do
		done = channel->routine->test(channel, err);
	while (done == 0);
	return done;
}
