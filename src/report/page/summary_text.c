/*
 * summary_text: what a test's definition asks to be printed (report/page/document.h), on the page as well: a table of
 * the paper's form, a protocol's summary, which routine to use. It is made from the same results as the pictures.
 */
#include "report/chart/pictures.h"

#include <string.h>

#include "report/chart/table_charts.h"
#include "report/page/document.h"
#include "report/page/markup.h"

/* Each line by itself: within one, a line's end would be a control byte and no more. */
static void add_lines(struct pario_text *out, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct pario_text line = { 0 };

		pario_text_add(&line, "%.*s", (int)length, text);
		pario_markup_text(out, pario_text_string(&line));
		pario_text_add(out, "\n");
		pario_text_release(&line);
		text += length + (text[length] == '\n');
	}
}

static void add_words(struct pario_section *s, const struct pario_document *d, size_t volume)
{
	const struct pario_archive *a = s->groups->archive;
	struct pario_text *out = s->canvas->out, text = { 0 };
	struct pario_history history;
	struct pario_err err = { 0 };

	if (pario_table_chart_history(s, volume, &history) < 0)
		return;
	history.begin = json_deep_copy(a->volume[volume].begin);
	history.end = json_deep_copy(a->volume[volume].end);
	if (pario_document_applies(d, &history) && d->write(&history, &text, &err) == 0 &&
	    text.length) {
		pario_text_add(out, "<figure class=\"broad\"><figcaption><h3>");
		pario_markup_text(out, d->file);
		if (a->volume_count > 1) {
			pario_text_add(out, ", ");
			pario_markup_text(out, a->volume[volume].label);
		}
		pario_text_add(out, "</h3></figcaption><pre tabindex=\"0\">");
		add_lines(out, pario_text_string(&text));
		pario_text_add(out, "</pre></figure>\n");
	}
	pario_text_release(&text);
	pario_history_release(&history);
}

void pario_picture_summary_text(struct pario_section *s, const struct pario_picture *p)
{
	const struct pario_document *const *d = s->reports ? s->reports->documents : NULL;

	(void)p;
	for (; d && *d; d++)
		if ((*d)->shown && strcmp((*d)->test, s->test) == 0)
			for (size_t v = 0; v < s->groups->archive->volume_count; v++)
				add_words(s, *d, v);
}
