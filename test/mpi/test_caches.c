/*
 * test_caches: which caches does each file system have, and what do the times of a probe show?
 *
 * clients: 1
 */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "engine/cache_probe.h"
#include "machine/caches.h"

static int failures;

#define CHECK(good, ...)                         \
	do {                                     \
		if (!(good)) {                   \
			failures++;              \
			printf("FAIL caches: "); \
			printf(__VA_ARGS__);     \
			putchar('\n');           \
		}                                \
	} while (0)

static void file_systems_have_their_caches(void)
{
	static const struct {
		const char *type, *source, *node, *beyond;
		bool passed;
	} rows[] = {
		{ "ext4", "/dev/sda1", NULL, NULL, false },
		{ "xfs", "/dev/sdb", NULL, NULL, false },
		{ "zfs", "pool/a", "ZFS's own cache (ARC)", NULL, false },
		{ "nfs4", "host:/a", NULL, "the memory of the servers", false },
		{ "lustre", "10.0.0.1@tcp:/x", NULL, "the memory of the servers", false },
		{ "gpfs", "/dev/g", "the page pool of GPFS", "the memory of the servers", true },
		{ "fuse.ceph-fuse", "ceph-fuse", "the cache of ceph-fuse",
		  "the memory of the servers", true },
		{ "fuse", "mfs#10.0.0.1:9421", "the buffers of mfsmount",
		  "the memory of the servers", false },
		{ "fuse", "something", "the FUSE daemon's cache", "whatever is behind it", false },
		{ "fuse.unheard", "x", "the FUSE daemon's cache", "whatever is behind it", false },
		{ "fuse.sshfs", "n1:/a", NULL, "the memory of the servers", false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct pario_caches *c = pario_caches_of(rows[i].type, rows[i].source);

		CHECK((c->node && rows[i].node) ? strcmp(c->node, rows[i].node) == 0
						: c->node == rows[i].node,
		      "%s has %s on the node", rows[i].type, c->node ? c->node : "nothing");
		CHECK((c->beyond && rows[i].beyond) ? strcmp(c->beyond, rows[i].beyond) == 0
						    : c->beyond == rows[i].beyond,
		      "%s has %s beyond", rows[i].type, c->beyond ? c->beyond : "nothing");
		CHECK(c->passed == rows[i].passed, "%s: O_DIRECT", rows[i].type);
	}
}

/* Sixteen pieces, of which the first `warm` came in us[1], as when they are read again, the others in us[0]. */
static struct pario_cache_probe times(size_t warm, double cold_us, double again_us,
				      double direct_us)
{
	struct pario_cache_probe p = { .pieces = PARIO_PROBE_PIECES };

	p.direct_pieces = direct_us > 0 ? PARIO_PROBE_PIECES : 0;
	for (size_t i = 0; i < PARIO_PROBE_PIECES; i++) {
		double noise = 1 + 0.02 * (double)i;

		p.first_s[i] = (i < warm ? again_us : cold_us) * noise * 1e-6;
		p.again_s[i] = again_us * noise * 1e-6;
		p.direct_s[i] = direct_us * noise * 1e-6;
	}
	return p;
}

static void times_show_what_they_can(void)
{
	static const struct {
		const char *what;
		size_t warm;
		double cold, again, direct;
		enum pario_probe_finding finding;
		size_t hits;
	} rows[] = {
		{ "all in the cache", 16, 600, 60, 400, PARIO_PROBE_HITS, 16 },
		{ "a part in the cache", 6, 600, 60, 400, PARIO_PROBE_HITS, 6 },
		{ "hardly any in the cache", 4, 600, 60, 400, PARIO_PROBE_EMPTY, 4 },
		{ "nothing in the cache", 0, 600, 60, 400, PARIO_PROBE_EMPTY, 0 },
		{ "a direct way that is slow just now", 0, 700, 110, 4300, PARIO_PROBE_EMPTY, 0 },
		{ "storage as fast as the cache", 16, 60, 60, 70, PARIO_PROBE_EMPTY, 0 },
		{ "no direct way, nothing cached", 0, 600, 60, 0, PARIO_PROBE_EMPTY, 0 },
		{ "no direct way, cached or no cache", 16, 60, 60, 0, PARIO_PROBE_NOTHING, 16 },
	};
	struct pario_cache_probe few = times(16, 600, 60, 400);
	size_t hits;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pario_cache_probe p =
			times(rows[i].warm, rows[i].cold, rows[i].again, rows[i].direct);
		enum pario_probe_finding finding = pario_cache_probe_judge(&p, &hits);

		CHECK(finding == rows[i].finding && hits == rows[i].hits,
		      "%s: finding %d, %zu hits", rows[i].what, (int)finding, hits);
	}
	few.pieces = PARIO_PROBE_LEAST - 1;
	CHECK(pario_cache_probe_judge(&few, &hits) == PARIO_PROBE_NOTHING,
	      "too few pieces show something");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	file_systems_have_their_caches();
	times_show_what_they_can();
	if (!failures)
		puts("Caches are known, and times show what they can.");
	MPI_Finalize();
	return failures != 0;
}
