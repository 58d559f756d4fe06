/*
 * formats: the two functions of every format.
 */
#ifndef PARIO_IMPORT_FORMATS_H
#define PARIO_IMPORT_FORMATS_H

#include "import/import.h"

#define PARIO_FORMAT(name_)                                                     \
	bool pario_##name_##_recognise(const struct pario_import_file *source); \
	int pario_##name_##_read(const struct pario_import_file *source,        \
				 struct pario_harvest *harvest, struct pario_err *err)

PARIO_FORMAT(fio);
PARIO_FORMAT(ior_json);
PARIO_FORMAT(ior_text);
PARIO_FORMAT(mdtest);
PARIO_FORMAT(io500);
PARIO_FORMAT(io500_summary);
PARIO_FORMAT(darshan);
PARIO_FORMAT(dxt);

#endif
