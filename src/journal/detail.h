/*
 * detail: what happened within a phase: the rate over time, of all clients and of single ones, what each client and
 * each host did, and how long the operations took. Bounded, whatever the phase and the number of clients were.
 *
 * It stands in a result line as
 *
 *	"detail":{"unit":"MiB/s",
 *	  "over_time":{"step_s":0.05,"rates":[...],"clients":[{"client":3,"rates":[...]},...]},
 *	  "by_client":{"clients":8,"median_rate":211.5,"stragglers":1,
 *	    "columns":["client","host","bytes","ops","seconds","rate"],"rows":[...]},
 *	  "by_host":{"columns":["host","clients","bytes","ops","rate_low","rate","rate_high"],"rows":[...]},
 *	  "latency":[[from_ns,count],...]}
 */
#ifndef PARIO_JOURNAL_DETAIL_H
#define PARIO_JOURNAL_DETAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"
#include "base/json.h"

enum {
	PARIO_DETAIL_STEPS = 60, /* of the rate over time */
	PARIO_DETAIL_HISTORIES =
		16, /* clients whose own rate over time is kept: the slowest and the fastest */
	PARIO_DETAIL_CLIENTS =
		64,		 /* rows; beyond so many clients there are quantiles and few rows */
	PARIO_DETAIL_NAMED = 16, /* rows then, of those who lag */
	PARIO_DETAIL_QUANTILES = 7,
	PARIO_DETAIL_HOSTS = 64,
	PARIO_DETAIL_HOST_NAME = 64,
};

/* A client is a straggler when its own rate is below this share of the median client's. */
#define PARIO_DETAIL_STRAGGLER 0.75

/* Shares of the clients for which a rate is written; the one in the middle is the median. */
extern const double pario_detail_shares[PARIO_DETAIL_QUANTILES];

struct pario_detail_client {
	uint64_t client, node;
	double bytes, ops, seconds, rate;
	char host[PARIO_DETAIL_HOST_NAME];
};

struct pario_detail_host {
	uint64_t node; /* whose name may not be its own: some sites call all alike */
	char name[PARIO_DETAIL_HOST_NAME];
	uint64_t clients;
	double bytes, ops, rate_low, rate_sum, rate_high;
};

struct pario_detail {
	bool bytes; /* rates are MiB/s, else operations per second */
	double step_s;
	unsigned steps;
	double rates[PARIO_DETAIL_STEPS];
	unsigned histories;
	struct {
		uint64_t client;
		double rates[PARIO_DETAIL_STEPS];
	} history[PARIO_DETAIL_HISTORIES];
	uint64_t clients; /* all of them */
	double median_rate;
	double quantile[PARIO_DETAIL_QUANTILES]; /* of many clients; 0 = not known */
	uint64_t stragglers;
	unsigned rows;
	struct pario_detail_client row[PARIO_DETAIL_CLIENTS]; /* slowest first */
	unsigned hosts;
	struct pario_detail_host host[PARIO_DETAIL_HOSTS];
	struct pario_histogram latency;
};

static inline bool pario_detail_straggles(double rate, double median)
{
	return rate < PARIO_DETAIL_STRAGGLER * median;
}

/*
 * What some of the clients did: the slowest and the fastest of them, and their first hosts. Two parts become one of the
 * same size, so that clients can be added up over a tree. All that is kept is what one list of all clients would give.
 */
struct pario_detail_part {
	uint64_t clients; /* that had something to do */
	uint64_t behind;  /* of these, where the median of all is known before they are added up */
	unsigned slow, fast, hosts;
	struct pario_detail_client slowest[PARIO_DETAIL_CLIENTS];
	struct pario_detail_client fastest[PARIO_DETAIL_HISTORIES / 2]; /* fastest first */
	struct pario_detail_host host[PARIO_DETAIL_HOSTS];		/* by node */
};

/* One client, in MiB/s or operations per second; nothing when it had nothing to do. */
void pario_detail_part_of(struct pario_detail_part *part, const struct pario_detail_client *client,
			  bool bytes);
void pario_detail_part_add(struct pario_detail_part *part, const struct pario_detail_part *other);

/* As many clients as these are all among the slowest as far as the middle: the median is known from a part. */
enum { PARIO_DETAIL_MEDIAN = 2 * PARIO_DETAIL_CLIENTS - 1 };

/* Fills what concerns clients and hosts; the median, where it is not there, only up to PARIO_DETAIL_MEDIAN clients. */
void pario_detail_take(struct pario_detail *detail, const struct pario_detail_part *all);

void pario_detail_write(struct pario_json *json, const struct pario_detail *detail);

#endif
