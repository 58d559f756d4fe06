/*
 * ptracer_segment: a segment written by the tracer for a thread of another process. Window and file as in
 * tracer/preload/core.c.
 */
#include "tracer/ptrace/ptracer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

enum { WINDOW = PARIO_TRACE_WINDOW / sizeof(struct pario_trace_record) };

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t pario_ptracer_ticks(bool counter)
{
	return counter ? pario_clock_count() : ns_of(CLOCK_MONOTONIC);
}

static uint32_t number_from(const char *name)
{
	const char *text = getenv(name);

	return text && *text >= '0' && *text <= '9' ? (uint32_t)strtoul(text, NULL, 10)
						    : UINT32_MAX;
}

static void read_word(const char *path, char *to, size_t capacity)
{
	FILE *file = fopen(path, "re");

	if (file && fgets(to, (int)capacity, file))
		to[strcspn(to, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void fill(struct pario_trace_segment *h, pid_t pid, pid_t tid, uint64_t started,
		 bool counter)
{
	h->version = PARIO_TRACE_VERSION;
	h->header_bytes = PARIO_TRACE_HEADER;
	h->pid = (uint32_t)pid;
	h->tid = (uint32_t)tid;
	h->rank = number_from("OMPI_COMM_WORLD_RANK");
	if (h->rank == UINT32_MAX)
		h->rank = number_from("PMI_RANK");
	h->ranks = number_from("OMPI_COMM_WORLD_SIZE");
	if (h->ranks == UINT32_MAX)
		h->ranks = number_from("PMI_SIZE");
	h->counter = counter;
	h->process = started;
	h->start_ns = ns_of(CLOCK_MONOTONIC);
	h->start_ticks = pario_ptracer_ticks(counter);
	h->start_real_ns = ns_of(CLOCK_REALTIME);
	read_word("/proc/sys/kernel/random/boot_id", h->boot, sizeof(h->boot));
	read_word("/proc/sys/kernel/hostname", h->host, sizeof(h->host));
	h->magic = PARIO_TRACE_MAGIC;
}

void pario_ptracer_segment_open(struct pario_ptracer_segment *s, const char *directory, pid_t pid,
				pid_t tid, uint64_t started, unsigned number, bool counter)
{
	char path[4400];
	void *map;

	*s = (struct pario_ptracer_segment){ .fd = -1 };
	for (unsigned tries = 0; s->fd < 0 && tries < 1000; tries++) {
		snprintf(path, sizeof(path), "%s/%d.%u", directory, (int)pid, number + tries);
		s->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (s->fd < 0 && errno != EEXIST)
			return;
	}
	if (s->fd < 0)
		return;
	if (posix_fallocate(s->fd, 0, PARIO_TRACE_SPILLED) != 0)
		return;
	map = mmap(NULL, PARIO_TRACE_SPILLED, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (map == MAP_FAILED)
		return;
	s->head = map;
	s->window = (struct pario_trace_record *)((char *)map + PARIO_TRACE_HEADER);
	fill(s->head, pid, tid, started, counter);
}

static bool spill(struct pario_ptracer_segment *s)
{
	off_t at = (off_t)(PARIO_TRACE_SPILLED + s->head->spilled * sizeof(*s->window));
	ssize_t bytes = (ssize_t)(s->in_window * sizeof(*s->window));

	if (pwrite(s->fd, s->window, (size_t)bytes, at) != bytes) {
		s->head->why = s->head->why ? s->head->why : (uint64_t)(errno ? errno : ENOSPC);
		return false;
	}
	s->head->spilled += s->in_window;
	s->in_window = 0;
	return true;
}

void pario_ptracer_segment_put(struct pario_ptracer_segment *s,
			       const struct pario_trace_record *record, const char *text,
			       size_t length)
{
	uint64_t more = text ? pario_trace_text_records(length) : 0;

	if (!s->head)
		return;
	if (s->head->why || (s->in_window + 1 + more > WINDOW && !spill(s))) {
		s->head->dropped++;
		return;
	}
	s->window[s->in_window] = *record;
	if (more) {
		s->window[s->in_window].size = length;
		memcpy(&s->window[s->in_window + 1], text, length);
	}
	s->in_window += 1 + more;
	s->head->used += 1 + more;
}

void pario_ptracer_segment_close(struct pario_ptracer_segment *s)
{
	if (s->head)
		munmap(s->head, PARIO_TRACE_SPILLED);
	if (s->fd >= 0)
		close(s->fd);
	s->head = NULL;
	s->fd = -1;
}
