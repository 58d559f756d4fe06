/*
 * documents: the quantities that NHT-1 asks to be reported (docs/nht1.md), one line per measured point, and the
 * numbers on the diagonals that go with each (section 1.4).
 *
 * T_C is the best verified time of the same class on as many clients, at whatever point, or what --t_c gave. Only the
 * whole journal knows it, so zeta is worked out again here; a result line has the best of those before it.
 */
#include "tests/nht1/report/documents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "journal/table.h"
#include "tests/nht1/report/compute_time.h"
#include "tests/nht1/report/conformity.h"
#include "tests/nht1/model/diagonal.h"
#include "tests/nht1/model/formulae.h"

static const char *words(const json_t *result)
{
	const char *point = pario_history_text(result, "point");

	return *point ? point : "as given";
}

static long long count_of(const json_t *result, const char *name)
{
	return (long long)json_integer_value(json_object_get(result, name));
}

static bool is_application(const json_t *result)
{
	return strcmp(pario_history_text(result, "test"), "nht1_application") == 0;
}

/* T_C of the repetition that a line belongs to: its own point's. */
static double own_time(const struct pario_history *history, const json_t *result)
{
	double seconds = NAN;

	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *r = history->results[i];

		if (is_application(r) && strcmp(pario_history_text(r, "phase"), "compute") == 0 &&
		    count_of(r, "clients") == count_of(result, "clients") &&
		    count_of(r, "repetition") == count_of(result, "repetition") &&
		    strcmp(pario_history_text(r, "point"), pario_history_text(result, "point")) ==
			    0)
			seconds = fmin(seconds, pario_history_metric(r, "T_C"));
	}
	return seconds;
}

/* The best of the run, or what --t_c gave where that is better; *origin says which. */
static double compute_time(const struct pario_history *history, const json_t *result,
			   const char **origin)
{
	double given = pario_history_metric(result, "T_C_given");
	double best = pario_nht1_compute_time(history, pario_nht1_class(history, result),
					      (uint64_t)count_of(result, "clients"));

	*origin = given <= best || (isnan(best) && !isnan(given)) ? "--t_c" : "run";
	return fmin(best, given);
}

static bool has_diagonal(const json_t *result)
{
	struct pario_result_table_view view;
	struct pario_err unused;

	return is_application(result) &&
	       pario_result_table_find(result, "diagonal", &view, &unused) == 0;
}

/* What the line's check found right, in the words of the legend. */
static const char *checked(const json_t *result)
{
	static const char *const by[2][3] = {
		{ "sums", "sums, last norm", "sums, norms" },
		{ "bytes", "bytes, last norm", "bytes, norms" },
	};
	double recomputed = pario_history_metric(result, "recomputed");
	double norms = pario_history_metric(result, "norms_checked");

	if (isnan(recomputed) || isnan(norms))
		return "not said";
	return by[recomputed == 1][norms >= 2 ? 2 : norms == 1 ? 1 : 0];
}

static void line(const struct pario_history *history, const json_t *r, size_t diagonal,
		 struct pario_text *out)
{
	bool suspect = strcmp(pario_history_text(r, "outcome"), "suspect") == 0;
	const char *origin;
	double t_c = compute_time(history, r, &origin), t_t = pario_history_metric(r, "T_T");
	char number[24] = "-";

	if (diagonal)
		snprintf(number, sizeof(number), "%zu", diagonal);
	pario_text_add(out,
		       "%7lld %4lld  %10.3f %10.3f %-5s %10.3f %9.4f %14.4e %9.3f  %-5s %-16s %9s",
		       count_of(r, "clients"), count_of(r, "repetition") + 1, own_time(history, r),
		       t_c, origin, t_t, pario_nht1_overhead(t_t, t_c),
		       pario_history_metric(r, "R_IO"), pario_history_metric(r, "waited_s"),
		       pario_history_metric(r, "conforms") == 1 ? "yes" : "no", checked(r), number);
	pario_text_add(out, "%s", *words(r) ? "  " : "");
	pario_text_clean(out, words(r));
	pario_text_add(out, "%s\n", suspect ? "  (suspect)" : "");
}

/* What the lines of a summary have in common, and what only some of them have. */
struct claims {
	bool any, other, compared, summed, norms, last_norm;
	double checksums_s;
};

static void add_claims(struct claims *claims, const json_t *result)
{
	double seconds = pario_history_metric(result, "checksums_s");

	claims->any = true;
	claims->other |= pario_history_metric(result, "conforms") != 1;
	claims->compared |= pario_history_metric(result, "recomputed") == 1;
	claims->summed |= pario_history_metric(result, "recomputed") == 0;
	claims->norms |= pario_history_metric(result, "norms_checked") == 2;
	claims->last_norm |= pario_history_metric(result, "norms_checked") == 1;
	claims->checksums_s = fmax(claims->checksums_s, seconds);
}

static void legend(struct pario_text *out, const struct claims *claims)
{
	pario_text_add(
		out,
		"\n"
		"own T_C: best verified time without writing in this repetition; T_C: of this class on "
		"as many clients, in the whole "
		"run or,\nwhere that is better, given by --t_c.\n"
		"T_T: time with writing, until all is durable. zeta = T_T/T_C - 1.\n"
		"checked: every vector was read back, and\n");
	if (claims->compared)
		pario_text_add(out,
			       "  bytes      every byte is that of another run of the solver\n");
	if (claims->summed)
		pario_text_add(out,
			       "  sums       every line of points has the checksum with which the "
			       "solver handed it over; taking them is\n"
			       "             a part of T_T, at most %.2g s on client 0\n",
			       claims->checksums_s);
	if (claims->norms)
		pario_text_add(out,
			       "  norms      the error norm of the last vector and the mean of "
			       "all are the published ones\n");
	if (claims->last_norm)
		pario_text_add(out,
			       "  last norm  the error norm of the last vector is the published "
			       "one; no other is published\n");
	pario_text_add(out, "diagonals: the number of the file nht1_diagonal_*.txt; none where the "
			    "vectors are not in one file.\n");
	if (claims->other)
		pario_text_add(out, "NHT-1 itself is class B, a vector every 5 steps, one file: "
				    "lines with \"no\" are not.\n");
}

static bool counts(const json_t *result)
{
	return is_application(result) && !isnan(pario_history_metric(result, "T_T"));
}

/* One statement for each line, under the words that tell the lines apart. */
static void conformity(const struct pario_history *history, struct pario_text *out)
{
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *r = history->results[i];
		long long clients = count_of(r, "clients");
		const char *origin;
		double t_c;

		if (!counts(r))
			continue;
		t_c = compute_time(history, r, &origin);
		pario_text_add(out, "\n%lld client%s, repetition %lld, ", clients,
			       clients == 1 ? "" : "s", count_of(r, "repetition") + 1);
		pario_text_clean(out, words(r));
		pario_text_add(out, "\n");
		pario_nht1_conformity_application(out, history, r, t_c, origin);
	}
}

static int write_summary(const struct pario_history *history, struct pario_text *out,
			 struct pario_err *err)
{
	struct claims claims = { 0 };
	size_t diagonals = 0;

	(void)err;
	pario_text_add(out, "NHT-1 application I/O\n\n");
	pario_text_add(
		out,
		"clients rep.  own T_C[s]    T_C [s] from     T_T [s]      zeta     R_IO [B/s] "
		"waited[s]  NHT-1 checked          diagonals  point\n");
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *r = history->results[i];
		bool diagonal = has_diagonal(r);

		diagonals += diagonal;
		if (!counts(r))
			continue;
		line(history, r, diagonal ? diagonals : 0, out);
		add_claims(&claims, r);
	}
	if (claims.any)
		legend(out, &claims);
	else
		pario_text_add(out, "no run that writes has a result\n");
	conformity(history, out);
	return 0;
}

static int write_diagonal(const json_t *result, struct pario_text *out, struct pario_err *err)
{
	static const char *const names[] = { "u1", "u2", "u3", "u4", "u5" };
	struct pario_result_table_view view;
	int column[5];

	if (!has_diagonal(result))
		return 0;
	if (pario_result_table_find(result, "diagonal", &view, err) < 0)
		return -1;
	for (size_t m = 0; m < 5; m++)
		if ((column[m] = pario_result_table_column(&view, names[m], err)) < 0)
			return -1;
	for (size_t i = 0; i < view.row_count; i++)
		for (size_t m = 0; m < 5; m++)
			pario_diagonal_add(out, pario_result_table_number(&view, i, column[m]));
	return out->failed ? pario_err_memory(err, "the diagonals") : 0;
}

const struct pario_document pario_document_nht1_application = {
	.test = "nht1_application",
	.file = "nht1_application.sum",
	.shown = true,
	.write = write_summary,
};

const struct pario_document pario_document_nht1_diagonals = {
	.test = "nht1_application",
	.file = "nht1_diagonal.txt",
	.write_each = write_diagonal,
};
