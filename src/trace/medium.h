/*
 * medium: what lies behind a name in a trace: storage, or a pipe, a socket, a terminal and so on, whose times say
 * nothing about storage.
 */
#ifndef PARIO_TRACE_MEDIUM_H
#define PARIO_TRACE_MEDIUM_H

#include <stdint.h>

enum pario_medium {
	PARIO_MEDIUM_STORAGE,
	PARIO_MEDIUM_PIPE,
	PARIO_MEDIUM_SOCKET,
	PARIO_MEDIUM_TERMINAL,
	PARIO_MEDIUM_KERNEL, /* /proc and /sys */
	PARIO_MEDIUM_DEVICE,
	PARIO_MEDIUM_MEMORY,  /* memfd and the like */
	PARIO_MEDIUM_EVENTS,  /* eventfd, epoll, timers, inotify */
	PARIO_MEDIUM_PROCESS, /* calls on no file that start, end or become programs */
	PARIO_MEDIUM_MESSAGE, /* MPI */
	PARIO_MEDIUM_RUNTIME, /* files that the runtime beneath the program uses (origin.h) */
	PARIO_MEDIA
};

/* "storage", "pipes", "sockets" ... */
extern const char *const pario_medium_names[PARIO_MEDIA];

/* By the name the kernel gives an open file; a name that says nothing else is a file on storage. */
enum pario_medium pario_medium_of_name(const char *name);

/* A call's: that of its file, or where it has none, that of its layer. */
enum pario_medium pario_medium_of_call(enum pario_medium of_file, uint32_t file, uint8_t layer);

#endif
