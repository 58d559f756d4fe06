/*
 * mapped: maps two parts of a file, 3 pages from page 1 on and 1 page, and touches each of 4000 pages of memory.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int fd = open("mapped.data", O_CREAT | O_RDWR, 0600);
	volatile char *a, *b, *memory;
	char sum = 0;

	if (ftruncate(fd, 5 * 4096) != 0)
		return 1;
	a = mmap(NULL, 3 * 4096, PROT_READ, MAP_SHARED, fd, 4096);
	b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memory =
		mmap(NULL, 4000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a == MAP_FAILED || b == MAP_FAILED || memory == MAP_FAILED)
		return 1;
	madvise((void *)memory, 4000 * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < 4000; i++)
		memory[i * 4096] = 1;
	b[0] = 1;
	for (int i = 0; i < 3; i++)
		sum += a[i * 4096];
	return sum;
}
