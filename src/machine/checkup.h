/*
 * checkup: is this machine fit to measure? Each check looks at one thing and says what it found, what follows from it
 * for measurements, and what can be done. Nothing is changed and nothing is written.
 */
#ifndef PARIO_MACHINE_CHECKUP_H
#define PARIO_MACHINE_CHECKUP_H

#include <stddef.h>

enum pario_finding_level {
	PARIO_FINDING_GOOD,
	PARIO_FINDING_KNOW, /* worth knowing; nothing to be done, or nothing that must be */
	PARIO_FINDING_LOOK, /* makes numbers worse or less certain */
	PARIO_FINDING_BAD,  /* nothing sound can be measured like this */
};

struct pario_checkup_finding {
	enum pario_finding_level level;
	char name[32];
	char text[256], consequence[256], remedy[256]; /* "" where there is none */
};

struct pario_checkup {
	const char *directory; /* where would be measured */
	const char *root;      /* put before /sys and /proc, "" for this machine; for tests */
	const char *kind;      /* pretend this file system, "" for what it is; for tests */
	double seconds;	       /* of the noise test; 0 = leave it out */
};

enum { PARIO_CHECKUP_MAX = 32 };

/* Runs all checks; returns how many findings there are. */
size_t pario_checkup_run(const struct pario_checkup *checkup,
			 struct pario_checkup_finding findings[PARIO_CHECKUP_MAX]);

#endif
