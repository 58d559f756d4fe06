/*
 * pack: writes the file, block by block, from segments: this is where a trace is packed. unpack.c reads it back.
 */
#include "trace/pack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/lock.h"
#include "trace/missing.h"
#include "trace/ranks.h"
#include "trace/segment.h"
#include "trace/unproven.h"

static uint64_t head_sum(const struct pario_pack_head *head)
{
	return XXH64(head, offsetof(struct pario_pack_head, sum), 0);
}

/* 1: a trace of this job, to be continued; 0: empty or an older trace, to be replaced; -1: something else. */
static int look_at(int fd, uint64_t job)
{
	struct pario_pack_head head;
	ssize_t n = pread(fd, &head, sizeof(head), 0);

	if (n == 0)
		return 0;
	if (n < (ssize_t)sizeof(head.magic) ||
	    memcmp(head.magic, PARIO_PACK_MAGIC, sizeof(head.magic)) != 0)
		return -1;
	/* by its job alone: the ranks of a job run on many hosts */
	return n == sizeof(head) && head.sum == head_sum(&head) && head.job == job && job != 0;
}

/*
 * An older trace is cut off. A file that seems empty is not: where a file system shows old sizes, another node may have
 * begun it. Then there is one head more, which readers step over.
 */
static int start_file(struct pario_pack *pack, int fd, uint64_t job, struct pario_err *err)
{
	struct pario_pack_head head = { .version = PARIO_PACK_VERSION,
					.bytes = sizeof(head),
					.job = job };
	char first;

	memcpy(head.magic, PARIO_PACK_MAGIC, sizeof(head.magic));
	gethostname(head.host, sizeof(head.host) - 1);
	head.host[sizeof(head.host) - 1] = '\0';
	head.sum = head_sum(&head);
	if ((pread(fd, &first, 1, 0) > 0 && ftruncate(fd, 0) < 0) ||
	    write(fd, &head, sizeof(head)) != sizeof(head))
		return pario_err_sys(err, errno, NULL, "the trace %s cannot be written",
				     pack->path);
	return 0;
}

static void give_up(struct pario_pack *pack, int fd)
{
	close(fd);
	if (pack->lock >= 0)
		close(pack->lock);
}

/* The trace's file, or a new one; never through a link, and nothing but a regular file of one's own with one name. */
static int open_own(const char *path, int flags, struct pario_err *err)
{
	/* /dev/stdout is a link by its nature */
	int how = O_NONBLOCK | O_CLOEXEC | (strncmp(path, "/dev/", 5) ? O_NOFOLLOW : 0);
	int fd = flags & O_CREAT ? open(path, flags | how | O_EXCL, 0644) : -1;
	struct stat st;

	/* What we made is ours, also where a server changes owners. */
	if (fd >= 0)
		return fd;
	fd = open(path, flags | how, 0644);
	if (fd < 0 && errno == ELOOP)
		return pario_err_set(err, PARIO_USAGE,
				     "%s is a link, which is not followed. Choose another name "
				     "with -o.",
				     path);
	if (fd < 0)
		return pario_err_sys(err, errno, NULL, "the trace %s cannot be created", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_nlink <= 1)
		return fd;
	close(fd);
	return pario_err_set(err, PARIO_USAGE,
			     "%s is not a regular file of your own with a single name. Choose "
			     "another name with -o.",
			     path);
}

static int refuse(const char *path, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE,
			     "%s exists and is not a trace of pario. Choose another name with -o, "
			     "or replace it with --force.",
			     path);
}

int pario_pack_check(const char *path, bool force, struct pario_err *err)
{
	struct stat st;
	int fd, what;

	if (lstat(path, &st) < 0 && errno == ENOENT)
		return 0;
	fd = open_own(path, O_RDONLY, err);
	if (fd < 0)
		return -1;
	what = look_at(fd, 0);
	close(fd);
	return what < 0 && !force ? refuse(path, err) : 0;
}

/* Another node may have written to it: a network file system is asked for its size anew. */
static void refresh(int fd)
{
	struct statx now;

	statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &now);
}

int pario_pack_open(struct pario_pack *pack, const char *path, uint64_t job, bool force,
		    struct pario_err *err)
{
	int fd, what;

	*pack = (struct pario_pack){ 0 };
	snprintf(pack->path, sizeof(pack->path), "%s", path);
	fd = open_own(path, O_RDWR | O_CREAT | O_APPEND, err);
	if (fd < 0)
		return -1;
	if (pario_lock_wait(fd, path, &pack->lock, err) < 0) {
		close(fd);
		return -1;
	}
	refresh(fd);
	what = look_at(fd, job);
	if (what < 0 && !force) {
		give_up(pack, fd);
		return refuse(path, err);
	}
	if ((what <= 0 && start_file(pack, fd, job, err) < 0) || lseek(fd, 0, SEEK_END) < 0) {
		give_up(pack, fd);
		return -1;
	}
	pack->at = (uint64_t)lseek(fd, 0, SEEK_CUR);
	pack->packed_capacity = PARIO_PACK_PLAIN_MAX + PARIO_PACK_PLAIN_MAX / 64;
	pack->packed = malloc(pack->packed_capacity);
	pack->file = fdopen(fd, "r+");
	if (!pack->packed || !pack->file) {
		free(pack->packed);
		give_up(pack, fd);
		return pario_err_memory(err, "packing the trace %s", path);
	}
	return 0;
}

int pario_pack_close(struct pario_pack *pack, struct pario_err *err)
{
	int status = 0;

	if (fclose(pack->file) != 0)
		status = pario_err_sys(err, errno, NULL, "the trace %s cannot be written",
				       pack->path);
	if (pack->lock >= 0)
		close(pack->lock);
	free(pack->packed);
	return status;
}

/* Sums up and appends a block whose bytes are packed. */
static int put_block(struct pario_pack *pack, struct pario_pack_block *block, const void *packed,
		     struct pario_err *err)
{
	XXH64_state_t *state = XXH64_createState();

	if (!state)
		return pario_err_memory(err, "packing the trace %s", pack->path);
	block->segment = pack->segment;
	XXH64_reset(state, 0);
	XXH64_update(state, block, offsetof(struct pario_pack_block, sum));
	XXH64_update(state, packed, block->packed);
	block->sum = XXH64_digest(state);
	XXH64_freeState(state);
	if (fwrite(block, sizeof(*block), 1, pack->file) != 1 ||
	    fwrite(packed, 1, block->packed, pack->file) != block->packed)
		return pario_err_sys(err, errno, NULL, "the trace %s cannot be written",
				     pack->path);
	pack->at += sizeof(*block) + block->packed;
	return 0;
}

static int write_block(struct pario_pack *pack, struct pario_pack_block *block, const void *bytes,
		       size_t length, struct pario_err *err)
{
	size_t packed = 0;

	block->magic = PARIO_PACK_BLOCK_MAGIC;
	block->plain = block->packed = (uint32_t)length;
	block->coding = 0;
	if (length > 64 &&
	    pario_pack_compress(pack->packed, pack->packed_capacity, bytes, length, &packed) == 0 &&
	    packed < length) {
		bytes = pack->packed;
		block->packed = (uint32_t)packed;
		block->coding = 1;
	}
	return put_block(pack, block, bytes, err);
}

/* Segments are known by where they begin. */
static void begin_segment(struct pario_pack *pack)
{
	pack->segment = (uint32_t)(pack->at / 8);
}

int pario_pack_copy(struct pario_pack *pack, const struct pario_pack_block *block,
		    const void *packed, struct pario_err *err)
{
	struct pario_pack_block copy = *block;

	if (block->kind == PARIO_PACK_SEGMENT)
		begin_segment(pack);
	return put_block(pack, &copy, packed, err);
}

int pario_pack_unseen(struct pario_pack *pack, const char *lines, struct pario_err *err)
{
	struct pario_pack_block block = { .kind = PARIO_PACK_UNSEEN };
	size_t length = strlen(lines);

	if (length > PARIO_PACK_PLAIN_MAX / 2)
		length = PARIO_PACK_PLAIN_MAX / 2;
	return length ? write_block(pack, &block, lines, length, err) : 0;
}

/* ---- one segment ---- */

struct packing {
	struct pario_pack *pack;
	struct pario_columns *columns;
	uint8_t *notes;
	size_t notes_length;
	uint32_t count, first; /* calls in the columns, and the number of the first of them */
	uint32_t thread;
	struct pario_pack_end end;
	struct pario_pack_totals *totals;
	struct pario_unproven *unproven;
};

enum { NOTES_CAPACITY = 1 << 20 };

static int flush_calls(struct packing *p, struct pario_err *err)
{
	struct pario_pack_block block = { .kind = PARIO_PACK_CALLS_OF,
					  .thread = p->thread,
					  .count = p->count,
					  .first = p->first };
	const void *bytes;
	size_t length;
	int status = 0;

	if (p->count) {
		bytes = pario_columns_bytes(p->columns, &length);
		status = write_block(p->pack, &block, bytes, length, err);
	}
	pario_columns_clear(p->columns);
	p->first += p->count;
	p->count = 0;
	return status;
}

static int flush_notes(struct packing *p, struct pario_err *err)
{
	struct pario_pack_block block = { .kind = PARIO_PACK_NOTES, .thread = p->thread };
	int status = 0;

	if (p->notes_length)
		status = write_block(p->pack, &block, p->notes, p->notes_length, err);
	p->notes_length = 0;
	return status;
}

static int add_note(struct packing *p, const struct pario_trace_record *note, const char *text,
		    struct pario_err *err)
{
	size_t text_bytes = text ? pario_trace_text_records(note->size) * sizeof(*note) : 0;

	if (p->notes_length + sizeof(*note) + text_bytes > NOTES_CAPACITY &&
	    flush_notes(p, err) < 0)
		return -1;
	memcpy(p->notes + p->notes_length, note, sizeof(*note));
	p->notes_length += sizeof(*note);
	if (text_bytes) {
		memset(p->notes + p->notes_length, 0, text_bytes);
		memcpy(p->notes + p->notes_length, text, note->size);
		p->notes_length += text_bytes;
	}
	return 0;
}

static int add_call(struct packing *p, const struct pario_trace_record *call, struct pario_err *err)
{
	pario_columns_add(p->columns, call);
	p->end.calls += call->op >= PARIO_TRACE_FIRST;
	return ++p->count == PARIO_PACK_CALLS ? flush_calls(p, err) : 0;
}

static int add_record(struct packing *p, struct pario_trace_record *record, const char *text,
		      struct pario_err *err)
{
	if (record->op >= PARIO_TRACE_FIRST || record->op == PARIO_TRACE_GAP)
		return add_call(p, record, err);
	if (record->op == PARIO_TRACE_THREAD) {
		if (flush_calls(p, err) < 0)
			return -1;
		p->thread = (uint32_t)record->size;
		return add_note(p, record, NULL, err);
	}
	if (record->op == PARIO_TRACE_CHILD) {
		if (flush_calls(p, err) < 0)
			return -1;
		p->thread = (uint32_t)record->size;
	}
	if (record->op == PARIO_TRACE_RING && record->file < PARIO_RINGS)
		p->totals->requests[record->file] += record->size;
	if (record->op == PARIO_TRACE_RANK && p->pack->ranks)
		pario_ranks_add(p->pack->ranks, record->file, (uint32_t)record->size);
	if (record->op == PARIO_TRACE_STACK) /* the call it belongs to, by number */
		record->duration = p->first + p->count - 1;
	if (record->op == PARIO_TRACE_REQUESTS || record->op == PARIO_TRACE_MATCH)
		record->duration = p->first + p->count;
	return add_note(p, record, text, err);
}

static int add_name(struct packing *p, struct pario_unproven_name *name, struct pario_err *err)
{
	int status = name->text ? add_note(p, &name->note, name->text, err) : 0;

	free(name->text);
	return status;
}

/* Those of which nothing more is known, at the end of a segment. */
static int add_names(struct packing *p, struct pario_err *err)
{
	struct pario_unproven_name left;
	int status = 0;

	while (left = pario_unproven_left(p->unproven), left.text)
		status |= add_name(p, &left, err);
	return status;
}

static int pack_records(struct packing *p, struct pario_segment *segment, struct pario_err *err)
{
	struct pario_unproven_name passes;
	struct pario_trace_record record;
	const char *text;
	int more;

	while ((more = pario_segment_next(segment, &record, &text)) > 0) {
		if (p->pack->missing)
			pario_missing_record(p->pack->missing, &record);
		/* names that another user wrote are not looked up: they may lead to storage that hangs */
		passes.text = NULL;
		more = segment->own && pario_unproven_holds(p->unproven, &record, text, &passes);
		if (add_name(p, &passes, err) < 0 ||
		    (!more && add_record(p, &record, text, err) < 0))
			return -1;
	}
	return 0;
}

static int add_anchors(struct packing *p, const struct pario_trace_segment *s,
		       const struct pario_pack_anchor *anchors, struct pario_err *err)
{
	for (int i = 0; anchors && s->counter && i < 2; i++) {
		struct pario_trace_record note = { .op = PARIO_TRACE_CLOCK,
						   .t0 = anchors[i].ticks,
						   .offset = anchors[i].ns,
						   .size = anchors[i].real_ns };

		if (anchors[i].ticks && add_note(p, &note, NULL, err) < 0)
			return -1;
	}
	return 0;
}

static int pack_segment(struct packing *p, struct pario_segment *segment,
			const struct pario_pack_anchor *anchors, struct pario_err *err)
{
	struct pario_pack_block head = { .kind = PARIO_PACK_SEGMENT },
				end = { .kind = PARIO_PACK_END };

	if (p->pack->missing)
		pario_missing_begin(p->pack->missing, &segment->head);
	begin_segment(p->pack);
	if (p->pack->ranks)
		pario_ranks_add(p->pack->ranks, segment->head.rank, segment->head.ranks);
	p->thread = segment->head.tid;
	p->count = p->first = 0;
	p->end = (struct pario_pack_end){ .dropped = segment->head.dropped,
					  .why = segment->head.why };
	if (write_block(p->pack, &head, &segment->head, sizeof(segment->head), err) < 0 ||
	    add_anchors(p, &segment->head, anchors, err) < 0 || pack_records(p, segment, err) < 0 ||
	    add_names(p, err) < 0 || flush_calls(p, err) < 0 || flush_notes(p, err) < 0)
		return -1;
	if (p->pack->missing)
		pario_missing_end(p->pack->missing);
	p->end.unfinished = segment->unfinished;
	return write_block(p->pack, &end, &p->end, sizeof(p->end), err);
}

static void add_totals(struct pario_pack_totals *totals, const struct packing *p)
{
	totals->segments++;
	totals->calls += p->end.calls;
	totals->unfinished += p->end.unfinished;
	totals->dropped += p->end.dropped;
	if (!totals->why)
		totals->why = (int)p->end.why;
}

int pario_pack_directory(struct pario_pack *pack, const char *directory,
			 const struct pario_pack_anchor anchors[2],
			 struct pario_pack_totals *totals, struct pario_err *err)
{
	struct packing p = { .pack = pack,
			     .totals = totals,
			     .columns = pario_columns_new(),
			     .unproven = calloc(1, sizeof(*p.unproven)),
			     .notes = malloc(NOTES_CAPACITY) };
	struct pario_segment segment;
	struct dirent **names = NULL;
	int count = scandir(directory, &names, pario_segment_is_name, versionsort), status = 0;

	if (count < 0)
		status = pario_err_sys(err, errno, NULL, "the segments in %s cannot be listed",
				       directory);
	else if (!p.columns || !p.notes || !p.unproven)
		status = pario_err_memory(err, "packing the trace %s", pack->path);
	for (int i = 0; i < count; i++) {
		if (status == 0 && pario_segment_open(&segment, directory, names[i]->d_name) == 0) {
			status = pack_segment(&p, &segment, anchors, err);
			add_totals(totals, &p);
			totals->processes += segment.first_of_process;
			pario_segment_close(&segment);
		} else {
			totals->damaged++;
		}
		free(names[i]);
	}
	free(names);
	pario_columns_free(p.columns);
	free(p.unproven);
	free(p.notes);
	return status;
}
