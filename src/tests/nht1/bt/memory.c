/*
 * memory: a file of /dev/shm that has no name any more once all have mapped it.
 */
#include "tests/nht1/bt/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/room.h"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

enum { LARGE = PARIO_BT_LARGE_PAGE, TRIES = 1000, NAME_CAPACITY = 64 };

static size_t whole(size_t bytes)
{
	return (bytes + LARGE - 1) / LARGE * LARGE;
}

/* Pages that are not there when they are touched end the program: better to ask. */
static int stretch(int fd, size_t bytes)
{
	struct pario_room room;

	pario_room_of(fd, &room);
	if (room.free_bytes < bytes) {
		errno = ENOSPC;
		return -1;
	}
	return ftruncate(fd, (off_t)bytes);
}

/* A descriptor, or -1 with errno; the name only where there is a descriptor. */
static int create(char name[NAME_CAPACITY], size_t bytes)
{
	int fd = -1;

	errno = EEXIST;
	for (int i = 0; i < TRIES && fd < 0 && errno == EEXIST; i++) {
		snprintf(name, NAME_CAPACITY, "/pario-bt-%ld-%d", (long)getpid(), i);
		fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	}
	if (fd < 0) {
		name[0] = '\0';
	} else if (stretch(fd, bytes) < 0) {
		int sys = errno;

		shm_unlink(name);
		close(fd);
		name[0] = '\0';
		errno = sys;
		fd = -1;
	}
	return fd;
}

/* At a multiple of the large page, as its place in the file is one. */
static void *map(int fd, size_t bytes)
{
	char *room = mmap(NULL, bytes + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *at;

	if (room == MAP_FAILED)
		return NULL;
	at = (char *)(((uintptr_t)room + LARGE - 1) / LARGE * LARGE);
	if (at > room)
		munmap(room, (size_t)(at - room));
	munmap(at + bytes, (size_t)(room + LARGE - at));
	if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED)
		return at;
	munmap(at, bytes);
	return NULL;
}

int pario_bt_memory_map(MPI_Comm node, size_t bytes, void **memory, struct pario_err *err)
{
	char name[NAME_CAPACITY] = "";
	int seat, fd = -1, sys = 0;

	*memory = NULL;
	MPI_Comm_rank(node, &seat);
	if (seat == 0 && (fd = create(name, whole(bytes))) < 0)
		sys = errno;
	MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, node);
	MPI_Bcast(&sys, 1, MPI_INT, 0, node);
	if (seat != 0 && name[0] && (fd = shm_open(name, O_RDWR, 0)) < 0)
		sys = errno;
	if (fd >= 0 && !(*memory = map(fd, whole(bytes))))
		sys = errno;
	if (fd >= 0)
		close(fd);
	MPI_Barrier(node);
	if (seat == 0 && name[0])
		shm_unlink(name);
	if (*memory)
		return 0;
	return pario_err_sys(
		err, sys, "Is there room in /dev/shm? Use fewer ranks per node or a smaller class.",
		"%zu bytes of memory shared by the ranks of a node for the fields of BT failed",
		bytes);
}

void pario_bt_memory_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, whole(bytes));
}

/* Page by page: one that cannot be had does not keep the others from being tried. */
void pario_bt_memory_enlarge(void *from, size_t bytes)
{
	uintptr_t at = ((uintptr_t)from + LARGE - 1) / LARGE * LARGE, end = (uintptr_t)from + bytes;

	for (; at + LARGE <= end; at += LARGE)
		madvise((void *)at, LARGE, MADV_COLLAPSE); /* a wish */
}
