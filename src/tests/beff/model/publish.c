/*
 * publish: names the published figures, one by one, so that a run and a journal read later give the same.
 */
#include "tests/beff/model/publish.h"

#include <math.h>

void pario_beff_publish(const struct pario_beff_context *c, const struct pario_beff_figures *f,
			struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT])
{
#define NUMBER(name_, unit_, better, help, value_) \
	numbers[PARIO_BEFF_##name_] = (struct pario_beff_number){ #name_, unit_, value_ };
	PARIO_BEFF_METRICS(NUMBER)
#undef NUMBER
}
