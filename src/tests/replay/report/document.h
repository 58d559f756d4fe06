/*
 * document: the answer of a replay, original and here side by side.
 */
#ifndef PARIO_TESTS_REPLAY_REPORT_DOCUMENT_H
#define PARIO_TESTS_REPLAY_REPORT_DOCUMENT_H

#include "report/page/document.h"

extern const struct pario_document pario_replay_summary;

#endif
