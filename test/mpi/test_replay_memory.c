/*
 * test_replay_memory: which pages of the memory to read into are there before the first read?
 *
 * run:
 * clients: 1
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

#include "tests/replay/measure/replay.h"

enum { PAGE = 4096, LARGE = 1 << 20 };

static unsigned there(char *memory, size_t bytes)
{
	unsigned char pages[LARGE / PAGE];
	unsigned count = 0;

	if (mincore(memory, bytes, pages) < 0)
		return 0;
	for (size_t i = 0; i < bytes / PAGE; i++)
		count += pages[i] & 1;
	return count;
}

int main(int argc, char **argv)
{
	char *small, *large;
	int failures = 0;

	MPI_Init(&argc, &argv);
	small = pario_replay_make_buffer(16 * PAGE);
	large = pario_replay_make_buffer(LARGE);
	if (there(small, 16 * PAGE) != 16) {
		printf("a small read would wait for pages that a program has\n");
		failures++;
	}
	if (there(large, PARIO_REPLAY_USED) != PARIO_REPLAY_USED / PAGE ||
	    there(large, LARGE) != PARIO_REPLAY_USED / PAGE) {
		printf("%u pages of a large buffer are there instead of %u\n", there(large, LARGE),
		       (unsigned)PARIO_REPLAY_USED / PAGE);
		failures++;
	}
	munmap(small, 16 * PAGE);
	munmap(large, LARGE);
	MPI_Finalize();
	return failures != 0;
}
