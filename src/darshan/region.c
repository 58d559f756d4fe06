/*
 * region: streams of zlib or bzip2, or bytes as they are, one behind the other until the region's end.
 */
#include "darshan/region.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PARIO_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef PARIO_HAVE_BZIP2
#include <bzlib.h>
#endif

enum { ZLIB, BZIP2, NONE }; /* as the header counts them */
enum { PIECE = 16 << 10 };

struct pario_darshan_stream {
	const struct pario_darshan_log *log;
	uint64_t offset, left; /* of the compressed bytes: the next ones, and how many */
	bool between;	       /* no stream is open */
	bool lacks;	       /* the file ends before the region does */
	char *in;	       /* in the piece */
	size_t have;
#ifdef PARIO_HAVE_ZLIB
	z_stream zlib;
#endif
#ifdef PARIO_HAVE_BZIP2
	bz_stream bzip2;
#endif
	size_t out_at, out_have; /* in `out`: what was not read yet */
	char piece[PIECE], out[PIECE];
};

int pario_darshan_refuse(const struct pario_darshan_log *log, struct pario_err *err,
			 const char *format, ...)
{
	char why[300];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	return pario_err_set(err, PARIO_INVALID, "%s is no Darshan log that can be read: %s",
			     log->bytes.path, why);
}

struct pario_darshan_stream *pario_darshan_stream_open(const struct pario_darshan_log *log,
						       struct pario_darshan_region region,
						       struct pario_err *err)
{
	struct pario_darshan_stream *s = calloc(1, sizeof(*s));

	if (!s) {
		pario_err_memory(err, NULL);
		return NULL;
	}
	s->log = log;
	s->offset = region.offset;
	s->left = region.length;
	s->between = true;
	return s;
}

static void end(struct pario_darshan_stream *s)
{
	if (s->between)
		return;
	s->between = true;
#ifdef PARIO_HAVE_ZLIB
	if (s->log->compression == ZLIB)
		inflateEnd(&s->zlib);
#endif
#ifdef PARIO_HAVE_BZIP2
	if (s->log->compression == BZIP2)
		BZ2_bzDecompressEnd(&s->bzip2);
#endif
}

void pario_darshan_stream_close(struct pario_darshan_stream *s)
{
	if (s)
		end(s);
	free(s);
}

static bool begin(struct pario_darshan_stream *s)
{
	bool begun = s->log->compression == NONE;

#ifdef PARIO_HAVE_ZLIB
	if (s->log->compression == ZLIB) {
		s->zlib = (z_stream){ 0 };
		begun = inflateInit(&s->zlib) == Z_OK;
	}
#endif
#ifdef PARIO_HAVE_BZIP2
	if (s->log->compression == BZIP2) {
		s->bzip2 = (bz_stream){ 0 };
		begun = BZ2_bzDecompressInit(&s->bzip2, 0, 0) == BZ_OK;
	}
#endif
	s->between = !begun;
	return begun;
}

/* More compressed bytes; false: there are none. */
static bool fill(struct pario_darshan_stream *s)
{
	size_t n;

	if (s->have)
		return true;
	n = s->left < PIECE ? (size_t)s->left : PIECE;
	n = s->log->bytes.read(s->log->bytes.self, s->offset, s->piece, n);
	s->in = s->piece;
	s->have = n;
	s->offset += n;
	s->lacks |= n == 0 && s->left > 0;
	s->left = n ? s->left - n : 0;
	return n > 0;
}

#ifdef PARIO_HAVE_ZLIB
static int step_zlib(struct pario_darshan_stream *s, char *to, size_t *room)
{
	int code;

	s->zlib.next_in = (unsigned char *)s->in;
	s->zlib.avail_in = (unsigned)s->have;
	s->zlib.next_out = (unsigned char *)to;
	s->zlib.avail_out = (unsigned)*room;
	code = inflate(&s->zlib, Z_NO_FLUSH);
	s->in += s->have - s->zlib.avail_in;
	s->have = s->zlib.avail_in;
	*room = s->zlib.avail_out;
	if (code == Z_STREAM_END)
		end(s);
	return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? 0 : -1;
}
#endif

#ifdef PARIO_HAVE_BZIP2
static int step_bzip2(struct pario_darshan_stream *s, char *to, size_t *room)
{
	int code;

	s->bzip2.next_in = s->in;
	s->bzip2.avail_in = (unsigned)s->have;
	s->bzip2.next_out = to;
	s->bzip2.avail_out = (unsigned)*room;
	code = BZ2_bzDecompress(&s->bzip2);
	s->in += s->have - s->bzip2.avail_in;
	s->have = s->bzip2.avail_in;
	*room = s->bzip2.avail_out;
	if (code == BZ_STREAM_END)
		end(s);
	return code == BZ_OK || code == BZ_STREAM_END ? 0 : -1;
}
#endif

/* Some of the bytes; `room` says how many are still wanted. */
static int step(struct pario_darshan_stream *s, char *to, size_t *room)
{
	size_t n = *room < s->have ? *room : s->have;

#ifdef PARIO_HAVE_ZLIB
	if (s->log->compression == ZLIB)
		return step_zlib(s, to, room);
#endif
#ifdef PARIO_HAVE_BZIP2
	if (s->log->compression == BZIP2)
		return step_bzip2(s, to, room);
#endif
	memcpy(to, s->in, n);
	s->in += n;
	s->have -= n;
	*room -= n;
	return 0;
}

/* 1: there are bytes in `out`; 0: the region has ended where it may. */
static int refill(struct pario_darshan_stream *s, struct pario_err *err)
{
	size_t room = PIECE;

	while (room == PIECE) {
		/* what a decompressor holds back comes without more input */
		bool more = fill(s);

		if (s->lacks)
			return pario_darshan_refuse(s->log, err, "it was cut off.");
		if (!more && s->between)
			return 0;
		if (s->between && !begin(s))
			return pario_err_memory(err, NULL);
		if (step(s, s->out, &room) < 0)
			return pario_darshan_refuse(s->log, err, "a compressed part is damaged.");
		if (room == PIECE && !more)
			break;
	}
	s->out_at = 0;
	s->out_have = PIECE - room;
	/* plain bytes end anywhere */
	return s->out_have > 0 || s->log->compression == NONE
		       ? s->out_have > 0
		       : pario_darshan_refuse(s->log, err, "a compressed part was cut off.");
}

int pario_darshan_stream_read(struct pario_darshan_stream *s, void *to, size_t wanted,
			      struct pario_err *err)
{
	size_t done = 0;
	int status = 1;

	while (done < wanted) {
		size_t left = s->out_have - s->out_at,
		       n = left < wanted - done ? left : wanted - done;

		memcpy((char *)to + done, s->out + s->out_at, n);
		s->out_at += n;
		done += n;
		if (done < wanted && (status = refill(s, err)) <= 0)
			break;
	}
	if (done == wanted)
		return 1;
	if (done == 0 || status < 0)
		return status;
	return pario_darshan_refuse(s->log, err, "it ends within a record, so it was cut off.");
}

int pario_darshan_stream_words(struct pario_darshan_stream *s, uint64_t *to, size_t count,
			       struct pario_err *err)
{
	int status = pario_darshan_stream_read(s, to, count * sizeof(*to), err);

	for (size_t i = 0; status > 0 && s->log->swapped && i < count; i++)
		to[i] = __builtin_bswap64(to[i]);
	return status;
}
