/*
 * mdtest_options: the options of mdtest and what each becomes in words of pario; what has no counterpart is refused
 * with the reason.
 */
#include "compat/mdtest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int place(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *dir = pario_peer_text(job, run, "testdir");

	if (strchr(dir, '@'))
		return pario_err_set(
			err, PARIO_USAGE,
			"-d %.500s names several directories, and pario measures one at a time. Use "
			"one pario mdtest for each.",
			dir);
	return strcmp(dir, ".") == 0 ? 0 : pario_peer_pair(job, run, "--dir", dir, err);
}

static int interface(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *api = pario_peer_text(job, run, "api");

	if (strcasecmp(api, "POSIX") == 0)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "pario makes files and directories by POSIX calls only, not by %.40s. "
			     "Where the storage is mounted, use -a POSIX.",
			     api);
}

/* The phases of the test, in its order, with the options that ask for each. */
static const struct {
	const char *name, *option;
	bool dirs, files;
} phases[] = {
	{ "tree_create", "create", true, true },  { "dir_create", "create", true, false },
	{ "dir_stat", "stat", true, false },	  { "dir_rename", "rename", true, false },
	{ "dir_remove", "remove", true, false },  { "file_create", "create", false, true },
	{ "file_stat", "stat", false, true },	  { "file_read", "read", false, true },
	{ "file_remove", "remove", false, true }, { "tree_remove", "remove", true, true },
};

static int choose(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	bool dirs = !pario_peer_on(job, run, "files-only");
	bool files = !pario_peer_on(job, run, "dirs-only");
	bool create = pario_peer_on(job, run, "create"), remove = pario_peer_on(job, run, "remove");
	bool all = !create && !remove && !pario_peer_on(job, run, "stat") &&
		   !pario_peer_on(job, run, "read") && !pario_peer_on(job, run, "rename");
	char list[256] = "";
	size_t used = 0;

	if (!dirs && !files)
		return pario_err_set(
			err, PARIO_USAGE,
			"-D means directories only and -F files only. Use one of them.");
	if (!all && !create)
		pario_peer_note(job,
				"without -C: what the phases need is made first, untimed; items "
				"of an earlier run are not used.");
	if (!all && !remove)
		pario_peer_note(job, "without -r: what was made is removed at the end, untimed; "
				     "`-- --keep_files 1` keeps it.");
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		if (((phases[i].dirs && dirs) || (phases[i].files && files)) &&
		    (all || pario_peer_on(job, run, phases[i].option)))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
						 used ? "," : "", phases[i].name);
	}
	if (!used)
		return pario_err_set(
			err, PARIO_USAGE,
			"nothing is left to measure: -E reads files and -U renames directories, and "
			"the other options leave those out.");
	return all && dirs && files ? 0 : pario_peer_pair(job, run, "--phases", list, err);
}

static int amount(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	bool items = pario_peer_on(job, run, "items");
	bool each = pario_peer_on(job, run, "items-per-dir");

	if (items && each)
		return pario_err_set(
			err, PARIO_USAGE,
			"-n counts the items of a task and -I those in each directory. "
			"Use one of them.");
	if (!items && !each)
		return pario_err_set(
			err, PARIO_USAGE,
			"how many? -n N items for each task, or -I N in each directory.");
	return 0;
}

static int shift(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	return pario_peer_pair(job, run, "--shift", pario_peer_text(job, run, "stride"), err);
}

static int stonewall(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *seconds = pario_peer_text(job, run, "stonewall");

	if (strcmp(seconds, "0") == 0)
		return 0;
	return pario_peer_pair(job, run, "--time_limit", seconds, err) < 0
		       ? -1
		       : pario_peer_pair(job, run, "--wear_out", "1000", err);
}

/* -f first -l last -s step: task counts, one after the other. */
static int counts(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	uint64_t first = pario_peer_number(job, run, "first");
	uint64_t last = pario_peer_number(job, run, "last");
	uint64_t step = pario_peer_number(job, run, "step");
	char list[80];

	if (!first && !last)
		return 0;
	if (!last || !first || last < first || !step)
		return pario_err_set(
			err, PARIO_USAGE,
			"task counts need the first (-f), the last (-l) and a step (-s) "
			"that goes up.");
	snprintf(list, sizeof(list), "%llu..%llu:+%llu", (unsigned long long)first,
		 (unsigned long long)last, (unsigned long long)step);
	return pario_peer_pair(job, run, "--clients", list, err);
}

#define ROW PARIO_PEER_OPTION

/* clang-format off */
static const struct pario_peer_option options[] = {
	ROW('d', "testdir", TEXT, DIFFERS, .def = ".", .with = place, .stands = "--dir",
	    .text = "the items are in a new workspace in this directory, so that nothing is overwritten."),
	ROW('a', "api", TEXT, SAME, .def = "POSIX", .with = interface),
	ROW('C', "create", FLAG, SAME, .with = choose),
	ROW('T', "stat", FLAG, SAME),
	ROW('E', "read", FLAG, SAME),
	ROW('r', "remove", FLAG, SAME),
	ROW('U', "rename", FLAG, SAME),
	ROW('D', "dirs-only", FLAG, SAME),
	ROW('F', "files-only", FLAG, SAME),
	ROW('n', "items", SIZE, SAME, .def = "0", .to = "--items @", .with = amount),
	ROW('I', "items-per-dir", SIZE, SAME, .def = "0", .to = "--items_per_directory @"),
	ROW('z', "depth", NUMBER, SAME, .def = "0", .to = "--depth @"),
	ROW('b', "branch", NUMBER, SAME, .def = "1", .to = "--branch @"),
	ROW('L', "leaf-only", FLAG, SAME, .to = "--leaf_only 1"),
	ROW('u', "unique", FLAG, SAME, .to = "--unique 1"),
	ROW('w', "write-bytes", SIZE, SAME, .def = "0", .to = "--write_bytes @"),
	ROW('e', "read-bytes", SIZE, SAME, .def = "0", .to = "--read_bytes @"),
	ROW('y', "fsync", FLAG, SAME, .to = "--fsync 1"),
	ROW('Y', "sync", FLAG, DIFFERS, .to = "--syncfs change",
	    .text = "each task makes the file system of the directory durable within the time of a phase, not all file systems of the machine."),
	ROW('N', "stride", NUMBER, DIFFERS, .def = "0", .with = shift,
	    .text = "stat, read and remove all take the items of the task so many numbers on, not once, twice and three times as many."),
	ROW('R', "random-order", FLAG, SAME, .to = "--order random"),
	ROW(0, "random-seed", NUMBER, SAME, .def = "0", .to = "--seed @"),
	ROW('G', "buffer-seed", NUMBER, SAME, .def = "-1", .to = "--seed @"),
	ROW('i', "iterations", NUMBER, SAME, .def = "1", .always = true, .to = "--repetitions @"),
	ROW('p', "pre-delay", NUMBER, DIFFERS, .def = "0", .to = "--pause @",
	    .text = "the pause is between the iterations, and there is none before the first."),
	ROW('W', "stonewall", NUMBER, DIFFERS, .def = "0", .with = stonewall,
	    .text = "the limit holds for every phase that can be cut short, not for the creation of files alone; slow tasks may go on for 1000 times the limit at most."),
	ROW('f', "first", NUMBER, SAME, .def = "0", .with = counts),
	ROW('l', "last", NUMBER, SAME, .def = "0"),
	ROW('s', "step", NUMBER, SAME, .def = "1"),
	ROW('c', "collective", FLAG, DIFFERS,
	    .text = "one task makes a shared tree anyway; with -u each task makes its own."),
	ROW('t', "time-unique", FLAG, DIFFERS,
	    .text = "directories are opened before the clock starts and kept open, so there is nothing to add."),
	ROW('X', "verify-read", FLAG, SAME),
	ROW(0, "verify-write", FLAG, SAME),
	ROW('P', "print-rate-and-time", FLAG, SAME),
	ROW('Z', "print-time", FLAG, SAME),
	ROW('v', "verbose", FLAG, DIFFERS,
	    .text = "there is one level of detail; the journal and the page hold everything."),
	ROW('V', "verbosity", NUMBER, DIFFERS, .def = "0",
	    .text = "there is one level of detail; the journal and the page hold everything."),
	ROW(0, "dataPacketType", TEXT, DIFFERS, .def = "i",
	    .text = "data are always incompressible and different in every file."),
	ROW(0, "warningAsErrors", FLAG, DIFFERS,
	    .text = "an operation that fails makes its phase fail anyway."),
	ROW(0, "print-all-procs", FLAG, DIFFERS,
	    .text = "what each client did is in the journal (detail) and on the page."),
	ROW(0, "showRankStatistics", FLAG, DIFFERS,
	    .text = "what each client did is in the journal (detail) and on the page."),

	ROW('B', "no-barriers", FLAG, REFUSED,
	    .text = "a rate needs all tasks at the same work; phases are always apart."),
	ROW('S', "shared-file", FLAG, REFUSED,
	    .text = "one file of all clients is pario run transfer --layout shared."),
	ROW('k', "mknod", FLAG, REFUSED,
	    .text = "files are made by open with O_CREAT | O_EXCL. Leave -k out."),
	ROW('x', "stonewall-status-file", TEXT, REFUSED, .def = "",
	    .text = "later phases take what the creation of the same run reached: use -C -T -E -r in one command."),
	ROW('g', "lustre-layout", FLAG, REFUSED,
	    .text = "use lfs setdirstripe on the directory; new directories take it over."),
	ROW(0, "run-cmd-before-phase", TEXT, REFUSED, .def = "",
	    .text = "--drop_caches 1 behind -- empties the caches before cold phases (root)."),
	ROW(0, "run-cmd-after-phase", TEXT, REFUSED, .def = "",
	    .text = "no command runs within a measurement."),
	ROW(0, "saveRankPerformanceDetails", TEXT, REFUSED, .def = "",
	    .text = "what each client did is in the journal (detail) and on the page."),
	ROW(0, "savePerOpDataCSV", TEXT, REFUSED, .def = "",
	    .text = "single calls are recorded by pario trace, and the histogram of all is in the journal."),
	ROW(0, "posix.odirect", FLAG, REFUSED,
	    .text = "direct I/O is pario run transfer --direct 1 and pario run smallfiles."),
	ROW(0, "posix.lustre.stripecount", NUMBER, SAME, .def = "0", .to = "--stripe_count @"),
	ROW(0, "posix.lustre.stripesize", SIZE, SAME, .def = "0", .to = "--stripe_size @"),
	ROW(0, "allocateBufferOnGPU", NUMBER, REFUSED, .def = "0",
	    .text = "buffers are in the host's memory."),
	ROW(0, "GPUid", NUMBER, REFUSED, .def = "-1",
	    .text = "buffers are in the host's memory."),
	ROW(0, "gpuDirect", FLAG, REFUSED,
	    .text = "buffers are in the host's memory."),
	{ 0 },
};
/* clang-format on */

const struct pario_peer pario_mdtest = {
	.name = "mdtest", .test = "metadata", .makes_dir = true, .options = options
};

int pario_mdtest_command(struct pario_peer_job *job, int argc, char *const *argv,
			 struct pario_err *err)
{
	if (pario_peer_init(job, &pario_mdtest, err) < 0 ||
	    pario_peer_argv(job, argc, argv, 0, err) < 0)
		return -1;
	return pario_peer_translate(job, err);
}
