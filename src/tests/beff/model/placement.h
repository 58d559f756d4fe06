/*
 * placement: how the processes lie on the nodes. Ring patterns depend on it strongly: neighbours by rank share a node
 * when ranks are placed sequentially, and never do when they are dealt out in turn.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_PLACEMENT_H
#define PARIO_TESTS_BEFF_MODEL_PLACEMENT_H

#include <stdint.h>

#include "base/text.h"

/* One line; node[i] is any number that names the node of process i. */
void pario_beff_placement(const uint64_t *node, unsigned n, struct pario_text *out);

#endif
