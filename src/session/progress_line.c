/*
 * progress_line: the parts of the line in their longest form; shorter forms are tried until it fits.
 */
#include "session/progress_line.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "report/text/quantity.h"

enum { BAR = 18 };

/* So short a time is not worth a word; what was said is called too short when it is so many times as long. */
#define LEFT_LEAST_S 0.5
#define LEFT_MORE    1.1

/* What a line can hold, the least important first. */
enum { WITH_REPETITION = 1, WITH_LAST = 2, WITH_BAR = 4, WITH_ALL = 7 };

static size_t letters(const struct pario_text *text)
{
	size_t count = 0;

	for (size_t i = 0; i < text->length; i++)
		count += ((unsigned char)text->data[i] & 0xc0) != 0x80;
	return count;
}

static void add_bar(struct pario_text *out, double share)
{
	pario_text_add(out, "[");
	for (int i = 0; i < BAR; i++)
		pario_text_add(out, i < (int)(share * BAR) ? "#" : "-");
	pario_text_add(out, "] ");
}

static void add_last(struct pario_text *out, const struct pario_progress_line *p)
{
	char number[PARIO_QUANTITY_CAPACITY];

	if (!p->last_phase || !isfinite(p->last_value))
		return;
	pario_text_add(out, " · %s %s", p->last_phase,
		       pario_quantity_text(number, p->last_value, p->last_unit));
}

/*
 * Early on the share is small, and preparations count for much of the time: what is expected of the whole run weighs as
 * much as the share that is left.
 */
static double left_of(const struct pario_progress_line *p, double share)
{
	double left = p->elapsed_s / share - p->elapsed_s;

	if (p->expected_s > 0)
		left = share * left + (1 - share) * fmax(0, p->expected_s - p->elapsed_s);
	return p->ends_s > 0 ? fmin(left, fmax(0, p->ends_s - p->elapsed_s)) : left;
}

/* While nothing new is known the time goes on; without memory, as it is known now. */
static void add_left(struct pario_text *out, const struct pario_progress_line *p, double share)
{
	struct pario_progress_left none = { 0 }, *m = p->left ? p->left : &none;
	char text[PARIO_UNITS_CAPACITY];
	double left;

	if (!(share > 0))
		return;
	if (share != m->share) {
		m->share = share;
		m->at_s = p->elapsed_s;
		m->left_s = left_of(p, share);
	}
	left = m->left_s - (p->elapsed_s - m->at_s);
	if (left < LEFT_LEAST_S)
		return;
	if (m->said_s == 0 || left < m->said_s)
		m->said_s = left;
	pario_text_add(out, " · %s%s left", left > m->said_s * LEFT_MORE ? "over " : "",
		       pario_units_time(text, m->said_s));
}

static void add_line(struct pario_text *out, const struct pario_progress_line *p, unsigned parts)
{
	double share = p->planned ? fmin(1, ((double)p->done + p->within) / (double)p->planned) : 0;

	if (parts & WITH_BAR)
		add_bar(out, share);
	pario_text_add(out, "%3.0f %%  %s %s, %llu client%s", 100 * share, p->test, p->phase,
		       (unsigned long long)p->clients, p->clients == 1 ? "" : "s");
	if (parts & WITH_REPETITION)
		pario_text_add(out, ", repetition %llu", (unsigned long long)p->repetition + 1);
	if (parts & WITH_LAST)
		add_last(out, p);
	add_left(out, p, share);
}

/* Cuts behind the last letter that fits. */
static void cut(struct pario_text *text, size_t most)
{
	size_t shown = 0;

	for (size_t i = 0; i < text->length; i++) {
		if (((unsigned char)text->data[i] & 0xc0) != 0x80 && shown++ == most) {
			text->length = i;
			text->data[i] = '\0';
			return;
		}
	}
}

void pario_progress_line_add(struct pario_text *out, const struct pario_progress_line *state,
			     unsigned columns)
{
	size_t most = columns > 1 ? columns - 1 : 1;
	struct pario_text line = { 0 };

	for (unsigned without = 0; without <= WITH_ALL; without = without << 1 | 1) {
		pario_text_clear(&line);
		add_line(&line, state, WITH_ALL & ~without);
		if (letters(&line) <= most)
			break;
	}
	cut(&line, most);
	pario_text_add(out, "%s", pario_text_string(&line));
	pario_text_release(&line);
}
