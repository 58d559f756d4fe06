/*
 * planted: traces whose contents are known, made as the tracer makes them: segments in a directory, packed.
 */
#ifndef PARIO_TEST_PLANTED_H
#define PARIO_TEST_PLANTED_H

#include "profile/analyse/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../temporary.h"
#include "unit.h"

struct planted {
	char directory[TEMPORARY_CAPACITY], trace[TEMPORARY_CAPACITY + 8];
	FILE *file;
	struct pario_trace_segment head;
	struct pario_trace_record window[PARIO_TRACE_WINDOW / sizeof(struct pario_trace_record)];
	uint32_t segments;
};

static inline void planted_begin(struct planted *p)
{
	memset(p, 0, sizeof(*p));
	assert_non_null(mkdtemp(temporary(p->directory, "planted")));
	snprintf(p->trace, sizeof(p->trace), "%s.trace", p->directory);
}

/* A process of a machine, whose ticks are nanoseconds, and whose wall clock says `real_ns` at tick `ticks`. */
static inline void planted_process(struct planted *p, const char *host, uint32_t pid, uint32_t rank,
				   uint64_t ticks, uint64_t real_ns)
{
	p->head = (struct pario_trace_segment){ .magic = PARIO_TRACE_MAGIC,
						.version = PARIO_TRACE_VERSION,
						.header_bytes = PARIO_TRACE_HEADER,
						.pid = pid,
						.tid = pid,
						.rank = rank,
						.ranks = 4,
						.start_ticks = ticks,
						.start_ns = ticks,
						.start_real_ns = real_ns,
						.process = ticks };
	snprintf(p->head.boot, sizeof(p->head.boot), "boot of %s", host);
	snprintf(p->head.host, sizeof(p->head.host), "%s", host);
	memset(p->window, 0, sizeof(p->window));
}

static inline struct pario_trace_record *planted_call(struct planted *p, uint16_t op, uint64_t from,
						      uint64_t to)
{
	struct pario_trace_record *r = &p->window[p->head.used++];

	assert_true(p->head.used < sizeof(p->window) / sizeof(p->window[0]));
	*r = (struct pario_trace_record){ .t0 = from,
					  .site = 0x1000,
					  .offset = PARIO_TRACE_NOWHERE,
					  .duration = pario_trace_pack_ticks(to - from),
					  .op = op };
	if (op >= PARIO_TRACE_FIRST)
		r->layer = pario_trace_operation(op)->layer;
	return r;
}

/* A note with text, which follows it as plain bytes. */
static inline void planted_text(struct planted *p, uint16_t op, uint32_t file, const char *text)
{
	struct pario_trace_record *r = planted_call(p, op, 0, 0);

	r->file = file;
	r->offset = 0;
	r->size = strlen(text) + 1;
	memcpy(r + 1, text, r->size);
	p->head.used += pario_trace_text_records(r->size);
}

static inline void planted_write(struct planted *p)
{
	static const uint8_t page[PARIO_TRACE_HEADER];
	char path[TEMPORARY_CAPACITY + 32];

	snprintf(path, sizeof(path), "%s/%u.%u", p->directory, p->head.pid, ++p->segments);
	p->file = fopen(path, "w");
	assert_non_null(p->file);
	fwrite(&p->head, sizeof(p->head), 1, p->file);
	fwrite(page, sizeof(page) - sizeof(p->head), 1, p->file);
	fwrite(p->window, sizeof(p->window), 1, p->file);
	assert_int_equal(fclose(p->file), 0);
	memset(p->window, 0, sizeof(p->window));
	p->head.used = 0;
}

/* Packs the segments, which are removed, into p->trace. */
static inline void planted_pack(struct planted *p)
{
	struct pario_pack_anchor anchors[2] = { 0 };
	struct pario_pack_totals totals = { 0 };
	struct pario_err err = { 0 };
	struct pario_pack pack;
	char command[TEMPORARY_CAPACITY + 16];

	assert_int_equal(pario_pack_open(&pack, p->trace, 1, false, &err), 0);
	assert_int_equal(pario_pack_directory(&pack, p->directory, anchors, &totals, &err), 0);
	assert_int_equal(pario_pack_close(&pack, &err), 0);
	assert_int_equal(totals.segments, p->segments);
	snprintf(command, sizeof(command), "rm -r '%s'", p->directory);
	assert_int_equal(system(command), 0);
}

/* Packs and reads; nothing stays behind. */
static inline void planted_read(struct planted *p, struct pario_profile *profile,
				pario_profile_see *see, void *context)
{
	struct pario_err err = { 0 };

	planted_pack(p);
	assert_int_equal(pario_profile_read(profile, p->trace, NULL, see, context, &err), 0);
	unlink(p->trace);
}

#endif
