/*
 * test_options: values, their sources and precedence, sweeps, hints, help.
 */
#include "base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample_options.h"
#include "unit.h"

static struct pario_config config;
static struct pario_err err;
static struct engine engine;
static struct params params;
static void *const structs[] = { &engine, &params };

static int set_up(void **state)
{
	(void)state;
	pario_err_clear(&err);
	return pario_config_init(&config, sample_tables, 2, &err);
}

static int tear_down(void **state)
{
	(void)state;
	pario_config_release(&config);
	return 0;
}

/* Feeds words up to NULL as a command line. */
static int argv(const char *first, ...)
{
	char *words[16];
	va_list args;
	int count = 0;

	va_start(args, first);
	for (const char *w = first; w; w = va_arg(args, const char *))
		words[count++] = (char *)w;
	va_end(args);
	return pario_config_argv(&config, count, words, NULL, NULL, &err);
}

#define ARGV(...) argv(__VA_ARGS__, NULL)

static void fill(uint64_t index)
{
	memset(&engine, 0xff, sizeof(engine));
	memset(&params, 0xff, sizeof(params));
	if (pario_config_point(&config, index, structs, &err) < 0)
		fail_msg("%s", err.text);
}

static uint64_t points(void)
{
	uint64_t count = 0;

	assert_int_equal(pario_config_points(&config, &count, &err), 0);
	return count;
}

static void refused(int rc, const char *sentence)
{
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, PARIO_USAGE);
	assert_string_equal(err.text, sentence);
}

static void refused_with(int rc, const char *part)
{
	assert_int_equal(rc, -1);
	assert_int_equal(err.code, PARIO_USAGE);
	if (!strstr(err.text, part))
		fail_msg("'%s' is not in '%s'", part, err.text);
}

static void defaults(void **state)
{
	(void)state;
	fill(0);
	assert_string_equal(engine.dir, ".");
	assert_string_equal(engine.clients, "");
	assert_true(engine.repetitions == 3 && engine.time_limit == 0.5 && !engine.keep_files);
	assert_true(params.transfer_size == 262144 && params.pattern == 0);
	assert_true(params.operations == 3 && !params.collective && params.secret == 0);
	assert_string_equal(params.hints.text, "");
	assert_int_equal(points(), 1);
}

static void forms_of_the_command_line(void **state)
{
	(void)state;
	assert_int_equal(ARGV("--transfer-size", "4k", "--pattern=random", "-i2", "--dir=a=b,c",
			      "--operations", "verify,read", "--time_limit=1e-1"),
			 0);
	fill(0);
	assert_true(params.transfer_size == 4096 && params.pattern == 2 && params.operations == 6);
	assert_true(engine.repetitions == 2 && engine.time_limit == 0.1);
	assert_string_equal(engine.dir, "a=b,c");
	assert_int_equal(ARGV("-t", "8k", "-i=9", "-z"), 0);
	fill(0);
	assert_true(params.transfer_size == 8192 && engine.repetitions == 9 && params.pattern == 2);
	assert_int_equal(ARGV("--transfer_size", "1k", "--transfer_size", "2k"), 0);
	fill(0);
	assert_true(params.transfer_size == 2048);
}

static void bare_switches(void **state)
{
	(void)state;
	assert_int_equal(ARGV("--keep_files", "--collective", "off", "-t4k"), 0);
	fill(0);
	assert_true(engine.keep_files && !params.collective && params.transfer_size == 4096);
	assert_int_equal(ARGV("-k", "0", "--collective"), 0);
	fill(0);
	assert_true(!engine.keep_files && params.collective);
	assert_int_equal(ARGV("-k"), 0);
	fill(0);
	assert_true(engine.keep_files);
	refused_with(ARGV("--keep_files=maybe"), "--keep_files does not take 'maybe'");
	refused(ARGV("--keep_files", "maybe"),
		"unexpected word 'maybe' after --keep_files, which takes 1 or 0; options begin "
		"with --.");
	refused(ARGV("maybe"), "unexpected word 'maybe'; options begin with --.");
}

static void positional_words(void **state)
{
	char *words[] = { "transfer", "--keep_files", "more", "-", "--", "--dir", "-t" };
	const char *found[7];
	int count = -1;

	(void)state;
	assert_int_equal(pario_config_argv(&config, 7, words, found, &count, &err), 0);
	assert_int_equal(count, 5);
	assert_string_equal(found[0], "transfer");
	assert_string_equal(found[1], "more");
	assert_string_equal(found[2], "-");
	assert_string_equal(found[3], "--dir");
	assert_string_equal(found[4], "-t");
}

static void bad_command_lines(void **state)
{
	(void)state;
	refused(ARGV("--transfer_sise", "4k"),
		"unknown option --transfer_sise; did you mean --transfer_size?");
	refused(ARGV("--transfer", "4k"),
		"unknown option --transfer; did you mean --transfer_size?");
	refused(ARGV("--Dir=x"), "unknown option --Dir; did you mean --dir?");
	refused_with(ARGV("--zzz"), "unknown option --zzz; ");
	refused_with(ARGV("--secre", "1"), "unknown option --secre; `pario help`");
	refused_with(ARGV("--=4"), "unknown option --;");
	refused_with(ARGV("-q"), "unknown option -q;");
	refused(ARGV("-transfer_size", "4k"),
		"unknown option -transfer_size; did you mean --transfer_size?");
	refused(ARGV("--transfer_size"), "--transfer_size needs a value.");
	refused_with(ARGV("--label", "--keep_files"), "--label needs a value;");
	refused_with(ARGV("-t"), "--transfer_size needs a value.");
	refused_with(ARGV("-zx"), "-z stands alone");
	refused(ARGV("--pattern", "stridet"),
		"unknown value 'stridet' for --pattern; did you mean 'strided'?");
	refused(ARGV("--pattern", "x"),
		"unknown value 'x' for --pattern; it takes segmented, strided, random.");
	refused_with(ARGV("--operations", "write,"), "an element of the list is empty");
	refused_with(ARGV("--operations", "write,raed"), "did you mean 'read'?");
	refused_with(ARGV("--repetitions", "0"), "it must be from 1 to 1000.");
	refused_with(ARGV("--repetitions", "1,2k"), "it must be from 1 to 1000.");
	refused_with(ARGV("--transfer_size", "0"), "it must be at least 1.");
	refused_with(ARGV("--time_limit", "-1"), "it must be at least 0.");
	refused_with(ARGV("--time_limit", "1s"), "write a number of seconds");
	refused_with(ARGV("--label", "0123456789abcdef"), "at most 15 bytes");
	refused_with(ARGV("--transfer_size", "4k,,8k"), "an element of the list is empty");
	refused_with(ARGV("--transfer_size", "4k,"), "an element of the list is empty");
	refused_with(ARGV("--transfer_size", ""), "--transfer_size does not take ''");
	refused_with(ARGV("--clients", "1,x"), "--clients does not take 'x'");
	refused_with(ARGV("--clients", "1,0"), "it must be from 1 to 1m.");
	/* nothing of this was kept */
	fill(0);
	assert_true(params.transfer_size == 262144 && engine.repetitions == 3);
}

static void very_long_words(void **state)
{
	char word[5000] = "--";

	(void)state;
	memset(word + 2, 'a', sizeof(word) - 3);
	word[sizeof(word) - 1] = '\0';
	refused_with(ARGV(word), "unknown option --aaa");
	refused_with(ARGV(word + 1), "unknown option -aaa");
	refused_with(ARGV("--dir", word + 2), "at most 63 bytes");
	refused_with(ARGV("--pattern", word + 2), "unknown value 'aaa");
}

static void precedence(void **state)
{
	char *env[] = { "PARIO_TRANSFER_SIZE=2k",
			"PARIO_REPETITIONS=7",
			"PARIO_UNKNOWN=1",
			"PARIO_DIR=",
			"PARIO_TRANSFER_SIZ=1",
			"HOME=/",
			NULL };
	static const char plan[] = "transfer_size = 1k\nrepetitions = 5\npattern = random\n";

	(void)state;
	/* strongest first: the order of the calls must not matter */
	assert_int_equal(ARGV("--transfer_size", "4k"), 0);
	assert_int_equal(pario_config_environment(&config, env, &err), 0);
	assert_int_equal(pario_config_plan(&config, "p", plan, strlen(plan), NULL, &err), 0);
	fill(0);
	assert_true(params.transfer_size == 4096 && engine.repetitions == 7 && params.pattern == 2);
	assert_string_equal(engine.dir, ".");
	assert_int_equal(pario_config_find(&config, "transfer-size")->origin, PARIO_ORIGIN_COMMAND);
	assert_int_equal(pario_config_find(&config, "repetitions")->origin,
			 PARIO_ORIGIN_ENVIRONMENT);
	assert_int_equal(pario_config_find(&config, "pattern")->origin, PARIO_ORIGIN_PLAN);
	assert_int_equal(pario_config_find(&config, "dir")->origin, PARIO_ORIGIN_DEFAULT);
	assert_null(pario_config_find(&config, "transfer"));
	assert_string_equal(pario_origin_name(PARIO_ORIGIN_COMMAND), "command line");
	assert_int_equal(
		pario_config_set(&config, "pattern", "strided", PARIO_ORIGIN_DEFAULT, &err), 0);
	fill(0);
	assert_int_equal(params.pattern, 2);
}

static void bad_environment(void **state)
{
	char *env[] = { "PARIO_TRANSFER_SIZE=big", NULL };

	(void)state;
	refused_with(pario_config_environment(&config, env, &err),
		     "PARIO_TRANSFER_SIZE does not take 'big'");
	/* a weaker source is checked even where it does not count */
	assert_int_equal(ARGV("--transfer_size", "4k"), 0);
	assert_int_equal(pario_config_environment(&config, env, &err), -1);
}

static void name_is(uint64_t index, const char *expected)
{
	struct pario_text name = { 0 };

	pario_config_point_name(&config, index, &name);
	assert_string_equal(pario_text_string(&name), expected);
	pario_text_release(&name);
}

static void sweeps_in_order(void **state)
{
	(void)state;
	name_is(0, "");
	assert_int_equal(ARGV("--collective", "0,1", "--transfer_size", "4k,64k,1m", "--operations",
			      "read,write", "--clients", "1,2,4", "--dir", "a,b"),
			 0);
	assert_int_equal(points(), 6);
	name_is(0, "transfer_size=4k collective=0");
	name_is(1, "transfer_size=4k collective=1");
	name_is(2, "transfer_size=64k collective=0");
	name_is(5, "transfer_size=1m collective=1");
	fill(3);
	assert_true(params.transfer_size == 65536 && params.collective);
	assert_string_equal(engine.clients, "1,2,4");
	assert_string_equal(engine.dir, "a,b");
	assert_int_equal(pario_config_point(&config, 6, structs, &err), -1);
}

static void every_type_sweeps(void **state)
{
	(void)state;
	assert_int_equal(ARGV("--label", "x,y", "--time_limit", "1,2.5", "--pattern",
			      "random,strided", "--cb_nodes", "1,8"),
			 0);
	assert_int_equal(points(), 16);
	fill(15);
	assert_string_equal(engine.label, "y");
	assert_true(engine.time_limit == 2.5 && params.pattern == 1);
	assert_string_equal(params.hints.text, "cb_nodes=8\n");
	fill(0);
	assert_string_equal(params.hints.text, "cb_nodes=1\n");
	name_is(8, "label=y time_limit=1 pattern=random cb_nodes=1");
}

static void value_texts(void **state)
{
	struct pario_text value = { 0 };

	(void)state;
	assert_int_equal(ARGV("--transfer_size", "1..4,1m"), 0);
	pario_config_value_at(&config, pario_config_find(&config, "transfer_size"), 3, &value);
	assert_string_equal(pario_text_string(&value), "1m");
	pario_text_clear(&value);
	pario_config_value_at(&config, pario_config_find(&config, "clients"), 0, &value);
	assert_string_equal(pario_text_string(&value), "");
	pario_text_release(&value);
}

static void ranges(void **state)
{
	(void)state;
	assert_int_equal(ARGV("--transfer_size", "4k..16m:x4,47008,10..17:+3"), 0);
	assert_int_equal(points(), 7 + 1 + 3);
	name_is(0, "transfer_size=4k");
	name_is(1, "transfer_size=16k");
	name_is(6, "transfer_size=16m");
	name_is(7, "transfer_size=47008");
	name_is(10, "transfer_size=16");
	fill(5);
	assert_true(params.transfer_size == 4 << 20);
	assert_int_equal(ARGV("--transfer_size", "1p..16383p"), 0);
	assert_int_equal(points(), 14);
	refused_with(ARGV("--transfer_size", "8k..4k"), "must rise");
	refused_with(ARGV("--transfer_size", "4k..8k:x1"), "must rise");
	refused_with(ARGV("--transfer_size", "4k..8k:+0"), "must rise");
	refused_with(ARGV("--transfer_size", "0..8"), "a range from 0");
	refused_with(ARGV("--transfer_size", "0..8:+4"), "it must be at least 1.");
	refused_with(ARGV("--transfer_size", "4k..8k:4"), "not a step of '4'");
	refused_with(ARGV("--transfer_size", "4k.."), "does not take ''");
	refused_with(ARGV("--transfer_size", "..4k"), "does not take ''");
	refused_with(ARGV("--transfer_size", "1..2..3"), "does not take");
	refused_with(ARGV("--transfer_size", "1..16383p:+1"), "more than 1000000 values");
	refused_with(ARGV("--repetitions", "1..2k"), "it must be from 1 to 1000.");
}

static void too_many_points(void **state)
{
	uint64_t count = 7;

	(void)state;
	assert_int_equal(ARGV("--transfer_size", "1..1000:+1", "--repetitions", "1..1000:+1"), 0);
	assert_int_equal(points(), 1000000);
	name_is(999999, "repetitions=1000 transfer_size=1000");
	assert_int_equal(ARGV("--collective", "0,1"), 0);
	refused_with(pario_config_points(&config, &count, &err), "more than 1000000 points");
	assert_int_equal(count, 7);
}

static void lists(void **state)
{
	static const uint64_t expected[] = { 1, 2, 4, 8, 4096 };
	uint64_t *values = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(pario_options_list("--clients", "1..8,4k", &values, &count, &err), 0);
	assert_int_equal(count, 5);
	assert_memory_equal(values, expected, sizeof(expected));
	free(values);
	values = NULL;
	refused_with(pario_options_list("--clients", "1,,2", &values, &count, &err), "empty");
	refused_with(pario_options_list("--clients", "", &values, &count, &err), "empty");
	refused_with(pario_options_list("--clients", "1,two", &values, &count, &err), "'two'");
	refused_with(pario_options_list("--clients", "0..2t:+1", &values, &count, &err),
		     "more than");
	assert_null(values);
	assert_int_equal(count, 5);
}

static void hints_add_up(void **state)
{
	char buf[16], key[128], value[512];
	size_t cursor = 0;

	(void)state;
	assert_int_equal(pario_config_set(&config, "hint", "weak=1", PARIO_ORIGIN_PLAN, &err), 0);
	assert_int_equal(
		ARGV("--hint", "a=1,2", "--cb_nodes", "4", "--hint=b=x=y", "--hint", "a=3"), 0);
	fill(0);
	assert_string_equal(params.hints.text, "cb_nodes=4\nb=x=y\na=3\n");
	assert_string_equal(pario_hints_get(&params.hints, "b", buf, sizeof(buf)), "x=y");
	assert_string_equal(pario_hints_get(&params.hints, "cb_nodes", buf, 1), "");
	assert_null(pario_hints_get(&params.hints, "weak", buf, sizeof(buf)));
	assert_null(pario_hints_get(&params.hints, "cb_node", buf, sizeof(buf)));
	assert_true(pario_hints_next(&params.hints, &cursor, key, value));
	assert_string_equal(key, "cb_nodes");
	assert_string_equal(value, "4");
	assert_true(pario_hints_next(&params.hints, &cursor, key, value));
	assert_true(pario_hints_next(&params.hints, &cursor, key, value));
	assert_string_equal(key, "a");
	assert_string_equal(value, "3");
	assert_false(pario_hints_next(&params.hints, &cursor, key, value));
	refused_with(ARGV("--hint", "nothing"), "write key=value");
	refused_with(ARGV("--hint", "=x"), "write key=value");
	refused_with(ARGV("--cb_nodes", "a\nb=c"), "line break");
}

static void hints_have_limits(void **state)
{
	struct pario_hints hints = { 0 };
	char key[16], value[600], buf[600];
	int rc = 0, i;

	(void)state;
	memset(value, 'v', sizeof(value));
	value[511] = '\0';
	assert_int_equal(pario_hints_set(&hints, "k", value, &err), 0);
	assert_string_equal(pario_hints_get(&hints, "k", buf, sizeof(buf)), value);
	value[511] = 'v';
	value[599] = '\0';
	refused_with(pario_hints_set(&hints, "k", value, &err), "longer than 511 bytes");
	refused_with(pario_hints_set(&hints, value, "x", &err), "longer than 127 bytes");
	refused_with(pario_hints_set(&hints, "", "x", &err), "not the name of a hint");
	refused_with(pario_hints_set(&hints, "a=b", "x", &err), "not the name of a hint");
	value[100] = '\0';
	for (i = 0; !rc; i++) {
		snprintf(key, sizeof(key), "key%d", i);
		rc = pario_hints_set(&hints, key, value, &err);
	}
	refused_with(rc, "no room for hint");
	assert_true(i > 10 && strlen(hints.text) < sizeof(hints.text));
	/* replacing makes room for itself */
	assert_int_equal(pario_hints_set(&hints, "key0", value, &err), 0);
	assert_int_equal(pario_hints_set(&hints, "k", "", &err), 0);
	assert_string_equal(pario_hints_get(&hints, "k", buf, sizeof(buf)), "");
}

static void damaged_hints_are_safe(void **state)
{
	struct pario_hints hints;
	char key[128], value[512], buf[8];
	size_t cursor = 0;

	(void)state;
	memset(&hints, 'x', sizeof(hints));
	assert_false(pario_hints_next(&hints, &cursor, key, value));
	assert_null(pario_hints_get(&hints, "x", buf, sizeof(buf)));
	assert_int_equal(pario_hints_set(&hints, "a", "b", &err), -1);
	hints.text[sizeof(hints.text) - 1] = '\n';
	hints.text[1000] = '=';
	assert_false(pario_hints_next(&hints, &cursor, key, value));
}

static int init_rows(const struct pario_option *rows)
{
	struct pario_table table = { .rows = rows, .size = sizeof(struct params) };
	struct pario_config other;
	int rc = pario_config_init(&other, &table, 1, &err);

	if (!rc)
		pario_config_release(&other);
	return rc;
}

static void wrong_rows_are_found(void **state)
{
	const struct pario_table twice[] = { sample_tables[0], sample_tables[0] };
	const struct pario_option bad_default[] = {
		PARIO_OPTION(struct params, transfer_size, .def = "0", .min = "1"), { 0 }
	};
	const struct pario_option bad_list[] = {
		PARIO_OPTION(struct params, transfer_size, .flags = PARIO_OPTION_LIST), { 0 }
	};
	const struct pario_option no_choices[] = { PARIO_OPTION(struct params, pattern), { 0 } };
	const struct pario_option letters[] = {
		PARIO_OPTION(struct params, transfer_size, .letter = 'a'),
		PARIO_OPTION(struct params, secret, .letter = 'a'),
		{ 0 },
	};
	struct pario_config other;

	(void)state;
	refused_with(pario_config_init(&other, twice, 2, &err), "same name");
	refused_with(init_rows(bad_default), "The default of --transfer_size does not take '0'");
	refused_with(init_rows(bad_list), "a list needs a char[] field");
	refused_with(init_rows(no_choices), "choices");
	refused_with(init_rows(letters), "same letter");
	assert_int_equal(init_rows(NULL), 0);
}

static void help_shows_the_rows(void **state)
{
	struct pario_text help = { 0 };

	(void)state;
	pario_options_help(&sample_tables[1], 80, false, &help);
	assert_non_null(strstr(help.data, "Transfer\n  -t, --transfer_size <bytes>    "));
	assert_non_null(strstr(help.data, "size of one transfer; at least 1 [256k]\n"));
	assert_non_null(strstr(help.data, "--hint <key=value>"));
	assert_non_null(strstr(help.data, "any of write, read,"));
	assert_null(strstr(help.data, "secret"));
	for (const char *line = help.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	pario_text_clear(&help);
	pario_options_help(&sample_tables[0], 0, false, &help);
	for (const char *line = help.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 60);
	pario_text_release(&help);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(defaults),
		WITH(forms_of_the_command_line),
		WITH(bare_switches),
		WITH(positional_words),
		WITH(bad_command_lines),
		WITH(very_long_words),
		WITH(precedence),
		WITH(bad_environment),
		WITH(sweeps_in_order),
		WITH(every_type_sweeps),
		WITH(value_texts),
		WITH(ranges),
		WITH(too_many_points),
		WITH(lists),
		WITH(hints_add_up),
		cmocka_unit_test(hints_have_limits),
		cmocka_unit_test(damaged_hints_are_safe),
		cmocka_unit_test(wrong_rows_are_found),
		cmocka_unit_test(help_shows_the_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
