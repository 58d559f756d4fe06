/* Does a journal of b_eff give back its numbers to the last digit, and is one that was altered refused or flagged? */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/result.h"
#include "tests/beff/model/lengths.h"
#include "tests/beff/report/documents.h"
#include "tests/beff/report/run.h"

enum { N = 8, RANDOMS = 3, REPETITIONS = 2 };

static const char head_columns[] = "item value";
static const char pattern_columns[] = "pattern name group processes messages order";
static const char row_columns[] =
	"repetition length pattern method loop min_ns mean_ns max_ns bandwidth mark";

struct sample {
	struct pario_beff_pattern patterns[PARIO_BEFF_RINGS + RANDOMS + PARIO_BEFF_EXTRAS];
	struct pario_beff_table table;
	struct pario_beff_figures figures;
	struct pario_result_tables tables;
	struct pario_result result;
	uint64_t lengths[PARIO_BEFF_LENGTHS];
};

#define ROW(table, columns, ...)                            \
	pario_result_tables_row(&s->tables, table, columns, \
				(const struct pario_datum[]){ __VA_ARGS__ })

static void item(struct sample *s, const char *name, struct pario_datum value)
{
	ROW("head", head_columns, PARIO_TEXT(name), value);
}

/* Times without a pattern, so that every bit of the sums counts. */
static void measure(struct sample *s, unsigned p, unsigned i, unsigned m, unsigned r)
{
	struct pario_beff_record *record = pario_beff_at(&s->table, p, i, m, r);
	double ns = (double)(rand() % 1000003) + 1e6 + (double)s->lengths[i];

	record->loop = 7;
	record->bandwidth =
		(double)s->lengths[i] * (double)s->patterns[p].messages * 7 / (ns / 1e9);
	ROW("measurements", row_columns, PARIO_NUMBER(r), PARIO_NUMBER(i), PARIO_NUMBER(p),
	    PARIO_NUMBER(m), PARIO_NUMBER(7), PARIO_NUMBER(ns), PARIO_NUMBER(ns), PARIO_NUMBER(ns),
	    PARIO_NUMBER(record->bandwidth), PARIO_TEXT(""));
}

static void sample_init(struct sample *s, bool complete)
{
	struct pario_err err = { 0 };
	unsigned count;

	memset(s, 0, sizeof(*s));
	srand(7);
	count = (unsigned)pario_beff_patterns(N, RANDOMS, PARIO_BEFF_PAPER, s->patterns);
	pario_beff_lengths(1 << 20, s->lengths);
	assert_int_equal(pario_beff_table_init(&s->table, count, REPETITIONS, &err), 0);
	item(s, "release", PARIO_TEXT("paper"));
	item(s, "mark", PARIO_TEXT(""));
	item(s, "complete", PARIO_NUMBER(complete));
	item(s, "repetitions", PARIO_NUMBER(REPETITIONS));
	item(s, "order_seed", PARIO_NUMBER(12345));
	item(s, "memory_bytes", PARIO_NUMBER(1 << 27));
	item(s, "rmax", PARIO_NUMBER(0));
	item(s, "elapsed_s", PARIO_NUMBER(100));
	item(s, "placement", PARIO_TEXT("8 processes on 1 node"));
	for (unsigned p = 0; p < count; p++)
		ROW("patterns", pattern_columns, PARIO_NUMBER(p), PARIO_TEXT(s->patterns[p].name),
		    PARIO_TEXT(pario_beff_group(&s->patterns[p])),
		    PARIO_NUMBER(s->patterns[p].used), PARIO_NUMBER(s->patterns[p].messages),
		    PARIO_TEXT(""));
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		ROW("lengths", "length bytes", PARIO_NUMBER(i), PARIO_NUMBER(s->lengths[i]));
	for (unsigned k = 0; k < count * PARIO_BEFF_LENGTHS * PARIO_BEFF_METHODS * REPETITIONS; k++)
		if (complete || k < 100)
			measure(s, k / (PARIO_BEFF_LENGTHS * 6), k / 6 % PARIO_BEFF_LENGTHS,
				k / 2 % 3, k % 2);
	assert_true(pario_beff_average(&s->table, s->patterns, &s->figures) == complete);
	pario_result_init(&s->result);
	snprintf(s->result.test, sizeof(s->result.test), "beff");
	s->result.clients = N;
	s->result.tables = &s->tables;
	if (complete)
		pario_result_metric(&s->result, "b_eff", "MB/s", s->figures.b_eff / 1e6);
}

static void sample_release(struct sample *s)
{
	pario_beff_table_release(&s->table);
	pario_result_tables_release(&s->tables);
}

static json_t *line_of(const struct sample *s)
{
	struct pario_json json = { 0 };
	json_t *line;

	pario_json_open(&json, NULL, '{');
	pario_result_write(&json, &s->result);
	pario_json_close(&json, '}');
	line = json_loads(pario_text_string(&json.text), JSON_REJECT_DUPLICATES, NULL);
	pario_json_release(&json);
	assert_non_null(line);
	return line;
}

static void document(const struct pario_document *document, json_t *line, struct pario_text *out)
{
	struct pario_history history = { .results = &line, .result_count = 1 };
	struct pario_err err = { 0 };

	history.begin = json_pack("{s:{s:s,s:s,s:s}}", "machine", "host", "h\x1b", "kernel", "k",
				  "architecture", "a");
	assert_int_equal(document->write(&history, out, &err), 0);
	json_decref(history.begin);
}

static void the_same_number_again(void **state)
{
	struct pario_text out = { 0 };
	struct pario_beff_run run;
	struct pario_err err = { 0 };
	struct sample s;
	json_t *line;

	(void)state;
	sample_init(&s, true);
	line = line_of(&s);
	assert_int_equal(pario_beff_run_read(&run, line, &err), 0);
	assert_true(run.complete);
	assert_true(run.figures.b_eff == s.figures.b_eff);
	assert_true(run.figures.lmax == s.figures.lmax);
	assert_true(run.figures.latency_s == s.figures.latency_s);
	assert_true(run.numbers[PARIO_BEFF_b_eff].value == pario_history_metric(line, "b_eff"));
	pario_beff_run_release(&run);
	document(&pario_beff_sum, line, &out);
	assert_non_null(strstr(pario_text_string(&out), "b_eff = "));
	assert_null(strstr(pario_text_string(&out), "Caution"));
	assert_null(strchr(pario_text_string(&out), '\x1b'));
	/* a number that does not follow from the measurements */
	json_object_set_new(json_object_get(json_object_get(line, "metrics"), "b_eff"), "value",
			    json_real(nextafter(s.figures.b_eff / 1e6, INFINITY)));
	pario_text_clear(&out);
	document(&pario_beff_sum, line, &out);
	assert_non_null(strstr(pario_text_string(&out), "Caution: the journal says b_eff"));
	pario_text_release(&out);
	json_decref(line);
	sample_release(&s);
}

static void documents_of_an_incomplete_run(void **state)
{
	static const struct pario_document *const all[] = { &pario_beff_sum, &pario_beff_short,
							    &pario_beff_protocol,
							    &pario_beff_plot };
	struct sample s;
	json_t *line;

	(void)state;
	sample_init(&s, false);
	line = line_of(&s);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct pario_text out = { 0 };

		document(all[i], line, &out);
		assert_non_null(strstr(pario_text_string(&out), "There is no b_eff"));
		pario_text_release(&out);
	}
	json_decref(line);
	sample_release(&s);
}

/* Each alteration of a good line; none may be taken, none may break anything. */
static void altered_journals(void **state)
{
	static const struct {
		const char *table;
		size_t row, column;
		double value;
	} changes[] = {
		{ "measurements", 5, 0, REPETITIONS },
		{ "measurements", 5, 1, 21 },
		{ "measurements", 5, 2, 1e9 },
		{ "measurements", 5, 3, -1 },
		{ "measurements", 5, 4, 0 },
		{ "measurements", 5, 8, 0 },
		{ "measurements", 5, 2, 0.5 },
		{ "head", 3, 1, 0 },
		{ "head", 3, 1, 1e6 },
		{ "lengths", 4, 1, 0 },
		{ "lengths", 4, 1, 1e300 },
	};
	struct pario_beff_run run;
	struct sample s;

	(void)state;
	sample_init(&s, true);
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		json_t *line = line_of(&s);
		json_t *rows = json_object_get(
			json_object_get(json_object_get(line, "sheets"), changes[i].table), "rows");
		struct pario_err err = { 0 };

		json_array_set_new(json_array_get(rows, changes[i].row), changes[i].column,
				   json_real(changes[i].value));
		assert_int_equal(pario_beff_run_read(&run, line, &err), -1);
		assert_non_null(strstr(err.text, "Measure again"));
		json_decref(line);
	}
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = { "head", "patterns", "lengths",
						     "measurements" };
		json_t *line = line_of(&s);
		struct pario_err err = { 0 };

		json_object_set_new(json_object_get(line, "sheets"), names[i], json_object());
		assert_int_equal(pario_beff_run_read(&run, line, &err), -1);
		json_decref(line);
	}
	sample_release(&s);
}

/* Words in a journal that pario never writes, and that a terminal would obey. */
static void altered_words(void **state)
{
	static const struct {
		const char *table;
		size_t row, column;
	} places[] = {
		{ "measurements", 5, 9 }, { "patterns", 3, 1 }, { "head", 1, 1 }, { "head", 4, 0 }
	};
	struct pario_beff_run run;
	struct sample s;

	(void)state;
	sample_init(&s, true);
	for (size_t i = 0; i < COUNT_OF(places); i++) {
		json_t *line = line_of(&s), *rows;
		struct pario_err err = { 0 };

		rows = json_object_get(
			json_object_get(json_object_get(line, "sheets"), places[i].table), "rows");
		json_array_set_new(json_array_get(rows, places[i].row), places[i].column,
				   json_string("\x1b]0;x\a"));
		assert_int_equal(pario_beff_run_read(&run, line, &err), -1);
		assert_non_null(strstr(err.text, "Measure again"));
		json_decref(line);
	}
	sample_release(&s);
}

/* The last number of the line that begins with `name`. */
static double last_of_line(const struct pario_text *text, const char *name)
{
	const char *line = strstr(pario_text_string(text), name);
	double last = NAN;

	assert_non_null(line);
	for (line += strlen(name); *line && *line != '\n'; line += strcspn(line, " \n")) {
		line += strspn(line, " ");
		last = atof(line);
	}
	return last;
}

/* Averages of the tables are those of b_eff: first over the lengths, then over the patterns. */
static void averages_of_the_tables(void **state)
{
	struct pario_text out = { 0 };
	struct sample s;
	json_t *line;

	(void)state;
	sample_init(&s, true);
	line = line_of(&s);
	document(&pario_beff_short, line, &out);
	assert_true(fabs(last_of_line(&out, "\nrings and random") - s.figures.b_eff / 1e6) < 1e-3);
	assert_true(fabs(last_of_line(&out, "\nrings ") - s.figures.rings / 1e6) < 1e-3);
	assert_true(fabs(last_of_line(&out, "\nSendrecv") - s.figures.by_method[0] / 1e6) < 1e-3);
	assert_non_null(strstr(pario_text_string(&out), "\nPATTERN\n"));
	pario_text_release(&out);
	json_decref(line);
	sample_release(&s);
}

/* Measurements that release 3.6 copied to other methods and repetitions took no time of their own. */
static void copies_take_no_time(void **state)
{
	struct pario_text out = { 0 };
	json_t *line, *rows;
	struct sample s;
	double own_s = 0;
	char expected[80];

	(void)state;
	sample_init(&s, true);
	line = line_of(&s);
	rows = json_object_get(json_object_get(json_object_get(line, "sheets"), "measurements"),
			       "rows");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);

		if (i % 3 == 0)
			own_s += json_number_value(json_array_get(row, 7)) * 1e-9;
		else
			json_array_set_new(row, 9, json_string(i % 3 == 1 ? "M" : "R"));
	}
	document(&pario_beff_short, line, &out);
	snprintf(expected, sizeof(expected), "ELAPSED  loops of the slowest process %.3f s", own_s);
	assert_non_null(strstr(pario_text_string(&out), expected));
	pario_text_release(&out);
	json_decref(line);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_number_again),
		cmocka_unit_test(documents_of_an_incomplete_run),
		cmocka_unit_test(altered_journals),
		cmocka_unit_test(altered_words),
		cmocka_unit_test(averages_of_the_tables),
		cmocka_unit_test(copies_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
