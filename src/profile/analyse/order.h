/*
 * order: numbers 1 to count, those with the largest key first; equal ones in their own order.
 */
#ifndef PARIO_PROFILE_ANALYSE_ORDER_H
#define PARIO_PROFILE_ANALYSE_ORDER_H

#include <stdint.h>

struct pario_order {
	double key;
	uint32_t number;
};

/* `key(context, number)` for each; to be freed, NULL without memory. */
struct pario_order *pario_order_new(uint32_t count, double (*key)(const void *, uint32_t),
				    const void *context);

#endif
