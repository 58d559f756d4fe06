/*
 * space: the access space as a grid of points, with what has been measured of it.
 *
 * A point is one level on every axis. At each point one or two measures (write, read) are known: the time that one
 * client needs for one operation, as a logarithm, and its noise. Logarithms, because all questions are about ratios.
 */
#ifndef PARIO_SURVEY_SPACE_H
#define PARIO_SURVEY_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PARIO_AXES = 8, PARIO_AXIS_LEVELS = 40, PARIO_SPACE_MEASURES = 2, PARIO_AXIS_CAPACITY = 48 };

enum pario_axis_kind {
	PARIO_AXIS_SIZE, /* bytes of an operation: its time may grow from not at all to in proportion */
	PARIO_AXIS_COUNT,  /* clients: likewise, but every change is worth a look */
	PARIO_AXIS_CHOICE, /* no order: the levels are other ways to move the same bytes */
};

struct pario_axis {
	const char *name;
	enum pario_axis_kind kind;
	unsigned count;
	const char *
		phrase; /* in front of its labels in a sentence: "in transfers of"; NULL = its name */
	uint64_t unreal;				    /* levels that move no data */
	double value[PARIO_AXIS_LEVELS];		    /* of sizes and counts, rising */
	char label[PARIO_AXIS_LEVELS][PARIO_AXIS_CAPACITY]; /* "64 KiB", "unaligned" */
	char advice[PARIO_AXIS_LEVELS]
		   [PARIO_AXIS_CAPACITY]; /* of choices: how to get there, "use ..." */
};

struct pario_cell {
	bool exists;			   /* the combination makes sense */
	bool measured;			   /* has been tried; cost is NaN where it failed */
	double cost[PARIO_SPACE_MEASURES]; /* ln of seconds per operation and client */
	double noise[PARIO_SPACE_MEASURES];
	size_t samples[PARIO_SPACE_MEASURES];
};

struct pario_space {
	struct pario_axis axes[PARIO_AXES];
	unsigned axis_count, measures;
	const char *measure[PARIO_SPACE_MEASURES]; /* "write", "read" */
	double threshold;			   /* slower by this factor is poor */
	size_t cells, stride[PARIO_AXES];
	struct pario_cell *cell;
};

/* Allocates the cells once axes and measures are set; all exist. Fails above a million points. */
int pario_space_init(struct pario_space *space, struct pario_err *err);
void pario_space_release(struct pario_space *space);

/* Levels that are measured first: both ends and what halves or thirds the distance between them. */
bool pario_axis_coarse(const struct pario_axis *axis, unsigned level);

unsigned pario_space_level(const struct pario_space *space, size_t cell, unsigned axis);
size_t pario_space_at(const struct pario_space *space, const unsigned *levels);

/* Points that exist, and those of them that were measured. */
size_t pario_space_existing(const struct pario_space *space);
size_t pario_space_measured(const struct pario_space *space);

/* Adds repetitions of one measure, seconds per operation and client; none = it failed. */
void pario_space_take(struct pario_space *space, size_t cell, unsigned measure,
		      const double *seconds, size_t count);

/*
 * The points to measure next, the most telling first; returns how many, 0 when nothing is left to resolve. `list`
 * has room for space->cells. Depends only on what is measured, so that an interrupted survey goes on where it was.
 */
size_t pario_space_wave(const struct pario_space *space, size_t *list, struct pario_err *err);

#endif
