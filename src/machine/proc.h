/*
 * proc: the small files in which the kernel tells about itself, /proc and /sys.
 */
#ifndef PARIO_MACHINE_PROC_H
#define PARIO_MACHINE_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file without white space at its ends, cut to the capacity. False and "" when it is empty or cannot be read. */
bool pario_proc_text(const char *path, char *text, size_t capacity);

/*
 * The number a text begins with, after blanks. False when it begins with something else ("max", "-1"), or when the
 * number is one that no counter reaches: 2^63 and more, all bits set.
 */
bool pario_proc_number(const char *text, uint64_t *value);

/* The number a file begins with. False when there is none. */
bool pario_proc_u64(const char *path, uint64_t *value);

/* The number behind a key at the begin of a line: "MemTotal:  1024 kB" gives 1024, "inactive_file 7" gives 7. */
bool pario_proc_keyed(const char *path, const char *key, uint64_t *value);

/* Copies what fits and never ends within a character of UTF-8. */
void pario_proc_copy(char *to, size_t capacity, const char *from);

#endif
