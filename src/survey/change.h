/*
 * change: which statements of a survey are another's as well, and which are slower, faster, new or gone.
 */
#ifndef PARIO_SURVEY_CHANGE_H
#define PARIO_SURVEY_CHANGE_H

#include "survey/record.h"

enum { PARIO_CHANGES = 2 * PARIO_STATEMENTS };

struct pario_survey_change {
	const char *verdict; /* "the same", "slower", "faster", "new", "gone" */
	char name[160];	     /* the statement's */
	const char *unit;    /* of the factors: "times", or "bytes" for the law of the size */
	struct pario_factor side
		[2]; /* of both surveys; NaN = cannot be said, an interval of NaN = is not stated there */
	bool worse;
};

/* Returns how many there are. */
size_t pario_changes_of(const struct pario_finding_set *first,
			const struct pario_finding_set *second,
			struct pario_survey_change list[PARIO_CHANGES]);

/* "5.1 × [4.7, 5.5]"; "about 4.9 ×" where it is not stated; "–" where nothing can be said. */
void pario_change_side_text(const struct pario_survey_change *change, unsigned side,
			    struct pario_text *out);

/* One line for each; one JSON object; a row for each. */
void pario_changes_text(const struct pario_survey_change *list, size_t count,
			struct pario_text *out);
void pario_changes_json(const struct pario_survey_change *list, size_t count,
			struct pario_text *out);
void pario_changes_csv(const struct pario_survey_change *list, size_t count,
		       struct pario_text *out);

#endif
