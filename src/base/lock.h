/*
 * lock: who uses this file? Also where the file system has no locks (Lustre without flock, some FUSE).
 *
 * There a file can say which process made it, as one line of text: host, the kernel's boot, the namespace of process
 * numbers, number and start time. Whether that process lives can be told on its own machine only.
 */
#ifndef PARIO_BASE_LOCK_H
#define PARIO_BASE_LOCK_H

#include "base/err.h"

enum pario_lock { PARIO_LOCK_TAKEN, PARIO_LOCK_BUSY, PARIO_LOCK_ABSENT };

/* Takes the lock without waiting; it is held until the descriptor is closed. ABSENT: there are no locks here. */
enum pario_lock pario_lock_try(int fd);

/*
 * Takes the lock, waiting for it. Where there are no locks, processes of this machine exclude each other all the same;
 * *holder is then a descriptor to be closed after the file, else -1.
 */
int pario_lock_wait(int fd, const char *path, int *holder, struct pario_err *err);

enum { PARIO_LOCK_MAKER_CAPACITY = 256 };

/* This process, as a line without its end. */
void pario_lock_maker(char text[PARIO_LOCK_MAKER_CAPACITY]);

enum pario_lock_life { PARIO_LOCK_LIVES, PARIO_LOCK_GONE, PARIO_LOCK_UNKNOWN };

/* What became of the process that such a line names, up to `end`. */
enum pario_lock_life pario_lock_life(const char *line, const char *end);

#endif
