/*
 * formatted: wrappers of the printf and scanf families, narrow and wide, and of wide characters.
 *
 * How many bytes scanf and wide input took from the file is not known without asking; the place in the stream is
 * unknown until the next seek.
 */
#include "tracer/preload/stream.h"

#include <stdarg.h>
#include <wchar.h>

/* clang-format off */

#define FORMATTED(name, op, params, args, stream) \
	PARIO_WRAP(int, name, op, STDIO, params, args, , pario_streamed(&c, stream, r > 0 ? (uint64_t)r : 0, r))
#define FORMATTED_VARIABLE(name, op, params, twin, twin_params, args, stream) \
	PARIO_WRAP_VARIABLE(int, name, op, params, format, twin, twin_params, args, \
			    pario_streamed(&c, stream, r > 0 ? (uint64_t)r : 0, r))

FORMATTED(vprintf, printf, (const char *format, va_list more), (format, more), stdout)
FORMATTED(vfprintf, printf, (FILE *f, const char *format, va_list more), (f, format, more), f)
FORMATTED(__vprintf_chk, printf, (int flag, const char *format, va_list more), (flag, format, more), stdout)
FORMATTED(__vfprintf_chk, printf, (FILE *f, int flag, const char *format, va_list more), (f, flag, format, more), f)
FORMATTED_VARIABLE(printf, printf, (const char *format, ...), "vprintf", (const char *, va_list), (format, more), stdout)
FORMATTED_VARIABLE(fprintf, printf, (FILE *f, const char *format, ...), "vfprintf", (FILE *, const char *, va_list),
		   (f, format, more), f)
FORMATTED_VARIABLE(__printf_chk, printf, (int flag, const char *format, ...), "__vprintf_chk",
		   (int, const char *, va_list), (flag, format, more), stdout)
FORMATTED_VARIABLE(__fprintf_chk, printf, (FILE *f, int flag, const char *format, ...), "__vfprintf_chk",
		   (FILE *, int, const char *, va_list), (f, flag, format, more), f)

/* These write to descriptors. */
#define DIRECT(name, params, args) \
	PARIO_WRAP(int, name, dprintf, STDIO, params, args, , pario_moved(&c, fd, r > 0 ? (uint64_t)r : 0, r))
#define DIRECT_VARIABLE(name, params, twin, twin_params, args) \
	PARIO_WRAP_VARIABLE(int, name, dprintf, params, format, twin, twin_params, args, \
			    pario_moved(&c, fd, r > 0 ? (uint64_t)r : 0, r))
DIRECT(vdprintf, (int fd, const char *format, va_list more), (fd, format, more))
DIRECT(__vdprintf_chk, (int fd, int flag, const char *format, va_list more), (fd, flag, format, more))
DIRECT_VARIABLE(dprintf, (int fd, const char *format, ...), "vdprintf", (int, const char *, va_list), (fd, format, more))
DIRECT_VARIABLE(__dprintf_chk, (int fd, int flag, const char *format, ...), "__vdprintf_chk",
		(int, int, const char *, va_list), (fd, flag, format, more))

/* Input of unknown length. */
#define SCANNED(type, name, op, params, args, stream) \
	PARIO_WRAP(type, name, op, STDIO, params, args, , (pario_streamed(&c, stream, 0, -2), pario_result(&c, (long)r)))
#define SCANNED_VARIABLE(name, op, params, twin, twin_params, args, stream) \
	PARIO_WRAP_VARIABLE(int, name, op, params, format, twin, twin_params, args, \
			    (pario_streamed(&c, stream, 0, -2), pario_result(&c, r)))
#define SCANF(declare, skip, prefix, infix, op, character) \
	PARIO_WRAP_AS(declare, int, prefix##v##infix, op, STDIO, (const character *format, va_list more), \
		      (format, more), , (pario_streamed(&c, stdin, 0, -2), pario_result(&c, r))) \
	PARIO_WRAP_AS(declare, int, prefix##vf##infix, op, STDIO, (FILE *f, const character *format, va_list more), \
		      (f, format, more), , (pario_streamed(&c, f, 0, -2), pario_result(&c, r))) \
	SCANNED_VARIABLE(prefix##infix, op, (const character *format, ...), &#prefix "v" #infix[skip], \
			 (const character *, va_list), (format, more), stdin) \
	SCANNED_VARIABLE(prefix##f##infix, op, (FILE *f, const character *format, ...), &#prefix "vf" #infix[skip], \
			 (FILE *, const character *, va_list), (f, format, more), f)

SCANF(PARIO_SYMBOL, 0, __isoc99_, scanf, scanf, char)
SCANF(PARIO_SYMBOL, 0, __isoc99_, wscanf, wscanf, wchar_t)
SCANF(PARIO_SYMBOL, 0, __isoc23_, scanf, scanf, char)
SCANF(PARIO_SYMBOL, 0, __isoc23_, wscanf, wscanf, wchar_t)

/*
 * The headers give the plain names to the newer functions: the old ones are defined under other names and renamed
 * below.
 */
#define OLD_NAME (sizeof("pario_old_") - 1)
#define OLD(symbol) \
	static struct pario_symbol pario_symbol_##symbol __attribute__((section("pario_symbols"), used)) = { \
		&#symbol[OLD_NAME], NULL }
SCANF(OLD, OLD_NAME, pario_old_, scanf, scanf, char)
SCANF(OLD, OLD_NAME, pario_old_, wscanf, wscanf, wchar_t)

/* ---- wide characters: counted, not measured ---- */

#define WIDE(type, name, op, params, args, stream) SCANNED(type, name, op, params, args, stream)
#define WIDE_VARIABLE(name, params, twin, twin_params, args, stream) \
	SCANNED_VARIABLE(name, wprintf, params, twin, twin_params, args, stream)

WIDE(wint_t, fgetwc, fgetwc, (FILE *f), (f), f)
WIDE(wint_t, getwc, fgetwc, (FILE *f), (f), f)
WIDE(wint_t, fgetwc_unlocked, fgetwc, (FILE *f), (f), f)
WIDE(wint_t, getwc_unlocked, fgetwc, (FILE *f), (f), f)
WIDE(wint_t, getwchar, fgetwc, (void), (), stdin)
WIDE(wint_t, getwchar_unlocked, fgetwc, (void), (), stdin)
WIDE(wint_t, ungetwc, ungetwc, (wint_t ch, FILE *f), (ch, f), f)
WIDE(wint_t, fputwc, fputwc, (wchar_t ch, FILE *f), (ch, f), f)
WIDE(wint_t, putwc, fputwc, (wchar_t ch, FILE *f), (ch, f), f)
WIDE(wint_t, fputwc_unlocked, fputwc, (wchar_t ch, FILE *f), (ch, f), f)
WIDE(wint_t, putwc_unlocked, fputwc, (wchar_t ch, FILE *f), (ch, f), f)
WIDE(wint_t, putwchar, fputwc, (wchar_t ch), (ch), stdout)
WIDE(wint_t, putwchar_unlocked, fputwc, (wchar_t ch), (ch), stdout)
WIDE(wint_t, __wuflow, wuflow, (FILE *f), (f), f)
WIDE(wint_t, __wunderflow, wunderflow, (FILE *f), (f), f)
WIDE(wint_t, __woverflow, woverflow, (FILE *f, wint_t ch), (f, ch), f)
WIDE(int, fputws, fputws, (const wchar_t *s, FILE *f), (s, f), f)
WIDE(int, fputws_unlocked, fputws, (const wchar_t *s, FILE *f), (s, f), f)
WIDE(wchar_t *, fgetws, fgetws, (wchar_t *to, int n, FILE *f), (to, n, f), f)
WIDE(wchar_t *, fgetws_unlocked, fgetws, (wchar_t *to, int n, FILE *f), (to, n, f), f)
WIDE(wchar_t *, __fgetws_chk, fgetws, (wchar_t *to, size_t capacity, int n, FILE *f), (to, capacity, n, f), f)
WIDE(wchar_t *, __fgetws_unlocked_chk, fgetws, (wchar_t *to, size_t capacity, int n, FILE *f), (to, capacity, n, f), f)
WIDE(int, vwprintf, wprintf, (const wchar_t *format, va_list more), (format, more), stdout)
WIDE(int, vfwprintf, wprintf, (FILE *f, const wchar_t *format, va_list more), (f, format, more), f)
WIDE(int, __vwprintf_chk, wprintf, (int flag, const wchar_t *format, va_list more), (flag, format, more), stdout)
WIDE(int, __vfwprintf_chk, wprintf, (FILE *f, int flag, const wchar_t *format, va_list more), (f, flag, format, more), f)
WIDE_VARIABLE(wprintf, (const wchar_t *format, ...), "vwprintf", (const wchar_t *, va_list), (format, more), stdout)
WIDE_VARIABLE(fwprintf, (FILE *f, const wchar_t *format, ...), "vfwprintf", (FILE *, const wchar_t *, va_list),
	      (f, format, more), f)
WIDE_VARIABLE(__wprintf_chk, (int flag, const wchar_t *format, ...), "__vwprintf_chk", (int, const wchar_t *, va_list),
	      (flag, format, more), stdout)
WIDE_VARIABLE(__fwprintf_chk, (FILE *f, int flag, const wchar_t *format, ...), "__vfwprintf_chk",
	      (FILE *, int, const wchar_t *, va_list), (f, flag, format, more), f)

/* clang-format on */

PARIO_TWIN(scanf, pario_old_scanf);
PARIO_TWIN(fscanf, pario_old_fscanf);
PARIO_TWIN(vscanf, pario_old_vscanf);
PARIO_TWIN(vfscanf, pario_old_vfscanf);
PARIO_TWIN(__vfscanf, pario_old_vfscanf);
PARIO_TWIN(_IO_vfscanf, pario_old_vfscanf);
PARIO_TWIN(wscanf, pario_old_wscanf);
PARIO_TWIN(fwscanf, pario_old_fwscanf);
PARIO_TWIN(vwscanf, pario_old_vwscanf);
PARIO_TWIN(vfwscanf, pario_old_vfwscanf);
PARIO_TWIN(_IO_printf, printf);
PARIO_TWIN(_IO_fprintf, fprintf);
PARIO_TWIN(_IO_vfprintf, vfprintf);
