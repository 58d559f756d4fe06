/*
 * partitions: what happens before, between and after the access methods.
 */
#include "tests/beff_io/measure/partitions.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/beff_io/measure/loop.h"
#include "tests/beff_io/measure/pattern_types.h"
#include "tests/common/members.h"

static int make_part(struct pario_beff_io *b, unsigned i, struct pario_beff_io_shape *s,
		     bool member, struct pario_err *err)
{
	struct pario_beff_io_part *p = &b->part[i];
	uint64_t most = 0;
	int rank = 0;

	MPI_Comm_split(b->run->comm, member ? 0 : MPI_UNDEFINED, 0, &p->comm);
	b->parts = i + 1;
	p->record.clients = s->sizes[i];
	p->record.plan = s->plan;
	p->pointers = b->params->shared_pointers;
	if (member) {
		MPI_Comm_rank(p->comm, &rank);
		p->rank = (uint64_t)rank;
		p->record.nodes = pario_members_nodes(p->comm);
		p->record.per_node = most = pario_members_per_node(p->comm);
	}
	/* Those who wait have buffers, too. */
	MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, b->run->comm);
	if (pario_beff_io_part_of(b->params, b->memory_bytes, most, &s->mpart[i], err) < 0)
		return -1;
	p->record.mpart = s->mpart[i];
	return 0;
}

static int no_such_nodes(const struct pario_beff_io_shape *s, unsigned i, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE,
			     "--partitions %llux%llu: the clients of this run are not on so many "
			     "nodes with so many on each. Use fewer, or start more with --np.",
			     (unsigned long long)s->nodes[i],
			     (unsigned long long)(s->sizes[i] / s->nodes[i]));
}

/* All clients know all nodes and choose alike. */
static int make_parts(struct pario_beff_io *b, struct pario_beff_io_shape *s, struct pario_err *err)
{
	uint64_t clients = b->run->clients, *node = calloc(clients, sizeof(*node));
	bool *member = calloc(clients, sizeof(*member));
	int status = 0;

	if (!node || !member)
		status = pario_err_memory(err, "the partitions");
	if (pario_members_well(b->run->comm, status)) {
		pario_run_gather(b->run, pario_members_node(b->run->comm), node);
		for (unsigned i = 0; i < s->parts && status == 0; i++) {
			if (!pario_beff_io_choose(node, clients, s->sizes[i], s->nodes[i], member))
				status = no_such_nodes(s, i, err);
			else
				status = make_part(b, i, s, member[b->run->client], err);
		}
	}
	free(member);
	free(node);
	return status;
}

/* Both buffers of this client; the reference never changes. */
static int make_buffers(struct pario_beff_io *b, uint64_t bytes, struct pario_err *err)
{
	b->buffer = malloc(bytes);
	b->reference = malloc(bytes);
	if (b->buffer && b->reference)
		return 0;
	return pario_err_memory(err,
				"two buffers of %llu bytes. Use a smaller "
				"--memory_per_node",
				(unsigned long long)bytes);
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
	uint64_t least[2], longest = 0;
	int status = b ? 0 : pario_err_memory(err, "the test");

	run->scratch = b;
	if (status == 0)
		status = pario_beff_io_shape(run->params, run->clients,
					     pario_run_capacity(run).clients, &s, err);
	if (!pario_members_well(run->comm, status))
		return status;
	b->run = run;
	b->params = run->params;
	b->dirfd = -1;
	/* Nodes may differ; the smallest one counts for all. */
	least[0] = s.node_bytes;
	least[1] = s.memory_bytes;
	MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_UINT64_T, MPI_MIN, run->comm);
	b->node_bytes = least[0];
	b->memory_bytes = least[1];
	status = make_parts(b, &s, err);
	for (unsigned i = 0; i < s.parts; i++)
		if (s.mpart[i] > longest)
			longest = s.mpart[i];
	if (status == 0)
		status = make_buffers(b, pario_beff_io_longest(longest), err);
	if (get_hints(b, err) < 0 || status < 0)
		return -1;
	pario_run_file_name(run, b->prefix);
	snprintf(b->directory, sizeof(b->directory), "%s/", b->prefix);
	pario_run_reach(run, b->directory, b->reach, sizeof(b->reach));
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
		free(b->reference);
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
			"release rewrite_all shared_pointers durable short segment_bytes complete "
			"per_node",
			(const struct pario_datum[]){
				PARIO_NUMBER(i), PARIO_NUMBER(r->clients), PARIO_NUMBER(r->nodes),
				PARIO_NUMBER(b->node_bytes), PARIO_NUMBER(b->memory_bytes),
				PARIO_NUMBER(r->mpart), PARIO_NUMBER(r->plan.seconds),
				PARIO_NUMBER(r->plan.partitions),
				PARIO_TEXT(r->plan.release == PARIO_BEFF_IO_PAPER ? "paper"
										  : "2.0"),
				PARIO_NUMBER(r->plan.rewrite_all), PARIO_NUMBER(p->pointers),
				PARIO_NUMBER(b->params->durable), PARIO_NUMBER(b->params->brief),
				PARIO_NUMBER(r->segment), PARIO_NUMBER(!b->stop),
				PARIO_NUMBER(r->per_node) });
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

/* What a partition is judged by: its value once it has one, before that the value of the access method. */
static double merit(const struct pario_beff_io_record *r, enum pario_beff_io_access access)
{
	if (access == PARIO_BEFF_IO_READ)
		return pario_beff_io_sound(r, pario_beff_io_record_value);
	return pario_beff_io_access_mb_s(r, access);
}

/* The best partition speaks, as for the system; one that is incomplete, or read wrong data, does not. */
static const struct pario_beff_io_record *speaker(const struct pario_beff_io *b,
						  enum pario_beff_io_access access)
{
	const struct pario_beff_io_record *best = &b->part[0].record;

	for (unsigned i = 1; i < b->parts; i++) {
		const struct pario_beff_io_record *r = &b->part[i].record;

		if (isnan(merit(best, access)) || merit(r, access) > merit(best, access))
			best = r;
	}
	return best;
}

static void access_metric(struct pario_beff_io *b, const struct pario_beff_io_record *r,
			  enum pario_beff_io_access access)
{
	char name[48];

	snprintf(name, sizeof(name), "b_eff_io_%s", pario_beff_io_access_names[access]);
	pario_run_metric(b->run, name, "MB/s", pario_beff_io_access_mb_s(r, access));
}

/* All of one partition, which is named: numbers of different ones do not belong together. */
static void metrics(struct pario_beff_io *b, enum pario_beff_io_access access)
{
	const struct pario_beff_io_record *r = speaker(b, access);
	double memory = (double)b->node_bytes * (double)(r->nodes ? r->nodes : 1);

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		if (a == (int)access || access == PARIO_BEFF_IO_READ)
			access_metric(b, r, (enum pario_beff_io_access)a);
	pario_run_metric(b->run, "wbw", "MB/s",
			 pario_beff_io_weighted_mb_s(r, access, PARIO_BEFF_IO_TYPES));
	pario_run_metric(b->run, "moved_percent", "% of memory",
			 100.0 * (double)pario_beff_io_access_bytes(r, access) / memory);
	pario_run_metric(b->run, "official", "",
			 !b->params->brief && pario_beff_io_official(&r->plan));
	pario_run_metric(b->run, "partition_clients", "clients", (double)r->clients);
	if (access != PARIO_BEFF_IO_READ)
		return;
	pario_run_metric(b->run, "b_eff_io", "MB/s",
			 pario_beff_io_sound(r, pario_beff_io_record_value));
	pario_run_metric(b->run, "b_eff_io_paper", "MB/s",
			 pario_beff_io_sound(r, pario_beff_io_record_paper));
	pario_run_metric(b->run, "b_eff_io_2_1", "MB/s",
			 pario_beff_io_sound(r, pario_beff_io_record_release));
}

static void add_reason(struct pario_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void add_reason(struct pario_text *text, const char *format, ...)
{
	va_list args;

	pario_text_add(text, "%s", text->length ? "; " : "");
	va_start(args, format);
	pario_text_vadd(text, format, args);
	va_end(args);
}

static void say_why_incomplete(const struct pario_beff_io *b, enum pario_beff_io_access access,
			       struct pario_text *text)
{
	if (b->stop == PARIO_BEFF_IO_OVER)
		add_reason(text, "incomplete: it ended before all patterns had run, in the %s",
			   pario_beff_io_access_names[access]);
	/* Not the library's words: most call it an I/O error. */
	if (b->stop == PARIO_BEFF_IO_FULL)
		add_reason(text, "incomplete: %s",
			   b->reason[0] ? b->reason
					: "there is no space, or no quota, for more in the "
					  "directory; use another --dir or fewer --minutes");
}

/* What the number is worth; client 0 speaks. What is not valid is doubtful everywhere, not in the summary alone. */
static void judge(struct pario_beff_io *b, enum pario_beff_io_access access)
{
	const struct pario_beff_io_plan *plan = &b->part[0].record.plan;
	struct pario_text text = { 0 };
	bool pointers = true;

	say_why_incomplete(b, access, &text);
	for (unsigned i = 0; i < b->parts; i++)
		pointers = pointers && b->part[i].pointers;
	if (!pointers)
		add_reason(
			&text, "not valid: %s, so type 1 was measured with the view of type 0",
			b->params->shared_pointers
				? "this MPI library has no working shared file pointers on this file system"
				: "shared file pointers were switched off");
	if (!b->stop && !pario_beff_io_official(plan))
		add_reason(&text,
			   "not valid: scheduled for %.3g min per partition, b_eff_io asks for %d",
			   plan->seconds / plan->partitions / 60, PARIO_BEFF_IO_OFFICIAL_S / 60);
	if (text.length)
		pario_run_suspect(b->run, "%s", pario_text_string(&text));
	pario_text_release(&text);
}

/* Its members are at work, then all know how it ended. */
static void measure_part(struct pario_beff_io *b, unsigned part, enum pario_beff_io_access access,
			 bool again)
{
	int stop;

	if (b->part[part].comm != MPI_COMM_NULL && again)
		pario_beff_io_look_again(b, part);
	else if (b->part[part].comm != MPI_COMM_NULL)
		pario_beff_io_pattern_types(b, part, access);
	if (b->part[part].record.clients == b->run->clients)
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

static int ending(const struct pario_beff_io *b, struct pario_err *err)
{
	if (b->stop == PARIO_BEFF_IO_FAILED && b->err.code) {
		*err = b->err;
		return -1;
	}
	if (b->first.seen && b->stop != PARIO_BEFF_IO_FAILED)
		return wrong_data(b, err);
	return 0;
}

int pario_beff_io_go(struct pario_run *run, enum pario_beff_io_access access, struct pario_err *err)
{
	struct pario_beff_io *b = run->scratch;

	if (b->stop) {
		pario_run_skip(run, "the phase before it is incomplete");
		return 0;
	}
	for (unsigned i = 0; i < b->parts && !b->stop; i++)
		measure_part(b, i, access, false);
	part_rows(b);
	hint_rows(b);
	metrics(b, access);
	judge(b, access);
	return ending(b, err);
}

int pario_beff_io_verify(struct pario_run *run, enum pario_beff_io_access access,
			 struct pario_err *err)
{
	struct pario_beff_io *b = run->scratch;

	if (access != PARIO_BEFF_IO_WRITE || b->stop)
		return 0;
	for (unsigned i = 0; i < b->parts && !b->stop; i++)
		measure_part(b, i, access, true);
	return ending(b, err);
}
