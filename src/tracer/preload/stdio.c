/*
 * stdio: wrappers of the calls that open, close, read, write and position streams. Formatted
 * and wide ones are in formatted.c.
 *
 * Reads and writes that the library itself makes for its buffers do not pass by here. putc and getc compiled inline
 * show as the overflow and underflow of the buffer.
 */
#include "tracer/preload/stream.h"

#include <stdlib.h>
#include <string.h>

#undef fread_unlocked
#undef fwrite_unlocked

/* clang-format off */

#define STDIO(type, name, op, params, args, before, after) PARIO_WRAP(type, name, op, STDIO, params, args, before, after)
#define OPEN(name, op, params, args, path, mode) \
	STDIO(FILE *, name, op, params, args, \
	      struct pario_opening o = pario_stream_opening(path, mode); c.start = pario_ticks(), \
	      pario_stream_opened(&c, r, mode, &o))

OPEN(fopen, fopen, (const char *path, const char *mode), (path, mode), path, mode)
OPEN(tmpfile, tmpfile, (void), (), NULL, NULL)
STDIO(FILE *, popen, popen, (const char *command, const char *mode), (command, mode),
      struct pario_leave leave = pario_leave(-100, "/bin/sh", 0, false, NULL, NULL),
      pario_leave_not(leave); struct pario_opening o = pario_stream_opening(NULL, mode);
      pario_stream_opened(&c, r, mode, &o); c.more = pario_trace_text(command))
STDIO(FILE *, fdopen, fdopen, (int fd, const char *mode), (fd, mode), ,
      pario_of_fd(&c, fd); c.arg = (uint32_t)pario_stream_flags(mode);
      if (!r) pario_failed(&c, errno); else pario_fd_stream(fd, false))
STDIO(FILE *, freopen, freopen, (const char *path, const char *mode, FILE *f), (path, mode, f),
      struct pario_opening o = pario_stream_opening(path, mode); c.start = pario_ticks(); pario_stream_closing(&c, f);
      c.more = (uint64_t)c.fd, pario_stream_opened(&c, r, mode, &o))
STDIO(int, fclose, fclose, (FILE *f), (f), pario_stream_closing(&c, f), pario_answered(&c, r))
STDIO(int, pclose, pclose, (FILE *f), (f), pario_stream_closing(&c, f), pario_answered(&c, r))
STDIO(int, fcloseall, fcloseall, (void), (), , pario_answered(&c, r))
STDIO(FILE *, fmemopen, fmemopen, (void *at, size_t n, const char *mode), (at, n, mode), , if (!r) pario_failed(&c, errno))
STDIO(FILE *, open_memstream, open_memstream, (char **at, size_t *n), (at, n), , if (!r) pario_failed(&c, errno))
STDIO(FILE *, open_wmemstream, open_wmemstream, (wchar_t **at, size_t *n), (at, n), , if (!r) pario_failed(&c, errno))

#define BLOCK(name, op, params, args) \
	STDIO(size_t, name, op, params, args, , (pario_streamed(&c, f, size * n, (long)(r * size)), c.arg = (uint32_t)size))
BLOCK(fread, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f))
BLOCK(fread_unlocked, fread, (void *to, size_t size, size_t n, FILE *f), (to, size, n, f))
BLOCK(__fread_chk, fread, (void *to, size_t capacity, size_t size, size_t n, FILE *f), (to, capacity, size, n, f))
BLOCK(__fread_unlocked_chk, fread, (void *to, size_t capacity, size_t size, size_t n, FILE *f), (to, capacity, size, n, f))
BLOCK(fwrite, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f))
BLOCK(fwrite_unlocked, fwrite, (const void *from, size_t size, size_t n, FILE *f), (from, size, n, f))

/* One character; EOF is -1. */
#define CHARACTER(name, op, params, args, stream) \
	STDIO(int, name, op, params, args, , pario_streamed(&c, stream, 1, r == EOF ? -1 : 1))
CHARACTER(fgetc, fgetc, (FILE *f), (f), f)
CHARACTER(getc, fgetc, (FILE *f), (f), f)
CHARACTER(fgetc_unlocked, fgetc, (FILE *f), (f), f)
CHARACTER(getc_unlocked, fgetc, (FILE *f), (f), f)
CHARACTER(getchar, fgetc, (void), (), stdin)
CHARACTER(getchar_unlocked, fgetc, (void), (), stdin)
CHARACTER(__uflow, uflow, (FILE *f), (f), f)
CHARACTER(fputc, fputc, (int ch, FILE *f), (ch, f), f)
CHARACTER(putc, fputc, (int ch, FILE *f), (ch, f), f)
CHARACTER(fputc_unlocked, fputc, (int ch, FILE *f), (ch, f), f)
CHARACTER(putc_unlocked, fputc, (int ch, FILE *f), (ch, f), f)
CHARACTER(putchar, fputc, (int ch), (ch), stdout)
CHARACTER(putchar_unlocked, fputc, (int ch), (ch), stdout)
CHARACTER(__overflow, overflow, (FILE *f, int ch), (f, ch), f)
STDIO(int, __underflow, underflow, (FILE *f), (f), , pario_streamed(&c, f, 0, 0))
STDIO(int, ungetc, ungetc, (int ch, FILE *f), (ch, f), , pario_streamed(&c, f, 0, 0); if (r != EOF) pario_stream_at(&c, f, (long)c.offset - 1))
STDIO(int, getw, getw, (FILE *f), (f), , pario_streamed(&c, f, sizeof(int), sizeof(int)))
STDIO(int, putw, putw, (int w, FILE *f), (w, f), , pario_streamed(&c, f, sizeof(int), r ? -1 : (long)sizeof(int)))

/* A line: as long as it is. */
#define LINE(name, op, params, args, stream) \
	STDIO(char *, name, op, params, args, , \
	      pario_streamed(&c, stream, r ? strlen(r) : 0, r ? (long)strlen(r) : -1))
LINE(fgets, fgets, (char *to, int n, FILE *f), (to, n, f), f)
LINE(fgets_unlocked, fgets, (char *to, int n, FILE *f), (to, n, f), f)
LINE(__fgets_chk, fgets, (char *to, size_t capacity, int n, FILE *f), (to, capacity, n, f), f)
LINE(__fgets_unlocked_chk, fgets, (char *to, size_t capacity, int n, FILE *f), (to, capacity, n, f), f)
LINE(gets, gets, (char *to), (to), stdin)
LINE(__gets_chk, gets, (char *to, size_t capacity), (to, capacity), stdin)
STDIO(ssize_t, getline, getdelim, (char **to, size_t *n, FILE *f), (to, n, f), ,
      pario_streamed(&c, f, r > 0 ? (uint64_t)r : 0, r))
STDIO(ssize_t, getdelim, getdelim, (char **to, size_t *n, int end, FILE *f), (to, n, end, f), ,
      pario_streamed(&c, f, r > 0 ? (uint64_t)r : 0, r))

#define STRING(name, op, params, args, stream, more) \
	STDIO(int, name, op, params, args, , \
	      pario_streamed(&c, stream, strlen(s) + more, r == EOF ? -1 : (long)strlen(s) + more))
STRING(fputs, fputs, (const char *s, FILE *f), (s, f), f, 0)
STRING(fputs_unlocked, fputs, (const char *s, FILE *f), (s, f), f, 0)
STRING(puts, puts, (const char *s), (s), stdout, 1)

STDIO(int, fflush, fflush, (FILE *f), (f), , pario_stream(&c, f); pario_answered(&c, r))
STDIO(int, fflush_unlocked, fflush, (FILE *f), (f), , pario_stream(&c, f); pario_answered(&c, r))
STDIO(long, ftell, ftell, (FILE *f), (f), , pario_answered(&c, r); pario_stream_at(&c, f, r))
STDIO(off_t, ftello, ftell, (FILE *f), (f), , pario_answered(&c, r); pario_stream_at(&c, f, r))
STDIO(int, fgetpos, fgetpos, (FILE *f, fpos_t *at), (f, at), , pario_stream(&c, f); pario_answered(&c, r))
STDIO(int, fsetpos, fsetpos, (FILE *f, const fpos_t *at), (f, at), , pario_answered(&c, r);
      pario_stream_at(&c, f, r ? -1 : (long)at->__pos))
STDIO(int, setvbuf, setvbuf, (FILE *f, char *at, int mode, size_t n), (f, at, mode, n), ,
      pario_stream(&c, f); c.size = n; c.arg = (uint32_t)mode; pario_answered(&c, r))
STDIO(int, fileno, fileno, (FILE *f), (f), , pario_stream(&c, f); pario_answered(&c, r))
STDIO(int, fileno_unlocked, fileno, (FILE *f), (f), , pario_stream(&c, f); pario_answered(&c, r))

/* clang-format on */

/* Where a seek led; from the end only the stream itself knows. */
static void sought(struct pario_call *c, FILE *f, off_t by, int whence, int r)
{
	struct pario_fd *at = pario_stream(c, f);

	pario_answered(c, r);
	c->arg = (uint32_t)whence;
	c->more = (uint64_t)by;
	if (!at || at->place != PARIO_PLACE_STREAM || r)
		return;
	if (whence == SEEK_SET)
		pario_stream_at(c, f, by);
	else if (whence == SEEK_CUR && at->at != PARIO_TRACE_NOWHERE)
		pario_stream_at(c, f, (long)at->at + by);
	else
		pario_stream_at(c, f, ((off_t(*)(FILE *))pario_next(&pario_symbol_ftello))(f));
}

/* clang-format off */
STDIO(int, fseek, fseek, (FILE *f, long by, int whence), (f, by, whence), , sought(&c, f, by, whence, r))
/* The library's own names: `mode` says whether to move the place of reading, of writing or both. */
STDIO(off64_t, _IO_seekoff, fseek, (FILE *f, off64_t by, int whence, int mode), (f, by, whence, mode), ,
      sought(&c, f, by, whence, r < 0 ? -1 : 0))
STDIO(off64_t, _IO_seekpos, fseek, (FILE *f, off64_t at, int mode), (f, at, mode), , sought(&c, f, at, SEEK_SET, r < 0 ? -1 : 0))
STDIO(int, fseeko, fseek, (FILE *f, off_t by, int whence), (f, by, whence), , sought(&c, f, by, whence, r))

#define NOTHING(name, op, params, args, at) \
	PARIO_EXPORT void name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT void name params \
	{ \
		void (*next) params = (void (*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c; \
		\
		if (!pario_trace_begin(&c, PARIO_OP_##op, PARIO_TRACE_STDIO, __builtin_return_address(0), \
				       __builtin_frame_address(0))) { \
			next args; \
			return; \
		} \
		next args; \
		pario_trace_stop(&c); \
		pario_stream(&c, f); \
		if (at) \
			pario_stream_at(&c, f, 0); \
		pario_trace_put(&c); \
	}
NOTHING(rewind, rewind, (FILE *f), (f), 1)
NOTHING(setbuf, setvbuf, (FILE *f, char *at), (f, at), 0)
NOTHING(setbuffer, setvbuf, (FILE *f, char *at, size_t n), (f, at, n), 0)
NOTHING(setlinebuf, setvbuf, (FILE *f), (f), 0)
/* clang-format on */

PARIO_TWIN(fopen64, fopen);
PARIO_TWIN(_IO_fopen, fopen);
PARIO_TWIN(_IO_fdopen, fdopen);
PARIO_TWIN(freopen64, freopen);
PARIO_TWIN(_IO_fclose, fclose);
PARIO_TWIN(_IO_popen, popen);
PARIO_TWIN(tmpfile64, tmpfile);
PARIO_TWIN(_IO_fread, fread);
PARIO_TWIN(_IO_fwrite, fwrite);
PARIO_TWIN(_IO_getc, getc);
PARIO_TWIN(_IO_ungetc, ungetc);
PARIO_TWIN(_IO_fgets, fgets);
PARIO_TWIN(_IO_gets, gets);
PARIO_TWIN(__getdelim, getdelim);
PARIO_TWIN(_IO_putc, putc);
PARIO_TWIN(_IO_fputs, fputs);
PARIO_TWIN(_IO_puts, puts);
PARIO_TWIN(_IO_fflush, fflush);
PARIO_TWIN(fseeko64, fseeko);
PARIO_TWIN(__fseeko64, fseeko);
PARIO_TWIN(_IO_ftell, ftell);
PARIO_TWIN(ftello64, ftello);
PARIO_TWIN(__ftello64, ftello);
PARIO_TWIN(fgetpos64, fgetpos);
PARIO_TWIN(_IO_fgetpos, fgetpos);
PARIO_TWIN(_IO_fgetpos64, fgetpos);
PARIO_TWIN(fsetpos64, fsetpos);
PARIO_TWIN(_IO_fsetpos, fsetpos);
PARIO_TWIN(_IO_fsetpos64, fsetpos);
PARIO_TWIN(_IO_setbuffer, setbuffer);
PARIO_TWIN(_IO_setvbuf, setvbuf);
