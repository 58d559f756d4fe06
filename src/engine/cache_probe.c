/*
 * cache_probe: where to read, how often, and what the times of two readings say about a cache. The calls are those of
 * cache_state.c.
 */
#include "engine/cache_probe.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "base/stats.h"
#include "engine/ticks.h"

/* So much faster is another way of answering, and no chance. */
#define MUCH 2.0
/* What takes longer than the cache by more than this did not come from it, however slow the direct way was just now. */
#define NEAR 4.0

/* However slow the storage is. */
#define MOST_NS ((int64_t)1000000000)

/* The file is cut into twice as many stretches as there are pieces, and two; direct pieces lie in every other one. */
static off_t place_of(uint64_t bytes, size_t pieces, size_t i, bool direct, uint64_t seed)
{
	uint64_t stretch = bytes / (2 * pieces + 2), at = (2 * i + direct) * stretch;
	uint64_t room = (stretch - PARIO_PROBE_BYTES) / 4096 + 1;

	at += 4096 * pario_random_below(pario_random_join(seed, 2 * i + direct), room);
	return (off_t)(at / 4096 * 4096);
}

static size_t read_pieces(int fd, uint64_t bytes, size_t pieces, bool direct, uint64_t seed,
			  void *buffer, double *seconds)
{
	int64_t first = pario_ticks_ns();
	size_t i;

	/* The first read through a descriptor pays for more than data; this stretch belongs to no piece. */
	if (pread(fd, buffer, PARIO_PROBE_BYTES, place_of(bytes, pieces, pieces, direct, seed)) <=
	    0)
		return 0;
	for (i = 0; i < pieces && pario_ticks_ns() - first < MOST_NS; i++) {
		off_t at = place_of(bytes, pieces, i, direct, seed);
		int64_t start;

		posix_fadvise(fd, at, PARIO_PROBE_BYTES, POSIX_FADV_DONTNEED);
		start = pario_ticks_ns();
		if (pread(fd, buffer, PARIO_PROBE_BYTES, at) <= 0)
			return 0;
		seconds[i] = (double)(pario_ticks_ns() - start) * 1e-9;
	}
	return i;
}

static size_t read_direct(int dirfd, const char *name, uint64_t bytes, size_t pieces, uint64_t seed,
			  void *buffer, double *seconds)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECT | O_NOFOLLOW | O_CLOEXEC);
	size_t n = 0;

	if (fd < 0)
		return 0;
	n = read_pieces(fd, bytes, pieces, true, seed, buffer, seconds);
	close(fd);
	return n;
}

void pario_cache_probe(int dirfd, const char *name, bool passed, uint64_t seed,
		       struct pario_cache_probe *probe)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	void *buffer = NULL;
	uint64_t bytes = 0;
	struct stat st;
	size_t n;

	*probe = (struct pario_cache_probe){ 0 };
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = (uint64_t)st.st_size;
	n = bytes / (2 * PARIO_PROBE_BYTES);
	n = n > 0 ? n - 1 : 0;
	n = n < PARIO_PROBE_PIECES ? (size_t)n : PARIO_PROBE_PIECES;
	if (n >= PARIO_PROBE_LEAST && posix_memalign(&buffer, 4096, PARIO_PROBE_BYTES) == 0) {
		posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
		size_t again;

		probe->pieces = read_pieces(fd, bytes, n, false, seed, buffer, probe->first_s);
		again = read_pieces(fd, bytes, n, false, seed, buffer, probe->again_s);
		probe->pieces = again < probe->pieces ? again : probe->pieces;
		if (probe->pieces && passed)
			probe->direct_pieces =
				read_direct(dirfd, name, bytes, n, seed, buffer, probe->direct_s);
	}
	free(buffer);
	if (fd >= 0)
		close(fd);
}

enum pario_probe_finding pario_cache_probe_judge(struct pario_cache_probe *probe, size_t *hits)
{
	double again = pario_stats_median(probe->again_s, probe->pieces), bound = MUCH * again;
	bool direct = probe->direct_pieces >= PARIO_PROBE_LEAST;

	*hits = 0;
	if (probe->pieces < PARIO_PROBE_LEAST)
		return PARIO_PROBE_NOTHING;
	if (direct) {
		double past = pario_stats_median(probe->direct_s, probe->direct_pieces);

		/* A cache that answers no faster than what is behind it makes no difference. */
		if (past < MUCH * again)
			return PARIO_PROBE_EMPTY;
		bound = fmin(sqrt(again * past), NEAR * again);
	}
	for (size_t i = 0; i < probe->pieces; i++)
		*hits += probe->first_s[i] < bound;
	if ((double)*hits <= PARIO_PROBE_SHARE * (double)probe->pieces)
		return PARIO_PROBE_EMPTY;
	return direct ? PARIO_PROBE_HITS : PARIO_PROBE_NOTHING;
}
