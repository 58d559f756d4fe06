/*
 * caches: where may data lie between this program and the storage, beside the kernel's page cache on this node?
 *
 * A table by type of file system. pario empties and counts the page cache; the others it cannot empty. What is on
 * this node it can probe, where transfers by O_DIRECT go past it; what is on servers nobody sees from here.
 */
#ifndef PARIO_MACHINE_CACHES_H
#define PARIO_MACHINE_CACHES_H

#include <stdbool.h>

struct pario_caches {
	const char *type; /* as mounts call it; "fuse.*" stands for all others of FUSE */
	const char *
		source; /* what the mounted thing begins with, where the type says too little; NULL = anything */
	const char *node; /* beside the page cache on this node; NULL = nothing */
	bool passed;	  /* transfers by O_DIRECT go past that */
	const char *
		beyond; /* on other machines, or below the file system; NULL = nothing but the device's own */
};

/* Of a file system by its type and what is mounted; never NULL: local file systems have nothing but the page cache. */
const struct pario_caches *pario_caches_of(const char *type, const char *source);

/* Of the file system of a directory. */
const struct pario_caches *pario_machine_caches(const char *directory);

#endif
