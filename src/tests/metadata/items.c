/*
 * items: creates, looks up, renames, reads and removes items, and checks that they are there or gone.
 */
#include "tests/metadata/items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/common/small_file.h"

#define NONE  UINT64_MAX
#define ENTRY "entry" /* the file whose making changes a directory before it is synced */

/* What this client has made, and what the one has made whose items it looks at. */
struct made {
	uint64_t own, target;
	bool there;
};

struct pario_items {
	struct pario_items_shape shape;
	struct pario_tree tree; /* the one that is open */
	struct pario_names names;
	uint64_t owner; /* of it, and of the names; NONE = none is open */
	struct made dirs, files;
	uint64_t reached; /* in the phase under way */
	bool there;	  /* the trees are made */
	bool renamed;	  /* directories carry their second name */
	int top, held;	  /* held: open while its sync, opening or closing is timed */
	char top_name[PARIO_NAME_CAPACITY];
	char *buffer;
};

static bool is_tree(enum pario_items_kind kind)
{
	return kind == PARIO_TREE_CREATE || kind == PARIO_TREE_REMOVE;
}

static bool creates(enum pario_items_kind kind)
{
	return kind == PARIO_DIR_CREATE || kind == PARIO_FILE_CREATE;
}

static bool is_dir(enum pario_items_kind kind)
{
	return kind >= PARIO_DIR_CREATE && kind <= PARIO_DIR_REMOVE;
}

const char *const pario_items_kinds[] = {
	"tree_create", "dir_create",   "dir_stat",    "dir_rename",  "dir_fsync",
	"dir_remove",  "file_create",  "file_stat",   "file_absent", "file_open",
	"file_lock",   "file_content", "file_close",  "file_read",   "file_link",
	"file_rename", "file_remove",  "tree_remove", NULL,
};

/* Looking changes nothing. */
static bool looks(enum pario_items_kind kind)
{
	return kind == PARIO_DIR_STAT || (kind >= PARIO_FILE_STAT && kind <= PARIO_FILE_READ);
}

const char *const pario_items_syncs[] = { "never", "create", "change", NULL };

static enum pario_items_kind kind_of(const struct pario_run *run)
{
	unsigned k = 0;

	while (strcmp(pario_items_kinds[k], run->phase->name) != 0)
		k++;
	return (enum pario_items_kind)k;
}

/* Looking can stop at the time limit, creating too; what is left must then be removed to the end. */
unsigned pario_items_phases(uint32_t kinds, struct pario_phase *list)
{
	unsigned n = 0;

	for (unsigned k = 0; k < PARIO_ITEMS_KINDS; k++) {
		if (kinds & 1u << k)
			list[n++] = (struct pario_phase){ .name = pario_items_kinds[k],
							  .write = creates(k),
							  .whole = !creates(k) && !looks(k) &&
								   k != PARIO_DIR_FSYNC };
	}
	return n;
}

struct pario_items *pario_items_new(struct pario_run *run, const struct pario_items_shape *shape,
				    struct pario_err *err)
{
	struct pario_items *w = calloc(1, sizeof(*w));
	char name[PARIO_NAME_CAPACITY + 1];

	if (!w)
		goto no_memory;
	w->shape = *shape;
	w->tree = shape->tree;
	w->owner = NONE;
	w->top = -1;
	w->buffer = malloc(shape->write_bytes ? shape->write_bytes : 1);
	if (!w->buffer)
		goto no_memory;
	snprintf(name, sizeof(name), "test-dir.%llu-%llu", (unsigned long long)run->repetition,
		 (unsigned long long)run->point->index);
	pario_run_own_name(run, name, w->top_name);
	snprintf(name, sizeof(name), "%s/", w->top_name);
	if (pario_run_name(run, name, NULL, 0, err) == 0)
		return w;
	pario_items_free(w);
	return NULL;
no_memory:
	pario_err_memory(err, "the items");
	if (w)
		pario_items_free(w);
	return NULL;
}

void pario_items_free(struct pario_items *items)
{
	pario_tree_close(&items->tree);
	if (items->top >= 0)
		close(items->top);
	free(items->buffer);
	free(items);
}

/* Points the tree at that of a client, without opening it. */
static void point_at(struct pario_items *w, uint64_t owner)
{
	char prefix[40] = "mdtest_tree";

	pario_tree_close(&w->tree);
	w->owner = NONE;
	if (w->shape.unique)
		snprintf(prefix, sizeof(prefix), "mdtest_tree.%llu", (unsigned long long)owner);
	pario_tree_in(&w->tree, w->top, prefix);
}

static void name_items(struct pario_items *w, uint64_t owner, const char *what)
{
	char prefix[64];

	snprintf(prefix, sizeof(prefix), "%s.mdtest.%llu.", what, (unsigned long long)owner);
	pario_names_init(&w->names, &w->tree, prefix);
}

static const char *name_of(const struct pario_items *w, enum pario_items_kind kind)
{
	return kind == PARIO_FILE_ABSENT ? "absent"
	       : !is_dir(kind)		 ? "file"
	       : w->renamed		 ? "renamed"
					 : "dir";
}

static int open_items(struct pario_items *w, uint64_t owner, enum pario_items_kind kind,
		      struct pario_err *err)
{
	if (w->owner == NONE || (w->shape.unique && w->owner != owner)) {
		point_at(w, owner);
		if (pario_tree_open(&w->tree, err) < 0)
			return -1;
	}
	w->owner = owner;
	name_items(w, owner, name_of(w, kind));
	return 0;
}

static struct pario_object object_of(const struct pario_items *w, uint64_t item, uint64_t bytes)
{
	return (struct pario_object){ .dirfd = w->names.dirfd,
				      .name = w->names.name,
				      .number = item,
				      .client = w->owner,
				      .bytes = bytes,
				      .buffer = w->buffer };
}

/* The other name of an item, in the same directory: "dir" becomes "renamed", and "file" "moved". */
static void other_name(const struct pario_items *w, char other[PARIO_TREE_CAPACITY])
{
	const char *number = w->names.digits - strlen(w->names.prefix);
	int head = (int)(number - w->names.name);

	snprintf(other, PARIO_TREE_CAPACITY, "%.*s%s%s", head, w->names.name,
		 *number == 'd' ? "renamed" : "moved", strchr(number, '.'));
}

static int rename_item(const struct pario_items *w, bool back, struct pario_err *err)
{
	char other[PARIO_TREE_CAPACITY];
	const char *from = back ? other : w->names.name, *to = back ? w->names.name : other;

	other_name(w, other);
	if (renameat(w->names.dirfd, from, w->names.dirfd, to) == 0)
		return 0;
	return pario_run_file_error(w->names.dirfd, from, "renaming", err);
}

static int link_item(const struct pario_items *w, struct pario_err *err)
{
	char other[PARIO_TREE_CAPACITY];

	other_name(w, other);
	if (linkat(w->names.dirfd, w->names.name, w->names.dirfd, other, 0) == 0)
		return 0;
	return pario_run_file_error(w->names.dirfd, w->names.name, "linking", err);
}

static int unlink_item(const struct pario_items *w, struct pario_err *err)
{
	char other[PARIO_TREE_CAPACITY];

	other_name(w, other);
	if (unlinkat(w->names.dirfd, other, 0) == 0)
		return 0;
	return pario_run_file_error(w->names.dirfd, other, "removing", err);
}

/* The file that was made in the directory goes again, outside the time. */
static int leave_directory(struct pario_run *run, struct pario_items *w, struct pario_err *err)
{
	int status = unlinkat(w->held, ENTRY, 0);

	if (status < 0)
		pario_run_file_error(w->held, ENTRY, "removing", err);
	close(w->held);
	pario_run_pause(run);
	return status;
}

/* Makes the directory durable, and then a file in it. */
static int enter_directory(struct pario_items *w, uint64_t item, struct pario_err *err)
{
	struct pario_object entry = object_of(w, item, 0);
	int status;

	w->held = openat(w->names.dirfd, w->names.name,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->held < 0)
		return pario_run_file_error(w->names.dirfd, w->names.name, "opening", err);
	entry.dirfd = w->held;
	entry.name = ENTRY;
	status = fsync(w->held) < 0
			 ? pario_run_file_error(w->names.dirfd, w->names.name, "the fsync of", err)
			 : pario_object_make(&entry, w->shape.fsync, err);
	if (status < 0)
		close(w->held);
	return status;
}

/* The time is that of the fsync alone; leave_directory follows when it has been counted. */
static int fsync_item(struct pario_run *run, struct pario_items *w, uint64_t item,
		      struct pario_err *err)
{
	struct pario_err later = { 0 };

	if (enter_directory(w, item, err) < 0)
		return -1;
	pario_run_pause(run);
	if (fsync(w->held) == 0)
		return 0;
	pario_run_file_error(w->names.dirfd, w->names.name, "the fsync of", err);
	leave_directory(run, w, &later);
	return -1;
}

/* Only the asking is timed; closing gives the lock back. */
static int lock_item(struct pario_run *run, struct pario_items *w, struct pario_err *err)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	w->held = openat(w->names.dirfd, w->names.name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (w->held < 0)
		return pario_run_file_error(w->names.dirfd, w->names.name, "opening", err);
	pario_run_pause(run);
	if (fcntl(w->held, F_SETLK, &whole) == 0)
		return 0;
	pario_run_file_error(w->names.dirfd, w->names.name, "locking", err);
	close(w->held);
	return -1;
}

/* Only the reading is timed. */
static int read_item(struct pario_run *run, struct pario_items *w, uint64_t item,
		     struct pario_err *err)
{
	struct pario_object object = object_of(w, item, 0);

	w->held = pario_object_open(&object, err);
	if (w->held < 0)
		return -1;
	object.bytes = w->shape.read_bytes;
	pario_run_pause(run);
	if (pario_object_fetch(&object, w->held, err) == 0)
		return 0;
	close(w->held);
	return -1;
}

/* Only the close is timed. */
static int close_item(struct pario_run *run, struct pario_items *w, uint64_t item,
		      struct pario_err *err)
{
	struct pario_object object = object_of(w, item, w->shape.read_bytes);

	w->held = pario_object_open(&object, err);
	if (w->held < 0)
		return -1;
	pario_run_pause(run);
	return close(w->held) < 0
		       ? pario_run_file_error(w->names.dirfd, w->names.name, "closing", err)
		       : 0;
}

/* Nobody has made the name, and nobody asked for it before. */
static int look_for_nothing(struct pario_items *w, struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];
	struct stat st;

	if (fstatat(w->names.dirfd, w->names.name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		pario_run_path(w->names.dirfd, w->names.name, path);
		return pario_err_set(
			err, PARIO_VERIFY,
			"%s is there, though pario has not made it: the file system answers wrongly, or "
			"somebody else works there. Use another --dir.",
			path);
	}
	return errno == ENOENT
		       ? 0
		       : pario_run_file_error(w->names.dirfd, w->names.name, "the stat of", err);
}

/* One operation on one item, or on one directory of the tree. */
static int act(struct pario_run *run, struct pario_items *w, enum pario_items_kind kind,
	       uint64_t item, struct pario_err *err)
{
	struct pario_object object;
	const char *what = "the stat of";
	struct stat st;
	int status;

	if (kind == PARIO_TREE_CREATE)
		return pario_tree_mkdir(&w->tree, item,
					run->mode == PARIO_MODE_FILL && !w->shape.unique, err);
	if (kind == PARIO_TREE_REMOVE)
		return pario_tree_rmdir(&w->tree, w->tree.directories - 1 - item, err);
	pario_names_at(&w->names, item);
	switch (kind) {
	case PARIO_DIR_CREATE:
		what = "making the directory";
		status = mkdirat(w->names.dirfd, w->names.name, 0700);
		break;
	case PARIO_DIR_RENAME:
	case PARIO_FILE_RENAME:
		return rename_item(w, false, err);
	case PARIO_FILE_LINK:
		return link_item(w, err);
	case PARIO_DIR_FSYNC:
		return fsync_item(run, w, item, err);
	case PARIO_DIR_REMOVE:
	case PARIO_FILE_REMOVE:
		what = "removing";
		status = unlinkat(w->names.dirfd, w->names.name,
				  kind == PARIO_DIR_REMOVE ? AT_REMOVEDIR : 0);
		break;
	case PARIO_FILE_CREATE:
		object = object_of(w, item, w->shape.write_bytes);
		if (object.bytes) {
			pario_object_fill(run, &object);
			pario_run_pause(run);
		}
		return pario_object_make(&object, w->shape.fsync, err);
	case PARIO_FILE_ABSENT:
		return look_for_nothing(w, err);
	case PARIO_FILE_OPEN:
		object = object_of(w, item, 0);
		w->held = pario_object_open(&object, err);
		return w->held < 0 ? -1 : 0;
	case PARIO_FILE_LOCK:
		return lock_item(run, w, err);
	case PARIO_FILE_CONTENT:
		return read_item(run, w, item, err);
	case PARIO_FILE_CLOSE:
		return close_item(run, w, item, err);
	case PARIO_FILE_READ:
		object = object_of(w, item, w->shape.read_bytes);
		return pario_object_read(&object, err);
	default:
		status = fstatat(w->names.dirfd, w->names.name, &st, AT_SYMLINK_NOFOLLOW);
	}
	return status < 0 ? pario_run_file_error(w->names.dirfd, w->names.name, what, err) : 0;
}

/* What is left to do with an item when its operation was counted: outside the time. */
static int after(struct pario_run *run, struct pario_items *w, enum pario_items_kind kind,
		 uint64_t item, struct pario_err *err)
{
	struct pario_object object = object_of(w, item, w->shape.read_bytes);
	int status = 0;

	if (kind == PARIO_DIR_FSYNC)
		return leave_directory(run, w, err);
	if (kind == PARIO_FILE_OPEN || kind == PARIO_FILE_LOCK || kind == PARIO_FILE_CONTENT)
		close(w->held);
	else if (kind == PARIO_FILE_RENAME)
		status = rename_item(w, true, err);
	else if (kind == PARIO_FILE_LINK)
		status = unlink_item(w, err);
	else if (kind != PARIO_FILE_READ)
		return 0;
	if ((kind == PARIO_FILE_CONTENT || kind == PARIO_FILE_READ) && object.bytes)
		status = pario_object_check(run, &object, err);
	pario_run_pause(run);
	return status;
}

static int walk(struct pario_run *run, struct pario_items *w, enum pario_items_kind kind,
		uint64_t count, struct pario_err *err)
{
	uint64_t bytes = kind == PARIO_FILE_CREATE ? w->shape.write_bytes
			 : kind == PARIO_FILE_READ || kind == PARIO_FILE_CONTENT
				 ? w->shape.read_bytes
				 : 0;
	bool shuffle = w->shape.random && !creates(kind) && !is_tree(kind);
	uint64_t rounds = kind == PARIO_FILE_STAT ? w->shape.looks : 1, i;
	struct pario_permutation order;

	pario_permutation_init(&order, count, pario_random_join(run->seed, run->client + kind));
	for (i = 0; pario_run_more(run, i, count * rounds); i++) {
		uint64_t item = shuffle ? pario_permutation_at(&order, i % count) : i % count;

		if (act(run, w, kind, item, err) < 0) {
			if (run->mode == PARIO_MODE_FILL)
				return -1;
			pario_run_failed(run, err);
			continue;
		}
		pario_run_count(run, bytes);
		if (after(run, w, kind, item, err) < 0)
			pario_run_failed(run, err);
	}
	w->reached = i;
	return 0;
}

/* The shared tree is client 0's to make and remove. */
static int walk_tree(struct pario_run *run, struct pario_items *w, enum pario_items_kind kind,
		     struct pario_err *err)
{
	bool mine = w->shape.unique || run->client == 0;

	point_at(w, run->client);
	return walk(run, w, kind, mine ? w->tree.directories : 0, err);
}

static int make_items(struct pario_run *run, struct pario_items *w, bool dirs,
		      struct pario_err *err)
{
	enum pario_items_kind kind = dirs ? PARIO_DIR_CREATE : PARIO_FILE_CREATE;

	if (open_items(w, run->client, kind, err) < 0 ||
	    walk(run, w, kind, w->shape.items, err) < 0)
		return -1;
	*(dirs ? &w->dirs : &w->files) = (struct made){ w->shape.items, w->shape.items, true };
	return 0;
}

/* Each its own, without being timed: the tree is to be removed and no phase has emptied it. */
static int remove_items(struct pario_run *run, struct pario_items *w, bool dirs,
			struct pario_err *err)
{
	enum pario_items_kind kind = dirs ? PARIO_DIR_REMOVE : PARIO_FILE_REMOVE;
	struct made *made = dirs ? &w->dirs : &w->files;

	if (!made->there)
		return 0;
	if (open_items(w, run->client, kind, err) < 0 || walk(run, w, kind, made->own, err) < 0)
		return -1;
	*made = (struct made){ 0 };
	return 0;
}

int pario_items_before(struct pario_run *run, struct pario_items *items, struct pario_err *err)
{
	enum pario_items_kind kind = kind_of(run);
	bool needs_items = !is_tree(kind) && !creates(kind);
	bool has_items = is_dir(kind) ? items->dirs.there : items->files.there;

	items->reached = 0;
	if (items->top < 0 && pario_run_directory(run, items->top_name, &items->top, err) < 0)
		return -1;
	if (!items->there && kind != PARIO_TREE_CREATE) {
		if (pario_comm_agree(run->comm, walk_tree(run, items, PARIO_TREE_CREATE, err), NULL,
				     err) < 0)
			return -1;
		items->there = true;
	}
	if (kind == PARIO_TREE_REMOVE)
		return remove_items(run, items, true, err) < 0
			       ? -1
			       : remove_items(run, items, false, err);
	if (needs_items && !has_items)
		return make_items(run, items, is_dir(kind), err);
	return 0;
}

/* Does the phase end with syncfs? */
static bool syncs(const struct pario_items *w, enum pario_items_kind kind)
{
	if (w->shape.syncfs == PARIO_SYNC_CREATE)
		return creates(kind) || kind == PARIO_TREE_CREATE;
	return w->shape.syncfs == PARIO_SYNC_CHANGE && !looks(kind);
}

/* Everything the file system of the workspace holds in memory becomes durable; that is no operation of its own. */
static int sync_all(struct pario_items *w, struct pario_err *err)
{
	if (syncfs(w->top) == 0)
		return 0;
	return pario_run_file_error(w->top, ".", "syncfs on", err);
}

static int walk_kind(struct pario_run *run, struct pario_items *items, enum pario_items_kind kind,
		     struct pario_err *err)
{
	uint64_t owner = creates(kind) ? run->client : items->shape.target;
	uint64_t count = items->shape.items;

	if (is_tree(kind))
		return walk_tree(run, items, kind, err);
	if (!creates(kind))
		count = is_dir(kind) ? items->dirs.target : items->files.target;
	if (open_items(items, owner, kind, err) < 0)
		return -1;
	pario_run_pause(run); /* the directories were opened */
	return walk(run, items, kind, count, err);
}

int pario_items_body(struct pario_run *run, struct pario_items *items, struct pario_err *err)
{
	enum pario_items_kind kind = kind_of(run);

	if (walk_kind(run, items, kind, err) < 0)
		return -1;
	return syncs(items, kind) ? sync_all(items, err) : 0;
}

static void note(struct pario_run *run, struct pario_items *w, enum pario_items_kind kind)
{
	struct made *made = is_dir(kind) ? &w->dirs : &w->files;

	if (creates(kind))
		*made = (struct made){ w->reached,
				       pario_run_number_of(run, w->reached, w->shape.target),
				       true };
	else if (kind == PARIO_DIR_REMOVE || kind == PARIO_FILE_REMOVE)
		*made = (struct made){ 0 };
	w->renamed = kind == PARIO_DIR_RENAME || (w->renamed && kind != PARIO_DIR_REMOVE);
	if (is_tree(kind))
		w->there = kind == PARIO_TREE_CREATE;
}

/* How many of a client's items lie in the holder: they fill one holder after the other. */
static uint64_t in_holder(const struct pario_items *w, uint64_t items, uint64_t holder)
{
	uint64_t before = holder * w->tree.per_holder;

	if (items <= before)
		return 0;
	return items - before < w->tree.per_holder ? items - before : w->tree.per_holder;
}

/* What should lie in each holder of the tree that is looked at: in its owner's, or of all clients in the shared one. */
static uint64_t *in_holders(struct pario_run *run, const struct pario_items *w,
			    struct pario_err *err)
{
	enum { BLOCK = 1 << 20 };
	uint64_t holders = w->tree.directories - w->tree.first;
	uint64_t *wanted = calloc(holders, sizeof(*wanted));
	bool unique = w->shape.unique;

	if (pario_comm_agree(run->comm, wanted ? 0 : pario_err_memory(err, "the counts"), NULL,
			     err) < 0) {
		free(wanted);
		return NULL;
	}
	for (uint64_t h = 0; h < holders; h++)
		wanted[h] = in_holder(w, unique ? w->dirs.target : w->dirs.own, h) +
			    in_holder(w, unique ? w->files.target : w->files.own, h);
	for (uint64_t at = 0; !unique && at < holders; at += BLOCK) {
		uint64_t rest = holders - at;

		MPI_Allreduce(MPI_IN_PLACE, wanted + at, (int)(rest < BLOCK ? rest : BLOCK),
			      MPI_UINT64_T, MPI_SUM, run->comm);
	}
	return wanted;
}

static int check_directory(struct pario_run *run, const struct pario_items *w, uint64_t n,
			   const uint64_t *holders, struct pario_err *err)
{
	uint64_t wanted = pario_tree_children(&w->tree, n), found;

	if (n >= w->tree.first)
		wanted += holders[n - w->tree.first];
	if (pario_tree_count(&w->tree, n, &found, err) < 0)
		return -1;
	if (found == wanted)
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"directory %llu of the tree in %s holds %llu entries after %s, %llu should "
		"be there: the file system lost or kept some.",
		(unsigned long long)n, w->top_name, (unsigned long long)found, run->phase->name,
		(unsigned long long)wanted);
}

static int check_files(struct pario_run *run, struct pario_items *w, struct pario_err *err)
{
	if (open_items(w, w->shape.target, PARIO_FILE_STAT, err) < 0)
		return -1;
	for (uint64_t i = 0; pario_run_more(run, i, w->files.target); i++) {
		struct pario_object object;

		pario_names_at(&w->names, i);
		object = object_of(w, i, w->shape.write_bytes);
		if (pario_object_verify(run, &object, err) < 0)
			return -1;
	}
	return 0;
}

static int check_gone(struct pario_run *run, const struct pario_items *w, struct pario_err *err)
{
	if (w->shape.unique || run->client == 0) {
		char path[PARIO_TREE_CAPACITY];

		snprintf(path, sizeof(path), "%s.0", w->tree.prefix);
		if (faccessat(w->top, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return pario_err_set(
				err, PARIO_VERIFY,
				"%s/%s is still there after it was removed without an error.",
				w->top_name, path);
	}
	return 0;
}

static int check_directories(struct pario_run *run, struct pario_items *items,
			     struct pario_err *err)
{
	bool unique = items->shape.unique;
	uint64_t *holders = in_holders(run, items, err);
	int status = holders ? 0 : -1;

	for (uint64_t n = unique ? 0 : run->client; status == 0 && n < items->tree.directories;
	     n += unique ? 1 : run->clients)
		status = check_directory(run, items, n, holders, err);
	free(holders);
	return status;
}

int pario_items_verify(struct pario_run *run, struct pario_items *items, struct pario_err *err)
{
	enum pario_items_kind kind = kind_of(run);

	note(run, items, kind);
	pario_run_metric(run, "directories", "directories", (double)items->tree.directories);
	if (kind == PARIO_TREE_REMOVE)
		return check_gone(run, items, err);
	/* The counts of directories still hold. */
	if (looks(kind))
		return 0;
	point_at(items, items->shape.unique ? items->shape.target : 0);
	if (check_directories(run, items, err) < 0)
		return -1;
	return kind == PARIO_FILE_CREATE && items->shape.verify ? check_files(run, items, err) : 0;
}
