/*
 * hpcc: the rings of hpcc's latency and bandwidth test as its own output lists them, for a run with --phases hpcc.
 * MB/s are 10^6 byte/s and per process (docs/beff.md).
 */
#include "tests/beff/report/documents.h"

#include <math.h>
#include <string.h>

static int write_hpcc(const struct pario_history *history, struct pario_text *out,
		      struct pario_err *err)
{
	(void)err;
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *line = history->results[i];
		double latency = pario_history_metric(line, "hpcc_ring_latency_us");

		if (strcmp(pario_history_text(line, "phase"), "hpcc") != 0 || isnan(latency))
			continue;
		if (out->length == 0)
			pario_text_add(out,
				       "hpcc's rings of processes        8 bytes   2000000 bytes, "
				       "per process\n");
		pario_text_add(out, "%5lld in the order of ranks %10.3f us %10.3f MB/s\n",
			       (long long)json_integer_value(json_object_get(line, "clients")),
			       latency, pario_history_metric(line, "hpcc_ring_mb_s"));
		pario_text_add(out, "      in random orders      %10.3f us %10.3f MB/s\n",
			       pario_history_metric(line, "hpcc_random_latency_us"),
			       pario_history_metric(line, "hpcc_random_mb_s"));
	}
	return 0;
}

const struct pario_document pario_beff_hpcc = {
	.test = "beff",
	.file = "beff.hpcc",
	.shown = true,
	.write = write_hpcc,
};
