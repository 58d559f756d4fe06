/*
 * describe: what the kernel says about this process: its program, and how much it counted. What is read for that is the
 * tracer's own and taken out of the counts.
 */
#include "tracer/preload/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tracer/preload/raw.h"

void pario_read_small(const char *path, char *to, size_t capacity)
{
	long fd = pario_raw6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long n = fd < 0 ? 0 : pario_raw3(SYS_read, fd, (long)to, (long)capacity - 1);

	if (fd >= 0)
		pario_raw3(SYS_close, fd, 0, 0);
	if (n > 0)
		pario_trace_self->own_read += (uint64_t)n;
	to[n > 0 ? n : 0] = '\0';
	if (n > 0 && to[n - 1] == '\n')
		to[n - 1] = '\0';
}

/* The number after a word of /proc/thread-self/io. */
static uint64_t field(const char *text, const char *word)
{
	const char *at = strstr(text, word);

	return at ? strtoull(at + strlen(word), NULL, 10) : 0;
}

/* Page faults of this thread: those that waited for the disk in the upper half, the others in the lower. */
static uint64_t faults(void)
{
	struct rusage usage = { 0 };

	pario_raw3(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0);
	return (uint64_t)usage.ru_majflt << 32 | (uint32_t)usage.ru_minflt;
}

void pario_io_note(bool begin)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_IO, .file = begin };
	int error = errno;
	char text[512];

	if (pario_trace_mute)
		return;
	pario_read_small("/proc/thread-self/io", text, sizeof(text));
	note.offset = field(text, "rchar: ") + strlen(text) - pario_trace_self->own_read;
	note.size = field(text, "wchar: ") - pario_trace_self->own_written;
	note.site = faults();
	note.t0 = pario_ticks();
	pario_trace_note(&note, NULL, 0);
	errno = error;
}

void pario_describe_program(void)
{
	char text[4096];
	struct pario_trace_record note = { .op = PARIO_TRACE_PROGRAM };
	long n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)text, 2048), fd, more = 0;

	if (n < 0)
		n = 0;
	text[n++] = '\n';
	fd = pario_raw6(SYS_openat, AT_FDCWD, (long)"/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0,
			0, 0);
	if (fd >= 0) {
		more = pario_raw3(SYS_read, fd, (long)text + n, (long)sizeof(text) - n);
		pario_trace_self->own_read += more > 0 ? (uint64_t)more : 0;
		pario_raw3(SYS_close, fd, 0, 0);
	}
	pario_trace_note(&note, text, (size_t)(n + (more > 0 ? more : 0)));
}
