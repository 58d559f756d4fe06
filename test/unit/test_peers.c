/* Command lines of other programs become the runs that are expected, or the sentence that is. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/ior.h"
#include "compat/mdtest.h"
#include "base/units.h"

enum { WORDS = 64 };

/* Splits at blanks; "..." is one word. */
static int split(char *line, char **words)
{
	int count = 0;

	while (*(line += strspn(line, " ")) && count < WORDS) {
		bool quoted = *line == '"';

		line += quoted;
		words[count++] = line;
		line += strcspn(line, quoted ? "\"" : " ");
		if (*line)
			*line++ = '\0';
	}
	return count;
}

/* The runs of a command line, or "refused: " and the sentence. */
static void translate(char *line, struct pario_text *out)
{
	struct pario_peer_job job = { 0 };
	struct pario_err err = { 0 };
	char *words[WORDS];
	int count = split(line, words);
	int status = strcmp(words[0], "ior") == 0
			     ? pario_ior_command(&job, count - 1, words + 1, NULL, &err)
			     : pario_mdtest_command(&job, count - 1, words + 1, &err);

	if (status < 0) {
		assert_int_equal(err.code, err.sys ? PARIO_SYSTEM : PARIO_USAGE);
		pario_text_add(out, "refused: %s\n", err.text);
	} else {
		pario_peer_equivalents(&job, out);
	}
	pario_peer_release(&job);
}

static FILE *open_table(void)
{
	const char *source = getenv("PARIO_SOURCE");
	char path[4096];

	snprintf(path, sizeof(path), "%s/test/unit/peers.tsv", source ? source : ".");
	return fopen(path, "re");
}

/* Lines "command<TAB>equivalent", in test/unit/peers.tsv. */
static void command_lines_of_the_table(void **state)
{
	unsigned ior = 0, mdtest = 0, wrong = 0;
	FILE *table = open_table();
	char line[2048];

	(void)state;
	assert_non_null(table);
	while (fgets(line, sizeof(line), table)) {
		char *tab = strchr(line, '\t'), shown[2048];
		struct pario_text out = { 0 };

		if (line[0] == '#')
			continue;
		assert_non_null(tab);
		*tab = '\0';
		snprintf(shown, sizeof(shown), "%s", line);
		ior += strncmp(line, "ior ", 4) == 0;
		mdtest += strncmp(line, "mdtest ", 7) == 0;
		translate(line, &out);
		if (strcmp(pario_text_string(&out), tab + 1) != 0) {
			wrong++;
			print_error("%s\n  expected %s  got      %s", shown, tab + 1,
				    pario_text_string(&out));
		}
		pario_text_release(&out);
	}
	fclose(table);
	assert_int_equal(wrong, 0);
	assert_true(ior >= 40);
	assert_true(mdtest >= 20);
}

static int script(struct pario_peer_job *job, const char *text, struct pario_err *err)
{
	char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	memset(err, 0, sizeof(*err));
	assert_int_equal(pario_peer_init(job, &pario_ior, err), 0);
	if (pario_ior_script(job, "s", copy, err) < 0)
		return -1;
	return pario_peer_translate(job, err);
}

static void scripts(void **state)
{
	struct pario_text out = { 0 };
	struct pario_peer_job job;
	struct pario_err err;

	(void)state;
	assert_int_equal(
		script(&job,
		       "words before\nIOR START\n api=POSIX # comment\n blockSize = 4m\n"
		       "transferSize=1m, fsync=1\nRUN\n\nfilePerProc=1\nrun\nIOR STOP\nafter\n",
		       &err),
		0);
	pario_peer_equivalents(&job, &out);
	assert_string_equal(
		pario_text_string(&out),
		"pario run transfer --verify 0 --transfer_size 1m --block_size 4m --read_shift 0 "
		"--repetitions 1 --reuse_buffers 1 --same_data 1\n"
		"pario run transfer --verify 0 --layout per_client --transfer_size 1m --block_size 4m "
		"--read_shift 0 --repetitions 1 --reuse_buffers 1 --same_data 1\n");
	pario_text_release(&out);
	pario_peer_release(&job);
	assert_int_equal(script(&job, "blockSize=4m\n", &err), -1);
	assert_non_null(strstr(err.text, "no line IOR START"));
	pario_peer_release(&job);
	assert_int_equal(script(&job, "IOR START\nblockSize=4m\nRUN\n", &err), -1);
	assert_non_null(strstr(err.text, "without the line IOR STOP"));
	pario_peer_release(&job);
	assert_int_equal(script(&job, "IOR START\nRUN\nblockSize=4m\nIOR STOP\n", &err), -1);
	assert_non_null(strstr(err.text, "behind its last RUN"));
	pario_peer_release(&job);
	assert_int_equal(script(&job, "IOR START\nIOR STOP\n", &err), -1);
	assert_non_null(strstr(err.text, "no line RUN"));
	pario_peer_release(&job);
	assert_int_equal(script(&job, "IOR START\nblokSize=4m\nRUN\nIOR STOP\n", &err), -1);
	assert_string_equal(err.text, "s:2: ior has no option blokSize; did you mean blockSize?");
	pario_peer_release(&job);
	assert_int_equal(script(&job, "IOR START\nblockSize\nRUN\nIOR STOP\n", &err), -1);
	assert_non_null(strstr(err.text, "s:2: "));
	pario_peer_release(&job);
}

static void hints_of_the_environment(void **state)
{
	char *environment[] = { "HOME=/x", "IOR_HINT__MPI__cb_nodes=4", NULL };
	char *gpfs[] = { "IOR_HINT__GPFS__x=1", NULL };
	struct pario_peer_job job = { 0 };
	struct pario_text out = { 0 };
	struct pario_err err = { 0 };
	char *words[] = { "-a", "MPIIO", "-e" };

	(void)state;
	assert_int_equal(pario_ior_command(&job, 3, words, environment, &err), 0);
	pario_peer_equivalents(&job, &out);
	assert_non_null(strstr(pario_text_string(&out), " --hint cb_nodes=4\n"));
	pario_text_release(&out);
	pario_peer_release(&job);
	assert_int_equal(pario_ior_command(&job, 3, words, gpfs, &err), -1);
	pario_peer_release(&job);
}

/* A row that is refused or differs says why; letters and names are used once. */
static void rows_are_whole(void **state)
{
	const struct pario_peer *const peers[] = { &pario_ior, &pario_mdtest };

	(void)state;
	for (size_t p = 0; p < 2; p++) {
		const struct pario_peer_option *all = peers[p]->options;
		size_t count = 0;

		for (; all[count].name; count++) {
			const struct pario_peer_option *o = &all[count];

			assert_true(o->answer == PARIO_PEER_SAME || o->text);
			for (size_t k = 0; k < count; k++) {
				assert_false(o->letter && o->letter == all[k].letter);
				assert_string_not_equal(o->name, all[k].name);
			}
		}
		assert_true(count < PARIO_PEER_OPTIONS);
	}
}

static struct pario_result result_of(const char *phase, uint64_t repetition, double seconds)
{
	struct pario_result r;

	pario_result_init(&r);
	snprintf(r.phase, sizeof(r.phase), "%s", phase);
	r.repetition = repetition;
	r.clients = 2;
	r.outcome = PARIO_PASS;
	r.bytes = 16 << 20;
	r.ops = 16;
	r.seconds = (struct pario_times){ .open = 0.25,
					  .transfer = seconds - 0.5,
					  .sync = 0.125,
					  .close = 0.125,
					  .total = seconds };
	r.rate_mib_s = 16 / seconds;
	return r;
}

static void tables_of_ior(void **state)
{
	char *words[] = { "-t", "1m", "-b", "8m", "-i", "2", "-e", "-A", "3" };
	struct pario_result results[3] = { result_of("write", 0, 2), result_of("write", 1, 4),
					   result_of("read", 0, 1) };
	struct pario_peer_job job = { 0 };
	struct pario_text out = { 0 };
	struct pario_err err = { 0 };
	struct pario_ior_test test = { .tasks = 2,
				       .tasks_per_node = 2,
				       .nodes = 1,
				       .path = "/x",
				       .results = results,
				       .result_count = 3,
				       .job = &job };
	struct pario_json json = { 0 };

	(void)state;
	assert_int_equal(pario_ior_command(&job, COUNT_OF(words), words, NULL, &err), 0);
	test.run = &job.runs[0];
	pario_ior_results(&test, &out);
	assert_non_null(strstr(
		pario_text_string(&out),
		"write     8.00       9.85       0.187500    8192       1024.00    0.250000   1.62       "
		"0.125000   2.00       0   \n"));
	assert_non_null(strstr(pario_text_string(&out), "Max Write: 8.00 MiB/sec (8.39 MB/sec)\n"));
	assert_non_null(
		strstr(pario_text_string(&out), "Max Read:  16.00 MiB/sec (16.78 MB/sec)\n"));
	pario_text_clear(&out);
	pario_ior_summary(&test, 1, &out);
	assert_non_null(strstr(
		pario_text_string(&out),
		"write           8.00       4.00       6.00       2.00       8.00       4.00       6.00"
		"       2.00    3.00000         NA            NA     0      2   2    2   0     0        1"
		"         0    0      1  8388608  1048576      16.0 POSIX      3\n"));
	pario_ior_json(&test, 1, "ior -t 1m", "Linux x", &json);
	assert_non_null(
		strstr(json.text.data, "\"summary\":[{\"operation\":\"write\",\"API\":\"POSIX\""));
	assert_non_null(
		strstr(json.text.data, "\"bwMaxMIB\":8.0,\"bwMinMIB\":4.0,\"bwMeanMIB\":6.0"));
	assert_non_null(strstr(json.text.data, "\"max\":{\"writeMiB\":8.0,"));
	pario_json_release(&json);
	pario_text_release(&out);
	pario_peer_release(&job);
}

static void tables_of_mdtest(void **state)
{
	char *words[] = { "-n", "8", "-F", "-i", "2", "-P" };
	struct pario_result results[2] = { result_of("file_create", 0, 2),
					   result_of("file_create", 1, 4) };
	struct pario_peer_job job = { 0 };
	struct pario_text out = { 0 };
	struct pario_err err = { 0 };
	const char *all;

	(void)state;
	assert_int_equal(pario_mdtest_command(&job, COUNT_OF(words), words, &err), 0);
	pario_mdtest_summary(&job, results, 2, 2, &out);
	all = pario_text_string(&out);
	assert_non_null(strstr(all, "\n2 tasks, 16 files\n\nSUMMARY rate: (of 2 iterations)\n"));
	assert_non_null(strstr(all, "   File creation                   8.000          4.000"
				    "          6.000          2.828\n"));
	assert_non_null(strstr(all, "   File stat                       0.000 "));
	assert_null(strstr(all, "Directory"));
	assert_non_null(strstr(all, "SUMMARY time: (of 2 iterations)\n"));
	pario_text_release(&out);
	pario_peer_release(&job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_of_the_table),
		cmocka_unit_test(scripts),
		cmocka_unit_test(hints_of_the_environment),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(tables_of_ior),
		cmocka_unit_test(tables_of_mdtest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
