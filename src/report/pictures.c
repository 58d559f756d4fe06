/*
 * pictures: see pictures.h. A new picture is a row here and a function that fills charts.
 */
#include "report/pictures.h"

#include <string.h>

static const struct pario_picture pictures[] = {
	{ "transfer", "transfer_size", "Where it is slow",
	  "How many times slower a way is than the best way to move the same bytes with as many clients. The right end of the scale is where to look.",
	  pario_picture_map },
	{ "tile", NULL, "The tiles", "Which part of the data set each client moves.",
	  pario_picture_tiles },
	{ "interactive", NULL, "What a person waits for",
	  "Median time of one command, with empty and with filled caches.", pario_picture_waits },
	{ NULL, NULL, "At one look",
	  "Median of the repetitions; whiskers show the interval of the median.",
	  pario_picture_bars },
	{ NULL, NULL, NULL, "Median of the repetitions; bars show the interval of the median.",
	  pario_picture_over },
	{ NULL, NULL, "Scaling with clients",
	  "Median of the repetitions. The dashed line is what the best start would give if every client added as much as the first.",
	  pario_picture_scaling },
	{ NULL, "transfer_size", "Pattern by size",
	  "One picture for each direction and client count; the scale of colours is above it.",
	  pario_picture_heat },
	{ NULL, NULL, "Times of single operations",
	  "Whiskers from the fastest to the slowest, boxes from p50 to p99, lines at p50, p90, p99 and p99.9; medians over the repetitions.",
	  pario_picture_latency },
};

void pario_pictures_add(struct pario_section *section)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		const struct pario_picture *p = &pictures[i];

		if (!p->test || strcmp(p->test, section->test) == 0)
			p->draw(section, p);
	}
}
