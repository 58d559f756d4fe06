/*
 * document: what the storage gave to training, what keeps the run from conforming, how many loaders are enough.
 */
#ifndef PARIO_TESTS_TRAINING_REPORT_DOCUMENT_H
#define PARIO_TESTS_TRAINING_REPORT_DOCUMENT_H

#include "report/page/document.h"

extern const struct pario_document pario_training_summary;

#endif
