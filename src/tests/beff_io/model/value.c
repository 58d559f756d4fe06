/*
 * value: from bytes and nanoseconds to one number, with the weights of the definition; no MPI and no journal.
 */
#include "tests/beff_io/model/value.h"

#include <math.h>

double pario_beff_io_mb_s(uint64_t bytes, int64_t ns)
{
	return ns > 0 ? (double)bytes / ((double)ns / 1e9) / 1e6 : (double)NAN;
}

double pario_beff_io_access_value(const double t[PARIO_BEFF_IO_TYPES])
{
	return (2 * t[0] + t[1] + t[2] + t[3] + t[4]) / 6;
}

double pario_beff_io_partition_value(double write, double rewrite, double read)
{
	return 0.25 * write + 0.25 * rewrite + 0.5 * read;
}

double pario_beff_io_release_value(const double w[PARIO_BEFF_IO_TYPES], double rewritten,
				   double read)
{
	return sqrt((w[0] + w[1] + w[2] + w[3] + w[4] + rewritten) / 6 * read);
}

double pario_beff_io_pattern_mb_s(const struct pario_beff_io_record *r,
				  enum pario_beff_io_access access, unsigned pattern)
{
	const struct pario_beff_io_timing *t = &r->pattern[access][pattern];

	return t->done ? pario_beff_io_mb_s(r->clients * t->bytes, t->ns) : (double)NAN;
}

int64_t pario_beff_io_type_ns(const struct pario_beff_io_record *r,
			      enum pario_beff_io_access access, enum pario_beff_io_type type)
{
	int64_t ns = r->type[access][type].open_ns + r->type[access][type].close_ns;

	for (unsigned p = pario_beff_io_first[type]; p < pario_beff_io_first[type + 1]; p++)
		ns += r->pattern[access][p].ns;
	return ns;
}

uint64_t pario_beff_io_type_bytes(const struct pario_beff_io_record *r,
				  enum pario_beff_io_access access, enum pario_beff_io_type type)
{
	uint64_t bytes = 0;

	for (unsigned p = pario_beff_io_first[type]; p < pario_beff_io_first[type + 1]; p++)
		bytes += r->clients * r->pattern[access][p].bytes;
	return bytes;
}

double pario_beff_io_type_mb_s(const struct pario_beff_io_record *r,
			       enum pario_beff_io_access access, enum pario_beff_io_type type)
{
	if (!r->type[access][type].done)
		return (double)NAN;
	return pario_beff_io_mb_s(pario_beff_io_type_bytes(r, access, type),
				  pario_beff_io_type_ns(r, access, type));
}

double pario_beff_io_weighted_mb_s(const struct pario_beff_io_record *r,
				   enum pario_beff_io_access access, unsigned type)
{
	double sum = 0, units = 0;

	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++) {
		const struct pario_beff_io_pattern *pattern = &pario_beff_io_patterns[p];

		if (pattern->units == 0 || !r->pattern[access][p].done ||
		    (type < PARIO_BEFF_IO_TYPES && pattern->type != type))
			continue;
		sum += pattern->units * pario_beff_io_pattern_mb_s(r, access, p);
		units += pattern->units;
	}
	return units > 0 ? sum / units : (double)NAN;
}

double pario_beff_io_access_mb_s(const struct pario_beff_io_record *r,
				 enum pario_beff_io_access access)
{
	double types[PARIO_BEFF_IO_TYPES];

	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
		types[t] = pario_beff_io_type_mb_s(r, access, (enum pario_beff_io_type)t);
	if (access == PARIO_BEFF_IO_REWRITE &&
	    !pario_beff_io_rewrites(&r->plan, PARIO_BEFF_IO_TOGETHER))
		return types[0];
	return pario_beff_io_access_value(types);
}

uint64_t pario_beff_io_access_bytes(const struct pario_beff_io_record *r,
				    enum pario_beff_io_access access)
{
	uint64_t bytes = 0;

	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
		bytes += pario_beff_io_type_bytes(r, access, (enum pario_beff_io_type)t);
	return bytes;
}

uint64_t pario_beff_io_errors(const struct pario_beff_io_record *r)
{
	uint64_t errors = 0;

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++)
			errors += r->pattern[a][p].errors;
	return errors;
}

double pario_beff_io_record_paper(const struct pario_beff_io_record *r)
{
	return pario_beff_io_partition_value(pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_WRITE),
					     pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_REWRITE),
					     pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_READ));
}

double pario_beff_io_record_release(const struct pario_beff_io_record *r)
{
	double written[PARIO_BEFF_IO_TYPES];

	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
		written[t] =
			pario_beff_io_type_mb_s(r, PARIO_BEFF_IO_WRITE, (enum pario_beff_io_type)t);
	return pario_beff_io_release_value(
		written, pario_beff_io_type_mb_s(r, PARIO_BEFF_IO_REWRITE, PARIO_BEFF_IO_SCATTER),
		pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_READ));
}

bool pario_beff_io_record_complete(const struct pario_beff_io_record *r)
{
	bool complete = true;

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
			complete =
				complete &&
				(r->type[a][t].done ||
				 (a == PARIO_BEFF_IO_REWRITE &&
				  !pario_beff_io_rewrites(&r->plan, (enum pario_beff_io_type)t)));
	return complete;
}

double pario_beff_io_smallest_mb(const struct pario_beff_io_record *r)
{
	return pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_WRITE) * PARIO_BEFF_IO_OFFICIAL_S / 3;
}

double pario_beff_io_record_value(const struct pario_beff_io_record *r)
{
	return r->plan.release == PARIO_BEFF_IO_PAPER ? pario_beff_io_record_paper(r)
						      : pario_beff_io_record_release(r);
}

double pario_beff_io_sound(const struct pario_beff_io_record *r,
			   double (*of)(const struct pario_beff_io_record *record))
{
	return pario_beff_io_errors(r) > 0 ? (double)NAN : of(r);
}
