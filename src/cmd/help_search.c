/*
 * help_search: looks for a word in the tables that help is made from. Names are hit wherever they hold it,
 * explanations where it begins a word: who asks for "stripe" wants stripe_count and striping_factor, who asks for
 * "np" not every "input".
 */
#include "cmd/help_search.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cmd/cmd.h"
#include "engine/plan.h"
#include "manual/manual.h"
#include "profile/findings/rules.h"
#include "tests/tests.h"

enum { SEEN = 512, WORD = 64, LEAST = 2 };

static const struct {
	const char *file, *about;
} documents[] = {
	{ "first-run", "a first run, number by number" },
	{ "report", "the report page, compare, doctor" },
	{ "methodology", "how every number is made: cold, durable, median, interval, suspect" },
	{ "tests", "each test: its question, its method, when its number misleads" },
	{ "glance", "the concise set: regions, limits, what stands out" },
	{ "survey", "the access space: statements, regions, what avoids what is slow" },
	{ "import", "results of IOR, mdtest, fio, io500, elbencho, Darshan; rank" },
	{ "coming-from", "IOR, mdtest and IO500 users: options and their counterparts" },
	{ "history", "numbers over time, and where they changed" },
	{ "export", "CSV, OpenMetrics, pandas and R" },
	{ "journal", "the file a run leaves behind, and jq" },
	{ "beff", "b_eff, the effective bandwidth of communication" },
	{ "beff_io", "b_eff_io, the effective bandwidth of I/O" },
	{ "nht1", "NHT-1: application, peak and network" },
	{ "overlap", "I/O beside computing, CPU time of routines" },
	{ "madbench2", "MADbench2, out-of-core linear algebra" },
	{ "training", "samples for accelerators: AU, loaders, how many accelerators" },
	{ "checkpoint", "checkpoints of large models, beside the training too" },
	{ "trace", "tracing and profiling a program, findings" },
	{ "replay", "the same I/O again, without the program" },
	{ "predict", "how long a program's I/O would take elsewhere" },
	{ "characterize", "what I/O costs on a system, for predictions" },
	{ "system-format", "the file that describes a system" },
	{ "scale", "many clients and nodes" },
	{ "cluster", "networked file systems: Lustre, BeeGFS, CephFS, NFS" },
	{ "architecture", "how the program is built" },
	{ "glossary", "the words it uses" },
	{ "add-a-test", "extending it by a test" },
	{ "add-a-backend", "extending it by a backend" },
};

struct search {
	char word[WORD];
	struct pario_text *out;
	const char *section; /* begun in the output */
	const struct pario_option *seen[SEEN];
	size_t count;
	bool found;
};

static char plain(char c)
{
	return c == '-' ? '_' : (char)tolower((unsigned char)c);
}

/* Does the word occur, with `starts` only at the beginning of a word? */
static bool holds(const char *text, const char *word, bool starts)
{
	for (size_t i = 0; text && text[i]; i++) {
		size_t k = 0;

		if (starts && i > 0 && isalnum((unsigned char)text[i - 1]))
			continue;
		while (word[k] && plain(text[i + k]) == word[k])
			k++;
		if (!word[k])
			return true;
	}
	return false;
}

static void add(struct search *s, const char *section, const char *name, const char *about)
{
	if (s->section != section)
		pario_text_add(s->out, "%s%s\n", s->section ? "\n" : "", section);
	s->section = section;
	s->found = true;
	pario_text_add(s->out, "  %-24s  %s\n", name, about ? about : "");
}

static bool matches(const struct search *s, const char *name, const char *about)
{
	return holds(name, s->word, false) || holds(about, s->word, true);
}

static void add_option(struct search *s, const struct pario_option *row, const char *where)
{
	struct pario_text about = { 0 };
	char name[96];

	for (size_t i = 0; i < s->count; i++) {
		if (s->seen[i] == row)
			return;
	}
	if (s->count < SEEN)
		s->seen[s->count++] = row;
	snprintf(name, sizeof(name), "--%s", row->name);
	if (row->help)
		pario_text_add(&about, "%s: %s", where, row->help);
	else
		pario_text_add(&about, "%s: a hint of MPI-IO, by its own name", where);
	add(s, "options", name, pario_text_string(&about));
	pario_text_release(&about);
}

static void look_in_table(struct search *s, const struct pario_table *table, const char *owner)
{
	/* Of a test's own options the title says no more than that. */
	const char *where = table->title && *table->title && strcmp(table->title, "test") != 0
				    ? table->title
				    : owner;

	for (const struct pario_option *row = table->rows; row && row->name; row++) {
		struct pario_text words = { 0 };
		bool hit;

		if (row->flags & (PARIO_OPTION_HIDDEN | PARIO_OPTION_PLANTED))
			continue;
		pario_docs_words(row, &words);
		hit = matches(s, row->name, row->help) ||
		      holds(pario_text_string(&words), s->word, true);
		pario_text_release(&words);
		if (hit)
			add_option(s, row, where);
	}
}

static int look_in_options(struct search *s, struct pario_err *err)
{
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		struct pario_table tables[PARIO_DOCS_TABLES];
		size_t count = pario_docs_tables(c, tables);

		for (size_t i = 0; i < count; i++)
			look_in_table(s, &tables[i], c->name);
	}
	for (size_t i = 0; pario_tests[i]; i++) {
		struct pario_plan plan;

		if (pario_plan_init(&plan, pario_tests[i], err) < 0)
			return -1;
		for (size_t k = 0; k < plan.table_count; k++)
			look_in_table(s, &plan.tables[k], pario_tests[i]->name);
		pario_plan_release(&plan);
	}
	return 0;
}

static void look_in_rest(struct search *s)
{
	char text[256];

	for (size_t i = 0; pario_backends[i]; i++) {
		if (holds(pario_backends[i]->name, s->word, false))
			add(s, "backends", pario_backends[i]->name,
			    "`pario list` says whether it is available");
	}
	for (size_t i = 0; i < pario_rule_count; i++) {
		if (matches(s, pario_rules[i].name, pario_rules[i].title))
			add(s, "findings of pario profile", pario_rules[i].name,
			    pario_rules[i].title);
	}
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		snprintf(text, sizeof(text), "docs/%s.md", documents[i].file);
		if (matches(s, documents[i].file, documents[i].about))
			add(s, "documents", text, documents[i].about);
	}
}

bool pario_help_search(const char *word, struct pario_text *out, struct pario_err *err)
{
	struct search s = { .out = out };
	size_t n = 0;

	for (word += strspn(word, "-"); *word && n + 1 < sizeof(s.word); word++)
		s.word[n++] = plain(*word);
	if (n < LEAST)
		return false;
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		if (matches(&s, c->name, c->summary))
			add(&s, "commands", c->name, c->summary);
	}
	for (size_t i = 0; pario_tests[i]; i++) {
		if (matches(&s, pario_tests[i]->name, pario_tests[i]->summary))
			add(&s, "tests", pario_tests[i]->name, pario_tests[i]->summary);
	}
	if (look_in_options(&s, err) < 0)
		return false;
	look_in_rest(&s);
	return s.found && !out->failed;
}
