/*
 * test_ring: how many buffers do transfers take in turn?
 *
 * Caches that this machine does not have are shown as files; plans are asked with caches and memory planted.
 * clients: 1
 * run: plan
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wipe.h"
#include "engine/plan.h"
#include "tests/tests.h"

#include "../temporary.h"

#define MIB ((uint64_t)1 << 20)

static int failures;

static void same(const char *what, uint64_t is, uint64_t should)
{
	if (is == should)
		return;
	failures++;
	fprintf(stderr, "FAIL ring: %s is %llu and should be %llu\n", what, (unsigned long long)is,
		(unsigned long long)should);
}

static void put(const char *root, unsigned cpu, unsigned index, const char *name, const char *text)
{
	char path[TEMPORARY_CAPACITY + 64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%u", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u/cache", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u/cache/index%u", root, cpu, index);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u/cache/index%u/%s", root, cpu, index, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		failures++;
}

static void cache(const char *root, unsigned cpu, unsigned index, const char *level,
		  const char *size, const char *shared)
{
	put(root, cpu, index, "level", level);
	put(root, cpu, index, "size", size);
	put(root, cpu, index, "shared_cpu_list", shared);
}

static void remove_caches(const char *root)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[32];

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		snprintf(name, sizeof(name), "cpu%u", cpu);
		pario_wipe(fd, name, NULL);
	}
	close(fd);
	rmdir(root);
}

/* Four processors, two last-level caches of 32 MiB, one each of level 2; and a machine that does not tell. */
static void test_caches(void)
{
	char root[TEMPORARY_CAPACITY];
	struct pario_last_cache last;

	if (!mkdtemp(temporary(root, "ring"))) {
		failures++;
		return;
	}
	last = pario_machine_last_cache(root);
	same("an unknown cache", last.bytes, 64 * MIB);
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		char own[8];

		snprintf(own, sizeof(own), "%u\n", cpu);
		cache(root, cpu, 2, "2\n", "1024K\n", own);
		cache(root, cpu, 3, "3\n", "32768K\n", cpu < 2 ? "0-1\n" : "2-3\n");
	}
	last = pario_machine_last_cache(root);
	same("bytes of a last-level cache", last.bytes, 32 * MIB);
	same("last-level caches", last.count, 2);
	remove_caches(root);
}

static const struct pario_test *transfer(void)
{
	size_t i = 0;

	while (strcmp(pario_tests[i]->name, "transfer") != 0)
		i++;
	return pario_tests[i];
}

/* Buffers of a point with caches of 32 MiB, two of them, and so much memory. */
static uint64_t buffers(uint64_t clients, uint64_t per_node, uint64_t memory_mib, const char *size,
			const char *block, const char *depth)
{
	struct pario_plan plan;
	struct pario_bound bound = { 0 };
	struct pario_err err = { 0 };
	uint64_t count = 0;

	if (pario_plan_init(&plan, transfer(), &err) == 0 &&
	    pario_config_set(&plan.config, "transfer_size", size, PARIO_ORIGIN_PLAN, &err) == 0 &&
	    pario_config_set(&plan.config, "block_size", block, PARIO_ORIGIN_PLAN, &err) == 0 &&
	    pario_config_set(&plan.config, "queue_depth", depth, PARIO_ORIGIN_PLAN, &err) == 0 &&
	    pario_config_set(&plan.config, "api", "mpiio", PARIO_ORIGIN_PLAN, &err) == 0 &&
	    pario_plan_settle(&plan, clients, &err) == 0) {
		plan.per_node = per_node;
		plan.last_cache = (struct pario_last_cache){ 32 * MIB, 2 };
		plan.memory_bytes = memory_mib * MIB;
		if (pario_plan_bind(&plan, 0, clients, &bound, &err) == 0)
			count = bound.buffers;
		pario_bound_release(&bound);
	}
	pario_plan_release(&plan);
	if (*err.text)
		fprintf(stderr, "FAIL ring: %s\n", err.text);
	return count;
}

static void test_counts(void)
{
	same("one client: twice a cache", buffers(1, 0, 65536, "1m", "1g", "1"), 64);
	same("two clients: a cache each", buffers(2, 0, 65536, "1m", "1g", "1"), 64);
	same("eight clients share two caches", buffers(8, 0, 65536, "1m", "1g", "1"), 16);
	same("eight clients on four nodes", buffers(8, 2, 65536, "1m", "1g", "1"), 64);
	same("no more than is moved", buffers(1, 0, 65536, "1m", "8m", "1"), 8);
	same("no more than an eighth of the memory", buffers(2, 0, 256, "1m", "1g", "1"), 16);
	same("one large buffer is more than a cache", buffers(1, 0, 65536, "1g", "4g", "1"), 1);
	same("never fewer than requests", buffers(1, 0, 65536, "1m", "8m", "32"), 32);
	same("small transfers", buffers(4, 0, 65536, "4k", "1g", "1"), 32 * MIB / 4096);
	same("tiny ones take cache lines, not pages", buffers(4, 0, 65536, "1", "1g", "1"),
	     32 * MIB / 64);
	same("nor more than an eighth of the memory", buffers(2, 0, 256, "8", "1g", "1"),
	     16 * MIB / 64);
}

int main(int argc, char **argv)
{
	int rank, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		test_caches();
		test_counts();
	}
	MPI_Bcast(&failures, 1, MPI_INT, 0, MPI_COMM_WORLD);
	sum = failures;
	MPI_Finalize();
	return sum ? 1 : 0;
}
