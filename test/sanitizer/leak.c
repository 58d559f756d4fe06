/*
 * leak: is a leak of our own still seen below the suppressions for MPI's?
 *
 * Loses 777 bytes in an MPI program. The gate expects it to fail and the report to name that number.
 */
#include <stdlib.h>

#include <mpi.h>

static void lose(size_t bytes)
{
	/* Through volatile, so that the compiler cannot drop the allocation. */
	char *volatile lost = malloc(bytes);

	lost = NULL;
	(void)lost;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	lose(777);
	MPI_Finalize();
	return 0;
}
