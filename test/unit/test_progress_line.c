/*
 * The progress line: what it says, and that it never is wider than the terminal.
 */
#include "session/progress_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text/spark.h"
#include "unit.h"

static const struct pario_progress_line sample = {
	.done = 34,
	.planned = 100,
	.elapsed_s = 34,
	.test = "metadata",
	.phase = "file_stat",
	.clients = 4,
	.repetition = 1,
	.last_phase = "file_create",
	.last_value = 18200,
	.last_unit = "ops/s",
};

static size_t letters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

static void whole_line(void **state)
{
	struct pario_text out = { 0 };

	(void)state;
	pario_progress_line_add(&out, &sample, 200);
	assert_string_equal(
		pario_text_string(&out),
		"[######------------]  34 %  metadata file_stat, 4 clients, repetition 2"
		" · file_create 18.2 k/s · 66 s left");
	pario_text_release(&out);
}

static void fits_every_width(void **state)
{
	(void)state;
	for (unsigned columns = 1; columns < 140; columns++) {
		struct pario_text out = { 0 };

		pario_progress_line_add(&out, &sample, columns);
		assert_true(letters(pario_text_string(&out)) <= (columns > 1 ? columns - 1 : 1));
		if (columns >= 70)
			assert_non_null(strstr(out.data, "66 s left"));
		pario_text_release(&out);
	}
}

/* Before the first phase has ended nothing is known about the rest. */
static void no_promise_at_the_start(void **state)
{
	struct pario_progress_line p = sample;
	struct pario_text out = { 0 };

	(void)state;
	p.done = 0;
	p.last_phase = NULL;
	pario_progress_line_add(&out, &p, 200);
	assert_null(strstr(out.data, "left"));
	assert_null(strstr(out.data, "k/s"));
	pario_text_release(&out);
}

/* A phase under way counts as far as it is. */
static void within_a_phase(void **state)
{
	struct pario_progress_line p = sample;
	struct pario_text out = { 0 };

	(void)state;
	p.done = 0;
	p.planned = 2;
	p.within = 0.5;
	p.elapsed_s = 10;
	pario_progress_line_add(&out, &p, 200);
	assert_non_null(strstr(out.data, " 25 % "));
	assert_non_null(strstr(out.data, "30 s left"));
	pario_text_release(&out);
}

/* 40 s for 2 % of a run of three minutes are its preparations: it does not take 32 minutes. */
static void what_is_expected_steadies_the_time_left(void **state)
{
	struct pario_progress_line p = sample;
	struct pario_text out = { 0 };

	(void)state;
	p.done = 2;
	p.planned = 100;
	p.within = 0;
	p.elapsed_s = 40;
	p.expected_s = 180;
	pario_progress_line_add(&out, &p, 200);
	/* 2 % of 1 960 s and 98 % of 140 s */
	assert_non_null(strstr(out.data, "2 min 56 s left"));
	pario_text_clear(&out);
	p.done = 50;
	p.elapsed_s = 200;
	pario_progress_line_add(&out, &p, 200);
	assert_non_null(strstr(out.data, "1 min 40 s left"));
	pario_text_release(&out);
}

/* A survey of two minutes has no more than the rest of them left, however many points it still wants. */
static void the_end_bounds_the_time_left(void **state)
{
	struct pario_progress_line p = sample;
	struct pario_text out = { 0 };

	(void)state;
	p.done = 5;
	p.planned = 100;
	p.within = 0;
	p.elapsed_s = 60;
	p.ends_s = 120;
	pario_progress_line_add(&out, &p, 200);
	assert_non_null(strstr(out.data, "· 60 s left"));
	pario_text_release(&out);
}

/* left_of: what the line says, "" when it says nothing. */
static const char *left_said(struct pario_progress_line *p, uint64_t done, double within,
			     double elapsed_s)
{
	static char said[64];
	struct pario_text out = { 0 };
	const char *dot;

	p->done = done;
	p->within = within;
	p->elapsed_s = elapsed_s;
	pario_progress_line_add(&out, p, 200);
	dot = strrchr(pario_text_string(&out), '\xb7'); /* the second byte of the dot */
	snprintf(said, sizeof(said), "%s", dot && strstr(dot, " left") ? dot + 1 : "");
	pario_text_release(&out);
	return said;
}

/* NAS BT tells how far it is every few seconds: between two of these, time passes and nothing else is known. */
static void the_time_left_never_counts_up(void **state)
{
	struct pario_progress_left memory = { 0 };
	struct pario_progress_line p = { .planned = 2,
					 .test = "nht1_application",
					 .phase = "application",
					 .clients = 1,
					 .left = &memory };

	(void)state;
	assert_string_equal(left_said(&p, 1, 0, 40), " 40 s left");
	assert_string_equal(left_said(&p, 1, 0, 50), " 30 s left");
	assert_string_equal(left_said(&p, 1, 0.25, 60), " over 30 s left"); /* 36 s */
	assert_string_equal(left_said(&p, 1, 0.25, 65), " 30 s left");
	assert_string_equal(left_said(&p, 1, 0.5, 80), " 26.7 s left");
	assert_string_equal(left_said(&p, 1, 0.5, 90), " 16.7 s left");
	assert_string_equal(left_said(&p, 1, 0.5, 120), "");
	assert_string_equal(left_said(&p, 1, 0.6, 130), " over 16.7 s left"); /* 32.5 s */
	assert_string_equal(left_said(&p, 1, 0.9, 140), " 7.37 s left");
}

static void sparks(void **state)
{
	const double values[] = { 0, 50, 100, NAN };
	struct pario_text out = { 0 };

	(void)state;
	pario_spark_add(&out, values, 3);
	assert_string_equal(pario_text_string(&out), "▁▅█");
	pario_text_clear(&out);
	pario_spark_add(&out, values, 1);
	pario_spark_add(&out, (const double[]){ 0, 0 }, 2);
	assert_string_equal(pario_text_string(&out), "");
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_line),
		cmocka_unit_test(fits_every_width),
		cmocka_unit_test(no_promise_at_the_start),
		cmocka_unit_test(within_a_phase),
		cmocka_unit_test(what_is_expected_steadies_the_time_left),
		cmocka_unit_test(the_end_bounds_the_time_left),
		cmocka_unit_test(the_time_left_never_counts_up),
		cmocka_unit_test(sparks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
