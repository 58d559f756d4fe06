/*
 * overhead: from passes over a file to transfer rates and CPU overhead per sector, with errors.
 *
 * T_OH = (T_t - N_loop t_loop) / sectors is a small difference of large numbers (docs/overlap.md). A loop
 * takes longer in a pass than by itself, since timers and, in a virtual machine, the host interrupt whatever lasts a
 * millisecond; one percent of that is often more than T_OH. Therefore each pass has a control: as many loops with
 * nothing under way, timed as a whole just before it. The difference to it is the overhead of the I/O alone, and how
 * much such differences scatter is their error, that of t_loop included. The same overhead follows a second time from
 * the scheduler: the CPU time of the measuring thread beyond that of its loops, which is the control's CPU time and no
 * wall clock's, so that a control that had to wait for a processor does not shorten it. A routine that never sleeps in
 * a call must give the same both ways; what the first counts and the second does not is time asleep, or time that
 * others took from the thread. For a routine that does sleep, the time asleep (elapsed, less CPU time, less time ready
 * but not running) is added to the second.
 */
#ifndef PARIO_TESTS_OVERLAP_MODEL_OVERHEAD_H
#define PARIO_TESTS_OVERLAP_MODEL_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fit.h"

/* How a pass was made: waiting for each transfer, or computing with the chosen loop, or with one half as long. */
enum pario_part { PARIO_PART_SYNC, PARIO_PART_FULL, PARIO_PART_HALF, PARIO_PARTS };

struct pario_overlap_pass {
	bool blocking;	 /* the routine sleeps in its calls */
	double size;	 /* bytes of one transfer */
	double channels; /* that moved data side by side */
	enum pario_part part;
	double calls;	 /* transfers, all channels together */
	double walks;	 /* over the files, each from their beginning; 0 or NaN = not known */
	double first_ns; /* until the first transfer of a walk was there, of all walks */
	double elapsed_ns;
	double loops; /* compute-and-test loops made */
	double loop_ns,
		loop_error_ns; /* of one loop by itself, with the half-width of its interval */
	double idle_ns;	       /* of one loop in the control, as long as the pass: t_loop */
	double idle_cpu_ns;    /* its CPU time; 0 or NaN = not known, and idle_ns stands for it */
	double idle_late_ns; /* how long in all the control was ready and not running; 0 = not known */
	double idle_loops; /* loops of the control */
	double thread_ns;  /* CPU time of the measuring thread */
	double process_ns; /* and of all threads of the process, with the kernel's that work for it */
	double queue_ns;   /* how long the thread was ready and not running; NaN = not known */
};

/*
 * What the procedure itself costs, in ns: per transfer in T_OH and per transfer that is waited for. It is taken off;
 * how well it is known is an error that all sizes share.
 */
struct pario_overlap_own {
	double call_ns, wait_ns, error_ns;
};

/*
 * Median and its 95 % half-width of a sample from which skewed values were discarded: those farther from the median
 * than PARIO_SKEW times the median distance. The median, since disturbances make times longer and never shorter.
 * *kept gets how many are left, where it is not NULL. Sorts the values.
 */
#define PARIO_SKEW 4.45 /* three standard deviations of a normal distribution */
struct pario_estimate pario_overlap_centre(double *values, size_t n, size_t *kept);

/*
 * Did the thread run whenever it could, in the pass and in its control? One that others kept waiting for more than
 * PARIO_QUIET of the time measured them, not the I/O: in a pass that adds to T_OH, in a control, which makes t_loop
 * longer, it takes from it. Such passes count only where there are not three of the same kind that were left alone.
 */
#define PARIO_QUIET 0.002
bool pario_overlap_quiet(const struct pario_overlap_pass *pass);
bool pario_overlap_control_quiet(const struct pario_overlap_pass *pass);

/* Others took more than this part of the passes that count: then they measured the others as well. */
#define PARIO_LOUD 0.02

/* One pass: overhead per sector of `sector` bytes, in ns; NaN for a synchronous pass. */
double pario_overlap_difference(const struct pario_overlap_pass *pass, double sector);
double pario_overlap_scheduled(const struct pario_overlap_pass *pass, double sector);
/* CPU time of the whole process beyond the loops, per sector: what the machine pays, on whichever core. */
double pario_overlap_cpu(const struct pario_overlap_pass *pass, double sector);

/*
 * The transfers that follow the first of a walk, which finds the storage wherever others left it: their rate, and how
 * many of them a walk has on each channel.
 */
struct pario_overlap_later {
	struct pario_estimate rate;
	double calls;
};

/* All passes at one size. Times are ns; per operation means per transfer of one channel. */
struct pario_overlap_point {
	double size, channels;
	size_t passes, disturbed;	    /* made, and of these not quiet */
	size_t late_controls;		    /* of these because of their control */
	struct pario_estimate sync_op_ns;   /* elapsed per operation when waiting */
	struct pario_estimate rate;	    /* bytes per second of all channels when waiting */
	struct pario_estimate overlap_rate; /* and when computing meanwhile */
	struct pario_overlap_later later, overlap_later;
	struct pario_estimate difference_ns; /* T_OH per sector by the paper's formula */
	struct pario_estimate scheduled_ns;  /* and by the scheduler */
	struct pario_estimate cpu_ns;	     /* CPU of all threads beyond the loops, per sector */
	struct pario_estimate
		slowing;	 /* elapsed with the loop over elapsed with half of it, minus 1 */
	double loop_ns, pass_ns; /* length of the loop, and of a pass (the median) */
	bool disagree;		 /* the two ways differ by more than their errors */
	bool unlike;		 /* so do T_OH with the whole loop and with half of it */
	bool noisy;		 /* T_OH cannot be told from zero */
	bool loud;		 /* the thread had to wait in passes that count, too */
};

/*
 * From the passes of this size. Times are medians, and so is the thread's own CPU time; that of all threads is a mean,
 * since what others than the measuring thread used may be booked in another pass than it was used in.
 */
struct pario_overlap_point pario_overlap_point(const struct pario_overlap_pass *passes, size_t n,
					       double size, double sector,
					       const struct pario_overlap_own *own);

/* The upper bound to give instead of a value that cannot be told from zero. */
double pario_overlap_bound(const struct pario_estimate *estimate);

#endif
