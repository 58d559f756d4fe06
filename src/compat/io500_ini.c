/*
 * io500_ini: io500.ini, read by the reader of plan files: every section is a table of options, all of them strings,
 * since a key without a value means the default.
 */
#include "compat/io500.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/options.h"
#include "base/units.h"

enum { STONEWALL_S = 300, STUDENT_STONEWALL_S = 30, RANDOM_SIZE = 4096, SECTION = 64 };

const char *const pario_io500_sets[] = { "ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard",
					 "find" };

struct global {
	char datadir[1024], resultdir[1024], dated_data[16], dated_results[16], api[256], drop[16],
		drop_command[512], gpu[16], verbosity[16], scc[16], packets[32], allocate[16],
		deps[1024];
};

struct debug {
	char stonewall[16], pause[1024];
};

/* Of all phases and sets: what a section does not have, nobody sets. */
struct part {
	char api[256], run[16], verbosity[16], transfer[32], block[32], file_per_process[16],
		unique[16], segments[32], collective[16], n[32], per_directory[32], script[1024],
		mpi_arguments[512], arguments[512], nproc[16], queue[32], steal[16], hashing[16],
		command[512], random_prefill[32], noio[16], bench[32], precreate[32], waiting[32];
};

#define TEXT(type_, field_, name_)                                                          \
	PARIO_OPTION_NAMED(type_, field_, name_, .def = "", .flags = PARIO_OPTION_NO_SWEEP, \
			   .help = "")
#define COMMON                                                        \
	TEXT(struct part, api, "API"), TEXT(struct part, run, "run"), \
		TEXT(struct part, verbosity, "verbosity")

#define SEARCH                                                                                     \
	TEXT(struct part, script, "external-script"),                                              \
		TEXT(struct part, mpi_arguments, "external-mpi-args"),                             \
		TEXT(struct part, arguments, "external-extra-args"),                               \
		TEXT(struct part, nproc, "nproc"), TEXT(struct part, queue, "pfind-queue-length"), \
		TEXT(struct part, steal, "pfind-steal-next"),                                      \
		TEXT(struct part, hashing, "pfind-parallelize-single-dir-access-using-hashing")

static const struct pario_option global_rows[] = {
	TEXT(struct global, datadir, "datadir"),
	TEXT(struct global, dated_data, "timestamp-datadir"),
	TEXT(struct global, resultdir, "resultdir"),
	TEXT(struct global, dated_results, "timestamp-resultdir"),
	TEXT(struct global, api, "api"),
	TEXT(struct global, drop, "drop-caches"),
	TEXT(struct global, drop_command, "drop-caches-cmd"),
	TEXT(struct global, gpu, "io-buffers-on-gpu"),
	TEXT(struct global, allocate, "allocateBufferDevice"),
	TEXT(struct global, verbosity, "verbosity"),
	TEXT(struct global, scc, "scc"),
	TEXT(struct global, packets, "dataPacketType"),
	TEXT(struct global, deps, "workdir"),
	{ 0 },
};

static const struct pario_option debug_rows[] = {
	TEXT(struct debug, stonewall, "stonewall-time"),
	TEXT(struct debug, pause, "pause-dir"),
	{ 0 },
};

static const struct pario_option easy_rows[] = {
	COMMON,
	TEXT(struct part, transfer, "transferSize"),
	TEXT(struct part, block, "blockSize"),
	TEXT(struct part, file_per_process, "filePerProc"),
	TEXT(struct part, unique, "uniqueDir"),
	{ 0 },
};

static const struct pario_option hard_rows[] = {
	COMMON,
	TEXT(struct part, segments, "segmentCount"),
	TEXT(struct part, collective, "collective"),
	{ 0 },
};

static const struct pario_option mdtest_rows[] = {
	COMMON,
	TEXT(struct part, n, "n"),
	TEXT(struct part, per_directory, "files-per-dir"),
	{ 0 },
};

static const struct pario_option find_rows[] = {
	COMMON,
	SEARCH,
	{ 0 },
};

/* Phases of the sets, and those that only the extended mode has or that have no score. */
static const struct pario_option phase_rows[] = {
	COMMON,
	TEXT(struct part, collective, "collective"),
	TEXT(struct part, transfer, "transferSize"),
	TEXT(struct part, block, "blockSize"),
	TEXT(struct part, segments, "segmentCount"),
	TEXT(struct part, random_prefill, "randomPrefill"),
	TEXT(struct part, bench, "files-per-proc"),
	TEXT(struct part, precreate, "precreate-per-set"),
	TEXT(struct part, waiting, "waiting-time"),
	SEARCH,
	{ 0 },
};

/* The first are the sets, in their order; then the phases, in theirs; the rest is accepted and not run. */
static const struct {
	const char *name;
	const struct pario_option *rows;
} sections[] = {
	{ "ior-easy", easy_rows },
	{ "ior-hard", hard_rows },
	{ "mdtest-easy", mdtest_rows },
	{ "mdtest-hard", mdtest_rows },
	{ "find", find_rows },
	{ "ior-easy-write", phase_rows },
	{ "mdtest-easy-write", phase_rows },
	{ "ior-hard-write", phase_rows },
	{ "mdtest-hard-write", phase_rows },
	{ "find", find_rows },
	{ "ior-easy-read", phase_rows },
	{ "mdtest-easy-stat", phase_rows },
	{ "ior-hard-read", phase_rows },
	{ "mdtest-hard-stat", phase_rows },
	{ "mdtest-easy-delete", phase_rows },
	{ "mdtest-hard-read", phase_rows },
	{ "mdtest-hard-delete", phase_rows },
	{ "ior-rnd4K-easy-read", phase_rows },
	{ "timestamp", phase_rows },
	{ "ior-rnd4K", phase_rows },
	{ "ior-rnd1MB", phase_rows },
	{ "ior-rnd1MB-write", phase_rows },
	{ "ior-rnd1MB-read", phase_rows },
	{ "ior-rnd4K-write", phase_rows },
	{ "ior-rnd4K-read", phase_rows },
	{ "mdworkbench", phase_rows },
	{ "mdworkbench-create", phase_rows },
	{ "mdworkbench-bench", phase_rows },
	{ "mdworkbench-delete", phase_rows },
	{ "find-easy", phase_rows },
	{ "find-hard", phase_rows },
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

struct ini {
	struct global global;
	struct debug debug;
	struct part parts[SECTIONS];
};

static int read_section(const char *path, const char *text, size_t length, const char *name,
			const struct pario_option *rows, size_t size, void *to,
			struct pario_err *err)
{
	const struct pario_table table = { .title = name, .rows = rows, .size = size };
	struct pario_config config;
	int status = pario_config_init(&config, &table, 1, err);

	if (status == 0)
		status = pario_config_plan(&config, path, text, length, name, err);
	if (status == 0)
		status = pario_config_point(&config, 0, &to, err);
	pario_config_release(&config);
	return status;
}

static int unknown_section(const char *path, unsigned line, const char *name, struct pario_err *err)
{
	const char *names[SECTIONS + 2], *near;

	for (size_t i = 0; i < SECTIONS; i++)
		names[i] = sections[i].name;
	names[SECTIONS] = "global";
	names[SECTIONS + 1] = "debug";
	near = pario_text_nearest(name, names, SECTIONS + 2);
	return pario_text_unknown(err, near, "[]", NULL, "%s:%u: IO500 has no section [%s]", path,
				  line, name);
}

static bool known(const char *name)
{
	if (strcmp(name, "global") == 0 || strcmp(name, "debug") == 0)
		return true;
	for (size_t i = 0; i < SECTIONS; i++) {
		if (strcmp(sections[i].name, name) == 0)
			return true;
	}
	return false;
}

/* The reader skips sections of others; here there are none. Keys stand in a section. */
static int check_sections(const char *path, const char *text, size_t length, struct pario_err *err)
{
	const char *end = text + length;
	bool inside = false;
	unsigned number = 0;

	for (const char *line = text; line < end;) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t left = (size_t)((next ? next : end) - line), blanks = 0, size;
		char name[SECTION];

		number++;
		while (blanks < left && strchr(" \t\r", line[blanks]))
			blanks++;
		size = left - blanks;
		if (size && line[blanks] == '[') {
			const char *close = memchr(line + blanks, ']', size);

			snprintf(name, sizeof(name), "%.*s",
				 close ? (int)(close - line - (long)blanks - 1) : (int)size - 1,
				 line + blanks + 1);
			if (!known(name))
				return unknown_section(path, number, name, err);
			inside = true;
		} else if (size && !inside && !strchr("#;", line[blanks])) {
			return pario_err_set(
				err, PARIO_USAGE,
				"%s:%u: a key before the first section, which nothing of "
				"IO500 takes.",
				path, number);
		}
		line += left + 1;
	}
	return 0;
}

static int read_all(struct ini *ini, const char *path, const char *text, size_t length,
		    struct pario_err *err)
{
	if (check_sections(path, text, length, err) < 0 ||
	    read_section(path, text, length, "global", global_rows, sizeof(ini->global),
			 &ini->global, err) < 0 ||
	    read_section(path, text, length, "debug", debug_rows, sizeof(ini->debug), &ini->debug,
			 err) < 0)
		return -1;
	for (size_t i = 0; i < SECTIONS; i++) {
		if (read_section(path, text, length, sections[i].name, sections[i].rows,
				 sizeof(struct part), &ini->parts[i], err) < 0)
			return -1;
	}
	return 0;
}

/* TRUE, FALSE, 1, 0; nothing = the default. */
static bool truth(const char *text, bool def)
{
	if (!*text)
		return def;
	return strcasecmp(text, "TRUE") == 0 || strcmp(text, "1") == 0;
}

static const char * or (const char *text, const char *def)
{
	return *text ? text : def;
}

static void invalid(struct pario_io500 *io500, const char *sentence)
{
	pario_text_add(&io500->invalid, "%s\n", sentence);
}

/* "POSIX", "MPIIO", "POSIX --posix.odirect": of a phase, of its set, or of all. */
static int interface(const struct ini *ini, enum pario_io500_set set, struct pario_text *out,
		     struct pario_err *err)
{
	const char *text = or (ini->parts[set].api, or (ini->global.api, "POSIX"));
	char copy[256], *rest = copy, *word;
	bool md = set >= PARIO_IO500_MD_EASY;

	snprintf(copy, sizeof(copy), "%s", text);
	word = pario_text_word(&rest, " ");
	if (!md && word && strcasecmp(word, "MPIIO") == 0)
		pario_text_add(out, " api=mpiio");
	else if (word && strcasecmp(word, "POSIX") != 0)
		return pario_err_set(err, PARIO_USAGE,
				     "[%s] asks for the interface %.100s; pario has POSIX%s here.",
				     pario_io500_sets[set], word, md ? "" : " and MPIIO");
	while ((word = pario_text_word(&rest, " "))) {
		if (md || strcmp(word, "--posix.odirect") != 0)
			return pario_err_set(
				err, PARIO_USAGE,
				"[%s] passes %.100s to the interface, which pario does not have.",
				pario_io500_sets[set], word);
		pario_text_add(out, " direct=1");
	}
	return 0;
}

static int refuse(const struct ini *ini, struct pario_err *err)
{
	const struct part *easy = &ini->parts[PARIO_IO500_EASY];
	const struct part *find = &ini->parts[PARIO_IO500_SEARCH];

	if (truth(easy->unique, false))
		return pario_err_set(
			err, PARIO_USAGE,
			"[ior-easy] uniqueDir: pario keeps the files of all clients in one "
			"directory. Leave it out.");
	if (*find->script || *find->nproc)
		return pario_err_set(
			err, PARIO_USAGE,
			"[find] external-script and nproc: pario searches with its own find "
			"on all clients. Leave them out.");
	if (truth(ini->global.gpu, false))
		return pario_err_set(
			err, PARIO_USAGE,
			"[global] io-buffers-on-gpu: buffers are in the host's memory.");
	if (truth(ini->global.drop, false) && *ini->global.drop_command &&
	    !strstr(ini->global.drop_command, "drop_caches"))
		return pario_err_set(
			err, PARIO_USAGE,
			"[global] drop-caches-cmd: pario drops the caches itself (as root) and "
			"runs no command. Leave it out.");
	return 0;
}

static int sizes(struct pario_io500 *io500, const struct ini *ini, struct pario_err *err)
{
	const struct part *easy = &ini->parts[PARIO_IO500_EASY];
	const struct part *hard = &ini->parts[PARIO_IO500_HARD];
	struct pario_text *o = io500->options;

	pario_text_add(&o[PARIO_IO500_EASY],
		       "layout=%s transfer_size=%s block_size=%s operations=write,read%s verify=0",
		       truth(easy->file_per_process, true) ? "per_client" : "shared",
		       or (easy->transfer, "2m"), or (easy->block, "9920000m"),
		       io500->runs[PARIO_IO500_RANDOM] ? ",random_read random_size=4k" : "");
	pario_text_add(&o[PARIO_IO500_HARD],
		       "layout=shared transfer_size=47008 block_size=47008 segment_count=%s "
		       "operations=write,read verify=0%s",
		       or (hard->segments, "10000000"),
		       truth(hard->collective, false) ? " collective=1" : "");
	pario_text_add(&o[PARIO_IO500_MD_EASY],
		       "phases=file_create,file_stat,file_remove items=%s unique=1 leaf_only=1 "
		       "syncfs=create verify=0",
		       or (ini->parts[PARIO_IO500_MD_EASY].n, "1000000"));
	pario_text_add(
		&o[PARIO_IO500_MD_HARD],
		"phases=file_create,file_stat,file_read,file_remove items=%s write_bytes=3901 "
		"read_bytes=3901 syncfs=create verify=0",
		or (ini->parts[PARIO_IO500_MD_HARD].n, "1000000"));
	pario_text_add(&o[PARIO_IO500_SEARCH], "name=*01* size=3901");
	for (unsigned set = 0; set < PARIO_IO500_SEARCH; set++) {
		if (interface(ini, (enum pario_io500_set)set, &o[set], err) < 0)
			return -1;
	}
	return 0;
}

/* Can the transfers of ior-easy be read in pieces of 4 KiB? */
static bool pieces_fit(const struct ini *ini)
{
	const char *text = or (ini->parts[PARIO_IO500_EASY].transfer, "2m");
	struct pario_err err = { 0 };
	uint64_t size = 0;

	return pario_units_parse_size("", text, &size, &err) == 0 && size % RANDOM_SIZE == 0;
}

static void choose(struct pario_io500 *io500, const struct ini *ini)
{
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		const struct part *set = &ini->parts[pario_io500_steps[i].set];
		const struct part *phase = &ini->parts[PARIO_IO500_SETS + i];

		io500->runs[i] = truth(phase->run, truth(set->run, true));
	}
	if (!pieces_fit(ini))
		io500->runs[PARIO_IO500_RANDOM] = false;
}

static int limits(struct pario_io500 *io500, const struct ini *ini, double stonewall,
		  struct pario_err *err)
{
	double rule = truth(ini->global.scc, false) ? STUDENT_STONEWALL_S : STONEWALL_S;
	char text[128];

	io500->stonewall = rule;
	if (*ini->debug.stonewall &&
	    pario_units_parse_real("[debug] stonewall-time", ini->debug.stonewall,
				   &io500->stonewall, err) < 0)
		return -1;
	if (stonewall > 0)
		io500->stonewall = stonewall;
	if (io500->stonewall < rule || io500->stonewall > rule) {
		snprintf(text, sizeof(text), "stonewall-time is %g s instead of %g s",
			 io500->stonewall, rule);
		invalid(io500, text);
	}
	if (*ini->debug.pause)
		invalid(io500, "pause-dir is set; pario makes no pauses");
	if (*ini->parts[PARIO_IO500_MD_EASY].per_directory ||
	    *ini->parts[PARIO_IO500_MD_HARD].per_directory)
		invalid(io500,
			"files-per-dir is set; pario puts all files of a task into one directory");
	return 0;
}

int pario_io500_configure(struct pario_io500 *io500, const char *path, const char *text,
			  size_t length, double stonewall, struct pario_err *err)
{
	struct ini *ini = calloc(1, sizeof(*ini));
	int status = 0;

	memset(io500, 0, sizeof(*io500));
	if (!ini)
		return pario_err_memory(err, "%s", path);
	if (text)
		status = read_all(ini, path, text, length, err);
	if (status == 0)
		status = refuse(ini, err);
	choose(io500, ini);
	if (status == 0)
		status = sizes(io500, ini, err);
	if (status == 0)
		status = limits(io500, ini, stonewall, err);
	io500->drop_caches = truth(ini->global.drop, false);
	io500->dated_results = truth(ini->global.dated_results, true);
	snprintf(io500->datadir, sizeof(io500->datadir), "%s", ini->global.datadir);
	snprintf(io500->resultdir, sizeof(io500->resultdir), "%s", ini->global.resultdir);
	free(ini);
	return status;
}

void pario_io500_release(struct pario_io500 *io500)
{
	for (unsigned i = 0; i < PARIO_IO500_SETS; i++)
		pario_text_release(&io500->options[i]);
	pario_text_release(&io500->invalid);
}
