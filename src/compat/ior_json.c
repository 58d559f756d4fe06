/*
 * ior_json: the document of -O summaryFormat=JSON, with IOR's keys.
 *
 * Keys whose value pario does not know are left out, never invented.
 */
#include "compat/ior.h"

#include <stdio.h>
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
	{ "outlierThreshold", "outlierThreshold", true },
	{ "dryRun", "dryRun", true },
	{ "memoryPerTask", "memoryPerTask", true },
	{ "memoryPerNode", "memoryPerNode", true },
	{ "uniqueDir", "uniqueDir", true },
	{ "singleXferAttempt", "singleXferAttempt", true },
	{ "warningAsErrors", "warningAsErrors", true },
	{ "verbose", "verbose", true },
	{ "setTimeStampSignature/incompressibleSeed", "setTimeStampSignature", true },
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

static bool has_phase(const struct pario_ior_test *t, const char *access)
{
	for (size_t i = 0; i < t->result_count; i++) {
		if (strcmp(t->results[i].phase, access) == 0)
			return true;
	}
	return false;
}

/* IOR's number of a kind of data; the letters beside it are those that it prints. */
static unsigned packet_of(const struct pario_ior_test *t)
{
	static const char kinds[] = "toir";
	const char *kind = pario_peer_text(t->job, t->run, "dataPacketType");
	const char *at = *kind ? strchr(kinds, *kind | ' ') : NULL;

	return at ? (unsigned)(at - kinds) : 0;
}

static void write_parameters(const struct pario_ior_test *t, const char *platform,
			     struct pario_json *j)
{
	static const char *const packets[] = { "g", "t", "o", "i" };
	unsigned packet = packet_of(t);

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
	pario_json_string(j, "platform", platform);
	pario_json_string(j, "options", "(null)");
	pario_json_u64(j, "readFile", has_phase(t, "read"));
	pario_json_u64(j, "writeFile", has_phase(t, "write"));
	pario_json_u64(j, "dataPacketType", packet);
	pario_json_string(j, "data packet type", packets[packet]);
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
	pario_json_float(j, "bwMiB", row.mib_s);
	pario_json_float(j, "blockKiB",
			 (double)pario_peer_number(t->job, t->run, "blockSize") / 1024);
	pario_json_float(j, "xferKiB",
			 (double)pario_peer_number(t->job, t->run, "transferSize") / 1024);
	pario_json_float(j, "iops", row.iops);
	pario_json_float(j, "latency", row.latency_s);
	pario_json_float(j, "openTime", row.open_s);
	pario_json_float(j, "wrRdTime", row.access_s);
	pario_json_float(j, "closeTime", row.close_s);
	pario_json_float(j, "totalTime", row.total_s);
	pario_json_close(j, '}');
}

static void write_max(const struct pario_ior_test *t, const char *access, const char *mib,
		      const char *mb, struct pario_json *j)
{
	struct pario_ior_sums sums;

	if (!pario_ior_sums(t, access, &sums))
		return;
	pario_json_float(j, mib, sums.max);
	pario_json_float(j, mb, sums.max * PARIO_MIB / 1e6);
}

static void write_test(const struct pario_ior_test *t, const char *platform, struct pario_json *j)
{
	char began[PARIO_CLOCK_CAPACITY];

	pario_json_open(j, NULL, '{');
	pario_json_u64(j, "TestID", t->number);
	pario_json_string(j, "StartTime", pario_clock_asctime(began, t->began_s));
	pario_json_string(j, "Path", t->path);
	pario_json_string(j, "Capacity", t->room.capacity);
	pario_json_string(j, "Used Capacity", t->room.used);
	pario_json_string(j, "Inodes", t->room.inodes);
	pario_json_string(j, "Used Inodes", t->room.used_inodes);
	write_parameters(t, platform, j);
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
	pario_json_float(j, "bwMaxMIB", s.max);
	pario_json_float(j, "bwMinMIB", s.min);
	pario_json_float(j, "bwMeanMIB", s.mean);
	pario_json_float(j, "bwStdMIB", s.sd);
	pario_json_float(j, "OPsMax", s.ops_max);
	pario_json_float(j, "OPsMin", s.ops_min);
	pario_json_float(j, "OPsMean", s.ops_mean);
	pario_json_float(j, "OPsSD", s.ops_sd);
	pario_json_float(j, "MeanTime", s.seconds);
	if (s.stonewall_s == s.stonewall_s) {
		pario_json_float(j, "StoneWallTime", s.stonewall_s);
		pario_json_float(j, "StoneWallbwMeanMIB", s.stonewall_mib_s);
	}
	pario_json_float(j, "xsizeMiB", (double)pario_ior_aggregate(t) / PARIO_MIB);
	pario_json_close(j, '}');
}

void pario_ior_json(const struct pario_ior_test *tests, size_t count, const char *command,
		    const char *machine, struct pario_json *j)
{
	char now[PARIO_CLOCK_CAPACITY], platform[256];
	const char *host = strchr(machine, ' ');

	/* "Linux host" stands there as "host(Linux)" */
	snprintf(platform, sizeof(platform), "%.120s(%.*s)", host ? host + 1 : "",
		 (int)strcspn(machine, " "), machine);
	pario_json_open(j, NULL, '{');
	pario_json_string(j, "Version", "pario " PARIO_VERSION);
	pario_json_string(j, "Began",
			  pario_clock_asctime(now, count ? tests[0].began_s : pario_clock_unix()));
	pario_json_string(j, "Command line", command);
	pario_json_string(j, "Machine", machine);
	pario_json_open(j, "tests", '[');
	for (size_t i = 0; i < count; i++)
		write_test(&tests[i], platform, j);
	pario_json_close(j, ']');
	pario_json_open(j, "summary", '[');
	for (size_t i = 0; i < count; i++) {
		write_sums(&tests[i], "write", j);
		write_sums(&tests[i], "read", j);
	}
	pario_json_close(j, ']');
	pario_json_string(j, "Finished", pario_clock_asctime(now, pario_clock_unix()));
	pario_json_close(j, '}');
}
