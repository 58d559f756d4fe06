/*
 * pattern_types: type after type, pattern after pattern, each where the one before it ended (docs/beff_io.md).
 *
 * Only the initial write of types 0 to 2 ends by time. Before each of its patterns the free space is checked; from
 * pattern 3 on it is compared with the volume expected from the rates so far, so that the test stops before the
 * storage is full, not because it is.
 */
#include "tests/beff_io/measure/pattern_types.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/beff_io/measure/loop.h"

/* From this pattern on the expected volume is known well enough. */
enum { FIRST_ESTIMATE = 3 };

struct schedule {
	struct pario_beff_io *bench;
	struct pario_beff_io_part *part;
	unsigned number; /* of the partition */
	enum pario_beff_io_access access;
	struct pario_beff_io_file file;
	uint64_t moved; /* by this client in patterns of this type before */
	MPI_Info info;	/* what was in force for the first file */
	bool again;	/* untimed: what was written first is looked at before it is rewritten */
};

void pario_beff_io_file_of(const struct pario_beff_io *b, unsigned part,
			   enum pario_beff_io_type type, enum pario_beff_io_access access,
			   struct pario_beff_io_file *f)
{
	const struct pario_beff_io_part *p = &b->part[part];
	char rank[32] = "";

	*f = (struct pario_beff_io_file){ .type = type,
					  .access = access,
					  .pointers = p->pointers,
					  .durable = b->params->durable,
					  .members = p->comm,
					  .clients = p->record.clients,
					  .client = p->rank,
					  .dirfd = b->dirfd,
					  .mpi = MPI_FILE_NULL,
					  .fd = -1 };
	if (type == PARIO_BEFF_IO_SEPARATED)
		snprintf(rank, sizeof(rank), ".%llu", (unsigned long long)f->client);
	snprintf(f->name, sizeof(f->name), "%s.p%u.n%llu.t%d%s", b->prefix, part,
		 (unsigned long long)f->clients, (int)type, rank);
	snprintf(f->path, sizeof(f->path), "%s%s", b->path, f->name);
	snprintf(f->reach, sizeof(f->reach), "%s%s", b->reach, f->name);
}

static MPI_Info hints_at(const struct schedule *c, int pattern)
{
	const struct pario_beff_io_place place = { .processes = c->file.clients,
						   .access = c->access,
						   .type = c->file.type,
						   .pattern = pattern };
	MPI_Info info = MPI_INFO_NULL;
	struct pario_err err = { 0 };

	if (pattern < 0 && pario_run_info(c->bench->run, &info, &err) < 0)
		pario_beff_io_fail(c->bench, &err, false);
	for (size_t i = 0; i < c->bench->hints.count; i++) {
		const struct pario_beff_io_hint *h = &c->bench->hints.hint[i];

		if (!pario_beff_io_hint_applies(h, &place))
			continue;
		if (info == MPI_INFO_NULL)
			MPI_Info_create(&info);
		MPI_Info_set(info, h->key, h->value);
	}
	return info;
}

static void forget(MPI_Info *info)
{
	if (*info != MPI_INFO_NULL)
		MPI_Info_free(info);
}

/* What the rest of the write will bring by the slowest rate known for each chunk size, or by the mean. */
static uint64_t expected(const struct schedule *c, unsigned next)
{
	const struct pario_beff_io_record *r = &c->part->record;
	double slowest[PARIO_BEFF_IO_EXTRA_ROW + 1] = { 0 }, bytes = 0;
	double mean = pario_beff_io_weighted_mb_s(r, PARIO_BEFF_IO_WRITE, PARIO_BEFF_IO_TYPES);

	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++) {
		const struct pario_beff_io_pattern *pattern = &pario_beff_io_patterns[p];
		double rate = slowest[pattern->row], own;

		if (pattern->units == 0)
			continue;
		own = pario_beff_io_pattern_mb_s(r, PARIO_BEFF_IO_WRITE, p);
		if (p < next && (rate == 0 || own < rate))
			slowest[pattern->row] = own;
		else if (p >= next)
			bytes += pario_beff_io_seconds(&r->plan, pattern->units) * 1e6 *
				 (rate > 0 ? rate : mean);
	}
	return bytes < 1e18 ? (uint64_t)bytes : (uint64_t)1e18;
}

static void full(struct schedule *c, uint64_t needed, uint64_t there, const char *what)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	c->bench->stop = PARIO_BEFF_IO_FULL;
	snprintf(
		c->bench->reason, sizeof(c->bench->reason),
		"%s needs %s more in the directory, where %s are free; use another --dir or fewer --minutes",
		what, pario_units_size(a, needed), pario_units_size(b, there));
}

/* Client 0 looks, all learn: calls that fit, and whether to go on at all. */
static void look_for_space(struct schedule *c, struct pario_beff_io_job *j)
{
	uint64_t told[2] = { UINT64_MAX, PARIO_BEFF_IO_GOES_ON }, there, need, each;
	unsigned first = pario_beff_io_first[c->file.type];

	if (c->access != PARIO_BEFF_IO_WRITE)
		return;
	if (c->file.client == 0) {
		there = pario_beff_io_free(c->bench);
		each = c->file.clients * j->bytes;
		need = j->timed ? each : each * j->calls;
		if (c->file.type >= PARIO_BEFF_IO_SEGMENTED && j->pattern == first)
			need = c->file.clients * c->part->segment.bytes;
		if (need > there)
			full(c, need, there, "the next pattern");
		else if (j->pattern > FIRST_ESTIMATE && (need = expected(c, j->pattern)) > there)
			full(c, need, there, "the rest of the initial write, by the rates so far,");
		told[0] = each ? there / each : UINT64_MAX;
		told[1] = c->bench->stop;
	}
	MPI_Bcast(told, 2, MPI_UINT64_T, 0, c->file.members);
	j->capacity = told[0];
	c->bench->stop = (enum pario_beff_io_stop)told[1];
}

static uint64_t start_of(const struct schedule *c)
{
	if (c->file.type == PARIO_BEFF_IO_SEPARATED)
		return c->moved;
	if (c->file.type < PARIO_BEFF_IO_SEPARATED)
		return c->file.clients * c->moved;
	return c->file.client * c->part->segment.bytes + c->moved;
}

static uint64_t calls_of(const struct schedule *c, unsigned p)
{
	const struct pario_beff_io_segment *s = &c->part->segment;
	unsigned index = p - pario_beff_io_first[c->file.type];

	if (c->access != PARIO_BEFF_IO_WRITE)
		return c->part->record.pattern[PARIO_BEFF_IO_WRITE][p].calls;
	if (c->file.type < PARIO_BEFF_IO_SEGMENTED)
		return 1;
	return index < 8 ? s->calls[index] : s->fill > 0;
}

#define PATTERN_COLUMNS                                                                         \
	"partition clients type pattern units scheduled_ns chunk_bytes call_bytes calls bytes " \
	"ns io_ns barrier_ns bcast_ns sync_ns loop_ns decide_ns last_call_ns last_decide_ns "   \
	"errors complete check_ns"

static void pattern_row(const struct schedule *c, const struct pario_beff_io_job *j,
			const struct pario_beff_io_timing *t)
{
	const double numbers[] = { c->number,
				   (double)c->file.clients,
				   c->file.type,
				   j->pattern,
				   pario_beff_io_patterns[j->pattern].units,
				   (double)j->scheduled_ns,
				   (double)j->chunk,
				   (double)j->bytes,
				   (double)t->calls,
				   (double)t->bytes,
				   (double)t->ns,
				   (double)t->io_ns,
				   (double)t->barrier_ns,
				   (double)t->bcast_ns,
				   (double)t->sync_ns,
				   (double)t->loop_ns,
				   (double)t->decide_ns,
				   (double)t->last_call_ns,
				   (double)t->last_decide_ns,
				   (double)t->errors,
				   t->done,
				   (double)t->check_ns };
	struct pario_datum cells[sizeof(numbers) / sizeof(numbers[0])];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cells[i] = PARIO_NUMBER(numbers[i]);
	pario_run_row(c->bench->run, "patterns", PATTERN_COLUMNS, cells);
}

static void error_row(const struct schedule *c, const struct pario_beff_io_job *j)
{
	const struct pario_beff_io_mismatch *m = &j->first;

	pario_run_row(
		c->bench->run, "errors", "partition pattern client call element found expected",
		(const struct pario_datum[]){ PARIO_NUMBER(c->number), PARIO_NUMBER(m->pattern),
					      PARIO_NUMBER(j->first_client), PARIO_NUMBER(m->call),
					      PARIO_NUMBER(m->element), PARIO_NUMBER(m->found),
					      PARIO_NUMBER(m->expected) });
}

/* Of wrong data where nothing is timed: the pattern that wrote them has no value. */
static void blame(struct schedule *c, unsigned p, const struct pario_beff_io_timing *read)
{
	c->part->record.pattern[PARIO_BEFF_IO_WRITE][p].errors += read->errors;
}

static void pattern(struct schedule *c, unsigned p)
{
	struct pario_beff_io_record *r = &c->part->record;
	struct pario_beff_io_timing read = { 0 }, *t = c->again ? &read : &r->pattern[c->access][p];
	const struct pario_beff_io_pattern *pattern = &pario_beff_io_patterns[p];
	double seconds = pario_beff_io_seconds(&r->plan, pattern->units);
	uint64_t fill = c->part->segment.fill;
	struct pario_beff_io_job job = {
		.bench = c->bench,
		.file = &c->file,
		.pattern = p,
		.start = start_of(c),
		.chunk = pario_beff_io_chunk(p, r->mpart, fill),
		.bytes = pario_beff_io_call(p, r->mpart, fill),
		.timed = c->access == PARIO_BEFF_IO_WRITE &&
			 c->file.type < PARIO_BEFF_IO_SEGMENTED && pattern->units > 0,
		.scheduled_ns = (int64_t)(seconds * 1e9),
		.calls = calls_of(c, p),
		.writer = !c->again && pario_beff_io_rewrites(&r->plan, c->file.type)
				  ? PARIO_BEFF_IO_REWRITE
				  : PARIO_BEFF_IO_WRITE,
	};

	look_for_space(c, &job);
	if (c->bench->stop)
		return;
	job.info = hints_at(c, (int)p);
	pario_beff_io_loop(&job, t);
	forget(&job.info);
	if (c->again)
		blame(c, p, t);
	else
		pattern_row(c, &job, t);
	if (job.first.seen)
		error_row(c, &job);
	c->moved += t->bytes;
}

static void force_row(const struct schedule *c, const char *whose, const char *key,
		      const char *value)
{
	pario_run_row(c->bench->run, "in_force", "partition whose key value",
		      (const struct pario_datum[]){ PARIO_NUMBER(c->number), PARIO_TEXT(whose),
						    PARIO_TEXT(key), PARIO_TEXT(value) });
}

/* Of the first type all that the library says of its open file, of the others what differs from that. */
static void tell_info(struct schedule *c)
{
	MPI_Info info = MPI_INFO_NULL;
	char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], before[MPI_MAX_INFO_VAL + 1];
	int keys = 0, set, known;

	if (c->again || c->bench->run->client != 0 ||
	    MPI_File_get_info(c->file.mpi, &info) != MPI_SUCCESS || info == MPI_INFO_NULL)
		return;
	MPI_Info_get_nkeys(info, &keys);
	for (int i = 0; i < keys; i++) {
		MPI_Info_get_nthkey(info, i, key);
		MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &set);
		known = 0;
		if (c->info != MPI_INFO_NULL)
			MPI_Info_get(c->info, key, MPI_MAX_INFO_VAL, before, &known);
		if (set && !(known && strcmp(value, before) == 0))
			force_row(c, pario_beff_io_type_names[c->file.type], key, value);
	}
	if (c->info == MPI_INFO_NULL)
		c->info = info;
	else
		MPI_Info_free(&info);
}

/* Only what decides about files: the environment may hold secrets. */
static void tell_environment(const struct schedule *c)
{
	static const char *const prefixes[] = { "OMPI_MCA_io",	     "OMPI_MCA_fs_",
						"OMPI_MCA_fbtl_",    "OMPI_MCA_fcoll",
						"OMPI_MCA_sharedfp", "ROMIO_",
						"MPICH_MPIIO_",	     "I_MPI_EXTRA_FILESYSTEM" };
	char key[64];

	for (char **e = environ; c->bench->run->client == 0 && *e; e++)
		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			size_t length = strcspn(*e, "=");

			if (strncmp(*e, prefixes[i], strlen(prefixes[i])) != 0 ||
			    length >= sizeof(key) || !(*e)[length])
				continue;
			snprintf(key, sizeof(key), "%.*s", (int)length, *e);
			force_row(c, "environment", key, *e + length + 1);
		}
}

static bool open_file(struct schedule *c, int64_t *ns)
{
	MPI_Info info = hints_at(c, -1);
	struct pario_err err = { 0 };
	int64_t from;
	int status;

	pario_run_pause(c->bench->run);
	MPI_Barrier(c->file.members);
	from = pario_run_elapsed_ns(c->bench->run);
	status = pario_beff_io_open(&c->file, info, &err);
	MPI_Barrier(c->file.members);
	*ns = pario_run_elapsed_ns(c->bench->run) - from;
	pario_run_step(c->bench->run, PARIO_STEP_OPEN);
	forget(&info);
	if (status < 0) {
		pario_beff_io_fail(c->bench, &err, c->access == PARIO_BEFF_IO_WRITE);
	} else {
		tell_info(c);
		pario_run_pause(c->bench->run);
	}
	return status == 0;
}

static void close_file(struct schedule *c, int64_t *ns)
{
	bool writes = c->access != PARIO_BEFF_IO_READ;
	struct pario_err err = { 0 };
	uint64_t end = c->moved;
	int64_t from;

	MPI_Barrier(c->file.members);
	from = pario_run_elapsed_ns(c->bench->run);
	if (pario_beff_io_close(&c->file, &err) < 0)
		pario_beff_io_fail(c->bench, &err, writes);
	MPI_Barrier(c->file.members);
	*ns = pario_run_elapsed_ns(c->bench->run) - from;
	pario_run_step(c->bench->run, PARIO_STEP_CLOSE);
	if (c->file.type != PARIO_BEFF_IO_SEPARATED)
		end *= c->file.clients;
	if (writes && !c->bench->stop && pario_beff_io_size(&c->file, end, &err) < 0)
		pario_beff_io_fail(c->bench, &err, true);
	pario_beff_io_meet(c->bench, c->file.members);
	pario_run_pause(c->bench->run);
}

static void run_type(struct schedule *c, enum pario_beff_io_type type)
{
	struct pario_beff_io_record *r = &c->part->record;
	int64_t open_ns, close_ns;

	pario_beff_io_file_of(c->bench, c->number, type, c->access, &c->file);
	c->moved = 0;
	if (!open_file(c, &open_ns)) {
		pario_beff_io_meet(c->bench, c->file.members);
		return;
	}
	if (!c->again)
		r->type[c->access][type].open_ns = open_ns;
	for (unsigned p = pario_beff_io_first[type];
	     p < pario_beff_io_first[type + 1] && !c->bench->stop; p++)
		pattern(c, p);
	close_file(c, &close_ns);
	if (c->again)
		return;
	r->type[c->access][type].close_ns = close_ns;
	r->type[c->access][type].done = !c->bench->stop;
	pario_run_row(
		c->bench->run, "types", "partition clients type name open_ns close_ns complete",
		(const struct pario_datum[]){
			PARIO_NUMBER(c->number), PARIO_NUMBER(c->file.clients), PARIO_NUMBER(type),
			PARIO_TEXT(pario_beff_io_type_names[type]), PARIO_NUMBER(open_ns),
			PARIO_NUMBER(close_ns), PARIO_NUMBER(!c->bench->stop) });
}

/* The segments follow from the counts of types 0 to 2, which all members know. */
static void measure_segment(struct schedule *c)
{
	struct pario_beff_io_record *r = &c->part->record;
	uint64_t counts[25], end;
	struct pario_err err = { 0 };

	for (unsigned p = 0; p < 25; p++)
		counts[p] = r->pattern[PARIO_BEFF_IO_WRITE][p].calls;
	if (!pario_beff_io_segment(r->mpart, counts, &c->part->segment) ||
	    !pario_mul(c->part->segment.bytes, r->clients, &end) || end > INT64_MAX) {
		pario_err_set(
			&err, PARIO_SYSTEM,
			"the segments of b_eff_io end beyond 2^63 bytes. Use fewer --minutes.");
		pario_beff_io_fail(c->bench, &err, false);
	}
	r->segment = c->part->segment.bytes;
}

/* What this client's data are but for the marks; its number may be another one in each partition. */
static void know_data(struct pario_beff_io *bench, const struct pario_beff_io_part *part)
{
	const struct pario_beff_io_data data = { .elements = bench->reference,
						 .call = pario_beff_io_longest(part->record.mpart),
						 .client = part->rank };

	pario_beff_io_base(&data);
}

void pario_beff_io_pattern_types(struct pario_beff_io *bench, unsigned part,
				 enum pario_beff_io_access access)
{
	struct schedule c = { .bench = bench,
			      .part = &bench->part[part],
			      .number = part,
			      .access = access,
			      .info = MPI_INFO_NULL };

	know_data(bench, c.part);
	for (int t = 0; t < PARIO_BEFF_IO_TYPES && !bench->stop; t++) {
		enum pario_beff_io_type type = (enum pario_beff_io_type)t;

		if (access == PARIO_BEFF_IO_REWRITE &&
		    !pario_beff_io_rewrites(&c.part->record.plan, type))
			continue;
		if (access == PARIO_BEFF_IO_WRITE && type == PARIO_BEFF_IO_SEGMENTED)
			measure_segment(&c);
		if (!bench->stop)
			run_type(&c, type);
	}
	if (part == 0)
		tell_environment(&c);
	forget(&c.info);
}

void pario_beff_io_look_again(struct pario_beff_io *bench, unsigned part)
{
	struct schedule c = { .bench = bench,
			      .part = &bench->part[part],
			      .number = part,
			      .access = PARIO_BEFF_IO_READ,
			      .info = MPI_INFO_NULL,
			      .again = true };

	know_data(bench, c.part);
	for (int t = 0; t < PARIO_BEFF_IO_TYPES && !bench->stop; t++)
		if (pario_beff_io_rewrites(&c.part->record.plan, (enum pario_beff_io_type)t))
			run_type(&c, (enum pario_beff_io_type)t);
}
