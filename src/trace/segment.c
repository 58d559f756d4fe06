/*
 * segment: records in their order, first those behind the window, then those in it.
 */
#include "trace/segment.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD = sizeof(struct pario_trace_record), BUFFER = 4096 };
enum { WINDOW = PARIO_TRACE_WINDOW / RECORD };

int pario_segment_is_name(const struct dirent *entry)
{
	const char *c = entry->d_name;
	int dots = 0;

	for (; *c; c++) {
		if (*c == '.')
			dots++;
		else if (!isdigit((unsigned char)*c))
			return 0;
	}
	return dots == 1 && entry->d_name[0] != '.';
}

int pario_segment_open(struct pario_segment *s, const char *directory, const char *name)
{
	char path[4400];
	struct stat st;

	memset(s, 0, offsetof(struct pario_segment, text));
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (s->fd < 0)
		return -1;
	if (fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    pread(s->fd, &s->head, sizeof(s->head), 0) != sizeof(s->head) ||
	    s->head.magic != PARIO_TRACE_MAGIC || s->head.version != PARIO_TRACE_VERSION ||
	    !(s->buffer = malloc((size_t)BUFFER * RECORD))) {
		close(s->fd);
		return -1;
	}
	if (pread(s->fd, &s->unfinished, sizeof(s->unfinished), PARIO_TRACE_LEFT) !=
	    sizeof(s->unfinished))
		s->unfinished = 0;
	s->head.host[sizeof(s->head.host) - 1] = s->head.boot[sizeof(s->head.boot) - 1] = '\0';
	s->own = st.st_uid == geteuid();
	s->spilled = s->head.spilled;
	s->used = s->head.used;
	/* A file cut short holds fewer records than its header says. */
	if ((uint64_t)st.st_size < PARIO_TRACE_SPILLED)
		s->spilled = 0;
	else if (s->spilled > ((uint64_t)st.st_size - PARIO_TRACE_SPILLED) / RECORD)
		s->spilled = ((uint64_t)st.st_size - PARIO_TRACE_SPILLED) / RECORD;
	if (s->used < s->head.spilled)
		s->used = s->spilled;
	else if (s->used - s->head.spilled >
		 WINDOW) /* it died while the full window was being spilled */
		s->used = s->spilled + WINDOW;
	else
		s->used = s->spilled + (s->used - s->head.spilled);
	return 0;
}

void pario_segment_close(struct pario_segment *s)
{
	free(s->buffer);
	close(s->fd);
}

static bool fill(struct pario_segment *s)
{
	uint64_t want = s->used - s->next, from;
	ssize_t n;

	if (s->next < s->spilled) {
		want = s->spilled - s->next;
		from = PARIO_TRACE_SPILLED + s->next * RECORD;
	} else {
		from = PARIO_TRACE_HEADER + (s->next - s->spilled) * RECORD;
	}
	if (want > BUFFER)
		want = BUFFER;
	n = want ? pread(s->fd, s->buffer, want * RECORD, (off_t)from) : 0;
	s->at = 0;
	s->buffered = n > 0 ? (uint64_t)n / RECORD : 0;
	return s->buffered > 0;
}

static bool take(struct pario_segment *s, void *record)
{
	if (s->next >= s->used || (s->at == s->buffered && !fill(s)))
		return false;
	memcpy(record, &s->buffer[s->at++], RECORD);
	s->next++;
	return true;
}

static void pass(struct pario_segment *s, uint64_t records)
{
	struct pario_trace_record none;

	while (records-- && take(s, &none))
		;
}

static bool take_text(struct pario_segment *s, const struct pario_trace_record *record)
{
	uint64_t records = pario_trace_text_records(record->size);

	if (record->size > PARIO_TRACE_TEXT_MAX)
		return false;
	for (uint64_t i = 0; i < records; i++) {
		if (!take(s, s->text + i * RECORD))
			return false;
	}
	s->text[record->size] = '\0';
	return true;
}

int pario_segment_next(struct pario_segment *s, struct pario_trace_record *record,
		       const char **text)
{
	while (take(s, record)) {
		*text = NULL;
		if (record->op == PARIO_TRACE_PAD) {
			pass(s, record->size ? record->size - 1 : 0);
		} else if (pario_trace_has_text(record->op)) {
			if (!take_text(s, record)) {
				s->unfinished++;
				continue;
			}
			*text = s->text;
			s->first_of_process |= record->op == PARIO_TRACE_PROGRAM;
			return 1;
		} else if (record->op == PARIO_TRACE_EMPTY || record->op >= PARIO_TRACE_END) {
			pass(s, record->op == PARIO_TRACE_EMPTY ? record->layer : 0);
			s->unfinished++;
		} else {
			return 1;
		}
	}
	return 0;
}
