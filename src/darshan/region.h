/*
 * region: a compressed part of a log as a stream of the bytes and numbers that it holds.
 */
#ifndef PARIO_DARSHAN_REGION_H
#define PARIO_DARSHAN_REGION_H

#include "darshan/log.h"

struct pario_darshan_stream;

struct pario_darshan_stream *pario_darshan_stream_open(const struct pario_darshan_log *log,
						       struct pario_darshan_region region,
						       struct pario_err *err);
void pario_darshan_stream_close(struct pario_darshan_stream *stream);

/* 1: all of them; 0: the region has ended before the first; negative: it ends or is damaged within. */
int pario_darshan_stream_read(struct pario_darshan_stream *stream, void *to, size_t wanted,
			      struct pario_err *err);
/* The same for numbers of 8 bytes, in this machine's order. */
int pario_darshan_stream_words(struct pario_darshan_stream *stream, uint64_t *to, size_t count,
			       struct pario_err *err);

/* The refusal: "FILE is no Darshan log that can be read: why". */
int pario_darshan_refuse(const struct pario_darshan_log *log, struct pario_err *err,
			 const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
