/*
 * ior_json: the document of -O summaryFormat=JSON, with IOR's keys.
 *
 * Keys whose value pario does not know are left out, never invented.
 */
#include "compat/ior.h"

#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "version.h"

/* Parameters that are an option's value as it was given: their key, the option, and whether it is a number. */
static const struct {
	const char *key, *option;
	bool number;
} parameters[] = {
	{ "refnum", "refNum", true },
	{ "api", "api", false },
	{ "testFileName", "testFile", false },
	{ "deadlineForStonewall", "deadlineForStonewalling", true },
	{ "stoneWallingWearOut", "stoneWallingWearOut", true },
	{ "maxTimeDuration", "maxTimeDuration", true },
	{ "repetitions", "repetitions", true },
	{ "interTestDelay", "interTestDelay", true },
	{ "multiFile", "multiFile", true },
	{ "fsync", "fsync", true },
	{ "fsyncperwrite", "fsyncPerWrite", true },
	{ "useExistingTestFile", "useExistingTestFile", true },
	{ "filePerProc", "filePerProc", true },
	{ "reorderTasks", "reorderTasks", true },
	{ "reorderTasksRandom", "reorderTasksRandom", true },
	{ "reorderTasksRandomSeed", "reorderTasksRandomSeed", true },
	{ "randomOffset", "randomOffset", true },
	{ "checkWrite", "checkWrite", true },
	{ "checkRead", "checkRead", true },
	{ "keepFile", "keepFile", true },
	{ "keepFileWithError", "keepFileWithError", true },
	{ "collective", "collective", true },
	{ "segmentCount", "segmentCount", true },
	{ "transferSize", "transferSize", true },
	{ "blockSize", "blockSize", true },
};

static void write_parameters(const struct pario_ior_test *t, struct pario_json *j)
{
	pario_json_open(j, "Parameters", '{');
	pario_json_u64(j, "testID", t->number);
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++) {
		if (parameters[i].number)
			pario_json_u64(j, parameters[i].key,
				       pario_peer_number(t->job, t->run, parameters[i].option));
		else
			pario_json_string(j, parameters[i].key,
					  pario_peer_text(t->job, t->run, parameters[i].option));
	}
	pario_json_u64(j, "nodes", t->nodes);
	pario_json_u64(j, "tasksPerNode", t->tasks_per_node);
	pario_json_close(j, '}');
}

static void write_option(void *to, const char *name, const char *text, uint64_t number)
{
	if (text)
		pario_json_string(to, name, text);
	else
		pario_json_u64(to, name, number);
}

static void write_result(const struct pario_ior_test *t, const struct pario_result *r,
			 struct pario_json *j)
{
	struct pario_ior_result row;

	pario_ior_result_of(r, &row);
	pario_json_open(j, NULL, '{');
	pario_json_string(j, "access", r->phase);
	pario_json_real(j, "bwMiB", row.mib_s);
	pario_json_real(j, "blockKiB",
			(double)pario_peer_number(t->job, t->run, "blockSize") / 1024);
	pario_json_real(j, "xferKiB",
			(double)pario_peer_number(t->job, t->run, "transferSize") / 1024);
	pario_json_real(j, "iops", row.iops);
	pario_json_real(j, "latency", row.latency_s);
	pario_json_real(j, "openTime", row.open_s);
	pario_json_real(j, "wrRdTime", row.access_s);
	pario_json_real(j, "closeTime", row.close_s);
	pario_json_real(j, "totalTime", row.total_s);
	pario_json_close(j, '}');
}

static void write_max(const struct pario_ior_test *t, const char *access, const char *mib,
		      const char *mb, struct pario_json *j)
{
	struct pario_ior_sums sums;

	if (!pario_ior_sums(t, access, &sums))
		return;
	pario_json_real(j, mib, sums.max);
	pario_json_real(j, mb, sums.max * PARIO_MIB / 1e6);
}

static void write_test(const struct pario_ior_test *t, struct pario_json *j)
{
	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "TestID", t->number);
	pario_json_string(j, "StartTime", t->began);
	pario_json_string(j, "Path", t->path);
	write_parameters(t, j);
	pario_json_open(j, "Options", '{');
	pario_ior_options(t, write_option, j);
	pario_json_close(j, '}');
	pario_json_open(j, "Results", '[');
	for (size_t i = 0; i < t->result_count; i++) {
		const struct pario_result *r = &t->results[i];

		if (r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT)
			write_result(t, r, j);
	}
	pario_json_close(j, ']');
	pario_json_open(j, "max", '{');
	write_max(t, "write", "writeMiB", "writeMB", j);
	write_max(t, "read", "readMiB", "readMB", j);
	pario_json_close(j, '}');
	pario_json_close(j, '}');
}

static void write_sums(const struct pario_ior_test *t, const char *access, struct pario_json *j)
{
	static const char *const numbers[] = { "segmentCount", "blockSize", "transferSize" };
	static const char *const orders[] = { "filePerProc", "reorderTasks", "taskPerNodeOffset",
					      "reorderTasksRandom", "reorderTasksRandomSeed" };
	struct pario_ior_sums s;

	if (!pario_ior_sums(t, access, &s))
		return;
	pario_json_open(j, NULL, '{');
	pario_json_string(j, "operation", access);
	pario_json_string(j, "API", pario_peer_text(t->job, t->run, "api"));
	pario_json_u64(j, "TestID", t->number);
	pario_json_u64(j, "ReferenceNumber", pario_peer_number(t->job, t->run, "refNum"));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		pario_json_u64(j, numbers[i], pario_peer_number(t->job, t->run, numbers[i]));
	pario_json_u64(j, "numTasks", t->tasks);
	pario_json_u64(j, "tasksPerNode", t->tasks_per_node);
	pario_json_u64(j, "repetitions", pario_peer_number(t->job, t->run, "repetitions"));
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		pario_json_u64(j, orders[i], pario_peer_number(t->job, t->run, orders[i]));
	pario_json_real(j, "bwMaxMIB", s.max);
	pario_json_real(j, "bwMinMIB", s.min);
	pario_json_real(j, "bwMeanMIB", s.mean);
	pario_json_real(j, "bwStdMIB", s.sd);
	pario_json_real(j, "OPsMax", s.ops_max);
	pario_json_real(j, "OPsMin", s.ops_min);
	pario_json_real(j, "OPsMean", s.ops_mean);
	pario_json_real(j, "OPsSD", s.ops_sd);
	pario_json_real(j, "MeanTime", s.seconds);
	if (s.stonewall_s == s.stonewall_s) {
		pario_json_real(j, "StoneWallTime", s.stonewall_s);
		pario_json_real(j, "StoneWallbwMeanMIB", s.stonewall_mib_s);
	}
	pario_json_real(j, "xsizeMiB",
			(double)pario_peer_number(t->job, t->run, "transferSize") / PARIO_MIB);
	pario_json_close(j, '}');
}

void pario_ior_json(const struct pario_ior_test *tests, size_t count, const char *command,
		    const char *machine, struct pario_json *j)
{
	char now[PARIO_CLOCK_CAPACITY];

	pario_json_open(j, NULL, '{');
	pario_json_string(j, "Version", "pario " PARIO_VERSION);
	pario_json_string(j, "Began", count ? tests[0].began : "");
	pario_json_string(j, "Command line", command);
	pario_json_string(j, "Machine", machine);
	pario_json_open(j, "tests", '[');
	for (size_t i = 0; i < count; i++)
		write_test(&tests[i], j);
	pario_json_close(j, ']');
	pario_json_open(j, "summary", '[');
	for (size_t i = 0; i < count; i++) {
		write_sums(&tests[i], "write", j);
		write_sums(&tests[i], "read", j);
	}
	pario_json_close(j, ']');
	pario_json_string(j, "Finished", pario_clock_label(now));
	pario_json_close(j, '}');
}
