/*
 * spark: eight heights, the largest value full; nothing at all for a single value or where all are zero.
 */
#include "report/text/spark.h"

#include <math.h>

void pario_spark_add(struct pario_text *out, const double *values, size_t count)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, values[i]);
	for (size_t i = 0; i < count && count > 1 && most > 0; i++)
		pario_text_add(out, "%s", bars[(int)(7 * fmax(0, values[i]) / most + 0.5)]);
}
