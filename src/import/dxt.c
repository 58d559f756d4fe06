/*
 * dxt: the text of darshan-dxt-parser: one line per read and write, with its start and end.
 *
 * For each module (X_POSIX, X_MPIIO) reading and writing become a result each, with the latencies of the single calls.
 * Every file's part says how many segments follow; where fewer do, the dump was cut off.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/histogram.h"
#include "import/darshan.h"
#include "import/formats.h"
#include "import/lines.h"

enum { MODULES = 4, NAME = 32, SIDES = 2 };

static const char *const sides[SIDES] = { "read", "write" };

struct side {
	double bytes, ops, seconds, begin, end;
	struct pario_histogram times;
};

struct reader {
	struct pario_darshan_reader base; /* first: a pointer to it is one to the whole */
	struct {
		char name[NAME];
		struct side side[SIDES];
	} module[MODULES];
	size_t modules;
	uint64_t told, seen; /* segments of the file's part under way */
	char file[256];
};

bool pario_dxt_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_after(line, "# DXT, ") != NULL;
}

static struct side *side_of(struct reader *r, const char *module, const char *name)
{
	size_t i = 0, which = strcmp(name, "write") == 0;

	while (i < r->modules && strcmp(r->module[i].name, module) != 0)
		i++;
	if (i == MODULES || strlen(module) >= NAME)
		return NULL;
	if (i == r->modules) {
		snprintf(r->module[i].name, NAME, "%s", module);
		r->modules++;
		for (size_t k = 0; k < SIDES; k++)
			r->module[i].side[k].begin = r->module[i].side[k].end = NAN;
	}
	return &r->module[i].side[which];
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
	double begin, end, bytes;
	struct side *side;

	if (count == 0)
		return 0;
	if (count < 8 || lines->cut)
		return cut_off(r, err);
	r->seen++;
	bytes = pario_number(words[5]);
	begin = pario_number(words[6]);
	end = pario_number(words[7]);
	side = side_of(r, words[0], words[2]);
	if (!side || !(bytes >= 0) || !(end >= begin) || end > 1e9)
		return 0;
	side->bytes += bytes;
	side->ops++;
	side->seconds += end - begin;
	side->begin = fmin(side->begin, begin);
	side->end = fmax(side->end, end);
	pario_histogram_add(&side->times, (int64_t)((end - begin) * 1e9));
	return 0;
}

static int take_side(struct reader *r, const struct side *s, const char *name,
		     struct pario_err *err)
{
	struct pario_result *result;

	if (!(s->ops > 0))
		return 0;
	result = pario_harvest_result(r->base.harvest, name, r->base.job.nprocs, err);
	if (!result)
		return -1;
	result->bytes = s->bytes < 0x1p62 ? (uint64_t)s->bytes : PARIO_UNTOLD;
	result->ops = (uint64_t)s->ops;
	result->seconds.total = s->end - s->begin;
	result->latency_ns = (struct pario_latency){
		.count = s->times.count,
		.min = (double)s->times.min_ns,
		.p50 = pario_histogram_quantile(&s->times, 0.5),
		.p90 = pario_histogram_quantile(&s->times, 0.9),
		.p99 = pario_histogram_quantile(&s->times, 0.99),
		.p999 = pario_histogram_quantile(&s->times, 0.999),
		.max = (double)s->times.max_ns,
	};
	pario_darshan_finish(&r->base.job, s->seconds, result);
	return 0;
}

static int take_modules(struct reader *r, struct pario_err *err)
{
	for (size_t i = 0; i < r->modules; i++) {
		if (pario_darshan_module(r->base.harvest, i, r->module[i].name, err) < 0)
			return -1;
		for (size_t k = 0; k < SIDES; k++) {
			if (take_side(r, &r->module[i].side[k], sides[k], err) < 0)
				return -1;
		}
	}
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

	return read_lines(r, err) < 0 ? -1 : take_modules(r, err);
}

int pario_dxt_read(struct pario_import_file *source, struct pario_harvest *h, struct pario_err *err)
{
	return pario_darshan_dump(source, h, sizeof(struct reader), read_dump, err);
}
