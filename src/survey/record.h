/*
 * record: what a survey found, in its journal: the member `survey` of a note. The page, compare, profile and --ask read
 * this and nothing else, so that all say the same.
 */
#ifndef PARIO_SURVEY_RECORD_H
#define PARIO_SURVEY_RECORD_H

#include <jansson.h>

#include "base/json.h"
#include "survey/guess.h"
#include "survey/statement.h"

struct pario_finding_set {
	struct pario_space space;
	struct pario_survey_model model;
	struct pario_statement statement[PARIO_STATEMENTS];
	size_t count;
	size_t dropped; /* statements that did not hold when they were tried */
	double noise;
	struct pario_test_of_model test;
};

/* Writes the member. */
void pario_survey_record_write(struct pario_json *json, const struct pario_finding_set *set);

/* Reads the member; the space is made, and pario_space_release()d by the caller. */
int pario_record_read(const json_t *survey, struct pario_finding_set *set, struct pario_err *err);

/* The last note of a journal that has one, of its notes; NULL when there is none. */
const json_t *pario_record_find(json_t *const *notes, size_t count);

#endif
