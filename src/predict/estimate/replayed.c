/*
 * replayed: repetitions of all journals together, as one sample with its interval. Nothing is replayed here.
 */
#include "predict/estimate/replayed.h"

#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "journal/history.h"

enum { REPETITIONS = 1024 };

struct sample {
	double quantities[PARIO_QUANTITIES][REPETITIONS];
	size_t count;
};

static void take(struct sample *s, const json_t *result)
{
	double io = pario_history_metric(result, "io_s"), read, write;
	size_t n = s->count;

	if (isnan(io) || n == REPETITIONS)
		return;
	read = pario_history_metric(result, "read_s");
	write = pario_history_metric(result, "write_s");
	s->quantities[PARIO_QUANTITY_READ][n] = read;
	s->quantities[PARIO_QUANTITY_WRITE][n] = write;
	s->quantities[PARIO_QUANTITY_NAMES][n] = io - read - write;
	s->quantities[PARIO_QUANTITY_TOTAL][n] = io;
	s->quantities[PARIO_QUANTITY_MAKESPAN][n] = pario_history_metric(result, "makespan_s");
	s->count++;
}

static int collect(struct sample *s, const char *const *paths, int count, struct pario_err *err)
{
	s->count = 0;
	for (int i = 0; i < count; i++) {
		struct pario_history history;
		size_t before = s->count;

		if (pario_history_load(&history, paths[i], err) < 0)
			return -1;
		for (size_t k = 0; k < history.result_count; k++) {
			const json_t *r = history.results[k];

			if (strcmp(pario_history_text(r, "test"), "trace_replay") == 0 &&
			    strcmp(pario_history_text(r, "outcome"), "fail") != 0)
				take(s, r);
		}
		pario_history_release(&history);
		if (s->count == before)
			return pario_err_set(err, PARIO_USAGE,
					     "%s holds no result of `pario replay`.", paths[i]);
	}
	return 0;
}

/* Where one more run lies with 90 %: the mean, its own deviation and that of the next. */
static struct pario_seconds estimate(const double *values, size_t count, double factor)
{
	struct pario_stats s = pario_stats_of(values, count);
	struct pario_seconds e = { s.mean * factor, (double)NAN, (double)NAN };
	double n = (double)count, off;

	if (count < 2)
		return e;
	off = pario_stats_student(0.95, n - 1) * sqrt(s.variance * n / (n - 1) * (1 + 1 / n));
	e.low = fmax(0, e.seconds - off * factor);
	e.high = e.seconds + off * factor;
	return e;
}

int pario_replayed(struct pario_prediction *p, const struct pario_predict_request *request,
		   struct pario_err *err)
{
	static struct sample there, here;

	for (int q = 0; q < PARIO_QUANTITIES; q++)
		p->estimates[PARIO_MODEL_REPLAY][q] =
			(struct pario_seconds){ (double)NAN, (double)NAN, (double)NAN };
	if (!request->replay_count)
		return 0;
	if (collect(&there, request->replays, request->replay_count, err) < 0 ||
	    collect(&here, request->reference_replays, request->reference_replay_count, err) < 0)
		return -1;
	for (int q = 0; q < PARIO_QUANTITIES; q++) {
		double mean = pario_stats_of(here.quantities[q], here.count).mean;
		double factor = here.count && mean > 0 ? p->measured[q] / mean : 1;

		p->estimates[PARIO_MODEL_REPLAY][q] =
			estimate(there.quantities[q], there.count, factor);
	}
	p->replayed = true;
	return 0;
}
