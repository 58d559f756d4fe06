/*
 * dxt: the text of darshan-dxt-parser: one line per read and write, with its start and end.
 *
 * For each module (X_POSIX, X_MPIIO) reading and writing become a result each, with the latencies of the single calls.
 * Every file's part says how many segments follow; where fewer do, the dump was cut off.
 */
#include <stdio.h>
#include <string.h>

#include "import/darshan_sums.h"
#include "import/formats.h"
#include "import/lines.h"

struct reader {
	struct pario_darshan_reader base; /* first: a pointer to it is one to the whole */
	struct pario_darshan_sums sums;
	uint64_t told, seen; /* segments of the file's part under way */
	char file[256];
};

bool pario_dxt_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_after(line, "# DXT, ") != NULL;
}

static int cut_off(const struct reader *r, struct pario_err *err)
{
	char why[600];

	snprintf(
		why, sizeof(why),
		"it tells of %llu segments of %s and holds %llu, so the dump was cut off. Make it again "
		"from the log with darshan-dxt-parser.",
		(unsigned long long)r->told, *r->file ? r->file : "a file",
		(unsigned long long)r->seen);
	return pario_import_refuse(r->base.source, why, err);
}

/* "# DXT, write_count: 4, read_count: 2" */
static void take_counts(struct reader *r, const char *line)
{
	static const char *const names[] = { "write_count:", "read_count:" };

	r->told = r->seen = 0;
	for (size_t i = 0; i < 2; i++) {
		const char *at = strstr(line, names[i]);
		char word[32] = "";

		if (at)
			snprintf(word, sizeof(word), "%.31s",
				 at + strlen(names[i]) + strspn(at + strlen(names[i]), " "));
		word[strcspn(word, " ,")] = '\0';
		if (pario_whole(word) < UINT32_MAX)
			r->told += pario_whole(word);
	}
}

static int take_comment(struct reader *r, const char *line, struct pario_err *err)
{
	const char *file = strstr(line, "file_name:");

	if (pario_after(line, "# DXT, file_id:")) {
		if (r->seen != r->told)
			return cut_off(r, err);
		snprintf(r->file, sizeof(r->file), "%.255s", file ? file + 11 : "");
	} else if (pario_after(line, "# DXT, write_count:")) {
		take_counts(r, line);
	} else {
		pario_darshan_head(r->base.harvest, &r->base.job, line);
	}
	return 0;
}

/* " X_POSIX  0  write  0  offset  length  start  end  [OST...]" */
static int take_segment(struct reader *r, struct pario_lines *lines, struct pario_err *err)
{
	char *words[PARIO_WORDS];
	size_t count = pario_words(lines->text, words);
	double bytes, start, end;

	if (count == 0)
		return 0;
	if (count < 8 || lines->cut)
		return cut_off(r, err);
	r->seen++;
	bytes = pario_number(words[5]);
	start = pario_number(words[6]);
	end = pario_number(words[7]);
	if (bytes >= 0 && start >= 0 && end >= start)
		pario_darshan_sums_call(&r->sums, words[0], strcmp(words[2], "write") == 0, bytes,
					start, end);
	else
		pario_harvest_lost(r->base.harvest, lines->number, words[0]);
	return 0;
}

static int read_lines(struct reader *r, struct pario_err *err)
{
	struct pario_lines lines;

	pario_lines_begin(&lines, r->base.source);
	while (pario_lines_next(&lines)) {
		int status = *lines.text == '#' ? take_comment(r, lines.text, err)
						: take_segment(r, &lines, err);

		if (status < 0)
			return -1;
	}
	if (pario_darshan_check(r->base.source, &r->base.job, err) < 0)
		return -1;
	return r->seen == r->told ? 0 : cut_off(r, err);
}

static int read_dump(struct pario_darshan_reader *base, struct pario_err *err)
{
	struct reader *r = (struct reader *)(void *)base;

	int status = read_lines(r, err);

	if (status == 0)
		status = pario_darshan_sums_harvest(&r->sums, base->harvest, &base->job, err);
	pario_darshan_sums_release(&r->sums);
	return status;
}

int pario_dxt_read(struct pario_import_file *source, struct pario_harvest *h, struct pario_err *err)
{
	return pario_darshan_dump(source, h, sizeof(struct reader), read_dump, err);
}
