/*
 * nht1: the quantities that NHT-1 asks to be reported (spec/nht1.md section 1.3), one line per measured point.
 */
#include "report/nht1.h"

#include <math.h>
#include <string.h>

static const char *words(const json_t *result)
{
	const char *point = pario_history_text(result, "point");

	return *point ? point : "as given";
}

static void line(const json_t *r, struct pario_text *out)
{
	bool suspect = strcmp(pario_history_text(r, "outcome"), "suspect") == 0;

	pario_text_add(out, "%7lld %4lld  %10.3f %10.3f %9.4f %14.4e %9.3f  %-3s %s%s\n",
		       (long long)json_integer_value(json_object_get(r, "clients")),
		       (long long)json_integer_value(json_object_get(r, "repetition")),
		       pario_history_metric(r, "T_C"), pario_history_metric(r, "T_T"),
		       pario_history_metric(r, "zeta"), pario_history_metric(r, "R_IO"),
		       pario_history_metric(r, "waited_s"),
		       pario_history_metric(r, "conforms") == 1 ? "yes" : "no", words(r),
		       suspect ? "  (suspect)" : "");
}

static int write_summary(const struct pario_history *history, struct pario_text *out,
			 struct pario_err *err)
{
	const char *recomputed = pario_history_param(history, "recompute");
	bool small = false, any = false;

	(void)err;
	pario_text_add(out, "NHT-1 application I/O\n\n");
	pario_text_add(out, "clients rep.      T_C [s]    T_T [s]      zeta     R_IO [B/s] "
			    "waited[s]  NHT-1 point\n");
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *r = history->results[i];

		if (strcmp(pario_history_text(r, "test"), "nht1_application") != 0 ||
		    isnan(pario_history_metric(r, "T_T")))
			continue;
		line(r, out);
		any = true;
		small |= pario_history_metric(r, "conforms") != 1;
	}
	if (!any) {
		pario_text_add(out, "no run that writes came to its end\n");
		return 0;
	}
	pario_text_add(out,
		       "\nT_C: best verified time without writing. T_T: with writing, until all is "
		       "durable. zeta = T_T/T_C - 1.\n"
		       "Every vector was read back; its norms are the published ones%s.\n",
		       recomputed && strcmp(recomputed, "1") == 0
			       ? ", and every byte is that of another run"
			       : "");
	if (small)
		pario_text_add(out, "NHT-1 itself is class B, a vector every 5 steps, one file: "
				    "lines with \"no\" are not.\n");
	return 0;
}

const struct pario_document pario_nht1_application = {
	.test = "nht1_application",
	.file = "nht1_application.sum",
	.shown = true,
	.write = write_summary,
};
