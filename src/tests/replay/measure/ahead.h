/*
 * ahead: the calls of a thread in their order. Those of a thread that makes very many are decoded by a helper before
 * their turn, where a processor is free for it: a program that prints line by line makes ten million calls a second,
 * which takes it less time than decoding them.
 */
#ifndef PARIO_TESTS_REPLAY_MEASURE_AHEAD_H
#define PARIO_TESTS_REPLAY_MEASURE_AHEAD_H

#include "tests/replay/measure/replay.h"

struct pario_replay_ahead;

struct pario_replay_ahead *pario_replay_ahead_open(const struct pario_replay *r, uint32_t thread,
						   struct pario_err *err);
/* The next call, which stays until the one after it; NULL at the end. */
const struct pario_trace_call *pario_replay_ahead_next(struct pario_replay_ahead *h);
void pario_replay_ahead_close(struct pario_replay_ahead *h);

#endif
