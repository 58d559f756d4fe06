/*
 * omitted: counts what is missing, record by record, and lists it.
 */
#include "tests/beff/model/omitted.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* How many methods of a pattern were measured at a length in a repetition. */
static unsigned methods_made(const struct pario_beff_table *t, const struct pario_beff_pattern *p,
			     unsigned pattern, unsigned length, unsigned repetition)
{
	unsigned made = 0;

	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
		made += (p->methods & 1u << m) &&
			!isnan(pario_beff_at(t, pattern, length, m, repetition)->bandwidth);
	return made;
}

/* In the first repetition: later ones only add to what is there. */
static void note(struct pario_beff_omitted *o, const struct pario_beff_pattern *p, unsigned length,
		 unsigned made, unsigned planned)
{
	bool extra = p->kind > PARIO_BEFF_RANDOM;

	if (made == 0 && p->kind != PARIO_BEFF_RANDOM)
		*(extra ? &o->extras : &o->rings) |= 1u << length;
	if (made > 0 && made < planned)
		*(extra ? &o->extra_methods : &o->ring_methods) |= 1u << length;
}

void pario_beff_omitted(const struct pario_beff_table *t, const struct pario_beff_pattern *patterns,
			struct pario_beff_omitted *o)
{
	memset(o, 0, sizeof(*o));
	for (unsigned p = 0; p < t->patterns; p++) {
		unsigned planned = (unsigned)__builtin_popcount(patterns[p].methods), whole = 0;

		for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
			for (unsigned r = 0; r < t->repetitions; r++) {
				unsigned made = methods_made(t, &patterns[p], p, i, r);

				o->made += made;
				o->planned += planned;
				o->later_made += r ? made : 0;
				o->later_planned += r ? planned : 0;
				if (r > 0)
					continue;
				note(o, &patterns[p], i, made, planned);
				whole += made > 0;
			}
		if (patterns[p].kind != PARIO_BEFF_RANDOM)
			continue;
		o->randoms++;
		o->randoms_whole += whole == PARIO_BEFF_LENGTHS;
	}
}

void pario_beff_length_ranges(uint32_t mask, const uint64_t *lengths, struct pario_text *out)
{
	char size[PARIO_UNITS_CAPACITY];
	const char *comma = "";

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		unsigned last = i;

		if (!(mask & 1u << i))
			continue;
		while (last + 1 < PARIO_BEFF_LENGTHS && mask & 1u << (last + 1))
			last++;
		pario_text_add(out, "%s%s", comma, pario_units_size(size, lengths[i]));
		if (last > i)
			pario_text_add(out, " to %s", pario_units_size(size, lengths[last]));
		comma = ", ";
		i = last;
	}
}

void pario_beff_omitted_list(const struct pario_beff_omitted *o, const uint64_t *lengths,
			     struct pario_text *out)
{
	const struct {
		uint32_t mask;
		const char *what;
	} parts[] = { { o->rings, "ring patterns" },
		      { o->ring_methods, "methods but the fastest of ring and random patterns" },
		      { o->extras, "additional patterns" },
		      { o->extra_methods, "methods but the fastest of additional patterns" } };
	size_t from = out->length;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].mask)
			continue;
		pario_text_add(out, "%s%s at ", out->length > from ? "; " : "", parts[i].what);
		pario_beff_length_ranges(parts[i].mask, lengths, out);
	}
	if (o->randoms_whole < o->randoms)
		pario_text_add(out, "%s%u of %u random patterns", out->length > from ? "; " : "",
			       o->randoms - o->randoms_whole, o->randoms);
	if (o->later_made < o->later_planned)
		pario_text_add(out, "%s%llu of %llu measurements of the further repetitions",
			       out->length > from ? "; " : "",
			       (unsigned long long)(o->later_planned - o->later_made),
			       (unsigned long long)o->later_planned);
	if (out->length == from)
		pario_text_add(out, "nothing");
}
