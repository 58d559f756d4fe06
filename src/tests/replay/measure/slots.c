/*
 * slots: descriptors of the original and what stands behind them here.
 */
#include <fcntl.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum { PAGE = 4096 };

struct pario_replay_slot *pario_replay_slot(struct pario_replay_actor *a, int32_t fd)
{
	return fd < 0 || (uint32_t)fd >= a->replay->scan->slots ? NULL : &a->process->slots[fd];
}

bool pario_replay_path(struct pario_replay_actor *a, uint32_t file, char path[PARIO_PLACE_CAPACITY])
{
	const struct pario_trace_file *f = pario_trace_file_of(a->replay->trace, file);

	return f && f->name && a->replay->scan->files[file].storage &&
	       pario_replay_place(f->name, path);
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
	slot->on_exec = on_exec;
}

static uint64_t turn(struct pario_replay_actor *a, uint64_t within)
{
	a->turn += PAGE;
	return a->turn % within;
}

char *pario_replay_memory(struct pario_replay_actor *a)
{
	return a->buffer + turn(a, PARIO_REPLAY_MARGIN);
}

char *pario_replay_data(struct pario_replay_actor *a)
{
	return a->replay->data + turn(a, PARIO_REPLAY_SPARE);
}
