/*
 * shares: one row per class that has calls, as text and as a table; the sums are those of the profile.
 */
#include "profile/analyse/shares.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/analyse/order.h"

enum { BAR = 10 };

const char *const pario_class_names[PARIO_CLASSES] = {
	[PARIO_CLASS_OTHER] = "other",
	[PARIO_CLASS_OPEN] = "open",
	[PARIO_CLASS_CLOSE] = "close",
	[PARIO_CLASS_READ] = "read",
	[PARIO_CLASS_WRITE] = "write",
	[PARIO_CLASS_SEEK] = "seek",
	[PARIO_CLASS_SYNC] = "sync",
	[PARIO_CLASS_SIZE] = "truncate, allocate",
	[PARIO_CLASS_ADVICE] = "advise",
	[PARIO_CLASS_MAP] = "map",
	[PARIO_CLASS_STAT] = "stat",
	[PARIO_CLASS_NAME] = "make, rename, remove",
	[PARIO_CLASS_ATTR] = "attributes",
	[PARIO_CLASS_LIST] = "list directories",
	[PARIO_CLASS_LOCK] = "lock",
	[PARIO_CLASS_SUBMIT] = "submit requests",
	[PARIO_CLASS_WAIT] = "wait for requests",
	[PARIO_CLASS_PROCESS] = "processes",
	[PARIO_CLASS_MESSAGE] = "messages",
};

/* Classes are numbered from 0, order from 1. */
static double class_ns(const void *p, uint32_t i)
{
	return ((const struct pario_profile *)p)->classes[i - 1].ns;
}

static void bar(struct pario_text *text, double share)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = (int)lround(share * BAR * 8);

	for (int i = 0; i < eighths / 8; i++)
		pario_text_add(text, "█");
	pario_text_add(text, "%s", parts[eighths % 8]);
}

void pario_shares_show(const struct pario_profile *p, struct pario_text *text)
{
	struct pario_order *order = pario_order_new(PARIO_CLASSES, class_ns, p);
	double all = p->on[PARIO_MEDIUM_STORAGE].ns;
	char time[PARIO_UNITS_CAPACITY], bytes[PARIO_UNITS_CAPACITY];

	if (order && all > 0) {
		pario_text_add(text, "\nwhere the time on storage went\n");
		pario_text_add(text, "  %-20s %10s %10s %10s %6s\n", "class", "calls", "bytes",
			       "time", "share");
	}
	for (uint32_t i = 0; order && all > 0 && i < PARIO_CLASSES; i++) {
		const struct pario_profile_sum *sum = &p->classes[order[i].number - 1];

		if (!sum->calls)
			continue;
		pario_text_add(text, "  %-20s %10llu %10s %10s %4.0f %%  ",
			       pario_class_names[order[i].number - 1],
			       (unsigned long long)sum->calls, pario_units_size(bytes, sum->bytes),
			       pario_units_ns(time, sum->ns), 100 * sum->ns / all);
		bar(text, sum->ns / all);
		pario_text_add(text, "\n");
	}
	free(order);
}

bool pario_shares_table(const struct pario_profile *p, struct pario_result_tables *tables)
{
	struct pario_order *order = pario_order_new(PARIO_CLASSES, class_ns, p);
	double all = p->on[PARIO_MEDIUM_STORAGE].ns;

	for (uint32_t i = 0; order && i < PARIO_CLASSES; i++) {
		const struct pario_profile_sum *sum = &p->classes[order[i].number - 1];

		if (sum->calls)
			pario_result_tables_row(
				tables, "classes", "class calls failed bytes seconds share",
				(const struct pario_datum[]){
					PARIO_TEXT(pario_class_names[order[i].number - 1]),
					PARIO_NUMBER(sum->calls), PARIO_NUMBER(sum->failed),
					PARIO_NUMBER(sum->bytes), PARIO_NUMBER(sum->ns * 1e-9),
					PARIO_NUMBER(all > 0 ? sum->ns / all : (double)NAN) });
	}
	free(order);
	return order;
}
