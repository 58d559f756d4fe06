/*
 * application: the solver's steps, and what they wrote: the one place where both meet. Writing is vectors*.c, solving
 * bt/.
 */
#include "tests/nht1/application/application.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "base/whole.h"
#include "engine/test.h"
#include "tests/nht1/application/diagonals.h"
#include "tests/nht1/application/seals.h"
#include "tests/nht1/bt/bt.h"
#include "tests/nht1/report/compute_time.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/peak/memory_reservation.h"

struct pario_application {
	struct pario_application_shape shape;
	struct pario_vectors_shape vector;
	const struct pario_bt_problem *problem;
	struct pario_bt *bt;
	struct pario_vectors *vectors;
	struct pario_seals seals; /* only without recompute */
	int64_t sealing_ns;
	double best_s;	      /* T_C: the best so far, in this run or given */
	double given_s;	      /* by --t_c; NaN = none */
	int64_t *computed_ns; /* when the steps before each vector were done */
	int dirfd;	      /* of the files */
	char tree[64], name[64], path[4300];
};

static bool files_apart(const struct pario_application *a)
{
	return a->shape.layout == PARIO_VECTORS_EPIO;
}

/* What NHT-1 asks for: all vectors in one file. */
static bool one_file(const struct pario_run *run, const struct pario_application *a)
{
	return !files_apart(a) || run->clients == 1;
}

static void describe_vectors(struct pario_application *a, const struct pario_run *run)
{
	uint64_t z0, nz, n;

	pario_bt_extent(a->bt, &z0, &nz, &n);
	a->vector = (struct pario_vectors_shape){
		.layout = a->shape.layout,
		.api = a->shape.api,
		.collective = a->shape.collective,
		.async = a->shape.async,
		.line_bytes = 5 * sizeof(double) * n,
		.lines = n,
		.planes = n,
		.z0 = z0,
		.nz = nz,
		.count = (uint64_t)a->problem->steps / a->shape.write_interval,
		.comm = run->comm,
		.dirfd = a->dirfd,
		.name = a->name,
		.path = a->path,
		.hints = &run->point->access->hints,
	};
}

static int name_files(struct pario_run *run, struct pario_application *a, struct pario_err *err)
{
	char name[PARIO_NAME_CAPACITY];
	size_t used;

	snprintf(name, sizeof(name), "%.16s.solution%s", pario_run_id(run),
		 files_apart(a) ? "/" : "");
	pario_run_own_name(run, name, a->tree);
	snprintf(a->name, sizeof(a->name), "%s", a->tree);
	if (pario_run_name(run, a->tree, a->path, sizeof(a->path), err) < 0)
		return -1;
	if (files_apart(a)) {
		snprintf(a->name, sizeof(a->name), "%.16s.epio.%04llu", pario_run_id(run),
			 (unsigned long long)run->client);
		used = strlen(a->path);
		snprintf(a->path + used, sizeof(a->path) - used, "%s", a->name);
	}
	return 0;
}

/*
 * The best time without writing of each class and number of clients in this process, for all points of a run: what the
 * solver needs does not depend on how its solution would be written.
 */
static double *best_so_far(char class, uint64_t clients)
{
	enum { KEPT = 256 };
	static struct {
		char class;
		uint64_t clients;
		double best_s;
	} kept[KEPT];
	size_t i = 0;

	while (i + 1 < KEPT && kept[i].class &&
	       (kept[i].class != class || kept[i].clients != clients))
		i++;
	if (kept[i].class != class || kept[i].clients != clients) {
		kept[i].class = class;
		kept[i].clients = clients;
		kept[i].best_s = INFINITY;
	}
	return &kept[i].best_s;
}

/* Client 0 reads --t_c for all: a number of seconds, or a journal with the same class on as many clients. */
static int take_given(struct pario_run *run, struct pario_application *a, struct pario_err *err)
{
	const char *text = a->shape.t_c;
	int status = 0;

	a->given_s = NAN;
	if (run->client == 0 && *text)
		status = pario_nht1_given(text, a->shape.class, run->clients, &a->given_s, err);
	MPI_Bcast(&status, 1, MPI_INT, 0, run->comm);
	MPI_Bcast(&a->given_s, 1, MPI_DOUBLE, 0, run->comm);
	if (status < 0 && run->client > 0)
		pario_err_set(err, PARIO_SYSTEM, "client 0 could not read --t_c %s.", text);
	return status;
}

struct pario_application *pario_application_new(struct pario_run *run,
						const struct pario_application_shape *shape,
						struct pario_err *err)
{
	struct pario_bt_options how = { .class = shape->class };
	struct pario_application *a = calloc(1, sizeof(*a));
	int status = a ? 0 : pario_err_memory(err, "the application");

	if (a) {
		a->shape = *shape;
		a->problem = pario_bt_problem(shape->class);
		a->dirfd = -1;
		status = take_given(run, a, err);
	}
	if (status == 0)
		status = name_files(run, a, err);
	/* Making the solver is collective. */
	MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MIN, run->comm);
	if (status == 0)
		status = pario_bt_create(&a->bt, run->comm, &how, err);
	if (status == 0) {
		describe_vectors(a, run);
		a->computed_ns = calloc(a->vector.count + 1, sizeof(*a->computed_ns));
		if (!a->computed_ns)
			status = pario_err_memory(err, "the application");
	}
	if (status == 0 && !shape->recompute)
		status = pario_seals_init(&a->seals, a->vector.line_bytes,
					  a->vector.nz * a->vector.lines, a->vector.count, err);
	if (status == 0)
		return a;
	pario_application_free(a);
	return NULL;
}

void pario_application_free(struct pario_application *application)
{
	if (!application)
		return;
	pario_vectors_free(application->vectors);
	pario_bt_destroy(application->bt);
	pario_seals_release(&application->seals);
	free(application->computed_ns);
	if (application->dirfd >= 0)
		close(application->dirfd);
	free(application);
}

int pario_application_before(struct pario_run *run, struct pario_application *application,
			     struct pario_err *err)
{
	struct pario_application *a = application;
	int above = pario_run_dirfd(run), failed = 0;

	if (!run->phase->write || a->vectors)
		return 0;
	if (files_apart(a) && run->client == 0 && mkdirat(above, a->tree, 0700) < 0)
		failed = errno;
	MPI_Bcast(&failed, 1, MPI_INT, 0, run->comm);
	errno = failed;
	if (!failed)
		a->dirfd = openat(above, files_apart(a) ? a->tree : ".",
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (a->dirfd < 0)
		return pario_run_file_error(above, a->tree, "making", err);
	describe_vectors(a, run);
	a->vectors = pario_vectors_new(&a->vector, err);
	return a->vectors ? 0 : -1;
}

/* As NPB starts its clock: after an untimed step and a new beginning, on all clients together. */
static int start(struct pario_run *run, struct pario_application *a, int64_t *start_ns,
		 struct pario_err *err)
{
	pario_bt_initialize(a->bt);
	if (pario_bt_step(a->bt, err) < 0)
		return -1;
	pario_bt_initialize(a->bt);
	MPI_Barrier(run->comm);
	pario_run_pause(run);
	*start_ns = pario_run_now();
	return 0;
}

/* The time since the start on the slowest client. All of it: waiting for the others is a part of the computation. */
static double slowest(const struct pario_run *run, int64_t start_ns)
{
	double seconds = (double)(pario_run_now() - start_ns) * 1e-9;

	MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, run->comm);
	return seconds;
}

/* One step, unless someone wants to stop. */
static int step(struct pario_run *run, struct pario_application *a, int i, struct pario_err *err)
{
	if (!pario_run_more(run, (uint64_t)i, (uint64_t)a->problem->steps))
		return pario_err_set(err, PARIO_INTERRUPTED,
				     "stopped after step %d of %d; a part of a run has no result.",
				     i, a->problem->steps);
	return pario_bt_step(a->bt, err);
}

static int verify_solver(struct pario_application *a, struct pario_err *err)
{
	double xcr[5], xce[5];
	bool right;

	if (pario_bt_verify(a->bt, xcr, xce, &right, err) < 0)
		return -1;
	if (right)
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"the solver's norms are not those of class %c (first residual norm %.12e instead of "
		"%.12e), so its time does not count. This is a defect of pario: please report it.",
		a->problem->class, xcr[0], a->problem->xcr[0]);
}

int pario_application_compute(struct pario_run *run, struct pario_application *application,
			      struct pario_err *err)
{
	struct pario_application *a = application;
	double own = INFINITY, *best;

	for (uint64_t i = 0; i < a->shape.best_of; i++) {
		int64_t start_ns;
		int status = start(run, a, &start_ns, err);
		double seconds;

		for (int k = 0; k < a->problem->steps && status == 0; k++)
			status = step(run, a, k, err);
		if (status < 0)
			return -1;
		pario_run_count(run, 0);
		seconds = slowest(run, start_ns);
		own = fmin(own, seconds);
		if (verify_solver(a, err) < 0)
			return -1;
		pario_run_pause(run);
	}
	best = best_so_far(a->shape.class, run->clients);
	*best = fmin(*best, own);
	a->best_s = fmin(*best, a->given_s);
	pario_run_took(run, own);
	pario_run_metric(run, "T_C", "s", own);
	pario_run_metric(run, "mop_s", "Mop/s",
			 pario_bt_operations(a->problem->class) * 1e-6 / own);
	return 0;
}

/* Without another run to compare with, checksums are all that can tell later what was handed over. */
static void seal(struct pario_application *a, uint64_t vector, const double *slot)
{
	int64_t begun = pario_run_now();

	if (!a->shape.recompute)
		pario_seals_put(&a->seals, vector, slot);
	a->sealing_ns += pario_run_now() - begun;
}

/* Waits for a buffer, copies, hands over. A client that failed keeps the others company until the end. */
static int64_t dump(struct pario_application *a, uint64_t vector, struct pario_err *err)
{
	int64_t waited;
	double *slot;

	a->computed_ns[vector] = pario_run_now();
	slot = pario_vectors_slot(a->vectors, err);
	waited = pario_run_now() - a->computed_ns[vector];
	if (!slot)
		return waited;
	pario_bt_copy_planes(a->bt, a->vector.z0, a->vector.nz, slot);
	seal(a, vector, slot);
	pario_vectors_put(a->vectors, err);
	return waited;
}

static void note(struct pario_run *run, struct pario_application *a, int64_t start_ns, double t_t,
		 int64_t waited_ns)
{
	const struct pario_free_space node = pario_run_capacity(run);
	const struct pario_vectors_time *times = pario_vectors_times(a->vectors);
	double written =
		(double)(a->vector.count * a->shape.write_interval); /* steps with their vectors */

	for (uint64_t i = 0; i < a->vector.count; i++)
		pario_run_row(run, "timeline", "vector step computed_s put_s done_s",
			      (const struct pario_datum[]){
				      PARIO_NUMBER(i + 1),
				      PARIO_NUMBER((i + 1) * a->shape.write_interval),
				      PARIO_NUMBER((double)(a->computed_ns[i] - start_ns) * 1e-9),
				      PARIO_NUMBER((double)(times[i].put_ns - start_ns) * 1e-9),
				      PARIO_NUMBER((double)(times[i].done_ns - start_ns) * 1e-9) });
	pario_run_took(run, t_t);
	pario_run_metric(run, "T_T", "s", t_t);
	pario_run_metric(run, "T_C", "s", a->best_s);
	if (a->best_s == a->given_s)
		pario_run_metric(run, "T_C_given", "s", a->given_s);
	pario_run_metric(run, "zeta", "", pario_nht1_overhead(t_t, a->best_s));
	pario_run_metric(run, "R_IO", "B/s",
			 pario_nht1_application(sizeof(double), a->problem->n, written,
						(double)a->shape.write_interval, t_t));
	pario_run_metric(run, "waited_s", "s", (double)waited_ns * 1e-9);
	if (!a->shape.recompute)
		pario_run_metric(run, "checksums_s", "s", (double)a->sealing_ns * 1e-9);
	if (t_t < a->best_s)
		pario_run_suspect(run,
				  "the run that wrote took less time than those that did not: the "
				  "machine had other work meanwhile");
	pario_nodes_say(run, node.nodes, node.world_nodes);
	pario_run_metric(run, "conforms", "",
			 a->problem->class == 'B' && a->shape.write_interval == 5 &&
				 one_file(run, a));
}

int pario_application_write(struct pario_run *run, struct pario_application *application,
			    struct pario_err *err)
{
	struct pario_application *a = application;
	struct pario_err lost = { 0 };
	int64_t waited_ns = 0, start_ns;
	int status = start(run, a, &start_ns, err), interval = (int)a->shape.write_interval;

	if (status < 0)
		return -1;
	pario_run_durable(run, true);
	if (pario_vectors_open(a->vectors, err) < 0)
		return -1;
	for (int k = 0; k < a->problem->steps && status == 0; k++) {
		status = step(run, a, k, err);
		pario_vectors_nudge(a->vectors);
		if (status == 0 && (k + 1) % interval == 0)
			waited_ns += dump(a, (uint64_t)(k / interval), &lost);
	}
	if (pario_vectors_finish(a->vectors, status == 0 ? err : &lost) < 0)
		status = -1;
	pario_run_count(run, pario_vectors_bytes(&a->vector) * a->vector.count);
	/* Everyone comes here, also a client whose writes failed. */
	if (status == 0 || err->code != PARIO_INTERRUPTED)
		note(run, a, start_ns, slowest(run, start_ns), waited_ns);
	return status;
}

static int read_plane(const struct pario_application *a, int fd, uint64_t offset, double *plane,
		      struct pario_err *err)
{
	uint64_t bytes = a->vector.lines * a->vector.line_bytes;
	uint64_t got = pario_whole_read(fd, plane, bytes, offset);

	if (got == bytes)
		return 0;
	if (errno)
		return pario_err_sys(err, errno, NULL, "reading %s back failed", a->path);
	return pario_err_set(err, PARIO_VERIFY, "%s ends at byte %llu, within the solution.",
			     a->path, (unsigned long long)(offset + got));
}

/* A plane as it was read against the solver's own, bit by bit. */
static int compare_plane(const struct pario_application *a, uint64_t vector, uint64_t z,
			 const double *plane, double *own, struct pario_err *err)
{
	uint64_t n = a->vector.lines, i = 0;

	pario_bt_copy_planes(a->bt, a->vector.z0 + z, 1, own);
	if (memcmp(plane, own, n * a->vector.line_bytes) == 0)
		return 0;
	while (memcmp(&plane[i], &own[i], sizeof(*own)) == 0)
		i++;
	return pario_err_set(
		err, PARIO_VERIFY,
		"%s is not the solution: in vector %llu component %llu of point (%llu,%llu,%llu) is "
		"%.17g instead of %.17g, at byte %llu. It is the vector of step %llu.",
		a->path, (unsigned long long)vector + 1, (unsigned long long)i % 5 + 1,
		(unsigned long long)(i / 5 % n + 1), (unsigned long long)(i / 5 / n + 1),
		(unsigned long long)(a->vector.z0 + z + 1), plane[i], own[i],
		(unsigned long long)(pario_vectors_offset(&a->vector, vector) +
				     z * n * a->vector.line_bytes + i * sizeof(*own)),
		(unsigned long long)((vector + 1) * a->shape.write_interval));
}

/* A plane as it was read against the checksums of what the solver handed over. */
static int compare_seals(const struct pario_application *a, uint64_t vector, uint64_t z,
			 const double *plane, struct pario_err *err)
{
	uint64_t n = a->vector.lines, bytes = a->vector.line_bytes;
	uint64_t line = pario_seals_broken(&a->seals, vector, z * n, n, plane), at;

	if (line == (z + 1) * n)
		return 0;
	at = pario_vectors_offset(&a->vector, vector) + line * bytes;
	return pario_err_set(
		err, PARIO_VERIFY,
		"%s is not the solution: in vector %llu a number of the points (1..%llu,%llu,%llu), "
		"bytes %llu to %llu, is not what the solver handed over: their checksum is "
		"another one. It is the vector of step %llu.",
		a->path, (unsigned long long)vector + 1, (unsigned long long)n,
		(unsigned long long)(line % n + 1), (unsigned long long)(a->vector.z0 + z + 1),
		(unsigned long long)at, (unsigned long long)(at + bytes - 1),
		(unsigned long long)((vector + 1) * a->shape.write_interval));
}

/* The solver once more: the steps from the vector before this one, or from the beginning, to this one. */
static int follow(struct pario_application *a, uint64_t vector, struct pario_err *err)
{
	uint64_t from = vector * a->shape.write_interval, to = from + a->shape.write_interval;
	int status = 0;

	if (vector == 0)
		pario_bt_initialize(a->bt);
	if (vector == a->vector.count)
		to = (uint64_t)a->problem->steps;
	for (; from < to && status == 0; from++)
		status = pario_bt_step(a->bt, err);
	return status;
}

/* The error norm of one vector, over all clients. */
static int vector_norm(struct pario_run *run, const struct pario_application *a, int fd,
		       uint64_t vector, double *planes, double xce[5], struct pario_err *err)
{
	uint64_t bytes = a->vector.lines * a->vector.line_bytes;
	uint64_t offset = pario_vectors_offset(&a->vector, vector);
	double xcr[5] = { 0 }, *own = planes + bytes / sizeof(*planes);
	struct pario_bt_norms *norms;
	int status = pario_bt_norms_create(&norms, a->problem->class, a->vector.z0, a->vector.nz,
					   false, err);

	memset(xce, 0, 5 * sizeof(*xce));
	for (uint64_t z = 0; z < a->vector.nz && status == 0; z++) {
		status = read_plane(a, fd, offset + z * bytes, planes, err);
		if (status == 0)
			pario_bt_norms_plane(norms, planes);
		if (status == 0)
			status = a->shape.recompute ? compare_plane(a, vector, z, planes, own, err)
						    : compare_seals(a, vector, z, planes, err);
	}
	if (status == 0)
		pario_bt_norms_sums(norms, xcr, xce);
	MPI_Allreduce(MPI_IN_PLACE, xce, 5, MPI_DOUBLE, MPI_SUM, run->comm);
	pario_bt_norms_finish(a->problem->class, xcr, xce);
	pario_bt_norms_free(norms);
	return status;
}

/* The file must have its right length and nothing behind the last vector. */
static int check_size(const struct pario_application *a, int fd, struct pario_err *err)
{
	uint64_t planes = files_apart(a) ? a->vector.nz : a->vector.planes;
	uint64_t want = a->vector.count * planes * a->vector.lines * a->vector.line_bytes;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return pario_err_sys(err, errno, NULL, "opening %s to read it back failed",
				     a->path);
	if ((uint64_t)st.st_size == want)
		return 0;
	return pario_err_set(err, PARIO_VERIFY, "%s is %llu bytes long instead of %llu.", a->path,
			     (unsigned long long)st.st_size, (unsigned long long)want);
}

/* Norms are published for a vector every 5 steps (their mean) and for the last step. */
static bool mean_is_known(const struct pario_application *a)
{
	return a->shape.write_interval == 5 && a->problem->xce_io[0] > 0;
}

static bool last_is_known(const struct pario_application *a)
{
	return (uint64_t)a->problem->steps % a->shape.write_interval == 0;
}

static int judge(const struct pario_application *a, const double last[5], const double mean[5],
		 struct pario_err *err)
{
	if (mean_is_known(a) && !pario_bt_agrees(mean, a->problem->xce_io))
		return pario_err_set(err, PARIO_VERIFY,
				     "the mean error norm of the vectors in %s is %.12e instead of "
				     "%.12e: what was written is not the solution.",
				     a->path, mean[0], a->problem->xce_io[0]);
	if (last_is_known(a) && !pario_bt_agrees(last, a->problem->xce))
		return pario_err_set(err, PARIO_VERIFY,
				     "the error norm of the last vector in %s is %.12e instead of "
				     "%.12e: what was written is not the solution.",
				     a->path, last[0], a->problem->xce[0]);
	return 0;
}

/* Whether all can go on to the next vector. An interrupt reaches clients at different times. */
static bool all_go_on(struct pario_run *run, int *status, struct pario_err *err)
{
	int own[2] = { *status, pario_run_over(run) ? -1 : 0 };

	MPI_Allreduce(MPI_IN_PLACE, own, 2, MPI_INT, MPI_MIN, run->comm);
	if (*status == 0 && own[1] < 0)
		*status = pario_err_set(err, PARIO_INTERRUPTED,
					"stopped while the solution was read back.");
	return own[0] == 0 && own[1] == 0;
}

/* Whoever cannot read still takes part in the sums, which are then wrong for all. */
static int check_vectors(struct pario_run *run, struct pario_application *a, int fd, double *planes,
			 int status, struct pario_err *err)
{
	double mean[5] = { 0 }, last[5] = { 0 };
	uint64_t i;

	for (i = 0; i < a->vector.count && all_go_on(run, &status, err); i++) {
		if (a->shape.recompute)
			status = follow(a, i, err);
		if (status == 0)
			status = vector_norm(run, a, fd, i, planes, last, err);
		for (int m = 0; m < 5; m++)
			mean[m] += last[m] / (double)a->vector.count;
	}
	if (!all_go_on(run, &status, err))
		return status;
	if (a->shape.recompute)
		status = follow(a, i, err);
	if (status == 0)
		status = verify_solver(a, err);
	return status == 0 ? judge(a, last, mean, err) : status;
}

/* Says what was found right: for the summary, which must not claim more. */
static void note_check(struct pario_run *run, const struct pario_application *a)
{
	pario_run_count(run, pario_vectors_bytes(&a->vector) * a->vector.count);
	pario_run_metric(run, "recomputed", "", a->shape.recompute);
	pario_run_metric(run, "norms_checked", "", mean_is_known(a) + last_is_known(a));
}

int pario_application_check(struct pario_run *run, struct pario_application *application,
			    struct pario_err *err)
{
	struct pario_application *a = application;
	double *planes;
	int status, fd;
	bool right;

	if (!run->phase->write)
		return 0;
	fd = openat(a->dirfd, a->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	planes = malloc(2 * a->vector.lines * a->vector.line_bytes);
	status = check_size(a, fd, err);
	if (status == 0 && !planes)
		status = pario_err_memory(err, "reading the solution back");
	/* It is durable by now: what is read comes from the disk, where that is possible. */
	if (status == 0)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	status = check_vectors(run, a, fd, planes, status, err);
	/* Nothing is said of a solution that another client found to be wrong. */
	right = all_go_on(run, &status, err);
	if (right)
		note_check(run, a);
	if (right && run->client == 0 && one_file(run, a))
		status = pario_diagonals_read(run, fd, a->path, a->vector.lines, err);
	free(planes);
	if (fd >= 0)
		close(fd);
	return status;
}
