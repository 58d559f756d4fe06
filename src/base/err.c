/*
 * err: puts one sentence together and knows the names of the system's errors.
 *
 * A long path must never push the reason out of the text, so the head of a sentence is what gets
 * cut.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct known {
	int sys;
	const char *name, *hint;
};

static const char slow_hint[] =
	"The storage or the network to it is in trouble; look at the kernel log and the server.";
static const char descriptor_hint[] =
	"Raise the limit on open files (ulimit -n) or use fewer files at once.";

#define PLAIN(name_)                                     \
	{                                                \
		.sys = name_, .name = #name_, .hint = "" \
	}
#define HINTED(name_, hint_)                                \
	{                                                   \
		.sys = name_, .name = #name_, .hint = hint_ \
	}

static const struct known known[] = {
	HINTED(ENOSPC, "Free some space, use smaller sizes, or choose another --dir."),
	HINTED(EDQUOT,
	       "The quota is used up; remove files, ask for more, or choose another --dir."),
	HINTED(EACCES, "Check the permissions of the path and of every directory above it."),
	HINTED(EPERM, "This needs a privilege that the process does not have."),
	HINTED(EROFS, "The filesystem is mounted read-only; choose another --dir."),
	HINTED(EMFILE, descriptor_hint),
	HINTED(ENFILE,
	       "The whole system is out of open files; raise fs.file-max or use fewer clients."),
	HINTED(EFBIG, "The file would exceed a limit; see ulimit -f and the filesystem's maximum."),
	HINTED(ENAMETOOLONG, "Use a shorter --dir or name."),
	HINTED(ELOOP,
	       "The path runs through a symbolic link that is refused or turns in a circle."),
	HINTED(ENOENT, "Check the spelling, and that the directory exists on every node."),
	HINTED(ENOTDIR, "A part of the path is a file where a directory is needed."),
	HINTED(EISDIR, "The path is a directory where a file is needed."),
	HINTED(EINVAL, "With direct I/O, sizes, offsets and memory must be multiples of the "
		       "block size, and some filesystems refuse it altogether."),
	HINTED(EIO, slow_hint),
	HINTED(ESTALE, "The file was replaced or removed on the server; start the run again."),
	HINTED(ENOMEM, "Use smaller buffers or fewer clients per node."),
	HINTED(EEXIST,
	       "pario does not touch what it has not made; choose another name or directory."),
	HINTED(ETXTBSY, "The file is a program that is running."),
	HINTED(EBUSY, "Something else is using it; try again later."),
	HINTED(ETIMEDOUT, slow_hint),
	HINTED(EREMOTEIO, slow_hint),
	HINTED(ENOTCONN, slow_hint),
	HINTED(EHOSTDOWN, slow_hint),
	HINTED(EHOSTUNREACH, slow_hint),
	HINTED(ESHUTDOWN, slow_hint),
	HINTED(ENOSYS,
	       "The kernel does not know this call; choose another backend or a newer kernel."),
	HINTED(EOPNOTSUPP, "The filesystem does not support this; choose another mode or --dir."),
	HINTED(ENOLCK, "File locking is not available here; on NFS check the lock service."),
	HINTED(EMLINK, "The directory is full; use fewer entries per directory."),
	HINTED(ENOTEMPTY, "The directory holds files that are not pario's; they were left alone."),
	HINTED(ENODEV, "The file or filesystem does not support this kind of access."),
	HINTED(EOVERFLOW, "The value is too large for this interface; use smaller sizes."),
	HINTED(EXDEV, "Source and target must be on the same filesystem."),
	HINTED(EADDRINUSE, "Another process has this port; wait for it or choose another."),
	HINTED(ECONNREFUSED, "Nothing listens there; check the name and that the service runs."),
	PLAIN(ESRCH),
	PLAIN(EINTR),
	PLAIN(ENXIO),
	PLAIN(E2BIG),
	PLAIN(ENOEXEC),
	PLAIN(EBADF),
	PLAIN(ECHILD),
	PLAIN(EAGAIN),
	PLAIN(EFAULT),
	PLAIN(ENOTBLK),
	PLAIN(ENOTTY),
	PLAIN(ESPIPE),
	PLAIN(EPIPE),
	PLAIN(EDOM),
	PLAIN(ERANGE),
	PLAIN(EDEADLK),
	PLAIN(ENOMSG),
	PLAIN(EIDRM),
	PLAIN(ENODATA),
	PLAIN(ETIME),
	PLAIN(ENONET),
	PLAIN(ENOLINK),
	PLAIN(ECOMM),
	PLAIN(EPROTO),
	PLAIN(EBADMSG),
	PLAIN(EBADFD),
	PLAIN(EILSEQ),
	PLAIN(EUSERS),
	PLAIN(ENOTSOCK),
	PLAIN(EDESTADDRREQ),
	PLAIN(EMSGSIZE),
	PLAIN(EPROTOTYPE),
	PLAIN(ENOPROTOOPT),
	PLAIN(EPROTONOSUPPORT),
	PLAIN(EAFNOSUPPORT),
	PLAIN(EADDRNOTAVAIL),
	PLAIN(ENETDOWN),
	PLAIN(ENETUNREACH),
	PLAIN(ENETRESET),
	PLAIN(ECONNABORTED),
	PLAIN(ECONNRESET),
	PLAIN(ENOBUFS),
	PLAIN(EISCONN),
	PLAIN(EALREADY),
	PLAIN(EINPROGRESS),
	PLAIN(EUCLEAN),
	PLAIN(ENOMEDIUM),
	PLAIN(EMEDIUMTYPE),
	PLAIN(ECANCELED),
	PLAIN(ENOKEY),
	PLAIN(EKEYREJECTED),
	PLAIN(EOWNERDEAD),
	PLAIN(ENOTRECOVERABLE),
	PLAIN(EHWPOISON),
};

static const struct known *look_up(int sys)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].sys == sys)
			return &known[i];
	return NULL;
}

const char *pario_err_name(int sys)
{
	const struct known *k = look_up(sys);

	return k ? k->name : "unknown error";
}

const char *pario_err_hint(int sys)
{
	const struct known *k = look_up(sys);

	return k ? k->hint : "";
}

void pario_err_clear(struct pario_err *err)
{
	if (err)
		memset(err, 0, sizeof(*err));
}

/* The first `length` bytes of a string, shortened until no UTF-8 sequence is cut in two. */
static size_t whole_characters(const char *s, size_t length)
{
	if (length >= strlen(s))
		return strlen(s);
	while (length && ((unsigned char)s[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static void compose(struct pario_err *err, const char *head, const char *tail)
{
	size_t tail_length = whole_characters(tail, sizeof(err->text) / 2);
	size_t left = sizeof(err->text) - 1 - tail_length;
	size_t head_length = strlen(head);

	if (head_length <= left) {
		memcpy(err->text, head, head_length);
	} else {
		head_length = whole_characters(head, left - 3);
		memcpy(err->text, head, head_length);
		memcpy(err->text + head_length, "...", 3);
		head_length += 3;
	}
	memcpy(err->text + head_length, tail, tail_length);
	err->text[head_length + tail_length] = '\0';
}

/* Twice the capacity of a text, so that compose() sees what does not fit and marks the cut. */
enum { HEAD_CAPACITY = 2 * sizeof(((struct pario_err *)0)->text) };

int pario_err_set(struct pario_err *err, enum pario_code code, const char *format, ...)
{
	char head[HEAD_CAPACITY];
	va_list args;

	if (!err)
		return -1;
	/* err->text itself may be among the arguments, when a caller adds where it happened */
	va_start(args, format);
	vsnprintf(head, sizeof(head), format, args);
	va_end(args);
	err->code = code;
	err->sys = 0;
	compose(err, head, "");
	return -1;
}

/* "no space left on device": lower case, as it stands in the middle of a sentence. */
static void reason(char *buf, size_t capacity, int sys)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
	const char *text = strerrordesc_np(sys); /* untranslated, whatever the locale */
#else
	const char *text = strerror(sys);
#endif

	if (!text || !look_up(sys)) {
		snprintf(buf, capacity, "unknown error %d", sys);
		return;
	}
	snprintf(buf, capacity, "%s", text);
	if (buf[0] >= 'A' && buf[0] <= 'Z' && buf[1] >= 'a' && buf[1] <= 'z')
		buf[0] = (char)(buf[0] - 'A' + 'a');
}

int pario_err_sys(struct pario_err *err, int sys, const char *hint, const char *format, ...)
{
	char head[HEAD_CAPACITY], why[128], tail[PARIO_ERR_CAPACITY];
	const struct known *k = look_up(sys);
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	vsnprintf(head, sizeof(head), format, args);
	va_end(args);
	if (!hint)
		hint = pario_err_hint(sys);
	reason(why, sizeof(why), sys);
	snprintf(tail, sizeof(tail), ": %s%s%s%s.%s%.800s", why, k ? " (" : "", k ? k->name : "",
		 k ? ")" : "", *hint ? " " : "", hint);
	err->code = PARIO_SYSTEM;
	err->sys = sys;
	compose(err, head, tail);
	return -1;
}

int pario_err_memory(struct pario_err *err, const char *format, ...)
{
	char what[PARIO_ERR_CAPACITY] = "";
	va_list args;

	if (format) {
		va_start(args, format);
		vsnprintf(what, sizeof(what), format, args);
		va_end(args);
	}
	pario_err_set(err, PARIO_SYSTEM, "there is no memory%s%s.", *what ? " for " : "", what);
	if (err)
		err->sys = ENOMEM;
	return -1;
}

void pario_err_add(struct pario_err *err, const char *format, ...)
{
	char head[PARIO_ERR_CAPACITY], tail[PARIO_ERR_CAPACITY];
	va_list args;

	if (!err)
		return;
	snprintf(head, sizeof(head), "%s", err->text);
	va_start(args, format);
	vsnprintf(tail, sizeof(tail), format, args);
	va_end(args);
	compose(err, head, tail);
}
