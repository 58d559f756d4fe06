/*
 * describe: a region in words: where it lies, and the change in access that avoids it.
 */
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

static void labels(const struct pario_axis *axis, uint64_t levels, struct pario_text *out)
{
	unsigned low = lowest(levels), high = highest(levels);

	if (axis->kind != PARIO_AXIS_CHOICE) {
		pario_text_add(out, "%s %s", axis->name, axis->label[low]);
		if (high > low)
			pario_text_add(out, " to %s", axis->label[high]);
		return;
	}
	pario_text_add(out, "%s ", axis->name);
	for (unsigned l = low; l <= high; l++) {
		if (levels >> l & 1)
			pario_text_add(out, "%s%s", l > low ? " or " : "", axis->label[l]);
	}
}

void pario_weak_where(const struct pario_space *space, const struct pario_weak *weak,
		      struct pario_text *out)
{
	uint64_t measures = weak->levels[space->axis_count];
	size_t before = out->length;

	for (unsigned a = 0; a < space->axis_count; a++) {
		if (weak->levels[a] == every(space->axes[a].count))
			continue;
		if (out->length > before)
			pario_text_add(out, ", ");
		labels(&space->axes[a], weak->levels[a], out);
	}
	if (measures != every(space->measures))
		pario_text_add(out, "%s%s", out->length > before ? ", " : "",
			       space->measure[lowest(measures)]);
	if (out->length == before)
		pario_text_add(out, "everywhere");
}

void pario_weak_point(const struct pario_space *space, size_t cell, struct pario_text *out)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (a > 0)
			pario_text_add(out, ", ");
		labels(&space->axes[a], (uint64_t)1 << pario_space_level(space, cell, a), out);
	}
}

static const char *unit(const struct pario_axis *axis, unsigned level)
{
	if (axis->kind == PARIO_AXIS_SIZE)
		return "";
	return axis->value[level] > 1 ? " clients" : " client";
}

/* Out of the box along an ordered axis: below it, above it, or either. */
static void leave_range(const struct pario_axis *axis, uint64_t levels, struct pario_text *out)
{
	const char *what = axis->kind == PARIO_AXIS_SIZE ? "transfers of" : "";
	unsigned low = lowest(levels), high = highest(levels);
	bool more = high + 1 < axis->count;

	pario_text_add(out, "use %s%s", what, *what ? " " : "");
	if (more)
		pario_text_add(out, "at least %s%s", axis->label[high + 1], unit(axis, high + 1));
	if (low > 0)
		pario_text_add(out, "%sat most %s%s", more ? " or " : "", axis->label[low - 1],
			       unit(axis, low - 1));
}

static void leave_choice(const struct pario_axis *axis, uint64_t levels, struct pario_text *out)
{
	bool first = true;

	for (unsigned l = 0; l < axis->count; l++) {
		if (levels >> l & 1)
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

		if (!(weak->causes >> a & 1) || weak->levels[a] == every(axis->count))
			continue;
		if (out->length > before)
			pario_text_add(out, ", or ");
		if (axis->kind == PARIO_AXIS_CHOICE)
			leave_choice(axis, weak->levels[a], out);
		else
			leave_range(axis, weak->levels[a], out);
	}
}
