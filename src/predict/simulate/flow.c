/*
 * flow: logs of calls by file, then ends that fit together.
 */
#include "predict/simulate/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLOWS = 1 << 16,
	USERS = 1 << 18,
	CALLS = 1 << 21,   /* 24 bytes each; of more than that nothing is modelled */
	PIPE_ROOM = 65536, /* pipe(7) */
	LEAST_ROOM =
		131072 /* buffers of sockets hold more: readers that keep up say nothing about them */
};

void pario_flows_init(struct pario_flows *f, const struct pario_trace *trace)
{
	*f = (struct pario_flows){ .trace = trace };
	f->flow_of.limit = FLOWS;
	f->user_of.limit = USERS;
}

void pario_flows_release(struct pario_flows *f)
{
	for (uint32_t i = 1; i <= f->flow_of.count && i < f->capacity; i++) {
		free(f->list[i].written.calls);
		free(f->list[i].read.calls);
	}
	pario_map_release(&f->flow_of);
	pario_map_release(&f->user_of);
	free(f->list);
	free(f->users);
	*f = (struct pario_flows){ 0 };
}

/* ---- learning ---- */

static struct pario_flow *flow_at(struct pario_flows *f, const struct pario_sim_step *step)
{
	bool is_new;
	uint32_t n =
		pario_map_add(&f->flow_of, (struct pario_map_key){ step->file, 0, 0 }, &is_new);
	void *grown = pario_map_grow(f->list, &f->capacity, n, sizeof(*f->list));

	if (!grown || !n) {
		f->no_memory |= !grown;
		return NULL;
	}
	f->list = grown;
	f->list[n].file = step->file;
	f->list[n].pipe = step->flow == PARIO_FLOW_PIPE;
	return &f->list[n];
}

static struct pario_flow_user *user_at(struct pario_flows *f, const struct pario_sim_step *step)
{
	bool is_new;
	uint32_t n = pario_map_add(&f->user_of,
				   (struct pario_map_key){ step->process, step->file, 0 }, &is_new);
	void *grown = pario_map_grow(f->users, &f->user_capacity, n, sizeof(*f->users));

	if (!grown || !n) {
		f->no_memory |= !grown;
		return NULL;
	}
	f->users = grown;
	return &f->users[n];
}

static void note(struct pario_flows *f, struct pario_flow_log *log,
		 const struct pario_sim_step *step)
{
	void *grown = pario_map_grow(log->calls, &log->capacity, log->count, sizeof(*log->calls));
	uint64_t before = log->count ? log->calls[log->count - 1].total : 0;

	if (!grown) {
		f->no_memory = true;
		return;
	}
	log->calls = grown;
	log->calls[log->count++] = (struct pario_flow_call){ .start_ns = step->start_ns,
							     .end_ns = step->start_ns + step->ns,
							     .total = before + step->bytes };
	log->seconds += step->ns * 1e-9;
}

void pario_flows_learn(struct pario_flows *f, const struct pario_sim_step *step)
{
	struct pario_flow *flow = flow_at(f, step);
	struct pario_flow_user *user = flow ? user_at(f, step) : NULL;

	if (!user)
		return;
	user->calls++;
	user->last_ns = step->start_ns + step->ns;
	if (++f->calls > CALLS) {
		f->too_many = true;
		return;
	}
	if (step->part == PARIO_IO_READ) {
		user->reads = true;
		note(f, &flow->read, step);
	}
	if (step->part == PARIO_IO_WRITE && step->bytes) {
		user->writes = true;
		note(f, &flow->written, step);
	}
}

/* ---- matching ---- */

static uint64_t bytes_of(const struct pario_flow_log *log)
{
	return log->count ? log->calls[log->count - 1].total : 0;
}

const struct pario_flow_call *pario_flow_at(const struct pario_flow_log *log, uint64_t total)
{
	uint32_t low = 0, high = log->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (log->calls[middle].total < total)
			low = middle + 1;
		else
			high = middle;
	}
	return low < log->count ? &log->calls[low] : NULL;
}

/* Nothing is read before somebody has begun to write it. */
static bool follows(const struct pario_flow_log *read, const struct pario_flow_log *written)
{
	uint32_t w = 0;

	for (uint32_t r = 0; r < read->count; r++) {
		while (w < written->count && written->calls[w].total < read->calls[r].total)
			w++;
		if (w == written->count || written->calls[w].start_ns > read->calls[r].end_ns)
			return false;
	}
	return true;
}

static uint64_t inode(const struct pario_flows *f, const struct pario_flow *flow)
{
	const struct pario_trace_file *file = pario_trace_file_of(f->trace, flow->file);

	return file && file->exists == 1 ? file->inode : 0;
}

/* Made one after the other, as socketpair makes them. */
static bool neighbours(const struct pario_flows *f, uint32_t a, uint32_t b)
{
	uint64_t x = inode(f, &f->list[a]), y = inode(f, &f->list[b]);

	return x && y && (x == y + 1 || y == x + 1);
}

static bool fits(const struct pario_flows *f, uint32_t reader, uint32_t writer)
{
	const struct pario_flow_log *read = &f->list[reader].read,
				    *written = &f->list[writer].written;

	return reader != writer && !f->list[writer].pipe && written->count &&
	       bytes_of(read) <= bytes_of(written) &&
	       (bytes_of(read) == bytes_of(written) || neighbours(f, reader, writer)) &&
	       follows(read, written);
}

static uint32_t source_of(const struct pario_flows *f, uint32_t reader)
{
	uint32_t found = 0, candidates = 0;

	if (f->list[reader].pipe)
		return f->list[reader].written.count &&
				       follows(&f->list[reader].read, &f->list[reader].written)
			       ? reader
			       : 0;
	for (uint32_t i = 1; i <= f->flow_of.count; i++) {
		if (!fits(f, reader, i))
			continue;
		if (neighbours(f, reader, i))
			return i;
		found = i;
		candidates++;
	}
	return candidates == 1 ? found : 0;
}

/*
 * The most that was ever written and not yet read: so much goes into it at least. A pipe holds what pipes hold; of a
 * socket whose reader always kept up nothing is known, and its writer waits for nobody.
 */
static uint64_t room_of(const struct pario_flow *from, const struct pario_flow *to)
{
	uint64_t most = 0;
	uint32_t r = 0;

	for (uint32_t w = 0; w < from->written.count; w++) {
		uint64_t taken;

		while (r < to->read.count &&
		       to->read.calls[r].end_ns <= from->written.calls[w].end_ns)
			r++;
		taken = r ? to->read.calls[r - 1].total : 0;
		if (from->written.calls[w].total > taken + most)
			most = from->written.calls[w].total - taken;
	}
	if (from->pipe) /* unless it was made larger */
		return most > 2 * PIPE_ROOM ? most : PIPE_ROOM;
	return most < LEAST_ROOM ? UINT64_MAX / 2 : most;
}

static void find_ends(struct pario_flows *f)
{
	for (uint32_t i = 1; i <= f->user_of.count && i < f->user_capacity; i++) {
		uint32_t n = pario_map_find(&f->flow_of,
					    (struct pario_map_key){ f->user_of.keys[i].b, 0, 0 });
		struct pario_flow_user *user = &f->users[i];
		struct pario_flow *flow = &f->list[n];

		user->ends = n && user->writes && !(flow->pipe && user->reads);
		if (!user->ends)
			continue;
		flow->writers++;
		flow->last_ns = fmax(flow->last_ns, user->last_ns);
	}
}

void pario_flows_match(struct pario_flows *f)
{
	find_ends(f);
	if (f->too_many || f->no_memory) {
		for (uint32_t i = 1; i <= f->flow_of.count && i < f->capacity; i++)
			f->unmatched_seconds +=
				f->list[i].read.seconds + f->list[i].written.seconds;
		return;
	}
	for (uint32_t i = 1; i <= f->flow_of.count; i++) {
		struct pario_flow *flow = &f->list[i];

		flow->source = flow->read.count ? source_of(f, i) : 0;
		if (!flow->source) {
			f->unmatched_seconds += flow->read.seconds;
			continue;
		}
		f->list[flow->source].reader = i;
		f->list[flow->source].room = room_of(&f->list[flow->source], flow);
	}
	for (uint32_t i = 1; i <= f->flow_of.count; i++) {
		if (!f->list[i].reader)
			f->unmatched_seconds += f->list[i].written.seconds;
	}
}

uint32_t pario_flow_of(const struct pario_flows *f, const struct pario_sim_step *step)
{
	if (!f || f->too_many || f->no_memory || !step->flow)
		return 0;
	return pario_map_find(&f->flow_of, (struct pario_map_key){ step->file, 0, 0 });
}

uint32_t pario_flow_user_of(const struct pario_flows *f, uint32_t process, uint32_t file)
{
	return pario_map_find(&f->user_of, (struct pario_map_key){ process, file, 0 });
}
