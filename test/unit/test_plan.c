/*
 * test_plan: what a plan may say, what it is told when it is wrong, and that a shown config reads
 * back.
 */
#include "base/options.h"

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

static int plan_bytes(const char *text, size_t length)
{
	/* without a NUL after it, so that reading too far is seen by the sanitizer */
	char *copy = malloc(length ? length : 1);
	int rc;

	assert_non_null(copy);
	memcpy(copy, text, length);
	rc = pario_config_plan(&config, "my.ini", copy, length, "transfer", &err);
	free(copy);
	return rc;
}

static void accepted(const char *text)
{
	if (plan_bytes(text, strlen(text)) < 0)
		fail_msg("%s", err.text);
	if (pario_config_point(&config, 0, structs, &err) < 0)
		fail_msg("%s", err.text);
}

static void refused(const char *text, const char *sentence)
{
	assert_int_equal(plan_bytes(text, strlen(text)), -1);
	assert_int_equal(err.code, PARIO_USAGE);
	assert_string_equal(err.text, sentence);
}

static void refused_with(const char *text, const char *part)
{
	assert_int_equal(plan_bytes(text, strlen(text)), -1);
	assert_int_equal(err.code, PARIO_USAGE);
	if (!strstr(err.text, part))
		fail_msg("'%s' is not in '%s'", part, err.text);
}

static void good_plan(void **state)
{
	uint64_t count;

	(void)state;
	accepted("# a comment\n"
		 "; another\n"
		 "\n"
		 "repetitions=5\n"
		 "  dir =  /a b/c#d ; not this\r\n"
		 "[metadata]\n"
		 "files = 100\n"
		 "repetitions = 9\n"
		 "[ transfer ]  # ours\n"
		 "transfer-size = 4k,64k   # two points\n"
		 "hint = a=1\n"
		 "hint = b=2\n"
		 "[other]\n"
		 "pattern = whatever");
	assert_true(engine.repetitions == 5);
	assert_string_equal(engine.dir, "/a b/c#d");
	assert_true(params.transfer_size == 4096 && params.pattern == 0);
	assert_string_equal(params.hints.text, "a=1\nb=2\n");
	assert_int_equal(pario_config_points(&config, &count, &err), 0);
	assert_int_equal(count, 2);
}

static void section_overrides(void **state)
{
	(void)state;
	accepted("repetitions = 5\n[transfer]\nrepetitions = 6\n");
	assert_true(engine.repetitions == 6);
}

static void no_test_takes_no_section(void **state)
{
	static const char text[] = "repetitions = 5\n[transfer]\nrepetitions = 6\n";

	(void)state;
	assert_int_equal(pario_config_plan(&config, "p", text, strlen(text), NULL, &err), 0);
	assert_string_equal(pario_config_find(&config, "repetitions")->text, "5");
}

static void quotes(void **state)
{
	(void)state;
	accepted("dir = \" a # b\\\\ \\\"c\\\" \\x41\\t\" # comment\nlabel = \"\"\n");
	assert_string_equal(engine.dir, " a # b\\ \"c\" A\t");
	assert_string_equal(engine.label, "");
	refused("dir = \"open\n",
		"my.ini:1: this value's quotes or escapes are not right: 'dir = \"open'.");
	refused_with("dir = \"a\" b\n", "my.ini:1: this value's quotes");
	refused_with("dir = \"\\q\"\n", "my.ini:1: this value's quotes");
	refused_with("dir = \"\\x4\"\n", "my.ini:1: this value's quotes");
	refused_with("dir = \"\\x00\"\n", "my.ini:1: this value's quotes");
	refused_with("dir = \"\\", "my.ini:1: this value's quotes");
}

static void empty_plans(void **state)
{
	(void)state;
	accepted("");
	accepted("\n\n");
	accepted("   \t\r\n#");
	accepted("label =\n");
	assert_string_equal(engine.label, "");
}

static void wrong_plans(void **state)
{
	(void)state;
	refused("\n\ntransfer_sise = 4k\n",
		"my.ini:3: unknown key 'transfer_sise'; did you mean 'transfer_size'?");
	refused("zzz = 4k\n", "my.ini:1: unknown key: 'zzz'.");
	refused_with("[transfer]\ntransfer = 1\n",
		     "my.ini:2: unknown key 'transfer'; did you mean");
	refused("pattern = stridet",
		"my.ini:1: unknown value 'stridet' for pattern; did you mean 'strided'?");
	refused_with("transfer_size = 4kk", "my.ini:1: transfer_size does not take '4kk'");
	refused_with("transfer_size =", "my.ini:1: transfer_size does not take ''");
	refused_with("transfer_size = 4k,,8k", "my.ini:1: transfer_size does not take '4k,,8k'");
	refused_with("repetitions = 0 # none", "my.ini:1: repetitions does not take '0'");
	refused_with("justaword", "my.ini:1: a line must be written as key = value");
	refused_with("= 4", "my.ini:1: a line must be written as key = value");
	refused_with("a b = 4", "my.ini:1: a line must be written as key = value");
	refused_with("\xef\xbb\xbf"
		     "dir = x",
		     "my.ini:1: a line must be written as key = value");
	refused_with("[transfer", "my.ini:1: a section must be written as [name]");
	refused_with("[]", "my.ini:1: a section must be written as [name]");
	refused_with("[  ]", "my.ini:1: a section must be written as [name]");
	refused_with("[a] b", "my.ini:1: a section must be written as [name]");
	refused_with("[other]\nnonsense\n", "my.ini:2: a line must be written as key = value");
	refused("label = a\n\nlabel = b\n",
		"my.ini:3: 'label' was already given in line 1; remove one of them.");
	refused_with("[transfer]\nlabel = a\n[x]\n[transfer]\nlabel = b\n",
		     "my.ini:5: 'label' was");
}

static void nul_bytes(void **state)
{
	static const char text[] = "repetitions = 5\nlabel = a\0b\ntransfer_size = 1k\n";

	(void)state;
	assert_int_equal(plan_bytes(text, sizeof(text) - 1), -1);
	assert_string_equal(err.text, "my.ini:2: a line contains a NUL byte: 'label = a'.");
	assert_int_equal(plan_bytes("\0", 1), -1);
}

static void every_prefix_is_safe(void **state)
{
	static const char text[] =
		"[transfer]\r\ndir = \"a\\x41\\\"\" # c\nhint = a=b\npattern=random\n";

	(void)state;
	for (size_t length = 0; length < sizeof(text); length++) {
		pario_config_release(&config);
		assert_int_equal(set_up(NULL), 0);
		plan_bytes(text, length);
	}
}

static void show(struct pario_text *text)
{
	pario_text_clear(text);
	pario_config_show(&config, text);
}

static void shown_config_reads_back(void **state)
{
	char *words[] = { "--dir= a # \"q\"\\\n\t\xff", "--hint=a=1", "--hint=b=;2",
			  "--label=", "--transfer_size=4k..1m:x4" };
	struct pario_text first = { 0 }, second = { 0 };
	struct engine engine_before;
	struct params params_before;

	(void)state;
	assert_int_equal(pario_config_argv(&config, 5, words, NULL, NULL, &err), 0);
	assert_int_equal(pario_config_point(&config, 3, structs, &err), 0);
	engine_before = engine;
	params_before = params;
	show(&first);
	assert_non_null(
		strstr(first.data, "repetitions = 3                           # default\n"));
	assert_non_null(
		strstr(first.data, "transfer_size = 4k..1m:x4                 # command line\n"));
	assert_non_null(strstr(first.data, "# clients = "));
	assert_null(strstr(first.data, "secret"));
	pario_config_release(&config);
	assert_int_equal(set_up(NULL), 0);
	if (plan_bytes(first.data, first.length) < 0)
		fail_msg("%s\n%s", err.text, first.data);
	assert_int_equal(pario_config_point(&config, 3, structs, &err), 0);
	assert_memory_equal(&engine, &engine_before, sizeof(engine));
	assert_memory_equal(&params, &params_before, sizeof(params));
	show(&second);
	assert_non_null(strstr(second.data, "repetitions = 3                           # plan\n"));
	pario_text_release(&first);
	pario_text_release(&second);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(good_plan), WITH(section_overrides),    WITH(no_test_takes_no_section),
		WITH(quotes),	 WITH(empty_plans),	     WITH(wrong_plans),
		WITH(nul_bytes), WITH(every_prefix_is_safe), WITH(shown_config_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
