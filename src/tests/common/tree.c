/*
 * tree: the shape of a tree, its directories, and the names in it.
 */
#include "tests/common/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/test.h"

#define DIRECTORIES_MAX ((uint64_t)1 << 40)

int pario_tree_shape(struct pario_tree *tree, uint64_t branch, uint64_t depth, bool leaf_only,
		     struct pario_err *err)
{
	uint64_t level = 1, all = 1;

	for (uint64_t i = 0; i < depth; i++) {
		if (!pario_mul(level, branch, &level) || !pario_add(all, level, &all) ||
		    all > DIRECTORIES_MAX)
			return pario_err_set(
				err, PARIO_USAGE,
				"--branch %llu and --depth %llu make more than 2^40 directories. "
				"Use smaller ones.",
				(unsigned long long)branch, (unsigned long long)depth);
	}
	*tree = (struct pario_tree){ .branch = branch,
				     .depth = depth,
				     .directories = all,
				     .first = leaf_only ? all - level : 0,
				     .holders = leaf_only ? level : all,
				     .dirfd = -1 };
	for (unsigned i = 0; i < PARIO_TREE_OPEN; i++)
		tree->open[i] = -1;
	return 0;
}

void pario_tree_in(struct pario_tree *tree, int dirfd, const char *prefix)
{
	tree->dirfd = dirfd;
	snprintf(tree->prefix, sizeof(tree->prefix), "%s", prefix);
}

/* Writes the path of directory n with a slash at its end; returns its length. */
static size_t path_of(const struct pario_tree *tree, uint64_t n, char *path)
{
	uint64_t chain[PARIO_TREE_DEPTH_MAX + 1];
	unsigned levels = 0;
	size_t used = 0;

	for (chain[levels++] = n; n > 0; chain[levels++] = n)
		n = (n - 1) / tree->branch;
	while (levels)
		used += (size_t)snprintf(path + used, PARIO_TREE_CAPACITY - used, "%s.%llu/",
					 tree->prefix, (unsigned long long)chain[--levels]);
	return used;
}

int pario_tree_mkdir(const struct pario_tree *tree, uint64_t n, bool may_exist,
		     struct pario_err *err)
{
	char path[PARIO_TREE_CAPACITY];

	path_of(tree, n, path);
	if (mkdirat(tree->dirfd, path, 0700) == 0 || (may_exist && errno == EEXIST))
		return 0;
	return pario_run_file_error(tree->dirfd, path, "making the directory", err);
}

int pario_tree_rmdir(const struct pario_tree *tree, uint64_t n, struct pario_err *err)
{
	char path[PARIO_TREE_CAPACITY];

	path_of(tree, n, path);
	if (unlinkat(tree->dirfd, path, AT_REMOVEDIR) == 0)
		return 0;
	return pario_run_file_error(tree->dirfd, path, "removing the directory", err);
}

int pario_tree_open(struct pario_tree *tree, struct pario_err *err)
{
	char path[PARIO_TREE_CAPACITY];

	for (uint64_t i = 0; tree->directories <= PARIO_TREE_OPEN && i < tree->directories; i++) {
		path_of(tree, i, path);
		tree->open[i] =
			openat(tree->dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (tree->open[i] < 0) {
			pario_run_file_error(tree->dirfd, path, "opening the directory", err);
			pario_tree_close(tree);
			return -1;
		}
	}
	return 0;
}

void pario_tree_close(struct pario_tree *tree)
{
	for (unsigned i = 0; i < PARIO_TREE_OPEN; i++) {
		if (tree->open[i] >= 0)
			close(tree->open[i]);
		tree->open[i] = -1;
	}
}

uint64_t pario_tree_children(const struct pario_tree *tree, uint64_t n)
{
	return n * tree->branch + 1 < tree->directories ? tree->branch : 0;
}

int pario_tree_count(const struct pario_tree *tree, uint64_t n, uint64_t *entries,
		     struct pario_err *err)
{
	char path[PARIO_TREE_CAPACITY];
	struct dirent *entry;
	uint64_t count = 0;
	DIR *directory;
	int fd, status;

	path_of(tree, n, path);
	fd = openat(tree->dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory) {
		pario_run_file_error(tree->dirfd, path, "opening the directory", err);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	errno = 0;
	while ((entry = readdir(directory)))
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	status = errno ? pario_run_file_error(tree->dirfd, path, "reading the directory", err) : 0;
	closedir(directory);
	if (status == 0)
		*entries = count;
	return status;
}

void pario_names_init(struct pario_names *names, const struct pario_tree *tree, const char *prefix)
{
	names->tree = tree;
	snprintf(names->prefix, sizeof(names->prefix), "%s", prefix);
	pario_names_move(names, 0);
}

void pario_names_move(struct pario_names *names, uint64_t holder)
{
	uint64_t n = names->tree->first + holder;
	size_t used = 0;

	names->holder = holder;
	names->dirfd = names->tree->dirfd;
	if (n < PARIO_TREE_OPEN && names->tree->open[n] >= 0)
		names->dirfd = names->tree->open[n];
	else
		used = path_of(names->tree, n, names->name);
	used += (size_t)snprintf(names->name + used, sizeof(names->name) - used, "%s",
				 names->prefix);
	names->digits = names->name + used;
	names->last = pario_names_number(names->digits, 0) - 1;
	names->item = 0;
}
