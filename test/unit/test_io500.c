/* io500.ini as it is, the rules that make a run invalid, and the score. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compat/io500.h"

static const char whole[] =
	"[global]\n"
	"datadir = /scratch/me\n"
	"timestamp-datadir = TRUE\n"
	"resultdir = ./results\n"
	"timestamp-resultdir = FALSE\n"
	"# a comment\n"
	"api = POSIX\n"
	"drop-caches = TRUE\n"
	"drop-caches-cmd = sudo -n bash -c \"echo 3 > /proc/sys/vm/drop_caches\"\n"
	"verbosity = 1\n"
	"scc = FALSE\n"
	"[debug]\n"
	"stonewall-time = 300 ; the rule\n"
	"pause-dir =\n"
	"[ior-easy]\n"
	"API = MPIIO\n"
	"transferSize = 4m\n"
	"blockSize = 1g\n"
	"filePerProc = FALSE\n"
	"uniqueDir = FALSE\n"
	"run = TRUE\n"
	"[ior-hard]\n"
	"API = POSIX --posix.odirect\n"
	"segmentCount = 95000\n"
	"collective = FALSE\n"
	"[mdtest-hard-stat]\n"
	"API =\n"
	"run = FALSE\n"
	"[mdtest-easy]\n"
	"n = 5000\n"
	"[mdworkbench-bench]\n"
	"run = TRUE\n"
	"[find]\n"
	"external-script =\n"
	"pfind-queue-length = 10000\n";

static int configure(struct pario_io500 *io, const char *text, double stonewall,
		     struct pario_err *err)
{
	memset(err, 0, sizeof(*err));
	return pario_io500_configure(io, "x.ini", text, text ? strlen(text) : 0, stonewall, err);
}

static void a_whole_file(void **state)
{
	struct pario_io500 io;
	struct pario_err err;

	(void)state;
	assert_int_equal(configure(&io, whole, 0, &err), 0);
	assert_string_equal(io.datadir, "/scratch/me");
	assert_string_equal(io.resultdir, "./results");
	assert_false(io.dated_results);
	assert_true(io.drop_caches);
	assert_true(io.stonewall > 299 && io.stonewall < 301);
	assert_string_equal(
		pario_text_string(&io.options[PARIO_IO500_EASY]),
		"layout=shared transfer_size=4m block_size=1g operations=write,read,random_read "
		"random_size=4k verify=0 api=mpiio");
	assert_non_null(strstr(pario_text_string(&io.options[PARIO_IO500_HARD]),
			       "segment_count=95000 operations=write,read verify=0 direct=1"));
	assert_non_null(strstr(pario_text_string(&io.options[PARIO_IO500_MD_EASY]), "items=5000 "));
	assert_false(io.runs[PARIO_IO500_MD_HARD_STAT]);
	assert_true(io.runs[PARIO_IO500_FIND]);
	assert_string_equal(pario_text_string(&io.invalid), "");
	pario_io500_release(&io);
}

static void no_file(void **state)
{
	struct pario_io500 io;
	struct pario_err err;

	(void)state;
	assert_int_equal(configure(&io, NULL, 0, &err), 0);
	assert_non_null(strstr(pario_text_string(&io.options[PARIO_IO500_EASY]),
			       "layout=per_client transfer_size=2m block_size=9920000m"));
	assert_string_equal(pario_text_string(&io.invalid), "");
	pario_io500_release(&io);
	/* pieces of 4 KiB must fit into the transfers, else there is no random read */
	assert_int_equal(configure(&io, "[ior-easy]\ntransferSize = 47008\n", 0, &err), 0);
	assert_false(io.runs[PARIO_IO500_RANDOM]);
	assert_null(strstr(pario_text_string(&io.options[PARIO_IO500_EASY]), "random"));
	pario_io500_release(&io);
	assert_int_equal(configure(&io, "[ior-rnd4K-easy-read]\nrun = FALSE\n", 0, &err), 0);
	assert_false(io.runs[PARIO_IO500_RANDOM]);
	assert_string_equal(pario_text_string(&io.invalid), "");
	pario_io500_release(&io);
	assert_int_equal(configure(&io, NULL, 5, &err), 0);
	assert_string_equal(pario_text_string(&io.invalid),
			    "stonewall-time is 5 s instead of 300 s\n");
	pario_io500_release(&io);
	assert_int_equal(configure(&io, "[global]\nscc = TRUE\n", 0, &err), 0);
	assert_true(io.stonewall > 29 && io.stonewall < 31);
	pario_io500_release(&io);
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *sentence;
	} all[] = {
		{ "[ior-esy]\n",
		  "x.ini:1: IO500 has no section [ior-esy]; did you mean [ior-easy]?" },
		{ "\n[wrong section]\n", "x.ini:2: IO500 has no section [wrong section]." },
		{ "[ior-easy]\nblokSize = 1g\n", "did you mean 'blockSize'?" },
		{ "api = POSIX\n", "x.ini:1: a key before the first section" },
		{ "[ior-easy]\nuniqueDir = TRUE\n", "uniqueDir" },
		{ "[ior-easy]\nAPI = DFS\n", "asks for the interface DFS" },
		{ "[mdtest-easy]\nAPI = MPIIO\n", "asks for the interface MPIIO" },
		{ "[ior-hard]\nAPI = POSIX --posix.lustre.pool=x\n", "which pario does not have" },
		{ "[find]\nexternal-script = ./x.sh\n", "external-script" },
		{ "[debug]\nstonewall-time = soon\n", "stonewall-time" },
		{ "[global\n", "x.ini:1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct pario_io500 io;
		struct pario_err err;

		assert_int_equal(configure(&io, all[i].text, 0, &err), -1);
		assert_int_equal(err.code, PARIO_USAGE);
		if (!strstr(err.text, all[i].sentence))
			fail_msg("%s: %s", all[i].text, err.text);
		pario_io500_release(&io);
	}
}

static struct pario_result result_of(unsigned phase, double score, double seconds)
{
	struct pario_result r;

	pario_result_init(&r);
	r.outcome = PARIO_PASS;
	r.seconds.total = seconds;
	r.rate_mib_s = score * 1024;
	r.ops = pario_io500_steps[phase].bandwidth ? 1 : (uint64_t)(score * 1000 * seconds);
	return r;
}

/* Bandwidths 1 2 4 8 have the mean 2^1.5; metadata all 16; the total is sqrt(2^1.5 * 16). */
static void the_score(void **state)
{
	static struct pario_io500_score score;
	struct pario_text out = { 0 };
	struct pario_io500 io;
	struct pario_err err;
	double bandwidth = 1;

	(void)state;
	memset(&score, 0, sizeof(score));
	score.directory = "d";
	assert_int_equal(configure(&io, NULL, 0, &err), 0);
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		bool bw = pario_io500_steps[i].bandwidth;
		struct pario_result r = result_of(i, bw ? bandwidth : 16, 300.5);

		bandwidth *= bw ? 2 : 1;
		pario_io500_take(&io, &score, i, &r);
	}
	pario_io500_total(&io, &score);
	assert_true(fabs(score.bandwidth - pow(2, 1.5)) < 1e-9);
	assert_true(fabs(score.metadata - 16) < 1e-9);
	assert_true(fabs(score.total - sqrt(pow(2, 1.5) * 16)) < 1e-9);
	assert_int_equal(io.invalid.length, 0);
	pario_io500_summary(&io, &score, &out);
	assert_non_null(
		strstr(pario_text_string(&out),
		       "\n[RESULT]       ior-easy-write        1.000000 GiB/s : time 300.500 "
		       "seconds\n[RESULT]    mdtest-easy-write       16.000000 kIOPS : time "));
	assert_non_null(strstr(
		pario_text_string(&out),
		"[      ]  ior-rnd4K-easy-read       16.000000 GiB/s : time 300.500 seconds\n"
		"[SCORE ] Bandwidth 2.828427 GiB/s : IOPS 16.000000 kiops : TOTAL "
		"6.727171\n"));
	pario_text_release(&out);
	pario_io500_release(&io);
}

static void broken_rules(void **state)
{
	static struct pario_io500_score score;
	struct pario_text out = { 0 };
	struct pario_io500 io;
	struct pario_result r;
	struct pario_err err;

	(void)state;
	memset(&score, 0, sizeof(score));
	score.directory = "d";
	assert_int_equal(configure(&io, NULL, 0, &err), 0);
	for (unsigned i = 0; i < PARIO_IO500_MD_HARD_DELETE; i++) {
		r = result_of(i, 1, i == 0 ? 299 : 300);
		if (i == PARIO_IO500_FIND) {
			r.outcome = PARIO_FAIL;
			snprintf(r.reason, sizeof(r.reason), "no way");
		}
		pario_io500_take(&io, &score, i, &r);
	}
	pario_io500_total(&io, &score);
	/* a missing phase makes the score none, not higher */
	assert_true(score.bandwidth > 0.99);
	assert_false(score.metadata > 0);
	assert_false(score.total > 0);
	assert_non_null(strstr(pario_text_string(&io.invalid), "ior-easy-write took 299.000 s"));
	assert_non_null(strstr(pario_text_string(&io.invalid), "find failed: no way\n"));
	assert_non_null(strstr(pario_text_string(&io.invalid), "mdtest-hard-delete was not run\n"));
	pario_io500_result(&io, &score, &out);
	assert_non_null(strstr(pario_text_string(&out), "; ERROR INVALID find failed: no way\n"));
	assert_non_null(strstr(pario_text_string(&out), "SCORE           = 0.000000 [INVALID]\n"));
	pario_text_clear(&out);
	pario_io500_line(&score, 0, &out);
	assert_non_null(strstr(pario_text_string(&out), "seconds [INVALID]\n"));
	pario_text_release(&out);
	pario_io500_release(&io);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file), cmocka_unit_test(no_file),
		cmocka_unit_test(refusals),	cmocka_unit_test(the_score),
		cmocka_unit_test(broken_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
