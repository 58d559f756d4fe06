/*
 * whole: a signal, or a kernel that moves less than it was asked for, is no end.
 */
#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

/* Goes on? `n` is what the last call returned. */
static int more(ssize_t n, uint64_t *done)
{
	if (n > 0)
		*done += (uint64_t)n;
	else if (n == 0)
		errno = 0;
	return n > 0 || (n < 0 && errno == EINTR);
}

uint64_t pario_whole_read(int fd, void *to, uint64_t length, uint64_t offset)
{
	uint64_t done = 0;

	while (done < length &&
	       more(pread(fd, (char *)to + done, length - done, (off_t)(offset + done)), &done))
		;
	return done;
}

uint64_t pario_whole_write(int fd, const void *from, uint64_t length, uint64_t offset)
{
	uint64_t done = 0;

	while (done < length &&
	       more(pwrite(fd, (const char *)from + done, length - done, (off_t)(offset + done)),
		    &done))
		;
	return done;
}
