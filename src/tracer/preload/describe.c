/*
 * describe: what the kernel says about this process: its program, and how much it counted. What is read for that is the
 * tracer's own and taken out of the counts.
 */
#include "tracer/preload/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/types.h>

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

void pario_usage_note(void)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_USAGE };
	struct rusage u = { 0 };

	if (pario_trace_mute)
		return;
	pario_raw3(SYS_getrusage, RUSAGE_SELF, (long)&u, 0);
	note.t0 = pario_ticks();
	note.size = (uint64_t)u.ru_maxrss * 1024;
	note.offset =
		(uint64_t)u.ru_utime.tv_sec * 1000000000u + (uint64_t)u.ru_utime.tv_usec * 1000;
	note.more = (uint64_t)u.ru_stime.tv_sec * 1000000000u + (uint64_t)u.ru_stime.tv_usec * 1000;
	pario_trace_note(&note, NULL, 0);
}

enum { TEXT = 4096 };

/* The first line that begins with `word`, behind it; NULL when there is none. */
static char *line_of(char *text, const char *word)
{
	char *at = text;

	while (at && strncmp(at, word, strlen(word)) != 0) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return at ? at + strlen(word) : NULL;
}

/* What a cgroup and those around it allow: the least of them. "max" and absurd numbers are no limit. */
static uint64_t limit_along(const char *root, const char *group, const char *file)
{
	char number[32];
	uint64_t least = PARIO_TRACE_NOWHERE;
	size_t length = strcspn(group, "\n");
	PARIO_SCRATCH(char, path, TEXT + 128);

	if (length > 3800)
		return least;
	for (;; length--) {
		if (length == 0 || group[length] == '/' || group[length] == '\n' ||
		    !group[length]) {
			uint64_t limit;

			strcpy(path, root);
			strncat(path, group, length);
			strcat(path, file);
			pario_read_small(path, number, sizeof(number));
			limit = number[0] >= '0' && number[0] <= '9' ? strtoull(number, NULL, 10)
								     : 0;
			if (limit && limit < least && limit < 1ull << 62)
				least = limit;
		}
		if (length == 0)
			return least;
	}
}

static uint64_t cgroup_limit(void)
{
	const char *group;
	PARIO_SCRATCH(char, text, TEXT);

	pario_read_small("/proc/self/cgroup", text, TEXT);
	group = line_of(text, "0::");
	if (group && strcmp(group, "/") != 0) {
		uint64_t limit = limit_along("/sys/fs/cgroup", group, "/memory.max");

		if (limit != PARIO_TRACE_NOWHERE)
			return limit;
	}
	group = strstr(text, ":memory:");
	return group ? limit_along("/sys/fs/cgroup/memory", group + 8, "/memory.limit_in_bytes")
		     : PARIO_TRACE_NOWHERE;
}

void pario_memory_note(void)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_MEMORY, .t0 = pario_ticks() };
	static uint32_t of; /* the process that has written it down */
	uint32_t pid = pario_trace_self->segment ? pario_trace_self->segment->pid : of;
	struct sysinfo memory = { 0 };
	int error = errno;

	if (pario_trace_mute || __atomic_exchange_n(&of, pid, __ATOMIC_RELAXED) == pid)
		return;
	pario_raw3(SYS_sysinfo, (long)&memory, 0, 0);
	note.size = memory.totalram * memory.mem_unit;
	note.offset = cgroup_limit();
	pario_trace_note(&note, NULL, 0);
	errno = error;
}

void pario_describe_program(void)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_PROGRAM,
					   .file = pario_file_of_path(AT_FDCWD, ".") };
	long n, fd, more = 0;
	PARIO_SCRATCH(char, text, TEXT);

	n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)text, TEXT / 2);
	if (n < 0)
		n = 0;
	text[n++] = '\n';
	fd = pario_raw6(SYS_openat, AT_FDCWD, (long)"/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0,
			0, 0);
	if (fd >= 0) {
		more = pario_raw3(SYS_read, fd, (long)text + n, TEXT - n);
		pario_trace_self->own_read += more > 0 ? (uint64_t)more : 0;
		pario_raw3(SYS_close, fd, 0, 0);
	}
	pario_trace_note(&note, text, (size_t)(n + (more > 0 ? more : 0)));
}
