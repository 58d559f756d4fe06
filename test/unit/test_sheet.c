/*
 * test_sheet: classes of planted calls: paths that were planted are found, and only these; phases; calls at the same
 * time; and what a prediction from a profile's journal says is what the trace says.
 */
#include "planted.h"

#include <math.h>
#include <sys/stat.h>

#include "base/mixture.h"
#include "predict/estimate/predict.h"
#include "predict/estimate/ratio.h"
#include "profile/show/journal.h"
#include "report/trace/trace.h"

enum { KIB = 1024, BINS = 400, US = 1000 };

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

/* ---- one or two ---- */

static double logs[BINS], weights[BINS];

/* Eight bins an octave from 1 ns on. */
static void empty_bins(void)
{
	for (int i = 0; i < BINS; i++) {
		logs[i] = (i + 0.5) * log(2) / 8;
		weights[i] = 0;
	}
}

/* So many times of about this length; the shape is that of a normal distribution of the logarithm. */
static void plant(double count, double ns, double deviation)
{
	double sum = 0;

	for (int i = 0; i < BINS; i++)
		sum += exp(-pow((logs[i] - log(ns)) / deviation, 2) / 2);
	for (int i = 0; i < BINS; i++)
		weights[i] += count * exp(-pow((logs[i] - log(ns)) / deviation, 2) / 2) / sum;
}

static void two_that_are_ten_times_apart_are_found(void **state)
{
	struct pario_mixture m;
	double below = 0;

	(void)state;
	for (int few = 0; few < 2; few++) {
		empty_bins();
		plant(few ? 950 : 300, 2000, 0.25);
		plant(few ? 50 : 700, 20000, 0.25);
		m = pario_mixture_fit(logs, weights, BINS);
		assert_true(m.two);
		near(m.share, few ? 0.95 : 0.3, 0.02);
		near(m.mean[0], log(2000), 0.01);
		near(m.mean[1], log(20000), 0.01);
		near(m.deviation[0], 0.25, 0.1);
		below = 0;
		for (size_t i = 0; i < m.border; i++)
			below += weights[i];
		near(below, few ? 950 : 300, 0.01);
	}
}

static void one_is_never_two(void **state)
{
	struct pario_mixture m;

	(void)state;
	for (int i = 1; i <= 12; i++) {
		empty_bins();
		plant(100000, 5000, 0.1 * i);
		m = pario_mixture_fit(logs, weights, BINS);
		assert_false(m.two);
		assert_int_equal(m.border, BINS);
		near(m.mean[0], log(5000), 0.02);
	}
}

static void what_is_near_rare_or_not_much_is_not_believed(void **state)
{
	(void)state;
	empty_bins();
	plant(1000, 5000, 0.1);
	plant(1000, 15000, 0.1); /* clearly two, but only three times apart */
	assert_false(pario_mixture_fit(logs, weights, BINS).two);
	empty_bins();
	plant(10000, 5000, 0.2);
	plant(100, 100000, 0.2); /* outliers */
	assert_false(pario_mixture_fit(logs, weights, BINS).two);
	empty_bins();
	plant(4, 5000, 0.1);
	plant(4, 500000, 0.1); /* too few to say anything */
	assert_false(pario_mixture_fit(logs, weights, BINS).two);
	empty_bins();
	assert_false(pario_mixture_fit(logs, weights, BINS).two);
	weights[7] = 1000;
	assert_false(pario_mixture_fit(logs, weights, BINS).two);
}

/* ---- planted calls ---- */

/* The next call of the process begins then; so many ranks there are. */
static uint64_t now;
static uint32_t world;

static struct pario_trace_record *call(struct planted *p, uint16_t op, uint64_t offset,
				       uint64_t size, uint64_t ns)
{
	struct pario_trace_record *r = planted_call(p, op, now, now + ns);

	r->file = 1;
	r->fd = 3;
	r->offset = offset;
	r->size = size;
	r->result = (int32_t)size;
	r->flags = PARIO_TRACE_WHOLE;
	now += ns + 10;
	return r;
}

static void begin(struct planted *p, uint32_t pid, uint32_t rank, uint64_t at)
{
	planted_process(p, "a", pid, rank, 1, 1);
	p->head.process = pid;
	p->head.ranks = rank == UINT32_MAX ? UINT32_MAX : world;
	planted_text(p, PARIO_TRACE_FILE, 1, "/data/file");
	now = at;
}

/* A program of one process, without MPI. */
static void begin_alone(struct planted *p)
{
	planted_begin(p);
	begin(p, 10, UINT32_MAX, 1000);
}

/* The trace of what was planted, with that of the last process. */
static void pack(struct planted *p)
{
	if (p->head.used)
		planted_write(p);
	planted_pack(p);
}

static void gather(struct planted *p, struct pario_sheet *s)
{
	struct pario_err err = { 0 };

	pack(p);
	assert_int_equal(pario_sheet_gather(s, p->trace, &err), 0);
	unlink(p->trace);
}

/* Sums of the rows of an operation, size (0: any) and path. */
static struct pario_sheet_row sum_of(const struct pario_sheet *s, enum pario_system_op op,
				     uint64_t size, enum pario_system_path path)
{
	struct pario_sheet_row sum = { 0 };

	for (size_t i = 0; i < s->row_count; i++) {
		const struct pario_sheet_row *r = &s->rows[i];

		if (r->key.op != op || r->key.path != path ||
		    (size && r->power != pario_trace_power(size)))
			continue;
		sum.calls += r->calls;
		sum.bytes += r->bytes;
		sum.seconds += r->seconds;
		sum.clients += r->clients;
		sum.inferred |= r->inferred;
	}
	return sum;
}

/* Far from where the last one was, now on one side and now on the other, so that all distances are of one class. */
static uint64_t far_away(void)
{
	static uint64_t calls;

	calls++;
	return (calls % 2 ? 3ull << 29 : 0) + calls * calls % 64 * 8 * KIB;
}

/* Times that differ by a few percent. */
static uint64_t about(uint64_t ns, uint64_t i)
{
	return ns + ns * (i * 37 % 11) / 50;
}

static void paths_of_three_sizes_are_told_apart(void **state)
{
	struct pario_sheet_row hit, miss;
	struct pario_sheet s;
	struct planted p;
	double slow = 0, all = 0;

	(void)state;
	begin_alone(&p);
	for (uint64_t i = 0; i < 200; i++) {
		uint64_t ns = about(i % 10 < 3 ? 100 * US : 10 * US, i);

		call(&p, PARIO_OP_pread, far_away(), 4 * KIB, ns);
		slow += i % 10 < 3 ? (double)ns * 1e-9 : 0;
		all += (double)ns * 1e-9;
		/* of these all take about the same */
		call(&p, PARIO_OP_pread, far_away(), 64 * KIB, about(40 * US, i));
		call(&p, PARIO_OP_pread, far_away(), 1024 * KIB, about(900 * US, i));
	}
	gather(&p, &s);
	hit = sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_HIT);
	miss = sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_MISS);
	assert_true(hit.inferred && miss.inferred);
	/* the very first call comes from nowhere, so it is of another locality */
	assert_int_equal(hit.calls, 140);
	assert_int_equal(miss.calls, 59);
	near(miss.seconds, slow, 0.05);
	near(hit.seconds + miss.seconds +
		     sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_ANY).seconds,
	     all, 1e-9);
	for (uint64_t size = 64 * KIB; size <= 1024 * KIB; size *= 16) {
		assert_int_equal(sum_of(&s, PARIO_SYSTEM_READ, size, PARIO_SYSTEM_ANY).calls, 200);
		assert_false(sum_of(&s, PARIO_SYSTEM_READ, size, PARIO_SYSTEM_ANY).inferred);
	}
	assert_int_equal(s.parts[PARIO_IO_READ].calls, 600);
	pario_sheet_release(&s);
}

/* Read-ahead makes every eighth read slow for the others: that is one path. */
static void sequential_calls_are_looked_at_together(void **state)
{
	struct pario_sheet s;
	struct planted p;

	(void)state;
	begin_alone(&p);
	for (uint64_t i = 0; i < 1600; i++)
		call(&p, PARIO_OP_pread, i * 4 * KIB, 4 * KIB, i % 8 ? 2 * US : 200 * US);
	gather(&p, &s);
	assert_int_equal(sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_ANY).calls, 1600);
	pario_sheet_release(&s);
	/* but half a file from memory and half from the device are two; its first call stands by itself */
	begin_alone(&p);
	for (uint64_t i = 0; i < 1600; i++)
		call(&p, PARIO_OP_pread, i * 4 * KIB, 4 * KIB,
		     i < 801 || i % 8 ? 2 * US : 200 * US);
	gather(&p, &s);
	assert_int_equal(sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_HIT).calls, 800);
	assert_int_equal(sum_of(&s, PARIO_SYSTEM_READ, 4 * KIB, PARIO_SYSTEM_MISS).calls, 799);
	pario_sheet_release(&s);
}

static void direct_calls_need_no_inference(void **state)
{
	struct pario_sheet s;
	struct planted p;

	(void)state;
	begin_alone(&p);
	for (uint64_t i = 0; i < 100; i++)
		call(&p, PARIO_OP_pread, far_away(), 4 * KIB, i % 2 ? 5 * US : 500 * US)->flags |=
			PARIO_TRACE_DIRECT;
	gather(&p, &s);
	assert_int_equal(sum_of(&s, PARIO_SYSTEM_READ, 0, PARIO_SYSTEM_DIRECT).calls, 100);
	assert_false(sum_of(&s, PARIO_SYSTEM_READ, 0, PARIO_SYSTEM_DIRECT).inferred);
	pario_sheet_release(&s);
}

/* ---- phases ---- */

static void a_run_the_other_way_is_a_new_phase(void **state)
{
	struct pario_sheet s;
	struct planted p;

	(void)state;
	begin_alone(&p);
	for (uint64_t i = 0; i < 100; i++) {
		call(&p, PARIO_OP_pwrite, i * 4 * KIB, 4 * KIB, 5 * US);
		/* a few reads in between are none */
		if (i == 50) {
			for (uint64_t k = 0; k < PARIO_SHEET_RUN - 1; k++)
				call(&p, PARIO_OP_pread, k * 16, 16, US);
		}
	}
	for (uint64_t i = 0; i < 40; i++)
		call(&p, PARIO_OP_pread, i * 4 * KIB, 4 * KIB, 5 * US);
	gather(&p, &s);
	assert_int_equal(s.phase_count, 2);
	assert_string_equal(pario_sheet_phase_name(&s.phases[0]), "write");
	assert_string_equal(pario_sheet_phase_name(&s.phases[1]), "read");
	assert_int_equal(s.phases[0].calls, 100 + PARIO_SHEET_RUN - 1);
	assert_int_equal(s.phases[1].calls, 40);
	assert_int_equal(s.phases[0].bytes[1], 100 * 4 * KIB);
	assert_true(s.phases[1].from >= s.phases[0].to);
	for (size_t i = 0; i < s.row_count; i++)
		assert_true(s.rows[i].phase == 0 || s.rows[i].key.op == PARIO_SYSTEM_READ);
	pario_sheet_release(&s);
}

/* Ranks write, meet, read, meet, read on: two phases, although no run is long. */
static void meetings_of_all_ranks_part_phases(uint32_t ranks)
{
	struct pario_sheet s;
	struct planted p;

	world = ranks;
	planted_begin(&p);
	for (uint32_t rank = 0; rank < ranks; rank++) {
		begin(&p, 10 + rank, rank, 1000);
		for (uint64_t step = 0; step < 3; step++) {
			now = 1000 + step * 1000 * US + rank * US;
			for (uint64_t i = 0; i < 3; i++)
				call(&p, step ? PARIO_OP_pread : PARIO_OP_pwrite, i * 100, 100, US);
			now = 1000 + step * 1000 * US + 900 * US;
			planted_call(&p, PARIO_OP_MPI_Barrier, now + rank, now + 50 * US);
		}
		planted_write(&p);
	}
	gather(&p, &s);
	assert_int_equal(s.phase_count, 2);
	assert_string_equal(pario_sheet_phase_name(&s.phases[0]), "write");
	assert_string_equal(pario_sheet_phase_name(&s.phases[1]), "read");
	assert_int_equal(s.phases[0].calls, 3 * ranks);
	assert_int_equal(s.phases[1].calls, 6 * ranks);
	pario_sheet_release(&s);
}

static void meetings(void **state)
{
	(void)state;
	meetings_of_all_ranks_part_phases(1);
	meetings_of_all_ranks_part_phases(2);
	meetings_of_all_ranks_part_phases(7);
}

/* ---- at the same time ---- */

/* Each begins a microsecond after the one before, and all end together. */
static void calls_under_way_are_counted(uint32_t processes)
{
	uint64_t of[5] = { 0 };
	struct pario_sheet s;
	struct planted p;

	planted_begin(&p);
	for (uint32_t k = 0; k < processes; k++) {
		begin(&p, 10 + k, UINT32_MAX, 1000);
		for (uint64_t i = 0; i < 20; i++) {
			now = 1000 + i * 1000 * US + k * US;
			call(&p, PARIO_OP_pwrite, i * 100, 100, 100 * US - k * US);
		}
		planted_write(&p);
	}
	gather(&p, &s);
	for (size_t i = 0; i < s.row_count; i++) {
		assert_in_range(s.rows[i].concurrency, 1, 4);
		assert_int_equal(s.rows[i].key.shared, processes > 1);
		of[s.rows[i].concurrency] += s.rows[i].calls;
	}
	/* 1, 2, 3 to 4, 5 to 8 */
	assert_int_equal(of[1], 20);
	assert_int_equal(of[2], processes > 1 ? 20 : 0);
	assert_int_equal(of[3], processes > 3 ? 40 : 0);
	assert_int_equal(of[4], processes > 6 ? 60 : 0);
	near(sum_of(&s, PARIO_SYSTEM_WRITE, 0, PARIO_SYSTEM_ANY).clients,
	     20.0 * processes * (processes + 1) / 2, 1e-12);
	pario_sheet_release(&s);
}

static void at_the_same_time(void **state)
{
	(void)state;
	calls_under_way_are_counted(1);
	calls_under_way_are_counted(2);
	calls_under_way_are_counted(7);
}

/* ---- predictions ---- */

static void add_surface(struct pario_system *s, enum pario_system_op op,
			enum pario_system_path path, double small, double large)
{
	struct pario_system_surface *surface = pario_system_add_surface(s);

	surface->op = op;
	surface->locality = PARIO_SYSTEM_SEQUENTIAL;
	surface->path = path;
	surface->clients = 1;
	*pario_system_add_point(surface) = (struct pario_system_point){
		.bytes = 4 * KIB, .seconds = small, .low = small, .high = small
	};
	*pario_system_add_point(surface) = (struct pario_system_point){
		.bytes = 64 * KIB, .seconds = large, .low = large, .high = large
	};
}

static void make_system(struct pario_system *s, const char *filesystem, double w1, double r1,
			double w2, double r2)
{
	pario_system_init(s);
	snprintf(s->filesystem, sizeof(s->filesystem), "%s", filesystem);
	s->noise_floor_rsd = 0;
	add_surface(s, PARIO_SYSTEM_WRITE, PARIO_SYSTEM_ABSORBED, w1, w2);
	add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_HIT, r1, r2);
	if (strcmp(filesystem, "tmpfs") != 0)
		add_surface(s, PARIO_SYSTEM_READ, PARIO_SYSTEM_MISS, 10 * r1, 10 * r2);
}

static void add_sheet(const void *sheet, struct pario_result_tables *tables)
{
	pario_sheet_tables(sheet, tables);
}

/* Beside the trace, as `pario profile --journal` does. */
static void write_profile(const char *trace, const char *directory, bool classes)
{
	struct pario_symbols *symbols = pario_symbols_new(NULL);
	struct pario_profile *profile = calloc(1, sizeof(*profile));
	struct pario_err err = { 0 };
	struct pario_sheet sheet;
	const struct pario_profile_more more = { add_sheet, &sheet };

	assert_int_equal(pario_profile_read(profile, trace, NULL, NULL, NULL, &err), 0);
	assert_int_equal(pario_sheet_gather(&sheet, trace, &err), 0);
	profile->more = classes ? &more : NULL;
	assert_int_equal(pario_profile_journal(directory, profile, symbols, trace, &err), 0);
	pario_sheet_release(&sheet);
	pario_profile_release(profile);
	pario_symbols_free(symbols);
	free(profile);
}

/* What a prediction needs: calls as a trace and as a profile beside it, the reference and the target. */
struct asked {
	struct planted planted;
	char directory[96];
	struct pario_system systems[2];
};

static void profile(struct asked *a)
{
	pack(&a->planted);
	snprintf(a->directory, sizeof(a->directory), "%s.profile", a->planted.directory);
	write_profile(a->planted.trace, a->directory, true);
}

static void remove_all(const char *directory)
{
	char command[200];

	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	assert_int_equal(system(command), 0);
}

static void forget(struct asked *a)
{
	pario_system_release(&a->systems[0]);
	pario_system_release(&a->systems[1]);
	remove_all(a->directory);
	unlink(a->planted.trace);
}

static struct pario_prediction *predict(const char *from, const struct pario_system *reference,
					const struct pario_system *target)
{
	const struct pario_predict_request request = {
		.trace = from, .reference = reference, .target = target, .think = 1
	};
	struct pario_prediction *p = calloc(1, sizeof(*p));
	struct pario_err err = { 0 };

	if (pario_predict(p, &request, &err) < 0)
		fail_msg("%s", err.text);
	return p;
}

static void done(struct pario_prediction *p)
{
	pario_prediction_release(p);
	free(p);
}

/* The golden figures of the ratios, with four calls whose benchmark times are those of the surfaces. */
static void golden_figures_through_trace_and_profile(void **state)
{
	struct pario_prediction *p;
	struct asked a;

	(void)state;
	begin_alone(&a.planted);
	call(&a.planted, PARIO_OP_pwrite, 0, 4 * KIB, 40000000000);
	call(&a.planted, PARIO_OP_pread, 4 * KIB, 4 * KIB, 30000000000);
	call(&a.planted, PARIO_OP_pwrite, 8 * KIB, 64 * KIB, 44000000000);
	call(&a.planted, PARIO_OP_pread, 72 * KIB, 64 * KIB, 36000000000);
	profile(&a);
	make_system(&a.systems[0], "tmpfs", 100, 80, 110, 90);
	make_system(&a.systems[1], "tmpfs", 150, 60, 165, 45);
	for (int profiled = 0; profiled < 2; profiled++) {
		const struct pario_seconds *e;

		p = predict(profiled ? a.directory : a.planted.trace, &a.systems[0], &a.systems[1]);
		assert_int_equal(p->profiled, profiled);
		e = p->estimates[PARIO_MODEL_RATIO];
		near(e[PARIO_QUANTITY_TOTAL].seconds, 166.5, 1e-12);
		near(e[PARIO_QUANTITY_READ].seconds, 40.5, 1e-12);
		near(e[PARIO_QUANTITY_WRITE].seconds, 126, 1e-12);
		near(pario_ratio_accuracy(e[PARIO_QUANTITY_TOTAL].seconds, 140), 18.928571, 1e-7);
		/* all of it is one thread's, so it ends so much later */
		near(e[PARIO_QUANTITY_MAKESPAN].seconds,
		     p->measured[PARIO_QUANTITY_MAKESPAN] + 16.5, 1e-9);
		/* each class is corrected by a part of its own ratio: between the ratio and what surfaces say */
		e = p->estimates[PARIO_MODEL_HYBRID];
		assert_true(e[PARIO_QUANTITY_TOTAL].seconds > 166.5 &&
			    e[PARIO_QUANTITY_TOTAL].seconds < 150 + 60 + 165 + 45);
		near(e[PARIO_QUANTITY_MAKESPAN].seconds,
		     p->measured[PARIO_QUANTITY_MAKESPAN] + e[PARIO_QUANTITY_TOTAL].seconds - 150,
		     1e-9);
		assert_true(e[PARIO_QUANTITY_TOTAL].low < e[PARIO_QUANTITY_TOTAL].seconds &&
			    e[PARIO_QUANTITY_TOTAL].high > e[PARIO_QUANTITY_TOTAL].seconds);
		assert_int_equal(isnan(p->estimates[PARIO_MODEL_MODEL][0].seconds), profiled);
		assert_int_equal(strstr(pario_text_string(&p->doubts), "This is from a profile.") !=
					 NULL,
				 profiled);
		done(p);
	}
	forget(&a);
}

/* With many processes, paths and phases the ratios of both are the same, too. */
static void ratios_are_the_same_through_both(uint32_t processes)
{
	struct pario_prediction *traced, *profiled;
	struct asked a;

	world = processes;
	planted_begin(&a.planted);
	for (uint32_t k = 0; k < processes; k++) {
		begin(&a.planted, 10 + k, k, 1000 + k * 777);
		for (uint64_t i = 0; i < 100; i++) {
			call(&a.planted, PARIO_OP_pwrite, far_away(), 4000 + 100 * i,
			     about(5 * US, i));
			call(&a.planted, PARIO_OP_pread, i * 5000, 5000,
			     about(i % 5 ? 3 * US : 90 * US, i));
		}
		call(&a.planted, PARIO_OP_fsync, 0, 0, 1000 * US)->result = 0;
		planted_write(&a.planted);
	}
	profile(&a);
	make_system(&a.systems[0], "ext4", 5e-6, 4e-6, 8e-6, 7e-6);
	make_system(&a.systems[1], "tmpfs", 9e-6, 3e-6, 9e-6, 4e-6);
	for (int way = 0; way < 2; way++) {
		traced = predict(a.planted.trace, &a.systems[way], &a.systems[!way]);
		profiled = predict(a.directory, &a.systems[way], &a.systems[!way]);
		for (int q = 0; q < PARIO_QUANTITIES; q++) {
			near(profiled->measured[q], traced->measured[q], 1e-9);
			near(profiled->estimates[PARIO_MODEL_RATIO][q].seconds,
			     traced->estimates[PARIO_MODEL_RATIO][q].seconds, 1e-9);
		}
		done(traced);
		done(profiled);
	}
	forget(&a);
}

static void ratios(void **state)
{
	(void)state;
	ratios_are_the_same_through_both(1);
	ratios_are_the_same_through_both(2);
	ratios_are_the_same_through_both(7);
}

/* Half of the reads hit, half miss; the target costs the same in memory and three times as much on the device. */
static void inferred_paths_are_predicted_apart(void **state)
{
	struct pario_prediction *p;
	struct asked a;

	(void)state;
	begin_alone(&a.planted);
	for (uint64_t i = 0; i < 400; i++)
		call(&a.planted, PARIO_OP_pread, far_away(), 4 * KIB,
		     (i / 2) % 2 ? 10 * US : 100 * US);
	profile(&a);
	make_system(&a.systems[0], "ext4", 1, 10e-6, 1, 10e-6);
	make_system(&a.systems[1], "ext4", 1, 10e-6, 1, 10e-6);
	for (size_t i = 0; i < a.systems[1].surface_count; i++) {
		if (a.systems[1].surfaces[i].path == PARIO_SYSTEM_MISS) {
			for (size_t k = 0; k < a.systems[1].surfaces[i].point_count; k++)
				a.systems[1].surfaces[i].points[k].seconds *= 3;
		}
	}
	p = predict(a.directory, &a.systems[0], &a.systems[1]);
	near(p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_READ].seconds,
	     200 * 10e-6 + 200 * 300e-6, 0.01);
	done(p);
	forget(&a);
}

/* Half of the writes are slow; whether that can have been waiting for dirty pages, the systems' limits say. */
static void writes_wait_only_where_too_much_can_be_dirty(void **state)
{
	struct pario_prediction *p;
	struct asked a;

	(void)state;
	begin_alone(&a.planted);
	for (uint64_t i = 0; i < 400; i++)
		call(&a.planted, PARIO_OP_pwrite, far_away(), 4 * KIB,
		     (i / 2) % 2 ? 10 * US : 100 * US);
	profile(&a);
	for (int i = 0; i < 2; i++) {
		make_system(&a.systems[i], "ext4", 10e-6, 1, 10e-6, 1);
		add_surface(&a.systems[i], PARIO_SYSTEM_WRITE, PARIO_SYSTEM_THROTTLED,
			    i ? 300e-6 : 100e-6, i ? 300e-6 : 100e-6);
	}
	for (int little = 0; little < 2; little++) {
		for (int i = 0; i < 2; i++)
			a.systems[i].dirty_background_bytes = a.systems[i].dirty_limit_bytes =
				little ? 64 * KIB : 1024.0 * 1024 * KIB;
		p = predict(a.directory, &a.systems[0], &a.systems[1]);
		/* 5.5 times what memory takes: beyond 3 the root of it, and of the whole again the root */
		near(p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_WRITE].seconds,
		     little ? 200 * 10e-6 + 200 * 300e-6 : 400 * 10e-6 * sqrt(sqrt(5.5 * 3)), 0.01);
		done(p);
	}
	forget(&a);
}

/* One process does all I/O, and another one waits for it and ends last. */
static void the_program_ends_as_its_busiest_thread_does(void **state)
{
	struct pario_prediction *p;
	struct asked a;

	(void)state;
	begin_alone(&a.planted);
	call(&a.planted, PARIO_OP_pwrite, 0, 4 * KIB, 40000000000);
	planted_write(&a.planted);
	begin(&a.planted, 11, UINT32_MAX, 50000000000);
	planted_call(&a.planted, PARIO_OP_exit, now, now + 1000);
	profile(&a);
	make_system(&a.systems[0], "tmpfs", 100, 80, 110, 90);
	make_system(&a.systems[1], "tmpfs", 150, 60, 165, 45);
	p = predict(a.directory, &a.systems[0], &a.systems[1]);
	near(p->measured[PARIO_QUANTITY_MAKESPAN], 50, 1e-6);
	/* one call of 40 s where the surface has 100 s: the root of it, less as there is only one, and dearer there */
	near(p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_MAKESPAN].seconds,
	     10 + 150 * pow(0.4, 0.5 / 1.25 / (1 + pow(log(1.5) / log(8), 2))), 1e-6);
	done(p);
	forget(&a);
}

/* ---- what is refused ---- */

static void refused(const char *from, const char *sentence)
{
	struct pario_system system;
	const struct pario_predict_request request = {
		.trace = from, .reference = &system, .target = &system, .think = 1
	};
	struct pario_prediction *p = calloc(1, sizeof(*p));
	struct pario_err err = { 0 };

	make_system(&system, "tmpfs", 1, 1, 1, 1);
	assert_int_equal(pario_predict(p, &request, &err), -1);
	if (!strstr(err.text, sentence))
		fail_msg("%s", err.text);
	pario_system_release(&system);
	free(p);
}

static void what_is_no_use_gets_a_sentence(void **state)
{
	struct asked a = { 0 };

	(void)state;
	begin_alone(&a.planted);
	planted_call(&a.planted, PARIO_OP_MPI_Barrier, 1000, 2000);
	profile(&a);
	refused(a.directory, "holds no I/O on storage: there is nothing to predict.");
	remove_all(a.directory);
	write_profile(a.planted.trace, a.directory, false);
	refused(a.directory, "holds no classes of calls: it is of an older pario");
	forget(&a);
}

/* The only text of the tables that can name something. */
static void nothing_is_named_anonymously(void **state)
{
	struct pario_result_tables tables = { 0 };
	struct pario_json json = { 0 };
	struct pario_sheet s = { 0 };
	json_t *line;

	(void)state;
	pario_text_add(&s.lacks, "/secret/somebody/program was not traced.\n");
	pario_sheet_tables(&s, &tables);
	pario_json_open(&json, NULL, '{');
	pario_result_tables_write(&json, &tables);
	pario_json_close(&json, '}');
	assert_non_null(strstr(pario_text_string(&json.text), "somebody"));
	line = json_loads(pario_text_string(&json.text), 0, NULL);
	assert_non_null(line);
	pario_trace_anonymize(line);
	pario_json_release(&json);
	json.text.data = json_dumps(line, 0);
	assert_null(strstr(json.text.data, "somebody"));
	free(json.text.data);
	json_decref(line);
	pario_result_tables_release(&tables);
	pario_sheet_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_that_are_ten_times_apart_are_found),
		cmocka_unit_test(one_is_never_two),
		cmocka_unit_test(what_is_near_rare_or_not_much_is_not_believed),
		cmocka_unit_test(paths_of_three_sizes_are_told_apart),
		cmocka_unit_test(sequential_calls_are_looked_at_together),
		cmocka_unit_test(direct_calls_need_no_inference),
		cmocka_unit_test(a_run_the_other_way_is_a_new_phase),
		cmocka_unit_test(meetings),
		cmocka_unit_test(at_the_same_time),
		cmocka_unit_test(golden_figures_through_trace_and_profile),
		cmocka_unit_test(ratios),
		cmocka_unit_test(inferred_paths_are_predicted_apart),
		cmocka_unit_test(writes_wait_only_where_too_much_can_be_dirty),
		cmocka_unit_test(the_program_ends_as_its_busiest_thread_does),
		cmocka_unit_test(what_is_no_use_gets_a_sentence),
		cmocka_unit_test(nothing_is_named_anonymously),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
