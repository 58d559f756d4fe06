/*
 * vectors_backend: vectors through posix or uring, by the computing thread itself or by one beside it.
 *
 * The thread takes vectors in their order, writes each and makes it durable: the file system's own delayed writing
 * would leave most of the work for the end, where nothing is left to compute meanwhile.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/test.h"
#include "tests/nht1/application/vectors_private.h"

/* uring: pieces of a vector in flight at once, and how long they are at most. */
enum { DEPTH = 8, PIECE = 4 << 20 };

struct hand {
	struct pario_file file;
	struct pario_request requests[DEPTH];
	bool thread;
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t given, done; /* vectors */
	bool leave;
	struct pario_err err; /* the thread's first failure */
};

static int queue_pieces(struct hand *hand, char *from, uint64_t offset, uint64_t length,
			struct pario_err *err)
{
	const struct pario_extent_ops *ops = hand->file.backend->extent;
	struct pario_request *done[DEPTH], *idle[DEPTH];
	struct pario_err later;
	unsigned idle_count = DEPTH;
	uint64_t at = 0;
	int n, status = 0;

	for (unsigned i = 0; i < DEPTH; i++)
		idle[i] = &hand->requests[i];
	while ((at < length && status == 0) || idle_count < DEPTH) {
		if (at < length && status == 0 && idle_count) {
			struct pario_request *r = idle[--idle_count];

			*r = (struct pario_request){ .write = true,
						     .buffer = from + at,
						     .offset = offset + at,
						     .slot = (unsigned)(r - hand->requests),
						     .length = length - at < PIECE ? length - at
										   : PIECE };
			at += r->length;
			status = ops->submit(&hand->file, r, err);
			if (status < 0)
				idle[idle_count++] = r;
			continue;
		}
		n = ops->reap(&hand->file, 1, DEPTH, done, status < 0 ? &later : err);
		if (n <= 0)
			return -1;
		for (int i = 0; i < n; i++) {
			status = done[i]->status < 0 ? -1 : status;
			idle[idle_count++] = done[i];
		}
	}
	return status;
}

static int write_vector(struct pario_vectors *v, uint64_t vector, struct pario_err *err)
{
	struct hand *hand = v->state;
	const struct pario_extent_ops *ops = hand->file.backend->extent;
	uint64_t offset = pario_vectors_offset(&v->shape, vector), bytes;
	uint64_t pieces = pario_vectors_pieces(&v->shape, &bytes);
	char *from = v->slot[vector % v->slots];
	int status = 0;

	for (uint64_t i = 0; i < pieces && status == 0; i++, from += bytes, offset += bytes)
		status = hand->file.how.queue_depth > 1
				 ? queue_pieces(hand, from, offset, bytes, err)
				 : ops->write(&hand->file, from, bytes, offset, err);
	return status;
}

static void *work(void *argument)
{
	struct pario_vectors *v = argument;
	struct hand *hand = v->state;
	struct pario_err err = { 0 };
	int status;

	pthread_mutex_lock(&hand->lock);
	while (hand->done < hand->given || !hand->leave) {
		if (hand->done == hand->given) {
			pthread_cond_wait(&hand->changed, &hand->lock);
			continue;
		}
		pthread_mutex_unlock(&hand->lock);
		status = hand->err.code ? -1 : write_vector(v, hand->done, &err);
		if (status == 0)
			status = hand->file.backend->extent->sync(&hand->file, &err);
		v->times[hand->done].done_ns = pario_run_now();
		pthread_mutex_lock(&hand->lock);
		if (status < 0 && !hand->err.code)
			hand->err = err;
		hand->done++;
		pthread_cond_broadcast(&hand->changed);
	}
	pthread_mutex_unlock(&hand->lock);
	return NULL;
}

static int start_thread(struct pario_vectors *v, struct pario_err *err)
{
	struct hand *hand = v->state;
	int rc = pthread_create(&hand->id, NULL, work, v);

	if (rc != 0)
		return pario_err_sys(err, rc, "Use --mode sync.",
				     "a thread for the transfers cannot be started");
	hand->thread = true;
	return 0;
}

static int open_backend(struct pario_vectors *v, struct pario_err *err)
{
	const struct pario_vectors_shape *s = &v->shape;
	struct hand *hand = calloc(1, sizeof(*hand));
	const struct pario_backend *backend = pario_backend_find(s->api);
	int status;

	if (!hand || !backend) {
		free(hand);
		return pario_err_memory(err, "a file through %s", s->api);
	}
	pthread_mutex_init(&hand->lock, NULL);
	pthread_cond_init(&hand->changed, NULL);
	v->state = hand;
	hand->file.backend = backend;
	hand->file.how = (struct pario_open){
		.dirfd = s->dirfd,
		.name = s->name,
		.path = s->path,
		.comm = s->layout == PARIO_VECTORS_EPIO ? MPI_COMM_SELF : s->comm,
		.write = true,
		.create = true,
		.handed = s->async,
		.clients = 1,
		.queue_depth =
			backend->extent->submit && s->layout != PARIO_VECTORS_SIMPLE ? DEPTH : 1,
	};
	status = backend->extent->open(&hand->file, &hand->file.how, err);
	return status == 0 && s->async ? start_thread(v, err) : status;
}

static int put(struct pario_vectors *v, uint64_t vector, struct pario_err *err)
{
	struct hand *hand = v->state;
	int status = 0;

	if (hand->thread) {
		pthread_mutex_lock(&hand->lock);
		hand->given = vector + 1;
		pthread_cond_broadcast(&hand->changed);
		pthread_mutex_unlock(&hand->lock);
		return 0;
	}
	status = write_vector(v, vector, err);
	v->times[vector].done_ns = pario_run_now();
	return status;
}

static int wait(struct pario_vectors *v, uint64_t vector, struct pario_err *err)
{
	struct hand *hand = v->state;

	if (!hand->thread)
		return 0;
	pthread_mutex_lock(&hand->lock);
	while (hand->done <= vector)
		pthread_cond_wait(&hand->changed, &hand->lock);
	*err = hand->err;
	pthread_mutex_unlock(&hand->lock);
	return err->code ? -1 : 0;
}

static void end_thread(struct hand *hand)
{
	if (!hand->thread)
		return;
	pthread_mutex_lock(&hand->lock);
	hand->leave = true;
	pthread_cond_broadcast(&hand->changed);
	pthread_mutex_unlock(&hand->lock);
	pthread_join(hand->id, NULL);
	hand->thread = false;
}

static int finish(struct pario_vectors *v, int status, struct pario_err *err)
{
	struct hand *hand = v->state;
	const struct pario_extent_ops *ops = hand->file.backend->extent;
	struct pario_err later = { 0 };

	end_thread(hand);
	if (status == 0)
		status = ops->sync(&hand->file, err);
	if (ops->close(&hand->file, status == 0 ? err : &later) < 0)
		status = -1;
	return status;
}

static void release(struct pario_vectors *v)
{
	struct hand *hand = v->state;

	if (!hand)
		return;
	end_thread(hand);
	pthread_cond_destroy(&hand->changed);
	pthread_mutex_destroy(&hand->lock);
	free(hand);
}

const struct pario_vectors_way pario_vectors_by_backend = {
	.open = open_backend,
	.put = put,
	.wait = wait,
	.finish = finish,
	.free = release,
};
