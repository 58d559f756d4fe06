/*
 * record: written once at the end of a survey, read by whoever asks later. Whatever is read is checked: a journal
 * may come from anywhere.
 */
#include "survey/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = { "size", "count", "choice" };
static const char *const part_names[] = { "all", "call", "bytes" };
static const char *const standings[] = { "untried", "confirmed", "refuted", "law" };

enum { KINDS = 3, SAMPLES_MOST = 1000 };

/* ---- writing ---- */

static void write_levels(struct pario_json *j, const struct pario_space *space,
			 const struct pario_term *term)
{
	pario_json_open(j, "where", '{');
	for (unsigned a = 0; a <= space->axis_count; a++) {
		bool direction = a == space->axis_count;
		unsigned count = direction ? space->measures : space->axes[a].count;

		if (term->levels[a] == pario_levels_all(space, a))
			continue;
		pario_json_open(j, direction ? "direction" : space->axes[a].name, '[');
		for (unsigned l = 0; l < count; l++) {
			if (term->levels[a] >> l & 1)
				pario_json_string(j, NULL,
						  direction ? space->measure[l]
							    : space->axes[a].label[l]);
		}
		pario_json_close(j, ']');
	}
	pario_json_close(j, '}');
}

static void write_axes(struct pario_json *j, const struct pario_space *space)
{
	pario_json_open(j, "directions", '[');
	for (unsigned m = 0; m < space->measures; m++)
		pario_json_string(j, NULL, space->measure[m]);
	pario_json_close(j, ']');
	pario_json_open(j, "axes", '[');
	for (unsigned a = 0; a < space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];

		pario_json_open(j, NULL, '{');
		pario_json_string(j, "name", axis->name);
		pario_json_string(j, "kind", kinds[axis->kind]);
		pario_json_open(j, "labels", '[');
		for (unsigned l = 0; l < axis->count; l++)
			pario_json_string(j, NULL, axis->label[l]);
		pario_json_close(j, ']');
		pario_json_open(j, "values", '[');
		for (unsigned l = 0; l < axis->count; l++)
			pario_json_real(j, NULL, axis->value[l]);
		pario_json_close(j, ']');
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
}

static void write_model(struct pario_json *j, const struct pario_space *space,
			const struct pario_survey_model *model)
{
	pario_json_open(j, "law", '[');
	for (unsigned m = 0; m < space->measures; m++) {
		pario_json_open(j, NULL, '{');
		pario_json_string(j, "direction", space->measure[m]);
		pario_json_real(j, "call_s", exp(model->call[m]));
		pario_json_real(j, "byte_s", exp(model->byte[m]));
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_json_open(j, "terms", '[');
	for (unsigned t = 0; t < model->terms; t++) {
		const struct pario_term *term = &model->term[t];

		pario_json_open(j, NULL, '{');
		write_levels(j, space, term);
		pario_json_string(j, "part", part_names[term->part]);
		pario_json_bool(j, "sharing", term->sharing);
		pario_json_real(j, "log_factor", term->beta);
		pario_json_close(j, '}');
	}
	pario_json_close(j, ']');
	pario_json_real(j, "scatter", model->scatter);
}

static void write_factor(struct pario_json *j, const char *key, const struct pario_factor *f)
{
	pario_json_open(j, key, '[');
	pario_json_real(j, NULL, f->value);
	pario_json_real(j, NULL, f->low);
	pario_json_real(j, NULL, f->high);
	pario_json_close(j, ']');
}

static void write_statement(struct pario_json *j, const struct pario_space *space,
			    const struct pario_statement *s)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE),
		 count = a < space->axis_count ? space->axes[a].count : 1;
	struct pario_text name = { 0 }, way = { 0 };

	pario_statement_name(space, s, &name);
	pario_statement_remedy(space, s, false, &way);
	pario_json_open(j, NULL, '{');
	pario_json_string(j, "name", pario_text_string(&name));
	write_levels(j, space, &s->where);
	pario_json_string(j, "standing", standings[s->standing]);
	pario_json_open(j, "factors", '[');
	for (unsigned l = 0; l < count && s->standing != PARIO_STANDS_LAW; l++)
		write_factor(j, NULL, &s->at[l]);
	pario_json_close(j, ']');
	if (s->standing == PARIO_STANDS_LAW) {
		pario_json_string(j, "direction", space->measure[s->direction]);
		pario_json_real(j, "call_s", s->call_s);
		write_factor(j, "same_bytes", &s->same);
	}
	pario_json_real(j, "costs", s->costs);
	pario_json_u64(j, "points", s->points);
	pario_json_string(j, "remedy", pario_text_string(&way));
	pario_json_i64(j, "remedy_axis", s->axis);
	pario_json_u64(j, "remedy_level", s->level);
	pario_json_real(j, "remedy_gain", s->gain);
	pario_json_close(j, '}');
	pario_text_release(&name);
	pario_text_release(&way);
}

/* Points by number, so that the grid need not be written: rows of [point, direction, seconds, times, held]. */
static void write_points(struct pario_json *j, const struct pario_space *space)
{
	static const char *const columns[] = { "point", "direction", "seconds", "times", "held" };

	pario_json_open(j, "absent", '[');
	for (size_t i = 0; i < space->cells; i++) {
		if (!space->cell[i].exists)
			pario_json_u64(j, NULL, i);
	}
	pario_json_close(j, ']');
	pario_json_open(j, "points", '{');
	pario_json_open(j, "columns", '[');
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		pario_json_string(j, NULL, columns[i]);
	pario_json_close(j, ']');
	pario_json_open(j, "rows", '[');
	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures; m++) {
			if (!pario_space_known(space, i, m))
				continue;
			pario_json_open(j, NULL, '[');
			pario_json_u64(j, NULL, i);
			pario_json_u64(j, NULL, m);
			pario_json_real(j, NULL, exp(space->cell[i].cost[m]));
			pario_json_u64(j, NULL, space->cell[i].samples[m]);
			pario_json_u64(j, NULL, space->cell[i].held);
			pario_json_close(j, ']');
		}
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

void pario_survey_record_write(struct pario_json *j, const struct pario_finding_set *set)
{
	pario_json_open(j, "survey", '{');
	pario_json_real(j, "threshold", set->space.threshold);
	write_axes(j, &set->space);
	write_model(j, &set->space, &set->model);
	pario_json_real(j, "noise", set->noise);
	pario_json_u64(j, "dropped", set->dropped);
	pario_json_open(j, "held", '{');
	pario_json_u64(j, "points", set->test.points);
	pario_json_real(j, "median", set->test.median);
	pario_json_real(j, "explained", set->test.explained);
	pario_json_real(j, "within", set->test.within);
	pario_json_close(j, '}');
	pario_json_open(j, "statements", '[');
	for (size_t i = 0; i < set->count; i++)
		write_statement(j, &set->space, &set->statement[i]);
	pario_json_close(j, ']');
	write_points(j, &set->space);
	pario_json_close(j, '}');
}

/* ---- reading ---- */

static int odd(struct pario_err *err, const char *what)
{
	return pario_err_set(err, PARIO_INVALID, "the survey in this journal has odd %s.", what);
}

static double number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static int choice_of(const json_t *value, const char *const *names, int count)
{
	const char *text = json_string_value(value);

	for (int i = 0; text && i < count; i++) {
		if (strcmp(text, names[i]) == 0)
			return i;
	}
	return -1;
}

static int read_axis(const json_t *from, struct pario_axis *axis, struct pario_err *err)
{
	const json_t *labels = json_object_get(from, "labels"),
		     *values = json_object_get(from, "values");
	const char *name = json_string_value(json_object_get(from, "name"));
	int kind = choice_of(json_object_get(from, "kind"), kinds, KINDS);
	size_t count = json_array_size(labels);

	if (!name || kind < 0 || count == 0 || count > PARIO_AXIS_LEVELS ||
	    json_array_size(values) != count)
		return odd(err, "axes");
	axis->kind = (enum pario_axis_kind)kind;
	axis->count = (unsigned)count;
	snprintf(axis->name, sizeof(axis->name), "%s", name);
	for (size_t l = 0; l < count; l++) {
		const char *label = json_string_value(json_array_get(labels, l));

		axis->value[l] = json_number_value(json_array_get(values, l));
		snprintf(axis->label[l], PARIO_AXIS_CAPACITY, "%s", label ? label : "");
		if (kind != PARIO_AXIS_CHOICE && !(axis->value[l] >= 1))
			return odd(err, "axes");
	}
	return 0;
}

static int read_axes(const json_t *survey, struct pario_space *space, struct pario_err *err)
{
	const json_t *axes = json_object_get(survey, "axes"),
		     *directions = json_object_get(survey, "directions");

	space->axis_count = (unsigned)json_array_size(axes);
	space->measures = (unsigned)json_array_size(directions);
	if (json_array_size(axes) - 1 >= PARIO_AXES ||
	    json_array_size(directions) - 1 >= PARIO_SPACE_MEASURES)
		return odd(err, "axes");
	for (unsigned m = 0; m < space->measures; m++) {
		const char *name = json_string_value(json_array_get(directions, m));

		snprintf(space->measure[m], sizeof(space->measure[m]), "%s", name ? name : "");
	}
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (read_axis(json_array_get(axes, a), &space->axes[a], err) < 0)
			return -1;
	}
	return pario_space_init(space, err);
}

static void read_levels(const json_t *where, const struct pario_space *space,
			struct pario_term *term)
{
	for (unsigned a = 0; a <= space->axis_count; a++) {
		bool direction = a == space->axis_count;
		const json_t *list =
			json_object_get(where, direction ? "direction" : space->axes[a].name);
		unsigned count = direction ? space->measures : space->axes[a].count;

		term->levels[a] = list ? 0 : pario_levels_all(space, a);
		for (size_t i = 0; i < json_array_size(list); i++) {
			const char *label = json_string_value(json_array_get(list, i));

			for (unsigned l = 0; label && l < count; l++) {
				if (strcmp(direction ? space->measure[l] : space->axes[a].label[l],
					   label) == 0)
					term->levels[a] |= (uint64_t)1 << l;
			}
		}
		if (term->levels[a] == 0)
			term->levels[a] = pario_levels_all(space, a);
	}
}

static int read_model(const json_t *survey, const struct pario_space *space,
		      struct pario_survey_model *model, struct pario_err *err)
{
	const json_t *law = json_object_get(survey, "law"),
		     *terms = json_object_get(survey, "terms");

	if (json_array_size(law) != space->measures || json_array_size(terms) > PARIO_MODEL_TERMS)
		return odd(err, "laws");
	for (unsigned m = 0; m < space->measures; m++) {
		model->call[m] = log(number(json_array_get(law, m), "call_s"));
		model->byte[m] = log(number(json_array_get(law, m), "byte_s"));
		if (!isfinite(model->call[m]) || !isfinite(model->byte[m]))
			return odd(err, "laws");
	}
	model->terms = (unsigned)json_array_size(terms);
	for (unsigned t = 0; t < model->terms; t++) {
		const json_t *from = json_array_get(terms, t);
		struct pario_term *term = &model->term[t];
		int part = choice_of(json_object_get(from, "part"), part_names, 3);

		read_levels(json_object_get(from, "where"), space, term);
		term->sharing = json_is_true(json_object_get(from, "sharing"));
		term->beta = number(from, "log_factor");
		if (part < 0 || !(fabs(term->beta) < 100))
			return odd(err, "terms");
		term->part = (enum pario_survey_part)part;
	}
	model->scatter = fmax(number(survey, "scatter"), 0.001);
	return 0;
}

static struct pario_factor read_factor(const json_t *from)
{
	struct pario_factor f = { NAN, NAN, NAN };

	if (json_is_number(json_array_get(from, 0)))
		f = (struct pario_factor){ json_number_value(json_array_get(from, 0)),
					   json_number_value(json_array_get(from, 1)),
					   json_number_value(json_array_get(from, 2)) };
	return f;
}

static int read_statement(const json_t *from, const struct pario_finding_set *set,
			  struct pario_statement *s, struct pario_err *err)
{
	const struct pario_space *space = &set->space;
	int standing = choice_of(json_object_get(from, "standing"), standings, 4);
	json_int_t axis = json_integer_value(json_object_get(from, "remedy_axis"));
	json_int_t level = json_integer_value(json_object_get(from, "remedy_level"));

	memset(s, 0, sizeof(*s));
	read_levels(json_object_get(from, "where"), space, &s->where);
	if (standing < 0 || axis < -1 || axis >= space->axis_count ||
	    (axis >= 0 && (level < 0 || level >= space->axes[axis].count)))
		return odd(err, "statements");
	s->standing = (enum pario_survey_standing)standing;
	for (unsigned l = 0; l < PARIO_AXIS_LEVELS; l++)
		s->at[l] = read_factor(json_array_get(json_object_get(from, "factors"), l));
	s->same = read_factor(json_object_get(from, "same_bytes"));
	s->call_s = number(from, "call_s");
	for (unsigned m = 0; m < space->measures; m++) {
		const char *direction = json_string_value(json_object_get(from, "direction"));

		s->direction =
			direction && strcmp(direction, space->measure[m]) == 0 ? m : s->direction;
	}
	if (standing == PARIO_STANDS_LAW &&
	    (!(s->same.value >= 1) || !(s->same.high < 1e15) || !(s->call_s > 0)))
		return odd(err, "statements");
	s->costs = number(from, "costs");
	s->points = (size_t)json_integer_value(json_object_get(from, "points"));
	s->axis = (int)axis;
	s->level = (unsigned)level;
	s->gain = number(from, "remedy_gain");
	return 0;
}

static int read_points(const json_t *survey, struct pario_space *space, struct pario_err *err)
{
	const json_t *absent = json_object_get(survey, "absent"),
		     *rows = json_object_get(json_object_get(survey, "points"), "rows");

	for (size_t i = 0; i < json_array_size(absent); i++) {
		json_int_t cell = json_integer_value(json_array_get(absent, i));

		if (cell >= 0 && (size_t)cell < space->cells)
			space->cell[cell].exists = false;
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		json_int_t cell = json_integer_value(json_array_get(row, 0)),
			   m = json_integer_value(json_array_get(row, 1)),
			   times = json_integer_value(json_array_get(row, 3));
		double seconds = json_number_value(json_array_get(row, 2));

		if (cell < 0 || (size_t)cell >= space->cells || m < 0 || m >= space->measures ||
		    !(seconds > 0) || times < 1 || times > SAMPLES_MOST ||
		    space->cell[cell].samples[m])
			return odd(err, "points");
		if (pario_space_take(space, (size_t)cell, (unsigned)m, seconds, err) < 0)
			return -1;
		space->cell[cell].samples[m] = (unsigned)times;
		space->cell[cell].held = json_integer_value(json_array_get(row, 4)) != 0;
	}
	return 0;
}

int pario_record_read(const json_t *survey, struct pario_finding_set *set, struct pario_err *err)
{
	const json_t *list = json_object_get(survey, "statements"),
		     *held = json_object_get(survey, "held");

	memset(set, 0, sizeof(*set));
	set->space.threshold = number(survey, "threshold");
	if (read_axes(survey, &set->space, err) < 0 ||
	    read_model(survey, &set->space, &set->model, err) < 0 ||
	    read_points(survey, &set->space, err) < 0) {
		pario_space_release(&set->space);
		return -1;
	}
	for (size_t i = 0; i < json_array_size(list) && i < PARIO_STATEMENTS; i++) {
		if (read_statement(json_array_get(list, i), set, &set->statement[set->count++],
				   err) < 0) {
			pario_space_release(&set->space);
			return -1;
		}
	}
	set->noise = number(survey, "noise");
	set->dropped = (size_t)json_integer_value(json_object_get(survey, "dropped"));
	set->test = (struct pario_test_of_model){
		(size_t)json_integer_value(json_object_get(held, "points")), number(held, "median"),
		number(held, "explained"), number(held, "within")
	};
	return 0;
}

const json_t *pario_record_find(json_t *const *notes, size_t count)
{
	while (count-- > 0) {
		const json_t *survey = json_object_get(notes[count], "survey");

		if (json_is_object(survey))
			return survey;
	}
	return NULL;
}
