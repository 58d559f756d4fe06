/*
 * timeline: who was busy with what, when. Time is cut into bins that double in width as the trace goes on, processes
 * are folded into a bounded number of rows, so a picture has a bounded number of cells however long the trace is.
 *
 * A call counts where it began, but its time is spread over every bin it lasted through.
 */
#ifndef PARIO_TRACE_TIMELINE_H
#define PARIO_TRACE_TIMELINE_H

#include <stdbool.h>

#include "trace/job.h"
#include "trace/medium.h"

enum pario_lane {
	PARIO_LANE_READ,
	PARIO_LANE_WRITE,
	PARIO_LANE_SYNC, /* what makes data durable: often all the time there is, at the end */
	PARIO_LANE_OTHER,
	PARIO_LANE_MEET,      /* messages and waiting for others */
	PARIO_LANE_ELSEWHERE, /* what is not storage */
	PARIO_LANES
};

enum {
	PARIO_TIMELINE_BINS = 96,
	PARIO_TIMELINE_RANKED = 20, /* rows of processes with a rank, and of those without */
	PARIO_TIMELINE_UNRANKED = 4,
	PARIO_TIMELINE_ROWS = PARIO_TIMELINE_RANKED + PARIO_TIMELINE_UNRANKED,
	/* level 0 is what the program called itself, level 1 + n the calls of layer n, whoever made them */
	PARIO_TIMELINE_LEVELS = 1 + PARIO_TRACE_LAYERS
};

struct pario_timeline_cell {
	uint64_t calls, bytes;
	double ns;
};

/* The cells of one row, on its own: bins double in width by themselves. All zero is an empty one. */
struct pario_timeline_strip {
	double bin_ns;
	double from_ns, to_ns; /* of the bin of the last call: the next one is likely in it, too */
	unsigned bin;
	struct pario_timeline_cell cells[PARIO_TIMELINE_BINS][PARIO_LANES];
};

struct pario_timeline_row {
	uint32_t first, last; /* ranks, or pids where they have none */
	uint32_t processes;
	uint32_t
		image; /* how many rows before this one have its pid: programs that became another */
	char program[24];
	bool ranked;
};

struct pario_timeline {
	struct pario_timeline_cell (*cells)[PARIO_TIMELINE_BINS][PARIO_LANES];
	uint32_t *row_of; /* by process */
	struct pario_timeline_row rows[PARIO_TIMELINE_ROWS];
	uint32_t row_count;
	double bin_ns, end_ns;
};

extern const char *const pario_lane_names[PARIO_LANES];

/* Shares the processes of a job out to rows; false: no memory. */
bool pario_timeline_init(struct pario_timeline *t, const struct pario_job *job);
void pario_timeline_release(struct pario_timeline *t);

/* Where a call of this class (enum pario_trace_class) is drawn. */
static inline enum pario_lane pario_timeline_lane(enum pario_medium medium, uint8_t class)
{
	if (medium != PARIO_MEDIUM_STORAGE)
		return medium == PARIO_MEDIUM_MESSAGE ? PARIO_LANE_MEET : PARIO_LANE_ELSEWHERE;
	if (class == PARIO_CLASS_READ)
		return PARIO_LANE_READ;
	if (class == PARIO_CLASS_WRITE)
		return PARIO_LANE_WRITE;
	if (class == PARIO_CLASS_SYNC)
		return PARIO_LANE_SYNC;
	return PARIO_LANE_OTHER;
}

/* A call of `ns` that began at `start_ns`. */
void pario_timeline_add(struct pario_timeline *t, uint32_t process, uint8_t layer,
			enum pario_lane lane, bool nested, double start_ns, double ns,
			uint64_t bytes);

/* The same for one row alone. Most calls begin and end within the bin of the one before. */
void pario_timeline_strip_add_anywhere(struct pario_timeline_strip *s, enum pario_lane lane,
				       double start_ns, double ns, uint64_t bytes);
static inline void pario_timeline_strip_add(struct pario_timeline_strip *s, enum pario_lane lane,
					    double start_ns, double ns, uint64_t bytes)
{
	if (start_ns >= s->from_ns && ns >= 0 && start_ns + ns < s->to_ns) {
		struct pario_timeline_cell *cell = &s->cells[s->bin][lane];

		cell->calls++;
		cell->bytes += bytes;
		cell->ns += ns;
		return;
	}
	pario_timeline_strip_add_anywhere(s, lane, start_ns, ns, bytes);
}
/* Makes bins as wide as `bin_ns`, a width that another strip has. */
void pario_timeline_strip_widen(struct pario_timeline_strip *s, double bin_ns);
/* Adds what `from` holds, at the wider bins of both. */
void pario_timeline_strip_join(struct pario_timeline_strip *to,
			       const struct pario_timeline_strip *from);

const struct pario_timeline_cell *pario_timeline_cell(const struct pario_timeline *t,
						      unsigned level, uint32_t row, unsigned bin,
						      enum pario_lane lane);

/* "rank 3", "ranks 0-7", "pid 4711 cp", "4 others, from pid 4711"; no two rows have the same. */
char *pario_timeline_name(const struct pario_timeline *t, uint32_t row, char buf[48]);

#endif
