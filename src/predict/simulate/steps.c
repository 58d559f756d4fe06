/*
 * steps: one call after the other becomes a step; what is storage and what is not is decided here, what it costs is
 * not.
 */
#include "predict/simulate/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PLACES = 1 << 22, DESCRIPTORS = 1 << 20, NS_ROUNDING = 2, STREAM_BUFFER = 4096 };

/* ---- what all threads share ---- */

/* A file that has a place in several processes is shared. */
static void mark_shared(struct pario_steps_shared *s, const struct pario_job *job)
{
	uint32_t *first = calloc(job->file_of.count + 1ul, sizeof(*first));

	for (uint32_t i = 1; first && i <= job->place_of.count; i++) {
		uint32_t file = job->places[i], process = (uint32_t)job->place_of.keys[i].a;

		if (file > job->file_of.count)
			continue;
		if (!first[file])
			first[file] = process + 1;
		else if (first[file] != process + 1)
			s->shared[file] = true;
	}
	s->no_memory |= !first;
	free(first);
}

static bool below(const char *name, const char *point)
{
	size_t length = strlen(point);

	while (length && point[length - 1] == '/')
		length--;
	return strncmp(name, point, length) == 0 && (name[length] == '/' || !name[length]);
}

/* Files that are not on the storage that was characterized count as what they are: somewhere else. */
static void leave_out(struct pario_steps_shared *s, const char *point)
{
	uint32_t files = pario_trace_files(s->trace), inside = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 1; i <= files; i++) {
			const struct pario_trace_file *f = pario_trace_file_of(s->trace, i);
			bool out = s->media[i] == PARIO_MEDIUM_STORAGE && f && f->name &&
				   *f->name == '/' && !below(f->name, point);

			inside += !pass && s->media[i] == PARIO_MEDIUM_STORAGE && !out;
			if (pass && out)
				s->media[i] = PARIO_MEDIUM_RUNTIME;
		}
		if (!inside) {
			s->elsewhere = true;
			return;
		}
	}
}

int pario_steps_share(struct pario_steps_shared *s, const struct pario_trace *trace,
		      const char *point, struct pario_err *err)
{
	uint32_t files = pario_trace_files(trace);

	memset(s, 0, sizeof(*s));
	s->trace = trace;
	s->place_of.limit = PLACES;
	s->synced.limit = s->stream_of.limit = DESCRIPTORS;
	s->media = calloc(files + 1ul, sizeof(*s->media));
	s->shared = calloc(files + 1ul, sizeof(*s->shared));
	s->directory = calloc(files + 1ul, sizeof(*s->directory));
	if (!pario_origins_init(&s->origins, &trace->job) || !s->media || !s->shared ||
	    !s->directory) {
		pario_steps_release(s);
		return pario_err_memory(err, "the files of the trace");
	}
	for (uint32_t i = 1; i <= files; i++) {
		const struct pario_trace_file *f = pario_trace_file_of(trace, i);

		s->media[i] = pario_medium_of_name(f && f->name ? f->name : "");
		s->directory[i] = f && f->exists == 1 && S_ISDIR(f->mode);
	}
	mark_shared(s, &trace->job);
	if (point && *point == '/')
		leave_out(s, point);
	return 0;
}

void pario_steps_release(struct pario_steps_shared *s)
{
	pario_origins_release(&s->origins);
	pario_map_release(&s->place_of);
	pario_map_release(&s->synced);
	pario_map_release(&s->stream_of);
	free(s->streams);
	free(s->places);
	free(s->writes_through);
	free(s->media);
	free(s->shared);
	free(s->directory);
	memset(s, 0, sizeof(*s));
}

/* ---- where a call lies ---- */

static struct pario_steps_place *place(struct pario_steps_shared *s, uint32_t thread, uint32_t file)
{
	bool is_new;
	uint32_t n =
		pario_map_add(&s->place_of, (struct pario_map_key){ thread, file, 0 }, &is_new);
	void *grown = pario_map_grow(s->places, &s->place_capacity, n, sizeof(*s->places));

	if (!grown) {
		s->no_memory = true;
		return NULL;
	}
	s->places = grown;
	return &s->places[n];
}

static void locate(struct pario_steps *s, struct pario_sim_step *step)
{
	struct pario_steps_place *at;
	int64_t distance;

	step->key.locality = PARIO_SYSTEM_SEQUENTIAL;
	if (step->offset == PARIO_TRACE_NOWHERE)
		return;
	at = place(s->shared, s->thread, step->file);
	if (!at)
		return;
	distance = (int64_t)(step->offset - at->end);
	step->first = !at->known;
	if (at->known && distance) {
		bool same = distance == at->distance;
		uint64_t far = distance < 0 ? 0 - (uint64_t)distance : (uint64_t)distance;

		step->key.locality = same ? PARIO_SYSTEM_STRIDED : PARIO_SYSTEM_RANDOM;
		step->key.distance_bytes = same ? far + step->bytes : 2 * far;
	}
	at->distance = distance;
	at->known = true;
	at->end = step->offset + step->bytes;
}

/* ---- which descriptors write through ---- */

static bool *through(struct pario_steps_shared *s, uint32_t process, int32_t fd, bool add)
{
	struct pario_map_key key = { process, (uint32_t)fd, 0 };
	bool is_new;
	uint32_t n =
		add ? pario_map_add(&s->synced, key, &is_new) : pario_map_find(&s->synced, key);
	void *grown;

	if (!n)
		return NULL;
	grown = pario_map_grow(s->writes_through, &s->through_capacity, n,
			       sizeof(*s->writes_through));
	if (!grown)
		return NULL;
	s->writes_through = grown;
	return &s->writes_through[n];
}

static void opened(struct pario_steps_shared *s, const struct pario_trace_call *call)
{
	bool is = call->arguments.open.flags & (O_SYNC | O_DSYNC), *flag;

	/* most programs never do */
	if (call->failed || (!is && !s->synced.count))
		return;
	flag = through(s, call->process, call->result, is);
	if (flag)
		*flag = is;
}

static bool writes_through(struct pario_steps_shared *s, const struct pario_trace_call *call)
{
	bool *flag = s->synced.count ? through(s, call->process, call->fd, false) : NULL;

	return flag && *flag;
}

/* ---- what a call is ---- */

static bool makes_file(const struct pario_trace *trace, const struct pario_trace_call *call)
{
	const struct pario_trace_file *f = pario_trace_file_of(trace, call->file);

	if (call->op == PARIO_OP_creat || call->op == PARIO_OP_mkstemp)
		return true;
	return call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
	       call->arguments.open.flags & O_CREAT && f && f->exists != 1;
}

static enum pario_system_op op_of_name(const struct pario_steps_shared *s,
				       const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_mkdir:
	case PARIO_OP_mkdirat:
	case PARIO_OP_mkdtemp:
		return PARIO_SYSTEM_MKDIR;
	case PARIO_OP_rmdir:
		return PARIO_SYSTEM_RMDIR;
	case PARIO_OP_unlinkat:
		return call->arguments.kind == PARIO_ARGUMENTS_FLAGS &&
				       call->arguments.flags.value & AT_REMOVEDIR
			       ? PARIO_SYSTEM_RMDIR
			       : PARIO_SYSTEM_UNLINK;
	case PARIO_OP_unlink:
	case PARIO_OP_remove:
		return PARIO_SYSTEM_UNLINK;
	case PARIO_OP_rename:
	case PARIO_OP_renameat:
	case PARIO_OP_renameat2:
		return s->directory[call->file] ? PARIO_SYSTEM_RENAME_DIRECTORY
						: PARIO_SYSTEM_RENAME;
	case PARIO_OP_link:
	case PARIO_OP_linkat:
	case PARIO_OP_symlink:
	case PARIO_OP_symlinkat:
		return PARIO_SYSTEM_LINK;
	default:
		return PARIO_SYSTEM_OPS;
	}
}

/* Asks for a lock, or gives it back, without waiting: a word with who keeps the locks of the file. */
static bool asks_for_lock(const struct pario_trace_call *call)
{
	uint32_t command = call->arguments.lock.command;

	if (call->arguments.kind != PARIO_ARGUMENTS_LOCK)
		return false;
	switch (call->op) {
	case PARIO_OP_flock:
		return command & (LOCK_NB | LOCK_UN);
	case PARIO_OP_lockf:
		return command != F_LOCK;
	default:
		return command != F_SETLKW && command != F_OFD_SETLKW;
	}
}

/* PARIO_SYSTEM_OPS: no surface tells what it costs. */
static enum pario_system_op op_of(const struct pario_steps_shared *s,
				  const struct pario_trace_call *call)
{
	if (asks_for_lock(call))
		return PARIO_SYSTEM_LOCK;
	if (call->failed && call->result == ENOENT)
		return PARIO_SYSTEM_ABSENT;
	switch (call->class) {
	case PARIO_CLASS_READ:
		/* who finds the end of the file has asked for its size */
		return call->moved || call->failed ? PARIO_SYSTEM_READ : PARIO_SYSTEM_OPEN;
	case PARIO_CLASS_WRITE:
		return PARIO_SYSTEM_WRITE;
	case PARIO_CLASS_SYNC:
		return s->directory[call->file] ? PARIO_SYSTEM_FSYNC_DIRECTORY : PARIO_SYSTEM_FSYNC;
	case PARIO_CLASS_OPEN:
		return makes_file(s->trace, call) ? PARIO_SYSTEM_CREATE : PARIO_SYSTEM_OPEN;
	case PARIO_CLASS_CLOSE:
		return PARIO_SYSTEM_CLOSE;
	case PARIO_CLASS_STAT:
	case PARIO_CLASS_ATTR:
		/* what is refused has to be asked for each time, as for opening it */
		return call->failed ? PARIO_SYSTEM_OPEN : PARIO_SYSTEM_STAT;
	case PARIO_CLASS_NAME:
		return op_of_name(s, call);
	case PARIO_CLASS_LIST:
		return PARIO_SYSTEM_READDIR;
	case PARIO_CLASS_SIZE:
		return PARIO_SYSTEM_TRUNCATE;
	case PARIO_CLASS_SEEK:
		return PARIO_SYSTEM_SEEK;
	default:
		return PARIO_SYSTEM_OPS;
	}
}

static bool shows_directory(const struct pario_trace_call *call, enum pario_system_op op)
{
	return op == PARIO_SYSTEM_MKDIR || op == PARIO_SYSTEM_READDIR ||
	       (call->arguments.kind == PARIO_ARGUMENTS_OPEN &&
		call->arguments.open.flags & O_DIRECTORY);
}

static enum pario_io_part part_of(uint8_t class)
{
	return class == PARIO_CLASS_READ				 ? PARIO_IO_READ
	       : class == PARIO_CLASS_WRITE || class == PARIO_CLASS_SYNC ? PARIO_IO_WRITE
									 : PARIO_IO_NAMES;
}

static bool on_storage(struct pario_steps_shared *s, const struct pario_trace_call *call)
{
	const struct pario_trace_record record = { .flags = call->depth,
						   .layer = call->layer,
						   .site = call->site };

	return call->file && call->layer != PARIO_TRACE_MPI && call->layer != PARIO_TRACE_PROCESS &&
	       s->media[call->file] == PARIO_MEDIUM_STORAGE &&
	       !pario_origin_is_runtime(&s->origins, &s->trace->job, call->process, call->file,
					&record);
}

/* A library's call without any within it, or one that failed at once: no surface says what that is. */
static bool is_kept(const struct pario_trace_call *call)
{
	/* of a call that copies the half that writes has the time */
	if (call->op >= PARIO_OP_sendfile_in && call->op <= PARIO_OP_tee_in)
		return true;
	if (asks_for_lock(call))
		return false;
	if (call->layer == PARIO_TRACE_STDIO)
		return call->class != PARIO_CLASS_OPEN && call->class != PARIO_CLASS_CLOSE;
	return call->layer != PARIO_TRACE_POSIX || call->class == PARIO_CLASS_ADVICE ||
	       call->class == PARIO_CLASS_LOCK || call->class == PARIO_CLASS_OTHER ||
	       call->class == PARIO_CLASS_MAP;
}

/* All of the file, as who wants it cold says it. */
static bool evicts(const struct pario_trace_call *call)
{
	return call->op == PARIO_OP_posix_fadvise && !call->failed &&
	       call->arguments.kind == PARIO_ARGUMENTS_FLAGS &&
	       call->arguments.flags.value == POSIX_FADV_DONTNEED &&
	       (call->offset == 0 || call->offset == PARIO_TRACE_NOWHERE) && call->size == 0;
}

/* ---- streams ---- */

static struct pario_steps_stream *stream_of(struct pario_steps_shared *s, uint32_t process,
					    uint32_t file)
{
	bool is_new;
	uint32_t n =
		pario_map_add(&s->stream_of, (struct pario_map_key){ process, file, 0 }, &is_new);
	void *grown = pario_map_grow(s->streams, &s->stream_capacity, n, sizeof(*s->streams));

	if (!grown || !n) {
		s->no_memory |= !grown;
		return NULL;
	}
	s->streams = grown;
	return &s->streams[n];
}

/*
 * What a call of stdio does to the file, since the library's own calls are not in the trace: nothing as long as its
 * buffer holds, then whole buffers, and at the end the rest.
 */
static enum pario_system_op through_buffer(struct pario_steps_stream *b,
					   const struct pario_trace_call *call, uint64_t *bytes)
{
	switch (call->class) {
	case PARIO_CLASS_WRITE:
		/* a full buffer waits for the byte that has no room in it */
		b->pending += call->moved;
		*bytes = b->pending ? (b->pending - 1) / STREAM_BUFFER * STREAM_BUFFER : 0;
		b->pending -= *bytes;
		return PARIO_SYSTEM_WRITE;
	case PARIO_CLASS_READ:
		*bytes = call->moved > b->ahead ? call->moved - b->ahead : 0;
		*bytes = (*bytes + STREAM_BUFFER - 1) / STREAM_BUFFER * STREAM_BUFFER;
		b->ahead = b->ahead + *bytes - call->moved;
		return PARIO_SYSTEM_READ;
	case PARIO_CLASS_CLOSE:
	case PARIO_CLASS_SYNC:
		*bytes = b->pending;
		b->pending = b->ahead = 0;
		return PARIO_SYSTEM_WRITE;
	default:
		*bytes = 0;
		return PARIO_SYSTEM_WRITE;
	}
}

/* True: the call reaches the file, and the step says how. */
static bool fill_stream(struct pario_steps *s, struct pario_sim_step *step,
			const struct pario_trace_call *call)
{
	struct pario_steps_stream *b = stream_of(s->shared, call->process, call->file);

	if (!b)
		return false;
	if (call->class == PARIO_CLASS_OPEN)
		*b = (struct pario_steps_stream){ 0 };
	step->key.op = through_buffer(b, call, &step->bytes);
	if (!step->bytes)
		return false;
	step->kind = PARIO_STEP_IO;
	step->part = step->key.op == PARIO_SYSTEM_READ ? PARIO_IO_READ : PARIO_IO_WRITE;
	step->key.shared = s->shared->shared[call->file];
	step->offset = b->at;
	b->at += step->bytes;
	locate(s, step);
	return true;
}

static void fill_io(struct pario_steps *s, struct pario_sim_step *step,
		    const struct pario_trace_call *call)
{
	struct pario_steps_shared *shared = s->shared;
	enum pario_system_op op = op_of(shared, call);
	bool data = op == PARIO_SYSTEM_READ || op == PARIO_SYSTEM_WRITE;

	if (call->layer == PARIO_TRACE_STDIO && !call->failed && fill_stream(s, step, call))
		return;
	if (is_kept(call) || op == PARIO_SYSTEM_OPS || (data && call->moved == 0)) {
		step->kind = PARIO_STEP_KEEP;
		step->effect = evicts(call) ? PARIO_EFFECT_EVICT : PARIO_EFFECT_NONE;
		if (call->class == PARIO_CLASS_MAP) {
			shared->mapped++;
			shared->mapped_ns += step->ns;
		}
		return;
	}
	step->kind = PARIO_STEP_IO;
	step->key.op = op;
	step->key.shared = shared->shared[call->file];
	step->bytes = data ? call->moved : 0;
	step->data_only = call->op == PARIO_OP_fdatasync;
	if (data) {
		locate(s, step);
		step->key.path = call->direct ? PARIO_SYSTEM_DIRECT : PARIO_SYSTEM_ANY;
	}
	if (op == PARIO_SYSTEM_WRITE && !call->direct && writes_through(shared, call))
		step->key.path = PARIO_SYSTEM_SYNC;
	if (call->arguments.kind == PARIO_ARGUMENTS_OPEN)
		opened(shared, call);
	if (call->failed)
		return;
	if (shows_directory(call, op))
		shared->directory[call->file] = true;
	if (op == PARIO_SYSTEM_UNLINK || (op == PARIO_SYSTEM_TRUNCATE && call->size == 0) ||
	    (call->arguments.kind == PARIO_ARGUMENTS_OPEN && call->arguments.open.flags & O_TRUNC))
		step->effect = PARIO_EFFECT_FORGET;
	else if ((op == PARIO_SYSTEM_RENAME || op == PARIO_SYSTEM_RENAME_DIRECTORY) &&
		 call->other_file)
		step->effect = PARIO_EFFECT_RENAME;
	else if (op == PARIO_SYSTEM_OPEN && call->class == PARIO_CLASS_OPEN)
		step->effect = PARIO_EFFECT_OPEN;
}

static bool meets(const struct pario_trace_call *call)
{
	return call->layer == PARIO_TRACE_MPI &&
	       (call->class == PARIO_CLASS_MESSAGE || call->class == PARIO_CLASS_WAIT);
}

/* A call on a pipe or socket; one that failed has moved nothing, and found no end either. */
static void fill_flow(const struct pario_steps_shared *s, struct pario_sim_step *step,
		      const struct pario_trace_call *call)
{
	enum pario_medium medium = call->file ? s->media[call->file] : PARIO_MEDIUM_STORAGE;

	if (medium != PARIO_MEDIUM_PIPE && medium != PARIO_MEDIUM_SOCKET)
		return;
	step->flow = medium == PARIO_MEDIUM_PIPE ? PARIO_FLOW_PIPE : PARIO_FLOW_SOCKET;
	step->bytes = call->moved;
	if (call->failed)
		step->part = PARIO_IO_NAMES;
}

/* It waited until a signal came: who sent that is told by the next call, before which it lies as a gap. */
static bool interrupted(const struct pario_trace_call *call)
{
	return call->failed && call->result == EINTR;
}

static void fill(struct pario_steps *s, struct pario_sim_step *step,
		 const struct pario_trace_call *call)
{
	bool storage = on_storage(s->shared, call);
	bool leaf = !s->begun || call->start_ns >= s->cursor_ns - NS_ROUNDING;

	*step = (struct pario_sim_step){
		.kind = PARIO_STEP_OTHER,
		.part = part_of(call->class),
		.start_ns = call->start_ns,
		.ns = call->end_ns - call->start_ns,
		.offset = call->offset,
		.site = call->site,
		.process = call->process,
		.file = call->file,
		.other_file = call->other_file,
		.depth = call->depth,
		.call = call,
	};
	if (!s->begun)
		s->first_ns = step->before_ns = call->start_ns;
	else
		step->before_ns = (leaf ? call->start_ns : call->end_ns) - s->cursor_ns;
	if (step->before_ns < 0)
		step->before_ns = 0;
	if (storage && leaf)
		fill_io(s, step, call);
	else if (storage)
		step->kind = PARIO_STEP_OUTER;
	else if (meets(call) && leaf)
		step->kind = PARIO_STEP_MEET;
	else if (!leaf || interrupted(call))
		step->ns = 0; /* its time has been told already */
	else
		fill_flow(s->shared, step, call);
	if (!s->begun || (call->end_ns > s->cursor_ns && (storage || !interrupted(call))))
		s->cursor_ns = call->end_ns;
	s->begun = true;
}

/* ---- the stream ---- */

int pario_steps_open(struct pario_steps *s, struct pario_steps_shared *shared, uint32_t thread,
		     struct pario_err *err)
{
	*s = (struct pario_steps){ .shared = shared, .thread = thread };
	s->stream = pario_trace_stream_open(shared->trace, thread, 0, err);
	return s->stream ? 0 : -1;
}

void pario_steps_close(struct pario_steps *s)
{
	pario_trace_stream_close(s->stream);
	s->stream = NULL;
}

int pario_steps_next(struct pario_steps *s, struct pario_sim_step *step, struct pario_err *err)
{
	struct pario_trace_call *call = &s->call;
	int more;

	while ((more = pario_trace_stream_next(s->stream, call, err)) > 0) {
		if (call->asynchronous) {
			/* it went on beside the calls of the thread */
			s->shared->asynchronous++;
			s->shared->asynchronous_ns += call->end_ns - call->start_ns;
			continue;
		}
		fill(s, step, call);
		return 1;
	}
	return more;
}
