/*
 * datatype_pass: open, view, calls, sync and close, with hints, a file that must not exist before, errors that all
 * clients of the file learn of, checked counts, and sync where writes must be durable.
 */
#include "engine/datatype_pass.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/library.h"
#include "backend/mpiio_calls.h"
#include "base/whole.h"
#include "engine/engine.h"
#include "engine/watch.h"

struct handle {
	struct pario_run *run;
	struct pario_datatype_pass *pass;
	MPI_File mpi;
	int fd; /* for fsync; proves that the name is a regular file; -1 after an error */
};

/*
 * ROMIO may leave a write that failed without unlocking the file, for which others then wait inside their calls. A
 * process loses its locks when it closes any descriptor of the file.
 */
static void drop_locks(struct handle *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
}

static int open_mpi(struct handle *h, const struct pario_open *how, MPI_Info info,
		    struct pario_err *err)
{
	char reach[PARIO_LIBRARY_REACH];
	const struct pario_phase *phase = h->run->phase;
	int mode = phase->write ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;

	return pario_library_open(h->pass->comm, pario_library_reach(how, reach), mode, info,
				  h->pass->path, &h->mpi, err);
}

static int preallocate(struct handle *h, struct pario_err *err)
{
	uint64_t size = h->run->engine->layout.file_bytes;
	int rc;

	if (!h->run->phase->creates || !h->run->point->access->preallocate)
		return 0;
	rc = MPI_File_preallocate(h->mpi, (MPI_Offset)size);
	if (rc == MPI_SUCCESS)
		return 0;
	return pario_library_mpi_fail(err, rc, "cannot preallocate %llu bytes for %s",
				      (unsigned long long)size, h->pass->path);
}

static int open_file(struct handle *h, struct pario_err *err)
{
	const struct pario_engine *e = h->run->engine;
	const struct pario_open how = { .dirfd = pario_engine_dirfd(e),
					.inode = e->borrowed.inode,
					.name = h->pass->name,
					.path = h->pass->path,
					.comm = h->pass->comm,
					.write = h->run->phase->write,
					.create = h->run->phase->creates };
	MPI_Comm comm = h->pass->comm;
	MPI_Info info = MPI_INFO_NULL;
	int status;

	status = pario_library_info(&h->run->point->access->hints, &info, err);
	status = pario_library_meet(&how, info, status, &h->fd, err);
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	if (status == 0)
		status = pario_comm_agree(comm, open_mpi(h, &how, info, err), NULL, err);
	pario_library_info_free(&info);
	if (status == 0) {
		status = pario_comm_agree(comm, preallocate(h, err), NULL, err);
		if (status < 0)
			MPI_File_close(&h->mpi);
	}
	if (status < 0)
		drop_locks(h);
	return status;
}

static int set_view(struct handle *h, struct pario_err *err)
{
	const struct pario_datatype_pass *p = h->pass;
	int status = 0, rc = MPI_File_set_view(h->mpi, (MPI_Offset)p->displacement, p->element,
					       p->view, "native", MPI_INFO_NULL);

	if (rc != MPI_SUCCESS)
		status = pario_library_mpi_fail(err, rc, "cannot set a file view on %s",
						h->pass->path);
	return pario_comm_agree(p->comm, status, NULL, err);
}

static int call(struct handle *h, MPI_Offset at, void *buffer, int count, MPI_Status *st)
{
	MPI_Datatype type = h->pass->memory;
	bool together = h->run->point->access->collective;

	if (h->run->phase->write)
		return together ? MPI_File_write_at_all(h->mpi, at, buffer, count, type, st)
				: MPI_File_write_at(h->mpi, at, buffer, count, type, st);
	return together ? MPI_File_read_at_all(h->mpi, at, buffer, count, type, st)
			: MPI_File_read_at(h->mpi, at, buffer, count, type, st);
}

static int fail_short(const struct handle *h, uint64_t bytes, uint64_t moved, struct pario_err *err)
{
	bool write = h->run->phase->write;
	int last = errno;

	pario_err_set(err, PARIO_SYSTEM,
		      "cannot %s %s by MPI-IO: a call for %llu bytes moved %llu; %s.",
		      write ? "write" : "read", h->pass->path, (unsigned long long)bytes,
		      (unsigned long long)moved,
		      write ? "the storage accepts no more" : "the file ends there");
	return pario_library_add_system(err, last);
}

/* Call i: units from `first` on. Offsets of a view count its elements. */
static int move(struct handle *h, uint64_t first, uint64_t count, int64_t *ns,
		struct pario_err *err)
{
	const char *verb = h->run->phase->write ? "write" : "read";
	const struct pario_datatype_pass *p = h->pass;
	uint64_t bytes = count * p->unit_bytes, moved = 0;
	MPI_Status st = { 0 };
	int status = 0, rc;

	errno = 0;
	rc = call(h, (MPI_Offset)(first * p->unit_elements), p->buffer + first * p->unit_step,
		  (int)count, &st);
	if (rc != MPI_SUCCESS)
		status = pario_library_mpi_fail(err, rc, "cannot %s %llu bytes of %s by MPI-IO",
						verb, (unsigned long long)bytes, h->pass->path);
	else if ((moved = pario_mpiio_moved(&st, bytes)) != bytes)
		status = fail_short(h, bytes, moved, err);
	*ns = pario_run_count(h->run, status < 0 ? 0 : bytes);
	return status;
}

/* A client with an error stays with the others until all agree to stop, when calls are collective. */
static int move_all(struct handle *h, int64_t *longest_ns, struct pario_err *err)
{
	struct pario_engine *e = h->run->engine;
	struct pario_datatype_pass *p = h->pass;
	uint64_t once = (p->units + p->per_call - 1) / p->per_call;
	uint64_t calls = once * (p->loops ? p->loops : 1);
	int64_t ns;

	p->moved = p->moved_bytes = 0;
	e->reached = calls;
	for (uint64_t i = 0; calls == 1 ? i < 1 : pario_run_more(h->run, i, calls); i++) {
		uint64_t first = i % once * p->per_call, left = p->units - first;
		uint64_t n = left < p->per_call ? left : p->per_call;

		p->moved += i < once ? n : 0;
		p->moved_bytes += n * p->unit_bytes;
		if (move(h, first, n, &ns, err) < 0) {
			drop_locks(h);
			if (!h->run->point->access->collective)
				return -1;
			if (!e->held.code)
				e->held = *err;
		}
		*longest_ns = ns > *longest_ns ? ns : *longest_ns;
	}
	if (!e->held.code)
		return 0;
	*err = e->held;
	return -1;
}

/* All clients of the file ask, as some libraries answer only then. */
static void say_hints(struct handle *h)
{
	struct pario_hints effective = { { 0 } };
	MPI_Info info = MPI_INFO_NULL;
	bool confirmed = false;

	if (h->run->engine->effective_said)
		return;
	MPI_File_get_info(h->mpi, &info);
	pario_library_hints(info, &effective, &confirmed);
	pario_library_info_free(&info);
	pario_engine_say_hints(h->run->engine, &effective, confirmed);
	pario_run_pause(h->run);
}

/* Sync and close are reached by every client, also after an error: they are collective. */
static int end(struct handle *h, int status, struct pario_err *err)
{
	bool write = h->run->phase->write;
	const struct pario_file plain = {
		.how = { .path = h->pass->path, .comm = h->pass->comm, .write = write }
	};
	struct pario_err later = { 0 };
	int step, rc;

	say_hints(h);
	if (write && pario_engine_sustained(h->run->engine)) {
		step = pario_library_sync(&plain, h->mpi, h->fd, status == 0 ? err : &later);
		status = status == 0 ? step : status;
		pario_run_step(h->run, PARIO_STEP_SYNC);
	}
	if (write) {
		step = pario_library_check_size(
			&plain, h->fd,
			status == 0 && h->pass->moved == h->pass->units ? h->pass->end : 0,
			status == 0 ? err : &later);
		status = status == 0 ? step : status;
	}
	rc = MPI_File_close(&h->mpi);
	if (rc != MPI_SUCCESS && status == 0)
		status =
			pario_library_mpi_fail(err, rc, "cannot close %s by MPI-IO", h->pass->path);
	status = pario_library_close(&plain, &h->fd, status, err);
	pario_run_step(h->run, PARIO_STEP_CLOSE);
	return status;
}

int pario_run_pass(struct pario_run *run, struct pario_datatype_pass *pass, int64_t *longest_ns,
		   struct pario_err *err)
{
	struct handle h = { .run = run, .pass = pass, .mpi = MPI_FILE_NULL, .fd = -1 };
	const struct pario_meter *m = &run->engine->meter;
	int64_t longest = 0, moving;
	int status;

	pario_access_watch_open(run->engine);
	status = open_file(&h, err);
	pario_watch_whole();
	if (status < 0)
		return -1;
	pario_run_step(run, PARIO_STEP_OPEN);
	status = set_view(&h, err);
	/* So that the first call's time is its own. */
	pario_run_step(run, PARIO_STEP_TRANSFER);
	moving = m->transfer_ns + m->sync_ns;
	if (status == 0) {
		status = move_all(&h, &longest, err);
		pario_run_step(run, PARIO_STEP_TRANSFER);
	}
	status = end(&h, status, err);
	pass->moving_ns = m->transfer_ns + m->sync_ns - moving;
	if (longest_ns)
		*longest_ns = longest;
	return status;
}

const char *const pario_datatype_pass_operations[] = { "write", "read", NULL };

enum { WRITE = 1, READ = 2 };

static uint32_t operations(const struct pario_point *point)
{
	return ((const struct pario_datatype_pass_params *)point->params)->operations;
}

int pario_datatype_pass_plan(const struct pario_point *point, struct pario_layout *layout,
			     struct pario_err *err)
{
	const struct pario_datatype_pass_params *p = point->params;

	layout->filename = p->filename[0] ? p->filename : NULL;
	if (operations(point))
		return 0;
	return pario_err_set(err, PARIO_USAGE, "--operations is empty. Use write and read.");
}

unsigned pario_datatype_pass_phases(const struct pario_point *point, struct pario_phase *phases)
{
	unsigned n = 0;

	if (operations(point) & WRITE)
		phases[n++] =
			(struct pario_phase){ .name = "write", .write = true, .creates = true };
	if (operations(point) & READ)
		phases[n++] = (struct pario_phase){ .name = "read" };
	return n;
}

static void clear(struct pario_datatype_pass *pass)
{
	MPI_Datatype *const types[] = { &pass->element, &pass->view, &pass->memory };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (*types[i] != MPI_DATATYPE_NULL)
			MPI_Type_free(types[i]);
	}
	free(pass->buffer);
	pass->buffer = NULL;
	if (pass->plain >= 0)
		close(pass->plain);
	pass->plain = -1;
}

void pario_datatype_pass_commit(struct pario_datatype_pass *pass)
{
	MPI_Type_commit(&pass->element);
	MPI_Type_commit(&pass->view);
	MPI_Type_commit(&pass->memory);
}

/* Agrees, since the hook that called may go on to communicate. */
void *pario_datatype_pass_setup(struct pario_run *run, size_t size, struct pario_err *err)
{
	struct pario_datatype_pass *pass = run->scratch = calloc(1, size);
	int status = 0;

	if (pass) {
		pass->plain = -1;
		pass->comm = run->comm;
		pass->element = pass->view = pass->memory = MPI_DATATYPE_NULL;
		pario_access_place(run->engine, 0, pass->name);
		if (pario_engine_named(run->engine))
			snprintf(pass->path, sizeof(pass->path), "%s",
				 run->engine->layout.filename);
		else
			status = pario_run_name(run, pass->name, pass->path, sizeof(pass->path),
						err);
	} else {
		status = pario_err_memory(err, "the test");
	}
	return pario_comm_agree(run->comm, status, NULL, err) < 0 ? NULL : pass;
}

void pario_datatype_pass_select(struct pario_run *run, bool takes_part)
{
	struct pario_datatype_pass *pass = run->scratch;

	MPI_Comm_split(run->comm, takes_part ? 0 : MPI_UNDEFINED, 0, &pass->comm);
}

void pario_datatype_pass_teardown(struct pario_run *run)
{
	struct pario_datatype_pass *pass = run->scratch;

	if (!pass)
		return;
	clear(pass);
	if (pass->comm != MPI_COMM_NULL && pass->comm != run->comm)
		MPI_Comm_free(&pass->comm);
	free(pass);
	run->scratch = NULL;
}

int pario_datatype_pass_renew(struct pario_datatype_pass *pass, uint64_t bytes,
			      struct pario_err *err)
{
	clear(pass);
	pass->buffer = malloc(bytes);
	if (!pass->buffer)
		return pario_err_memory(err, "%llu bytes of data. Use smaller sizes",
					(unsigned long long)bytes);
	pario_data_poison(pass->buffer, bytes);
	return 0;
}

static int missing(const struct pario_datatype_pass *pass, uint64_t end, uint64_t offset,
		   uint64_t length, struct pario_err *err)
{
	pario_err_set(err, PARIO_VERIFY,
		      "data are missing in %s: it ends at offset %llu, but %llu bytes were written "
		      "from offset %llu on.",
		      pass->path, (unsigned long long)end, (unsigned long long)length,
		      (unsigned long long)offset);
	err->sys = ESTALE;
	return -1;
}

int pario_datatype_pass_read(struct pario_run *run, void *buffer, uint64_t offset, uint64_t length,
			     struct pario_err *err)
{
	struct pario_datatype_pass *pass = run->scratch;
	uint64_t done;

	/* A new look opens anew: what an open descriptor sees may be old. */
	if (pass->plain >= 0 && pass->looks != run->engine->looks) {
		close(pass->plain);
		pass->plain = -1;
	}
	pass->looks = run->engine->looks;
	if (pass->plain < 0)
		pass->plain = openat(pario_engine_dirfd(run->engine), pass->name,
				     O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (pass->plain < 0)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno),
				     "%s cannot be opened", pass->path);
	done = pario_whole_read(pass->plain, buffer, length, offset);
	if (done < length && errno)
		return pario_err_sys(err, errno, pario_backend_hint(false, errno),
				     "%s cannot be read back at offset %llu", pass->path,
				     (unsigned long long)(offset + done));
	return done < length ? missing(pass, offset + done, offset, length, err) : 0;
}
