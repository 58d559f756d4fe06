/*
 * tuner: which way to move memory to a file and back is the fastest here? Found by trying.
 *
 * All clients try the same ways at the same time, each with a file of its own, in rounds through all of them, so that
 * what else happens on the machine meets all ways alike. The rate of a way is that of the slowest client. Every trial
 * becomes a row of the table "trials".
 */
#ifndef PARIO_TESTS_NHT1_PEAK_TUNER_H
#define PARIO_TESTS_NHT1_PEAK_TUNER_H

#include "tests/nht1/peak/peak_io.h"

enum { PARIO_TUNER = 48 };

/* What is free to choose: 0, or "auto", where nothing is given. */
struct pario_tuner_choice {
	int method; /* 0 = auto, else 1 + enum pario_method */
	int direct; /* 0 = auto, 1 = no, 2 = yes */
	uint64_t request, depth;
};

struct pario_tuner {
	struct pario_io_method way[PARIO_TUNER];
	unsigned count;
	/* The best ones, and their rate over all clients in the trials; 0 before there were any. */
	unsigned best_write, best_read;
	double write_mib_s, read_mib_s;
};

/* All ways that are worth trying within a choice. Fails when the requested method is not available. */
int pario_tuner_init(struct pario_tuner *tuner, const struct pario_tuner_choice *choice,
		     struct pario_err *err);

/*
 * In a timed body, on all clients: tries all ways for about `seconds` with files of this name, and removes them. The
 * bytes of `move` are what there is to move later: no trial moves more. Fails when no way works.
 */
int pario_tuner_try(struct pario_tuner *tuner, struct pario_run *run, const struct pario_move *move,
		    double seconds, struct pario_err *err);

/* The way that was the fastest, or the only one. */
const struct pario_io_method *pario_tuner_best(const struct pario_tuner *tuner, bool write);

/* Says in table "way" of this phase which way it goes. */
void pario_tuner_say(const struct pario_tuner *tuner, struct pario_run *run, bool write);

#endif
