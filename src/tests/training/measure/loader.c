/*
 * loader: a lock around the queue of batches; everything else is a thread's own.
 */
#include "tests/training/measure/loader.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/common/linear.h"
#include "tests/training/model/batch_queue.h"
#include "tests/training/model/crc32c.h"

/* Files of many samples that a loader holds open; its own stack, most of which is never touched. */
enum {
	OPEN_FILES = 32,
	STACK = 512 << 10,
	POISON = 64,
	NAME = 32,
	PATH = PARIO_PATH_CAPACITY + NAME
};

struct reader {
	struct pario_loader *loader;
	pthread_t id;
	char *buffer;
	struct pario_file open[OPEN_FILES];
	uint64_t holds[OPEN_FILES]; /* which file that is, plus 1; 0 = none */
	char name[NAME], path[PATH];
	struct pario_histogram latency;
};

struct pario_loader {
	const struct pario_samples *samples;
	struct pario_course course;
	uint64_t threads, running;
	pthread_mutex_t lock;
	pthread_cond_t room, ready;
	struct pario_batch_queue queue;
	struct pario_loaded *batches; /* in their places of the queue */
	bool stop;
	struct pario_err err;
	struct reader *readers; /* one for the step itself where there are no threads */
};

void pario_samples_name(uint64_t file, char name[32])
{
	snprintf(name, NAME, "s%08llu", (unsigned long long)file);
}

uint64_t pario_samples_mark(const struct pario_samples *samples, uint64_t sample)
{
	uint64_t word;

	pario_dataset_fill(samples->set, sample, &word, sizeof(word));
	return pario_random_mix(word);
}

static bool stores(const struct pario_samples *s)
{
	return !(s->run->point->backend->bits & PARIO_BACKEND_NO_DATA);
}

/* ---- files ---- */

/* Sentences of all files that a reader holds open are about the one that it has just asked for. */
static void name_file(const struct pario_samples *s, uint64_t number, char name[NAME],
		      char path[PATH])
{
	pario_samples_name(number, name);
	snprintf(path, PATH, "%s%s", s->path, name);
}

static int open_file(const struct pario_samples *s, struct pario_file *file, uint64_t number,
		     char name[NAME], char path[PATH], bool write, struct pario_err *err)
{
	const struct pario_point *point = s->run->point;
	uint64_t bytes = pario_dataset_file_bytes(s->set, number);
	struct pario_open how = { .dirfd = s->dirfd,
				  .name = name,
				  .path = path,
				  .comm = MPI_COMM_SELF,
				  .read = !write,
				  .write = write,
				  .create = write,
				  .direct = point->access->direct,
				  .shuffled = true,
				  .clients = s->run->clients,
				  .size = bytes,
				  .queue_depth = 1,
				  .hints = &point->access->hints,
				  .params = point->backend_params };

	name_file(s, number, name, path);
	return pario_linear_open(point->backend, file, &how, err);
}

/* ---- the frame of a record: length, its sum, data, their sum; little-endian ---- */

static void put(char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i);
}

static uint64_t get(const char *at, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)at[i] << 8 * i;
	return value;
}

static void frame(char *data, uint64_t bytes)
{
	char *head = data - PARIO_RECORD_HEAD;

	put(head, bytes, 8);
	put(head + 8, pario_crc32c_mask(pario_crc32c(head, 8)), 4);
	put(data + bytes, pario_crc32c_mask(pario_crc32c(data, bytes)), 4);
}

static int check_frame(const char *data, uint64_t bytes, const char *path, uint64_t sample,
		       struct pario_err *err)
{
	const char *head = data - PARIO_RECORD_HEAD, *what = NULL;

	if (get(head, 8) != bytes)
		what = "another length";
	else if (get(head + 8, 4) != pario_crc32c_mask(pario_crc32c(head, 8)))
		what = "a wrong sum of its length";
	else if (get(data + bytes, 4) != pario_crc32c_mask(pario_crc32c(data, bytes)))
		what = "a wrong sum of its data";
	if (!what)
		return 0;
	return pario_err_set(err, PARIO_VERIFY,
			     "wrong data in %s: the record of sample %llu has %s (masked CRC-32C).",
			     path, (unsigned long long)sample, what);
}

int pario_samples_make(const struct pario_samples *samples, uint64_t file, void *buffer,
		       struct pario_err *err)
{
	uint64_t each = samples->set->samples_per_file;
	char name[NAME], path[PATH];
	struct pario_err later = { 0 };
	struct pario_file f;
	int status = 0, closed;

	if (open_file(samples, &f, file, name, path, true, err) < 0)
		return -1;
	/* What is aligned overlaps its neighbour: it keeps the end that was written before. */
	for (uint64_t i = 0, kept = 0; i < each && status == 0; i++) {
		struct pario_sample_place p = pario_dataset_place(samples->set, file * each + i);
		char *at = buffer, *end = at + p.data + p.bytes;
		uint64_t tail =
			samples->set->format == PARIO_FORMAT_TFRECORD ? PARIO_RECORD_TAIL : 0;

		if (kept)
			memmove(at, at + kept, samples->set->align);
		memset(end, 0, p.length - (uint64_t)(end - at));
		pario_dataset_fill(samples->set, file * each + i, at + p.data, p.bytes);
		if (tail)
			frame(at + p.data, p.bytes);
		status = pario_linear_move(&f, true, buffer, p.offset, p.length, err);
		kept = (uint64_t)(end - at) + tail;
		kept = samples->set->align > 1 ? kept / samples->set->align * samples->set->align
					       : 0;
	}
	if (status == 0)
		status = pario_linear_sync(&f, err);
	closed = pario_linear_close(&f, status ? &later : err);
	return status ? status : closed;
}

/* ---- reading ---- */

/* The file of a sample; one of many samples stays open. */
static struct pario_file *file_for(struct reader *r, uint64_t number, struct pario_err *err)
{
	const struct pario_samples *s = r->loader->samples;
	uint64_t place = number % OPEN_FILES;
	struct pario_file *file = &r->open[place];

	if (r->holds[place] == number + 1) {
		name_file(s, number, r->name, r->path);
		return file;
	}
	if (r->holds[place] && pario_linear_close(file, err) < 0)
		return NULL;
	r->holds[place] = 0;
	if (open_file(s, file, number, r->name, r->path, false, err) < 0)
		return NULL;
	r->holds[place] = number + 1;
	return file;
}

static int close_one(struct reader *r, uint64_t place, struct pario_err *err)
{
	if (!r->holds[place])
		return 0;
	r->holds[place] = 0;
	return pario_linear_close(&r->open[place], err);
}

static int look(struct reader *r, const struct pario_sample_place *p, uint64_t sample,
		uint64_t *sum, struct pario_err *err)
{
	const struct pario_samples *s = r->loader->samples;
	char *data = r->buffer + p->data;
	uint64_t word, length = s->compare ? p->bytes : sizeof(word);
	uint64_t right = pario_dataset_check(s->set, sample, data, length);

	memcpy(&word, data, sizeof(word));
	*sum += pario_random_mix(word);
	if (right < length)
		return pario_err_set(
			err, PARIO_VERIFY,
			"wrong data in %s: the byte at offset %llu is not that of sample "
			"%llu, which should be there.",
			r->path, (unsigned long long)(p->offset + p->data + right),
			(unsigned long long)sample);
	if (s->set->format == PARIO_FORMAT_TFRECORD)
		return check_frame(data, p->bytes, r->path, sample, err);
	return 0;
}

static int read_sample(struct reader *r, uint64_t sample, struct pario_loaded *batch,
		       struct pario_err *err)
{
	const struct pario_samples *s = r->loader->samples;
	struct pario_sample_place p = pario_dataset_place(s->set, sample);
	int64_t began = pario_run_now();
	struct pario_file *file = file_for(r, p.file, err);

	if (!file)
		return -1;
	if (stores(s))
		pario_run_poison(r->buffer + p.data, p.bytes < POISON ? p.bytes : POISON);
	if (pario_linear_move(file, false, r->buffer, p.offset, p.length, err) < 0 ||
	    (s->set->samples_per_file == 1 && close_one(r, p.file % OPEN_FILES, err) < 0))
		return -1;
	pario_histogram_add(&r->latency, pario_run_now() - began);
	batch->samples++;
	batch->bytes += p.bytes;
	if (stores(s))
		return look(r, &p, sample, &batch->sum, err);
	batch->sum += pario_samples_mark(s, sample);
	return 0;
}

static int read_batch(struct reader *r, uint64_t number, struct pario_loaded *batch,
		      struct pario_err *err)
{
	const struct pario_course *c = &r->loader->course;
	struct pario_batch_share share =
		pario_epoch_share(c->epoch->samples, c->accelerators, c->batch, number, c->own);

	*batch = (struct pario_loaded){ 0 };
	for (uint64_t i = 0; i < share.count; i++) {
		if (__atomic_load_n(&r->loader->stop, __ATOMIC_RELAXED))
			return 0;
		if (read_sample(r, pario_epoch_at(c->epoch, share.first + i), batch, err) < 0)
			return -1;
	}
	return 0;
}

static void *work(void *argument)
{
	struct reader *r = argument;
	struct pario_loader *l = r->loader;
	struct pario_loaded batch;

	pthread_mutex_lock(&l->lock);
	while (!l->stop && l->queue.begun < l->queue.batches) {
		struct pario_err err = { 0 };
		uint64_t number;
		int status;

		if (!pario_batch_queue_may_begin(&l->queue)) {
			pthread_cond_wait(&l->room, &l->lock);
			continue;
		}
		number = pario_batch_queue_begin(&l->queue);
		pthread_mutex_unlock(&l->lock);
		status = read_batch(r, number, &batch, &err);
		pthread_mutex_lock(&l->lock);
		if (status < 0 && !l->err.code)
			l->err = err;
		if (status < 0)
			__atomic_store_n(&l->stop, true, __ATOMIC_RELAXED);
		l->batches[number % l->queue.capacity] = batch;
		pario_batch_queue_end(&l->queue, number);
		pthread_cond_signal(&l->ready);
	}
	pthread_cond_broadcast(&l->room);
	pthread_cond_signal(&l->ready);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

struct pario_loader *pario_loader_new(const struct pario_samples *samples, uint64_t threads,
				      uint64_t prefetch, struct pario_err *err)
{
	struct pario_loader *l = calloc(1, sizeof(*l));
	uint64_t readers = threads ? threads : 1, capacity = readers + prefetch;
	bool there = l != NULL;

	if (l) {
		l->samples = samples;
		l->threads = threads;
		pthread_mutex_init(&l->lock, NULL);
		pthread_cond_init(&l->room, NULL);
		pthread_cond_init(&l->ready, NULL);
		l->queue.capacity = capacity;
		l->queue.ready = calloc(capacity, sizeof(*l->queue.ready));
		l->batches = calloc(capacity, sizeof(*l->batches));
		l->readers = calloc(readers, sizeof(*l->readers));
		there = l->queue.ready && l->batches && l->readers;
	}
	for (uint64_t i = 0; there && i < readers; i++) {
		l->readers[i].loader = l;
		there = posix_memalign((void **)&l->readers[i].buffer, 4096,
				       pario_dataset_most(samples->set)) == 0;
	}
	if (there)
		return l;
	pario_loader_free(l);
	pario_err_memory(err, "%llu loaders. Use smaller samples or fewer --read_threads",
			 (unsigned long long)threads);
	return NULL;
}

void pario_loader_free(struct pario_loader *loader)
{
	if (!loader)
		return;
	pario_loader_end(loader);
	for (uint64_t i = 0; loader->readers && i < (loader->threads ? loader->threads : 1); i++)
		free(loader->readers[i].buffer);
	pthread_cond_destroy(&loader->room);
	pthread_cond_destroy(&loader->ready);
	pthread_mutex_destroy(&loader->lock);
	free(loader->queue.ready);
	free(loader->batches);
	free(loader->readers);
	free(loader);
}

static int start(struct pario_loader *l, struct pario_err *err)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int rc = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	/* Signals are for the thread that looks after them. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (rc == 0 && l->running < l->threads) {
		rc = pthread_create(&l->readers[l->running].id, &attr, work,
				    &l->readers[l->running]);
		l->running += rc == 0;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc == 0 ? 0
		       : pario_err_sys(err, rc, "Use fewer --read_threads.",
				       "loader %llu cannot be started",
				       (unsigned long long)l->running);
}

int pario_loader_begin(struct pario_loader *loader, const struct pario_course *course,
		       struct pario_err *err)
{
	loader->course = *course;
	loader->stop = false;
	loader->err = (struct pario_err){ 0 };
	loader->queue.batches = course->steps;
	loader->queue.begun = loader->queue.consumed = 0;
	return start(loader, err);
}

int pario_loader_next(struct pario_loader *loader, struct pario_loaded *batch,
		      struct pario_err *err)
{
	if (loader->threads == 0)
		return read_batch(&loader->readers[0], loader->queue.consumed++, batch, err);
	pthread_mutex_lock(&loader->lock);
	while (!pario_batch_queue_may_consume(&loader->queue) && !loader->stop)
		pthread_cond_wait(&loader->ready, &loader->lock);
	if (!loader->stop) {
		*batch = loader->batches[loader->queue.consumed % loader->queue.capacity];
		pario_batch_queue_consume(&loader->queue);
		pthread_cond_signal(&loader->room);
	}
	*err = loader->err;
	pthread_mutex_unlock(&loader->lock);
	return err->code ? -1 : 0;
}

void pario_loader_end(struct pario_loader *loader)
{
	struct pario_err unread = { 0 };

	pthread_mutex_lock(&loader->lock);
	__atomic_store_n(&loader->stop, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&loader->room);
	pthread_mutex_unlock(&loader->lock);
	while (loader->running > 0)
		pthread_join(loader->readers[--loader->running].id, NULL);
	for (uint64_t i = 0; loader->readers && i < (loader->threads ? loader->threads : 1); i++)
		for (uint64_t place = 0; place < OPEN_FILES; place++)
			close_one(&loader->readers[i], place, &unread);
}

void pario_loader_latency(struct pario_loader *loader, struct pario_histogram *to)
{
	for (uint64_t i = 0; i < (loader->threads ? loader->threads : 1); i++) {
		struct pario_histogram *h = &loader->readers[i].latency;

		if (h->count && (!to->count || h->min_ns < to->min_ns))
			to->min_ns = h->min_ns;
		if (h->max_ns > to->max_ns)
			to->max_ns = h->max_ns;
		to->count += h->count;
		for (unsigned b = 0; b < PARIO_HISTOGRAM_BUCKETS; b++)
			to->bucket[b] += h->bucket[b];
		memset(h, 0, sizeof(*h));
	}
}
