/*
 * test: what do small random accesses to many files cost, and what do making and removing the files?
 *
 * The database-like region (docs/tests.md, region 3). Every client has a directory of equal files.
 * A slot is one access's place in one file; the write phase visits the slots of all files in a seeded random order,
 * the read phase those of another client's files in another order, each slot once, without tables. A bounded number
 * of files stays open, as a database does it; with more files than that, opening is part of the access.
 * Reads start with nothing of the files cached, and every read is compared with what was written there.
 *
 * Misleads when all files together fit into a cache of the storage that cannot be seen from here.
 */
#include "engine/test.h"
#include "tests/smallfiles/shelf.h"

#include <stdlib.h>
#include <string.h>

enum sync { NEVER, END, EACH };
enum kind { CREATE, WRITE, READ, DESTROY };

struct params {
	uint64_t files, file_size, io_size, accesses, open_files;
	uint32_t phases;
	int fsync;
};

static const char *const syncs[] = { "never", "end", "each", NULL };
static const char *const kinds[] = { "create", "write", "read", "destroy", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, phases, .def = "create,write,read,destroy", .choices = kinds,
		.help = "what is timed; files that a phase needs and no phase makes are made untimed"),
	PARIO_OPTION(struct params, files, .def = "200", .min = "1", .max = "1g", .unit = "files",
		     .letter = 'n', .help = "files of each client"),
	PARIO_OPTION(struct params, file_size, .def = "64k", .min = "1", .max = "1g",
		     .unit = "bytes", .help = "size of each file"),
	PARIO_OPTION(struct params, io_size, .def = "4k", .min = "1", .max = "1g", .unit = "bytes",
		     .letter = 't', .help = "bytes of one random read or write; at most file_size"),
	PARIO_OPTION(struct params, accesses, .def = "0", .max = "1t", .unit = "accesses",
		     .help = "random reads and writes of each client; 0 = every place once"),
	PARIO_OPTION(struct params, open_files, .def = "256", .min = "1", .max = "512",
		     .unit = "files",
		     .help = "files that a client keeps open at a time while it reads or writes"),
	PARIO_OPTION(
		struct params, fsync, .def = "end", .choices = syncs, .letter = 'e',
		.letter_value = "each",
		.help = "durable: never, each file at the end of create and write, or after each write too"),
	{ 0 },
};

struct work {
	struct pario_shelf shelf;
	/* files that this client has, or its target; random writes in them */
	struct {
		uint64_t made, written;
	} own, theirs;
	uint64_t reached, target;
	bool there;
};

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t files, bytes, accesses = pario_times(p->files, p->file_size / p->io_size);

	(void)client;
	if (!p->phases)
		return pario_err_set(err, PARIO_USAGE,
				     "--phases is empty. Name at least one phase.");
	if (p->io_size > p->file_size || p->accesses > accesses)
		return pario_err_set(
			err, PARIO_USAGE,
			"--accesses %llu of --io_size %llu do not fit into %llu files of %llu "
			"bytes. Use smaller accesses, fewer of them, or larger files.",
			(unsigned long long)p->accesses, (unsigned long long)p->io_size,
			(unsigned long long)p->files, (unsigned long long)p->file_size);
	files = pario_times(p->files, point->clients);
	bytes = pario_times(files, pario_blocks(p->file_size, 4096));
	accesses = pario_times(p->accesses ? p->accesses : accesses, point->clients);
	for (int k = CREATE; k <= DESTROY; k++) {
		bool whole = k == CREATE || k == DESTROY;

		if (!(p->phases & 1u << k))
			continue;
		layout->operations = pario_plus(layout->operations, whole ? files : accesses);
		if (k != DESTROY)
			layout->moved_bytes =
				pario_plus(layout->moved_bytes,
					   whole ? bytes : pario_times(accesses, p->io_size));
	}
	layout->extra_files = pario_plus(files, point->clients + 1);
	layout->extra_bytes = bytes;
	layout->memory_bytes = p->file_size;
	return 0;
}

static enum kind kind_of(const struct pario_run *run)
{
	int k = 0;

	while (strcmp(kinds[k], run->phase->name) != 0)
		k++;
	return (enum kind)k;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	for (int k = CREATE; k <= DESTROY; k++) {
		if (p->phases & 1u << k)
			list[n++] = (struct pario_phase){ .name = kinds[k],
							  .write = k <= WRITE,
							  .whole = k == DESTROY };
	}
	return n;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	if (pario_shelf_init(&w->shelf, run, "smallfiles", p->file_size, p->open_files, err) < 0)
		return -1;
	w->target = pario_run_partner(run);
	return 0;
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	pario_shelf_release(&w->shelf);
	free(w);
	run->scratch = NULL;
}

static int access_files(struct pario_run *run, bool reads, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	uint64_t made = reads ? w->theirs.made : w->own.made, i, count;
	struct pario_places places;
	int status;

	pario_places_init(&places, &w->shelf, made, p->io_size,
			  reads ? w->theirs.written : w->own.written);
	count = p->accesses && p->accesses < places.count ? p->accesses : places.count;
	for (i = 0; pario_run_more(run, i, count); i++) {
		if (reads)
			status = pario_places_read(&places,
						   pario_permutation_at(&places.reading, i), err);
		else
			status = pario_places_write(&places, i, p->fsync == EACH, err);
		if (status < 0)
			pario_run_failed(run, err);
	}
	w->reached = i;
	pario_run_step(run, PARIO_STEP_TRANSFER);
	for (uint64_t f = 0; !reads && p->fsync == END && f < made; f++) {
		if (pario_shelf_sync(&w->shelf, f, err) < 0)
			return -1;
	}
	pario_run_step(run, PARIO_STEP_SYNC);
	return 0;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	bool fill = !w->there && kind_of(run) != CREATE, reads = kind_of(run) == READ;

	if (pario_shelf_enter(&w->shelf, err) < 0 ||
	    pario_shelf_turn(&w->shelf, run->client, !w->there, err) < 0)
		return -1;
	if (fill)
		w->own.made = w->theirs.made = p->files;
	if (fill && pario_shelf_make(&w->shelf, p->files, false, &w->reached, err) < 0)
		return -1;
	w->there = true;
	if (reads && (pario_run_drop_caches(run, err) < 0 ||
		      pario_shelf_evict(&w->shelf, w->own.made, err) < 0))
		return -1;
	/* Files that were made just now are cached only where they were made, others also where they were checked. */
	if (!reads || fill || w->target == run->client)
		return 0;
	if (pario_shelf_turn(&w->shelf, w->target, false, err) < 0)
		return -1;
	return pario_shelf_evict(&w->shelf, w->theirs.made, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	enum kind kind = kind_of(run);

	if (pario_shelf_turn(&w->shelf, kind == READ ? w->target : run->client, false, err) < 0)
		return -1;
	if ((kind == CREATE || kind == WRITE) && p->fsync != NEVER)
		pario_run_durable(run, kind == CREATE);
	pario_run_pause(run);
	if (kind == CREATE)
		return pario_shelf_make(&w->shelf, p->files, p->fsync != NEVER, &w->reached, err);
	if (kind == DESTROY)
		return pario_shelf_destroy(&w->shelf, w->own.made, err);
	return access_files(run, kind == READ, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	struct pario_places places;
	enum kind kind = kind_of(run);

	if (kind == CREATE || kind == WRITE) {
		uint64_t theirs = pario_run_number_of(run, w->reached, w->target);

		*(kind == CREATE ? &w->own.made : &w->own.written) = w->reached;
		*(kind == CREATE ? &w->theirs.made : &w->theirs.written) = theirs;
	}
	if (kind == READ || kind == DESTROY)
		return kind == READ ? 0 : pario_shelf_remove(&w->shelf, err);
	if (pario_shelf_close(&w->shelf, err) < 0 ||
	    pario_shelf_turn(&w->shelf, w->target, false, err) < 0)
		return -1;
	if (kind == CREATE)
		return pario_shelf_check(&w->shelf, w->theirs.made, err);
	pario_places_init(&places, &w->shelf, w->theirs.made, p->io_size, w->theirs.written);
	for (uint64_t i = 0; pario_run_more(run, i, places.count); i++) {
		if (pario_places_read(&places, i, err) < 0)
			return -1;
	}
	return 0;
}

const struct pario_test pario_test_smallfiles = {
	.name = "smallfiles",
	.summary = "small random reads and writes in many files, making and removing them",
	.question =
		"What do small random accesses to many files cost, and making and removing the files?",
	.misleads =
		"when all files together fit into a cache of the storage that cannot be seen from here",
	.needs = PARIO_NEED_GAP,
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
