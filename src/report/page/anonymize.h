/*
 * anonymize: takes names of hosts, users and places out of an archive, so that a report can be shared.
 *
 * What the run itself named (host, directories, device, mount point, label) is replaced wherever it appears, and so is
 * every word that begins like an absolute path. Command line, environment, batch job ids and the journals' own paths
 * are left out altogether. Numbers, sizes, types of file systems, versions and hardware stay.
 */
#ifndef PARIO_REPORT_PAGE_ANONYMIZE_H
#define PARIO_REPORT_PAGE_ANONYMIZE_H

#include "base/err.h"
#include "report/page/archive.h"

int pario_anonymize(struct pario_archive *archive, struct pario_err *err);

#endif
