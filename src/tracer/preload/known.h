/*
 * known: what this process has found out about names, so that the kernel need not be asked again.
 *
 * Directories whose text is the kernel's own name for them ("plain": no symbolic link on the way), directories that
 * this process has made ("fresh": what it opens there for the first time is new), files that are no links, the working
 * directory and the names of open directories. Renaming anything that is not known to be a file forgets all of it.
 *
 * It misleads where another process puts a symbolic link in the place of a file or directory that this one has already
 * opened: the file keeps the name under which it was opened.
 */
#ifndef PARIO_TRACER_PRELOAD_KNOWN_H
#define PARIO_TRACER_PRELOAD_KNOWN_H

#include "tracer/preload/trace.h"

enum { PARIO_NAME_PATH = 4096 };

/* The kernel's name of a descriptor; its length, 0 = it has none. */
PARIO_HIDDEN size_t pario_fd_name(int fd, char *text);

/* A whole name, as far as it can be had without asking what links it passes. */
struct pario_name {
	uint64_t hash, directory; /* of all of it, and of what stands before the last slash */
	size_t length;
	char text[2 * PARIO_NAME_PATH];
};

/* Spells a name that can be read. */
PARIO_HIDDEN void pario_name_spell(struct pario_name *name, int dir, const char *path,
				   size_t length);
/* Its number; a new one is written down. */
PARIO_HIDDEN uint32_t pario_name_number(const struct pario_name *name);
/* The number of what the name led to when it was opened, if it is not known whether the name is that of a link. */
PARIO_HIDDEN uint32_t pario_name_unproven(const struct pario_name *name);
/* Its number, or 0 when it has none yet. */
PARIO_HIDDEN uint32_t pario_name_find(const struct pario_name *name);
/* As pario_name.directory of the names in this directory. */
PARIO_HIDDEN uint64_t pario_directory_hash(const char *text, size_t length);

/* ---- directories ---- */

enum { PARIO_PLAIN = 1, PARIO_FRESH = 2 };

PARIO_HIDDEN unsigned pario_known_directory(uint64_t directory);
PARIO_HIDDEN void pario_know_directory(uint64_t directory, unsigned what);
PARIO_HIDDEN void pario_forget_directory(uint64_t directory);
/* The device it is on, 0 = not known. */
PARIO_HIDDEN uint64_t pario_known_device(uint64_t directory);
PARIO_HIDDEN void pario_know_device(uint64_t directory, uint64_t device);

/* ---- files, by their numbers ---- */

enum {
	PARIO_FACT_NAMED = 1,	 /* its name is written down, */
	PARIO_FACT_STATED = 2,	 /* and so is its state. Both for good. */
	PARIO_FACT_LEAF = 4,	 /* its last component is no symbolic link */
	PARIO_FACT_FILE = 8,	 /* it is a regular file */
	PARIO_FACT_PRESENT = 16, /* it has been seen to exist */
	PARIO_FACT_REMOVED = 32, /* by this process */
	PARIO_FACT_LINK = 64,	 /* it leads to another name, or may */
	PARIO_FACT_BEGINS = 128, /* a device whose place is 0 when it is opened */
};
/* The number of a name with this hash; 0 when it has none and gets none. */
PARIO_HIDDEN uint32_t pario_number_of(uint64_t hash, bool add);
PARIO_HIDDEN unsigned pario_facts(uint32_t file);
PARIO_HIDDEN void pario_facts_add(uint32_t file, unsigned facts);
/* Is there room for them? Numbers beyond the table have none. */
PARIO_HIDDEN bool pario_facts_kept(uint32_t file);
/* All but these that hold for good; these hold instead. */
PARIO_HIDDEN void pario_facts_change(uint32_t file, unsigned facts);
/* Nothing holds any more but what holds for good. */
PARIO_HIDDEN void pario_forget_names(void);

/* ---- texts ---- */

/* The working directory or the directory of a descriptor, as the kernel names it; its length, 0 = it has none. */
PARIO_HIDDEN size_t pario_directory_text(int dir, char *text);
/* The descriptor stands for this directory. */
PARIO_HIDDEN void pario_know_text(uint32_t file, const char *text, size_t length);

/* ---- states that the program asked for itself ---- */

PARIO_HIDDEN void pario_know_state(uint32_t file, const struct pario_state *state);
PARIO_HIDDEN bool pario_known_state(uint32_t file, struct pario_state *state);

#endif
