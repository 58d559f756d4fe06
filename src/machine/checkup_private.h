/*
 * checkup_private: what the files of checkup share: how a finding is made and found. Nobody else includes it.
 */
#ifndef PARIO_MACHINE_CHECKUP_PRIVATE_H
#define PARIO_MACHINE_CHECKUP_PRIVATE_H

#include <stdbool.h>

#include "machine/checkup.h"

struct pario_doctor {
	const struct pario_checkup *checkup;
	struct pario_checkup_finding *finding;
	size_t count;
};

struct pario_checkup_finding *pario_doctor_find(struct pario_doctor *doctor,
						enum pario_finding_level level, const char *name,
						const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void pario_doctor_advise(struct pario_checkup_finding *finding, const char *consequence,
			 const char *remedy);

/* In checkup_storage.c: the directory, its file system, what is free. */
void pario_doctor_storage(struct pario_doctor *doctor);

#endif
