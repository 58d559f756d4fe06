/*
 * log: the header, the job and the names of a log. Records are read by modules.c; no counter has a meaning here.
 */
#include "darshan/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan/region.h"

enum {
	MAGIC = 6567223,
	MANY = 64, /* modules in a header of version 3.41 */
	FEW = 16,  /* before */
	METADATA = 1024,
	NAME = 8192,
};

static uint64_t word(const struct pario_darshan_log *log, const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return log->swapped ? __builtin_bswap64(value) : value;
}

static uint32_t half(const struct pario_darshan_log *log, const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return log->swapped ? __builtin_bswap32(value) : value;
}

/* The format's version as text, and a number that tells the order of bytes. */
bool pario_darshan_is_log(const void *bytes, size_t length)
{
	const unsigned char *b = bytes;
	uint64_t magic;

	if (length < PARIO_DARSHAN_SIGN || b[0] < '0' || b[0] > '9' || b[1] != '.')
		return false;
	memcpy(&magic, b + 8, sizeof(magic));
	return magic == MAGIC || magic == __builtin_bswap64(MAGIC);
}

static struct pario_darshan_region region(const struct pario_darshan_log *log,
					  const unsigned char *at)
{
	return (struct pario_darshan_region){ word(log, at), word(log, at + 8) };
}

/* version[8] magic compression, partial: 4 bytes at 20, since 3.41 8 at 24; names; modules; versions of modules */
static uint64_t take_header(struct pario_darshan_log *log, const unsigned char *h, size_t length)
{
	bool wide = strcmp(log->version, "3.40") >= 0;
	unsigned at = wide ? 32 : 24;

	log->count = wide ? MANY : FEW;
	if (length < at + 16 + log->count * 20)
		return 0;
	log->compression = h[16];
	log->partial = wide ? word(log, h + 24) : half(log, h + 20);
	log->names = region(log, h + at);
	at += 16;
	for (unsigned i = 0; i < log->count; i++, at += 16)
		log->module[i] = region(log, h + at);
	for (unsigned i = 0; i < log->count; i++, at += 4)
		log->versions[i] = half(log, h + at);
	return at;
}

static int read_header(struct pario_darshan_log *log, uint64_t *length, struct pario_err *err)
{
	unsigned char h[32 + 16 + MANY * 20];
	size_t n = log->bytes.read(log->bytes.self, 0, h, sizeof(h));
	uint64_t magic;

	if (!pario_darshan_is_log(h, n))
		return pario_darshan_refuse(log, err, "it does not begin like one.");
	memcpy(&magic, h + 8, sizeof(magic));
	log->swapped = magic != MAGIC;
	memcpy(log->version, h, sizeof(log->version) - 1);
	if (strncmp(log->version, "3.", 2) != 0)
		return pario_darshan_refuse(
			log, err,
			"it has version %s of the format, and 3.00 to 3.41 are known. Make text of "
			"it with the darshan-parser that belongs to it, and import that.",
			log->version);
	*length = take_header(log, h, n);
	return *length ? 0 : pario_darshan_refuse(log, err, "its header was cut off.");
}

static int check_compression(const struct pario_darshan_log *log, struct pario_err *err)
{
	static const char *const names[] = { "zlib", "bzip2", "nothing" };

	if (log->compression >= sizeof(names) / sizeof(names[0]))
		return pario_darshan_refuse(log, err, "way %u of compression is not known.",
					    log->compression);
#ifdef PARIO_HAVE_ZLIB
	if (log->compression == 0)
		return 0;
#endif
#ifdef PARIO_HAVE_BZIP2
	if (log->compression == 1)
		return 0;
#endif
	return log->compression == 2
		       ? 0
		       : pario_darshan_refuse(
				 log, err, "it is compressed by %s, which pario was built without.",
				 names[log->compression]);
}

/* Where a line of the job's metadata has this head, what stands behind it. */
static void take_metadata(struct pario_darshan_log *log, const char *text)
{
	const char *at = strstr(text, "lib_ver=");

	if (at)
		snprintf(log->library, sizeof(log->library), "%.*s", (int)strcspn(at + 8, "\n"),
			 at + 8);
}

/* The rest of the job's part. Without a part behind it, it ends where the file does. */
static int read_program(struct pario_darshan_log *log, struct pario_darshan_stream *s, bool last,
			struct pario_err *err)
{
	size_t n = 0;
	int status = 1;

	log->job = calloc(1, PARIO_DARSHAN_JOB);
	if (!log->job)
		return pario_err_memory(err, NULL);
	while (status > 0 && n + 1 < PARIO_DARSHAN_JOB) {
		status = pario_darshan_stream_read(s, log->job + n, 1, last ? NULL : err);
		n += status > 0;
	}
	return last ? 0 : status;
}

/* uid, start, end, processes, id; since 3.41 nanoseconds behind both times; metadata; the program and the mounts */
static int read_job(struct pario_darshan_log *log, struct pario_darshan_region at,
		    struct pario_err *err)
{
	bool wide = log->count == MANY;
	struct pario_darshan_stream *s = pario_darshan_stream_open(log, at, err);
	uint64_t w[7] = { 0 };
	char metadata[METADATA + 1] = "";
	int status = s ? pario_darshan_stream_words(s, w, wide ? 7 : 5, err) : -1;

	if (status > 0)
		status = pario_darshan_stream_read(s, metadata, METADATA, err);
	if (status == 0)
		status = pario_darshan_refuse(log, err, "it tells nothing of its job.");
	if (status > 0)
		status = read_program(log, s, at.length == UINT64_MAX, err);
	pario_darshan_stream_close(s);
	if (status < 0)
		return -1;
	log->uid = w[0];
	log->start = (double)(int64_t)w[1] + (wide ? (double)w[2] * 1e-9 : 0);
	log->end = (double)(int64_t)w[wide ? 3 : 2] + (wide ? (double)w[4] * 1e-9 : 0);
	log->nprocs = w[wide ? 5 : 3];
	log->jobid = w[wide ? 6 : 4];
	take_metadata(log, metadata);
	return 0;
}

int pario_darshan_log_open(struct pario_darshan_log *log, const struct pario_darshan_bytes *bytes,
			   struct pario_err *err)
{
	uint64_t length = 0;
	struct pario_darshan_region job;

	*log = (struct pario_darshan_log){ .bytes = *bytes };
	if (read_header(log, &length, err) < 0 || check_compression(log, err) < 0)
		return -1;
	/* the job lies between the header and the first region behind it */
	job = (struct pario_darshan_region){ length, UINT64_MAX };
	for (unsigned i = 0; i <= log->count; i++) {
		const struct pario_darshan_region *r = i ? &log->module[i - 1] : &log->names;

		if (r->length && r->offset >= length && r->offset - length < job.length)
			job.length = r->offset - length;
	}
	if (read_job(log, job, err) == 0)
		return 0;
	pario_darshan_log_release(log);
	return -1;
}

void pario_darshan_log_release(struct pario_darshan_log *log)
{
	free(log->job);
	log->job = NULL;
}

/* Up to the zero; before 3.1 a length came first. */
static int read_name(const struct pario_darshan_log *log, struct pario_darshan_stream *s,
		     char name[NAME], struct pario_err *err)
{
	uint64_t left = UINT64_MAX;
	uint32_t length;
	size_t n = 0;
	char c = 1;
	int status = 1;

	if (strcmp(log->version, "3.00") <= 0) {
		status = pario_darshan_stream_read(s, &length, sizeof(length), err);
		left = status > 0 && log->swapped ? __builtin_bswap32(length) : length;
	}
	for (; status > 0 && left > 0; left--) {
		status = pario_darshan_stream_read(s, &c, 1, err);
		if (status <= 0 || (c == '\0' && left > UINT32_MAX))
			break;
		if (n + 1 < NAME)
			name[n++] = c;
	}
	name[n] = '\0';
	return status == 0 ? pario_darshan_refuse(log, err, "its table of names was cut off.")
			   : status;
}

int pario_darshan_names_read(const struct pario_darshan_log *log, pario_darshan_name *see,
			     void *self, struct pario_err *err)
{
	struct pario_darshan_stream *s = pario_darshan_stream_open(log, log->names, err);
	char name[NAME];
	uint64_t id;
	int status = s ? 1 : -1;

	while (status > 0) {
		status = pario_darshan_stream_words(s, &id, 1, err);
		if (status > 0)
			status = read_name(log, s, name, err);
		if (status > 0)
			status = see(self, id, name, err) < 0 ? -1 : 1;
	}
	pario_darshan_stream_close(s);
	return status;
}
