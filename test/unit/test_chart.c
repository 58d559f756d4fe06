/*
 * What a report is drawn with: inert text, scales and their ticks, charts, figures, the policy's hash.
 */
#include "report/chart/chart.h"

#include <math.h>
#include <string.h>

#include "report/chart/figure.h"
#include "report/chart/scale.h"
#include "report/chart/svg.h"
#include "report/page/markup.h"
#include "report/page/web.h"
#include "unit.h"

static void inert(void **state)
{
	static const struct {
		const char *text, *html;
	} rows[] = {
		{ "plain caf\xc3\xa9", "plain caf\xc3\xa9" },
		{ "</script><b a=\"'&", "&lt;/script&gt;&lt;b a=&quot;&#39;&amp;" },
		{ "\x1b[31m\x07\x7f", "\\x1b[31m\\x07\\x7f" },
		{ "a\xffz", "a\\xffz" },
		{ "\xe2\x80\xae", "\\u202e" },
		{ "\xe2\x81\xa6x\xe2\x80\xa8", "\\u2066x\\u2028" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pario_text out = { 0 };

		pario_markup_text(&out, rows[i].text);
		assert_string_equal(pario_text_string(&out), rows[i].html);
		pario_text_release(&out);
	}
}

static void places(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = { { 12, "12" },   { 12.34, "12.3" }, { -0.5, "-0.5" },
		     { -0.04, "0" }, { NAN, "0" },	{ 1e300, "1000000" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pario_text out = { 0 };

		pario_markup_place(&out, rows[i].value);
		assert_string_equal(pario_text_string(&out), rows[i].text);
		pario_text_release(&out);
	}
}

static struct pario_scale settled(const struct pario_chart_axis *axis, double low, double high)
{
	struct pario_scale scale;

	pario_scale_init(&scale, axis);
	pario_scale_take(&scale, low);
	pario_scale_take(&scale, high);
	pario_scale_take(&scale, NAN);
	pario_scale_settle(&scale);
	return scale;
}

static void linear(void **state)
{
	const struct pario_chart_axis axis = { .zero = true };
	struct pario_scale s = settled(&axis, 3, 97);
	double ticks[PARIO_SCALE_TICKS];
	size_t count = pario_scale_ticks(&s, 5, ticks);

	(void)state;
	assert_float_equal(s.min, 0, 0);
	assert_float_equal(s.max, 100, 1e-9);
	assert_float_equal(pario_scale_place(&s, 50), 0.5, 1e-12);
	assert_int_equal(count, 6);
	assert_float_equal(ticks[1], 20, 1e-9);
	s = settled(&axis, 0, 0);
	assert_true(s.max > s.min);
}

static void logarithmic(void **state)
{
	const struct pario_chart_axis bytes = { .scale = PARIO_SCALE_LOG,
						.format = PARIO_FORMAT_BYTES };
	struct pario_scale s = settled(&bytes, 4096, 16777216);
	double ticks[PARIO_SCALE_TICKS];
	char buf[PARIO_UNITS_CAPACITY];

	(void)state;
	assert_float_equal(pario_scale_place(&s, sqrt(4096.0 * 16777216)), 0.5, 1e-9);
	assert_true(isnan(pario_scale_place(&s, 0)) && isnan(pario_scale_place(&s, -1)));
	for (size_t i = pario_scale_ticks(&s, 7, ticks); i-- > 0;)
		assert_true(log2(ticks[i]) == floor(log2(ticks[i])));
	assert_string_equal(pario_scale_label(&bytes, 65536, buf), "64 KiB");
	s.prefers_own = true;
	assert_int_equal(pario_scale_ticks(&s, 7, ticks), 2);
	assert_float_equal(ticks[0], 4096, 0);
}

/* As b_eff's axis: places given for some values, linear in between. */
static void custom(void **state)
{
	struct pario_chart chart;
	struct pario_scale s;

	(void)state;
	pario_chart_init(&chart, PARIO_CHART_LINE, "two scales");
	chart.x.scale = PARIO_SCALE_CUSTOM;
	pario_chart_anchor(&chart, &chart.x, 1, 0, "1 B");
	pario_chart_anchor(&chart, &chart.x, 100, 0.4, NULL);
	pario_chart_anchor(&chart, &chart.x, 1100, 1, "1100 B");
	s = settled(&chart.x, 1, 2);
	assert_float_equal(pario_scale_place(&s, 1), 0, 1e-12);
	assert_float_equal(pario_scale_place(&s, 50.5), 0.2, 1e-12);
	assert_float_equal(pario_scale_place(&s, 600), 0.7, 1e-12);
	assert_true(isnan(pario_scale_place(&s, 5000)));
	pario_chart_release(&chart);
}

static void heat_steps(void **state)
{
	(void)state;
	assert_int_equal(pario_glyphs_heat_step(1, 10, false, 1), 0);
	assert_int_equal(pario_glyphs_heat_step(1, 10, false, 10), 8);
	assert_int_equal(pario_glyphs_heat_step(1, 100, true, 10), 4);
	assert_int_equal(pario_glyphs_heat_step(1, 10, true, 0), -1);
	assert_int_equal(pario_glyphs_heat_step(1, 10, false, NAN), -1);
	assert_int_equal(pario_glyphs_heat_step(5, 5, false, 5), 4);
}

static void fill(struct pario_chart *chart, enum pario_chart_kind kind)
{
	static const char *const quantiles[] = { "min", "p50", "max", NULL };
	unsigned s;

	pario_chart_init(chart, kind, "<title>");
	chart->x.title = "size";
	chart->y.title = "rate";
	if (kind != PARIO_CHART_LINE && kind != PARIO_CHART_SPAN)
		chart->y.scale =
			kind == PARIO_CHART_BAR ? PARIO_SCALE_LINEAR : PARIO_SCALE_CATEGORY;
	if (kind == PARIO_CHART_BAR || kind == PARIO_CHART_HEAT) {
		chart->x.scale = PARIO_SCALE_CATEGORY;
		pario_chart_category(chart, &chart->x, "a");
		pario_chart_category(chart, &chart->x, "<b>");
	}
	if (chart->y.scale == PARIO_SCALE_CATEGORY) {
		pario_chart_category(chart, &chart->y, "r");
		pario_chart_category(chart, &chart->y, "s");
	}
	chart->quantiles = quantiles;
	chart->box_from = chart->box_to = 1;
	s = pario_chart_series(chart, "<i>write");
	for (int i = 0; i < 2; i++) {
		struct pario_mark *m = pario_chart_mark(chart, s, i, i);

		m->z = 3 + i;
		m->x_end = i + 1;
		m->y_end = i + 1;
		m->low = i;
		m->high = i + 1;
		for (int q = 0; q < 3; q++)
			m->q[q] = q + 1;
		m->flags = i ? PARIO_MARK_SUSPECT : 0;
		if (i)
			pario_chart_note(chart, m, "<why>");
	}
}

static void figures(void **state)
{
	(void)state;
	for (int kind = PARIO_CHART_LINE; kind <= PARIO_CHART_SPAN; kind++) {
		struct pario_text out = { 0 };
		struct pario_canvas canvas = { .out = &out };
		struct pario_chart chart;

		fill(&chart, (enum pario_chart_kind)kind);
		pario_figure_add(&canvas, &chart);
		assert_int_equal(canvas.figures, 1);
		assert_false(out.failed);
		assert_non_null(strstr(out.data, "<svg class=\"plot\""));
		assert_non_null(strstr(out.data, "suspect"));
		assert_non_null(strstr(out.data, "&lt;why&gt;"));
		assert_non_null(strstr(out.data, "<tbody>"));
		assert_null(strstr(out.data, "<why>"));
		assert_null(strstr(out.data, "<i>write"));
		assert_null(strstr(out.data, "NaN"));
		assert_null(strstr(out.data, "nan"));
		assert_null(strstr(out.data, "inf"));
		pario_chart_release(&chart);
		pario_palette_release(&canvas.palette);
		pario_text_release(&out);
	}
}

/* The cross of a mark without a number is a link, whose # is no place. */
static void failed_bars(void **state)
{
	struct pario_text out = { 0 };
	struct pario_canvas canvas = { .out = &out };
	struct pario_chart chart;

	(void)state;
	fill(&chart, PARIO_CHART_BAR);
	chart.series[0].mark[0].y = NAN;
	chart.series[0].mark[0].flags = PARIO_MARK_FAILED;
	pario_figure_add(&canvas, &chart);
	assert_non_null(strstr(out.data, "href=\"#kx\" x=\""));
	pario_chart_release(&chart);
	pario_palette_release(&canvas.palette);
	pario_text_release(&out);
}

/* Numbers of a journal may be anything that is finite; axes end all the same. */
static void huge_numbers(void **state)
{
	static const double values[] = { 1.7e308, -1.7e308, 5e-324, 0, 1 };
	double ticks[PARIO_SCALE_TICKS];

	(void)state;
	for (int scale = PARIO_SCALE_LINEAR; scale <= PARIO_SCALE_LOG; scale++) {
		for (size_t i = 0; i < 25; i++) {
			const struct pario_chart_axis axis = {
				.scale = (enum pario_chart_scale)scale, .zero = i % 2
			};
			struct pario_scale s = settled(&axis, values[i / 5], values[i % 5]);

			assert_true(isfinite(s.min) && isfinite(s.max) && s.min <= s.max);
			for (size_t k = pario_scale_ticks(&s, 5, ticks); k-- > 0;)
				assert_true(isfinite(ticks[k]));
		}
	}
}

static void empty_charts_write_nothing(void **state)
{
	struct pario_text out = { 0 };
	struct pario_canvas canvas = { .out = &out };
	struct pario_chart chart;

	(void)state;
	pario_chart_init(&chart, PARIO_CHART_LINE, "none");
	pario_chart_series(&chart, "nothing");
	pario_figure_add(&canvas, &chart);
	assert_int_equal(out.length, 0);
	pario_chart_release(&chart);
	pario_palette_release(&canvas.palette);
}

static void palette_keeps_colours(void **state)
{
	struct pario_palette palette = { 0 };

	(void)state;
	assert_int_equal(pario_palette_index(&palette, "write"), 0);
	assert_int_equal(pario_palette_index(&palette, "read"), 1);
	assert_int_equal(pario_palette_index(&palette, "write"), 0);
	pario_palette_release(&palette);
}

/* SHA-256 of the empty text, as FIPS 180-4 gives it. */
static void policy_hash(void **state)
{
	const struct pario_web_part empty = {
		.sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	};
	struct pario_text out = { 0 };

	(void)state;
	pario_web_hash(&out, &empty);
	assert_string_equal(pario_text_string(&out),
			    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
	pario_text_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inert),
		cmocka_unit_test(places),
		cmocka_unit_test(linear),
		cmocka_unit_test(logarithmic),
		cmocka_unit_test(custom),
		cmocka_unit_test(heat_steps),
		cmocka_unit_test(figures),
		cmocka_unit_test(failed_bars),
		cmocka_unit_test(huge_numbers),
		cmocka_unit_test(empty_charts_write_nothing),
		cmocka_unit_test(palette_keeps_colours),
		cmocka_unit_test(policy_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
