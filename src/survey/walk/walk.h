/*
 * walk: the access space of `transfer` as survey sees it: which levels its axes have here, and the plan of one point.
 */
#ifndef PARIO_SURVEY_WALK_WALK_H
#define PARIO_SURVEY_WALK_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "session/resume.h"
#include "session/session.h"
#include "survey/space.h"

enum pario_walk_axis {
	PARIO_WALK_INTERFACE,
	PARIO_WALK_PATTERN,
	PARIO_WALK_ALIGNMENT,
	PARIO_WALK_LAYOUT,
	PARIO_WALK_CLIENTS,
	PARIO_WALK_SIZE,
	PARIO_WALK_AXES,
};

/* Options of survey, filled from pario_survey_options. */
extern const struct pario_option pario_survey_options[];

struct pario_walk_params {
	double minutes, threshold;
	char ask[200];
	uint64_t smallest, largest, skew, volume;
	uint32_t focus;
};

enum { PARIO_WALK_WAYS = 16 };

struct pario_walk {
	struct pario_plan frame; /* the command's own options */
	struct pario_plan plan;	 /* of one point, made anew for each */
	struct pario_walk_params params;
	struct pario_space space;
	struct {
		char api[24];
		bool collective;
	} ways[PARIO_WALK_WAYS];	/* levels of the interface */
	const char *const *patterns[3]; /* option values of each level */
	const char *layouts[2];
	uint64_t skews[2];
	double limit;	 /* seconds of a phase */
	uint64_t volume; /* bytes of one client at a point, at most */
};

/* Takes the settled frame and the clients there are; makes the space, anew when there was one. */
int pario_walk_init(struct pario_walk *walk, uint64_t clients, struct pario_err *err);
void pario_walk_release(struct pario_walk *walk);

/* Binds one point; as pario_plan_bind. The caller releases `bound`. */
int pario_walk_bind(struct pario_walk *walk, size_t cell, struct pario_bound *bound,
		    struct pario_err *err);

/* "api=posix collective=0 pattern=segmented ...": a point's name in the journal. */
void pario_walk_name(const struct pario_walk *walk, size_t cell, char *name, size_t capacity);

/* Seconds of one operation of one client; NaN when the result holds no number. */
double pario_walk_cost(const struct pario_result *result);

/* Reads a survey's results into the space. */
int pario_walk_resume(struct pario_walk *walk, struct pario_resume *resume, struct pario_err *err);

#endif
