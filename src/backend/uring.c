/*
 * uring: how fast is storage with many requests in flight, through Linux's io_uring?
 *
 * Direct requests go to the kernel before those it has run out, since a device that idles while the next ones are
 * prepared loses a third of its rate; the one that fills the queue goes with the wait that must follow it, in one
 * system call. Buffered ones, which the page cache serves on the spot, are only queued by submit; reap hands all of
 * them over and waits, again in one call. Those that miss the page cache are served by kernel threads, so only direct
 * requests show the queue of the device. File and buffers are registered with the kernel where it allows.
 *
 * A ring belongs to the thread that opened the file: all calls must come from that thread.
 */
#include "backend/backend.h"

#include <stdio.h>

#ifdef PARIO_HAVE_LIBURING
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/units.h"
#endif

struct params {
	bool uring_fixed, uring_sqpoll, uring_iopoll;
};

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, uring_fixed, .def = "1",
		     .help = "register file and buffers with the kernel"),
	PARIO_OPTION(struct params, uring_sqpoll, .def = "0",
		     .help = "a kernel thread watches the queue, at the cost of one core"),
	PARIO_OPTION(struct params, uring_iopoll, .def = "0",
		     .help = "poll the device instead of waiting for it; only with direct"),
	{ 0 },
};

#ifdef PARIO_HAVE_LIBURING

enum {
	TRIES = 1000,	      /* attempts in a row without progress before a request failed */
	DEPTH_MAX = 32768,    /* the kernel's own bound on a ring */
	SQPOLL_IDLE_MS = 100, /* how long the kernel thread goes on watching an empty queue */
	WAITING_PART =
		4, /* of the requests in flight, at most one in so many waits to be handed over */
};

static const struct params defaults = { .uring_fixed = true };

struct state {
	struct io_uring ring;
	int fd;
	int target;	     /* what requests name: the descriptor, or its index when registered */
	unsigned sqe_flags;  /* and how they name it */
	char *base;	     /* the registered buffers, */
	uint64_t size;	     /* all together; 0 = none registered */
	uint64_t part_bytes; /* the kernel knows them in parts of whole buffers */
	bool direct;	     /* the device works while the next requests are prepared */
	unsigned in_flight;  /* queued or in the kernel, */
	unsigned queued;     /* of these not handed over yet */
	unsigned idle;	     /* attempts in a row that moved nothing */
};

static const char *unavailable(void)
{
	struct io_uring ring;
	int status = io_uring_queue_init(2, &ring, 0);

	if (status == 0) {
		io_uring_queue_exit(&ring);
		return NULL;
	}
	switch (-status) {
	case ENOSYS:
		return "this kernel has no io_uring (ENOSYS)";
	case EPERM:
		return "io_uring_setup is refused by this kernel or container (EPERM); see "
		       "/proc/sys/kernel/io_uring_disabled";
	case ENOMEM:
		return "io_uring_setup is refused for lack of locked memory (ENOMEM); raise ulimit "
		       "-l";
	default:
		return "io_uring_setup fails on this kernel";
	}
}

static void version(char *text, size_t capacity)
{
	struct utsname u;
	const char *release = uname(&u) == 0 ? u.release : "unknown";

#ifdef IO_URING_VERSION_MAJOR
	snprintf(text, capacity, "liburing %d.%d, kernel %s", IO_URING_VERSION_MAJOR,
		 IO_URING_VERSION_MINOR, release);
#else
	snprintf(text, capacity, "liburing before 2.4, kernel %s", release);
#endif
}

static int check(const struct pario_open *how, struct pario_err *err)
{
	const struct params *p = how->params ? how->params : &defaults;

	if (how->collective)
		return pario_err_set(
			err, PARIO_USAGE,
			"--collective needs a backend that supports collective transfers: "
			"use --api mpiio, or drop --collective.");
	if (p->uring_iopoll && !how->direct)
		return pario_err_set(err, PARIO_USAGE,
				     "--uring_iopoll polls the device, which only direct requests "
				     "reach: add --direct or drop --uring_iopoll.");
	if (how->queue_depth > DEPTH_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "--queue_depth %u is more than io_uring can hold: use %d at "
				     "most.",
				     how->queue_depth, DEPTH_MAX);
	return 0;
}

static const char *call_name(const struct pario_request *r)
{
	return r->write ? "io_uring write" : "io_uring read";
}

static int request_failed(const struct pario_file *file, const struct pario_request *r, int sys,
			  struct pario_err *err)
{
	const struct params *p = file->how.params ? file->how.params : &defaults;
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_sys(err, sys,
			     sys == EOPNOTSUPP && p->uring_iopoll
				     ? "This device cannot be polled: drop --uring_iopoll."
				     : pario_backend_hint(file->how.direct, sys),
			     "%s of %llu bytes failed in %s at offset %s", call_name(r),
			     (unsigned long long)(r->length - r->done), file->how.path,
			     pario_units_size(size, r->offset + r->done));
}

static int end_of_file(const struct pario_file *file, const struct pario_request *r,
		       struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];
	uint64_t offset = r->offset + r->done;

	return pario_err_set(err, PARIO_SYSTEM,
			     "%s ends at offset %s (%llu), where %llu more bytes were to be read. "
			     "Write the file before reading it, and in full.",
			     file->how.path, pario_units_size(size, offset),
			     (unsigned long long)offset, (unsigned long long)(r->length - r->done));
}

static bool passing(int sys)
{
	return sys == EINTR || sys == EAGAIN || sys == EBUSY;
}

/*
 * After every hand-over: a polling thread sees the whole queue at once, otherwise the kernel says
 * what it took.
 */
static void count_queued(struct state *s)
{
	s->queued = s->ring.flags & IORING_SETUP_SQPOLL ? 0 : io_uring_sq_ready(&s->ring);
}

/*
 * A free queue entry. There is one for every request in flight, unless a polling thread lags
 * behind.
 */
static struct io_uring_sqe *free_entry(struct state *s)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring);

	for (unsigned i = 0; !sqe && i < TRIES; i++) {
		io_uring_submit(&s->ring);
		count_queued(s);
		io_uring_sqring_wait(&s->ring);
		sqe = io_uring_get_sqe(&s->ring);
	}
	return sqe;
}

/* The kernel's number of the part that the whole request lies in, or -1. */
static int registered(const struct state *s, const struct pario_request *r)
{
	uint64_t at = (uint64_t)((char *)r->buffer - s->base);

	if (s->size == 0 || (char *)r->buffer < s->base || at >= s->size ||
	    r->length > s->size - at || at % s->part_bytes + r->length > s->part_bytes)
		return -1;
	return (int)(at / s->part_bytes);
}

/* Queues what is left of a request. */
static int queue(struct pario_file *file, struct pario_request *r, struct pario_err *err)
{
	struct state *s = file->state;
	struct io_uring_sqe *sqe = free_entry(s);
	uint64_t left = r->length - r->done, offset = r->offset + r->done;
	unsigned part = (unsigned)(left < PARIO_BACKEND_CHUNK ? left : PARIO_BACKEND_CHUNK);
	char *at = (char *)r->buffer + r->done;
	int known = registered(s, r);

	if (!sqe)
		return request_failed(file, r, EBUSY, err);
	if (known >= 0) {
		if (r->write)
			io_uring_prep_write_fixed(sqe, s->target, at, part, offset, known);
		else
			io_uring_prep_read_fixed(sqe, s->target, at, part, offset, known);
	} else if (r->write) {
		io_uring_prep_write(sqe, s->target, at, part, offset);
	} else {
		io_uring_prep_read(sqe, s->target, at, part, offset);
	}
	io_uring_sqe_set_flags(sqe, s->sqe_flags);
	io_uring_sqe_set_data(sqe, r);
	s->queued++;
	return 0;
}

/* Is it time to hand over what is queued? Behind the request that fills the queue nothing can come but reap. */
static bool due(const struct pario_file *file)
{
	const struct state *s = file->state;

	return s->direct && s->in_flight < file->how.queue_depth &&
	       s->queued * WAITING_PART >= s->in_flight;
}

static int uring_submit(struct pario_file *file, struct pario_request *request,
			struct pario_err *err)
{
	struct state *s = file->state;

	request->done = 0;
	if (queue(file, request, err) < 0)
		return -1;
	s->in_flight++;
	if (due(file)) { /* what the kernel does not take now, reap hands over */
		io_uring_submit(&s->ring);
		count_queued(s);
	}
	return 0;
}

/* Takes in the kernel's answer: 1 = the request is complete, 0 = the rest of it is queued again, -1 = it failed. */
static int take(struct pario_file *file, struct pario_request *r, int result, struct pario_err *err)
{
	struct state *s = file->state;

	if (result < 0 && !passing(-result))
		return request_failed(file, r, -result, err);
	if (result > 0) {
		r->done += (uint64_t)result;
		s->idle = 0;
	}
	if (r->done == r->length)
		return 1;
	if (result == 0 && !r->write)
		return end_of_file(file, r, err);
	if (result <= 0 && ++s->idle == TRIES)
		return request_failed(file, r, result ? -result : EAGAIN, err);
	return queue(file, r, err);
}

/*
 * Stores the requests that are complete or have failed, `most` at most; never enters the kernel. *err is that of the
 * first failure, and NULL from then on.
 */
static unsigned collect(struct pario_file *file, unsigned most, struct pario_request **done,
			struct pario_err **err)
{
	struct state *s = file->state;
	struct io_uring_cqe *cqe;
	unsigned head, seen = 0, n = 0;
	int status;

	io_uring_for_each_cqe(&s->ring, head, cqe)
	{
		struct pario_request *r;

		if (n == most)
			break;
		r = io_uring_cqe_get_data(cqe);
		seen++;
		status = take(file, r, cqe->res, *err);
		if (status == 0)
			continue;
		s->in_flight--;
		r->status = status < 0 ? -1 : 0;
		if (status < 0)
			*err = NULL;
		done[n++] = r;
	}
	io_uring_cq_advance(&s->ring, seen);
	return n;
}

/* Hands over what is queued and waits until `least` requests have an answer. */
static int enter(struct pario_file *file, unsigned least, struct pario_err *err)
{
	struct state *s = file->state;
	int status;

	if (!s->queued && least && io_uring_cq_ready(&s->ring) >= least)
		return 0;
	status = least ? io_uring_submit_and_wait(&s->ring, least)
		       : io_uring_submit_and_get_events(&s->ring);
	count_queued(s);
	if (status >= 0)
		return 0;
	/*
	 * A signal while waiting says nothing about the requests: they are in the kernel and will
	 * be answered.
	 */
	if (status == -EINTR || (passing(-status) && ++s->idle < TRIES))
		return 0;
	return pario_err_sys(err, -status, NULL, "io_uring_enter failed with %u requests in %s",
			     s->in_flight, file->how.path);
}

static int uring_reap(struct pario_file *file, unsigned least, unsigned most,
		      struct pario_request **done, struct pario_err *err)
{
	struct state *s = file->state;
	unsigned n = 0;

	if (least > s->in_flight)
		least = s->in_flight;
	if (least > most)
		least = most;
	do {
		if (enter(file, least - n, err) < 0)
			return -1;
		n += collect(file, most - n, done + n, &err);
	} while (n < least);
	return (int)n;
}

static int round_trip(struct pario_file *file, struct pario_request *r, struct pario_err *err)
{
	struct state *s = file->state;
	struct pario_request *done;

	if (s->in_flight)
		return pario_err_set(err, PARIO_SYSTEM,
				     "%s has %u requests in flight, which a synchronous transfer "
				     "would mix up. This is an error in the calling test.",
				     file->how.path, s->in_flight);
	if (uring_submit(file, r, err) < 0)
		return -1;
	return uring_reap(file, 1, 1, &done, err) < 0 ? -1 : r->status;
}

static int uring_write(struct pario_file *file, const void *buffer, uint64_t length,
		       uint64_t offset, struct pario_err *err)
{
	struct pario_request r = {
		.write = true, .buffer = (void *)buffer, .length = length, .offset = offset
	};

	return round_trip(file, &r, err);
}

static int uring_read(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		      struct pario_err *err)
{
	struct pario_request r = { .buffer = buffer, .length = length, .offset = offset };

	return round_trip(file, &r, err);
}

static int uring_sync(struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;

	return pario_posix_sync(file, s->fd, err);
}

/*
 * The cheapest ring this kernel knows: completions are then delivered only when reap asks for them.
 */
static int ring_init(const struct pario_open *how, struct state *s, struct pario_err *err)
{
	static const unsigned ways[] = {
#ifdef IORING_SETUP_DEFER_TASKRUN
		IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
#endif
#ifdef IORING_SETUP_COOP_TASKRUN
		IORING_SETUP_COOP_TASKRUN,
#endif
		0,
	};
	const struct params *p = how->params ? how->params : &defaults;
	unsigned entries = how->queue_depth > 1 ? how->queue_depth : 1;
	unsigned asked = (p->uring_sqpoll ? IORING_SETUP_SQPOLL : 0) |
			 (p->uring_iopoll ? IORING_SETUP_IOPOLL : 0);
	int status = -EINVAL;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && status == -EINVAL; i++) {
		struct io_uring_params set = { .flags = asked | ways[i],
					       .sq_thread_idle = SQPOLL_IDLE_MS };

		/* A ring of a single issuer belongs to the thread that makes it. */
		if (!how->handed || !ways[i])
			status = io_uring_queue_init_params(entries, &s->ring, &set);
	}
	if (status == 0)
		return 0;
	return pario_err_sys(err, -status,
			     status == -ENOMEM ? "Raise the limit on locked memory (ulimit -l) or "
						 "use a smaller --queue_depth."
					       : NULL,
			     "io_uring_setup with %u entries failed for %s", entries, how->path);
}

/*
 * All buffers, in parts as large as the kernel takes them. Where it refuses (locked memory), requests go unregistered.
 */
static void register_buffers(const struct pario_open *how, struct state *s)
{
	uint64_t depth = how->queue_depth > 1 ? how->queue_depth : 1, total, part, count;
	struct iovec *parts;

	if (!how->buffers || !how->buffer_size || how->buffer_size > PARIO_BACKEND_CHUNK ||
	    !pario_mul(how->buffer_size, how->buffer_count ? how->buffer_count : depth, &total))
		return;
	part = PARIO_BACKEND_CHUNK / how->buffer_size * how->buffer_size;
	count = (total + part - 1) / part;
	parts = calloc(count, sizeof(*parts));
	if (!parts)
		return;
	for (uint64_t i = 0; i < count; i++)
		parts[i] = (struct iovec){ .iov_base = (char *)how->buffers + i * part,
					   .iov_len = (size_t)(i + 1 < count ? part
									     : total - i * part) };
	if (io_uring_register_buffers(&s->ring, parts, (unsigned)count) == 0) {
		s->base = how->buffers;
		s->size = total;
		s->part_bytes = part;
	}
	free(parts);
}

static void register_all(const struct pario_open *how, struct state *s)
{
	const struct params *p = how->params ? how->params : &defaults;

	s->target = s->fd;
	if (!p->uring_fixed)
		return;
	if (io_uring_register_files(&s->ring, &s->fd, 1) == 0) {
		s->target = 0;
		s->sqe_flags = IOSQE_FIXED_FILE;
	}
	register_buffers(how, s);
	if (!how->handed) /* it would be known to this thread only */
		io_uring_register_ring_fd(&s->ring);
}

static int uring_open(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));
	int status = s ? ring_init(how, s, err)
		       : pario_err_sys(err, ENOMEM, NULL, "open failed for %s", how->path);
	bool ring = status == 0;

	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_state;
	if (pario_posix_open(how, &s->fd, err) < 0)
		goto free_state;
	register_all(how, s);
	s->direct = how->direct;
	file->how = *how;
	file->state = s;
	return 0;

free_state:
	if (ring)
		io_uring_queue_exit(&s->ring);
	free(s);
	return -1;
}

/*
 * Waits for what the kernel still works on, after a failure, so that no buffer changes once the
 * file is closed.
 */
static void drain(struct state *s)
{
	unsigned in_kernel = s->in_flight - s->queued;
	struct io_uring_cqe *cqe;

	while (in_kernel) {
		int status = io_uring_wait_cqe(&s->ring, &cqe);

		if (status == -EINTR)
			continue;
		if (status < 0)
			return;
		io_uring_cqe_seen(&s->ring, cqe);
		in_kernel--;
	}
}

static int uring_close(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;
	int sys;

	drain(s);
	/* The kernel takes a ring apart later, and would keep the room of a file that was removed until then. */
	io_uring_unregister_files(&s->ring);
	io_uring_queue_exit(&s->ring);
	sys = close(s->fd) < 0 ? errno : 0;
	free(s);
	file->state = NULL;
	return sys ? pario_err_sys(err, sys, pario_backend_hint(file->how.direct, sys),
				   "close failed for %s", file->how.path)
		   : 0;
}

static const struct pario_extent_ops extent = {
	.open = uring_open,
	.write = uring_write,
	.read = uring_read,
	.submit = uring_submit,
	.reap = uring_reap,
	.sync = uring_sync,
	.close = uring_close,
};

#else

static const char *unavailable(void)
{
	return "built without liburing";
}

static void version(char *text, size_t capacity)
{
	snprintf(text, capacity, "none");
}

#endif

const struct pario_backend pario_backend_uring = {
	.name = "uring",
	.summary = "many requests in flight through Linux's io_uring",
	.options = options,
	.params_size = sizeof(struct params),
	.bits = PARIO_BACKEND_DIRECT | PARIO_BACKEND_SYNCHRONOUS | PARIO_BACKEND_DATA_ONLY |
		PARIO_BACKEND_THREADS,
	.unavailable = unavailable,
	.version = version,
#ifdef PARIO_HAVE_LIBURING
	.check = check,
	.extent = &extent,
#endif
};
