/*
 * null: what does pario itself cost, and does it count, time and fail correctly?
 *
 * Stores nothing and never touches a buffer. Planted delays give a known rate, a planted failure or
 * a planted short transfer walks the error paths. Queued requests are served by an unlimited number
 * of servers: each is done `delay` after its submission, so that a queue of depth d is d times as
 * fast.
 *
 * A planted cost model makes operations slow that are small, unaligned, in random order or made by many clients: the
 * planted time is multiplied by slow_factor once for each of these that holds.
 *
 * Its rates say nothing about storage. Below some 60 us a delay is spun, so that more clients than
 * cores disturb each other.
 */
#include "backend/backend.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"

enum on { ON_ANY, ON_WRITE, ON_READ, ON_SYNC, ON_OPEN, ON_CLOSE, ON_COUNT };

enum {
	SPIN_NS = 60000, /* Linux wakes sleepers up to 50 us late (default timer slack) */
	NS_PER_S = 1000000000,
};

struct params {
	double delay, delay_per_mib, delay_open, slow_factor;
	uint64_t slow_below, slow_unaligned, slow_clients, slow_client;
	uint64_t fail_at, fail_client, short_at;
	int fail_on, fail_errno, slow_random;
};

enum slow_random { RANDOM_NEVER, RANDOM_SHARED, RANDOM_ALWAYS };
static const char *const slow_random_choices[] = { "never", "shared", "always", NULL };

static const char *const fail_on_choices[] = {
	"any", "write", "read", "sync", "open", "close", NULL
};
static const char *const fail_errno_choices[] = { "eio", "enospc", NULL };
static const int fail_errno_values[] = { EIO, ENOSPC };

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, delay, .def = "0", .min = "0", .max = "1000000000",
		     .unit = "us", .flags = PARIO_OPTION_PLANTED,
		     .help = "planted time of every read and write"),
	PARIO_OPTION(struct params, delay_per_mib, .def = "0", .min = "0", .max = "1000000000",
		     .unit = "us", .flags = PARIO_OPTION_PLANTED,
		     .help = "planted time of every MiB read or written"),
	PARIO_OPTION(struct params, delay_open, .def = "0", .min = "0", .max = "1000000000",
		     .unit = "us", .flags = PARIO_OPTION_PLANTED,
		     .help = "planted time of opening the file"),
	PARIO_OPTION(struct params, slow_below, .def = "0", .unit = "bytes",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "reads and writes of less than this are slow; 0 = none"),
	PARIO_OPTION(struct params, slow_unaligned, .def = "0", .unit = "bytes",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "those whose offset is not a multiple of this are slow; 0 = none"),
	PARIO_OPTION(struct params, slow_clients, .def = "0", .unit = "clients",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "all are slow when more clients than this take part; 0 = never"),
	PARIO_OPTION(
		struct params, slow_random, .def = "never", .choices = slow_random_choices,
		.flags = PARIO_OPTION_PLANTED,
		.help = "those in random order are slow: in files that clients share, or always"),
	PARIO_OPTION(struct params, slow_client, .def = "18446744073709551615", .unit = "client",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "the only client that is slow; no limit = none"),
	PARIO_OPTION(struct params, slow_factor, .def = "4", .min = "1", .max = "1000000",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "how much longer the planted time is, for each slow_ that holds"),
	PARIO_OPTION(struct params, fail_at, .def = "0", .unit = "operation",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "the operation on a file, from 1, that fails; 0 = none"),
	PARIO_OPTION(struct params, fail_client, .def = "18446744073709551615", .unit = "client",
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "the only client that fails; no limit = all"),
	PARIO_OPTION(struct params, fail_on, .def = "any", .choices = fail_on_choices,
		     .flags = PARIO_OPTION_PLANTED,
		     .help = "the operations that fail_at counts; any = reads and writes"),
	PARIO_OPTION(struct params, fail_errno, .def = "eio", .choices = fail_errno_choices,
		     .flags = PARIO_OPTION_PLANTED, .help = "the error that fail_at gives"),
	PARIO_OPTION(
		struct params, short_at, .def = "0", .unit = "operation",
		.flags = PARIO_OPTION_PLANTED,
		.help = "the read or write, from 1, that first moves half its bytes; 0 = none"),
	{ 0 },
};

struct flight {
	struct pario_request *request;
	int64_t due_ns;
	bool fails, cut;
};

/* The requests in flight form a ring ordered by due time. */
struct state {
	bool planted; /* anything but instant success */
	double delay_ns, ns_per_byte, slow_factor;
	uint64_t slow_below, slow_unaligned;
	uint64_t seen[ON_COUNT]; /* operations so far; [ON_ANY] counts reads and writes together */
	uint64_t fail_at, short_at;
	enum on fail_on;
	int fail_sys;
	unsigned head, count, capacity;
	struct flight ring[];
};

static const char *unavailable(void)
{
	return NULL;
}

static void version(char *text, size_t capacity)
{
	snprintf(text, capacity, "built in");
}

static void wait_until(int64_t due_ns)
{
	int64_t wake_ns = due_ns - SPIN_NS;

	if (wake_ns > pario_clock_ns()) {
		struct timespec wake = { .tv_sec = wake_ns / NS_PER_S,
					 .tv_nsec = wake_ns % NS_PER_S };

		/* The time to wake is absolute, so interruptions cannot prolong the wait. */
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) == EINTR)
			;
	}
	while (pario_clock_ns() < due_ns)
		;
}

/* When an operation that starts now will be done; 0 = at once, without a look at the clock. */
static int64_t due(const struct state *s, uint64_t length, uint64_t offset)
{
	double ns = s->delay_ns + s->ns_per_byte * (double)length;

	if (length < s->slow_below)
		ns *= s->slow_factor;
	if (s->slow_unaligned && offset % s->slow_unaligned)
		ns *= s->slow_factor;

	if (ns < 1)
		return 0;
	return pario_clock_ns() + (ns < 1e18 ? (int64_t)ns : (int64_t)1e18);
}

/* Counts one operation; true when it is the one to fail. */
static bool fails(struct state *s, enum on kind)
{
	s->seen[kind]++;
	if (kind == ON_WRITE || kind == ON_READ)
		s->seen[ON_ANY]++;
	else if (s->fail_on == ON_ANY)
		return false;
	return s->fail_at && (s->fail_on == ON_ANY || s->fail_on == kind) &&
	       s->seen[s->fail_on] == s->fail_at;
}

/* True for the operation that is planted to come short, once. */
static bool cut(const struct state *s)
{
	return s->short_at && s->seen[ON_ANY] == s->short_at;
}

/* One attempt to move `left` bytes: returns how many "arrived". */
static uint64_t move(uint64_t left, bool *cut_now)
{
	uint64_t moved = *cut_now && left > 1 ? left / 2 : left;

	*cut_now = false;
	return moved;
}

static int planted_failure(const struct pario_file *file, enum on kind, uint64_t length,
			   uint64_t offset, struct pario_err *err)
{
	const struct state *s = file->state;
	char size[PARIO_UNITS_CAPACITY];

	if (kind != ON_WRITE && kind != ON_READ)
		return pario_err_sys(err, s->fail_sys, "The failure was planted with --fail_at.",
				     "%s failed in %s", fail_on_choices[kind], file->how.path);
	return pario_err_sys(err, s->fail_sys, "The failure was planted with --fail_at.",
			     "%s of %llu bytes failed in %s at offset %s", fail_on_choices[kind],
			     (unsigned long long)length, file->how.path,
			     pario_units_size(size, offset));
}

static int planted_transfer(struct pario_file *file, enum on kind, uint64_t length, uint64_t offset,
			    struct pario_err *err)
{
	struct state *s = file->state;
	int64_t due_ns = due(s, length, offset);
	bool cut_now;

	if (fails(s, kind))
		return planted_failure(file, kind, length, offset, err);
	cut_now = cut(s);
	for (uint64_t done = 0; done < length; done += move(length - done, &cut_now))
		;
	if (due_ns)
		wait_until(due_ns);
	return 0;
}

static int null_write(struct pario_file *file, const void *buffer, uint64_t length, uint64_t offset,
		      struct pario_err *err)
{
	(void)buffer;
	if (!((const struct state *)file->state)->planted)
		return 0;
	return planted_transfer(file, ON_WRITE, length, offset, err);
}

static int null_read(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		     struct pario_err *err)
{
	(void)buffer;
	if (!((const struct state *)file->state)->planted)
		return 0;
	return planted_transfer(file, ON_READ, length, offset, err);
}

static struct flight *flight_at(struct state *s, unsigned place)
{
	unsigned i = s->head + place;

	return &s->ring[i < s->capacity ? i : i - s->capacity];
}

static int null_submit(struct pario_file *file, struct pario_request *request,
		       struct pario_err *err)
{
	struct state *s = file->state;
	struct flight f = { .request = request };
	unsigned place = s->count;

	if (s->count == s->capacity)
		return pario_err_set(err, PARIO_SYSTEM,
				     "%s has %u requests in flight already, which is its "
				     "queue depth. This is an error in the calling test.",
				     file->how.path, s->capacity);
	request->done = 0;
	if (s->planted) {
		f.due_ns = due(s, request->length, request->offset);
		f.fails = fails(s, request->write ? ON_WRITE : ON_READ);
		f.cut = cut(s);
	}
	for (; place && flight_at(s, place - 1)->due_ns > f.due_ns; place--)
		*flight_at(s, place) = *flight_at(s, place - 1);
	*flight_at(s, place) = f;
	s->count++;
	return 0;
}

static int null_reap(struct pario_file *file, unsigned least, unsigned most,
		     struct pario_request **done, struct pario_err *err)
{
	struct state *s = file->state;
	bool failed = false;
	unsigned n = 0;

	while (n < most && s->count) {
		struct flight *f = flight_at(s, 0);
		struct pario_request *r = f->request;

		if (f->due_ns && n < least)
			wait_until(f->due_ns);
		else if (f->due_ns && f->due_ns > pario_clock_ns())
			break;
		if (!f->fails) {
			r->done += move(r->length - r->done, &f->cut);
			if (r->done < r->length)
				continue;
		}
		s->head = s->head + 1 < s->capacity ? s->head + 1 : 0;
		s->count--;
		r->status = 0;
		if (f->fails) {
			r->status = planted_failure(file, r->write ? ON_WRITE : ON_READ, r->length,
						    r->offset, failed ? NULL : err);
			failed = true;
		}
		done[n++] = r;
	}
	return (int)n;
}

static int null_sync(struct pario_file *file, struct pario_err *err)
{
	return fails(file->state, ON_SYNC) ? planted_failure(file, ON_SYNC, 0, 0, err) : 0;
}

static bool slow_order(const struct params *p, const struct pario_open *how)
{
	return how->shuffled && (p->slow_random == RANDOM_ALWAYS ||
				 (p->slow_random == RANDOM_SHARED && how->comm != MPI_COMM_SELF));
}

static void slow_down(struct state *s, double factor)
{
	s->delay_ns *= factor;
	s->ns_per_byte *= factor;
}

static void plant(struct state *s, const struct params *p, const struct pario_open *how)
{
	int client = 0;

	if (p->slow_client != UINT64_MAX || p->fail_client != UINT64_MAX)
		MPI_Comm_rank(MPI_COMM_WORLD, &client);
	s->delay_ns = p->delay * 1e3;
	s->ns_per_byte = p->delay_per_mib * 1e3 / PARIO_MIB;
	s->slow_factor = p->slow_factor;
	s->slow_below = p->slow_below;
	s->slow_unaligned = p->slow_unaligned;
	if ((p->slow_clients && how->clients > p->slow_clients) ||
	    p->slow_client == (uint64_t)client)
		slow_down(s, p->slow_factor);
	if (slow_order(p, how))
		slow_down(s, p->slow_factor);
	s->short_at = p->short_at;
	if (p->fail_client == UINT64_MAX || p->fail_client == (uint64_t)client)
		s->fail_at = p->fail_at;
	s->fail_on = (enum on)p->fail_on;
	s->fail_sys = fail_errno_values[p->fail_errno];
	s->planted = s->delay_ns > 0 || s->ns_per_byte > 0 || s->fail_at || s->short_at;
}

static int null_open(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	static const struct params nothing = { .fail_client = UINT64_MAX,
					       .slow_client = UINT64_MAX };
	const struct params *p = how->params ? how->params : &nothing;
	unsigned capacity = how->queue_depth > 1 ? how->queue_depth : 1;
	struct state *s = calloc(1, sizeof(*s) + capacity * sizeof(s->ring[0]));
	int status = 0;

	if (!s)
		return pario_err_sys(err, ENOMEM, NULL, "open failed in %s", how->path);
	s->capacity = capacity;
	plant(s, p, how);
	file->how = *how;
	file->state = s;
	if (fails(s, ON_OPEN))
		status = planted_failure(file, ON_OPEN, 0, 0, err);
	else if (p->delay_open > 0)
		wait_until(pario_clock_ns() + (int64_t)(p->delay_open * 1e3));
	/*
	 * Only a planted failure needs agreement, and every client knows whether one was planted.
	 */
	if (p->fail_at && p->fail_on == ON_OPEN)
		status = pario_comm_agree(how->comm, status, NULL, err);
	if (status < 0) {
		free(s);
		file->state = NULL;
	}
	return status;
}

static int null_close(struct pario_file *file, struct pario_err *err)
{
	int status = 0;

	if (fails(file->state, ON_CLOSE))
		status = planted_failure(file, ON_CLOSE, 0, 0, err);
	free(file->state);
	file->state = NULL;
	return status;
}

static const struct pario_extent_ops extent = {
	.open = null_open,
	.write = null_write,
	.read = null_read,
	.submit = null_submit,
	.reap = null_reap,
	.sync = null_sync,
	.close = null_close,
};

const struct pario_backend pario_backend_null = {
	.name = "null",
	.summary = "no storage at all: what pario itself costs, with planted delays and failures",
	.options = options,
	.params_size = sizeof(struct params),
	.bits = PARIO_BACKEND_DIRECT | PARIO_BACKEND_COLLECTIVE | PARIO_BACKEND_SYNCHRONOUS |
		PARIO_BACKEND_DATA_ONLY | PARIO_BACKEND_NO_DATA | PARIO_BACKEND_THREADS,
	.unavailable = unavailable,
	.version = version,
	.extent = &extent,
};
