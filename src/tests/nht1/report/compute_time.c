/*
 * compute_time: T_C, the best verified time of the solver without writing.
 */
#include "tests/nht1/report/compute_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char pario_nht1_class(const struct pario_history *history, const json_t *result)
{
	const char *of_point =
		json_string_value(json_object_get(json_object_get(result, "params"), "class"));
	const char *of_run = pario_history_param(history, "class");

	return of_point ? *of_point : of_run ? *of_run : '\0';
}

/* A run that failed or whose norms were wrong has no time. */
static double own_of(const struct pario_history *history, const json_t *r, char class,
		     uint64_t clients)
{
	if (strcmp(pario_history_text(r, "test"), "nht1_application") != 0 ||
	    strcmp(pario_history_text(r, "phase"), "compute") != 0 ||
	    strcmp(pario_history_text(r, "outcome"), "fail") == 0 ||
	    (uint64_t)json_integer_value(json_object_get(r, "clients")) != clients ||
	    pario_nht1_class(history, r) != class)
		return NAN;
	return pario_history_metric(r, "T_C");
}

double pario_nht1_compute_time(const struct pario_history *history, char class, uint64_t clients)
{
	double best = NAN;

	for (size_t i = 0; i < history->result_count; i++)
		best = fmin(best, own_of(history, history->results[i], class, clients));
	return best;
}

int pario_nht1_given(const char *text, char class, uint64_t clients, double *seconds,
		     struct pario_err *err)
{
	struct pario_history history;
	char *end;
	double number = strtod(text, &end);

	if (end != text && !*end && number > 0 && isfinite(number)) {
		*seconds = number;
		return 0;
	}
	if (end != text && !*end)
		return pario_err_set(
			err, PARIO_USAGE,
			"--t_c %s is no time. Use seconds above 0, or the journal of an "
			"earlier run.",
			text);
	if (pario_history_load(&history, text, err) < 0)
		return -1;
	number = pario_nht1_compute_time(&history, class, clients);
	pario_history_release(&history);
	if (isnan(number))
		return pario_err_set(err, PARIO_USAGE,
				     "--t_c %s has no verified time of class %c on %llu clients. "
				     "Name another run of nht1_application, or give seconds.",
				     text, class, (unsigned long long)clients);
	*seconds = number;
	return 0;
}
