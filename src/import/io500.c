/*
 * io500: result.txt, an INI file with a section per phase, and result_summary.txt, a line per phase.
 *
 * Scores are GiB/s for IOR's phases and 1000 operations per second for the others. A phase or a run that io500 marks
 * INVALID is suspect here. A score is also imported as a result of its own, of the phase "score". Phases that count for
 * no score have a line without the word RESULT.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/formats.h"
#include "import/lines.h"

enum { NAME = 64 };

/* One phase, as far as it was read. */
struct phase {
	char name[NAME];
	double score, seconds;
	bool invalid;
	char reason[256];
};

struct reader {
	struct pario_harvest *harvest;
	struct phase phase;
	uint64_t procs;
	double bandwidth, metadata, total;
};

static void clear(struct phase *p)
{
	*p = (struct phase){ .score = NAN, .seconds = NAN };
}

static void doubt(struct pario_result *r, const struct phase *p)
{
	if (!p->invalid)
		return;
	r->outcome = PARIO_SUSPECT;
	snprintf(r->reason, sizeof(r->reason), "io500 marks this as invalid%s%s",
		 *p->reason ? ": " : "", p->reason);
}

static int take_phase(struct reader *r, struct pario_err *err)
{
	const struct phase *p = &r->phase;
	struct pario_result *result;

	/* a phase that did not run has a score of 0, and the timestamp has none */
	if (!*p->name || !(p->score > 0))
		return 0;
	result = pario_harvest_result(r->harvest, p->name, r->procs, err);
	if (!result)
		return -1;
	result->seconds.total = p->seconds;
	pario_result_metric(result, "score", strncmp(p->name, "ior", 3) == 0 ? "GiB/s" : "kops/s",
			    p->score);
	pario_result_headline(result, "score", 1);
	doubt(result, p);
	return 0;
}

static int take_score(struct reader *r, struct pario_err *err)
{
	struct pario_result *result;

	if (!isfinite(r->total))
		return 0;
	result = pario_harvest_result(r->harvest, "score", r->procs, err);
	if (!result)
		return -1;
	if (isfinite(r->bandwidth))
		pario_result_metric(result, "BW", "GiB/s", r->bandwidth);
	if (isfinite(r->metadata))
		pario_result_metric(result, "MD", "kops/s", r->metadata);
	pario_result_metric(result, "SCORE", "score", r->total);
	pario_result_headline(result, "SCORE", 1);
	doubt(result, &r->phase);
	return 0;
}

/* The number at the beginning of a value, and whether it is followed by a mark. */
static double marked(struct phase *p, const char *value)
{
	char word[64];

	p->invalid |= strstr(value, "INVALID") != NULL;
	snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, " \t[;"), value);
	return pario_number(word);
}

/* ---- result.txt ---- */

bool pario_io500_recognise(const struct pario_import_file *source)
{
	return (pario_holds_head(source, "[ior-easy-write]") ||
		pario_holds_head(source, "[SCORE]")) &&
	       !pario_holds_head(source, "[RESULT");
}

static int end_section(struct reader *r, struct pario_err *err)
{
	int status = 0;

	if (strcmp(r->phase.name, "SCORE") == 0)
		status = take_score(r, err);
	else if (strcmp(r->phase.name, "run") != 0)
		status = take_phase(r, err);
	clear(&r->phase);
	return status;
}

static void take_run(struct reader *r, const char *key, const char *value)
{
	if (strcmp(key, "procs") == 0)
		r->procs = pario_whole(value);
	else if (strcmp(key, "version") == 0)
		snprintf(r->harvest->program, sizeof(r->harvest->program), "%s%s",
			 pario_after(value, "io500") || pario_after(value, "pario ") ? ""
										     : "io500 ",
			 value);
	else if (strcmp(key, "mode") == 0 || strcmp(key, "config-hash") == 0)
		pario_harvest_param(r->harvest, key, value);
}

static void take_time(struct pario_harvest *h, const char *value)
{
	if (*h->time)
		return;
	pario_time_label(value, "%Y-%m-%d %H:%M:%S", h->time);
	h->zone_untold = *h->time != '\0';
}

static void take_pair(struct reader *r, const char *key, const char *value)
{
	struct phase *p = &r->phase;

	if (strcmp(p->name, "run") == 0)
		take_run(r, key, value);
	else if (strcmp(key, "score") == 0)
		p->score = marked(p, value);
	else if (strcmp(key, "t_delta") == 0)
		p->seconds = marked(p, value);
	else if (strcmp(key, "t_start") == 0)
		take_time(r->harvest, value);
	else if (strcmp(key, "BW") == 0)
		r->bandwidth = marked(p, value);
	else if (strcmp(key, "MD") == 0)
		r->metadata = marked(p, value);
	else if (strcmp(key, "SCORE") == 0)
		r->total = marked(p, value);
}

static int take_ini_line(struct reader *r, char *line, struct pario_err *err)
{
	char *key, *value, *close;
	struct phase *p = &r->phase;

	line += strspn(line, " \t");
	if (*line == ';' || *line == '#') {
		if (strstr(line, "INVALID") && *p->name) {
			p->invalid = true;
			snprintf(p->reason, sizeof(p->reason), "%s",
				 line + 1 + strspn(line + 1, " \t"));
		}
		return 0;
	}
	close = *line == '[' ? strchr(line, ']') : NULL;
	if (close) {
		if (end_section(r, err) < 0)
			return -1;
		*close = '\0';
		snprintf(p->name, sizeof(p->name), "%s", line + 1);
		p->invalid = strstr(close + 1, "INVALID") != NULL;
	} else if (pario_key_value(line, '=', &key, &value)) {
		take_pair(r, key, value);
	}
	return 0;
}

static int begin(struct reader *r, struct pario_harvest *h, struct pario_err *err)
{
	*r = (struct reader){
		.harvest = h, .procs = PARIO_UNTOLD, .bandwidth = NAN, .metadata = NAN, .total = NAN
	};
	clear(&r->phase);
	h->test = "io500";
	snprintf(h->program, sizeof(h->program), "io500");
	return pario_harvest_point(h, err);
}

int pario_io500_read(const struct pario_import_file *source, struct pario_harvest *h,
		     struct pario_err *err)
{
	struct pario_lines lines;
	struct reader r;

	if (begin(&r, h, err) < 0)
		return -1;
	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines)) {
		if (take_ini_line(&r, lines.text, err) < 0)
			return -1;
	}
	return end_section(&r, err);
}

/* ---- result_summary.txt ---- */

bool pario_io500_summary_recognise(const struct pario_import_file *source)
{
	return pario_holds_head(source, "[RESULT");
}

/* "[RESULT]  ior-easy-write  2.093500 GiB/s : time 315.474 seconds [INVALID]" */
static int take_result_line(struct reader *r, char *line, struct pario_err *err)
{
	char *words[PARIO_WORDS];
	struct phase *p = &r->phase;
	bool invalid = strstr(line, "INVALID") != NULL;
	size_t count;

	line = strchr(line, ']');
	count = line ? pario_words(line + 1, words) : 0;
	clear(p);
	if (count < 3)
		return 0;
	snprintf(p->name, sizeof(p->name), "%s", words[0]);
	p->invalid = invalid;
	p->score = pario_number(words[1]);
	for (size_t i = 3; i + 1 < count; i++) {
		if (strcmp(words[i], "time") == 0)
			p->seconds = pario_number(words[i + 1]);
	}
	return take_phase(r, err);
}

/* "[SCORE ] Bandwidth 1.2 GiB/s : IOPS 12.3 kiops : TOTAL 3.9 [INVALID]" */
static int take_score_line(struct reader *r, char *line, struct pario_err *err)
{
	char *words[PARIO_WORDS];
	size_t count;

	clear(&r->phase);
	r->phase.invalid = strstr(line, "INVALID") != NULL;
	count = pario_words(line, words);
	for (size_t i = 0; i + 1 < count; i++) {
		if (strcmp(words[i], "Bandwidth") == 0)
			r->bandwidth = pario_number(words[i + 1]);
		else if (strcmp(words[i], "IOPS") == 0)
			r->metadata = pario_number(words[i + 1]);
		else if (strcmp(words[i], "TOTAL") == 0)
			r->total = pario_number(words[i + 1]);
	}
	return take_score(r, err);
}

int pario_io500_summary_read(const struct pario_import_file *source, struct pario_harvest *h,
			     struct pario_err *err)
{
	struct pario_lines lines;
	struct reader r;
	int status;

	if (begin(&r, h, err) < 0)
		return -1;
	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines)) {
		const char *version = pario_after(lines.text, "IO500 version");
		const char *own = pario_after(lines.text, "IO500 phases by");

		status = 0;
		if (version)
			snprintf(h->program, sizeof(h->program), "%.*s", (int)strcspn(version, " "),
				 version);
		else if (own)
			snprintf(h->program, sizeof(h->program), "%.*s", (int)strcspn(own, "("),
				 own);
		else if (pario_after(lines.text, "[RESULT") || pario_after(lines.text, "[      ]"))
			status = take_result_line(&r, lines.text, err);
		else if (pario_after(lines.text, "[SCORE"))
			status = take_score_line(&r, lines.text, err);
		if (status < 0)
			return -1;
	}
	return 0;
}
