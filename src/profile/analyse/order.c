/*
 * order: sorted by key, ties by number, so that two runs over one trace show the same order.
 */
#include "profile/analyse/order.h"

#include <stdlib.h>

static int descending(const void *a, const void *b)
{
	const struct pario_order *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? 1 : -1;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct pario_order *pario_order_new(uint32_t count, double (*key)(const void *, uint32_t),
				    const void *context)
{
	struct pario_order *order = calloc(count + 1ul, sizeof(*order));

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = (struct pario_order){ key(context, i + 1), i + 1 };
	if (order)
		qsort(order, count, sizeof(*order), descending);
	return order;
}
