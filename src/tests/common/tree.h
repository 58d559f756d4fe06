/*
 * tree: a directory tree of known shape, and the names of the items in it.
 *
 * Directory 0 is the root, the children of directory n are n branch + 1 ... n branch + branch, and `depth` levels
 * lie below the root. So there are (branch^(depth+1) - 1) / (branch - 1) directories, depth + 1 where branch is 1.
 * Items lie in all directories or only in those of the last level, equally many in each, in the order of their
 * numbers. Names and numbering are those of mdtest.
 */
#ifndef PARIO_TESTS_COMMON_TREE_H
#define PARIO_TESTS_COMMON_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
	PARIO_TREE_DEPTH_MAX = 64, /* keeps every path below what the kernel takes */
	PARIO_TREE_OPEN =
		256, /* descriptors are kept of all directories up to this number of them */
	PARIO_TREE_CAPACITY = 4096,
};

struct pario_tree {
	uint64_t branch, depth, directories;
	uint64_t first, holders; /* those that hold items: `holders` directories from `first` on */
	uint64_t per_holder;	 /* items of one client in each */
	int dirfd;		 /* of the directory that holds the root; -1 while it is not open */
	char prefix[40];	 /* of the names of the directories */
	int open[PARIO_TREE_OPEN];
};

/* Sets the shape; refuses what does not fit into 2^40 directories. `items` are spread evenly, the rest left out. */
int pario_tree_shape(struct pario_tree *tree, uint64_t branch, uint64_t depth, bool leaf_only,
		     struct pario_err *err);

/* The tree named `prefix` in a directory; nothing is made or opened. The descriptor stays the caller's. */
void pario_tree_in(struct pario_tree *tree, int dirfd, const char *prefix);

/* Makes or removes directory n, parents first or children first; the path is relative to dirfd. */
int pario_tree_mkdir(const struct pario_tree *tree, uint64_t n, bool may_exist,
		     struct pario_err *err);
int pario_tree_rmdir(const struct pario_tree *tree, uint64_t n, struct pario_err *err);

/* Keeps the directories of a small tree open; large trees are reached by longer names instead. */
int pario_tree_open(struct pario_tree *tree, struct pario_err *err);
void pario_tree_close(struct pario_tree *tree);

/* Children of directory n. */
uint64_t pario_tree_children(const struct pario_tree *tree, uint64_t n);

/* Number of entries of directory n, read as a stream. */
int pario_tree_count(const struct pario_tree *tree, uint64_t n, uint64_t *entries,
		     struct pario_err *err);

/* Names of items "<prefix><item>"; valid until the tree is closed. */
struct pario_names {
	const struct pario_tree *tree;
	char prefix[64];
	uint64_t holder; /* whose name stands in `name` */
	char *digits;	 /* where the number goes */
	char *last;	 /* its last digit */
	uint64_t item;	 /* the number that stands there */
	int dirfd;
	char name[PARIO_TREE_CAPACITY];
};

void pario_names_init(struct pario_names *names, const struct pario_tree *tree, const char *prefix);
void pario_names_move(struct pario_names *names, uint64_t holder);

/* Writes a number and the string's end, which is returned; snprintf would take a good part of a stat's time. */
static inline char *pario_names_number(char *to, uint64_t number)
{
	char reversed[20];
	unsigned n = 0;

	do
		reversed[n++] = (char)('0' + number % 10);
	while ((number /= 10));
	while (n)
		*to++ = reversed[--n];
	*to = '\0';
	return to;
}

/* Sets names->dirfd and names->name to those of the item. */
static inline void pario_names_at(struct pario_names *names, uint64_t item)
{
	uint64_t holder = names->tree->holders == 1 ? 0 : item / names->tree->per_holder;

	if (holder != names->holder)
		pario_names_move(names, holder);
	/* Mostly the next item is asked for, and mostly only its last digit differs. */
	if (item == names->item + 1 && *names->last != '9')
		(*names->last)++;
	else
		names->last = pario_names_number(names->digits, item) - 1;
	names->item = item;
}

#endif
