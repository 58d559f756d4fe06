/*
 * transfer_file: writes and hashes the file one piece at a time, in bounded memory.
 */
#include "tests/nht1/network/transfer_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/whole.h"
#include "engine/test.h"

enum { PIECE = 4 << 20 };

static int make(struct pario_run *run, int fd, uint64_t bytes, char *buffer, XXH3_state_t *state)
{
	uint64_t pieces = (bytes + PIECE - 1) / PIECE;

	for (uint64_t i = 0; pario_run_more(run, i, pieces); i++) {
		uint64_t at = i * PIECE, length = bytes - at < PIECE ? bytes - at : PIECE;

		pario_run_fill(run, 0, run->client, buffer, at, length);
		XXH3_64bits_update(state, buffer, length);
		if (pario_whole_write(fd, buffer, length, at) < length)
			return -1;
	}
	return 0;
}

int pario_transfer_file_make(struct pario_run *run, int dirfd, const char *name, uint64_t bytes,
			     uint64_t *hash, struct pario_err *err)
{
	char *buffer = aligned_alloc(4096, PIECE);
	XXH3_state_t *state = XXH3_createState();
	int fd = -1, status = -1;

	if (!buffer || !state) {
		pario_err_memory(err, "the data");
		goto release;
	}
	XXH3_64bits_reset(state);
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		pario_run_file_error(dirfd, name, "creating", err);
	} else if (make(run, fd, bytes, buffer, state) < 0) {
		pario_run_file_error(dirfd, name, "writing", err);
	} else {
		*hash = XXH3_64bits_digest(state);
		status = 0;
	}
	if (fd >= 0 && close(fd) < 0 && status == 0)
		status = pario_run_file_error(dirfd, name, "closing", err);
release:
	XXH3_freeState(state);
	free(buffer);
	return status;
}

int pario_transfer_file_hash(int dirfd, const char *name, uint64_t *hash, uint64_t *bytes,
			     struct pario_err *err)
{
	int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char *buffer = aligned_alloc(4096, PIECE);
	XXH3_state_t *state = XXH3_createState();
	uint64_t sum = 0;
	ssize_t n = -1;

	if (fd >= 0 && buffer && state) {
		XXH3_64bits_reset(state);
		while ((n = read(fd, buffer, PIECE)) > 0 || (n < 0 && errno == EINTR)) {
			if (n < 0)
				continue;
			XXH3_64bits_update(state, buffer, (size_t)n);
			sum += (uint64_t)n;
		}
	}
	if (n < 0) {
		pario_run_file_error(dirfd, name, "reading", err);
	} else {
		*hash = XXH3_64bits_digest(state);
		*bytes = sum;
	}
	if (fd >= 0)
		close(fd);
	XXH3_freeState(state);
	free(buffer);
	return n < 0 ? -1 : 0;
}
