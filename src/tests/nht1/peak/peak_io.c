/*
 * peak_io: the backends uring and posix make the requests; here they are kept coming.
 */
#include "tests/nht1/peak/peak_io.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/test.h"

const char *const pario_peak_io_methods[] = { "uring", "threads", NULL };

static const char *const backends[] = { "uring", "posix" };

/* What the threads of one move share. The lock guards all that changes. */
struct crew {
	struct pario_file *file;
	const struct pario_move *move;
	uint64_t request;
	pthread_mutex_t lock;
	pthread_cond_t moved;
	uint64_t next, count, done;
	int64_t *begun; /* when the requests began, in the order they were done */
	bool stop;
	struct pario_err err;
};

const char *pario_peak_io_unavailable(enum pario_method method)
{
	const struct pario_backend *b = pario_backend_find(backends[method]);

	return b->unavailable ? b->unavailable() : NULL;
}

static uint64_t length_of(const struct pario_move *move, uint64_t request, uint64_t i)
{
	uint64_t left = move->bytes - i * request;

	return left < request ? left : request;
}

static void count_one(struct pario_run *run, const struct pario_move *move, int64_t begun,
		      uint64_t bytes)
{
	if (!move->whole)
		pario_run_finish(run, begun, bytes);
}

static void step(struct pario_run *run, const struct pario_move *move, enum pario_step kind)
{
	if (!move->whole)
		pario_run_step(run, kind);
}

static int through_queue(struct pario_run *run, struct pario_file *file,
			 const struct pario_io_method *way, const struct pario_move *move,
			 uint64_t count, struct pario_err *err)
{
	const struct pario_extent_ops *ops = file->backend->extent;
	struct pario_request requests[PARIO_PEAK_IO_DEPTH] = { { 0 } };
	struct pario_request *spare[PARIO_PEAK_IO_DEPTH] = { 0 }, *done[PARIO_PEAK_IO_DEPTH];
	struct pario_err later;
	unsigned free_count = 0;
	uint64_t next = 0;
	int got, status = 0;

	while (free_count < way->depth) {
		spare[free_count] = &requests[free_count];
		free_count++;
	}
	do {
		/* A loop around this one may have been promised more turns than this one has. */
		while (status == 0 && free_count && next < count &&
		       pario_run_more(run, next, count)) {
			struct pario_request *r = spare[--free_count];

			*r = (struct pario_request){ .write = move->write,
						     .buffer = (char *)move->base +
							       next * way->request,
						     .start_ns = pario_run_now(),
						     .length = length_of(move, way->request, next),
						     .offset = next * way->request };
			status = ops->submit(file, r, err);
			if (status < 0)
				spare[free_count++] = r;
			next++;
		}
		/* After a failure only what is under way is waited for: the requests are on this stack. */
		if (free_count == way->depth)
			return status;
		got = ops->reap(file, 1, way->depth, done, status < 0 ? &later : err);
		for (int i = 0; i < got; i++) {
			if (done[i]->status < 0)
				status = -1;
			else
				count_one(run, move, done[i]->start_ns, done[i]->length);
			spare[free_count++] = done[i];
		}
	} while (got > 0);
	return -1;
}

static void *work(void *argument)
{
	struct crew *c = argument;
	const struct pario_extent_ops *ops = c->file->backend->extent;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && c->next < c->count) {
		uint64_t i = c->next++, offset = i * c->request;
		uint64_t length = length_of(c->move, c->request, i);
		char *at = (char *)c->move->base + offset;
		struct pario_err err = { 0 };
		int64_t begun = pario_run_now();
		int status;

		pthread_mutex_unlock(&c->lock);
		status = c->move->write ? ops->write(c->file, at, length, offset, &err)
					: ops->read(c->file, at, length, offset, &err);
		pthread_mutex_lock(&c->lock);
		if (status < 0 && !c->stop)
			c->err = err;
		c->stop |= status < 0;
		c->begun[c->done] = begun;
		c->done += status == 0;
		pthread_cond_signal(&c->moved);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Counts what the threads finish, until all is done or the loop is to end. The lock is held. */
static void oversee(struct pario_run *run, struct crew *c)
{
	uint64_t seen = 0;

	while (!c->stop && seen < c->count) {
		while (seen == c->done && !c->stop)
			pthread_cond_wait(&c->moved, &c->lock);
		for (; seen < c->done; seen++)
			count_one(run, c->move, c->begun[seen],
				  length_of(c->move, c->request, seen));
		if (seen < c->count && !pario_run_more(run, seen, c->count))
			c->stop = true;
	}
}

static int by_threads(struct pario_run *run, struct pario_file *file,
		      const struct pario_io_method *way, const struct pario_move *move,
		      uint64_t count, struct pario_err *err)
{
	struct crew crew = { .file = file,
			     .move = move,
			     .request = way->request,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .moved = PTHREAD_COND_INITIALIZER,
			     .count = count,
			     .begun = malloc(count * sizeof(*crew.begun)) };
	pthread_t threads[PARIO_PEAK_IO_DEPTH];
	sigset_t all, before;
	unsigned started = 0;

	if (!crew.begun)
		return pario_err_memory(err, "%llu requests. Use a larger --request_size",
					(unsigned long long)count);
	/* Signals are for the thread that looks after them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < way->depth && pthread_create(&threads[started], NULL, work, &crew) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_mutex_lock(&crew.lock);
	if (started < way->depth) {
		crew.stop = true;
		pario_err_set(
			&crew.err, PARIO_SYSTEM,
			"only %u of %u threads could be started. Use a smaller --queue_depth.",
			started, way->depth);
	}
	oversee(run, &crew);
	pthread_mutex_unlock(&crew.lock);
	while (started > 0)
		pthread_join(threads[--started], NULL);
	free(crew.begun);
	pthread_cond_destroy(&crew.moved);
	pthread_mutex_destroy(&crew.lock);
	if (crew.err.code == PARIO_OK)
		return 0;
	*err = crew.err;
	return -1;
}

static int transfer(struct pario_run *run, struct pario_file *file,
		    const struct pario_io_method *way, const struct pario_move *move,
		    struct pario_err *err)
{
	uint64_t count = (move->bytes + way->request - 1) / way->request;

	if (way->method == PARIO_PEAK_IO_URING)
		return through_queue(run, file, way, move, count, err);
	return by_threads(run, file, way, move, count, err);
}

/* The file's name is durable only when the directory is. Where directories cannot be synced, nothing is lost. */
static int settle(struct pario_file *file, const struct pario_move *move, struct pario_err *err)
{
	if (file->backend->extent->sync(file, err) < 0)
		return -1;
	if (fsync(move->dirfd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return pario_run_file_error(move->dirfd, ".", "the fsync of", err);
	return 0;
}

int pario_peak_io_move(struct pario_run *run, const struct pario_io_method *way,
		       const struct pario_move *move, struct pario_err *err)
{
	const struct pario_backend *backend = pario_backend_find(backends[way->method]);
	struct pario_file file = { .backend = backend };
	struct pario_err later = { 0 };
	char path[PARIO_PATH_CAPACITY];
	struct pario_open how = { .dirfd = move->dirfd,
				  .name = move->name,
				  .path = path,
				  .comm = MPI_COMM_SELF,
				  .read = !move->write,
				  .write = move->write,
				  .create = move->write,
				  .direct = way->direct,
				  .clients = run->clients,
				  .size = move->bytes,
				  .preallocate = move->write,
				  .queue_depth = way->depth };
	int status, closed;

	pario_run_path(move->dirfd, move->name, path);
	/* Blocks that are there already can be written in any order; some file systems cannot reserve them. */
	status = backend->extent->open(&file, &how, err);
	if (status < 0 && move->write && err->sys == EOPNOTSUPP) {
		how.preallocate = false;
		status = backend->extent->open(&file, &how, err);
	}
	if (status < 0)
		return -1;
	step(run, move, PARIO_STEP_OPEN);
	status = transfer(run, &file, way, move, err);
	step(run, move, PARIO_STEP_TRANSFER);
	if (status == 0 && move->write) {
		status = settle(&file, move, err);
		step(run, move, PARIO_STEP_SYNC);
	}
	closed = backend->extent->close(&file, status == 0 ? err : &later);
	step(run, move, PARIO_STEP_CLOSE);
	return status == 0 ? closed : status;
}
