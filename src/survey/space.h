/*
 * space: the access space as a grid of points, with what has been measured of it.
 *
 * A point is one level on every axis. At each point one or two measures (write, read) are known: the time that one
 * client needs for one operation, as a logarithm, because all questions are about ratios. A point that was measured at
 * several times is known by their median, and what its times differ by is the noise.
 */
#ifndef PARIO_SURVEY_SPACE_H
#define PARIO_SURVEY_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PARIO_AXES = 8, PARIO_AXIS_LEVELS = 40, PARIO_SPACE_MEASURES = 2, PARIO_AXIS_CAPACITY = 48 };

enum pario_axis_kind {
	PARIO_AXIS_SIZE,   /* bytes of an operation: its time grows with them */
	PARIO_AXIS_COUNT,  /* clients */
	PARIO_AXIS_CHOICE, /* no order: the levels are other ways to move the same bytes */
};

struct pario_axis {
	char name[PARIO_AXIS_CAPACITY];
	enum pario_axis_kind kind;
	unsigned count;
	uint64_t unreal;		 /* levels that move no data: never a remedy */
	double value[PARIO_AXIS_LEVELS]; /* of sizes and counts, rising */
	char label[PARIO_AXIS_LEVELS][PARIO_AXIS_CAPACITY]; /* "64 KiB", "unaligned" */
};

struct pario_cell {
	bool exists;			   /* the combination makes sense */
	bool tried;			   /* has been measured; cost is NaN where it failed */
	bool held;			   /* is measured last, to test what the others say */
	double cost[PARIO_SPACE_MEASURES]; /* ln of seconds per operation and client: the median */
	unsigned samples[PARIO_SPACE_MEASURES];
};

struct pario_survey_sample {
	size_t cell;
	unsigned measure;
	double cost;
};

struct pario_space {
	struct pario_axis axes[PARIO_AXES];
	unsigned axis_count, measures;
	char measure[PARIO_SPACE_MEASURES][16]; /* "write", "read" */
	double threshold;			/* slower by this factor is worth a statement */
	size_t cells, stride[PARIO_AXES];
	struct pario_cell *cell;
	struct pario_survey_sample *sample; /* in the order of their times */
	size_t sample_count, sample_capacity;
};

/* Allocates the cells once axes and measures are set; all exist. Fails above a million points. */
int pario_space_init(struct pario_space *space, struct pario_err *err);
void pario_space_release(struct pario_space *space);

unsigned pario_space_level(const struct pario_space *space, size_t cell, unsigned axis);

/* The same point with another level on one axis. */
size_t pario_space_beside(const struct pario_space *space, size_t cell, unsigned axis,
			  unsigned level);

/* The axis of this kind, or axis_count when there is none. */
unsigned pario_space_axis(const struct pario_space *space, enum pario_axis_kind kind);

/* The value of a point on the axis of this kind: bytes, or clients; 1 when there is no such axis. */
double pario_space_value(const struct pario_space *space, size_t cell, enum pario_axis_kind kind);

/* Points that exist, and those of them that were tried. */
size_t pario_space_existing(const struct pario_space *space);
size_t pario_space_tried(const struct pario_space *space);

/* Does this measure of the point have a number? */
bool pario_space_known(const struct pario_space *space, size_t cell, unsigned measure);

/* Adds a measurement, in seconds per operation and client; NaN = it was tried and failed. */
int pario_space_take(struct pario_space *space, size_t cell, unsigned measure, double seconds,
		     struct pario_err *err);

/* What measurements of the same point differ by, as a deviation of the logarithm; NaN when none was repeated. */
double pario_space_noise(const struct pario_space *space);

/* Sets points aside for the test of the whole: about a tenth, 24 at most, the same ones for the same seed. */
void pario_space_hold(struct pario_space *space, uint64_t seed);

#endif
