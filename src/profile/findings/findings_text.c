/*
 * findings_text: findings for people, and as rows of the journal.
 */
#include "profile/findings/findings_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/findings/gain.h"
#include "profile/findings/verdict.h"
#include "profile/analyse/shares.h"
#include "profile/show/tables.h"

/* Words and a blank before each, broken at `width`, indented. */
static void wrap(struct pario_text *text, const char *indent, const char *words)
{
	enum { WIDTH = 108 };
	size_t column = 0;

	while (*words) {
		size_t length = strcspn(words, " ");

		if (column == 0 || column + length + 1 > WIDTH) {
			pario_text_add(text, "%s%s", column ? "\n" : "", indent);
			column = 0;
		} else {
			pario_text_add(text, " ");
		}
		pario_text_bytes(text, words, length);
		column += length + 1;
		words += length + strspn(words + length, " ");
	}
	pario_text_add(text, "\n");
}

static void show_title(const struct pario_profile *p, const struct pario_profile_finding *f,
		       unsigned number, struct pario_text *text)
{
	char time[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "  %u. %s", number, f->rule->title);
	if (f->ns > 0)
		pario_text_add(text, ": %s at stake", pario_units_ns(time, f->ns));
	if (f->ns > 0 && f->ns <= p->on[PARIO_MEDIUM_STORAGE].ns)
		pario_text_add(text, ", %.0f %% of the time on storage",
			       100 * f->ns / p->on[PARIO_MEDIUM_STORAGE].ns);
	pario_text_add(text, "\n");
}

static void show_one(const struct pario_profile *p, struct pario_symbols *symbols,
		     const struct pario_profile_finding *f, struct pario_text *text)
{
	struct pario_text says = { 0 }, where = { 0 }, remedy = { 0 }, gain = { 0 };

	pario_profile_finding_says(p, f, &says);
	pario_profile_finding_where(p, symbols, f, &where);
	pario_text_add(&remedy, "Try: %s", f->rule->remedy);
	wrap(text, "     ", pario_text_string(&says));
	if (where.length)
		pario_text_add(text, "     at %s\n", pario_text_string(&where));
	wrap(text, "     ", pario_text_string(&remedy));
	pario_gain_says(p->storage, p, f, &gain);
	if (gain.length)
		wrap(text, "     ", pario_text_string(&gain));
	pario_text_release(&says);
	pario_text_release(&where);
	pario_text_release(&remedy);
	pario_text_release(&gain);
}

void pario_profile_verdict_show(const struct pario_profile *p,
				const struct pario_profile_findings *f, struct pario_text *text)
{
	struct pario_verdict v = pario_verdict_of(p, f);
	struct pario_text says = { 0 };

	pario_verdict_says(&v, p, &says);
	wrap(text, "", pario_text_string(&says));
	pario_text_add(text, "\n");
	pario_text_release(&says);
}

void pario_profile_findings_show(const struct pario_profile *p,
				 const struct pario_profile_findings *f,
				 struct pario_symbols *symbols, unsigned rows, bool verbose,
				 struct pario_text *text)
{
	bool whole = verbose || pario_verdict_of(p, f).worth;

	if (f->count)
		pario_text_add(text, "\nWhat stands out%s\n",
			       whole ? "" : ", in the little that I/O takes (--verbose says more)");
	for (uint32_t i = 0; i < f->count && i < rows; i++) {
		show_title(p, &f->items[i], i + 1, text);
		if (whole)
			show_one(p, symbols, &f->items[i], text);
	}
	if (f->count > rows)
		pario_text_add(text, "  and %u more\n", f->count - rows);
}

static void add_verdict(const struct pario_profile *p, const struct pario_profile_findings *f,
			struct pario_result_tables *tables)
{
	struct pario_verdict v = pario_verdict_of(p, f);
	struct pario_text says = { 0 };

	pario_verdict_says(&v, p, &says);
	pario_result_tables_row(
		tables, "verdict", "share io_s run_s worth class finding says",
		(const struct pario_datum[]){
			PARIO_NUMBER(pario_verdict_share(&v)), PARIO_NUMBER(v.io_ns * 1e-9),
			PARIO_NUMBER(v.run_ns * 1e-9), PARIO_NUMBER(v.worth),
			PARIO_TEXT(pario_class_names[v.class]), PARIO_NUMBER(v.finding),
			PARIO_TEXT(pario_text_string(&says)) });
	pario_text_release(&says);
}

static void add_row(const struct pario_profile *p, struct pario_symbols *symbols,
		    const struct pario_profile_finding *f, struct pario_result_tables *tables)
{
	const struct pario_profile_site *site = f->site ? &p->sites[f->site] : NULL;
	const char *module = site && site->module < p->job.module_count
				     ? p->job.modules[site->module].path
				     : NULL,
		   *about = f->file ? p->job.files[f->file] : NULL;
	struct pario_source at = { 0 };
	struct pario_text says = { 0 }, gain = { 0 };

	pario_gain_says(p->storage, p, f, &gain);
	if (site)
		pario_profile_source(p, symbols, site->module, site->offset, &at);
	pario_profile_finding_says(p, f, &says);
	pario_result_tables_row(
		tables, "findings",
		"rule title seconds function file line module offset about says remedy source gain",
		(const struct pario_datum[]){
			PARIO_TEXT(f->rule->name), PARIO_TEXT(f->rule->title),
			PARIO_NUMBER(f->ns * 1e-9), PARIO_TEXT(pario_text_string(&at.function)),
			PARIO_TEXT(pario_text_string(&at.file)),
			PARIO_NUMBER(at.line ? at.line : (double)NAN),
			PARIO_TEXT(module ? module : ""),
			PARIO_NUMBER(site ? (double)site->offset : (double)NAN),
			PARIO_TEXT(about ? about : ""), PARIO_TEXT(pario_text_string(&says)),
			PARIO_TEXT(f->rule->remedy), PARIO_TEXT(f->rule->source),
			PARIO_TEXT(pario_text_string(&gain)) });
	pario_text_release(&gain);
	pario_text_release(&says);
	pario_source_release(&at);
}

bool pario_profile_findings_table(const struct pario_profile *p, struct pario_symbols *symbols,
				  struct pario_result_tables *tables)
{
	struct pario_profile_findings f;
	bool complete;

	pario_profile_findings_judge(&f, p);
	add_verdict(p, &f, tables);
	for (uint32_t i = 0; i < f.count && i < PARIO_FINDINGS_ROWS; i++)
		add_row(p, symbols, &f.items[i], tables);
	complete = !f.no_memory;
	pario_profile_findings_release(&f);
	return complete;
}
