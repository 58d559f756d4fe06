/*
 * beff_io: what is there before, between and after the courses.
 */
#include "kit/beff/beff_io.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/beff/beff_io_course.h"
#include "kit/beff/beff_io_loop.h"
#include "kit/beff/members.h"

static void make_parts(struct pario_beff_io *b, const struct pario_beff_io_shape *s)
{
	for (unsigned i = 0; i < b->parts; i++) {
		struct pario_beff_io_part *p = &b->part[i];
		bool member = b->run->client < s->sizes[i];

		MPI_Comm_split(b->run->comm, member ? 0 : MPI_UNDEFINED, 0, &p->comm);
		p->record.clients = s->sizes[i];
		p->record.mpart = s->mpart;
		p->record.plan = s->plan;
		p->pointers = b->params->shared_pointers;
		if (member)
			p->record.nodes = pario_members_nodes(p->comm);
	}
}

/* Client 0 reads the file; the others may not see it. */
static int get_hints(struct pario_beff_io *b, struct pario_err *err)
{
	int status = 0;

	if (b->run->client == 0)
		status = pario_beff_io_read_hints(b->params->hints_file, &b->hints, err);
	MPI_Bcast(&b->hints, sizeof(b->hints), MPI_BYTE, 0, b->run->comm);
	return status;
}

int pario_beff_io_setup(struct pario_run *run, struct pario_err *err)
{
	struct pario_beff_io *b = calloc(1, sizeof(*b));
	struct pario_beff_io_shape s = { 0 };
	uint64_t least[3];
	int status = b ? 0 : pario_err_set(err, PARIO_SYSTEM, "no memory for the test.");

	run->scratch = b;
	if (status == 0)
		status = pario_beff_io_shape(run->params, run->clients, &s, err);
	if (!pario_members_well(run->comm, status))
		return status;
	b->run = run;
	b->params = run->params;
	b->dirfd = -1;
	/* Nodes may differ; the smallest one counts for all. */
	least[0] = s.node_bytes;
	least[1] = s.memory_bytes;
	least[2] = s.mpart;
	MPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_UINT64_T, MPI_MIN, run->comm);
	b->node_bytes = least[0];
	b->memory_bytes = least[1];
	s.mpart = least[2];
	b->parts = s.parts;
	make_parts(b, &s);
	if (!(b->buffer = malloc(pario_beff_io_longest(s.mpart))))
		status = pario_err_set(err, PARIO_SYSTEM,
				       "no memory for a buffer of %llu bytes. Use a smaller "
				       "--memory_per_node.",
				       (unsigned long long)pario_beff_io_longest(s.mpart));
	if (get_hints(b, err) < 0 || status < 0)
		return -1;
	pario_run_file_name(run, b->prefix);
	snprintf(b->directory, sizeof(b->directory), "%s/", b->prefix);
	return pario_run_name(run, b->directory, b->path, sizeof(b->path), err);
}

void pario_beff_io_teardown(struct pario_run *run)
{
	struct pario_beff_io *b = run->scratch;

	for (unsigned i = 0; b && i < b->parts; i++)
		if (b->part[i].comm != MPI_COMM_NULL)
			MPI_Comm_free(&b->part[i].comm);
	if (b) {
		if (b->dirfd >= 0)
			close(b->dirfd);
		free(b->buffer);
	}
	free(b);
	run->scratch = NULL;
}

static int enter_directory(struct pario_beff_io *b, struct pario_err *err)
{
	int dirfd = pario_run_dirfd(b->run), status = 0;

	if (b->run->client == 0 && mkdirat(dirfd, b->prefix, 0700) < 0)
		status = pario_run_file_error(dirfd, b->prefix, "making the directory", err);
	if (!pario_members_well(b->run->comm, status))
		return status;
	b->dirfd = openat(dirfd, b->prefix, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (b->dirfd < 0)
		status = pario_run_file_error(dirfd, b->prefix, "opening the directory", err);
	return status;
}

/* Untimed: the directory, and whether the library has shared file pointers here. */
int pario_beff_io_before(struct pario_run *run, struct pario_err *err)
{
	struct pario_beff_io *b = run->scratch;
	struct pario_beff_io_file probe;
	int status;

	if (b->dirfd >= 0)
		return 0;
	status = enter_directory(b, err);
	if (!pario_members_well(run->comm, status))
		return status;
	for (unsigned i = 0; i < b->parts; i++) {
		struct pario_beff_io_part *p = &b->part[i];

		if (p->comm == MPI_COMM_NULL || !p->pointers)
			continue;
		pario_beff_io_file_of(b, i, PARIO_BEFF_IO_SHARED, PARIO_BEFF_IO_WRITE, &probe);
		p->pointers = pario_beff_io_probe(&probe);
	}
	return 0;
}

static void part_rows(struct pario_beff_io *b)
{
	for (unsigned i = 0; i < b->parts; i++) {
		const struct pario_beff_io_part *p = &b->part[i];
		const struct pario_beff_io_record *r = &p->record;

		pario_run_row(
			b->run, "partitions",
			"partition clients nodes node_bytes memory_bytes mpart_bytes seconds partitions "
			"release rewrite_all shared_pointers durable short segment_bytes complete",
			(const struct pario_datum[]){
				PARIO_NUMBER(i), PARIO_NUMBER(r->clients), PARIO_NUMBER(r->nodes),
				PARIO_NUMBER(b->node_bytes), PARIO_NUMBER(b->memory_bytes),
				PARIO_NUMBER(r->mpart), PARIO_NUMBER(r->plan.seconds),
				PARIO_NUMBER(r->plan.partitions),
				PARIO_TEXT(r->plan.release == PARIO_BEFF_IO_PAPER ? "paper"
										  : "2.0"),
				PARIO_NUMBER(r->plan.rewrite_all), PARIO_NUMBER(p->pointers),
				PARIO_NUMBER(b->params->durable), PARIO_NUMBER(b->params->brief),
				PARIO_NUMBER(r->segment), PARIO_NUMBER(!b->stop) });
	}
}

/* Hints must be reported, and the file may be gone when the journal is read. */
static void hint_rows(struct pario_beff_io *b)
{
	for (size_t i = 0; i < b->hints.count; i++) {
		const struct pario_beff_io_hint *h = &b->hints.hint[i];

		pario_run_row(b->run, "hints", "processes access type chunk key value",
			      (const struct pario_datum[]){
				      PARIO_TEXT(h->where[0]), PARIO_TEXT(h->where[1]),
				      PARIO_TEXT(h->where[2]), PARIO_TEXT(h->where[3]),
				      PARIO_TEXT(h->key), PARIO_TEXT(h->value) });
	}
}

/* The best partition speaks, as for the system; those that are incomplete have no value. */
static double best(const struct pario_beff_io *b,
		   double (*of)(const struct pario_beff_io_record *record))
{
	double value = (double)NAN;

	for (unsigned i = 0; i < b->parts; i++)
		value = fmax(value, of(&b->part[i].record));
	return value;
}

static void metrics(struct pario_beff_io *b, enum pario_beff_io_access access)
{
	double weighted = (double)NAN, value = (double)NAN;
	uint64_t bytes = 0, nodes = 1;
	char name[48];

	for (unsigned i = 0; i < b->parts; i++) {
		const struct pario_beff_io_record *r = &b->part[i].record;

		weighted =
			fmax(weighted, pario_beff_io_weighted_mb_s(r, access, PARIO_BEFF_IO_TYPES));
		value = fmax(value, pario_beff_io_access_mb_s(r, access));
		bytes += pario_beff_io_access_bytes(r, access);
		nodes = r->nodes > nodes ? r->nodes : nodes;
	}
	snprintf(name, sizeof(name), "b_eff_io_%s", pario_beff_io_access_names[access]);
	pario_run_metric(b->run, name, "MB/s", value);
	pario_run_metric(b->run, "wbw", "MB/s", weighted);
	pario_run_metric(b->run, "moved_percent", "% of memory",
			 100.0 * (double)bytes / ((double)b->node_bytes * (double)nodes));
	if (access != PARIO_BEFF_IO_READ)
		return;
	pario_run_metric(b->run, "b_eff_io", "MB/s", best(b, pario_beff_io_record_value));
	pario_run_metric(b->run, "b_eff_io_paper", "MB/s", best(b, pario_beff_io_record_paper));
	pario_run_metric(b->run, "b_eff_io_2_1", "MB/s", best(b, pario_beff_io_record_release));
}

/* What the number is worth; client 0 speaks. */
static void judge(struct pario_beff_io *b, enum pario_beff_io_access access)
{
	const char *pointers = "", *end = "", *more = "";

	for (unsigned i = 0; i < b->parts; i++)
		if (!b->part[i].pointers)
			pointers =
				b->params->shared_pointers
					? "not valid: this MPI library has no shared file pointers on this "
					  "file system, so type 1 was measured with the view of type 0"
					: "not valid: shared file pointers were switched off, so type 1 was "
					  "measured with the view of type 0";
	if (b->stop == PARIO_BEFF_IO_OVER) {
		end = "incomplete: it ended before all patterns had run, in the ";
		more = pario_beff_io_access_names[access];
	}
	if (b->stop == PARIO_BEFF_IO_FULL) {
		end = "incomplete: ";
		more = b->reason[0] ? b->reason
		       : b->err.code
			       ? b->err.text
			       : "there is no space, or no quota, for more in the directory; use "
				 "another --dir or fewer --minutes";
	}
	if (*pointers || *end)
		pario_run_suspect(b->run, "%s%s%s%s", end, more, *pointers && *end ? "; " : "",
				  pointers);
}

static void course_of_part(struct pario_beff_io *b, unsigned part, enum pario_beff_io_access access)
{
	int stop;

	if (b->part[part].comm != MPI_COMM_NULL)
		pario_beff_io_course(b, part, access);
	if (b->parts == 1)
		return;
	pario_run_wait(b->run);
	stop = (int)b->stop;
	MPI_Bcast(&stop, 1, MPI_INT, 0, b->run->comm);
	b->stop = (enum pario_beff_io_stop)stop;
	pario_run_pause(b->run);
}

static int wrong_data(const struct pario_beff_io *b, struct pario_err *err)
{
	const struct pario_beff_io_mismatch *m = &b->first;

	return pario_err_set(
		err, PARIO_VERIFY,
		"%llu of the numbers that b_eff_io read back on client %llu are not those that "
		"were written, the first in pattern %u, call %llu, element %llu: %.17g instead of "
		"%.17g. The protocol shows the patterns; look for failing storage.",
		(unsigned long long)b->wrong, (unsigned long long)b->run->client, m->pattern,
		(unsigned long long)m->call, (unsigned long long)m->element, m->found, m->expected);
}

int pario_beff_io_go(struct pario_run *run, enum pario_beff_io_access access, struct pario_err *err)
{
	struct pario_beff_io *b = run->scratch;

	if (b->stop) {
		pario_run_skip(run, "the phase before it is incomplete");
		return 0;
	}
	for (unsigned i = 0; i < b->parts && !b->stop; i++)
		course_of_part(b, i, access);
	part_rows(b);
	hint_rows(b);
	metrics(b, access);
	judge(b, access);
	if (b->stop == PARIO_BEFF_IO_FAILED && b->err.code) {
		*err = b->err;
		return -1;
	}
	if (b->first.seen && b->stop != PARIO_BEFF_IO_FAILED)
		return wrong_data(b, err);
	return 0;
}
