/*
 * ior_options: the options of IOR, 4.x and before, and what each becomes.
 */
#include "compat/ior.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/input.h"

enum { FILE_MIB = 1 };

static bool writes(const struct pario_peer_job *job, const struct pario_peer_run *run)
{
	bool told = pario_peer_on(job, run, "writeFile") || pario_peer_on(job, run, "readFile") ||
		    pario_peer_on(job, run, "checkWrite") || pario_peer_on(job, run, "checkRead");

	return !told || pario_peer_on(job, run, "writeFile") ||
	       pario_peer_on(job, run, "checkWrite");
}

static bool reads(const struct pario_peer_job *job, const struct pario_peer_run *run)
{
	return !writes(job, run) || pario_peer_on(job, run, "readFile") ||
	       pario_peer_on(job, run, "checkRead") ||
	       (!pario_peer_on(job, run, "writeFile") && !pario_peer_on(job, run, "checkWrite"));
}

/* The directory of -o is where pario makes its workspace. */
static int place(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *file = pario_peer_text(job, run, "testFile");
	const char *slash = strrchr(file, '/');
	char dir[2048];

	if (strchr(file, '@'))
		return pario_err_set(
			err, PARIO_USAGE,
			"-o %.500s names several files, and pario measures one directory at a time. "
			"Use one pario ior for each.",
			file);
	if (!slash)
		return 0;
	snprintf(dir, sizeof(dir), "%.*s", slash == file ? 1 : (int)(slash - file), file);
	return pario_peer_pair(job, run, "--dir", dir, err);
}

static int queue(struct pario_peer_job *job, struct pario_peer_run *run, bool aio,
		 struct pario_err *err)
{
	if (aio)
		return pario_peer_pair(job, run, "--queue_depth",
				       pario_peer_text(job, run, "aio.max-pending"), err);
	if (!pario_peer_times(job, run, "aio.max-pending"))
		return 0;
	return pario_err_set(err, PARIO_USAGE, "aio.max-pending is the queue of -a AIO. Use both.");
}

static int interface(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	static const struct {
		const char *theirs, *ours, *difference;
	} names[] = {
		{ "POSIX", NULL, NULL },
		{ "MPIIO", "mpiio", NULL },
		{ "HDF5", "hdf5", NULL },
		{ "NCMPI", "pnetcdf", NULL },
		{ "MMAP", "mmap", NULL },
		{ "DUMMY", "null", NULL },
		{ "AIO", "uring",
		  "-a AIO: requests are queued by io_uring instead of libaio; the queue is as deep as "
		  "aio.max-pending says." },
	};
	const char *api = pario_peer_text(job, run, "api");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcasecmp(api, names[i].theirs) != 0)
			continue;
		if (names[i].difference)
			pario_peer_note(job, names[i].difference);
		if (names[i].ours && pario_peer_pair(job, run, "--api", names[i].ours, err) < 0)
			return -1;
		return queue(job, run, strcasecmp(api, "AIO") == 0, err);
	}
	return pario_err_set(
		err, PARIO_USAGE,
		"pario has no interface %.40s; it has POSIX, MPIIO, HDF5, NCMPI, MMAP, AIO (io_uring) "
		"and DUMMY (null). Where the storage is mounted, use -a POSIX.",
		api);
}

static int phases(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	bool writing = writes(job, run), reading = reads(job, run);

	if (pario_peer_on(job, run, "useExistingTestFile")) {
		if (writing)
			return pario_err_set(
				err, PARIO_USAGE,
				"-E with -w would write into a file of yours, which pario never does. Use "
				"-r -E to read it, or leave -E out: pario writes a new file beside it.");
		return pario_peer_pair(job, run, "--operations", "read", err) < 0
			       ? -1
			       : pario_peer_pair(job, run, "--filename",
						 pario_peer_text(job, run, "testFile"), err);
	}
	if (!writing)
		pario_peer_note(
			job,
			"-r without -w: pario writes the data first, untimed, and reads them; -r -E "
			"reads the file of -o as it is.");
	if (writing && reading)
		return 0;
	return pario_peer_pair(job, run, "--operations", writing ? "write" : "read", err);
}

static int durability(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	bool synced = pario_peer_on(job, run, "fsync") || pario_peer_on(job, run, "fsyncPerWrite");

	if (synced) {
		pario_peer_note(
			job,
			"stricter than IOR with -e: a failed fsync fails the phase, and what is read was "
			"evicted from the page cache before, with proof.");
		return 0;
	}
	if (!pario_peer_on(job, run, "posix.odirect"))
		pario_peer_note(
			job,
			"without -e, as in IOR, writes may end in memory and reads may come from there. "
			"Add -e to measure storage.");
	return pario_peer_pair(job, run, "--durability", "cached", err);
}

static int checks(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	bool asked = pario_peer_on(job, run, "checkWrite") || pario_peer_on(job, run, "checkRead");

	if (pario_peer_on(job, run, "checkRead"))
		pario_peer_note(
			job,
			"-R (checkRead): everything is compared in a pass of its own, which is not "
			"timed, and the first bytes of each transfer while reading.");
	return asked ? 0 : pario_peer_pair(job, run, "--verify", "0", err);
}

static int order(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	unsigned times = pario_peer_times(job, run, "randomOffset");

	if (times == 0)
		return 0;
	if (times > 1)
		return pario_err_set(
			err, PARIO_USAGE,
			"pario has no -z -z: places drawn freely are written twice or never, and what "
			"was never written reads too fast. Use -z once (--order random), which makes "
			"every transfer once, or pario run transfer --pattern random for random sizes.");
	return pario_peer_pair(job, run, "--order", "random", err);
}

static int shift(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	if (!reads(job, run))
		return 0;
	if (pario_peer_on(job, run, "reorderTasks") ||
	    pario_peer_on(job, run, "reorderTasksRandom"))
		return 0;
	return pario_peer_pair(job, run, "--read_shift", "0", err);
}

/*
 * IOR's own way, -l timestamp, is one buffer that every write sends again; the other kinds change it between writes.
 * With a shared file pointer pario finds the transfers by their data.
 */
static int contents(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	static const char *const kinds[] = { "timestamp", "offset", "incompressible", "random" };
	const char *kind = pario_peer_text(job, run, "dataPacketType");
	bool shared = pario_peer_on(job, run, "useSharedFilePointer");
	size_t i = 0;

	while (i < 4 && strncasecmp(kind, kinds[i], *kind ? strlen(kind) : 1) != 0)
		i++;
	if (i == 4)
		return pario_err_set(
			err, PARIO_USAGE,
			"-l (dataPacketType) is timestamp, offset, incompressible or random, "
			"or the first letter of one, not '%.100s'.",
			kind);
	if (pario_peer_pair(job, run, "--reuse_buffers", "1", err) < 0)
		return -1;
	if (i > 0 || shared)
		return 0;
	pario_peer_note(
		job, "as in IOR, all writes of a task send the same bytes from one buffer, which "
		     "pario run transfer does not; -l o gives every place data of its own.");
	return pario_peer_pair(job, run, "--same_data", "1", err);
}

static int stonewall(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *seconds = pario_peer_text(job, run, "deadlineForStonewalling");
	bool wears = pario_peer_on(job, run, "stoneWallingWearOut");

	if (strcmp(seconds, "0") == 0)
		return 0;
	if (wears)
		pario_peer_note(job, "stoneWallingWearOut: slow tasks may go on for 1000 times the "
				     "deadline at most.");
	return pario_peer_pair(job, run, "--time_limit", seconds, err) < 0
		       ? -1
		       : pario_peer_pair(job, run, "--wear_out", wears ? "1000" : "0", err);
}

/* IOR counts minutes. */
static int run_limit(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	double minutes = strtod(pario_peer_text(job, run, "maxTimeDuration"), NULL);
	char seconds[40];

	if (!(minutes > 0))
		return 0;
	snprintf(seconds, sizeof(seconds), "%.10g", minutes * 60);
	return pario_peer_pair(job, run, "--run_limit", seconds, err);
}

/* A line of a hints file, or a variable: IOR_HINT__MPI__cb_nodes=4. */
static int hint(struct pario_peer_job *job, struct pario_peer_run *run, const char *text,
		struct pario_err *err)
{
	static const char mpi[] = "IOR_HINT__MPI__", gpfs[] = "IOR_HINT__GPFS__";

	if (strncmp(text, gpfs, sizeof(gpfs) - 1) == 0)
		return pario_err_set(
			err, PARIO_USAGE,
			"pario sets no hints of GPFS itself, as %.200s asks; MPI-IO's are "
			"--hint key=value.",
			text);
	if (strncmp(text, mpi, sizeof(mpi) - 1) != 0)
		return 0;
	return pario_peer_pair(job, run, "--hint", text + sizeof(mpi) - 1, err);
}

static int hint_file(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	const char *path = pario_peer_text(job, run, "mpiio.hintsFileName");
	char line[1024];
	int status = 0;
	FILE *file;

	if (!path || !*path)
		return 0;
	file = pario_input_stream(path, "the hints file", err);
	if (!file)
		return -1;
	while (status == 0 && fgets(line, sizeof(line), file)) {
		char *text = line + strspn(line, " \t");

		text[strcspn(text, " \t\r\n#")] = '\0';
		status = hint(job, run, text, err);
	}
	fclose(file);
	return status;
}

#define ROW PARIO_PEER_OPTION

/* clang-format off */
static const struct pario_peer_option options[] = {
	ROW('o', "testFile", TEXT, DIFFERS, .def = "testFile", .with = place, .stands = "--dir",
	    .text = "the data are in a new workspace in the directory of this name, so that nothing is overwritten; with -k the journal lists the paths."),
	ROW('a', "api", TEXT, SAME, .def = "POSIX", .with = interface),
	ROW('w', "writeFile", FLAG, SAME, .with = phases),
	ROW('r', "readFile", FLAG, SAME),
	ROW('W', "checkWrite", FLAG, SAME, .with = checks),
	ROW('R', "checkRead", FLAG, SAME),
	ROW('E', "useExistingTestFile", FLAG, SAME),
	ROW('F', "filePerProc", FLAG, SAME, .to = "--layout per_client"),
	ROW('t', "transferSize", SIZE, SAME, .def = "256k", .always = true, .to = "--transfer_size @"),
	ROW('b', "blockSize", SIZE, SAME, .def = "1m", .always = true, .to = "--block_size @"),
	ROW('s', "segmentCount", NUMBER, SAME, .def = "1", .to = "--segment_count @"),
	ROW('z', "randomOffset", FLAG, SAME, .with = order),
	ROW('c', "collective", FLAG, SAME, .to = "--collective 1"),
	ROW('e', "fsync", FLAG, SAME, .with = durability),
	ROW('Y', "fsyncPerWrite", FLAG, DIFFERS, .to = "--sync 1",
	    .text = "every write is durable when it returns by O_SYNC instead of a call of fsync after it."),
	ROW('C', "reorderTasks", FLAG, DIFFERS, .alias = "reorderTasksConstant", .with = shift,
	    .text = "every task reads what a task of another node wrote, found from where the tasks really run; on one node, the next task's."),
	ROW('Q', "taskPerNodeOffset", NUMBER, DIFFERS, .def = "1",
	    .text = "how many nodes on is not chosen: the data come from another node, and pario run transfer --read_shift N names a task."),
	ROW('Z', "reorderTasksRandom", FLAG, DIFFERS,
	    .text = "tasks read the data of another node one to one, not at random: a random choice lets two tasks read the same, which one of them finds cached."),
	ROW('X', "reorderTasksRandomSeed", NUMBER, DIFFERS, .def = "0",
	    .text = "nothing is drawn for -Z, so it needs no seed."),
	ROW('i', "repetitions", NUMBER, SAME, .def = "1", .always = true, .to = "--repetitions @"),
	ROW('d', "interTestDelay", NUMBER, SAME, .def = "0", .to = "--pause @"),
	ROW('T', "maxTimeDuration", NUMBER, SAME, .def = "0", .with = run_limit,
	    .text = "no repetition begins after so many minutes (--run_limit, in seconds)."),
	ROW('D', "deadlineForStonewalling", NUMBER, SAME, .def = "0", .with = stonewall),
	ROW(0, "stoneWallingWearOut", FLAG, SAME),
	ROW('k', "keepFile", FLAG, SAME, .to = "--keep_files 1"),
	ROW('K', "keepFileWithError", FLAG, DIFFERS, .to = "--keep_files 1",
	    .text = "files are kept always, not only after an error."),
	ROW('m', "multiFile", FLAG, DIFFERS,
	    .text = "every repetition writes a new file anyway, and only the last one's are kept by -k."),
	ROW('g', "intraTestBarriers", FLAG, DIFFERS,
	    .text = "all tasks start at a barrier before the open; none follows between open, transfers and close, whose times are each task's own."),
	ROW('N', "numTasks", NUMBER, SAME, .def = "-1", .to = "--clients @"),
	ROW('G', "setTimeStampSignature", NUMBER, SAME, .alias = "incompressibleSeed", .def = "0", .to = "--seed @"),
	ROW(0, "random-offset-seed", NUMBER, SAME, .def = "-1", .to = "--seed @"),
	ROW('l', "dataPacketType", TEXT, DIFFERS, .def = "t", .with = contents,
	    .text = "the data of o, i and r are alike here: incompressible, different at every place, so that a misplaced block is found."),
	ROW('A', "refNum", NUMBER, SAME, .def = "0", .to = "--label @"),
	ROW('v', "verbose", FLAG, DIFFERS,
	    .text = "there is one level of detail; the journal and the page hold everything."),
	ROW('f', "scriptFile", TEXT, SAME),
	ROW('j', "outlierThreshold", NUMBER, DIFFERS, .def = "0",
	    .text = "the slowest and the fastest task are part of every result, whatever the threshold."),
	ROW(0, "posix.odirect", FLAG, SAME, .alias = "useO_DIRECT", .to = "--direct 1"),
	ROW('B', "odirect", FLAG, SAME, .to = "--direct 1"),
	ROW('p', "preallocate", FLAG, SAME, .alias = "mpiio.preallocate", .to = "--preallocate 1"),
	ROW('P', "useSharedFilePointer", FLAG, SAME, .to = "--pointer shared"),
	ROW('V', "mpiio.useFileView", FLAG, SAME, .alias = "useFileView", .to = "--file_view 1"),
	ROW('H', "mpiio.showHints", FLAG, DIFFERS, .alias = "showHints",
	    .text = "the hints that were asked for and those in effect are always in the journal."),
	ROW('U', "mpiio.hintsFileName", TEXT, SAME, .alias = "hintsFileName", .with = hint_file),
	ROW('J', "hdf5.setAlignment", SIZE, SAME, .alias = "setAlignment", .def = "1", .to = "--hdf5_alignment @"),
	ROW(0, "hdf5.collectiveMetadata", FLAG, SAME, .alias = "collectiveMetadata", .to = "--hdf5_collective_metadata 1"),
	ROW(0, "aio.max-pending", NUMBER, SAME, .def = "128"),
	ROW(0, "posix.lustre.stripecount", NUMBER, SAME, .alias = "lustreStripeCount", .def = "0", .to = "--stripe_count @"),
	ROW(0, "posix.lustre.stripesize", SIZE, SAME, .alias = "lustreStripeSize", .def = "0", .to = "--stripe_size @"),
	ROW(0, "dryRun", FLAG, SAME, .to = "--dry_run 1"),
	ROW(0, "warningAsErrors", FLAG, DIFFERS,
	    .text = "what IOR warns of, a failed fsync or short transfers that do not go on, is an error here anyway."),
	ROW('q', "quitOnError", FLAG, DIFFERS,
	    .text = "a point that fails ends and has no number; wrong data end the run."),
	ROW(0, "summaryFile", TEXT, SAME),
	ROW(0, "summaryFormat", TEXT, SAME, .def = "default"),
	ROW(0, "summaryAlways", FLAG, SAME),
	ROW(0, "numNodes", NUMBER, DIFFERS, .def = "-1",
	    .text = "nodes are counted, not told."),
	ROW(0, "numTasksOnNode0", NUMBER, DIFFERS, .def = "-1",
	    .text = "where tasks run is asked, not told."),
	ROW(0, "nodes", NUMBER, DIFFERS, .def = "-1",
	    .text = "nodes are counted, not told."),

	ROW('u', "uniqueDir", FLAG, REFUSED,
	    .text = "all files of transfer are in one directory. pario run smallfiles gives each client a directory, and so does pario run metadata --unique 1."),
	ROW('x', "singleXferAttempt", FLAG, REFUSED,
	    .text = "a transfer that moves only a part goes on with the rest. Leave -x out."),
	ROW('y', "dualMount", FLAG, REFUSED,
	    .text = "one directory is measured at a time. Name the second mount with another run's -o."),
	ROW('M', "memoryPerNode", TEXT, REFUSED, .def = "0",
	    .text = "instead of filling memory, pario evicts the file before it is read and proves that nothing is cached; use -e."),
	ROW(0, "memoryPerTask", SIZE, REFUSED, .def = "0",
	    .text = "instead of filling memory, pario evicts the file before it is read and proves that nothing is cached; use -e."),
	ROW('I', "individualDataSets", FLAG, REFUSED,
	    .text = "HDF5 files hold one data set. Leave -I out."),
	ROW('n', "noFill", FLAG, REFUSED, .alias = "hdf5.noFill",
	    .text = "HDF5 data sets are written whole, so nothing is filled twice. Leave it out."),
	ROW(0, "hdf5.chunkSize", SIZE, REFUSED, .alias = "chunk_size", .def = "0",
	    .text = "HDF5 data sets are contiguous. Leave it out, or use pario run noncontig_array."),
	ROW('S', "mpiio.useStridedDatatype", FLAG, REFUSED, .alias = "useStridedDatatype",
	    .text = "strides within one call are pario run noncontig (--type vector and others)."),
	ROW(0, "storeFileOffset", FLAG, REFUSED,
	    .text = "data belong to their place anyway, and are checked by -W and -R."),
	ROW(0, "interIODelay", NUMBER, REFUSED, .def = "0",
	    .text = "computing between transfers is pario run overlap."),
	ROW(0, "minTimeDuration", NUMBER, REFUSED, .def = "0",
	    .text = "reading the beginning again finds it cached. Use a larger -b or -s with -D (--time_limit)."),
	ROW(0, "stoneWallingWearOutIterations", NUMBER, REFUSED, .def = "0",
	    .text = "wear-out goes to what the fastest task reached. Leave it out."),
	ROW(0, "stoneWallingStatusFile", TEXT, REFUSED, .def = "",
	    .text = "reads take what the writes of the same run reached: use -w -r in one command."),
	ROW(0, "randomPrefill", SIZE, REFUSED, .def = "0",
	    .text = "--order random (-z) writes every place once, so there are no holes to fill."),
	ROW(0, "saveRankPerformanceDetailsCSV", TEXT, REFUSED, .def = "",
	    .text = "what each client did is in the journal (detail) and on the page."),
	ROW(0, "savePerOpDataCSV", TEXT, REFUSED, .def = "",
	    .text = "single calls are recorded by pario trace, and the histogram of all is in the journal."),
	ROW(0, "allocateBufferOnGPU", NUMBER, REFUSED, .def = "0",
	    .text = "buffers are in the host's memory."),
	ROW(0, "GPUid", NUMBER, REFUSED, .def = "-1",
	    .text = "buffers are in the host's memory."),
	ROW(0, "gpuDirect", FLAG, REFUSED,
	    .text = "buffers are in the host's memory."),
	ROW(0, "posix.rangelocks", FLAG, REFUSED,
	    .text = "no locks are taken around transfers."),
	ROW(0, "posix.lustre.startost", NUMBER, REFUSED, .alias = "lustreStartOST", .def = "-1",
	    .text = "use --hint start_iodevice=N behind --, for -a MPIIO, or lfs setstripe on the directory."),
	ROW(0, "posix.lustre.ignorelocks", FLAG, REFUSED, .alias = "lustreIgnoreLocks",
	    .text = "locks of the file system are always used."),
	ROW(0, "posix.lustre.pool", TEXT, REFUSED, .def = "",
	    .text = "use lfs setstripe --pool on the directory; new files take it over."),
	ROW(0, "posix.beegfs.NumTargets", NUMBER, REFUSED, .alias = "beegfsNumTargets", .def = "-1",
	    .text = "use --stripe_count N behind --."),
	ROW(0, "posix.beegfs.ChunkSize", SIZE, REFUSED, .alias = "beegfsChunkSize", .def = "-1",
	    .text = "use --stripe_size N behind --."),
	ROW(0, "posix.gpfs.hintaccess", FLAG, REFUSED, .alias = "gpfsHintAccess",
	    .text = "no hints are given to GPFS itself."),
	ROW(0, "posix.gpfs.releasetoken", FLAG, REFUSED, .alias = "gpfsReleaseToken",
	    .text = "no hints are given to GPFS itself."),
	ROW(0, "posix.gpfs.finegrainwritesharing", FLAG, REFUSED,
	    .text = "no hints are given to GPFS itself."),
	ROW(0, "posix.gpfs.finegrainreadsharing", FLAG, REFUSED,
	    .text = "no hints are given to GPFS itself."),
	ROW(0, "posix.gpfs.createsharing", FLAG, REFUSED,
	    .text = "no hints are given to GPFS itself."),
	ROW(0, "mmap.madv_dont_need", FLAG, REFUSED,
	    .text = "pages are evicted before a cold read anyway."),
	ROW(0, "mmap.madv_pattern", FLAG, REFUSED,
	    .text = "no advice is given about mapped files."),
	ROW(0, "aio.granularity", NUMBER, REFUSED, .def = "16",
	    .text = "io_uring is asked for single requests."),
	ROW(0, "dummy.delay-create", NUMBER, REFUSED, .def = "0",
	    .text = "use --delay N behind -- with -a DUMMY, for every transfer."),
	ROW(0, "dummy.delay-xfer", NUMBER, REFUSED, .def = "0",
	    .text = "use --delay N behind -- with -a DUMMY, for every transfer."),
	ROW(0, "dummy.delay-rank-0", FLAG, REFUSED,
	    .text = "use --slow_client 0 behind -- with -a DUMMY."),
	{ 0 },
};
/* clang-format on */

const struct pario_peer pario_ior = { .name = "ior", .test = "transfer", .options = options };

static int read_script(struct pario_peer_job *job, const char *path, struct pario_err *err)
{
	size_t length;
	char *text = pario_input_text(path, "the script", FILE_MIB, &length, err);
	int status;

	if (!text)
		return -1;
	status = strlen(text) < length ? pario_err_set(err, PARIO_USAGE,
						       "the script %s contains a NUL byte.", path)
				       : pario_ior_script(job, path, text, err);
	free(text);
	return status;
}

static int take_environment(struct pario_peer_job *job, char *const *environment,
			    struct pario_err *err)
{
	for (size_t i = 0; i < job->run_count; i++) {
		for (char *const *e = environment; e && *e; e++) {
			if (strncmp(*e, "IOR_HINT__", 10) == 0 &&
			    hint(job, &job->runs[i], *e, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int check_format(const struct pario_peer_job *job, struct pario_err *err)
{
	const char *format = pario_peer_text(job, &job->runs[0], "summaryFormat");

	if (strcasecmp(format, "default") == 0 || strcasecmp(format, "JSON") == 0 ||
	    strcasecmp(format, "CSV") == 0)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "summaryFormat is default, JSON or CSV, not '%.100s'.", format);
}

enum pario_ior_format pario_ior_format(const struct pario_peer_job *job)
{
	const char *format = pario_peer_text(job, &job->runs[0], "summaryFormat");

	return strcasecmp(format, "JSON") == 0	? PARIO_IOR_JSON
	       : strcasecmp(format, "CSV") == 0 ? PARIO_IOR_CSV
						: PARIO_IOR_TEXT;
}

int pario_ior_command(struct pario_peer_job *job, int argc, char *const *argv,
		      char *const *environment, struct pario_err *err)
{
	const char *script;

	if (pario_peer_init(job, &pario_ior, err) < 0 ||
	    pario_peer_argv(job, argc, argv, 'O', err) < 0)
		return -1;
	script = pario_peer_text(job, &job->runs[0], "scriptFile");
	if (script && read_script(job, script, err) < 0)
		return -1;
	if (check_format(job, err) < 0 || pario_peer_translate(job, err) < 0)
		return -1;
	return take_environment(job, environment, err);
}
