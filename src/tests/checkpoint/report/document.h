/*
 * document: what a checkpoint's size is made of, its times, and whether the run conforms.
 */
#ifndef PARIO_TESTS_CHECKPOINT_REPORT_DOCUMENT_H
#define PARIO_TESTS_CHECKPOINT_REPORT_DOCUMENT_H

#include "report/page/document.h"

extern const struct pario_document pario_checkpoint_summary;

#endif
