/*
 * cache: evicts files from the page cache, then counts the pages that remain.
 */
#include "engine/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* The number is the same on every architecture that has unified numbers; older headers lack it. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* Pages that a running write-back or a per-processor list still holds leave after a moment. */
enum { EVICT_TRIES = 20, EVICT_PAUSE_NS = 5000000 };

/* Window for mincore: bounds the memory it needs. */
enum { MINCORE_PAGES = 1 << 16 };

struct cachestat_range {
	uint64_t offset, length;
};

struct cachestat_counts {
	uint64_t cached, dirty, writeback, evicted, recently_evicted;
};

static int open_plain(int dirfd, const char *name)
{
	return openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int resident_cachestat(int fd, uint64_t *pages)
{
	struct cachestat_range range = { 0, 0 };
	struct cachestat_counts counts;

	if (syscall(SYS_cachestat, fd, &range, &counts, 0) < 0)
		return -1;
	*pages = counts.cached;
	return 0;
}

static int resident_mincore(int fd, uint64_t bytes, uint64_t *pages)
{
	static unsigned char map[MINCORE_PAGES];
	uint64_t window = MINCORE_PAGES * page_size(), sum = 0;

	for (uint64_t at = 0; at < bytes; at += window) {
		size_t length = (size_t)(bytes - at < window ? bytes - at : window);
		size_t count = (length + page_size() - 1) / page_size();
		void *view = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)at);
		int failed;

		if (view == MAP_FAILED)
			return -1;
		failed = mincore(view, length, map);
		munmap(view, length);
		if (failed)
			return -1;
		for (size_t i = 0; i < count; i++)
			sum += map[i] & 1;
	}
	*pages = sum;
	return 0;
}

static const char *resident(int fd, uint64_t bytes, uint64_t *pages)
{
	if (resident_cachestat(fd, pages) == 0)
		return "cachestat";
	if (resident_mincore(fd, bytes, pages) == 0)
		return "mincore";
	return NULL;
}

int pario_cache_evict(int dirfd, const char *name, bool ours, struct pario_err *err)
{
	const struct timespec pause = { 0, EVICT_PAUSE_NS };
	/*
	 * What only exists in memory cannot leave it, and trying again would only let the processors fall asleep. It is
	 * asked for once all the same, so that a trace of pario says the same wherever it was made.
	 */
	int tries = pario_cache_in_memory(dirfd) ? 1 : EVICT_TRIES, fd;
	uint64_t pages = 0;
	struct stat st;

	fd = open_plain(dirfd, name);
	if (fd < 0)
		return errno == ENOENT ? 0
				       : pario_err_sys(err, errno, "", "%s cannot be opened", name);
	if (fstat(fd, &st) < 0 || (ours && fsync(fd) < 0)) {
		pario_err_sys(err, errno, pario_err_hint(errno), "%s cannot be made durable", name);
		close(fd);
		return -1;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	while (--tries && resident(fd, (uint64_t)st.st_size, &pages) && pages) {
		nanosleep(&pause, NULL);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
	close(fd);
	return 0;
}

void pario_cache_count(int dirfd, const char *name, struct pario_cache_state *state)
{
	int fd = open_plain(dirfd, name);
	const char *method;
	uint64_t pages = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		snprintf(state->reason, sizeof(state->reason), "%s cannot be looked at (%s)", name,
			 pario_err_name(errno));
	} else {
		method = resident(fd, (uint64_t)st.st_size, &pages);
		if (!method)
			snprintf(
				state->reason, sizeof(state->reason),
				"this kernel tells neither by cachestat nor by mincore what is cached (%s)",
				pario_err_name(errno));
		else
			snprintf(state->method, sizeof(state->method), "%s", method);
		state->pages_total += ((uint64_t)st.st_size + page_size() - 1) / page_size();
		state->pages_resident += pages;
	}
	if (fd >= 0)
		close(fd);
}

int pario_cache_drop_all(struct pario_err *err)
{
	static const char path[] = "/proc/sys/vm/drop_caches";
	int fd = open(path, O_WRONLY | O_CLOEXEC), failed;

	sync();
	failed = fd < 0 || write(fd, "3", 1) != 1 ? errno : 0;
	if (fd >= 0)
		close(fd);
	if (failed)
		return pario_err_sys(
			err, failed,
			"Run as root, or drop --drop_caches: pario evicts its own files "
			"in any case.",
			"the machine's caches cannot be dropped through %s", path);
	return 0;
}

bool pario_cache_in_memory(int dirfd)
{
	struct statfs fs;

	return fstatfs(dirfd, &fs) == 0 &&
	       ((unsigned long)fs.f_type == TMPFS_MAGIC || (unsigned long)fs.f_type == RAMFS_MAGIC);
}

int pario_cache_direct(struct pario_workspace *workspace, struct pario_err *err)
{
	static const char name[] = "direct";
	void *block = aligned_alloc(page_size(), page_size());
	int fd, passed;

	if (pario_cache_in_memory(workspace->dirfd) || !block) {
		free(block);
		return 0;
	}
	if (pario_workspace_name(workspace, name, err) < 0) {
		free(block);
		return -1;
	}
	memset(block, 0, page_size());
	fd = openat(workspace->dirfd, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_DIRECT, 0600);
	passed = fd >= 0 && pwrite(fd, block, page_size(), 0) == (ssize_t)page_size();
	if (fd >= 0)
		close(fd);
	free(block);
	return pario_workspace_drop(workspace, name, err) < 0 ? -1 : passed;
}
