/*
 * memory_reservation: takes memory in steps, re-checking what is available before each one.
 */
#include "tests/nht1/peak/memory_reservation.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/test.h"

/* Asked anew after so much: a step of all clients of a large node together stays far below what is kept free. */
enum { STEP = 16 << 20 };

/* Never taken: room for the kernel, the page cache and whoever else lives here. */
#define KEPT_SHARE 32
#define KEPT_BYTES ((uint64_t)64 << 20)

enum { NO_SCORE = -1001, WORST_SCORE = 1000 };

uint64_t pario_memory_reservation_spare(uint64_t total, uint64_t available, uint64_t clients)
{
	uint64_t kept = total / KEPT_SHARE + KEPT_BYTES;

	return available > kept ? (available - kept) / clients : 0;
}

uint64_t pario_memory_reservation_share(uint64_t total, uint64_t clients, double fraction)
{
	double units =
		ceil(fraction * (double)total / (double)clients / PARIO_MEMORY_RESERVATION_UNIT);

	return units < 1 ? PARIO_MEMORY_RESERVATION_UNIT
			 : (uint64_t)units * PARIO_MEMORY_RESERVATION_UNIT;
}

/* Raising the own score needs no rights, and neither does taking that back. */
static int swap_score(int score)
{
	int fd = open("/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC), old = NO_SCORE;
	char text[16] = "";

	if (fd < 0)
		return NO_SCORE;
	if (read(fd, text, sizeof(text) - 1) > 0)
		old = atoi(text);
	snprintf(text, sizeof(text), "%d", score);
	if (pwrite(fd, text, strlen(text), 0) < 0)
		old = NO_SCORE;
	close(fd);
	return old;
}

static void touch(char *from, uint64_t bytes, uint64_t page)
{
	for (uint64_t i = 0; i < bytes; i += page)
		((volatile char *)from)[i] = 1;
}

/* The next step of so many bytes at most that leaves enough for all who take one at the same moment; 0 = none. */
static uint64_t next_step(const struct pario_run *run, uint64_t left)
{
	struct pario_free_space capacity = pario_run_capacity(run);
	uint64_t spare = pario_memory_reservation_spare(capacity.total_bytes,
							capacity.available_bytes, capacity.clients);
	uint64_t step = left < STEP ? left : STEP;

	return spare < step ? spare / PARIO_MEMORY_RESERVATION_UNIT * PARIO_MEMORY_RESERVATION_UNIT
			    : step;
}

int pario_memory_reservation_init(struct pario_memory_reservation *reservation,
				  const struct pario_run *run, double fraction, uint64_t limit,
				  struct pario_err *err)
{
	struct pario_free_space capacity = pario_run_capacity(run);
	uint64_t spare = pario_memory_reservation_spare(capacity.total_bytes,
							capacity.available_bytes, capacity.clients);
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), target;
	char text[PARIO_UNITS_CAPACITY];

	*reservation = (struct pario_memory_reservation){
		.allowed = capacity.total_bytes / capacity.clients,
		.memory = capacity.node_bytes / capacity.clients,
		.wanted = pario_memory_reservation_share(capacity.total_bytes, capacity.clients,
							 fraction),
		.score = NO_SCORE
	};
	target = reservation->wanted < spare ? reservation->wanted : spare;
	target = (target < limit ? target : limit) / PARIO_MEMORY_RESERVATION_UNIT *
		 PARIO_MEMORY_RESERVATION_UNIT;
	if (limit < PARIO_MEMORY_RESERVATION_UNIT && spare >= PARIO_MEMORY_RESERVATION_UNIT)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"there is no room for the data: the file system of --dir has less than 1 MiB for "
			"each client. Free some space there, or use another --dir.");
	if (target == 0)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"there is no room for the data: %s of memory are available on this node for %llu "
			"clients, and some of it must stay free. End other programs, or use fewer "
			"clients.",
			pario_units_size(text, capacity.available_bytes),
			(unsigned long long)capacity.clients);
	reservation->base = mmap(NULL, target, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (reservation->base == MAP_FAILED) {
		reservation->base = NULL;
		return pario_err_sys(err, errno, "Use a smaller --fraction.",
				     "%s of memory cannot be allocated",
				     pario_units_size(text, target));
	}
	reservation->mapped = target;
	reservation->score = swap_score(WORST_SCORE);
	/* Large pages make the kernel's work per request small; not having them is fine. */
	madvise(reservation->base, target, MADV_HUGEPAGE);
	while (reservation->bytes < target) {
		uint64_t step = next_step(run, target - reservation->bytes);

		if (step == 0)
			break;
		touch(reservation->base + reservation->bytes, step, page);
		reservation->bytes += step;
	}
	if (reservation->bytes == 0)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"memory ran short while it was taken. End other programs on this node.");
	return 0;
}

void pario_memory_reservation_release(struct pario_memory_reservation *reservation)
{
	if (reservation->base)
		munmap(reservation->base, reservation->mapped);
	if (reservation->score != NO_SCORE && reservation->mapped)
		swap_score(reservation->score);
	reservation->base = NULL;
	reservation->bytes = reservation->mapped = 0;
}

void pario_memory_reservation_short(const struct pario_memory_reservation_amount *amount,
				    double share, char text[300])
{
	char moved[PARIO_UNITS_CAPACITY], all[PARIO_UNITS_CAPACITY];
	char allowed[PARIO_UNITS_CAPACITY];
	size_t used = 0;

	text[0] = '\0';
	if ((double)amount->bytes < share * (double)amount->memory) {
		used = (size_t)snprintf(
			text, 300, "%s were moved, %.3g %% of %s of memory, instead of %.3g %%",
			pario_units_size(moved, amount->bytes),
			100 * (double)amount->bytes / (double)amount->memory,
			pario_units_size(all, amount->memory), 100 * share);
		if (amount->allowed < amount->memory)
			used += (size_t)snprintf(text + used, 300 - used,
						 "; a container or cgroup allows only %s of it",
						 pario_units_size(allowed, amount->allowed));
		if (amount->bytes < amount->wanted)
			used += (size_t)snprintf(text + used, 300 - used,
						 "; memory or disk had no room for more");
	}
	if (amount->nodes < amount->world_nodes)
		snprintf(text + used, 300 - used,
			 "%sthe data are those of %llu of %llu nodes: have a client on each",
			 used ? "; " : "", (unsigned long long)amount->nodes,
			 (unsigned long long)amount->world_nodes);
}

void pario_memory_reservation_judge(struct pario_run *run,
				    const struct pario_memory_reservation_amount *amount,
				    double share)
{
	char text[300];

	pario_memory_reservation_short(amount, share, text);
	if (text[0])
		pario_run_suspect(run, "not conforming to NHT-1: %s", text);
}

void pario_nodes_say(struct pario_run *run, uint64_t nodes, uint64_t world_nodes)
{
	pario_run_metric(run, "nodes", "", (double)nodes);
	pario_run_metric(run, "nodes_left_out", "", (double)(world_nodes - nodes));
}

void pario_memory_reservation_say(struct pario_run *run,
				  const struct pario_memory_reservation_amount *amount)
{
	pario_run_metric(run, "S_MEM", "B", (double)amount->memory);
	pario_run_metric(run, "memory_allowed", "B", (double)amount->allowed);
	pario_nodes_say(run, amount->nodes, amount->world_nodes);
}
