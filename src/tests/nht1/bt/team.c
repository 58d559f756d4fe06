/*
 * team: groups, shares and the barrier in shared memory.
 *
 * The barrier spins for a while and then yields the processor at each check, so that more ranks than cores
 * work. MPI's own would do; this one costs less than a microsecond and a step needs two.
 */
#include "tests/nht1/bt/team.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/nht1/bt/memory.h"

enum { LINE = 64, LARGE_PAGE = 2 << 20, SPINS = 4000 };

struct pario_bt_barrier {
	_Alignas(LINE) atomic_int arrived;
	_Alignas(LINE) atomic_int turn;
};

struct pario_bt_mark {
	_Alignas(LINE) atomic_uint count;
};

struct pario_bt_lot {
	_Alignas(LINE) _Atomic uint64_t ends; /* the first one, and << 32 that behind the last */
};

int pario_bt_team_plane(const struct pario_bt_team *t, int group)
{
	return 1 + pario_bt_share(t->n - 2, t->start[group], t->ranks);
}

int pario_bt_team_seats(const struct pario_bt_team *t, int group)
{
	return t->start[group + 1] - t->start[group];
}

int pario_bt_team_agree(const struct pario_bt_team *t, int status, struct pario_err *err)
{
	int speaker, me = status < 0 ? t->rank : t->ranks;
	struct pario_err said = { 0 };

	MPI_Allreduce(&me, &speaker, 1, MPI_INT, MPI_MIN, t->comm);
	if (speaker == t->ranks)
		return 0;
	if (speaker == t->rank && err)
		said = *err;
	MPI_Bcast(&said, (int)sizeof(said), MPI_BYTE, speaker, t->comm);
	if (err)
		*err = said;
	return -1;
}

/* Ranks of one node, in runs of `share`. */
static void split(struct pario_bt_team *t, int share)
{
	MPI_Comm node;
	int seat;

	MPI_Comm_split_type(t->comm, MPI_COMM_TYPE_SHARED, t->rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &seat);
	MPI_Comm_split(node, share > 0 ? seat / share : 0, t->rank, &t->group);
	MPI_Comm_free(&node);
	MPI_Comm_rank(t->group, &t->seat);
	MPI_Comm_size(t->group, &t->seats);
}

/* leader[r]: the lowest rank of r's group. Groups are numbered in the order of their leaders. */
static void arrange(struct pario_bt_team *t, const int *leader)
{
	int position = 0;

	for (int l = 0; l < t->ranks; l++) {
		if (leader[l] != l)
			continue;
		if (l == leader[t->rank])
			t->mine = t->groups;
		t->start[t->groups++] = position;
		for (int r = l; r < t->ranks; r++)
			if (leader[r] == l)
				t->member[position++] = r;
	}
	t->start[t->groups] = position;
}

static int number(struct pario_bt_team *t, struct pario_err *err)
{
	size_t capacity = (size_t)t->ranks + 1;
	int status = 0, mine = t->rank, *leader = malloc(capacity * sizeof(*leader));

	t->start = malloc(capacity * sizeof(*t->start));
	t->member = malloc(capacity * sizeof(*t->member));
	if (!leader || !t->start || !t->member)
		status = pario_err_sys(err, ENOMEM, NULL, "the list of %d ranks failed", t->ranks);
	status = pario_bt_team_agree(t, status, err);
	if (status == 0) {
		MPI_Bcast(&mine, 1, MPI_INT, 0, t->group);
		MPI_Allgather(&mine, 1, MPI_INT, leader, 1, MPI_INT, t->comm);
		arrange(t, leader);
	}
	free(leader);
	return status;
}

/* Eight lines for every rank; and two planes for every group beside another, since messages reach only the next. */
static int feed(const struct pario_bt_team *t, struct pario_err *err)
{
	int least = t->n - 2;
	long long lines = (long long)(t->n - 2) * (t->n - 2);

	for (int g = 0; g < t->groups; g++) {
		int planes = pario_bt_team_plane(t, g + 1) - pario_bt_team_plane(t, g);

		least = planes < least ? planes : least;
	}
	if (t->ranks <= lines / 8 && (t->groups == 1 || least >= 2))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"BT on a grid of %d^3 has more ranks than the grid can feed: %d ranks in "
		"%d groups that share memory, %d interior planes. Every rank needs eight of the %lld "
		"lines across the grid and every group two planes: use fewer ranks or a larger class.",
		t->n, t->ranks, t->groups, t->n - 2, lines);
}

int pario_bt_team_init(struct pario_bt_team *t, MPI_Comm comm, int n, int share,
		       struct pario_err *err)
{
	memset(t, 0, sizeof(*t));
	t->n = n;
	MPI_Comm_dup(comm, &t->comm);
	MPI_Comm_rank(t->comm, &t->rank);
	MPI_Comm_size(t->comm, &t->ranks);
	split(t, share);
	if (number(t, err) < 0 || feed(t, err) < 0) {
		pario_bt_team_release(t);
		return -1;
	}
	return 0;
}

void pario_bt_team_release(struct pario_bt_team *t)
{
	pario_bt_memory_unmap(t->shared, t->bytes);
	free(t->alone);
	free(t->start);
	free(t->member);
	MPI_Comm_free(&t->group);
	MPI_Comm_free(&t->comm);
	memset(t, 0, sizeof(*t));
}

static int allocate_alone(struct pario_bt_team *t, size_t bytes, struct pario_err *err)
{
	size_t page = LARGE_PAGE, capacity = (bytes + page - 1) / page * page;

	t->alone = aligned_alloc(page, capacity);
	if (!t->alone)
		return pario_err_sys(err, ENOMEM, NULL, "%zu bytes for the fields of BT failed",
				     capacity);
	madvise(t->alone, capacity, MADV_HUGEPAGE); /* a wish */
	return 0;
}

int pario_bt_team_allocate(struct pario_bt_team *t, size_t bytes, int marks, int lots,
			   void **memory, struct pario_err *err)
{
	void *base = NULL;
	int status;

	bytes += sizeof(*t->barrier) + (size_t)marks * sizeof(*t->mark) +
		 (size_t)lots * sizeof(*t->lot);
	if (t->seats == 1) {
		status = allocate_alone(t, bytes, err);
		base = t->alone;
	} else {
		status = pario_bt_memory_map(t->group, bytes, &t->shared, err);
		t->bytes = bytes;
		base = t->shared;
	}
	if (pario_bt_team_agree(t, status, err) < 0)
		return -1;
	t->barrier = (void *)(((uintptr_t)base + LINE - 1) / LINE * LINE);
	t->mark = (void *)(t->barrier + 1);
	t->lot = (void *)(t->mark + marks);
	if (t->seat == 0) {
		atomic_init(&t->barrier->arrived, 0);
		atomic_init(&t->barrier->turn, 0);
		for (int i = 0; i < marks; i++)
			atomic_init(&t->mark[i].count, 0);
		for (int i = 0; i < lots; i++)
			atomic_init(&t->lot[i].ends, 0);
	}
	MPI_Barrier(t->group);
	*memory = t->lot + lots;
	return 0;
}

void pario_bt_team_idle(int times)
{
	if (times > SPINS)
		sched_yield();
}

void pario_bt_team_wait(struct pario_bt_team *t)
{
	struct pario_bt_barrier *b = t->barrier;
	int turn = atomic_load_explicit(&b->turn, memory_order_relaxed);

	if (atomic_fetch_add(&b->arrived, 1) == t->seats - 1) {
		atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&b->turn, turn + 1, memory_order_release);
		return;
	}
	for (int i = 0; atomic_load_explicit(&b->turn, memory_order_acquire) == turn; i++)
		pario_bt_team_idle(i);
}

void pario_bt_team_mark(struct pario_bt_team *t, int mark, unsigned add)
{
	atomic_fetch_add_explicit(&t->mark[mark].count, add, memory_order_release);
}

/* Counts go round; what is waited for is never far ahead. */
bool pario_bt_team_reached(const struct pario_bt_team *t, int mark, unsigned count)
{
	return (int)(atomic_load_explicit(&t->mark[mark].count, memory_order_acquire) - count) >= 0;
}

void pario_bt_team_await(struct pario_bt_team *t, int mark, unsigned count)
{
	for (int i = 0; !pario_bt_team_reached(t, mark, count); i++)
		pario_bt_team_idle(i);
}

void pario_bt_team_deal(struct pario_bt_team *t, int lot, int from, int to)
{
	atomic_store_explicit(&t->lot[lot].ends, (uint64_t)(uint32_t)to << 32 | (uint32_t)from,
			      memory_order_release);
}

static bool is_empty(uint64_t ends)
{
	return (uint32_t)ends >= ends >> 32;
}

int pario_bt_team_take(struct pario_bt_team *t, int lot, enum pario_bt_side side)
{
	const uint64_t back = (uint64_t)1 << 32;
	_Atomic uint64_t *ends = &t->lot[lot].ends;
	uint64_t now = atomic_load_explicit(ends, memory_order_relaxed), then;

	do {
		if (is_empty(now))
			return -1;
		then = side == PARIO_BT_FRONT ? now + 1 : now - back;
	} while (!atomic_compare_exchange_weak_explicit(ends, &now, then, memory_order_acq_rel,
							memory_order_relaxed));
	return side == PARIO_BT_FRONT ? (int)(uint32_t)now : (int)(then >> 32);
}

bool pario_bt_team_empty(const struct pario_bt_team *t, int lot)
{
	return is_empty(atomic_load_explicit(&t->lot[lot].ends, memory_order_relaxed));
}
