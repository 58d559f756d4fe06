/*
 * revolution: rates of a rotating disk, from sectors per revolution S and missed revolutions M per call.
 *
 * B sectors in one call need B/S + B/(10 S) + M revolutions: the data, one revolution at each cylinder boundary of
 * ten tracks, and what the call misses (docs/overlap.md, equations 5 to 7). The paper's disks turn 60 times
 * a second and move 512 words in a sector; both are parameters here.
 */
#ifndef PARIO_TESTS_OVERLAP_MODEL_REVOLUTION_H
#define PARIO_TESTS_OVERLAP_MODEL_REVOLUTION_H

#include <stddef.h>

#include "base/fit.h"

struct pario_rotating_disk {
	double turns_per_s;
	double sector; /* words or bytes: the unit that rates are in */
};

/* Revolutions per sector, 1.1/S + M/B by the study's law, from a rate. */
double pario_revolutions_of_rate(const struct pario_rotating_disk *disk, double rate);

/*
 * A disk to be planted, of s sectors per track: when, in revolutions since its first sector came by, has it moved b
 * sectors from sector `first` on that were asked for at `now`? A transfer begins when its sector comes by, and a
 * request that comes while the gap before the data passes is in time. The next cylinder is a revolution away.
 */
#define PARIO_SECTOR_GAP 0.25 /* of a sector */
double pario_revolution_done(double s, double now, double first, double b);

/*
 * Of one line: sectors per revolution and missed revolutions; NaN where there is no line. Where the data do not bound S
 * from above, s is NaN and s_least the least value it can have (NaN where not even that is known).
 */
struct pario_revolution {
	struct pario_estimate s, m;
	double s_least;
};

/* Of the one line; and where the points broke, of the small and of the large buffers. */
struct pario_revolution_fit {
	struct pario_revolution all, small, large;
	struct pario_two_lines lines;
};

/*
 * From measured rates at buffer sizes of b sectors: a line against 1/b, or two where one does not fit. Each rate counts
 * by its error; where none has one they count alike. The intervals of S and M contain what all rates share: a part of
 * everything, and `call_error_s` seconds of each call. Those calls went `calls` by `calls` from one place on: so few
 * cross a whole number of cylinder boundaries, where the law has a part of one for each sector. NULL = as many as one
 * likes.
 */
struct pario_revolution_fit pario_revolution_fit(const struct pario_rotating_disk *disk,
						 const double *b, const double *calls,
						 const struct pario_estimate *rates, size_t n,
						 double part, double call_error_s);

#endif
