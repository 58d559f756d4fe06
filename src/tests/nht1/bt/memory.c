/*
 * memory: a file of /dev/shm that has no name any more once all have mapped it.
 */
#include "tests/nht1/bt/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/room.h"

enum { TRIES = 1000, NAME_CAPACITY = 64 };

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

int pario_bt_memory_map(MPI_Comm node, size_t bytes, void **memory, struct pario_err *err)
{
	char name[NAME_CAPACITY] = "";
	int seat, fd = -1, sys = 0;

	*memory = NULL;
	MPI_Comm_rank(node, &seat);
	if (seat == 0 && (fd = create(name, bytes)) < 0)
		sys = errno;
	MPI_Bcast(name, sizeof(name), MPI_CHAR, 0, node);
	MPI_Bcast(&sys, 1, MPI_INT, 0, node);
	if (seat != 0 && name[0] && (fd = shm_open(name, O_RDWR, 0)) < 0)
		sys = errno;
	if (fd >= 0) {
		void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (map == MAP_FAILED)
			sys = errno;
		else
			*memory = map;
		close(fd);
	}
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
		munmap(memory, bytes);
}
