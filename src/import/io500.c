/*
 * io500: result.txt, an INI file with a section per phase, and the lines of the summary, which stand in
 * result_summary.txt and in what io500 prints.
 *
 * Scores are GiB/s for IOR's phases and 1000 operations per second for the others. Until 2019 the summary called
 * GiB/s GB/s, numbered the phases and wrote their names with underscores; they have today's names here. A phase or a
 * run that io500 marks invalid is suspect. A score is also imported as a result of its own, of the phase "score";
 * that of the extended mode is "score extended". Phases that count for no score have a line without the word RESULT.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/formats.h"
#include "import/text.h"

enum { NAME = 64 };

/* One phase, as far as it was read. */
struct phase {
	char name[NAME];
	double score, seconds;
	bool invalid;
	char reason[256];
};

struct scores {
	double bandwidth, metadata, total;
};

struct reader {
	struct pario_harvest *harvest;
	struct phase phase;
	struct scores scores;
	uint64_t procs;
	char invalid[256]; /* why the whole run is */
};

static void clear(struct phase *p)
{
	*p = (struct phase){ .score = NAN, .seconds = NAN };
}

static void mark(struct pario_result *r, const char *reason)
{
	r->outcome = PARIO_SUSPECT;
	snprintf(r->reason, sizeof(r->reason), "io500 marks this as invalid%s%s",
		 *reason ? ": " : "", reason);
}

static int add_phase(struct pario_harvest *h, const struct phase *p, uint64_t procs,
		     struct pario_err *err)
{
	struct pario_result *result;

	/* a phase that did not run has a score of 0, and the timestamp has none */
	if (!*p->name || !(p->score > 0))
		return 0;
	result = pario_harvest_result(h, p->name, procs, err);
	if (!result)
		return -1;
	result->seconds.total = p->seconds;
	pario_result_metric(result, "score", strncmp(p->name, "ior", 3) == 0 ? "GiB/s" : "kops/s",
			    p->score);
	pario_result_headline(result, "score", 1);
	if (p->invalid)
		mark(result, p->reason);
	return 0;
}

static int add_scores(struct pario_harvest *h, const struct scores *s, const struct phase *p,
		      uint64_t procs, struct pario_err *err)
{
	struct pario_result *result;

	if (!isfinite(s->total))
		return 0;
	result = pario_harvest_result(h, p->name, procs, err);
	if (!result)
		return -1;
	if (isfinite(s->bandwidth))
		pario_result_metric(result, "BW", "GiB/s", s->bandwidth);
	if (isfinite(s->metadata))
		pario_result_metric(result, "MD", "kops/s", s->metadata);
	pario_result_metric(result, "SCORE", "score", s->total);
	pario_result_headline(result, "SCORE", 1);
	if (p->invalid)
		mark(result, p->reason);
	return 0;
}

static void name_score(struct phase *p, bool extended)
{
	snprintf(p->name, sizeof(p->name), extended ? "score extended" : "score");
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

/* A configuration has the same sections, but no times and no score. */
bool pario_io500_sign(const char *line, uint64_t number)
{
	(void)number;
	return (pario_after(line, "t_start") && strchr(line, '=')) ||
	       strcmp(line, "[SCORE]") == 0 || strcmp(line, "[SCOREX]") == 0;
}

static int end_section(struct reader *r, struct pario_err *err)
{
	struct phase *p = &r->phase;
	bool extended = strcmp(p->name, "SCOREX") == 0;
	int status = 0;

	if (*r->invalid && !p->invalid) {
		p->invalid = true;
		snprintf(p->reason, sizeof(p->reason), "%s", r->invalid);
	}
	if (extended || strcmp(p->name, "SCORE") == 0) {
		name_score(p, extended);
		status = add_scores(r->harvest, &r->scores, p, r->procs, err);
	} else if (strcmp(p->name, "run") != 0) {
		status = add_phase(r->harvest, p, r->procs, err);
	}
	clear(p);
	r->scores = (struct scores){ NAN, NAN, NAN };
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

/* Two different ones in a section: the head of the second was not understood, and neither is sure. */
static void take_score(struct phase *p, const char *value)
{
	double score = marked(p, value);

	p->score = isnan(p->score) || p->score == score ? score : -1;
}

static void take_pair(struct reader *r, const char *key, const char *value, uint64_t number)
{
	struct phase *p = &r->phase;

	if (strcmp(p->name, "run") == 0)
		take_run(r, key, value);
	else if (strcmp(key, "score") == 0)
		take_score(p, value);
	else if (strcmp(key, "t_delta") == 0)
		p->seconds = marked(p, value);
	else if (strcmp(key, "t_start") == 0)
		take_time(r->harvest, value);
	else if (strcmp(key, "BW") == 0)
		r->scores.bandwidth = pario_harvest_cell(r->harvest, value);
	else if (strcmp(key, "MD") == 0)
		r->scores.metadata = pario_harvest_cell(r->harvest, value);
	else if (strcmp(key, "SCORE") == 0)
		r->scores.total = marked(p, value);
	if (strcasecmp(key, "score") == 0 && *value &&
	    !((*key == 's' ? p->score : r->scores.total) >= 0))
		pario_harvest_lost(r->harvest, number, value);
}

/* "; ERROR INVALID stonewall-time < 30s": of the phase it stands in, or of the whole run. */
static void take_remark(struct reader *r, const char *line)
{
	bool whole = !*r->phase.name || strcmp(r->phase.name, "run") == 0;
	const char *text = line + 1 + strspn(line + 1, " \t");

	if (!strstr(line, "INVALID"))
		return;
	r->phase.invalid |= !whole;
	if (whole)
		snprintf(r->invalid, sizeof(r->invalid), "%s", text);
	else
		snprintf(r->phase.reason, sizeof(r->phase.reason), "%s", text);
}

static int take_ini_line(struct reader *r, uint64_t number, char *line, struct pario_err *err)
{
	char *key, *value, *close;
	struct phase *p = &r->phase;

	line += strspn(line, " \t");
	if (*line == ';' || *line == '#') {
		take_remark(r, line);
		return 0;
	}
	close = *line == '[' ? strchr(line, ']') : NULL;
	/* a section stands alone, or with its mark; other programs begin lines with brackets, too */
	if (close && (!close[1 + strspn(close + 1, " \t")] || strstr(close + 1, "INVALID"))) {
		if (end_section(r, err) < 0)
			return -1;
		*close = '\0';
		snprintf(p->name, sizeof(p->name), "%s", line + 1);
		p->invalid = strstr(close + 1, "INVALID") != NULL;
	} else if (pario_key_value(line, '=', &key, &value)) {
		take_pair(r, key, value, number);
	}
	return 0;
}

int pario_io500_read(struct pario_import_file *source, struct pario_harvest *h,
		     struct pario_err *err)
{
	struct reader r = { .harvest = h, .procs = PARIO_UNTOLD, .scores = { NAN, NAN, NAN } };
	struct pario_lines lines;

	clear(&r.phase);
	if (pario_harvest_run(h, "io500", "", err) < 0)
		return -1;
	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines)) {
		if (take_ini_line(&r, lines.number, lines.text, err) < 0)
			return -1;
	}
	if (!*h->program)
		snprintf(h->program, sizeof(h->program), "io500");
	if (end_section(&r, err) < 0)
		return -1;
	pario_io500_note_end(h);
	return 0;
}

/* The score comes last: without it something is missing that cannot be seen otherwise. */
void pario_io500_note_end(struct pario_harvest *h)
{
	bool seen = false;

	for (size_t i = 0; i < h->count; i++) {
		const struct pario_result *r = &h->results[i];

		if (strcmp(r->test, "io500") != 0)
			continue;
		if (pario_result_find(r, "SCORE"))
			return;
		seen = true;
	}
	if (seen)
		pario_harvest_note(h,
				   "There is no score: io500 was interrupted, or the file is cut "
				   "off. Its last number may be cut, too.");
}

/* ---- the summary ---- */

static bool is_known(const char *line)
{
	static const char *const heads[] = {
		"[RESULT",	   "[SCORE]",	      "[SCORE ]",
		"[SCOREX]",	   "[SCORE-invalid]", "IO500 version",
		"IO500 phases by", "io500_info_",     "io500_mpiargs="
	};

	/* what counts for no score */
	if (*line == '[' && line[1 + strspn(line + 1, " ")] == ']')
		return strstr(line, " : time ") != NULL;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		const char *end = strchr(line, ']');

		/* alone on its line it begins a section of result.txt */
		if (pario_after(line, heads[i]))
			return *line != '[' || !end || end[1] != '\0';
	}
	return false;
}

/* Logs have the time before a line, and grep the name of the file. */
const char *pario_io500_text_at(const char *line)
{
	static const struct {
		const char *head, *tail;
	} marks[] = { { "[RESULT", " : time " },
		      { "[SCORE", " : TOTAL " },
		      { "IO500 version io500", "" } };

	line += strspn(line, " \t");
	if (is_known(line))
		return line;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *at = strstr(line, marks[i].head);

		if (at && strstr(at, marks[i].tail))
			return at;
	}
	return NULL;
}

static int begin_run(struct pario_io500_text *r, struct pario_err *err)
{
	if (r->open)
		return 0;
	r->open = true;
	r->first = r->harvest->count;
	return pario_harvest_run(r->harvest, "io500", *r->version ? r->version : "io500", err);
}

/* What the owner says of the system; "xxx" stands where nothing was filled in. */
static int take_about(struct pario_io500_text *r, char *line, struct pario_err *err)
{
	static const struct {
		const char *key, *name;
	} about[] = {
		{ "io500_info_system_name", "system" },
		{ "io500_info_institute_name", "site" },
		{ "io500_info_filesystem", "file_system" },
		{ "io500_info_filesysem", "file_system" },
		{ "io500_info_filesystem_version", "file_system_version" },
		{ "io500_info_num_client_nodes", "nodes" },
	};
	char *key, *value;

	if (!pario_key_value(line, '=', &key, &value) || begin_run(r, err) < 0)
		return 0;
	if (*value == '\'' && strlen(value) > 1) {
		value++;
		value[strcspn(value, "'")] = '\0';
	}
	if (strcmp(key, "io500_mpiargs") == 0) {
		char word[32];

		pario_word_after(value, strstr(value, "-np ") ? "-np " : "-n ", word, sizeof(word));
		r->procs = pario_whole(word);
	}
	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++) {
		if (strcmp(key, about[i].key) == 0 && strcmp(value, "xxx") != 0)
			pario_harvest_param(r->harvest, about[i].name, value);
	}
	return 0;
}

/* Was the same number told before? A summary repeats what was printed phase by phase, and summaries before it. */
static bool told(const struct pario_io500_text *r, const char *phase, const char *metric,
		 double value, bool *other)
{
	for (size_t i = 0; i < r->harvest->count; i++) {
		const struct pario_result *before = &r->harvest->results[i];
		const struct pario_metric *m = pario_result_find(before, metric);

		if (strcmp(before->test, "io500") != 0 || strcmp(before->phase, phase) != 0 || !m)
			continue;
		if (m->value == value)
			return true;
		*other |= r->open && i >= r->first;
	}
	return false;
}

/* A phase that the run has with another number belongs to the next one. */
static int enter(struct pario_io500_text *r, const char *phase, const char *metric, double value,
		 bool *known, struct pario_err *err)
{
	bool other = false;

	*known = told(r, phase, metric, value, &other);
	if (!*known && other)
		r->open = false;
	return *known ? 0 : begin_run(r, err);
}

static bool is_unit(const char *word, const char *phase)
{
	return strncmp(phase, "ior", 3) == 0
		       ? strcmp(word, "GiB/s") == 0 || strcmp(word, "GB/s") == 0
		       : strcasecmp(word, "kiops") == 0;
}

/*
 * "[RESULT]  ior-easy-write  2.093500 GiB/s : time 315.474 seconds [INVALID]",
 * "[RESULT-invalid] IOPS phase 2  mdtest_hard_write  448.105 kiops : time 218.46 seconds"
 */
static bool split_result(char *line, struct phase *p)
{
	char *words[PARIO_WORDS], *close = strchr(line, ']');
	size_t count, i = 0;

	clear(p);
	p->invalid = strstr(line, "INVALID") || strstr(line, "-invalid]");
	count = close ? pario_words(close + 1, words) : 0;
	if (count > 3 && strcmp(words[1], "phase") == 0)
		i = 3;
	if (count < i + 3)
		return false;
	snprintf(p->name, sizeof(p->name), "%s", words[i]);
	for (char *c = p->name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	p->score = pario_number(words[i + 1]);
	for (size_t k = i + 3; k + 1 < count; k++) {
		if (strcmp(words[k], "time") == 0)
			p->seconds = pario_number(words[k + 1]);
	}
	return p->score >= 0 && is_unit(words[i + 2], p->name);
}

static int take_result_line(struct pario_io500_text *r, uint64_t number, char *line,
			    struct pario_err *err)
{
	char copy[PARIO_LINE];
	struct phase p;
	bool known;

	snprintf(copy, sizeof(copy), "%s", line);
	r->harvest->tables++;
	if (!split_result(copy, &p)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	if (enter(r, p.name, "score", p.score, &known, err) < 0)
		return -1;
	return known ? 0 : add_phase(r->harvest, &p, r->procs, err);
}

/* "[SCORE ] Bandwidth 1.2 GiB/s : IOPS 12.3 kiops : TOTAL 3.9 [INVALID]" */
static int take_score_line(struct pario_io500_text *r, uint64_t number, const char *line,
			   struct pario_err *err)
{
	struct scores s = { NAN, NAN, NAN };
	struct phase p;
	char word[64];
	bool known;

	clear(&p);
	p.invalid = strstr(line, "INVALID") || strstr(line, "-invalid]");
	name_score(&p, pario_after(line, "[SCOREX]") != NULL);
	pario_word_after(line, "Bandwidth ", word, sizeof(word));
	s.bandwidth = pario_harvest_cell(r->harvest, word);
	pario_word_after(line, "IOPS ", word, sizeof(word));
	s.metadata = pario_harvest_cell(r->harvest, word);
	pario_word_after(line, "TOTAL ", word, sizeof(word));
	s.total = pario_number(word);
	if (!isfinite(s.total)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	if (enter(r, p.name, "SCORE", s.total, &known, err) < 0)
		return -1;
	return known ? 0 : add_scores(r->harvest, &s, &p, r->procs, err);
}

static void take_version(struct pario_io500_text *r, const char *text, const char *stop)
{
	snprintf(r->version, sizeof(r->version), "%.*s", (int)strcspn(text, stop), text);
	/* "IO500 version  (standard)": built without one */
	if (*r->version == '(')
		*r->version = '\0';
	r->open = false;
	r->procs = PARIO_UNTOLD;
}

int pario_io500_text_line(struct pario_io500_text *r, uint64_t number, char *line,
			  struct pario_err *err)
{
	const char *value;

	if (!r->open && !*r->version)
		r->procs = PARIO_UNTOLD;
	if ((value = pario_after(line, "IOR500 version")) ||
	    (value = pario_after(line, "IO500 version")))
		take_version(r, value, " ");
	else if ((value = pario_after(line, "IO500 phases by")))
		take_version(r, value, "(");
	else if (pario_after(line, "io500_"))
		return take_about(r, line, err);
	else if (pario_after(line, "[SCORE"))
		return take_score_line(r, number, line, err);
	else
		return take_result_line(r, number, line, err);
	return 0;
}
