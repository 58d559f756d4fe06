/*
 * progress_thread: the progress line of a run, redrawn every second while a phase runs. In a log there is no line to
 * redraw: there it is a new one at most every few seconds (--progress).
 *
 * A thread of client 0 draws it, since the measuring thread is busy. It reads two counters of the meter and calls no
 * MPI.
 */
#ifndef PARIO_SESSION_PROGRESS_THREAD_H
#define PARIO_SESSION_PROGRESS_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/meter.h"
#include "report/text/style.h"
#include "session/progress_line.h"

struct pario_progress_thread {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	bool running, stopping;
	bool active; /* a phase is under way, and nothing else is being printed */
	bool shown;  /* the line stands on the terminal */
	unsigned columns;
	bool log;	  /* no terminal: every line stays */
	double every_s;	  /* between two lines */
	int64_t start_ns; /* of the run */
	struct pario_progress_line state;
	struct pario_progress_left left;
	char last_phase[32];

	/* the phase under way */
	const struct pario_meter *meter; /* of client 0, NULL between phases */
	int64_t meter_start_ns;		 /* what it says before it was cleared for this phase */
	int64_t phase_ns;
	uint64_t expected_bytes; /* of this client; 0 = unknown */
	double limit_s;		 /* 0 = none */
};

/* What a phase is, for the line. */
struct pario_progress_thread_phase {
	struct pario_progress_line state; /* all but elapsed_s and within */
	const struct pario_meter *meter;
	uint64_t expected_bytes;
	double limit_s;
};

/*
 * Where the style allows no progress line, there is one in the log every `log_s` seconds; 0 = none, and all others may
 * be called all the same.
 */
void pario_progress_thread_start(struct pario_progress_thread *progress,
				 const struct pario_style *style, double log_s);
void pario_progress_thread_begin(struct pario_progress_thread *progress,
				 const struct pario_progress_thread_phase *phase);
void pario_progress_thread_end(
	struct pario_progress_thread *progress); /* the meter will not be looked at any more */
void pario_progress_thread_stop(struct pario_progress_thread *progress);

/* Takes the line away until a phase begins. */
void pario_progress_thread_clear(struct pario_progress_thread *progress);

/* Takes it away for what is printed until pario_progress_thread_resume; the thread waits meanwhile. */
void pario_progress_thread_pause(struct pario_progress_thread *progress);
void pario_progress_thread_resume(struct pario_progress_thread *progress);

#endif
