/*
 * Do the backends on top of MPI-IO put every byte where it belongs?
 *
 * run: @DIR@ mpiio hdf5 pnetcdf
 *
 * test_library_backends DIR BACKEND... (mpiio, hdf5, pnetcdf), any number of clients. What is written follows
 * from the position alone; it is read back by another client, for mpiio also with pread. Exit 77 when none of
 * the backends named is available.
 */
#include "backend/backend.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "library_arrays.h"
#include "library_backends.h"

extern const struct pario_backend pario_backend_mpiio, pario_backend_hdf5, pario_backend_pnetcdf;

enum { BLOCK = 9000, COUNT = 6, DEPTH = 8 };

static bool open_extent(struct pario_file *file, const struct pario_open *how)
{
	struct pario_err err = { 0 };

	file->backend = &pario_backend_mpiio;
	return expect(!pario_backend_mpiio.extent->open(file, how, &err), "%s", err.text);
}

static void close_extent(struct pario_file *file, bool sync)
{
	struct pario_err err = { 0 };

	if (sync)
		expect(!pario_backend_mpiio.extent->sync(file, &err), "%s", err.text);
	expect(!pario_backend_mpiio.extent->close(file, &err), "%s", err.text);
}

/* Blocks of all clients in turn; client `who`'s are moved and, when read, compared. */
static void move_blocks(struct pario_file *file, bool write, int who)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	static uint8_t buffer[BLOCK];
	struct pario_err err = { 0 };

	for (int i = 0; i < COUNT; i++) {
		uint64_t at = (uint64_t)(i * clients + who) * BLOCK;

		memset(buffer, 0, BLOCK);
		if (write) {
			fill(buffer, BLOCK, at);
			expect(!ops->write(file, buffer, BLOCK, at, &err), "%s", err.text);
		} else if (expect(!ops->read(file, buffer, BLOCK, at, &err), "%s", err.text)) {
			holds(buffer, BLOCK, at);
		}
	}
}

static void test_blocks(const char *settings, bool collective)
{
	struct pario_open how;
	struct pario_file file = { 0 };

	parse(&pario_backend_mpiio, settings);
	how = how_of("blocks", true);
	how.collective = collective;
	if (!open_extent(&file, &how))
		return;
	move_blocks(&file, true, rank);
	close_extent(&file, true);
	check_plain("blocks", (uint64_t)COUNT * (uint64_t)clients * BLOCK);
	how = how_of("blocks", false);
	how.collective = collective;
	if (open_extent(&file, &how)) {
		/* The ordered call hands out the blocks by rank. */
		move_blocks(&file, false, strstr(settings, "shared") ? rank : (rank + 1) % clients);
		close_extent(&file, false);
	}
	remove_file("blocks");
}

/* Clients with different lengths, one with none: the number of calls must still be the same. */
static void test_uneven(void)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	uint64_t length = (uint64_t)rank * 10000, total = 0, at = 0;
	uint8_t *buffer = malloc(length + 1);
	struct pario_err err = { 0 };
	struct pario_open how;
	struct pario_file file = { 0 };

	for (int r = 0; r < clients; r++) {
		at += r < rank ? (uint64_t)r * 10000 : 0;
		total += (uint64_t)r * 10000;
	}
	parse(&pario_backend_mpiio, "mpiio_chunk=4k");
	how = how_of("uneven", true);
	how.collective = true;
	if (open_extent(&file, &how)) {
		fill(buffer, length, at);
		expect(!ops->write(&file, buffer, length, at, &err), "%s", err.text);
		memset(buffer, 0, length);
		expect(!ops->read(&file, buffer, length, at, &err), "%s", err.text);
		holds(buffer, length, at);
		close_extent(&file, true);
		check_plain("uneven", total);
	}
	free(buffer);
	remove_file("uneven");
}

/* The client's blocks through a view; transfers do not end where blocks end. */
static void move_view(struct pario_file *file, bool write, int who)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	static uint8_t all[COUNT * BLOCK];
	struct pario_view view = { .displacement = (uint64_t)who * BLOCK,
				   .block = BLOCK,
				   .stride = (uint64_t)clients * BLOCK,
				   .count = COUNT };
	struct pario_err err = { 0 };

	expect(!ops->view(file, &view, &err), "%s", err.text);
	memset(all, 0, sizeof(all));
	for (int i = 0; i < COUNT && write; i++)
		fill(all + i * BLOCK, BLOCK, (uint64_t)(i * clients + who) * BLOCK);
	for (uint64_t at = 0; at < sizeof(all); at += BLOCK * 3 / 2)
		expect(!(write ? ops->write(file, all + at, BLOCK * 3 / 2, at, &err)
			       : ops->read(file, all + at, BLOCK * 3 / 2, at, &err)),
		       "%s", err.text);
	for (int i = 0; i < COUNT && !write; i++)
		holds(all + i * BLOCK, BLOCK, (uint64_t)(i * clients + who) * BLOCK);
	if (!write)
		expect(ops->read(file, all, BLOCK, COUNT * BLOCK, &err) < 0,
		       "reading past the end through a view succeeded");
}

static void test_view(const char *settings, bool collective)
{
	struct pario_open how;
	struct pario_file file = { 0 };

	parse(&pario_backend_mpiio, settings);
	how = how_of("view", true);
	how.collective = collective;
	if (!open_extent(&file, &how))
		return;
	move_view(&file, true, rank);
	close_extent(&file, true);
	check_plain("view", (uint64_t)COUNT * (uint64_t)clients * BLOCK);
	how = how_of("view", false);
	how.collective = collective;
	if (open_extent(&file, &how)) {
		move_view(&file, false, (rank + 1) % clients);
		close_extent(&file, false);
	}
	remove_file("view");
}

/* Records land in any order, but each whole and once: a record is the pattern of its own number. */
static void test_shared(void)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	static uint8_t buffer[BLOCK];
	int *seen = calloc((size_t)(clients * COUNT), sizeof(*seen)), number;
	struct pario_err err = { 0 };
	struct pario_open how;
	struct pario_file file = { 0 };

	parse(&pario_backend_mpiio, "pointer=shared");
	expect(pario_backend_mpiio.unordered(params), "a shared pointer is called ordered");
	how = how_of("shared", true);
	if (!open_extent(&file, &how))
		goto out;
	for (int i = 0; i < COUNT; i++) {
		number = rank * COUNT + i;
		fill(buffer, BLOCK, (uint64_t)number * BLOCK);
		memcpy(buffer, &number, sizeof(number));
		expect(!ops->write(&file, buffer, BLOCK, 0, &err), "%s", err.text);
	}
	close_extent(&file, true);
	MPI_Barrier(MPI_COMM_WORLD);
	how = how_of("shared", false);
	if (!open_extent(&file, &how))
		goto out;
	for (int i = 0; i < COUNT; i++) {
		memset(buffer, 0xff, BLOCK);
		expect(!ops->read(&file, buffer, BLOCK, 0, &err), "%s", err.text);
		memcpy(&number, buffer, sizeof(number));
		if (!expect(number >= 0 && number < clients * COUNT, "no record there"))
			continue;
		seen[number]++;
		holds(buffer + sizeof(number), BLOCK - sizeof(number),
		      (uint64_t)number * BLOCK + sizeof(number));
	}
	close_extent(&file, false);
	MPI_Allreduce(MPI_IN_PLACE, seen, clients * COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < clients * COUNT; i++)
		expect(seen[i] == 1, "record %d was found %d times", i, seen[i]);
out:
	free(seen);
	remove_file("shared");
}

/* All requests of a client, never more than DEPTH in flight, reaped in ones and twos. */
static void run_queue(struct pario_file *file, bool write, int who)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	static uint8_t buffers[DEPTH][BLOCK];
	struct pario_request requests[DEPTH], *done[2];
	struct pario_err err = { 0 };
	int next = 0, finished = 0, idle[DEPTH], idle_count = DEPTH;

	for (int i = 0; i < DEPTH; i++)
		idle[i] = i;
	while (finished < COUNT * DEPTH) {
		while (next < COUNT * DEPTH && idle_count) {
			int slot = idle[--idle_count];
			uint64_t at = (uint64_t)(next++ * clients + who) * BLOCK;

			requests[slot] = (struct pario_request){ .write = write,
								 .buffer = buffers[slot],
								 .length = BLOCK,
								 .offset = at,
								 .slot = (unsigned)slot };
			if (write)
				fill(buffers[slot], BLOCK, at);
			expect(!ops->submit(file, &requests[slot], &err), "%s", err.text);
		}
		int got = ops->reap(file, 1, 2, done, &err);

		if (!expect(got >= 1 && got <= 2, "reap returned %d: %s", got, err.text))
			return;
		for (int i = 0; i < got; i++) {
			expect(done[i]->status == 0, "a request failed: %s", err.text);
			if (!write)
				holds(done[i]->buffer, BLOCK, done[i]->offset);
			idle[idle_count++] = (int)done[i]->slot;
			finished++;
		}
	}
	expect(ops->reap(file, 0, 2, done, &err) == 0, "an empty queue gave requests");
	if (!write) {
		requests[0].offset = (uint64_t)(COUNT * DEPTH * clients) * BLOCK;
		expect(ops->submit(file, &requests[0], &err) < 0 ||
			       (ops->reap(file, 1, 1, done, &err) == 1 && done[0]->status < 0),
		       "reading past the end succeeded");
	}
}

static void test_queue(const char *settings)
{
	struct pario_open how;
	struct pario_file file = { 0 };

	parse(&pario_backend_mpiio, settings);
	how = how_of("queue", true);
	how.queue_depth = DEPTH;
	if (!open_extent(&file, &how))
		return;
	run_queue(&file, true, rank);
	close_extent(&file, true);
	check_plain("queue", (uint64_t)(COUNT * DEPTH * clients) * BLOCK);
	how = how_of("queue", false);
	how.queue_depth = DEPTH;
	if (open_extent(&file, &how)) {
		run_queue(&file, false, (rank + 1) % clients);
		close_extent(&file, false);
	}
	remove_file("queue");
}

static void test_past_end(bool collective)
{
	struct pario_err err = { 0 };
	struct pario_open how;
	struct pario_file file = { 0 };
	static uint8_t buffer[BLOCK];

	parse(&pario_backend_mpiio, "");
	how = how_of("end", true);
	how.collective = collective;
	how.preallocate = true;
	how.size = BLOCK;
	if (!open_extent(&file, &how))
		return;
	expect(pario_backend_mpiio.extent->read(&file, buffer, BLOCK, BLOCK / 2, &err) < 0,
	       "reading past the end succeeded");
	expect(err.code == PARIO_SYSTEM && strstr(err.text, path) && strstr(err.text, "end"),
	       "the sentence is: %s", err.text);
	close_extent(&file, false);
	remove_file("end");
}

/* A limit on the file's size stands for full storage; the error must come back as a sentence, not an abort. */
static void test_full(bool collective, unsigned depth)
{
	const struct pario_extent_ops *ops = pario_backend_mpiio.extent;
	struct rlimit old, limit;
	static uint8_t buffer[BLOCK];
	struct pario_request request = { .write = true, .buffer = buffer, .length = BLOCK }, *done;
	struct pario_err err = { 0 };
	struct pario_open how;
	struct pario_file file = { 0 };
	int status;

	parse(&pario_backend_mpiio, "");
	how = how_of("full", true);
	how.collective = collective;
	how.queue_depth = depth;
	if (!open_extent(&file, &how))
		return;
	getrlimit(RLIMIT_FSIZE, &old);
	limit = (struct rlimit){ .rlim_cur = BLOCK, .rlim_max = old.rlim_max };
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	request.offset = (uint64_t)(rank + 1) * BLOCK;
	if (depth > 1)
		status = ops->submit(&file, &request, &err) < 0 ||
					 ops->reap(&file, 1, 1, &done, &err) < 0
				 ? -1
				 : done->status;
	else
		status = ops->write(&file, buffer, BLOCK, request.offset, &err);
	/* Open MPI's OMPIO may lose the error of a collective call; then close must tell. */
	if (ops->close(&file, status < 0 ? NULL : &err) < 0)
		status = -1;
	setrlimit(RLIMIT_FSIZE, &old);
	expect(status < 0 && err.code == PARIO_SYSTEM && strstr(err.text, path),
	       "writing to full storage succeeded: %s", err.text);
	remove_file("full");
}

static void test_check(void)
{
	static const struct {
		const char *settings;
		unsigned depth;
		bool collective, fine;
	} cases[] = {
		{ "", 1, true, true },
		{ "", 8, false, true },
		{ "", 8, true, false },
		{ "pointer=individual", 8, false, false },
		{ "pointer=shared", 2, false, false },
		{ "pointer=shared mpiio_chunk=4k", 1, false, false },
		{ "pointer=individual", 1, true, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pario_err err = { 0 };
		struct pario_open how = how_of("check", true);
		int status;

		parse(&pario_backend_mpiio, cases[i].settings);
		how.queue_depth = cases[i].depth;
		how.collective = cases[i].collective;
		status = pario_backend_mpiio.check(&how, &err);
		expect(cases[i].fine ? status == 0 : status < 0 && err.code == PARIO_USAGE,
		       "case %zu gave %d: %s", i, status, err.text);
	}
}

static int open_any(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	const struct pario_array array = { 1, { 1000 }, 4 };

	return file->backend->extent ? file->backend->extent->open(file, how, err)
				     : file->backend->array->open(file, how, &array, err);
}

static void close_any(struct pario_file *file)
{
	if (file->backend->extent)
		close_extent(file, true);
	else
		close_array(file, true);
}

/* Nothing that exists is created, no link is followed. */
static void test_safety(const struct pario_backend *backend)
{
	struct pario_file file = { .backend = backend };
	struct pario_open how;
	struct pario_err err = { 0 };
	struct stat st;

	begin("%s safety", backend->name);
	parse(backend, "");
	how = how_of("taken", true);
	if (expect(!open_any(&file, &how, &err), "%s", err.text))
		close_any(&file);
	expect(open_any(&file, &how, &err) < 0 && strstr(err.text, path) &&
		       err.code == PARIO_SYSTEM,
	       "an existing file was created: %s", err.text);
	if (rank == 0)
		expect(!symlinkat("taken", dir, "link") && !symlinkat("target", dir, "dangling"),
		       "cannot make links");
	MPI_Barrier(MPI_COMM_WORLD);
	how = how_of("link", false);
	expect(open_any(&file, &how, &err) < 0 && strstr(err.text, "symbolic link"),
	       "a link was followed: %s", err.text);
	how = how_of("dangling", true);
	expect(open_any(&file, &how, &err) < 0, "a link was created");
	expect(fstatat(dir, "target", &st, AT_SYMLINK_NOFOLLOW) < 0, "a link's target was created");
	remove_file("link");
	remove_file("dangling");
	how = how_of("nowhere", false);
	expect(open_any(&file, &how, &err) < 0 && strstr(err.text, "ENOENT"),
	       "a missing file was opened: %s", err.text);
	remove_file("taken");
}

static void test_hints(const struct pario_backend *backend)
{
	struct pario_file file = { .backend = backend };
	struct pario_hints effective = { 0 };
	struct pario_err err = { 0 };
	struct pario_open how;
	bool confirmed = false;
	char value[64];

	begin("%s hints", backend->name);
	parse(backend, "");
	pario_hints_set(&hints, "cb_nodes", "1", &err);
	how = how_of("hints", true);
	if (expect(!open_any(&file, &how, &err), "%s", err.text)) {
		(backend->extent ? backend->extent->hints
				 : backend->array->hints)(&file, &effective, &confirmed);
		expect(pario_hints_get(&effective, "cb_nodes", value, sizeof(value)) &&
			       !strcmp(value, "1"),
		       "cb_nodes is not reported: %s", effective.text);
#ifdef MPICH_VERSION
		expect(confirmed, "MPICH's hints are not called confirmed");
#else
		expect(!confirmed, "Open MPI's hints are called confirmed");
#endif
		close_any(&file);
	}
	hints = (struct pario_hints){ 0 };
	remove_file("hints");
}

static void test_mpiio(void)
{
	static const char *const settings[] = {
		"",
		"mpiio_chunk=4k",
		"pointer=individual",
		"pointer=individual mpiio_chunk=4k",
	};

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		for (int collective = 0; collective < 2; collective++) {
			begin("mpiio blocks %s%s", settings[i], collective ? " collective" : "");
			test_blocks(settings[i], collective);
			begin("mpiio view %s%s", settings[i], collective ? " collective" : "");
			test_view(settings[i], collective);
		}
	begin("mpiio ordered");
	test_blocks("pointer=shared", true);
	begin("mpiio shared");
	test_shared();
	begin("mpiio uneven");
	test_uneven();
	begin("mpiio queue");
	test_queue("");
	begin("mpiio queue in pieces");
	test_queue("mpiio_chunk=4k");
	begin("mpiio end of file");
	test_past_end(false);
	begin("mpiio end of file, collective");
	test_past_end(true);
	begin("mpiio full storage");
	test_full(false, 1);
#ifndef MPICH_VERSION /* whose ROMIO waits for ever for an aio request that failed */
	begin("mpiio full storage, queue");
	test_full(false, DEPTH);
#endif
	begin("mpiio check");
	test_check();
}

static bool run(const struct pario_backend *backend)
{
	const char *reason = backend->unavailable();
	char version[256];

	backend->version(version, sizeof(version));
	if (rank == 0)
		printf("%s: %s\n", backend->name, reason ? reason : version);
	if (reason)
		return false;
	if (backend == &pario_backend_mpiio) {
		test_mpiio();
	} else {
		test_shapes(backend, "");
		test_shapes(backend,
			    backend == &pario_backend_hdf5 ? "hdf5_chunk=200" : "pnetcdf_chunk=90");
		test_array_rules(backend);
	}
	test_safety(backend);
	test_hints(backend);
	return true;
}

int main(int argc, char **argv)
{
	const struct pario_backend *const known[] = { &pario_backend_mpiio, &pario_backend_hdf5,
						      &pario_backend_pnetcdf };
	int ran = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &clients);
	dir_name = argc > 1 ? argv[1] : ".";
	/* One number on all clients, as the workspace has: libraries hand the path with it to each other. */
	dir = fcntl(open(dir_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC), F_DUPFD_CLOEXEC, 500);
	if (!expect(dir >= 0 && argc > 2, "usage: test_library_backends DIR BACKEND..."))
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int a = 2; a < argc; a++)
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(argv[a], known[i]->name))
				ran += run(known[i]);
	/* Last, because OMPIO keeps the failed request of a collective call and fails every later sync. */
	begin("mpiio full storage, collective");
	if (!strcmp(argv[2], "mpiio"))
		test_full(true, 1);
	MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0 && (ran || failures))
		printf("%d backends, %d failures\n", ran, failures);
	MPI_Finalize();
	return failures ? 1 : ran ? 0 : 77;
}
