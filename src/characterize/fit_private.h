/*
 * fit_private: a fit under way, from the journal to the SYSTEM; shared by the files fit*.c and by nobody else.
 */
#ifndef PARIO_CHARACTERIZE_FIT_PRIVATE_H
#define PARIO_CHARACTERIZE_FIT_PRIVATE_H

#include "characterize/cells.h"
#include "characterize/set.h"
#include "journal/history.h"

/* Throughput is kept as seconds of a byte and of an operation, so that repetitions are one kind of cell. */
struct pario_fit {
	struct pario_history history;
	struct pario_system *system;
	struct pario_cells calls;
	struct pario_cells engine, bytes, ops; /* pario itself; the device by requests in flight */
	struct pario_cells latency, message_seconds; /* by clients; the second of a byte */
	struct pario_cells reopened, found;	     /* first reads after opening */
	uint64_t clients;			     /* the most that took part */
	double minutes;				     /* that all journals were to take */
	double seconds;				     /* that those after the first took */
};

/* What a result is about. */
const struct pario_set_part *pario_fit_part(const json_t *result);
double pario_fit_number(const json_t *object, const char *name);

/* Does its number count? Suspect ones do, unless they were to be misses and were none. */
bool pario_fit_counts(const struct pario_set_part *part, const json_t *result);

/* Members of the SYSTEM beyond the surfaces. */
void pario_fit_head(struct pario_fit *fit);
void pario_fit_memory(struct pario_fit *fit);
int pario_fit_devices(struct pario_fit *fit);
int pario_fit_messages(struct pario_fit *fit);
int pario_fit_coverage(struct pario_fit *fit);

#endif
