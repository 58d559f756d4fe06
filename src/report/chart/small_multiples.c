/*
 * small_multiples: many dimensions, few lines per picture. Client counts become pictures of their own first, then
 * parameters, runs last and phases never: a reader wants to see reading beside writing and one system beside the other.
 */
#include "report/chart/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/quantity.h"

bool pario_small_multiple_has(const struct pario_section *section,
			      const struct pario_small_multiple *multiple, size_t i)
{
	const struct pario_group *g = section->group[i];

	if (!*g->first->of->phase || (!g->numbers && !g->failures))
		return false;
	return (!g->numbers || strcmp(g->unit, multiple->unit) == 0) &&
	       pario_section_same(section, i, multiple->first, multiple->multiples);
}

/* "Bandwidth over transfer_size: strided, 4 clients" */
static void small_multiple_title(const struct pario_section *section,
				 const struct pario_small_multiple *multiple, const char *title,
				 struct pario_text *out)
{
	struct pario_text name = { 0 };

	pario_section_name(section, multiple->first, multiple->multiples, &name);
	pario_text_add(out, "%s%s%s", title, name.length ? ": " : "", pario_text_string(&name));
	pario_text_release(&name);
}

void pario_small_multiple_fill(struct pario_chart *chart, struct pario_mark *mark,
			       const struct pario_group *group)
{
	mark->samples = group->numbers;
	if (group->numbers > 1) {
		mark->low = pario_small_multiple_value(group, group->low);
		mark->high = pario_small_multiple_value(group, group->high);
	}
	if (group->suspects)
		mark->flags |= PARIO_MARK_SUSPECT;
	if (!group->numbers && group->failures)
		mark->flags |= PARIO_MARK_FAILED;
	if (*group->reason)
		pario_chart_note(chart, mark, group->reason);
}

uint32_t pario_dim_bit(size_t dim)
{
	return UINT32_C(1) << dim;
}

const char *pario_small_multiple_unit(const struct pario_section *section, size_t n)
{
	const char *units[PARIO_SMALL_MULTIPLES_UNITS];
	size_t count = 0;

	for (size_t i = 0; i < section->count && count <= n && count < PARIO_SMALL_MULTIPLES_UNITS;
	     i++) {
		const char *unit = section->group[i]->unit;
		size_t k = 0;

		while (k < count && strcmp(units[k], unit) != 0)
			k++;
		if (k == count && section->group[i]->numbers)
			units[count++] = unit;
	}
	return n < count ? units[n] : NULL;
}

double pario_small_multiple_value(const struct pario_group *group, double number)
{
	double seconds = pario_quantity_seconds(group->unit);

	return seconds > 0 ? number * seconds : number;
}

struct pario_chart_axis pario_small_multiple_axis(const struct pario_section *section,
						  const struct pario_small_multiple *multiple)
{
	struct pario_chart_axis axis = { .zero = true };

	if (pario_quantity_seconds(multiple->unit) > 0)
		axis.format = PARIO_FORMAT_SECONDS;
	else
		axis.unit = *multiple->unit ? multiple->unit : NULL;
	for (size_t i = 0; i < section->count; i++) {
		const struct pario_group *g = section->group[i];

		if (!g->numbers || !pario_small_multiple_has(section, multiple, i))
			continue;
		if (!axis.title)
			axis.title = g->headline;
		else if (strcmp(axis.title, g->headline) != 0)
			axis.title = axis.format == PARIO_FORMAT_SECONDS ? "time" : "value";
	}
	if (!axis.title || !*axis.title)
		axis.title = strcmp(multiple->unit, "ops/s") == 0 ? "operations" : "bandwidth";
	return axis;
}

void pario_small_multiple_chart(struct pario_chart *chart, enum pario_chart_kind kind,
				const struct pario_section *s, const struct pario_picture *p,
				const struct pario_small_multiple *f, const char *title)
{
	struct pario_text text = { 0 };

	small_multiple_title(s, f, title, &text);
	pario_chart_init(chart, kind, pario_text_string(&text));
	if (p->text)
		pario_chart_text(chart, p->text);
	chart->failed |= text.failed;
	pario_text_release(&text);
}

unsigned pario_small_multiple_series(struct pario_chart *chart, const struct pario_section *s,
				     size_t i, uint32_t dims)
{
	struct pario_text name = { 0 };
	unsigned series;

	pario_section_name(s, i, dims, &name);
	/* A phase is named even where there is only one. */
	series = pario_chart_series(chart, name.length ? pario_text_string(&name)
						       : s->group[i]->first->of->phase);
	pario_text_release(&name);
	return series;
}

bool pario_dim_is_size(const char *name)
{
	size_t n = strlen(name);

	return (n > 4 && strcmp(name + n - 4, "size") == 0) ||
	       (n > 5 && strcmp(name + n - 5, "bytes") == 0);
}

/* Few steps over a wide range want a logarithmic axis. */
enum pario_chart_scale pario_dim_scale(const struct pario_dimension *dim)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < dim->count; i++) {
		low = fmin(low, dim->number[i]);
		high = fmax(high, dim->number[i]);
	}
	return low > 0 && high / low >= 8 ? PARIO_SCALE_LOG : PARIO_SCALE_LINEAR;
}

static void split(const struct pario_section *s, struct pario_small_multiple *f, size_t most)
{
	size_t order[PARIO_SECTION_DIMS], count = 0;

	order[count++] = PARIO_DIM_CLIENTS;
	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++)
		order[count++] = d;
	order[count++] = PARIO_DIM_RUN;
	for (size_t i = 0; i < count && pario_section_combinations(s, f->series) > most; i++) {
		uint32_t bit = UINT32_C(1) << order[i];

		if (!(f->series & bit) || s->dim[order[i]].count < 2)
			continue;
		f->series &= ~bit;
		f->multiples |= bit;
	}
}

static bool begun_before(const struct pario_section *s, const struct pario_small_multiple *f,
			 const size_t *firsts, size_t count)
{
	for (size_t k = 0; k < count; k++) {
		if (pario_section_same(s, f->first, firsts[k], f->multiples))
			return true;
	}
	return false;
}

void pario_small_multiples_each(struct pario_section *section, const struct pario_picture *picture,
				uint32_t axes, size_t most,
				void (*draw)(struct pario_section *section,
					     const struct pario_picture *picture,
					     const struct pario_small_multiple *multiple, size_t x),
				size_t x)
{
	uint32_t all = (UINT32_C(1) << section->dim_count) - 1;
	size_t firsts[PARIO_SMALL_MULTIPLES_MAX], left_out = 0;

	for (size_t n = 0; pario_small_multiple_unit(section, n); n++) {
		struct pario_small_multiple f = { .series = all & ~axes,
						  .unit = pario_small_multiple_unit(section, n) };
		size_t count = 0;

		split(section, &f, most);
		for (size_t i = 0; i < section->count; i++) {
			const struct pario_group *g = section->group[i];

			f.first = i;
			if (!g->numbers || strcmp(g->unit, f.unit) != 0 ||
			    begun_before(section, &f, firsts, count))
				continue;
			if (count == PARIO_SMALL_MULTIPLES_MAX) {
				left_out++;
				continue;
			}
			firsts[count++] = i;
			if (count == PARIO_SMALL_MULTIPLES_SHOWN + 1)
				pario_text_add(section->canvas->out,
					       "<details class=\"more\"><summary>More of these "
					       "pictures</summary>\n");
			draw(section, picture, &f, x);
		}
		if (count > PARIO_SMALL_MULTIPLES_SHOWN)
			pario_text_add(section->canvas->out, "</details>\n");
	}
	if (left_out)
		pario_text_add(
			section->canvas->out,
			"<p class=\"hint\">%d pictures of this kind are drawn; the table has "
			"the other combinations.</p>\n",
			PARIO_SMALL_MULTIPLES_MAX);
}
