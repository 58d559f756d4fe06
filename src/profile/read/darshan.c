/*
 * darshan: one reading counts files and who used them, the second adds up. Counters of POSIX, STDIO and MPI-IO become
 * the sums that calls become in a trace; where MPI-IO moved a file, what POSIX saw of it lies within.
 */
#include "profile/read/darshan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "darshan/names.h"
#include "profile/read/darshan_file.h"
#include "profile/findings/evidence.h"

enum { FILES = 1 << 14, PLACES = 1 << 13, STREAMS = 1 << 14 };

enum field {
	READS,
	WRITES,
	OPENS,
	STATS,
	SEEKS,
	FSYNCS,
	FDSYNCS,
	SYNCS,
	BYTES_READ,
	BYTES_WRITTEN,
	MAX_BYTE_READ,
	MAX_BYTE_WRITTEN,
	SEQ_READS,
	SEQ_WRITES,
	FILE_NOT_ALIGNED,
	TINY_READS,
	LITTLE_READS,
	TINY_WRITES,
	LITTLE_WRITES,
	READ_TIME,
	WRITE_TIME,
	META_TIME,
	READ_START,
	WRITE_START,
	WRITE_END,
	MAX_READ_TIME,
	MAX_WRITE_TIME,
	SLOWEST,
	SLOWEST_TIME,
	INDEP_READS,
	COLL_READS,
	INDEP_WRITES,
	COLL_WRITES,
	INDEP_OPENS,
	COLL_OPENS,
	FIELDS
};

/* The ends of counter names, after the module's. */
static const char *const fields[FIELDS] = {
	[READS] = "READS",
	[WRITES] = "WRITES",
	[OPENS] = "OPENS",
	[STATS] = "STATS",
	[SEEKS] = "SEEKS",
	[FSYNCS] = "FSYNCS",
	[FDSYNCS] = "FDSYNCS",
	[SYNCS] = "SYNCS",
	[BYTES_READ] = "BYTES_READ",
	[BYTES_WRITTEN] = "BYTES_WRITTEN",
	[MAX_BYTE_READ] = "MAX_BYTE_READ",
	[MAX_BYTE_WRITTEN] = "MAX_BYTE_WRITTEN",
	[SEQ_READS] = "SEQ_READS",
	[SEQ_WRITES] = "SEQ_WRITES",
	[FILE_NOT_ALIGNED] = "FILE_NOT_ALIGNED",
	[TINY_READS] = "SIZE_READ_0_100",
	[LITTLE_READS] = "SIZE_READ_100_1K",
	[TINY_WRITES] = "SIZE_WRITE_0_100",
	[LITTLE_WRITES] = "SIZE_WRITE_100_1K",
	[READ_TIME] = "F_READ_TIME",
	[WRITE_TIME] = "F_WRITE_TIME",
	[META_TIME] = "F_META_TIME",
	[READ_START] = "F_READ_START_TIMESTAMP",
	[WRITE_START] = "F_WRITE_START_TIMESTAMP",
	[WRITE_END] = "F_WRITE_END_TIMESTAMP",
	[MAX_READ_TIME] = "F_MAX_READ_TIME",
	[MAX_WRITE_TIME] = "F_MAX_WRITE_TIME",
	[SLOWEST] = "SLOWEST_RANK",
	[SLOWEST_TIME] = "F_SLOWEST_RANK_TIME",
	[INDEP_READS] = "INDEP_READS",
	[COLL_READS] = "COLL_READS",
	[INDEP_WRITES] = "INDEP_WRITES",
	[COLL_WRITES] = "COLL_WRITES",
	[INDEP_OPENS] = "INDEP_OPENS",
	[COLL_OPENS] = "COLL_OPENS",
};

/* Operations of each kind in a module; 0: there is none. */
struct kind {
	const char *module, *prefix;
	uint16_t read, write, open, stat, sync, read_all, write_all;
};

static const struct kind kinds[] = {
	/* first, since POSIX beneath it is within */
	{ "MPI-IO", "MPIIO_", PARIO_OP_MPI_File_read_at, PARIO_OP_MPI_File_write_at,
	  PARIO_OP_MPI_File_open, 0, PARIO_OP_MPI_File_sync, PARIO_OP_MPI_File_read_at_all,
	  PARIO_OP_MPI_File_write_at_all },
	{ "POSIX", "POSIX_", PARIO_OP_read, PARIO_OP_write, PARIO_OP_open, PARIO_OP_stat,
	  PARIO_OP_fsync, 0, 0 },
	{ "STDIO", "STDIO_", PARIO_OP_fread, PARIO_OP_fwrite, PARIO_OP_fopen, 0, 0, 0, 0 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct maker {
	struct pario_profile *p;
	const struct pario_darshan_log *log;
	const struct kind *kind;
	uint32_t ranks;
	bool second;	/* reading */
	bool *by_mpiio; /* by file number */
	struct pario_darshan_record record;
	bool open; /* `record` has counters in `value` */
	double value[FIELDS];
	int8_t known[PARIO_PROFILE_POWERS + 64]; /* field by place in the record, +1 */
	unsigned place;
};

/* What one rank did to one file with one operation. */
struct part {
	uint16_t op;
	struct pario_profile_sum sum;
	uint64_t small, random, misaligned, apart;
	uint64_t to; /* where the part of the file ends */
	double first_ns;
};

/* ---- adding up ---- */

static void add(struct pario_profile_sum *to, const struct pario_profile_sum *sum)
{
	to->calls += sum->calls;
	to->bytes += sum->bytes;
	to->ns += sum->ns;
	to->max_ns = fmax(to->max_ns, sum->max_ns);
	to->layers |= sum->layers;
}

static uint32_t site_of(struct pario_profile *p, uint16_t op)
{
	struct pario_map_key key = { UINT32_MAX, op, 0 };
	bool is_new;
	uint32_t number = pario_map_add(&p->site_of, key, &is_new);
	struct pario_profile_site *sites =
		pario_map_grow(p->sites, &p->site_capacity, number, sizeof(*sites));

	p->job.no_memory |= !sites;
	if (!sites)
		return 0;
	p->sites = sites;
	if (is_new)
		sites[number] = (struct pario_profile_site){ .op = op, .module = UINT32_MAX };
	return number;
}

static struct pario_profile_power power_of(const struct part *x, uint64_t calls)
{
	double share = x->sum.calls ? (double)calls / (double)x->sum.calls : 0;

	return (struct pario_profile_power){ calls, (uint64_t)((double)x->sum.bytes * share),
					     x->sum.ns * share };
}

static void add_stream(struct pario_profile *p, uint32_t process, uint32_t file, uint32_t place,
		       uint32_t site, const struct part *x, bool nested)
{
	struct pario_evidence *e = p->evidence;
	const struct pario_trace_operation *info = pario_trace_operation(x->op);
	struct pario_map_key key = { site, process, file };
	bool is_new, data = info->class == PARIO_CLASS_READ || info->class == PARIO_CLASS_WRITE;
	uint32_t number = place ? pario_map_add(&e->stream_of, key, &is_new) : 0;
	struct pario_stream *streams =
		pario_map_grow(e->streams, &e->stream_capacity, number, sizeof(*streams));

	p->job.no_memory |= !streams;
	if (streams)
		e->streams = streams;
	if (!streams || !number)
		return;
	streams[number] = (struct pario_stream){
		.site = site,
		.process = process,
		.file = file,
		.place = place,
		.class = info->class,
		.layer = info->layer,
		.nested = nested,
		.collective = strstr(info->name, "_all"),
		.sum = x->sum,
		.moves = data && x->sum.bytes ? x->sum.calls : 0,
		.first_ns = x->first_ns,
		.to = x->to,
		.small = power_of(x, x->small),
		.random = power_of(x, x->random),
		.misaligned = power_of(x, x->misaligned),
		.misaligned_apart = power_of(x, x->apart),
	};
	if (x->sum.bytes > x->to && x->to)
		streams[number].again =
			power_of(x, (uint64_t)((double)x->sum.calls *
					       (1 - (double)x->to / (double)x->sum.bytes)));
	if (!nested && x->sum.ns > e->processes[process].busiest_ns) {
		e->processes[process].busiest_ns = x->sum.ns;
		e->processes[process].busiest = number;
	}
}

static struct pario_profile_sum *part_of(struct pario_profile_sum *read,
					 struct pario_profile_sum *write,
					 struct pario_profile_sum *other, uint8_t class)
{
	return class == PARIO_CLASS_READ ? read : class == PARIO_CLASS_WRITE ? write : other;
}

static void add_part(struct maker *m, uint32_t process, uint32_t file, uint32_t place,
		     struct part *x, bool nested)
{
	struct pario_profile *p = m->p;
	const struct pario_trace_operation *info;
	struct pario_profile_file *f = &p->files[file];
	struct pario_profile_process *q = &p->processes[process];
	uint32_t site;

	if (!x->op || !x->sum.calls)
		return;
	info = pario_trace_operation(x->op);
	site = site_of(p, x->op);
	x->sum.layers = 1u << info->layer;
	p->all_calls += x->sum.calls;
	if (p->sites)
		add(&p->sites[site].sum, &x->sum);
	add(part_of(&f->read[nested], &f->write[nested], &f->other[nested], info->class), &x->sum);
	add(&p->layers[info->layer][nested][2], &x->sum);
	if (info->class == PARIO_CLASS_READ || info->class == PARIO_CLASS_WRITE)
		add(&p->layers[info->layer][nested][info->class == PARIO_CLASS_WRITE], &x->sum);
	add_stream(p, process, file, place, site, x, nested);
	if (nested)
		return;
	add(part_of(&q->read, &q->write, &q->other, info->class), &x->sum);
	add(&p->total, &x->sum);
	add(&p->on[PARIO_MEDIUM_STORAGE], &x->sum);
	add(&p->classes[info->class], &x->sum);
	p->evidence->waits.of[process].busy += x->sum.ns;
	if (x->sum.bytes) {
		p->evidence->processes[process].transfers += x->sum.calls;
		p->evidence->processes[process].transfer_ns += x->sum.ns;
	}
}

/* ---- a record, shared out ---- */

/* Which part of a count is this rank's: parts add up to the whole. */
struct share {
	uint32_t rank, ranks;
	double time; /* its part of all times */
};

static uint64_t count_of(const struct maker *m, enum field field, const struct share *s)
{
	double value = m->value[field];
	uint64_t whole = value > 0 && value < 0x1p62 ? (uint64_t)value : 0;

	return s->ranks == 1 ? whole
			     : (uint64_t)((double)whole * (s->rank + 1) / s->ranks) -
				       (uint64_t)((double)whole * s->rank / s->ranks);
}

/* Seconds as nanoseconds, as far as they make sense. */
static double time_in(const struct maker *m, enum field field)
{
	double value = m->value[field];

	return value > 1e-9 && value < 1e9 ? value * 1e9 : 0;
}

static double time_of(const struct maker *m, enum field field, const struct share *s)
{
	return time_in(m, field) * s->time;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Reads or writes: how they lie is told by counters of their own. */
static struct part transfers(const struct maker *m, bool write, const struct share *s)
{
	struct part x = { .op = write ? m->kind->write : m->kind->read };
	uint64_t ordered = count_of(m, write ? SEQ_WRITES : SEQ_READS, s),
		 tiny = count_of(m, write ? TINY_WRITES : TINY_READS, s) +
			count_of(m, write ? LITTLE_WRITES : LITTLE_READS, s);
	bool alone = !(m->value[write ? READS : WRITES] > 0);

	x.sum.calls = count_of(m, write ? WRITES : READS, s);
	x.sum.bytes = count_of(m, write ? BYTES_WRITTEN : BYTES_READ, s);
	x.sum.ns = time_of(m, write ? WRITE_TIME : READ_TIME, s);
	x.sum.max_ns = fmin(x.sum.ns, time_in(m, write ? MAX_WRITE_TIME : MAX_READ_TIME));
	x.first_ns = time_in(m, write ? WRITE_START : READ_START);
	if (m->kind->read != PARIO_OP_read || !x.sum.calls)
		return x;
	x.to = s->ranks == 1 ? count_of(m, write ? MAX_BYTE_WRITTEN : MAX_BYTE_READ, s) + 1 : 0;
	x.small = least(least(tiny, ordered + 1), x.sum.calls);
	/* the first is before nothing */
	x.random = x.sum.calls > ordered + 1 ? x.sum.calls - ordered - 1 : 0;
	/* Darshan counts both together */
	if (alone && x.sum.bytes >= x.sum.calls * PARIO_EVIDENCE_PAGE)
		x.misaligned = least(count_of(m, FILE_NOT_ALIGNED, s), x.sum.calls);
	x.apart = least(x.misaligned, x.random);
	return x;
}

static void scale(struct part *x, uint64_t calls, uint64_t all)
{
	double share = all ? (double)calls / (double)all : 0;

	x->sum.calls = calls;
	x->sum.bytes = (uint64_t)((double)x->sum.bytes * share);
	x->sum.ns *= share;
}

/* Of MPI-IO, calls by each rank alone and by all together. */
static void add_transfers(struct maker *m, uint32_t process, uint32_t file, uint32_t place,
			  bool write, bool nested, const struct share *s)
{
	struct part x = transfers(m, write, s), together = x;
	uint64_t apart, all;

	if (!m->kind->read_all) {
		add_part(m, process, file, place, &x, nested);
		return;
	}
	apart = count_of(m, write ? INDEP_WRITES : INDEP_READS, s);
	all = apart + count_of(m, write ? COLL_WRITES : COLL_READS, s);
	together.op = write ? m->kind->write_all : m->kind->read_all;
	scale(&x, apart, all);
	scale(&together, all - apart, all);
	add_part(m, process, file, place, &x, nested);
	add_part(m, process, file, place, &together, nested);
}

/* Opening counts twice, since what is opened is closed; a seek costs nothing. */
static void add_names(struct maker *m, uint32_t process, uint32_t file, uint32_t place, bool nested,
		      const struct share *s)
{
	struct part open = { .op = m->kind->open }, stat = { .op = m->kind->stat };
	double ns = time_of(m, META_TIME, s), weight;

	open.sum.calls =
		count_of(m, OPENS, s) + count_of(m, INDEP_OPENS, s) + count_of(m, COLL_OPENS, s);
	stat.sum.calls = stat.op ? count_of(m, STATS, s) : 0;
	weight = 2 * (double)open.sum.calls + (double)stat.sum.calls;
	open.sum.ns = weight > 0 ? ns * 2 * (double)open.sum.calls / weight : 0;
	stat.sum.ns = weight > 0 ? ns - open.sum.ns : 0;
	add_part(m, process, file, place, &open, nested);
	add_part(m, process, file, place, &stat, nested);
}

static void add_place(struct maker *m, uint32_t process, uint32_t file, uint32_t place,
		      const struct share *s)
{
	struct pario_evidence_place *q = &m->p->evidence->places[place];
	struct pario_evidence_file *f = &m->p->evidence->files[file];
	uint64_t writes = count_of(m, WRITES, s) + count_of(m, INDEP_WRITES, s) +
			  count_of(m, COLL_WRITES, s),
		 reads = count_of(m, READS, s) + count_of(m, INDEP_READS, s) +
			 count_of(m, COLL_READS, s),
		 bytes = count_of(m, BYTES_WRITTEN, s),
		 syncs = count_of(m, FSYNCS, s) + count_of(m, FDSYNCS, s) + count_of(m, SYNCS, s);

	f->writers += writes && !q->writes;
	f->readers += reads && !q->reads;
	f->synced |= syncs > 0;
	f->last_write_ns = fmax(f->last_write_ns, time_in(m, WRITE_END));
	q->process = process;
	q->file = file;
	q->reads += reads;
	q->read_bytes += count_of(m, BYTES_READ, s);
	q->writes += writes;
	q->written_bytes += bytes;
	q->opens += count_of(m, OPENS, s);
	q->write_ns += time_of(m, WRITE_TIME, s);
	q->open_close_ns += time_of(m, META_TIME, s);
	q->first_ns = time_in(m, WRITE_START);
	q->last_ns = time_in(m, WRITE_END);
	q->to = count_of(m, MAX_BYTE_WRITTEN, &(struct share){ 0, 1, 1 }) + (writes > 0);
	q->by_mpiio |= m->kind->read_all != 0;
	q->write_site = site_of(m->p, m->kind->write);
	/* their time is among that of the writes */
	if (m->kind->sync && syncs && writes && bytes / writes < PARIO_EVIDENCE_LARGE) {
		q->alone.sum =
			(struct pario_profile_power){ least(syncs, writes), bytes,
						      time_of(m, WRITE_TIME, s) * (double)syncs /
							      (double)(syncs + writes) };
		q->alone.site = site_of(m->p, m->kind->sync);
	}
}

static void add_share(struct maker *m, uint32_t file, const struct share *s)
{
	struct pario_profile *p = m->p;
	uint32_t process = s->rank + 1,
		 place = pario_map_find(&p->job.place_of,
					(struct pario_map_key){ process, file, 0 });
	bool nested = !m->kind->read_all && m->kind->read == PARIO_OP_read && m->by_mpiio[file];

	if (m->ranks > 1)
		p->processes[process].meet.calls = 1;
	add_transfers(m, process, file, place, false, nested, s);
	add_transfers(m, process, file, place, true, nested, s);
	add_names(m, process, file, place, nested, s);
	if (place && !nested)
		add_place(m, process, file, place, s);
}

/* All ranks' times together, and that of the one that took longest. */
static double share_of_slowest(const struct maker *m)
{
	double all = time_in(m, READ_TIME) + time_in(m, WRITE_TIME) + time_in(m, META_TIME),
	       share = all > 0 ? time_in(m, SLOWEST_TIME) / all : 0;

	return share >= 1.0 / m->ranks && share <= 1 ? share : 1.0 / m->ranks;
}

static void register_record(struct maker *m, uint32_t first, uint32_t ranks)
{
	struct pario_job *job = &m->p->job;
	bool is_new;
	uint32_t file =
		pario_map_add(&job->file_of, (struct pario_map_key){ m->record.id, 0, 0 }, &is_new);

	m->p->unplaced_calls += !file;
	for (uint32_t i = first; file && i < first + ranks; i++)
		pario_map_add(&job->place_of, (struct pario_map_key){ i + 1, file, 0 }, &is_new);
}

static void finish_record(struct maker *m)
{
	bool shared = m->record.rank < 0;
	uint32_t ranks = shared ? m->ranks : 1,
		 first = shared ? 0 : (uint32_t)least((uint64_t)m->record.rank, m->ranks - 1), file;
	double slowest = shared ? share_of_slowest(m) : 1;
	struct share s = { .ranks = ranks };

	if (!m->open)
		return;
	m->open = false;
	if (!m->second) {
		register_record(m, first, ranks);
		return;
	}
	file = pario_map_find(&m->p->job.file_of, (struct pario_map_key){ m->record.id, 0, 0 });
	if (m->kind->read_all)
		m->by_mpiio[file] = file != 0;
	for (uint32_t i = 0; i < ranks; i++) {
		bool is_slowest = shared && m->value[SLOWEST] == i;

		s.rank = shared ? i : 0;
		s.time = !shared || ranks == 1 ? 1
			 : is_slowest	       ? slowest
					       : (1 - slowest) / (ranks - 1);
		if (!shared) {
			/* a rank's own record is not shared out */
			struct share own = { first, 1, 1 };

			add_share(m, file, &own);
		} else {
			add_share(m, file, &s);
		}
	}
}

static int8_t field_of(const struct maker *m, const char *name)
{
	size_t length = strlen(m->kind->prefix);

	for (int i = 0; strncmp(name, m->kind->prefix, length) == 0 && i < FIELDS; i++) {
		if (strcmp(name + length, fields[i]) == 0)
			return (int8_t)i;
	}
	return -1;
}

static int take(void *self, const struct pario_darshan_record *record,
		const struct pario_darshan_value *value, struct pario_err *err)
{
	struct maker *m = self;
	int8_t field;

	(void)err;
	if (!m->open || record->number != m->record.number) {
		finish_record(m);
		m->record = *record;
		m->open = true;
		m->place = 0;
		memset(m->value, 0, sizeof(m->value));
	}
	if (m->place < sizeof(m->known)) {
		if (!m->known[m->place])
			m->known[m->place] = (int8_t)(field_of(m, value->name) + 2);
		field = (int8_t)(m->known[m->place++] - 2);
		if (field >= 0)
			m->value[field] = value->kind == PARIO_DARSHAN_REAL ? value->real
									    : (double)value->whole;
	}
	return m->p->job.no_memory ? pario_err_memory(err, NULL) : 0;
}

static int read_records(struct maker *m, struct pario_err *err)
{
	const struct pario_darshan_see see = { take, NULL, m };
	int status = 0;

	for (int k = 0; status >= 0 && k < KINDS; k++) {
		m->kind = &kinds[k];
		memset(m->known, 0, sizeof(m->known));
		for (unsigned i = 0; status >= 0 && i < m->log->count; i++) {
			const char *name = pario_darshan_module_name(m->log, i);

			if (name && m->log->module[i].length && strcmp(name, m->kind->module) == 0)
				status = pario_darshan_module_read(m->log, i, &see, err);
		}
		if (status >= 0)
			finish_record(m);
	}
	return status < 0 ? -1 : 0;
}

/* ---- the job ---- */

static bool make_processes(struct maker *m)
{
	struct pario_job *job = &m->p->job;
	const char *program = m->log->job;
	size_t length = strcspn(program, "\n");
	bool is_new;

	/* which computers they were on is not told */
	job->machines = calloc(1, sizeof(*job->machines));
	job->machine_count = job->machines ? 1 : 0;
	if (!job->machines)
		return false;
	job->process_of.limit = PARIO_JOB_PROCESSES;
	for (uint32_t i = 1; i <= m->ranks; i++) {
		struct pario_job_process *more =
			pario_map_grow(job->processes, &job->process_capacity, i, sizeof(*more));

		if (!more || pario_map_add(&job->process_of, (struct pario_map_key){ i, 0, 0 },
					   &is_new) != i)
			return false;
		job->processes = more;
		more[i] = (struct pario_job_process){ .rank = m->ranks > 1 || m->log->nprocs > 1
								      ? i - 1
								      : UINT32_MAX };
	}
	job->processes[1].program = calloc(1, 2 * length + 2);
	if (!job->processes[1].program)
		return false;
	sprintf(job->processes[1].program, "%.*s\n%.*s", (int)strcspn(program, " \n"), program,
		(int)length, program);
	return true;
}

static int make_files(struct maker *m, struct pario_err *err)
{
	struct pario_job *job = &m->p->job;
	uint32_t count = job->file_of.count;
	struct pario_darshan_names names;

	job->files = calloc(count + 1ul, sizeof(*job->files));
	job->file_capacity = count + 1;
	if (!job->files)
		return pario_err_memory(err, NULL);
	if (pario_darshan_names_load(&names, m->log, err) < 0)
		return -1;
	for (uint32_t i = 1; i <= count; i++) {
		const char *name = pario_darshan_names_of(&names, job->file_of.keys[i].a);

		job->files[i] = name ? strdup(name) : NULL;
	}
	pario_darshan_names_release(&names);
	return 0;
}

static bool make_room(struct maker *m)
{
	struct pario_profile *p = m->p;
	uint32_t files = p->job.file_of.count, places = p->job.place_of.count;

	p->job.places = calloc(places + 1ul, sizeof(*p->job.places));
	p->job.place_capacity = places + 1;
	for (uint32_t i = 1; p->job.places && i <= places; i++)
		p->job.places[i] = (uint32_t)p->job.place_of.keys[i].b;
	p->files = calloc(files + 1ul, sizeof(*p->files));
	p->media = calloc(files + 1ul, sizeof(*p->media));
	p->processes = calloc(p->job.process_of.count + 1ul, sizeof(*p->processes));
	p->evidence = pario_evidence_new(&p->job);
	m->by_mpiio = calloc(files + 1ul, sizeof(*m->by_mpiio));
	if (!p->job.places || !p->files || !p->media || !p->processes || !p->evidence ||
	    !m->by_mpiio)
		return false;
	p->evidence->stream_of.limit = STREAMS;
	for (uint32_t i = 1; i <= files; i++)
		p->media[i] = PARIO_MEDIUM_STORAGE;
	return pario_timeline_init(&p->timeline, &p->job);
}

/* What the log says it lacks, and what is not known of it: a line each. */
static void note(struct maker *m)
{
	for (unsigned i = 0; i < m->log->count; i++) {
		const char *name = pario_darshan_module_name(m->log, i);

		if (pario_darshan_is_partial(m->log, i)) {
			m->p->partial = true;
			pario_text_add(
				&m->p->notes,
				"THE LOG IS NOT COMPLETE: the module %s ran out of memory.\n",
				name ? name : "?");
		}
	}
	if (m->log->nprocs > m->ranks)
		pario_text_add(&m->p->notes, "Of %llu ranks %u are told apart.\n",
			       (unsigned long long)m->log->nprocs, m->ranks);
	if (m->p->unplaced_calls)
		pario_text_add(
			&m->p->notes,
			"%llu records are of files beyond the first %d, which are too many to "
			"tell apart.\n",
			(unsigned long long)m->p->unplaced_calls, FILES);
	m->p->unplaced_calls = 0;
}

static int make(struct maker *m, struct pario_err *err)
{
	double seconds = m->log->end - m->log->start + (strcmp(m->log->version, "3.40") < 0);

	m->p->counted = true;
	m->p->site_of.limit = PARIO_PROFILE_SITES;
	m->p->job.file_of.limit = FILES;
	m->p->job.place_of.limit = PLACES;
	m->ranks = (uint32_t)least(m->log->nprocs ? m->log->nprocs : 1, PARIO_JOB_PROCESSES);
	m->p->job.start_ns = (uint64_t)(fmin(fmax(m->log->start, 0), 9e9) * 1e9);
	if (!make_processes(m))
		return pario_err_memory(err, NULL);
	if (read_records(m, err) < 0 || make_files(m, err) < 0)
		return -1;
	if (!make_room(m))
		return pario_err_memory(err, NULL);
	m->p->timeline.end_ns = fmin(fmax(seconds, 0), 1e9) * 1e9;
	m->second = true;
	if (read_records(m, err) < 0)
		return -1;
	note(m);
	return 0;
}

int pario_profile_darshan(struct pario_profile *p, const char *path, struct pario_err *err)
{
	struct pario_darshan_file file;
	struct maker m = { .p = p, .log = &file.log };
	int status;

	memset(p, 0, sizeof(*p));
	if (pario_darshan_file_open(&file, path, err) < 0)
		return -1;
	status = make(&m, err);
	free(m.by_mpiio);
	pario_darshan_file_close(&file);
	if (status < 0)
		pario_profile_release(p);
	return status;
}
