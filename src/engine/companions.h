/*
 * companions: files that an MPI library makes beside ours, and leaves behind when it is ended.
 */
#ifndef PARIO_ENGINE_COMPANIONS_H
#define PARIO_ENGINE_COMPANIONS_H

/*
 * Removes from a workspace what a library put beside files of the run `id`: the names begin with that id, which is in
 * every name that a library gets, and end as the library's own names do. -1 when one cannot be removed.
 */
int pario_companions_remove(int dirfd, const char *id);

#endif
