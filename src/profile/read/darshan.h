/*
 * darshan: the profile of a program from Darshan's log of it: counters instead of calls.
 *
 * What a log does not tell stays away: call sites, single calls, their order and their times. Records that Darshan has
 * made of all ranks together are shared out among them evenly, but for the rank that took longest, whose time is told.
 * One time is told for opening, closing and asking; it is shared out by the number of calls.
 */
#ifndef PARIO_PROFILE_READ_DARSHAN_H
#define PARIO_PROFILE_READ_DARSHAN_H

#include "profile/analyse/profile.h"

int pario_profile_darshan(struct pario_profile *profile, const char *path, struct pario_err *err);

#endif
