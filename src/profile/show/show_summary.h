/*
 * show_summary: the head of a profile as text, above its tables.
 */
#ifndef PARIO_PROFILE_SHOW_SHOW_SUMMARY_H
#define PARIO_PROFILE_SHOW_SHOW_SUMMARY_H

#include "profile/analyse/profile.h"

/* Losses first, then sums, mapped files, clocks and coverage. */
void pario_show_summary(const struct pario_profile *p, struct pario_text *text);

#endif
