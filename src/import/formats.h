/*
 * formats: what is known of every format: how it is read, and the line that shows it.
 */
#ifndef PARIO_IMPORT_FORMATS_H
#define PARIO_IMPORT_FORMATS_H

#include "import/import.h"

#define PARIO_FORMAT_READ(name_)                                                                  \
	int pario_##name_##_read(struct pario_import_file *source, struct pario_harvest *harvest, \
				 struct pario_err *err)
#define PARIO_FORMAT(name_)                                           \
	bool pario_##name_##_sign(const char *line, uint64_t number); \
	PARIO_FORMAT_READ(name_)

PARIO_FORMAT_READ(fio);
PARIO_FORMAT_READ(ior_json);
PARIO_FORMAT(io500);
bool pario_darshan_log_begins(struct pario_import_file *source);
PARIO_FORMAT_READ(darshan_log);
PARIO_FORMAT(dxt);
PARIO_FORMAT(darshan);
PARIO_FORMAT(text);
PARIO_FORMAT(ior_csv);
PARIO_FORMAT(elbencho);
PARIO_FORMAT_READ(elbencho_json);
PARIO_FORMAT(ior_ranks);
PARIO_FORMAT(mdtest_ranks);

#endif
