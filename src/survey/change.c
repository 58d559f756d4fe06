/*
 * change: statements are the same when they are about the same, in the same words. Misleads where a border moved by one
 * level of a size: then one statement is gone and another is new, side by side.
 */
#include "survey/change.h"

#include <string.h>

static const struct pario_statement *same_name(const struct pario_finding_set *set,
					       const char *name)
{
	for (size_t i = 0; i < set->count; i++) {
		struct pario_text other = { 0 };
		bool same;

		pario_statement_name(&set->space, &set->statement[i], &other);
		same = strcmp(pario_text_string(&other), name) == 0;
		pario_text_release(&other);
		if (same)
			return &set->statement[i];
	}
	return NULL;
}

static struct pario_factor factor_of(const struct pario_finding_set *set,
				     const struct pario_statement *s)
{
	unsigned level;

	return s->standing == PARIO_STANDS_LAW ? s->same
					       : pario_statement_worst(&set->space, s, &level);
}

static const char *verdict(const struct pario_factor *a, const struct pario_factor *b)
{
	if (b->low > a->high)
		return "slower";
	return b->high < a->low ? "faster" : "the same";
}

unsigned pario_changes_add(const struct pario_finding_set *first,
			   const struct pario_finding_set *second, struct pario_text *out)
{
	unsigned worse = 0;

	for (size_t i = 0; i < first->count + second->count; i++) {
		bool of_second = i >= first->count;
		const struct pario_finding_set *set = of_second ? second : first;
		const struct pario_statement *s = &set->statement[of_second ? i - first->count : i],
					     *other;
		struct pario_text name = { 0 };

		pario_statement_name(&set->space, s, &name);
		other = same_name(of_second ? first : second, pario_text_string(&name));
		if (of_second && other) {
			pario_text_release(&name);
			continue;
		}
		if (other) {
			struct pario_factor a = factor_of(first, s), b = factor_of(second, other);

			worse += b.low > a.high;
			pario_text_add(out, " %-9s ", verdict(&a, &b));
		} else {
			worse += of_second;
			pario_text_add(out, " %-9s ", of_second ? "new" : "gone");
		}
		pario_text_add(out, "%s: ", pario_text_string(&name));
		pario_statement_effect_text(&set->space, s, 0, out);
		if (other) {
			pario_text_add(out, ", then ");
			pario_statement_effect_text(&second->space, other, 0, out);
		}
		pario_text_add(out, "\n");
		pario_text_release(&name);
	}
	return worse;
}
