/*
 * pictures: the pictures of any test. A new one is a row here and a function that fills charts; pictures of one
 * test are rows of tests/report/reports.c.
 */
#include "report/chart/pictures.h"

#include <string.h>

#include "report/trace/trace.h"

#define CLIENTS_OVER_TIME \
	"The rate of each client as colour (of many, the slowest and the fastest), in the repetition nearest to the median. A pale row is a slow client, a pale column a moment when all of them waited."

static const struct pario_picture pictures[] = {
	{ "tile", NULL, "The tiles", "Which part of the data set each client moves.",
	  pario_picture_tiles, 0 },
	{ "interactive", NULL, "What a person waits for",
	  "Median time of one command, with empty and with filled caches.", pario_picture_waits,
	  PARIO_HIDES_RATES },
	{ "trace", NULL, "When it was busy",
	  "A row is a process, or several where there are many; the stronger the colour, the more of its time went into calls on storage. Where nothing is drawn, there were none.",
	  pario_picture_trace, PARIO_HIDES_RATES },
	{ "profile", NULL, "Where the time went",
	  "Time in calls of a class: operation, layer, largest size, order within the file, through the cache or around it. "
	  "Classes marked > lie within other calls.",
	  pario_picture_profile, PARIO_HIDES_RATES },
	{ "predict", NULL, "Predicted times",
	  "Times of the program's I/O calls, all ranks together, and of the whole program. Whiskers are 90 % intervals.",
	  pario_picture_prediction, PARIO_HIDES_RATES | PARIO_HIDES_TIMES },
	{ NULL, NULL, NULL, NULL, pario_picture_summary_text, 0 },
	{ NULL, NULL, "Clients over time", CLIENTS_OVER_TIME, pario_picture_client_heat, 0 },
	{ NULL, NULL, "All phases",
	  "Median of the repetitions; whiskers show the interval of the median.",
	  pario_picture_bars, 0 },
	{ NULL, NULL, NULL, "Median of the repetitions; bars show the interval of the median.",
	  pario_picture_over, 0 },
	{ NULL, "queue_depth", "Latency over queue depth",
	  "Half of the operations take at most p50, all but one in a hundred at most p99. Where the rate no longer grows and these do, requests only wait longer.",
	  pario_picture_latency_over, 0 },
	{ NULL, NULL, "Scaling with clients",
	  "Median of the repetitions. The dashed line is what the best start would give if every client added as much as the first.",
	  pario_picture_scaling, 0 },
	{ NULL, "transfer_size", "Pattern by size",
	  "One picture for each direction and client count; the scale of colours is above it.",
	  pario_picture_heat, 0 },
	{ NULL, NULL, "Times of single operations",
	  "Whiskers from the fastest to the slowest, boxes from p50 to p99, lines at p50, p90, p99 and p99.9; medians over the repetitions.",
	  pario_picture_latency, 0 },
	{ NULL, NULL, "Latency distribution",
	  "All repetitions together. Several humps are several ways an operation can go: from a cache, from storage, behind others.",
	  pario_picture_times, 0 },
	{ NULL, NULL, "Cumulative latency",
	  "The same, summed up: where a line reaches 99 %, one operation in a hundred takes longer.",
	  pario_picture_times_summed, 0 },
	{ NULL, "time", "Clients over time", CLIENTS_OVER_TIME, pario_picture_client_heat, 0 },
	{ NULL, NULL, "Rate over time",
	  "All clients together and each by itself (of many, the slowest and the fastest), in the repetition nearest to the median. A level line is a steady state, a gap a stall, a fall after a fast start a full cache or throttling.",
	  pario_picture_rate_history, 0 },
	{ NULL, NULL, "Clients and hosts", NULL, pario_picture_clients, 0 },
};

/* What the pictures of any test show, which some tests must not be shown by. */
static unsigned kind_of(const struct pario_picture *p)
{
	if (p->draw == pario_picture_latency || p->draw == pario_picture_latency_over ||
	    p->draw == pario_picture_times || p->draw == pario_picture_times_summed)
		return PARIO_HIDES_TIMES;
	return p->draw == pario_picture_bars || p->draw == pario_picture_over ||
			       p->draw == pario_picture_scaling
		       ? PARIO_HIDES_RATES
		       : 0;
}

/* Draws it if it is of this section's test and nothing drawn before hides it; adds what it hides itself. */
static void add(struct pario_section *section, const struct pario_picture *p, unsigned *hidden)
{
	if (p->test && strcmp(p->test, section->test) != 0)
		return;
	if (!(*hidden & kind_of(p)) && (p->test || !pario_trace_is(section->test)))
		p->draw(section, p);
	*hidden |= p->hides;
}

void pario_pictures_add(struct pario_section *section)
{
	const struct pario_picture *own = section->reports ? section->reports->pictures : NULL;
	unsigned hidden = 0;

	for (; own && own->draw; own++)
		add(section, own, &hidden);
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++)
		add(section, &pictures[i], &hidden);
}
