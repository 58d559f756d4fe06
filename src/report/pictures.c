/*
 * pictures: see pictures.h. A new picture is a row here and a function that fills charts.
 */
#include "report/pictures.h"

#include <string.h>

#include "report/trace.h"

static const struct pario_picture pictures[] = {
	{ "transfer", "transfer_size", "Where it is slow",
	  "How many times slower a way is than the best way to move the same bytes with as many clients. The right end of the scale is where to look.",
	  pario_picture_map, false },
	{ "tile", NULL, "The tiles", "Which part of the data set each client moves.",
	  pario_picture_tiles, false },
	{ "interactive", NULL, "What a person waits for",
	  "Median time of one command, with empty and with filled caches.", pario_picture_waits,
	  true },
	{ "beff", NULL, "Bandwidth over message length",
	  "Twelve equal steps up to 4 KiB and eight to Lmax: each length counts alike in b_eff, which is why it is far below the largest bandwidth.",
	  pario_picture_beff, true },
	{ "beff_io", NULL, "Bandwidth",
	  "One line per pattern type. Chunks of 8 bytes more, which are not well-formed, stand beside their power of two.",
	  pario_picture_beff_io, true },
	{ "nht1_application", NULL, "Computation and transfers",
	  "Transfers below computation cost little; where computation has gaps, it waited.",
	  pario_picture_nht1, true },
	{ "overlap", NULL, NULL,
	  "Dashed: the fitted laws. Their height at 0 is the cost of a sector, their slope that of a call.",
	  pario_picture_overlap, false },
	{ "madbench2", NULL, "Where the time went",
	  "Mean over the processes; whiskers reach from the fastest process to the slowest.",
	  pario_picture_madbench2, false },
	{ "trace", NULL, "When it was busy",
	  "A row is a process, or several where there are many; the height of a bar is the share of its time spent in such calls.",
	  pario_picture_trace, true },
	{ "profile", NULL, "Where the time went",
	  "Time in calls of a class: operation, layer, largest size, order within the file, through the cache or around it. "
	  "Classes marked > lie within other calls.",
	  pario_picture_profile, true },
	{ NULL, NULL, "At one look",
	  "Median of the repetitions; whiskers show the interval of the median.",
	  pario_picture_bars, false },
	{ NULL, NULL, NULL, "Median of the repetitions; bars show the interval of the median.",
	  pario_picture_over, false },
	{ NULL, NULL, "Scaling with clients",
	  "Median of the repetitions. The dashed line is what the best start would give if every client added as much as the first.",
	  pario_picture_scaling, false },
	{ NULL, "transfer_size", "Pattern by size",
	  "One picture for each direction and client count; the scale of colours is above it.",
	  pario_picture_heat, false },
	{ NULL, NULL, "Times of single operations",
	  "Whiskers from the fastest to the slowest, boxes from p50 to p99, lines at p50, p90, p99 and p99.9; medians over the repetitions.",
	  pario_picture_latency, false },
};

/* Bytes over time of a result, which every test has and of which some make another number. */
static bool draws_rates(const struct pario_picture *p)
{
	return p->draw == pario_picture_bars || p->draw == pario_picture_over ||
	       p->draw == pario_picture_scaling;
}

void pario_pictures_add(struct pario_section *section)
{
	bool instead = false;

	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		const struct pario_picture *p = &pictures[i];

		if (p->test && strcmp(p->test, section->test) != 0)
			continue;
		if ((!instead || !draws_rates(p)) && (p->test || !pario_trace_is(section->test)))
			p->draw(section, p);
		instead |= p->instead;
	}
}
