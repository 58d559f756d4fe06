/*
 * gain: what a change would save, where this storage has been measured: from what a survey predicts, or else from the
 * rates of its journal; without one nothing is said.
 */
#ifndef PARIO_PROFILE_FINDINGS_GAIN_H
#define PARIO_PROFILE_FINDINGS_GAIN_H

#include "journal/history.h"
#include "profile/findings/findings.h"

/* One sentence, or nothing: the finding's bytes at a rate measured in the way that its rule asks for. */
void pario_gain_says(const struct pario_history *storage, const struct pario_profile *p,
		     const struct pario_profile_finding *f, struct pario_text *text);

#endif
