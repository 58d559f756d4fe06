/*
 * section: finds the parameters that vary among the groups of a test, and numbers their values.
 */
#include "report/page/section.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "base/units.h"

/* The slot of a value, or the free one where it belongs. */
static uint32_t *slot_of(const struct pario_dimension *dim, const char *value)
{
	size_t at = (size_t)pario_random_join(0, (uintptr_t)value) & (dim->slots - 1);

	while (dim->slot[at] && dim->value[dim->slot[at] - 1] != value)
		at = (at + 1) & (dim->slots - 1);
	return &dim->slot[at];
}

/* At least half of the slots are free. */
static bool make_slots(struct pario_dimension *dim)
{
	size_t slots = dim->slots ? 2 * dim->slots : 16;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	free(dim->slot);
	dim->slot = slot;
	dim->slots = slots;
	for (size_t i = 0; i < dim->count; i++)
		*slot_of(dim, dim->value[i]) = (uint32_t)i + 1;
	return true;
}

static uint32_t index_of(struct pario_section *s, struct pario_dimension *dim, const char *value)
{
	uint32_t *slot;

	if ((2 * dim->count >= dim->slots && !make_slots(dim)) ||
	    !pario_grow(dim->value, dim->count, dim->capacity)) {
		s->failed = true;
		return 0;
	}
	slot = slot_of(dim, value);
	if (!*slot) {
		dim->value[dim->count] = value;
		*slot = (uint32_t)++dim->count;
	}
	return *slot - 1;
}

static const char *keep(struct pario_section *s, const char *text, size_t length)
{
	char word[512];
	const char *kept;

	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	kept = pario_strings_keep(&s->groups->archive->strings, word);
	s->failed |= !kept;
	return kept ? kept : "";
}

/* The names in "a=1 b=2" become dimensions. */
static void take_names(struct pario_section *s, const char *point)
{
	while (*point) {
		size_t length = strcspn(point, "= "), i;
		const char *name = keep(s, point, length);

		for (i = PARIO_DIM_PARAM; i < s->dim_count && s->dim[i].name != name;)
			i++;
		if (point[length] == '=' && i == s->dim_count && i < PARIO_SECTION_DIMS)
			s->dim[s->dim_count++].name = name;
		point += length + strcspn(point + length, " ");
		point += *point == ' ';
	}
}

static const char *value_of(struct pario_section *s, const struct pario_group *g, size_t dim)
{
	char number[24];

	switch (dim) {
	case PARIO_DIM_PHASE:
		return g->first->of->phase;
	case PARIO_DIM_CLIENTS:
		snprintf(number, sizeof(number), "%llu", (unsigned long long)g->first->of->clients);
		return keep(s, number, strlen(number));
	case PARIO_DIM_RUN:
		return s->groups->archive->volume[g->first->of->volume].label;
	default:
		return pario_strings_keep(
			&s->groups->archive->strings,
			pario_reading_param(s->groups->archive, g->first, s->dim[dim].name));
	}
}

static double number_of(const char *text)
{
	uint64_t bytes;

	return pario_units_parse_size("", text, &bytes, NULL) == 0 ? (double)bytes : (double)NAN;
}

static void settle(struct pario_section *s, struct pario_dimension *dim)
{
	dim->number = calloc(dim->count + 1, sizeof(*dim->number));
	s->failed |= !dim->number;
	dim->numeric = dim->count > 0;
	for (size_t i = 0; dim->number && i < dim->count; i++) {
		dim->number[i] = number_of(dim->value[i]);
		dim->numeric &= isfinite(dim->number[i]);
	}
	dim->boolean = dim->count == 2 && dim->numeric && dim >= &s->dim[PARIO_DIM_PARAM] &&
		       dim->number[0] + dim->number[1] == 1 && dim->number[0] * dim->number[1] == 0;
	dim->numeric &= !dim->boolean;
}

void pario_section_init(struct pario_section *section, struct pario_canvas *canvas,
			const struct pario_groups *groups, const char *test)
{
	struct pario_section *s = section;
	const char *last = NULL;

	*s = (struct pario_section){ .canvas = canvas, .groups = groups, .test = test };
	s->dim[PARIO_DIM_PHASE].name = "phase";
	s->dim[PARIO_DIM_CLIENTS].name = "clients";
	s->dim[PARIO_DIM_RUN].name = "run";
	s->dim_count = PARIO_DIM_PARAM;
	s->group = calloc(groups->count + 1, sizeof(const struct pario_group *));
	for (size_t i = 0; s->group && i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (g->first->of->test != test)
			continue;
		s->group[s->count++] = g;
		if (g->first->of->point != last)
			take_names(s, g->first->of->point);
		last = g->first->of->point;
	}
	s->at = calloc(s->count * s->dim_count + 1, sizeof(*s->at));
	s->failed |= !s->group || !s->at;
	for (size_t i = 0; !s->failed && i < s->count; i++) {
		for (size_t d = 0; d < s->dim_count; d++)
			s->at[i * s->dim_count + d] =
				index_of(s, &s->dim[d], value_of(s, s->group[i], d));
	}
	for (size_t d = 0; d < s->dim_count; d++)
		settle(s, &s->dim[d]);
	canvas->out->failed |= s->failed;
	s->count = s->failed ? 0 : s->count;
}

void pario_section_release(struct pario_section *section)
{
	for (size_t d = 0; d < section->dim_count; d++) {
		free(section->dim[d].value);
		free(section->dim[d].slot);
		free(section->dim[d].number);
	}
	free(section->group);
	free(section->at);
	*section = (struct pario_section){ 0 };
}

uint32_t pario_section_at(const struct pario_section *section, size_t i, size_t dim)
{
	return section->at[i * section->dim_count + dim];
}

const char *pario_section_value(const struct pario_section *section, size_t i, size_t dim)
{
	return section->dim[dim].value[pario_section_at(section, i, dim)];
}

double pario_section_number(const struct pario_section *section, size_t i, size_t dim)
{
	return section->dim[dim].number[pario_section_at(section, i, dim)];
}

size_t pario_section_find(const struct pario_section *section, const char *name)
{
	for (size_t d = 0; d < section->dim_count; d++) {
		if (strcmp(section->dim[d].name, name) == 0 && section->dim[d].count > 1)
			return d;
	}
	return SIZE_MAX;
}

/* Sizes as people write them, whether the point says 64k or 65536. */
static void add_numeric(struct pario_text *out, const struct pario_dimension *dim, uint32_t at)
{
	size_t n = strlen(dim->name);
	bool size = (n > 4 && strcmp(dim->name + n - 4, "size") == 0) ||
		    (n > 5 && strcmp(dim->name + n - 5, "bytes") == 0);
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "%s %s", dim->name,
		       size ? pario_units_size(buf, (uint64_t)dim->number[at]) : dim->value[at]);
}

void pario_section_name(const struct pario_section *section, size_t i, uint32_t dims,
			struct pario_text *out)
{
	bool any = false;

	for (size_t d = 0; d < section->dim_count; d++) {
		const struct pario_dimension *dim = &section->dim[d];
		const char *value = pario_section_value(section, i, d);

		if (!(dims >> d & 1) || dim->count < 2 || !*value)
			continue;
		/* "collective" says more than "collective 1", and its absence enough. */
		if (dim->boolean && strcmp(value, "0") == 0)
			continue;
		pario_text_add(out, "%s", any ? ", " : "");
		any = true;
		if (d == PARIO_DIM_CLIENTS)
			pario_text_add(out, "%s client%s", value, strcmp(value, "1") ? "s" : "");
		else if (dim->boolean)
			pario_text_add(out, "%s", dim->name);
		else if (d >= PARIO_DIM_PARAM && dim->numeric)
			add_numeric(out, dim, pario_section_at(section, i, d));
		else
			pario_text_add(out, "%s", value);
	}
}

bool pario_section_same(const struct pario_section *section, size_t i, size_t k, uint32_t dims)
{
	for (size_t d = 0; d < section->dim_count; d++) {
		if (dims >> d & 1 &&
		    pario_section_at(section, i, d) != pario_section_at(section, k, d))
			return false;
	}
	return true;
}

static uint64_t key_of(const struct pario_section *section, size_t i, uint32_t dims)
{
	uint64_t key = 1;

	for (size_t d = 0; d < section->dim_count; d++) {
		if (dims >> d & 1)
			key = pario_random_join(key, pario_section_at(section, i, d));
	}
	return key;
}

size_t pario_section_combinations(const struct pario_section *section, uint32_t dims)
{
	size_t capacity = 16, count = 0, *slot; /* a group + 1, 0 = free */

	while (capacity < 2 * section->count)
		capacity *= 2;
	slot = calloc(capacity, sizeof(*slot));
	for (size_t i = 0; slot && i < section->count; i++) {
		size_t at = (size_t)key_of(section, i, dims) & (capacity - 1);

		while (slot[at] && !pario_section_same(section, i, slot[at] - 1, dims))
			at = (at + 1) & (capacity - 1);
		count += slot[at] == 0;
		slot[at] = slot[at] ? slot[at] : i + 1;
	}
	free(slot);
	return count;
}
