/*
 * doctor: `pario doctor [DIR]`: what on this machine disturbs measurements, and what can be done.
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "cmd/cmd.h"
#include "console/ascii.h"
#include "console/console.h"
#include "engine/run_options.h"
#include "machine/checkup.h"
#include "report/text/style.h"
#include "session/terminal.h"

struct params {
	double seconds;
	char root[1024], kind[64];
	bool json;
	int color;
};

static const char *const colors[] = { "auto", "always", "never", NULL };

const struct pario_option pario_doctor_options[] = {
	PARIO_OPTION(struct params, seconds, .def = "2", .min = "0", .max = "600",
		     .unit = "seconds", .help = "how long to listen for noise; 0 = not at all"),
	PARIO_OPTION(struct params, color, .choices = colors, .def = "auto",
		     .help = "coloured output"),
	PARIO_OPTION(struct params, json, .def = "0",
		     .help = "one JSON object per finding instead of text"),
	PARIO_OPTION(struct params, kind, .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_HIDDEN,
		     .help = "kind of file system to pretend"),
	PARIO_OPTION(struct params, root, .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_HIDDEN,
		     .help = "directory prefixed to /sys and /proc"),
	{ 0 },
};

enum { INDENT = 10 };

static const char *const words[] = { [PARIO_FINDING_GOOD] = "good",
				     [PARIO_FINDING_KNOW] = "know",
				     [PARIO_FINDING_LOOK] = "look",
				     [PARIO_FINDING_BAD] = "bad" };

/* Text from column INDENT on, wrapped at blanks. */
static void show_wrapped(const char *text, unsigned columns)
{
	unsigned width = columns >= 2 * INDENT ? columns : 100, at = INDENT;
	struct pario_text clean = { 0 };
	const char *word;

	pario_text_clean(&clean, text);
	for (word = pario_text_string(&clean); *word;) {
		unsigned length = (unsigned)strcspn(word, " ");

		if (at + length > width && at > INDENT) {
			printf("\n%*s", INDENT, "");
			at = INDENT;
		}
		printf("%s%.*s", at > INDENT ? " " : "", (int)length, word);
		at += length + 1;
		word += length;
		word += *word == ' ';
	}
	printf("\n");
	pario_text_release(&clean);
}

static void show(const struct pario_checkup_finding *f, const struct pario_style *style)
{
	static const enum pario_tone tones[] = { [PARIO_FINDING_GOOD] = PARIO_TONE_QUIET,
						 [PARIO_FINDING_KNOW] = PARIO_TONE_PLAIN,
						 [PARIO_FINDING_LOOK] = PARIO_TONE_LOOK,
						 [PARIO_FINDING_BAD] = PARIO_TONE_BAD };
	char line[400];

	printf(" %s%-*s%s", pario_style_tone(style, tones[f->level]), INDENT - 1, words[f->level],
	       pario_style_tone(style, PARIO_TONE_PLAIN));
	snprintf(line, sizeof(line), "%s: %s", f->name, f->text);
	show_wrapped(line, style->columns);
	if (*f->consequence) {
		printf("%*s", INDENT, "");
		show_wrapped(f->consequence, style->columns);
	}
	if (*f->remedy) {
		snprintf(line, sizeof(line), "Remedy: %s", f->remedy);
		printf("%*s", INDENT, "");
		show_wrapped(line, style->columns);
	}
}

static void show_json(const struct pario_checkup_finding *f)
{
	struct pario_json json = { 0 };

	pario_json_open(&json, NULL, '{');
	pario_json_string(&json, "level", words[f->level]);
	pario_json_string(&json, "name", f->name);
	pario_json_string(&json, "text", f->text);
	pario_json_string(&json, "consequence", f->consequence);
	pario_json_string(&json, "remedy", f->remedy);
	pario_json_close(&json, '}');
	puts(pario_text_string(&json.text));
	pario_json_release(&json);
}

static void conclude(const size_t *counts, const char *directory, const struct pario_style *style)
{
	struct pario_text said = { 0 }, wrapped = { 0 };

	if (counts[PARIO_FINDING_BAD])
		pario_text_add(&said, "\n Nothing sound can be measured like this.\n");
	else if (counts[PARIO_FINDING_LOOK])
		pario_text_add(
			&said,
			"\n %zu thing%s to look at before numbers from here are shown to others.\n",
			counts[PARIO_FINDING_LOOK], counts[PARIO_FINDING_LOOK] == 1 ? "" : "s");
	else
		pario_text_add(&said, "\n This machine is fit to measure.\n");
	if (!counts[PARIO_FINDING_BAD]) {
		pario_text_add(&said, " Next: pario glance ");
		pario_text_clean(&said, directory);
		pario_text_add(&said, "\n");
	}
	pario_style_wrap(style, pario_text_string(&said), 1, &wrapped);
	fputs(pario_text_string(&wrapped), stdout);
	pario_text_release(&said);
	pario_text_release(&wrapped);
}

int pario_cmd_doctor(int argc, char **argv)
{
	static struct params params;
	static struct pario_checkup_finding findings[PARIO_CHECKUP_MAX];
	const struct pario_table table = { "doctor", pario_doctor_options, sizeof(params) };
	struct pario_style style = { 0 };
	struct pario_err err = { 0 };
	const char *given_words[16], *directory;
	size_t counts[PARIO_FINDING_BAD + 1] = { 0 }, count;
	int given = 0;

	if (pario_cmd_options("doctor", &table, &params, argc, argv, given_words, 16, &given,
			      &err) < 0)
		return pario_console_say(&err);
	if (given > 1) {
		pario_err_set(&err, PARIO_USAGE, "usage: pario doctor [DIR]");
		return pario_console_say(&err);
	}
	if (params.json)
		pario_ascii_stop();
	directory = given ? given_words[0] : ".";
	pario_terminal_style(&style, params.color);
	count = pario_checkup_run(
		&(struct pario_checkup){ directory, params.root, params.kind, params.seconds },
		findings);
	for (size_t i = 0; i < count; i++) {
		if (params.json)
			show_json(&findings[i]);
		else
			show(&findings[i], &style);
		counts[findings[i].level]++;
	}
	if (!params.json)
		conclude(counts, directory, &style);
	return counts[PARIO_FINDING_BAD] ? PARIO_INVALID : 0;
}
