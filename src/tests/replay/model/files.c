/*
 * files: which files have to be there before, and what they are.
 */
#include <errno.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/medium.h"
#include "tests/replay/model/pass.h"
#include "tests/replay/model/place.h"

enum { FIRST_READS = 4 };

static uint64_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return h;
}

bool pario_replay_makes(const struct pario_trace_call *call, bool second)
{
	switch (call->op) {
	case PARIO_OP_mkdir:
	case PARIO_OP_mkdirat:
	case PARIO_OP_mkdtemp:
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
	case PARIO_OP_mkstemp:
		return true;
	case PARIO_OP_rename:
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
	case PARIO_OP_link:
	case PARIO_OP_linkat:
		return second;
	default:
		return call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
		       (call->arguments.open.flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
	}
}

static void take_kind(struct pario_replay_file *f, const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_opendir:
	case PARIO_OP_fdopendir:
	case PARIO_OP_rmdir:
	case PARIO_OP_chdir:
	case PARIO_OP_fchdir:
	case PARIO_OP_scandir:
	case PARIO_OP_getdents:
		f->kind = PARIO_REPLAY_DIRECTORY;
		break;
	default:
		break;
	}
	if (call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
	    call->arguments.open.flags & O_DIRECTORY)
		f->kind = PARIO_REPLAY_DIRECTORY;
}

/* Was it told that it may execute it? */
static bool may_execute(const struct pario_trace_call *call)
{
	return (call->op == PARIO_OP_access || call->op == PARIO_OP_faccessat ||
		call->op == PARIO_OP_euidaccess) &&
	       !call->failed && call->arguments.flags.value & X_OK;
}

/* Does it lead to what a link points to? */
static bool follows(const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_lstat:
	case PARIO_OP_readlink:
	case PARIO_OP_readlinkat:
		return false;
	case PARIO_OP_fstatat:
	case PARIO_OP_statx:
		return !(call->arguments.flags.value & AT_SYMLINK_NOFOLLOW);
	default:
		return (call->class == PARIO_CLASS_OPEN &&
			!(call->arguments.open.flags & O_NOFOLLOW)) ||
		       call->class == PARIO_CLASS_STAT || call->class == PARIO_CLASS_LIST;
	}
}

/* What any call that succeeded shows, until the trace itself makes the file. */
static void look_at(struct pario_replay_file *f, const struct pario_trace_call *call, bool second)
{
	if (call->failed || f->made)
		return;
	f->made = pario_replay_makes(call, second);
	take_kind(f, call);
	if (may_execute(call))
		f->mode |= S_IXUSR;
	if (call->op == PARIO_OP_readlink || call->op == PARIO_OP_readlinkat)
		f->link = true;
	else if (follows(call))
		f->followed = true;
}

/* Below a directory that the trace makes, or has renamed to this name, nothing was before. */
static bool in_new_directory(const struct pario_replay_pass *s, const struct pario_replay_file *f)
{
	for (uint32_t i = f->parent; i; i = s->scan->files[i].parent) {
		if (s->scan->files[i].made && !s->scan->files[i].exists)
			return true;
	}
	return false;
}

static bool may_create(const struct pario_trace_call *call)
{
	enum { CREATE = 1 }; /* MPI_MODE_CREATE of both MPIs */

	return (call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
		call->arguments.open.flags & O_CREAT) ||
	       (call->arguments.kind == PARIO_ARGUMENTS_MPI_OPEN &&
		call->op == PARIO_OP_MPI_File_open && call->arguments.mpi_open.amode & CREATE);
}

/* Failures that only a directory causes. */
static bool shows_directory(const struct pario_trace_call *call)
{
	return call->result == EISDIR || call->result == ENOTEMPTY ||
	       (call->result == EEXIST &&
		(call->op == PARIO_OP_mkdir || call->op == PARIO_OP_mkdirat));
}

/*
 * Was it there before this call, the first that names it? The trace also has the state when it was first opened, which
 * may be later: what was missed first and then renamed to this name was not there.
 */
static bool was_there(const struct pario_trace_call *call, bool second, int known)
{
	if (!call->failed && pario_replay_makes(call, second))
		return false;
	if (call->layer == PARIO_TRACE_MPIIO) { /* its errors have other numbers */
		if (!call->failed && !may_create(call))
			return true;
	} else {
		if (call->failed && (call->result == ENOENT || call->result == ENOTDIR))
			return false;
		if (call->failed ? call->result == EEXIST || shows_directory(call)
				 : !may_create(call))
			return true;
		if (known < 0)
			return call->failed;
	}
	return known == 1;
}

void pario_replay_settle(struct pario_replay_pass *s, const struct pario_trace_call *call,
			 uint32_t number, bool second)
{
	struct pario_replay_file *f = &s->scan->files[number];
	const struct pario_trace_file *known =
		pario_trace_file_of(s->trace, f->state ? f->state : number);

	f->used = true;
	look_at(f, call, second);
	if (f->settled)
		return;
	f->settled = true;
	f->exists = was_there(call, second, known->exists) && !in_new_directory(s, f);
	if (!f->exists)
		return;
	if (call->failed && call->layer != PARIO_TRACE_MPIIO && shows_directory(call))
		f->kind = PARIO_REPLAY_DIRECTORY;
	if (known->exists == 1) {
		f->size = known->size;
		f->allocated = known->allocated;
		f->mode |= known->mode & 07777;
		f->link |= S_ISLNK(known->mode);
		f->kind = S_ISDIR(known->mode) ? PARIO_REPLAY_DIRECTORY : PARIO_REPLAY_FILE;
	}
	f->sequel = f->grown = f->size;
}

void pario_replay_first_read(struct pario_replay_file *f, const struct pario_trace_call *call)
{
	if (call->class != PARIO_CLASS_READ || call->failed || f->first_reads >= FIRST_READS)
		return;
	f->first_reads++;
	f->first_read_ns += call->end_ns - call->start_ns;
	f->first_read_bytes += call->moved;
}

/* The number of the directory that a file is in, or if no call names it, of the one that this is in. */
static uint32_t nearest(const struct pario_replay_pass *s, char path[PARIO_PLACE_CAPACITY])
{
	char parent[PARIO_PLACE_CAPACITY];

	while (pario_replay_parent(path, parent)) {
		uint32_t n = pario_map_find(&s->place_of,
					    (struct pario_map_key){ hash_of(parent), 0, 0 });

		if (n && n <= s->scan->file_count && s->file_of[n])
			return s->file_of[n];
		memcpy(path, parent, sizeof(parent));
	}
	return 0;
}

/* Numbers of the directories that files are in. */
int pario_replay_find_parents(struct pario_replay_pass *s)
{
	struct pario_replay_scan *scan = s->scan;
	char path[PARIO_PLACE_CAPACITY];
	uint32_t *file_of = s->file_of = calloc((size_t)scan->file_count + 2, sizeof(*file_of));
	bool is_new;

	if (!file_of)
		return -1;
	s->place_of.limit = scan->file_count + 1;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i <= scan->file_count; i++) {
			const struct pario_trace_file *f = pario_trace_file_of(s->trace, i);
			uint32_t n;

			if (!f || !f->name || !pario_replay_place(f->name, path))
				continue;
			scan->files[i].storage =
				pario_medium_of_name(f->name) == PARIO_MEDIUM_STORAGE;
			if (pass == 0) {
				n = pario_map_add(&s->place_of,
						  (struct pario_map_key){ hash_of(path), 0, 0 },
						  &is_new);
				if (n && n <= scan->file_count && is_new)
					file_of[n] = i;
				n = n && n <= scan->file_count ? file_of[n] : i;
				scan->files[i].same = n;
				if (f->exists >= 0 && !scan->files[n].state)
					scan->files[n].state = i;
			} else {
				scan->files[i].parent = nearest(s, path);
			}
		}
	}
	return 0;
}

/* What files are in is a directory, also where only its name was asked for. */
void pario_replay_mark_directories(struct pario_replay_pass *s, uint32_t number)
{
	char path[PARIO_PLACE_CAPACITY], parent[PARIO_PLACE_CAPACITY];

	if (!pario_replay_place(pario_trace_file_of(s->trace, number)->name, path))
		return;
	while (pario_replay_parent(path, parent)) {
		uint32_t n = pario_map_find(&s->place_of,
					    (struct pario_map_key){ hash_of(parent), 0, 0 });
		struct pario_replay_file *f =
			n && n <= s->scan->file_count ? &s->scan->files[s->file_of[n]] : NULL;

		if (f) {
			f->kind = PARIO_REPLAY_DIRECTORY;
			f->followed = true;
		}
		memcpy(path, parent, sizeof(path));
	}
}
