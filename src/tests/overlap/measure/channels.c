/*
 * channels: files of one client, moved side by side through one routine, while the client waits or computes.
 */
#include "tests/overlap/measure/channels.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"

extern const struct pario_routine pario_routine_null;

enum {
	PAGE = 4096,
	BATCH_NS = 20000, /* a reading of the clock is some 20 ns: a thousandth of this */
	BATCH_MAX = 1 << 20,
	ROUNDS_MASK =
		63, /* rounds between looks at the clock, which would cost a twentieth of the shortest */
	CALLS_MASK = 15, /* the same for calls, of passes with many: theirs are short */
	MANY_CALLS = 256,
	OWN_CALLS = 50,	   /* of a pass for the procedure's own cost */
	OWN_DELAY_US = 10, /* of each of them: short, so that most such passes are left alone */
	OWN_TRIES = 15,
	OWN_ERROR_NS = 20, /* a reading of the clock */
};

struct pario_channel_state {
	struct pario_channel channel;
	struct pario_permutation order;
	uint64_t salt; /* of the words of this file */
	uint64_t next; /* transfers begun in this pass */
	bool busy, done;
	char name[128], path[PARIO_PATH_CAPACITY], reach[128];
};

/* ---- files ---- */

static bool stores(const struct pario_channels *l)
{
	return !(l->shape.routine->bits & PARIO_ROUTINE_NO_DATA);
}

/* 0 and 1 are the reader and the writer of one channel, 2 and 3 those that a second one adds, and so on. */
static uint64_t number_of(const struct pario_channels *l, uint64_t i)
{
	uint64_t n = l->shape.channels;

	return i < n ? 2 * (n - 1 - i) : 2 * (i - n) + 1;
}

static void name_lane(struct pario_channels *l, uint64_t i)
{
	struct pario_channel_state *channel = &l->channel[i];

	/* The id makes the last component unlike those of other runs: see pario_run_id. */
	snprintf(channel->name, sizeof(channel->name), "%s/%llu.%llu.%.24s", l->directory,
		 (unsigned long long)l->run->client, (unsigned long long)number_of(l, i),
		 pario_run_id(l->run));
	pario_run_path(pario_run_dirfd(l->run), channel->name, channel->path);
	pario_run_reach(l->run, channel->name, channel->reach, sizeof(channel->reach));
	channel->salt = pario_random_join(pario_random_join(l->run->seed, l->run->client),
					  i + (l->run->repetition << 32));
	channel->channel = (struct pario_channel){ .routine = l->shape.routine,
						   .plant = l->shape.plant,
						   .hints = &l->run->point->access->hints,
						   .path = channel->path,
						   .reach = channel->reach,
						   .fd = -1,
						   .write = i >= l->shape.channels,
						   .file_bytes = l->shape.file_bytes };
}

int pario_channels_init(struct pario_channels *channels, struct pario_run *run,
			const struct pario_channels_shape *shape, struct pario_err *err)
{
	uint64_t count = 2 * shape->channels,
		 capacity = (shape->buffer_capacity + PAGE - 1) / PAGE * PAGE;
	char tree[PARIO_NAME_CAPACITY];

	*channels =
		(struct pario_channels){ .run = run, .shape = *shape, .active = shape->channels };
	pario_run_own_name(run, "overlap", channels->directory);
	channels->channel = calloc(count, sizeof(*channels->channel));
	if (!channels->channel)
		return pario_err_memory(err, "the channels");
	for (uint64_t i = 0; i < count; i++) {
		void *buffer = NULL;

		name_lane(channels, i);
		if (posix_memalign(&buffer, PAGE, capacity) != 0)
			return pario_err_memory(err, "the buffers of the channels");
		memset(buffer, 0, capacity);
		channels->channel[i].channel.buffer = buffer;
	}
	if (!stores(channels))
		return 0;
	pario_run_own_name(run, "overlap/", tree);
	return pario_run_name(run, tree, NULL, 0, err);
}

void pario_channels_release(struct pario_channels *channels)
{
	struct pario_err unread = { 0 };

	pario_channels_close(channels, &unread);
	for (uint64_t i = 0; channels->channel && i < 2 * channels->shape.channels; i++)
		free(channels->channel[i].channel.buffer);
	free(channels->channel);
	memset(channels, 0, sizeof(*channels));
}

static uint64_t word_at(const struct pario_channel_state *channel, uint64_t offset)
{
	return pario_random_mix(channel->salt + offset);
}

static void fill_places(const struct pario_channel_state *channel, uint64_t offset, uint64_t bytes)
{
	for (uint64_t k = 0; k < bytes; k += 8) {
		uint64_t word = word_at(channel, offset + k);

		memcpy(channel->channel.buffer + k, &word, 8);
	}
}

static int open_lane(struct pario_channels *l, struct pario_channel_state *channel, int flags,
		     struct pario_err *err)
{
	int dirfd = pario_run_dirfd(l->run);

	channel->channel.fd = openat(dirfd, channel->name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (channel->channel.fd < 0)
		return pario_run_file_error(dirfd, channel->name, "opening", err);
	return 0;
}

/* Some storage tells only now that what was written is lost. */
static int close_lane(struct pario_channels *l, struct pario_channel_state *channel,
		      struct pario_err *err)
{
	int rc = channel->channel.fd >= 0 ? close(channel->channel.fd) : 0;

	channel->channel.fd = -1;
	return rc < 0 ? pario_run_file_error(pario_run_dirfd(l->run), channel->name, "closing", err)
		      : 0;
}

/* Written once from end to end, so that later writes meet blocks that are there. */
static int make_lane(struct pario_channels *l, struct pario_channel_state *channel,
		     struct pario_err *err)
{
	uint64_t step = l->shape.buffer_capacity / 8 * 8;
	struct pario_err later = { 0 };
	int status = open_lane(l, channel, O_RDWR | O_CREAT, err);

	for (uint64_t at = 0; status == 0 && at < l->shape.file_bytes; at += step) {
		uint64_t left = l->shape.file_bytes - at, n = left < step ? left : step;
		ssize_t moved;

		fill_places(channel, at, n);
		moved = pwrite(channel->channel.fd, channel->channel.buffer, n, (off_t)at);
		if (moved >= 0 && moved < (ssize_t)n)
			errno = ENOSPC;
		if (moved < (ssize_t)n)
			status = pario_run_file_error(pario_run_dirfd(l->run), channel->name,
						      "filling", err);
	}
	return close_lane(l, channel, status == 0 ? err : &later) < 0 ? -1 : status;
}

int pario_channels_make(struct pario_channels *channels, struct pario_err *err)
{
	int directory;

	if (channels->made || !stores(channels))
		return 0;
	if (pario_run_directory(channels->run, channels->directory, &directory, err) < 0)
		return -1;
	close(directory);
	for (uint64_t i = 0; i < 2 * channels->shape.channels; i++)
		if (make_lane(channels, &channels->channel[i], err) < 0)
			return -1;
	channels->made = true;
	return 0;
}

static int chill(struct pario_channels *channels, struct pario_err *err)
{
	if (!channels->cold || !stores(channels))
		return 0;
	for (uint64_t i = channels->from; i < channels->from + channels->count; i++)
		if (!channels->channel[i].channel.write &&
		    pario_run_evict(channels->run, pario_run_dirfd(channels->run),
				    channels->channel[i].name, err) < 0)
			return -1;
	return 0;
}

/* What a writer's blocks hold behind their first word. */
static void fill_block(const struct pario_channel_state *channel)
{
	fill_places(channel, 0, channel->channel.size);
}

int pario_channels_open(struct pario_channels *channels, bool readers, bool writers, uint64_t size,
			struct pario_err *err)
{
	uint64_t n = channels->shape.channels, active = channels->active;
	int extra = channels->shape.direct ? O_DIRECT : 0;

	if (pario_channels_close(channels, err) < 0)
		return -1;
	channels->from = readers ? n - active : n;
	channels->count = (readers ? active : 0) + (writers ? active : 0);
	channels->size = size;
	channels->open = true;
	for (uint64_t i = channels->from; i < channels->from + channels->count; i++) {
		struct pario_channel *c = &channels->channel[i].channel;

		c->size = size;
		c->first = &channels->channel[channels->from].channel;
		if (c->write)
			fill_block(&channels->channel[i]);
		if (stores(channels) && open_lane(channels, &channels->channel[i],
						  (c->write ? O_RDWR : O_RDONLY) | extra, err) < 0)
			return -1;
		if (c->routine->open && c->routine->open(c, err) < 0)
			return -1;
	}
	return 0;
}

int pario_channels_close(struct pario_channels *channels, struct pario_err *err)
{
	struct pario_err later = { 0 };
	int status = 0;

	/* The first is closed last: others may share what it holds. */
	for (uint64_t i = channels->from + channels->count;
	     channels->open && i-- > channels->from;) {
		struct pario_channel *c = &channels->channel[i].channel;

		if (c->routine->close && c->routine->close(c, status == 0 ? err : &later) < 0)
			status = -1;
		if (close_lane(channels, &channels->channel[i], status == 0 ? err : &later) < 0)
			status = -1;
	}
	channels->open = false;
	return status;
}

/* ---- passes ---- */

static uint64_t blocks_of(const struct pario_channels *l)
{
	return l->shape.file_bytes / l->size;
}

static uint64_t place(const struct pario_channels *l, const struct pario_channel_state *channel,
		      uint64_t i)
{
	return (l->shape.random ? pario_permutation_at(&channel->order, i) : i) * l->size;
}

static int begin(struct pario_channels *l, struct pario_channel_state *channel,
		 struct pario_err *err)
{
	struct pario_channel *c = &channel->channel;
	uint64_t offset = place(l, channel, channel->next++), word = word_at(channel, offset);

	/* A reader's first word is spoilt, so that a read that brings nothing is seen. */
	if (!c->write)
		word = ~word;
	memcpy(c->buffer, &word, 8);
	channel->busy = true;
	return c->routine->issue(c, offset, err);
}

static int ended(struct pario_channels *l, struct pario_channel_state *channel,
		 struct pario_err *err)
{
	uint64_t offset, word;

	channel->busy = false;
	if (channel->next == 1)
		l->first_ns += pario_run_now() - l->began_ns;
	if (channel->channel.write || !stores(l))
		return 0;
	offset = place(l, channel, channel->next - 1);
	memcpy(&word, channel->channel.buffer, 8);
	if (word == word_at(channel, offset))
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"wrong data in %s at offset %llu: the first 8 bytes that %s read are %016llx, "
		"%016llx were written there.",
		channel->path, (unsigned long long)offset, l->shape.routine->name,
		(unsigned long long)word, (unsigned long long)word_at(channel, offset));
}

/* Looks at one channel: -1 failed, 0 busy or done, 1 begun again or done just now. */
static int look(struct pario_channels *l, struct pario_channel_state *channel, bool idle,
		struct pario_err *err)
{
	int state = channel->channel.routine->test(&channel->channel, err);

	if (state < 0)
		return -1;
	if ((channel->busy && state == 0) || channel->done || idle)
		return 0;
	if (channel->busy && ended(l, channel, err) < 0)
		return -1;
	if (channel->next >= l->calls) {
		channel->done = true;
		return 1;
	}
	return begin(l, channel, err) < 0 ? -1 : 1;
}

/* One round: computes, then looks at every channel. *left gets how many are not done. */
static int go_round(struct pario_channels *l, struct pario_compute *compute, bool idle,
		    uint64_t *left, struct pario_err *err)
{
	*left = 0;
	if (compute)
		pario_compute_once(compute);
	for (uint64_t i = l->from; i < l->from + l->count; i++) {
		if (look(l, &l->channel[i], idle, err) < 0)
			return -1;
		*left += !l->channel[i].done;
	}
	return 0;
}

/* Out of patience: no channel goes farther than the foremost has come. */
static void hurry(struct pario_channels *l)
{
	uint64_t most = 0;

	if (!l->patience_ns || pario_run_now() < l->end_ns)
		return;
	for (uint64_t i = l->from; i < l->from + l->count; i++)
		most = l->channel[i].next > most ? l->channel[i].next : most;
	l->calls = most;
}

/* Rounds until all channels are done, or `most` of them with idle channels, which are never done. Returns how many. */
static int64_t computing(struct pario_channels *l, struct pario_compute *compute, bool idle,
			 uint64_t most, struct pario_err *err)
{
	uint64_t left, loops = 0;

	/* The first round only begins. */
	if (go_round(l, NULL, idle, &left, err) < 0)
		return -1;
	while (left && loops < most) {
		if (go_round(l, compute, idle, &left, err) < 0)
			return -1;
		if ((++loops & ROUNDS_MASK) == 0)
			hurry(l);
	}
	return (int64_t)loops;
}

static int waiting(struct pario_channels *l, struct pario_err *err)
{
	uint64_t mask = l->calls >= MANY_CALLS ? CALLS_MASK : 0;

	for (uint64_t k = 0; k < l->calls; k++) {
		for (uint64_t i = l->from; i < l->from + l->count; i++)
			if (begin(l, &l->channel[i], err) < 0)
				return -1;
		for (uint64_t i = l->from; i < l->from + l->count; i++) {
			struct pario_channel_state *channel = &l->channel[i];

			if (channel->channel.routine->wait(&channel->channel, err) < 0 ||
			    ended(l, channel, err) < 0)
				return -1;
		}
		if ((k & mask) == mask)
			hurry(l);
	}
	return 0;
}

static int finish(struct pario_channels *l, struct pario_err *err)
{
	for (uint64_t i = l->from; i < l->from + l->count; i++) {
		struct pario_channel *c = &l->channel[i].channel;

		if (c->routine->finish && c->routine->finish(c, err) < 0)
			return -1;
	}
	return 0;
}

static void line_up(struct pario_channels *l, uint64_t calls)
{
	uint64_t blocks = blocks_of(l);

	l->calls = calls < blocks ? calls : blocks;
	l->walks++;
	for (uint64_t i = l->from; i < l->from + l->count; i++) {
		struct pario_channel_state *channel = &l->channel[i];

		channel->next = 0;
		channel->busy = channel->done = false;
		pario_permutation_init(&channel->order, blocks,
				       pario_random_join(channel->salt, l->walks));
	}
}

static int walk(struct pario_channels *l, uint64_t calls, struct pario_compute *compute,
		struct pario_channels_pass *pass, struct pario_err *err)
{
	uint64_t moved = 0;
	struct pario_usage used;
	int64_t status;

	if (chill(l, err) < 0)
		return -1;
	line_up(l, calls);
	used = pario_usage_begin();
	pario_run_pause(l->run);
	l->first_ns = 0;
	l->began_ns = pario_run_now();
	status = compute ? computing(l, compute, false, UINT64_MAX, err) : waiting(l, err);
	if (status < 0 || finish(l, err) < 0)
		return -1;
	for (uint64_t i = l->from; i < l->from + l->count; i++)
		moved += l->channel[i].next;
	pass->elapsed_ns += pario_run_count(l->run, moved * l->size);
	used = pario_usage_end(&used);
	pario_usage_add(&pass->used, &used);
	pass->loops += (uint64_t)status;
	pass->calls += moved;
	pass->first_ns += l->first_ns / (int64_t)l->count;
	pass->walks++;
	return 0;
}

int pario_channels_pass(struct pario_channels *channels, uint64_t calls, int64_t least_ns,
			struct pario_compute *compute, struct pario_channels_pass *pass,
			struct pario_err *err)
{
	*pass = (struct pario_channels_pass){ 0 };
	channels->end_ns = pario_run_now() + channels->patience_ns;
	do {
		if (walk(channels, calls, compute, pass, err) < 0)
			return -1;
	} while (pass->elapsed_ns < least_ns &&
		 (!channels->patience_ns || pario_run_now() < channels->end_ns));
	return 0;
}

/* ---- calibration ---- */

/* `rounds` rounds between readings of the clock, less what one reading takes; per round. */
static int three_readings(struct pario_channels *l, struct pario_compute *compute, uint64_t rounds,
			  double *ns, struct pario_err *err)
{
	int64_t t0 = pario_run_now(), t1 = pario_run_now(), t2;

	if (computing(l, compute, true, rounds, err) < 0)
		return -1;
	t2 = pario_run_now();
	*ns = (double)(t2 - 2 * t1 + t0) / (double)rounds;
	return 0;
}

int pario_channels_calibrate(struct pario_channels *channels, struct pario_compute *compute,
			     double *values, size_t count, struct pario_err *err)
{
	uint64_t rounds = 1;
	double ns;

	line_up(channels, channels->shape.file_bytes);
	do {
		if (three_readings(channels, compute, rounds, &ns, err) < 0)
			return -1;
		rounds *= 2;
	} while (ns * (double)rounds / 2 < BATCH_NS && rounds < BATCH_MAX);
	rounds /= 2;
	for (size_t i = 0; i < count; i++)
		if (three_readings(channels, compute, rounds, &values[i], err) < 0)
			return -1;
	return 0;
}

int pario_channels_idle(struct pario_channels *channels, struct pario_compute *compute,
			uint64_t rounds, struct pario_channels_control *control,
			struct pario_err *err)
{
	struct pario_usage used;

	line_up(channels, channels->shape.file_bytes);
	*control = (struct pario_channels_control){ .rounds = rounds };
	used = pario_usage_begin();
	if (three_readings(channels, compute, rounds, &control->ns, err) < 0)
		return -1;
	used = pario_usage_end(&used);
	control->cpu_ns = (double)used.thread_ns / (double)rounds;
	/* Nothing here sleeps: where the kernel does not tell, what is no CPU time was waited for. */
	control->late_ns = used.queue_ns >= 0
				   ? (double)used.queue_ns
				   : control->ns * (double)rounds - (double)used.thread_ns;
	return 0;
}

static void use(struct pario_channels *l, const struct pario_routine *routine,
		const struct pario_plant *plant)
{
	for (uint64_t i = 0; i < 2 * l->shape.channels; i++) {
		l->channel[i].channel.routine = routine;
		l->channel[i].channel.plant = plant;
	}
}

/*
 * The least that waiting takes beyond the delay: what disturbs makes it longer. Computing, a transfer costs the same
 * begin, end and look; there a difference of so little is lost among the loops. After other I/O than this the same
 * code takes another time: as much again is the error.
 */
static int own_of(struct pario_channels *l, struct pario_overlap_own *own, struct pario_err *err)
{
	double least = INFINITY;

	for (int i = 0; i < OWN_TRIES; i++) {
		int64_t began;

		line_up(l, OWN_CALLS);
		began = pario_run_now();
		if (waiting(l, err) < 0)
			return -1;
		least = fmin(least,
			     (double)(pario_run_now() - began) / OWN_CALLS - 1e3 * OWN_DELAY_US);
	}
	own->call_ns = own->wait_ns = fmax(least, 0) / (double)l->count;
	own->error_ns = own->call_ns + OWN_ERROR_NS;
	return 0;
}

int pario_channels_own(struct pario_channels *channels, bool readers, bool writers,
		       struct pario_overlap_own *own, struct pario_err *err)
{
	static const struct pario_plant plant = { .delay_us = OWN_DELAY_US };
	const struct pario_channels_shape shape = channels->shape;
	const struct pario_routine *routine = &pario_routine_null;
	struct pario_err later = { 0 };
	int status;

	/* By the routine that opened them. */
	if (pario_channels_close(channels, err) < 0)
		return -1;
	channels->shape.routine = routine;
	channels->shape.plant = &plant;
	channels->shape.file_bytes = OWN_CALLS * channels->size;
	use(channels, routine, &plant);
	status = pario_channels_open(channels, readers, writers, channels->size, err);
	if (status == 0)
		status = own_of(channels, own, err);
	pario_channels_close(channels, &later);
	channels->shape = shape;
	use(channels, shape.routine, shape.plant);
	return status;
}

/* ---- verification ---- */

static int check_block(struct pario_channels *l, struct pario_channel_state *channel, char *block,
		       uint64_t offset, struct pario_err *err)
{
	uint64_t word = word_at(channel, offset), k = 0;
	ssize_t got = pread(channel->channel.fd, block, l->size, (off_t)offset);

	if (got < 0)
		return pario_run_file_error(pario_run_dirfd(l->run), channel->name, "reading back",
					    err);
	memcpy(channel->channel.buffer, &word, 8);
	while (k < (uint64_t)got && block[k] == channel->channel.buffer[k])
		k++;
	if (k == l->size)
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"wrong data in %s at offset %llu: what %s wrote there did not come back.",
		channel->path, (unsigned long long)(offset + k), l->shape.routine->name);
}

int pario_channels_check(struct pario_channels *channels, struct pario_err *err)
{
	struct pario_err later = { 0 };
	char *block;
	int status = 0;

	if (!stores(channels) || !channels->walks)
		return 0;
	block = malloc(channels->size);
	if (!block)
		return pario_err_memory(err, "reading back");
	for (uint64_t i = channels->from; i < channels->from + channels->count && status == 0;
	     i++) {
		struct pario_channel_state *channel = &channels->channel[i];

		if (!channel->channel.write)
			continue;
		status = open_lane(channels, channel, O_RDONLY, err);
		for (uint64_t k = 0; k < channel->next && k < blocks_of(channels) && status == 0;
		     k++) {
			status = check_block(channels, channel, block, place(channels, channel, k),
					     err);
			pario_run_count(channels->run, channels->size);
		}
		if (close_lane(channels, channel, status == 0 ? err : &later) < 0)
			status = -1;
	}
	free(block);
	return status;
}
