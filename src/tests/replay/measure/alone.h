/*
 * alone: a process of a trace without ranks, in a pario that MPI has no part in.
 */
#ifndef PARIO_TESTS_REPLAY_MEASURE_ALONE_H
#define PARIO_TESTS_REPLAY_MEASURE_ALONE_H

/* The word that main() knows it by; behind it stands the descriptor of what it has to do. */
#define PARIO_REPLAY_ALONE "--replay-process"

int pario_replay_alone(const char *descriptor);

#endif
