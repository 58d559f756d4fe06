/*
 * routine_stdio: fread and fwrite through a system buffer of 1/4, 1/2, 1 and 2 times the program's.
 *
 * The paper found that rates depended only on the system buffer. glibc moves what does not fit its buffer directly,
 * so that buffers of up to the transfer's size cost little here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/overlap/measure/routine.h"

struct state {
	FILE *file;
	char *system;
	uint64_t at; /* where the stream stands */
};

static int open_stream(struct pario_channel *c, struct pario_err *err)
{
	/* variant counts quarters of the program's buffer */
	size_t bytes = (size_t)(c->size * (uint64_t)c->routine->variant / 4);
	struct state *s = calloc(1, sizeof(*s));
	int fd = -1;

	c->state = s;
	if (bytes == 0)
		bytes = 1;
	if (s)
		s->system = malloc(bytes);
	if (s && s->system)
		fd = dup(c->fd);
	if (fd >= 0)
		s->file = fdopen(fd, c->write ? "r+" : "r");
	if (fd >= 0 && !s->file)
		close(fd);
	/* A descriptor keeps its place from one opening to the next. */
	if (s && s->file && setvbuf(s->file, s->system, _IOFBF, bytes) == 0 &&
	    fseeko(s->file, 0, SEEK_SET) == 0)
		return 0;
	return pario_routine_error(c, "opening a stream", 0, errno, err);
}

/* A stream here only reads or only writes; in functions of their own that can be seen. */
static size_t read_stream(const struct pario_channel *c, FILE *file)
{
	return fread(c->buffer, 1, c->size, file);
}

static size_t write_stream(const struct pario_channel *c, FILE *file)
{
	return fwrite(c->buffer, 1, c->size, file);
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	const char *what = c->write ? "fwrite" : "fread";
	struct state *s = c->state;
	size_t moved;

	if (s->at != offset && fseeko(s->file, (off_t)offset, SEEK_SET) != 0)
		return pario_routine_error(c, "fseek", offset, errno, err);
	moved = c->write ? write_stream(c, s->file) : read_stream(c, s->file);
	s->at = offset + moved;
	if (moved == c->size)
		return 0;
	if (ferror(s->file))
		return pario_routine_error(c, what, offset, errno, err);
	return pario_routine_short(c, what, offset, (int64_t)moved, err);
}

/* What was written is handed over; a reader forgets what it has, so that the next pass reads again. */
static int finish(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;

	s->at = UINT64_MAX;
	return c->write && fflush(s->file) != 0 ? pario_routine_error(c, "fflush", 0, errno, err)
						: 0;
}

static int close_stream(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	int status = s && s->file && fclose(s->file) != 0
			     ? pario_routine_error(c, "closing the stream", 0, errno, err)
			     : 0;

	if (s)
		free(s->system);
	free(s);
	c->state = NULL;
	return status;
}

#define FAMILY(name_, quarters_, summary_)                                                    \
	const struct pario_routine pario_routine_##name_ = { .name = #name_,                  \
							     .summary = summary_,             \
							     .bits = PARIO_ROUTINE_BLOCKING | \
								     PARIO_ROUTINE_BUFFERED,  \
							     .variant = quarters_,            \
							     .open = open_stream,             \
							     .issue = issue,                  \
							     .test = pario_routine_done,      \
							     .wait = pario_routine_done,      \
							     .finish = finish,                \
							     .close = close_stream }

FAMILY(stdio_quarter, 1, "fread and fwrite, system buffer 1/4 of the program's");
FAMILY(stdio_half, 2, "fread and fwrite, system buffer 1/2 of the program's");
FAMILY(stdio, 4, "fread and fwrite, system buffer as large as the program's");
FAMILY(stdio_double, 8, "fread and fwrite, system buffer twice the program's");
