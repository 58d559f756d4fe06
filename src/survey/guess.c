/*
 * guess: the model and its neighbourhood.
 *
 * A neighbour counts by how alike it is: each axis on which it differs makes it count less, sizes and clients by how
 * many doublings they are apart. The interval is that of the errors of such guesses, near ones counting more, so
 * that it is narrow where the survey knows much and wide where it does not.
 */
#include "survey/guess.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/text.h"
#include "base/units.h"

#define OTHER_CHOICE	0.25 /* weight of a point that differs in one choice */
#define PER_DOUBLING	0.6
#define OTHER_DIRECTION 0.05
#define RELUCTANCE	0.5 /* weight of "nothing is wrong with the model" */
#define CLIP		1.5
#define COVERAGE	0.9
#define BROAD		0.35 /* for intervals: weights to this power */
#define LEAST_POINTS	8    /* fewer test nothing */

static double likeness(const struct pario_space *space, const struct pario_spot *a,
		       const struct pario_spot *b)
{
	double log_weight = a->measure == b->measure ? 0 : log(OTHER_DIRECTION);

	for (unsigned k = 0; k < space->axis_count; k++) {
		if (space->axes[k].kind == PARIO_AXIS_CHOICE && a->at[k] != b->at[k])
			log_weight += log(OTHER_CHOICE);
	}
	log_weight += fabs(a->log_bytes - b->log_bytes) / log(2) * log(PER_DOUBLING);
	log_weight += fabs(a->log_clients - b->log_clients) / log(2) * log(PER_DOUBLING);
	return exp(log_weight);
}

/* What is left near a place, without row `not` (rows.count = with all). */
static double near(const struct pario_guesser *g, const struct pario_spot *place, size_t not )
{
	double sum = 0, weights = RELUCTANCE;

	for (size_t i = 0; i < g->rows.count; i++) {
		double weight;

		if (i == not )
			continue;
		weight = likeness(g->space, place, &g->rows.place[i]);
		weights += weight;
		sum += weight * fmax(-CLIP, fmin(CLIP, g->left[i]));
	}
	return sum / weights;
}

int pario_guesser_init(struct pario_guesser *g, const struct pario_space *space,
		       const struct pario_survey_model *model, struct pario_err *err)
{
	double numbers = 2.0 * space->measures + model->terms, optimism;

	*g = (struct pario_guesser){ .space = space, .model = model };
	if (pario_rows_of(space, 0, &g->rows, err) < 0)
		return -1;
	g->left = malloc((g->rows.count + 1) * sizeof(*g->left));
	g->off = malloc((g->rows.count + 1) * sizeof(*g->off));
	if (!g->left || !g->off) {
		pario_guesser_release(g);
		return pario_err_memory(err, "predictions");
	}
	for (size_t i = 0; i < g->rows.count; i++)
		g->left[i] = g->rows.cost[i] - pario_model_cost(model, &g->rows.place[i], 0);
	/* the model has seen the rows that it is tested on */
	optimism =
		sqrt(((double)g->rows.count + numbers) / fmax((double)g->rows.count - numbers, 1));
	for (size_t i = 0; i < g->rows.count; i++)
		g->off[i] = (g->left[i] - near(g, &g->rows.place[i], i)) * fmin(optimism, 2);
	return 0;
}

void pario_guesser_release(struct pario_guesser *g)
{
	pario_rows_release(&g->rows);
	free(g->left);
	free(g->off);
	g->left = g->off = NULL;
}

struct error {
	double off, weight;
};

static int rising(const void *a, const void *b)
{
	double x = ((const struct error *)a)->off, y = ((const struct error *)b)->off;

	return (x > y) - (x < y);
}

static double quantile(const struct error *errors, size_t count, double all, double share)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += errors[i].weight;
		if (sum >= share * all)
			return errors[i].off;
	}
	return count ? errors[count - 1].off : 0;
}

struct pario_guess pario_guess_at(const struct pario_guesser *g, const struct pario_spot *place)
{
	struct error *errors = malloc((g->rows.count + 1) * sizeof(*errors));
	double cost = pario_model_cost(g->model, place, 0) + near(g, place, g->rows.count), all = 0;
	struct pario_guess guess = { cost, cost, cost };

	for (size_t i = 0; errors && i < g->rows.count; i++) {
		errors[i].off = g->off[i];
		errors[i].weight = pow(likeness(g->space, place, &g->rows.place[i]), BROAD);
		all += errors[i].weight;
	}
	if (errors) {
		qsort(errors, g->rows.count, sizeof(*errors), rising);
		guess.low =
			cost + fmin(quantile(errors, g->rows.count, all, (1 - COVERAGE) / 2), 0);
		guess.high =
			cost + fmax(quantile(errors, g->rows.count, all, (1 + COVERAGE) / 2), 0);
	}
	free(errors);
	return guess;
}

/* Half of the points are missed by more than a factor of 1.5, which is as large as effects that are stated. */
static const double FAR_OFF = 0.5;

bool pario_guess_doubted(const struct pario_test_of_model *test)
{
	return test->median > FAR_OFF;
}

void pario_guess_none_text(const struct pario_test_of_model *test, double threshold, bool law,
			   struct pario_text *out)
{
	const char *what = law ? " else" : "";

	if (isnan(test->median))
		pario_text_add(
			out,
			"Whether anything%s slows access down by %.2f × or more cannot be said: "
			"too few points were measured to test it. Survey for longer.",
			what, threshold);
	else if (test->median > threshold - 1)
		pario_text_add(
			out,
			"Whether anything%s slows access down by %.2f × or more cannot be said: "
			"half of the points measured afterwards lay %.0f %% or further from "
			"what was predicted. Survey for longer, or while nobody else uses the "
			"machine.",
			what, threshold, 100 * test->median);
	else
		pario_text_add(out, "Nothing%s slows access down by %.2f × or more.", what,
			       threshold);
}

struct pario_test_of_model pario_guess_test(const struct pario_guesser *g)
{
	const struct pario_space *space = g->space;
	double *far = malloc((space->cells * space->measures + 1) * sizeof(*far));
	double sum = 0, squares = 0, left = 0;
	struct pario_test_of_model test = { .median = NAN, .explained = NAN, .within = NAN };
	size_t within = 0;

	for (size_t i = 0; far && i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures; m++) {
			struct pario_spot place = pario_spot_of(space, i, m);
			double rate, off;
			struct pario_guess guess;

			if (!space->cell[i].held || !pario_space_known(space, i, m))
				continue;
			rate = place.log_bytes - space->cell[i].cost[m];
			off = space->cell[i].cost[m] - pario_model_cost(g->model, &place, 0);
			guess = pario_guess_at(g, &place);
			within += space->cell[i].cost[m] >= guess.low &&
				  space->cell[i].cost[m] <= guess.high;
			sum += rate;
			squares += rate * rate;
			left += off * off;
			far[test.points++] = fabs(off);
		}
	}
	if (test.points >= LEAST_POINTS) {
		double n = (double)test.points;

		test.explained = 1 - left / fmax(squares - sum * sum / n, 1e-12);
		test.median = exp(pario_stats_median(far, test.points)) - 1;
		test.within = (double)within / n;
	}
	free(far);
	return test;
}

/* ---- a question ---- */

static bool same_word(const char *label, const char *word)
{
	return pario_text_same_name(label, word) ||
	       (strcmp(word, "own") == 0 && strcmp(label, "per_client") == 0) ||
	       (strcmp(word, "collective") == 0 && strcmp(label, "mpiio collective") == 0);
}

/* A number: bytes when it has a unit or is large, else clients. */
static bool take_number(const struct pario_space *space, const char *word, struct pario_spot *place,
			unsigned *said)
{
	struct pario_err quiet = { 0 };
	uint64_t value;
	unsigned size = pario_space_axis(space, PARIO_AXIS_SIZE),
		 count = pario_space_axis(space, PARIO_AXIS_COUNT), a;
	bool plain = strspn(word, "0123456789") == strlen(word);
	const struct pario_axis *axis;

	if (!isdigit((unsigned char)word[0]) ||
	    pario_units_parse_size("size", word, &value, &quiet) < 0 || value == 0)
		return false;
	a = plain && value < 1024 ? count : size;
	if (a == space->axis_count)
		return false;
	axis = &space->axes[a];
	if ((double)value < axis->value[0] || (double)value > axis->value[axis->count - 1])
		return false;
	for (unsigned l = 0; l < axis->count; l++) {
		if (axis->value[l] <= (double)value)
			place->at[a] = (uint64_t)1 << l;
	}
	if (a == size)
		place->log_bytes = log((double)value);
	else
		place->log_clients = log((double)value);
	*said |= 1u << a;
	return true;
}

static bool take_word(const struct pario_space *space, const char *word, struct pario_spot *place,
		      unsigned *said)
{
	for (unsigned m = 0; m < space->measures; m++) {
		if (strcmp(space->measure[m], word) != 0)
			continue;
		place->measure = m;
		place->at[space->axis_count] = (uint64_t)1 << m;
		*said |= 1u << space->axis_count;
		return true;
	}
	for (unsigned a = 0; a < space->axis_count; a++) {
		for (unsigned l = 0;
		     l < space->axes[a].count && space->axes[a].kind == PARIO_AXIS_CHOICE; l++) {
			if (!same_word(space->axes[a].label[l], word))
				continue;
			place->at[a] = (uint64_t)1 << l;
			*said |= 1u << a;
			return true;
		}
	}
	return take_number(space, word, place, said);
}

/* What is not said is the first level: aligned, shared, one client. */
static int fill_in(const struct pario_space *space, struct pario_spot *place, unsigned said,
		   struct pario_err *err)
{
	unsigned size = pario_space_axis(space, PARIO_AXIS_SIZE);

	if (space->measures > 1 && !(said >> space->axis_count & 1))
		return pario_err_set(
			err, PARIO_USAGE,
			"say whether to read or to write, as in --ask \"read random 64k\".");
	if (size < space->axis_count && !(said >> size & 1))
		return pario_err_set(
			err, PARIO_USAGE,
			"say how large the transfers are, from %s to %s, as in --ask \"%s random 64k\".",
			space->axes[size].label[0],
			space->axes[size].label[space->axes[size].count - 1], space->measure[0]);
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (!(said >> a & 1))
			place->at[a] = 1;
	}
	if (!(said >> space->axis_count & 1))
		place->at[space->axis_count] = 1;
	return 0;
}

int pario_guess_parse(const struct pario_space *space, const char *question,
		      struct pario_spot *place, struct pario_err *err)
{
	char text[256];
	unsigned said = 0, count = pario_space_axis(space, PARIO_AXIS_COUNT);

	memset(place, 0, sizeof(*place));
	if (count < space->axis_count)
		place->log_clients = log(space->axes[count].value[0]);
	snprintf(text, sizeof(text), "%s", question);
	for (char *rest = text, *word; (word = pario_text_word(&rest, " ,"));) {
		if (strcmp(word, "clients") == 0 || strcmp(word, "client") == 0)
			continue;
		if (!take_word(space, word, place, &said))
			return pario_err_set(
				err, PARIO_USAGE,
				"the survey knows nothing about \"%.40s\". Ask about its own axes, "
				"within what was measured, as in --ask \"read random 64k shared\".",
				word);
	}
	return fill_in(space, place, said, err);
}
