/*
 * describe: a region in words: where it lies, on what that stands, and the change in access that avoids it. Only levels
 * that were measured are named.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "survey/weak.h"

static uint64_t every(unsigned levels)
{
	return ((uint64_t)1 << levels) - 1;
}

static unsigned lowest(uint64_t levels)
{
	return (unsigned)__builtin_ctzll(levels);
}

static unsigned highest(uint64_t levels)
{
	return 63 - (unsigned)__builtin_clzll(levels);
}

/* "4 KiB to 32 KiB", "mpiio or uring". */
static void add_levels(const struct pario_axis *axis, uint64_t levels, struct pario_text *out)
{
	unsigned low = lowest(levels), high = highest(levels);
	bool choice = axis->kind == PARIO_AXIS_CHOICE;

	pario_text_add(out, "%s", axis->label[low]);
	for (unsigned l = low + 1; choice && l <= high; l++) {
		if (levels >> l & 1)
			pario_text_add(out, " or %s", axis->label[l]);
	}
	if (!choice && high > low)
		pario_text_add(out, " to %s", axis->label[high]);
	if (axis->kind == PARIO_AXIS_COUNT)
		pario_text_add(out, " client%s", axis->value[high] > 1 ? "s" : "");
}

static void add_phrase(const struct pario_axis *axis, uint64_t levels, struct pario_text *out)
{
	const char *phrase = axis->phrase ? axis->phrase : axis->name;

	pario_text_add(out, "%s%s", phrase, *phrase ? " " : "");
	add_levels(axis, levels, out);
}

/* All that the axis has was measured and belongs to the region: nothing to say. */
static bool is_all(const struct pario_axis *axis, uint64_t levels, uint64_t measured)
{
	if (levels != every(axis->count))
		return false;
	if (axis->kind == PARIO_AXIS_CHOICE)
		return measured == levels;
	return lowest(measured) == 0 && highest(measured) + 1 == axis->count;
}

static void add_subject(const struct pario_space *space, const struct pario_weak *weak,
			struct pario_text *out)
{
	uint64_t measures = weak->measured[space->axis_count];
	bool write = false, read = false;
	const char *before = " ";

	for (unsigned m = 0; m < space->measures; m++) {
		write |= measures >> m & 1 && strcmp(space->measure[m], "write") == 0;
		read |= measures >> m & 1 && strcmp(space->measure[m], "read") == 0;
	}
	pario_text_add(out, "%s",
		       write && read ? "writing and reading"
		       : write	     ? "writing"
				     : "reading");
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (!weak->measured[a] ||
		    is_all(&space->axes[a], weak->levels[a], weak->measured[a]))
			continue;
		pario_text_add(out, "%s", before);
		add_phrase(&space->axes[a], weak->measured[a], out);
		before = ", ";
	}
}

static void add_number(struct pario_text *out, double value)
{
	pario_text_add(out, value < 10 ? "%.1f" : "%.0f", value);
}

/* "1.8 to 3.7 times", or one number where both ends are written alike. */
static void add_range(struct pario_text *out, double low, double high)
{
	struct pario_text from = { 0 }, to = { 0 };

	add_number(&from, low);
	add_number(&to, high);
	pario_text_add(out, "%s", pario_text_string(&from));
	if (strcmp(pario_text_string(&from), pario_text_string(&to)) != 0)
		pario_text_add(out, " to %s", pario_text_string(&to));
	pario_text_add(out, " times");
	pario_text_release(&from);
	pario_text_release(&to);
}

/* A border is known as well as the measured levels on both its sides are near. */
static void add_border(const struct pario_axis *axis, unsigned below, unsigned above,
		       struct pario_text *out)
{
	const char *of = axis->kind == PARIO_AXIS_COUNT ? " clients" : "";

	pario_text_add(out, "; the border lies between %s and %s%s%s", axis->label[below],
		       axis->label[above], of,
		       above > below + 1 ? ", with nothing measured between" : "");
}

static void add_borders(const struct pario_space *space, const struct pario_weak *weak,
			struct pario_text *out)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];

		if (axis->kind == PARIO_AXIS_CHOICE || !weak->measured[a] ||
		    weak->levels[a] == every(axis->count))
			continue;
		if (weak->below[a] >= 0)
			add_border(axis, (unsigned)weak->below[a], lowest(weak->measured[a]), out);
		if (weak->above[a] >= 0)
			add_border(axis, highest(weak->measured[a]), (unsigned)weak->above[a], out);
	}
}

void pario_weak_say(const struct pario_space *space, const struct pario_weak *weak,
		    struct pario_text *out)
{
	add_subject(space, weak, out);
	pario_text_add(out, " is ");
	add_range(out, weak->factor_low, weak->factor_high);
	pario_text_add(out, " slower than beside it and ");
	add_range(out, fmax(1, weak->best_low), fmax(1, weak->best_high));
	pario_text_add(out, " slower than the best way that was measured (");
	for (unsigned a = 0; a < space->axis_count; a++) {
		pario_text_add(out, "%s", a ? ", " : "");
		add_levels(&space->axes[a],
			   (uint64_t)1 << pario_space_level(space, weak->best_cell, a), out);
	}
	pario_text_add(out, "), on %zu measured point%s", weak->measured_points,
		       weak->measured_points == 1 ? "" : "s");
	add_borders(space, weak, out);
}

static const char *unit(const struct pario_axis *axis, unsigned level)
{
	if (axis->kind == PARIO_AXIS_SIZE)
		return "";
	return axis->value[level] > 1 ? " clients" : " client";
}

/* Out of the box along an ordered axis, to what was measured there; nothing where nothing was. */
static void leave_range(const struct pario_axis *axis, int below, int above, struct pario_text *out)
{
	const char *what = axis->kind == PARIO_AXIS_SIZE ? "transfers of " : "";

	if (below < 0 && above < 0)
		return;
	pario_text_add(out, "use %s", what);
	if (above >= 0)
		pario_text_add(out, "at least %s%s", axis->label[above],
			       unit(axis, (unsigned)above));
	if (below >= 0)
		pario_text_add(out, "%sat most %s%s", above >= 0 ? " or " : "", axis->label[below],
			       unit(axis, (unsigned)below));
}

static bool was_measured(const struct pario_space *space, unsigned axis, unsigned level)
{
	for (size_t i = 0; i < space->cells; i++) {
		if (space->cell[i].exists && space->cell[i].measured &&
		    pario_space_level(space, i, axis) == level)
			return true;
	}
	return false;
}

static void leave_choice(const struct pario_space *space, unsigned a, uint64_t levels,
			 struct pario_text *out)
{
	const struct pario_axis *axis = &space->axes[a];
	bool first = true;

	for (unsigned l = 0; l < axis->count; l++) {
		if (levels >> l & 1 || axis->unreal >> l & 1 || !was_measured(space, a, l))
			continue;
		pario_text_add(out, "%s%s", first ? "" : " or ", axis->advice[l]);
		first = false;
	}
}

void pario_weak_remedy(const struct pario_space *space, const struct pario_weak *weak,
		       struct pario_text *out)
{
	size_t before = out->length;

	for (unsigned a = 0; a < space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];
		struct pario_text way = { 0 };

		if (!(weak->causes >> a & 1) || weak->levels[a] == every(axis->count))
			continue;
		if (axis->kind == PARIO_AXIS_CHOICE)
			leave_choice(space, a, weak->levels[a], &way);
		else
			leave_range(axis, weak->out_below[a] ? weak->below[a] : -1,
				    weak->out_above[a] ? weak->above[a] : -1, &way);
		if (way.length)
			pario_text_add(out, "%s%s", out->length > before ? ", or " : "",
				       pario_text_string(&way));
		pario_text_release(&way);
	}
}
