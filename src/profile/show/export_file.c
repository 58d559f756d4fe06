/*
 * sink: a buffer, zlib behind it, and the file. The first error is kept, and later writes do nothing.
 */
#include "profile/show/export_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PARIO_HAVE_ZLIB
#include <zlib.h>

/* The fastest: names and numbers that repeat shrink to a tenth even so. */
enum { LEVEL = 1, GZIP_WINDOW = 15 + 16 };

struct gzip {
	z_stream stream;
	gz_header header;
};

static void *start(const char *mark)
{
	struct gzip *g = calloc(1, sizeof(*g));

	if (!g || deflateInit2(&g->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) !=
			  Z_OK) {
		free(g);
		return NULL;
	}
	g->header.os = 3;
	g->header.comment = (Bytef *)mark;
	deflateSetHeader(&g->stream, &g->header);
	return g;
}

static void compress_out(struct pario_export_file *s, bool last)
{
	struct gzip *g = s->gzip;

	g->stream.next_in = (Bytef *)s->data;
	g->stream.avail_in = (uInt)s->length;
	do {
		size_t n;

		g->stream.next_out = (Bytef *)s->packed;
		g->stream.avail_out = PARIO_EXPORT_FILE_BYTES;
		deflate(&g->stream, last ? Z_FINISH : Z_NO_FLUSH);
		n = PARIO_EXPORT_FILE_BYTES - g->stream.avail_out;
		s->failed |= n && fwrite(s->packed, n, 1, s->file) != 1;
	} while (!g->stream.avail_out && !s->failed);
}

static void finish(void *gzip)
{
	deflateEnd(&((struct gzip *)gzip)->stream);
	free(gzip);
}

static const bool available = true;

#else

static void *start(const char *mark)
{
	(void)mark;
	return NULL;
}

static void compress_out(struct pario_export_file *s, bool last)
{
	(void)last;
	s->failed = true;
}

static void finish(void *gzip)
{
	(void)gzip;
}

static const bool available = false;

#endif

bool pario_export_file_compresses(const char *path)
{
	size_t length = strlen(path);

	return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

int pario_export_file_open(struct pario_export_file *s, FILE *file, const char *path,
			   const char *mark, struct pario_err *err)
{
	bool gz = pario_export_file_compresses(path);

	*s = (struct pario_export_file){ .file = file };
	if (gz && !available)
		return pario_err_set(err, PARIO_USAGE,
				     "%s cannot be compressed: pario was built without zlib. "
				     "Choose a name without .gz.",
				     path);
	s->data = malloc(PARIO_EXPORT_FILE_BYTES);
	s->packed = gz ? malloc(PARIO_EXPORT_FILE_BYTES) : NULL;
	s->gzip = gz ? start(mark) : NULL;
	if (!s->data || (gz && (!s->packed || !s->gzip)))
		return pario_err_memory(err, "writing %s", path);
	return 0;
}

static void flush(struct pario_export_file *s, bool last)
{
	if (s->gzip)
		compress_out(s, last);
	else
		s->failed |= s->length && fwrite(s->data, s->length, 1, s->file) != 1;
	s->length = 0;
}

int pario_export_file_close(struct pario_export_file *s)
{
	bool failed;

	if (s->data && !s->failed && (s->gzip || !s->packed))
		flush(s, true);
	if (s->gzip)
		finish(s->gzip);
	failed = s->failed;
	free(s->data);
	free(s->packed);
	*s = (struct pario_export_file){ 0 };
	return failed ? -1 : 0;
}

void pario_export_file_bytes(struct pario_export_file *s, const char *bytes, size_t length)
{
	while (length && !s->failed) {
		size_t n = PARIO_EXPORT_FILE_BYTES - s->length;

		n = n < length ? n : length;
		memcpy(s->data + s->length, bytes, n);
		s->length += n;
		bytes += n;
		length -= n;
		if (s->length == PARIO_EXPORT_FILE_BYTES)
			flush(s, false);
	}
}

void pario_export_file_text(struct pario_export_file *s, const char *text)
{
	pario_export_file_bytes(s, text, strlen(text));
}

/* Digits before `end`; where they begin. */
static char *digits(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

void pario_export_file_u64(struct pario_export_file *s, uint64_t value)
{
	char buf[24], *end = buf + sizeof(buf), *at = digits(end, value);

	pario_export_file_bytes(s, at, (size_t)(end - at));
}

void pario_export_file_i64(struct pario_export_file *s, int64_t value)
{
	if (value < 0)
		pario_export_file_bytes(s, "-", 1);
	pario_export_file_u64(s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void pario_export_file_hex(struct pario_export_file *s, uint64_t value)
{
	char buf[18], *end = buf + sizeof(buf), *at = end;

	do
		*--at = "0123456789abcdef"[value & 15];
	while (value >>= 4);
	pario_export_file_bytes(s, at, (size_t)(end - at));
}

void pario_export_file_us(struct pario_export_file *s, double ns)
{
	int64_t whole = fabs(ns) < 9e18 ? llround(ns) : 0;
	uint64_t size = whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole;
	char buf[4] = { '.', (char)('0' + size / 100 % 10), (char)('0' + size / 10 % 10),
			(char)('0' + size % 10) };
	size_t length = 4;

	if (whole < 0)
		pario_export_file_bytes(s, "-", 1);
	pario_export_file_u64(s, size / 1000);
	while (length > 1 && buf[length - 1] == '0')
		length--;
	if (length > 1)
		pario_export_file_bytes(s, buf, length);
}
