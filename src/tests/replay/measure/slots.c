/*
 * slots: descriptors of the original and what stands behind them here.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum { PAGE = 4096, SECTOR = 512, LINE = 64 };

bool pario_replay_path(struct pario_replay_actor *a, uint32_t file, char path[PARIO_PLACE_CAPACITY])
{
	const struct pario_trace_file *f = pario_trace_file_of(a->replay->trace, file);

	return f && f->name && a->replay->scan->files[file].storage &&
	       pario_replay_place(f->name, path);
}

bool pario_replay_spot(struct pario_replay_actor *a, int32_t directory, uint32_t file,
		       struct pario_replay_spot *spot)
{
	const struct pario_trace *trace = a->replay->trace;
	const struct pario_trace_file *f = pario_trace_file_of(trace, file), *in;
	const struct pario_replay_slot *slot =
		directory == AT_FDCWD ? &a->process->here : pario_replay_slot(a, directory);

	if (!f || !f->name || !a->replay->scan->files[file].storage)
		return false;
	in = slot && slot->fd >= 0 ? pario_trace_file_of(trace, slot->file) : NULL;
	if (in && in->name && pario_replay_place_below(in->name, f->name, spot->name)) {
		spot->at = slot->fd;
		return true;
	}
	spot->at = a->replay->tree;
	return pario_replay_place(f->name, spot->name);
}

/* It stays one descriptor, so that other threads never find it closed. */
void pario_replay_go_to(struct pario_replay_process *p, uint32_t file)
{
	const struct pario_trace_file *f = pario_trace_file_of(p->replay->trace, file);
	char path[PARIO_PLACE_CAPACITY];
	int fd = -1;

	if (file == p->here.file)
		return;
	p->here.file = 0;
	if (f && f->name && pario_replay_place(f->name, path))
		fd = openat(p->replay->tree, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return; /* names are looked up in the tree, then */
	if (p->here.fd < 0) {
		p->here.fd = fd;
	} else {
		dup3(fd, p->here.fd, O_CLOEXEC);
		close(fd);
	}
	p->here.file = file;
}

/* Standard output that a shell sent to a file, for example. */
static int open_inherited(struct pario_replay_actor *a, const struct pario_trace_call *call,
			  struct pario_replay_slot *slot)
{
	char path[PARIO_PLACE_CAPACITY];

	if (!pario_replay_path(a, call->file, path))
		return -1;
	slot->fd = openat(a->replay->tree, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (slot->fd < 0)
		slot->fd = openat(a->replay->tree, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return slot->fd;
}

int pario_replay_fd(struct pario_replay_actor *a, const struct pario_trace_call *call, int32_t fd)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, fd);

	if (!slot)
		return -1;
	return slot->fd >= 0 ? slot->fd : open_inherited(a, call, slot);
}

static void empty(struct pario_replay_slot *slot)
{
	if (slot->stream)
		fclose(slot->stream);
	else if (slot->fd >= 0)
		close(slot->fd);
	*slot = (struct pario_replay_slot){ .fd = -1 };
}

void pario_replay_store(struct pario_replay_actor *a, const struct pario_trace_call *call, int fd,
			bool on_exec)
{
	struct pario_replay_slot *slot = call->failed ? NULL : pario_replay_slot(a, call->result);

	if (!slot) {
		if (fd >= 0)
			close(fd);
		return;
	}
	empty(slot);
	slot->fd = fd;
	slot->file = call->file;
	slot->on_exec = on_exec;
}

static uint64_t without_zeros(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101u;

	if (!((x - ones) & ~x & ones << 7)) /* most have none */
		return x;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		if (!(x >> shift & 255))
			x |= 0xa5ull << shift;
	}
	return x;
}

/* Bytes that do not compress, none of them zero: what is printed ends there. */
char *pario_replay_make_data(uint64_t bytes, uint64_t seed)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *words = (uint64_t *)(void *)memory, x = 2 * seed + 1;

	if (memory == MAP_FAILED)
		return NULL;
	for (uint64_t i = 0; i < bytes / 8; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		words[i] = without_zeros(x);
	}
	return memory;
}

char *pario_replay_make_buffer(uint64_t bytes)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		memset(memory, 0, bytes < PARIO_REPLAY_USED ? bytes : PARIO_REPLAY_USED);
	return memory;
}

/*
 * Transfers of whole sectors begin at a page, as O_DIRECT wants it, and each at the next one. Others follow each other:
 * what a program prints line by line lies in the processor's cache.
 */
static uint64_t turn(struct pario_replay_actor *a, uint64_t bytes, uint64_t within)
{
	uint64_t at = a->turn;

	if (bytes % SECTOR == 0)
		at = (at + PAGE - 1) / PAGE * PAGE;
	a->turn = at +
		  (bytes % SECTOR == 0 || bytes > PAGE ? PAGE : (bytes + LINE - 1) / LINE * LINE);
	return at % within;
}

char *pario_replay_memory(struct pario_replay_actor *a, uint64_t bytes)
{
	return a->buffer + turn(a, bytes, PARIO_REPLAY_MARGIN);
}

char *pario_replay_data(struct pario_replay_actor *a, uint64_t bytes)
{
	return a->replay->data + turn(a, bytes, PARIO_REPLAY_SPARE);
}
