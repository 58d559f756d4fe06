/*
 * limit: one table of the ways to move bytes, and a search in it.
 */
#include "report/text/limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIB 1048576.0

/* clang-format off */
static const struct pario_way ways[] = {
	{ "memory", "", "", 0, "memory", "copies of memory", "" },
	{ "direct_write", "write,mpiio_write", "", 0, "direct",
	  "the same writes past the page cache, several at a time",
	  "--direct 1, and several requests in flight (--api uring --queue_depth 8)" },
	{ "direct_read", "read,mpiio_read", "", 0, "direct",
	  "the same reads past the page cache, several at a time",
	  "--direct 1, and several requests in flight (--api uring --queue_depth 8)" },
	{ "write", "mpiio_write", "direct_write", 1.5, "write", "POSIX writes with a file per client",
	  "a file per client; pario survey --focus shared,write compares them" },
	{ "read", "mpiio_read", "direct_read", 1.5, "read", "POSIX reads with a file per client",
	  "a file per client; pario survey --focus shared,read compares them" },
	{ "cached_write", "", "memory", 30, "cached", "writes into the page cache", "" },
	{ "mpiio_write", "write", "direct_write", 1.5, "MPI-IO", "MPI-IO writes into one shared file",
	  "one shared file; pario survey --focus write compares them" },
	{ "mpiio_read", "read", "direct_read", 1.5, "MPI-IO", "MPI-IO reads from one shared file",
	  "one shared file; pario survey --focus read compares them" },
	{ "strided_write", "write,mpiio_write", "direct_write", 1.5, "strided",
	  "strided 64 KiB writes into a shared file", "" },
	{ "random_write", "write", "direct_write", 0, "random", "", "" },
	{ "random_read", "read", "direct_read", 0, "random", "", "" },
	{ "collective_write", "independent_write", "write", 2, "other",
	  "collective noncontiguous writes", "collective calls, such as MPI_File_write_all" },
	{ "independent_write", "collective_write", "write", 2, "other",
	  "independent noncontiguous writes", "independent calls, or the hint romio_cb_write=disable" },
	{ "small_create", "write", "direct_write", 0, "files", "", "" },
	{ "small_read", "read", "direct_read", 0, "files", "", "" },
};
/* clang-format on */

const struct pario_way *pario_way_of(const char *id)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (strcmp(ways[i].id, id) == 0)
			return &ways[i];
	}
	return NULL;
}

static double limit_rate(const struct pario_region *r)
{
	double last = pario_region_last(r);

	if (r->value == PARIO_REGION_RATE)
		return last;
	return r->value == PARIO_REGION_OPS && r->op_bytes > 0 ? last * r->op_bytes / MIB : NAN;
}

const struct pario_region *pario_limit_fastest(const struct pario_region *regions, size_t count,
					       const char *list)
{
	const struct pario_region *best = NULL;

	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
		size_t length = strcspn(at, ",");

		for (size_t i = 0; i < count; i++) {
			const struct pario_region *r = &regions[i];

			if (strncmp(r->id, at, length) == 0 && !r->id[length] &&
			    pario_region_proves(r) && (!best || limit_rate(r) > limit_rate(best)))
				best = r;
		}
	}
	return best;
}

/* Twice as many clients could do twice as much. */
static void scale(struct pario_region *r)
{
	size_t last = r->count - 1;
	double each = r->median[0] / (double)r->clients[0];

	r->share = r->median[last] / (each * (double)r->clients[last]);
	r->limit = PARIO_LIMIT_LINEAR;
}

static void find(struct pario_region *r, const struct pario_region *regions, size_t count)
{
	const struct pario_way *way = pario_way_of(r->id);
	const struct pario_region *raw, *best;

	r->share = NAN;
	r->limit = NULL;
	if (r->count > 1 && r->value == PARIO_REGION_OPS && !(r->op_bytes > 0))
		scale(r);
	if (!way || !(limit_rate(r) > 0))
		return;
	raw = pario_limit_fastest(regions, count, way->raw);
	best = pario_limit_fastest(regions, count, way->others);
	if (raw && !(best && limit_rate(best) >= limit_rate(raw)))
		best = raw;
	if (!raw && way->raw[0] && !(best && limit_rate(best) > limit_rate(r)))
		best = pario_limit_fastest(regions, count, "memory");
	if (!best)
		return;
	r->share = limit_rate(r) / limit_rate(best);
	r->limit = pario_way_of(best->id)->brief;
}

void pario_limits_find(struct pario_region *regions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		find(&regions[i], regions, count);
}
