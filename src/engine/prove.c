/*
 * prove: is what a phase wrote really there? All of it is read back and compared, or its size and a sample. Where
 * clients look through different caches, what looks old is looked at again, so that stale data are told from lost ones.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend/library.h"
#include "base/clock.h"
#include "engine/engine.h"
#include "engine/ticks.h"
#include "engine/watch.h"

/* How often what looks old is looked at again; naps before them grow by a second each. */
enum { LOOKS = 4, LOOK_NAP_NS = 100000000 };

static int agree(struct pario_engine *e, int status, struct pario_err *err)
{
	return pario_comm_agree(e->comm->mpi, status, NULL, err);
}

/* One pass over all that was written. The sentence of a client that is not alone with its cache names its node. */
static int look(struct pario_engine *e, struct pario_err *err)
{
	struct pario_err own = { 0 };
	char host[256] = "";
	int status;

	e->run.mode = PARIO_MODE_VERIFY;
	e->run.target = e->owner.client = pario_engine_read_target(e);
	e->looks++;
	pario_meter_clear(&e->meter);
	memset(&e->held, 0, sizeof(e->held));
	pario_limit_start(e, false);
	pario_watch_step(e->bound->settings.deadline, "the verification");
	status = e->bound->point.test->verify(&e->run, err);
	pario_watch_loop(NULL);
	if (status < 0 && e->apart && err->code != PARIO_INTERRUPTED) {
		gethostname(host, sizeof(host) - 1);
		own = *err;
		snprintf(err->text, sizeof(err->text), "on node %.100s: %.900s", host, own.text);
	}
	return agree(e, status, err);
}

/* Of wrong data that independent calls of ROMIO wrote with gaps between them: what to try. */
static const char *sieving(const struct pario_engine *e, const struct pario_err *err)
{
	const struct pario_access *a = &e->bound->access;
	bool gaps = e->view || (e->bound->point.test->needs & PARIO_NEED_MPI_FILES);
	char word[16] = "";

	pario_hints_get(&a->hints, "romio_ds_write", word, sizeof(word));
	if (!e->run.phase->write || a->collective || !gaps || err->sys == ESTALE ||
	    !pario_library_romio() || strcmp(word, "disable") == 0)
		return "";
	return " ROMIO reads the gaps between a client's pieces and writes them back, old bytes too "
	       "where a node's cache has them: try --romio_ds_write disable.";
}

/*
 * Looks again at what looked old, with empty caches and some time between: what is right then was stale on that node,
 * what stays as it is was lost.
 */
static int look_again(struct pario_engine *e, struct pario_err *err)
{
	const int64_t began = pario_ticks_ns();
	struct pario_err first = *err, next = { 0 };
	char text[sizeof(first.text) + 400];

	for (unsigned i = 0; i < LOOKS; i++) {
		nanosleep(&(struct timespec){ i, i ? 0 : LOOK_NAP_NS }, NULL);
		next = (struct pario_err){ 0 };
		if (pario_fresh_files(e, true, &next) < 0)
			break;
		if (look(e, &next) == 0) {
			snprintf(text, sizeof(text),
				 "stale %s It was right %.1f s later: nothing was lost", first.text,
				 pario_clock_s(pario_ticks_ns() - began));
			pario_engine_suspect(e->result, text);
			return 0;
		}
	}
	snprintf(text, sizeof(text), "%s It stayed so for %.1f s, with caches emptied.%s",
		 first.text, pario_clock_s(pario_ticks_ns() - began), sieving(e, &first));
	snprintf(err->text, sizeof(err->text), "%.*s", (int)sizeof(err->text) - 1, text);
	return -1;
}

/* Only the engine's own pattern tells old data from wrong ones by itself. */
static bool may_be_old(const struct pario_engine *e, const struct pario_err *err)
{
	if (!e->apart)
		return false;
	return pario_fresh_looked_old(err) ||
	       (err->code == PARIO_VERIFY && e->bound->point.test->verify != pario_verify_pattern);
}

/* `metric` is what the bytes that were compared are called. */
static int verify(struct pario_engine *e, const char *metric, struct pario_err *err)
{
	uint64_t bytes;
	int status;

	/* A sample of a cached file must leave it as it is. */
	if (pario_fresh_files(e, !e->sample_step, err) < 0)
		return -1;
	status = look(e, err);
	if (status < 0 && may_be_old(e, err))
		status = look_again(e, err);
	if (status < 0)
		return -1;
	MPI_Allreduce(&e->meter.bytes, &bytes, 1, MPI_UINT64_T, MPI_SUM, e->comm->mpi);
	if (bytes > 0)
		pario_result_metric(e->result, metric, "B", (double)bytes);
	return 0;
}

/* Without verification: some pieces of what was written are compared all the same. */
static int sample(struct pario_engine *e, struct pario_err *err)
{
	const struct pario_layout *l = &e->layout;
	uint64_t transfers = l->data_bytes / e->comm->clients / l->buffer_bytes;
	int status;

	e->looked_at = 0;
	e->sample_step = transfers / PARIO_SAMPLE_TRANSFERS + 1;
	status = verify(e, "sampled_bytes", err);
	e->sample_step = 0;
	return status;
}

/* A number that nothing stands for: not verified, and made by a library that may hide a failure. */
static void doubt(struct pario_engine *e)
{
	const struct pario_access *a = &e->bound->access;
	bool own = e->bound->point.test->needs & PARIO_NEED_MPI_FILES;
	const struct pario_backend *b = own ? pario_backend_find("mpiio") : e->bound->point.backend;
	const char *why = b && b->doubt ? b->doubt(a->collective) : NULL;
	char text[300];

	if (!why)
		return;
	snprintf(text, sizeof(text), "not verified (--verify 0): %s, and a sample proves little",
		 why);
	pario_engine_suspect(e->result, text);
}

int pario_prove(struct pario_engine *e, bool verify_due, struct pario_err *err)
{
	bool wrote = e->run.phase->write && pario_engine_file_data(e) && pario_engine_stores(e);
	bool pattern = wrote && e->bound->point.test->verify == pario_verify_pattern;

	/* It finds a file that is too short as well, and says what is there instead. */
	if (verify_due)
		return verify(e, "verified_bytes", err);
	if (pattern && !e->meter.limit_ns &&
	    (pario_fresh_files(e, false, err) < 0 || agree(e, pario_verify_size(e, err), err) < 0))
		return -1;
	if (!wrote || e->bound->access.verify)
		return 0;
	doubt(e);
	return pattern ? sample(e, err) : 0;
}

void pario_prove_stale(struct pario_engine *e, struct pario_err *err)
{
	if (e->run.phase->write || !e->apart || !pario_fresh_looked_old(err) ||
	    e->bound->point.test->verify != pario_verify_pattern || !pario_engine_has_files(e))
		return;
	if (look_again(e, err) == 0)
		pario_err_set(err, PARIO_SYSTEM, "%s.", e->result->reason);
}
