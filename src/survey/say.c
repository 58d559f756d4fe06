/*
 * say: a statement in one line of words. Names only levels that were measured.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "survey/statement.h"

#define NONE_BELOW 1.25 /* a factor that counts as none */
#define SAME	   1.3	/* factors that differ by less are one */

enum { NAME_WIDTH = 30, LABEL = 160 };

static const struct pario_axis *find_axis(const struct pario_space *space, const char *name,
					  unsigned *number)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		*number = a;
		if (strcmp(space->axes[a].name, name) == 0)
			return &space->axes[a];
	}
	return NULL;
}

/* "posix, mpiio", or "all but uring" where that is shorter; "" where the axis does not matter. */
static void levels_text(const struct pario_space *space, const struct pario_statement *s,
			const char *name, const char *joint, char text[LABEL])
{
	unsigned number = 0, in = 0;
	const struct pario_axis *axis = find_axis(space, name, &number);
	uint64_t set = s->where.levels[number];
	bool but;
	size_t used = 0;

	text[0] = '\0';
	if (!axis || set == pario_levels_all(space, number))
		return;
	in = (unsigned)__builtin_popcountll(set);
	but = axis->count - in == 1 && in > 2;
	if (but)
		used += (size_t)snprintf(text, LABEL, "all but ");
	for (unsigned l = 0, n = 0; l < axis->count && used < LABEL; l++) {
		if ((set >> l & 1) != but)
			used += (size_t)snprintf(text + used, LABEL - used, "%s%s",
						 n++ ? joint : "", axis->label[l]);
	}
}

/* The measured levels nearest to where an ordered axis begins or ends to be slow. */
static void size_text(const struct pario_space *space, const struct pario_statement *s,
		      struct pario_text *out)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE);
	uint64_t set;

	if (a == space->axis_count || s->where.levels[a] == pario_levels_all(space, a))
		return;
	set = s->where.levels[a];
	if (set & 1)
		pario_text_add(out, " up to %s", space->axes[a].label[63 - __builtin_clzll(set)]);
	else
		pario_text_add(out, " from %s on", space->axes[a].label[__builtin_ctzll(set)]);
}

static void clients_text(const struct pario_space *space, const struct pario_statement *s,
			 struct pario_text *out)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_COUNT), first;

	if (a == space->axis_count || s->where.levels[a] == pario_levels_all(space, a))
		return;
	first = (unsigned)__builtin_ctzll(s->where.levels[a]);
	if (first + 1 == space->axes[a].count)
		pario_text_add(out, " by %s clients", space->axes[a].label[first]);
	else
		pario_text_add(out, " by %s or more clients", space->axes[a].label[first]);
}

static const char *direction_text(const struct pario_space *space, const struct pario_statement *s,
				  bool sized)
{
	uint64_t set = s->where.levels[space->axis_count];

	for (unsigned m = 0; m < space->measures; m++) {
		if (set == (uint64_t)1 << m)
			return strcmp(space->measure[m], "read") == 0 ? "reads" : "writes";
	}
	return sized ? "transfers" : "access";
}

void pario_statement_name(const struct pario_space *space, const struct pario_statement *s,
			  struct pario_text *out)
{
	unsigned sizes = pario_space_axis(space, PARIO_AXIS_SIZE);
	bool sized = sizes < space->axis_count &&
		     s->where.levels[sizes] != pario_levels_all(space, sizes);
	char pattern[LABEL], alignment[LABEL], layout[LABEL], interface[LABEL];
	size_t from = out->length;

	if (s->standing == PARIO_STANDS_LAW) {
		pario_text_add(out, "Small transfers");
		return;
	}
	levels_text(space, s, "pattern", " or ", pattern);
	levels_text(space, s, "alignment", " or ", alignment);
	levels_text(space, s, "layout", " or ", layout);
	levels_text(space, s, "interface", ", ", interface);
	pario_text_add(out, "%s%s%s%s%s", alignment, *alignment ? " " : "", pattern,
		       *pattern ? " " : "", direction_text(space, s, sized));
	if (*layout)
		pario_text_add(out, " of %s",
			       strcmp(layout, "shared") == 0 ? "shared files" : "files per client");
	if (*interface)
		pario_text_add(out, " through %s", interface);
	clients_text(space, s, out);
	size_text(space, s, out);
	if (out->length > from)
		out->data[from] = (char)toupper((unsigned char)out->data[from]);
}

/* "38 ×", "4.1 ×", "1.85 ×" */
static const char *times(char text[32], double factor)
{
	snprintf(text, 32, "%.*f ×", factor < 1.995 ? 2 : factor < 9.95 ? 1 : 0, factor);
	return text;
}

static void with_interval(const struct pario_factor *f, struct pario_text *out)
{
	int digits = f->value < 1.995 ? 2 : f->value < 9.95 ? 1 : 0;

	pario_text_add(out, "%.*f × [%.*f, %.*f]", digits, f->value, digits, f->low, digits,
		       f->high);
}

static void law_text(const struct pario_space *space, const struct pario_statement *s,
		     unsigned detail, struct pario_text *out)
{
	char time[PARIO_UNITS_CAPACITY], size[PARIO_UNITS_CAPACITY], low[PARIO_UNITS_CAPACITY],
		high[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "a %s call (%s) costs as much as %s", space->measure[s->direction],
		       pario_units_time(time, s->call_s),
		       pario_units_size(size, (uint64_t)(s->same.value / 1024 + 0.5) * 1024));
	if (detail > 0)
		pario_text_add(
			out, " [%s, %s]",
			pario_units_size(low, (uint64_t)(s->same.low / 1024 + 0.5) * 1024),
			pario_units_size(high, (uint64_t)(s->same.high / 1024 + 0.5) * 1024));
}

/* The level, halfway down from the worst one, where a factor is worth a second number; -1 = none is. */
static int second_level(const struct pario_statement *s, unsigned worst, unsigned count)
{
	double wanted = sqrt(s->at[worst].value);
	int best = -1;

	for (unsigned l = 0; l < count; l++) {
		if (!(s->at[l].value >= SAME) || s->at[l].value * SAME > s->at[worst].value)
			continue;
		if (best < 0 ||
		    fabs(log(s->at[l].value / wanted)) < fabs(log(s->at[best].value / wanted)))
			best = (int)l;
	}
	return best;
}

/* From where on, away from the worst level, the factor counts as none; -1 = nowhere. */
static int none_level(const struct pario_statement *s, unsigned worst, unsigned count)
{
	for (unsigned l = worst + 1; l < count; l++) {
		if (s->at[l].value < NONE_BELOW)
			return (int)l;
	}
	for (unsigned l = worst; l-- > 0;) {
		if (s->at[l].value < NONE_BELOW)
			return (int)l;
	}
	return -1;
}

/* Beyond a border between two sizes: where it is fast again. */
static void border_text(const struct pario_space *space, const struct pario_statement *s,
			struct pario_text *out)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];
		uint64_t set = s->where.levels[a];

		if (axis->kind == PARIO_AXIS_CHOICE || set == pario_levels_all(space, a))
			continue;
		if (set & 1)
			pario_text_add(out, ", not from %s",
				       axis->label[64 - __builtin_clzll(set)]);
		else
			pario_text_add(out, ", not %s %s",
				       axis->kind == PARIO_AXIS_SIZE ? "up to" : "by",
				       axis->label[__builtin_ctzll(set) - 1]);
	}
}

void pario_statement_effect_text(const struct pario_space *space, const struct pario_statement *s,
				 unsigned detail, struct pario_text *out)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE), worst;
	struct pario_factor most = pario_statement_worst(space, s, &worst);
	unsigned count = a < space->axis_count ? space->axes[a].count : 1;
	int second = second_level(s, worst, count), none = none_level(s, worst, count);
	char text[32];

	if (s->standing == PARIO_STANDS_LAW) {
		law_text(space, s, detail, out);
		return;
	}
	with_interval(&most, out);
	pario_text_add(out, " slower");
	if (second >= 0 || none >= 0)
		pario_text_add(out, " at %s", space->axes[a].label[worst]);
	if (second >= 0 && detail > 1)
		pario_text_add(out, ", %s at %s", times(text, s->at[second].value),
			       space->axes[a].label[second]);
	if (none >= 0 && detail > 0)
		pario_text_add(out, ", none %s %s", none > (int)worst ? "from" : "up to",
			       space->axes[a].label[none]);
	if (detail > 0)
		border_text(space, s, out);
}

static void way_text(const struct pario_axis *axis, unsigned level, struct pario_text *out)
{
	const char *label = axis->label[level];

	if (axis->kind == PARIO_AXIS_SIZE)
		pario_text_add(out, "%s at a time", label);
	else if (axis->kind == PARIO_AXIS_COUNT)
		pario_text_add(out, "%s client%s", label, axis->value[level] > 1 ? "s" : "");
	else if (strcmp(label, "aligned") == 0)
		pario_text_add(out, "align");
	else if (strcmp(label, "shared") == 0)
		pario_text_add(out, "a shared file");
	else if (strcmp(label, "per_client") == 0)
		pario_text_add(out, "a file per client");
	else
		pario_text_add(out, "%s", label);
}

void pario_statement_remedy(const struct pario_space *space, const struct pario_statement *s,
			    bool gain, struct pario_text *out)
{
	char text[32];

	if (s->axis < 0)
		return;
	way_text(&space->axes[s->axis], s->level, out);
	if (gain)
		pario_text_add(out, " (%s)", times(text, s->gain));
}

/* ---- lines ---- */

/* Columns on a terminal: characters, not bytes. */
static size_t width(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xC0) != 0x80;
	return count;
}

static void pad(struct pario_text *out, size_t from, size_t to)
{
	for (; from < to; from++)
		pario_text_add(out, " ");
}

/* How much of each line is said, and how its columns are. */
struct shape {
	size_t name, effect;
	unsigned detail;
	bool gain, points;
};

static void add_line(const struct pario_space *space, const struct pario_statement *s,
		     size_t number, const struct shape *shape, struct pario_text *out)
{
	struct pario_text name = { 0 }, effect = { 0 }, way = { 0 };

	pario_statement_name(space, s, &name);
	pario_statement_effect_text(space, s, shape->detail, &effect);
	pario_statement_remedy(space, s, shape->gain, &way);
	pario_text_add(out, "%2zu%s %s", number, s->standing == PARIO_STANDS_UNTRIED ? "?" : " ",
		       pario_text_string(&name));
	pad(out, width(pario_text_string(&name)), shape->name);
	pario_text_add(out, "  %s", pario_text_string(&effect));
	pad(out, width(pario_text_string(&effect)),
	    way.length || shape->points ? shape->effect : 0);
	if (shape->points)
		pario_text_add(out, " %5zu points", s->points);
	if (way.length)
		pario_text_add(out, "  → %s", pario_text_string(&way));
	pario_text_release(&name);
	pario_text_release(&effect);
	pario_text_release(&way);
}

/* All in columns where that fits; else this one with less, down to what it must say. */
static void add_fitting(const struct pario_space *space, const struct pario_statement *s,
			size_t number, const struct shape *wanted, struct pario_text *out)
{
	struct shape tries[] = { *wanted, *wanted, *wanted, *wanted, *wanted, *wanted, *wanted };
	struct pario_text line = { 0 };

	tries[1].gain = tries[2].gain = false;
	tries[2].effect = 0;
	tries[3].name = tries[3].effect = 0;
	for (unsigned i = 4; i < 7; i++)
		tries[i] = (struct shape){ 0, 0, i == 4 ? 1 : 0, false, i < 6 };
	for (unsigned i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		pario_text_clear(&line);
		add_line(space, s, number, &tries[i], &line);
		if (width(pario_text_string(&line)) <= PARIO_STATEMENT_COLUMNS)
			break;
	}
	/* a name of many interfaces may still be too long */
	if (width(pario_text_string(&line)) > PARIO_STATEMENT_COLUMNS) {
		size_t end = PARIO_STATEMENT_COLUMNS;

		while (end > 0 && ((unsigned char)line.data[end] & 0xC0) == 0x80)
			end--;
		line.data[end] = '\0';
	}
	pario_text_add(out, "%s\n", pario_text_string(&line));
	pario_text_release(&line);
}

void pario_statements_add(const struct pario_space *space, const struct pario_statement *statements,
			  size_t count, struct pario_text *out)
{
	struct shape shape = { .detail = 2, .gain = true, .points = true };

	for (size_t i = 0; i < count; i++) {
		struct pario_text text = { 0 };
		size_t wide;

		pario_statement_name(space, &statements[i], &text);
		wide = width(pario_text_string(&text));
		shape.name = wide > shape.name && wide <= NAME_WIDTH ? wide : shape.name;
		pario_text_clear(&text);
		pario_statement_effect_text(space, &statements[i], 2, &text);
		wide = width(pario_text_string(&text));
		shape.effect = wide > shape.effect && wide <= 40 ? wide : shape.effect;
		pario_text_release(&text);
	}
	for (size_t i = 0; i < count; i++)
		add_fitting(space, &statements[i], i + 1, &shape, out);
}
