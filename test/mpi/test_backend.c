/*
 * test_backend: do the storage backends keep the contract of backend.h?
 *
 *   test_backend DIR BACKEND...
 *
 * run: @DIR@ null posix uring mmap
 *
 * Runs at any number of clients. All files lie in a private directory below DIR and are removed;
 * only transfers above 2 GiB go to /dev/shm, when there is room. The first violation is told in one
 * sentence and ends the whole job with status 1. What cannot be tested here is said and passed
 * over.
 */
#include "backend_checks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"

static void test_shared(const char *mode, uint64_t size)
{
	uint64_t total = BLOCKS * (uint64_t)clients * size;
	char *buffer = aligned(size), again[8] = "r";
	struct pario_open how = how_to("shared", mode, total);
	struct pario_file file;
	struct pario_err err;

	if (try_open(&file, &how, &err) < 0) {
		check(how.direct && err.sys == EINVAL, "open: %s", err.text);
		skip("direct", "the filesystem refuses it");
		check(faccessat(workspace, "shared", F_OK, 0) < 0, "a refused create left a file");
		free(buffer);
		return;
	}
	write_interleaved(&file, buffer, size);
	read_neighbour(&file, buffer, size);
	close_file(&file);
	strcat(again, how.direct ? "d" : "");
	file = open_file("shared", again, total);
	read_neighbour(&file, buffer, size);
	check(how.direct || backend->extent->read(&file, buffer, size, total - size + 1, &err) < 0,
	      "a read over the end of the file succeeded");
	check(backend->extent->read(&file, buffer, size, total, &err) < 0,
	      "a read behind the end of the file succeeded");
	check(strstr(err.text, "shared") && !strstr(err.text, "failed") && !err.sys,
	      "the end of the file is told as \"%s\"", err.text);
	close_file(&file);
	remove_file("shared");
	free(buffer);
}

static void test_exclusive(void)
{
	struct pario_file file = open_file("once", "wc", PAGE);

	close_file(&file);
	refused("a file that exists", "once", "wc", EEXIST);
	check(faccessat(workspace, "once", F_OK, 0) == 0, "a refused create removed the file");
	remove_file("once");
	refused("a file that does not exist", "once", "r", ENOENT);
}

static void test_planted(void)
{
	if (rank == 0) {
		int fd = openat(workspace, "target", O_CREAT | O_WRONLY, 0600);

		check(fd >= 0 && ftruncate(fd, PAGE) == 0, "cannot make the target of a link");
		close(fd);
		check(symlinkat("target", workspace, "link") == 0, "cannot plant a link");
		check(mkfifoat(workspace, "fifo", 0600) == 0, "cannot plant a FIFO");
		check(symlinkat("nowhere", workspace, "hanging") == 0, "cannot plant a link");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	refused("a symbolic link", "link", "r", ELOOP);
	refused("a symbolic link", "link", "rw", ELOOP);
	refused("a symbolic link", "link", "wc", EEXIST);
	refused("a hanging link", "hanging", "wc", EEXIST);
	refused("a FIFO", "fifo", "r", 0);
	refused("a FIFO", "fifo", "rw", 0);
	refused("a FIFO", "fifo", "w", 0);
	refused("a FIFO", "fifo", "wc", EEXIST);
	remove_file("link");
	remove_file("hanging");
	remove_file("fifo");
	remove_file("target");
}

static void test_preallocate(void)
{
	struct pario_open how = how_to("reserved", "wcp", 1000001);
	struct pario_err err;
	struct pario_file file;
	struct stat st;

	if (try_open(&file, &how, &err) < 0) {
		check(err.sys == EOPNOTSUPP, "preallocate: %s", err.text);
		skip("preallocate", "the filesystem cannot reserve space");
		return;
	}
	check(fstatat(workspace, "reserved", &st, 0) == 0 && st.st_size == 1000001,
	      "a preallocated file has %lld bytes instead of 1000001", (long long)st.st_size);
	check((st.st_blocks * 512) >= 1000001, "a preallocated file holds %lld bytes of storage",
	      (long long)st.st_blocks * 512);
	close_file(&file);
	remove_file("reserved");
}

/*
 * A failure belongs to its request: of a full queue in which every second one fails, all come back, each with its own
 * result, and the queue works on. What fails: reads behind the end of the file, or what null is told to.
 */
static void test_failures_in_queue(struct pario_file *file, char *buffers, uint64_t size)
{
	unsigned depth = file->how.queue_depth, back = 0, bad = 0;
	bool stores = !(backend->bits & PARIO_BACKEND_NO_DATA);
	struct pario_request requests[64] = { { 0 } }, *done[64];
	struct pario_err err = { 0 };

	for (unsigned i = 0; i < depth; i++) {
		requests[i] =
			(struct pario_request){ .buffer = buffers + i * size,
						.length = size,
						.slot = i,
						.offset =
							i % 2 == 0 && stores ? file->how.size : 0 };
		check(backend->extent->submit(file, &requests[i], &err) == 0, "submit: %s",
		      err.text);
	}
	while (back < depth) {
		int n = backend->extent->reap(file, depth - back, 3, done, &err);

		check(n > 0, "reap gave %d after %u of %u requests", n, back, depth);
		for (int i = 0; i < n; i++) {
			unsigned which = (unsigned)(done[i] - requests);
			bool fails = stores ? which % 2 == 0 : which == 0;

			check(done[i]->status == (fails ? -1 : 0), "request %u came back with %d",
			      which, done[i]->status);
			bad += done[i]->status < 0;
		}
		back += (unsigned)n;
	}
	check(bad == (stores ? (depth + 1) / 2 : 1), "%u of %u requests failed", bad, depth);
	check(err.code == PARIO_SYSTEM && strstr(err.text, file->how.path), "odd error \"%s\"",
	      err.text);
	check(backend->extent->reap(file, 1, 1, done, &err) == 0, "a request came back twice");
}

static void test_queue(unsigned depth, uint64_t size, bool announce)
{
	enum { COUNT = 100 };
	char *buffers = aligned(depth * size);
	struct pario_open how = how_to("queue", "rwc", COUNT * (uint64_t)clients * size);
	struct pario_request inside = { .buffer = buffers, .length = size };
	struct pario_request *done[1];
	struct pario_err err = { 0 };
	struct pario_file file;

	how.queue_depth = depth;
	how.buffers = announce ? buffers : NULL;
	how.buffer_size = announce ? size : 0;
	file = open_how(&how);
	pump(&file, true, COUNT, size, buffers);
	MPI_Barrier(MPI_COMM_WORLD);
	pump(&file, false, COUNT, size, buffers);
	if (!(backend->bits & PARIO_BACKEND_NO_DATA)) {
		test_failures_in_queue(&file, buffers, size);
		/* left unreaped on purpose: close has to cope */
		check(backend->extent->submit(&file, &inside, &err) == 0, "submit: %s", err.text);
		check(backend->extent->reap(&file, 0, 0, done, &err) == 0, "reap of none");
	}
	close_file(&file);
	remove_file("queue");
	free(buffers);
}

static void test_queues(void)
{
	static const unsigned depths[] = { 1, 2, 8, 32 };
	static const char *const ways[] = { "", "uring_fixed=0", "uring_sqpoll=1" };
	unsigned many = backend == &pario_backend_uring ? 3 : 1;

	if (!backend->extent->submit)
		return;
	for (unsigned w = 0; w < many; w++) {
		set_params(ways[w]);
		for (unsigned i = 0; i < 4; i++) {
			test_queue(depths[i], 4097, true);
			test_queue(depths[i], PAGE, false);
		}
	}
	set_params("");
}

/* A limit on the size of files makes the kernel really move less than asked for. */
static void test_limit(void)
{
	struct rlimit before, limit;
	struct pario_err err = { 0 };
	char *buffer = aligned(2 * PAGE);
	struct pario_open how = how_to("limited", "rwc", 2 * PAGE);
	struct pario_file file;
	char own[32];

	snprintf(own, sizeof(own), "limited%d", rank);
	how.name = own;
	how.comm = MPI_COMM_SELF;
	file = open_how(&how);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 2 * PAGE;
	setrlimit(RLIMIT_FSIZE, &limit);
	fill(buffer, 2 * PAGE, PAGE);
	check(backend->extent->write(&file, buffer, 2 * PAGE, PAGE, &err) < 0,
	      "a write over the limit on file sizes succeeded");
	setrlimit(RLIMIT_FSIZE, &before);
	check(err.sys == EFBIG && strstr(err.text, "EFBIG") && strstr(err.text, "offset 8 KiB"),
	      "odd error \"%s\"", err.text);
	check(backend->extent->read(&file, buffer, PAGE, PAGE, &err) == 0, "read: %s", err.text);
	verify(buffer, PAGE, PAGE);
	close_file(&file);
	unlinkat(workspace, own, 0);
	free(buffer);
}

static void test_read_only(void)
{
	struct pario_file file = open_file("fixed", "wc", PAGE);
	struct pario_err err = { 0 };
	char byte = 1;

	check(backend->extent->write(&file, &byte, 1, PAGE - 1, &err) == 0, "write: %s", err.text);
	MPI_Barrier(MPI_COMM_WORLD);
	close_file(&file);
	file = open_file("fixed", "r", PAGE);
	check(backend->extent->write(&file, &byte, 1, 0, &err) < 0 && err.sys == EBADF,
	      "a file opened to be read was written, or odd error \"%s\"", err.text);
	close_file(&file);
	remove_file("fixed");
}

static void test_cut_short(void)
{
	struct pario_file file = open_file("cut", "rwc", 4 * PAGE);
	struct sigaction before, after;
	struct pario_err err = { 0 };
	char byte = 1;

	check(backend->extent->write(&file, &byte, 1, 3 * PAGE, &err) == 0, "write: %s", err.text);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		check(truncate(file.how.path, PAGE) == 0, "cannot cut the file");
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 2; i++) {
		check(backend->extent->write(&file, &byte, 1, 3 * PAGE, &err) < 0 &&
			      strstr(err.text, "cut"),
		      "a write behind the cut end succeeded, or odd error \"%s\"", err.text);
		check(backend->extent->read(&file, &byte, 1, 2 * PAGE, &err) < 0,
		      "a read behind the cut end succeeded");
	}
	check(backend->extent->write(&file, &byte, 1, 0, &err) == 0, "write: %s", err.text);
	sigaction(SIGBUS, NULL, &before);
	close_file(&file);
	sigaction(SIGBUS, NULL, &after);
	check(before.sa_sigaction != after.sa_sigaction, "the SIGBUS handler outlives the file");
	remove_file("cut");
}

static void test_contradictions(void)
{
	struct pario_open how = how_to("any", "rwc", PAGE);
	struct pario_err err = { 0 };

	check(backend->check(&how, &err) == 0, "plain use is refused: %s", err.text);
	how.collective = true;
	check(backend->check(&how, &err) < 0 && err.code == PARIO_USAGE, "collective passes");
	how.collective = false;
	how.queue_depth = 8;
	check((backend->check(&how, &err) < 0) == !backend->extent->submit,
	      "a queue depth of 8 is judged wrongly");
	how.queue_depth = 1;
	how.direct = true;
	check((backend->check(&how, &err) < 0) == !(backend->bits & PARIO_BACKEND_DIRECT),
	      "direct is judged wrongly");
}

static void *big_buffer(uint64_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	check(p != MAP_FAILED, "cannot map %llu bytes", (unsigned long long)size);
	return p;
}

static void big_transfer(const char *path, int shm)
{
	const uint64_t length = ((uint64_t)2 << 30) + PAGE, base = (uint64_t)5 << 30;
	const uint64_t places[] = { 0, (1u << 30) - 8, (uint64_t)(1u << 31) - PAGE, (1u << 31),
				    length - 16 };
	char *buffer = big_buffer(length);
	struct pario_open how = how_to(path + strlen("/dev/shm/"), "rwc", 0);
	struct pario_err err = { 0 };
	struct pario_file file;

	how.dirfd = shm;
	how.path = path;
	how.comm = MPI_COMM_SELF;
	file = open_how(&how);
	unlink(path);
	for (size_t i = 0; i < 5; i++)
		fill(buffer + places[i], 16, base + places[i]);
	check(backend->extent->write(&file, buffer, length, base, &err) == 0, "write of 2 GiB: %s",
	      err.text);
	munmap(buffer, length);
	buffer = big_buffer(length);
	check(backend->extent->read(&file, buffer, length, base, &err) == 0, "read of 2 GiB: %s",
	      err.text);
	for (size_t i = 0; i < 5; i++)
		verify(buffer + places[i], 16, base + places[i]);
	check(buffer[PAGE] == 0, "a byte that was never set is not 0");
	munmap(buffer, length);
	close_file(&file);
}

static void test_big(void)
{
	const uint64_t need = (uint64_t)6 << 30;
	uint64_t memory = (uint64_t)sysconf(_SC_AVPHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	struct statvfs fs;
	char path[64];
	int shm;

	if (getenv("CHECK_SMALL"))
		return;
	if (rank == 0) {
		shm = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		snprintf(path, sizeof(path), "/dev/shm/pario-test-%d", (int)getpid());
		if (shm < 0 || fstatvfs(shm, &fs) < 0 || fs.f_bavail * fs.f_frsize < need ||
		    memory < need)
			skip("2 GiB", "less than 6 GiB free in /dev/shm or in memory");
		else
			big_transfer(path, shm);
		if (shm >= 0)
			close(shm);
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/*
 * Null: 10 operations, of which `bad` (from 1, 0 = none) must fail with `sys`; returns the time
 * they took.
 */
static int64_t ten(const char *words, bool write, unsigned bad, int sys)
{
	struct pario_err err = { 0 };
	struct pario_file file;
	int64_t start;

	set_params(words);
	file = open_file("none", write ? "wc" : "r", 0);
	start = pario_clock_ns();
	for (unsigned i = 1; i <= 10; i++) {
		int status = write ? backend->extent->write(&file, NULL, 1 << 20, i << 20, &err)
				   : backend->extent->read(&file, NULL, 1 << 20, i << 20, &err);

		check((status < 0) == (i == bad), "with %s operation %u gave %d", words, i, status);
		check(i != bad || (err.sys == sys && strstr(err.text, pario_err_name(sys))),
		      "with %s the error is \"%s\"", words, err.text);
	}
	start = pario_clock_ns() - start;
	close_file(&file);
	return start;
}

static void null_fails_in_queue(const char *words)
{
	char buffers[8 * 7];
	struct pario_file file;
	struct pario_open how;

	set_params(words);
	how = how_to("none", "r", 0);
	how.queue_depth = 8;
	file = open_how(&how);
	test_failures_in_queue(&file, buffers, 7);
	close_file(&file);
}

static void test_null_failures(void)
{
	char words[64];

	ten("", true, 0, 0);
	for (unsigned i = 1; i <= 10; i++) {
		snprintf(words, sizeof(words), "fail_at=%u", i);
		ten(words, i % 2, i, EIO);
	}
	ten("fail_at=3 fail_on=write fail_errno=enospc", true, 3, ENOSPC);
	ten("fail_at=3 fail_on=write", false, 0, 0);
	ten("fail_at=3 fail_on=read", false, 3, EIO);
	ten("fail_at=11", true, 0, 0);
	ten("fail_at=1 fail_on=sync", true, 0, 0);
	snprintf(words, sizeof(words), "fail_at=4 fail_client=%d", clients - 1);
	ten(words, true, rank == clients - 1 ? 4 : 0, EIO);
	ten("short_at=5", true, 0, 0);
	ten("short_at=5 fail_at=6", false, 6, EIO);
	null_fails_in_queue("fail_at=1");
	null_fails_in_queue("fail_at=1 short_at=2");
	set_params("fail_at=1 fail_on=open fail_client=0");
	refused("a file planted to fail", "none", "r", EIO);
}

static void test_null_ends(void)
{
	struct pario_err err = { 0 };
	struct pario_file file;

	set_params("fail_at=2 fail_on=sync");
	file = open_file("none", "r", 0);
	check(backend->extent->sync(&file, &err) == 0, "the first sync failed");
	check(backend->extent->sync(&file, &err) < 0, "the second sync succeeded");
	check(backend->extent->sync(&file, &err) == 0, "the third sync failed");
	close_file(&file);
	set_params("fail_at=1 fail_on=close");
	file = open_file("none", "r", 0);
	check(backend->extent->close(&file, &err) < 0 && !file.state, "the close succeeded");
}

/* Lower bounds only: a loaded machine may take any time longer, never less. */
static void test_null_delays(void)
{
	struct pario_open how;
	struct pario_file file;
	char buffers[8 * 7];
	int64_t start;

	check(ten("delay=1000", true, 0, 0) >= 10000000, "10 delays of 1 ms took less");
	check(ten("delay=20", true, 0, 0) >= 200000, "10 delays of 20 us took less");
	check(ten("delay_per_mib=500", false, 0, 0) >= 5000000, "10 MiB of 500 us took less");
	set_params("delay=1000 short_at=7");
	how = how_to("none", "wc", 0);
	how.queue_depth = 8;
	file = open_how(&how);
	start = pario_clock_ns();
	pump(&file, true, 64, 7, buffers);
	check(pario_clock_ns() - start >= 8000000, "64 delays of 1 ms, 8 at once, took under 8 ms");
	close_file(&file);
	set_params("");
}

static void test_agree(void)
{
	struct pario_err err = { 0 };
	int status = 0;

	check(pario_comm_agree(MPI_COMM_WORLD, 0, NULL, &err) == 0, "success is not agreed on");
	if (rank >= clients / 2)
		status = pario_err_sys(&err, ENOSPC, NULL, "planted by %d", rank);
	check(pario_comm_agree(MPI_COMM_WORLD, status, NULL, &err) == -1, "a failure is not seen");
	check(err.sys == ENOSPC && err.code == PARIO_SYSTEM &&
		      atoi(err.text + strlen("planted by ")) == clients / 2,
	      "the wrong client spoke: %s", err.text);
}

static void test_storage(void)
{
	static const uint64_t sizes[] = { 1, 7, 4095, 4097, 65536 };

	test_exclusive();
	test_planted();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		test_shared("rwc", sizes[i]);
	if (backend->bits & PARIO_BACKEND_DIRECT)
		test_shared("rwcd", 65536);
	test_preallocate();
	test_read_only();
	if (backend == &pario_backend_mmap)
		test_cut_short();
	if (backend == &pario_backend_posix || backend == &pario_backend_uring) {
		test_limit();
		test_big();
	}
}

static void test_backend(const char *name)
{
	const char *reason;
	char text[128];

	backend = pario_backend_find(name);
	check(backend, "there is no backend named %s", name);
	reason = backend->unavailable ? backend->unavailable() : NULL;
	if (reason) {
		skip("all", reason);
		return;
	}
	set_params("");
	if (backend->check)
		test_contradictions();
	if (backend->bits & PARIO_BACKEND_NO_DATA) {
		test_null_failures();
		test_null_ends();
		test_null_delays();
	} else {
		test_storage();
	}
	test_queues();
	free(params);
	params = NULL;
	backend->version(text, sizeof(text));
	if (rank == 0)
		printf("pass %s (%s) at %d clients\n", backend->name, text, clients);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &clients);
	alarm(HANG_S);
	if (argc < 3) {
		if (rank == 0)
			fprintf(stderr, "usage: test_backend DIR BACKEND...\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	snprintf(dir, sizeof(dir), "%s/pario-test-XXXXXX", argv[1]);
	if (rank == 0)
		check(mkdtemp(dir), "cannot make a directory in %s", argv[1]);
	MPI_Bcast(dir, (int)sizeof(dir), MPI_CHAR, 0, MPI_COMM_WORLD);
	workspace = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	check(workspace >= 0, "cannot open %s", dir);
	test_agree();
	for (int i = 2; i < argc; i++)
		test_backend(argv[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		sweep_up();
	close(workspace);
	MPI_Finalize();
	return 0;
}
