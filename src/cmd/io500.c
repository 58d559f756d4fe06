/*
 * io500: `pario io500`, the phases of IO500 as one plan on pario's engine.
 *
 * Four sets of data, each one point of transfer or metadata, whose phases take turns in IO500's order: every set keeps
 * its engine in a slot between its phases. find searches the workspace that holds all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/input.h"
#include "base/output.h"
#include "base/room.h"
#include "cmd/cmd.h"
#include "comm/launch.h"
#include "compat/io500.h"
#include "engine/watch.h"
#include "machine/machine.h"
#include "session/part.h"
#include "session/session.h"
#include "session/sink.h"
#include "tests/tests.h"

#define DEFAULT_DIR "datafiles"
#define TIMESTAMP   "timestampfile"

enum { INI_MIB = 1 };

/* After the stonewall, slow clients may go on for so many times it to reach the fastest one's amount. */
#define WEAR_OUT 1000

static const char *const tests[PARIO_IO500_SETS] = { "transfer", "transfer", "metadata", "metadata",
						     "find" };

struct params {
	double stonewall;
};

const struct pario_option pario_io500_options[] = {
	PARIO_OPTION(
		struct params, stonewall, .def = "0", .max = "86400", .unit = "seconds",
		.help = "how long each phase writes, instead of what the file says; other than 300 the run is marked as invalid"),
	{ 0 },
};

static const struct pario_test frame = {
	.name = "io500",
	.summary = "the phases of IO500",
	.question = "",
	.misleads = "",
	.options = pario_io500_options,
	.params_size = sizeof(struct params),
	.repetitions = "1",
};

struct io500 {
	struct pario_plan frame; /* the command's own options */
	struct pario_io500 config;
	struct pario_io500_score score;
	const char *place; /* as it is called, also where it is not made yet */
	struct pario_plan sets[PARIO_IO500_SETS];
	bool made[PARIO_IO500_SETS], broken[PARIO_IO500_SETS];
	char *text; /* of the file; NULL = none */
	size_t length;
};

static double stonewall_of(const struct pario_plan *plan)
{
	struct pario_err err = { 0 };
	double seconds = 0;

	pario_units_parse_real("", pario_config_find(&plan->config, "stonewall")->text, &seconds,
			       &err);
	return seconds;
}

/* Where the file says, unless the command line does. One level is made, as by IO500; what is there already is fine. */
static int set_places(struct io500 *io, struct pario_err *err)
{
	struct pario_settings *s = &io->frame.settings;
	const char *dir = *io->config.datadir ? io->config.datadir : DEFAULT_DIR;
	bool told = pario_config_find(&io->frame.config, "dir")->origin != PARIO_ORIGIN_DEFAULT;

	if (!io->place)
		io->place = told ? s->dir : dir;
	return pario_session_own_dir(&io->frame, dir, err);
}

/* Likewise for the results, which a dry run has none of. */
static int set_output(struct io500 *io, struct pario_err *err)
{
	struct pario_config *c = &io->frame.config;
	time_t now = time(NULL);
	char output[1100], label[40];
	struct tm tm;

	if (!*io->config.resultdir ||
	    pario_config_find(c, "output")->origin != PARIO_ORIGIN_DEFAULT)
		return 0;
	if (mkdir(io->config.resultdir, 0777) < 0 && errno != EEXIST)
		return pario_err_sys(err, errno, NULL, "the directory %s cannot be made",
				     io->config.resultdir);
	strftime(label, sizeof(label), "/%Y.%m.%d-%H.%M.%S", localtime_r(&now, &tm));
	snprintf(output, sizeof(output), "%s%s", io->config.resultdir,
		 io->config.dated_results ? label : "");
	return pario_config_set(c, "output", output, PARIO_ORIGIN_PLAN, err);
}

/* A file is read, a directory is where to measure; with neither it would begin to write, for long, wherever one is. */
static int take_word(struct io500 *io, const char *word, struct pario_err *err)
{
	struct pario_config *c = &io->frame.config;
	struct stat st;

	if (word && stat(word, &st) == 0 && S_ISDIR(st.st_mode))
		return pario_config_set(c, "dir", word, PARIO_ORIGIN_COMMAND, err);
	if (word) {
		io->text = pario_input_text(word, "the file", INI_MIB, &io->length, err);
		return io->text ? 0 : -1;
	}
	if (pario_config_find(c, "dir")->origin != PARIO_ORIGIN_DEFAULT)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"which directory? `pario io500 DIR` runs the phases of IO500 there as for its list, "
		"which takes an hour or so and all the space that storage can fill in it; "
		"`--stonewall 5` makes it short. `pario io500 io500.ini` does what the file says.");
}

static int prepare(struct io500 *io, int argc, char **argv, struct pario_err *err)
{
	const char *words[64] = { 0 };
	int count = 0;

	if (argc > 60)
		return pario_err_set(err, PARIO_USAGE,
				     "too many words; usage: pario io500 INI or pario io500 DIR");
	if (pario_plan_init(&io->frame, &frame, err) < 0 ||
	    pario_session_options(&io->frame, argc, argv, words, &count, err) < 0)
		return -1;
	if (count > 1)
		return pario_err_set(err, PARIO_USAGE,
				     "one file or directory at a time: got %s and %s.", words[0],
				     words[1]);
	if (*pario_config_find(&io->frame.config, "resume")->text ||
	    *pario_config_find(&io->frame.config, "until")->text)
		return pario_err_set(
			err, PARIO_USAGE,
			"the phases of IO500 run once, in one go: --resume and --until do not "
			"go with them.");
	if (take_word(io, words[0], err) < 0)
		return -1;
	return pario_io500_configure(&io->config, io->text ? words[0] : "", io->text, io->length,
				     stonewall_of(&io->frame), err);
}

/* What the command was told holds for every set. */
static int take_over(struct pario_plan *plan, const struct io500 *io, struct pario_err *err)
{
	const struct pario_setting *keep = pario_config_find(&io->frame.config, "keep_files");

	if (pario_part_hand_on(plan, &io->frame.config, err) < 0 ||
	    pario_config_set(&plan->config, "keep_files", keep->text, keep->origin, err) < 0)
		return -1;
	if (io->config.drop_caches)
		return pario_config_set(&plan->config, "drop_caches", "1", PARIO_ORIGIN_PLAN, err);
	return 0;
}

static int make_set(struct io500 *io, unsigned set, uint64_t clients, struct pario_err *err)
{
	struct pario_plan *plan = &io->sets[set];

	if (pario_plan_init(plan, pario_test_by_name(tests[set]), err) < 0)
		return -1;
	io->made[set] = true;
	if (pario_part_settings(plan, pario_text_string(&io->config.options[set]), NULL, NULL,
				err) < 0 ||
	    pario_config_set(&plan->config, "repetitions", "1", PARIO_ORIGIN_PLAN, err) < 0 ||
	    take_over(plan, io, err) < 0 || pario_plan_settle(plan, clients, err) < 0)
		return -1;
	plan->settings.seed = io->frame.settings.seed;
	return 0;
}

static int make_sets(struct io500 *io, uint64_t clients, struct pario_err *err)
{
	for (unsigned i = 0; i < PARIO_IO500_SETS; i++) {
		struct pario_bound bound = { 0 };
		int status;

		if (make_set(io, i, clients, err) < 0)
			return -1;
		status = pario_plan_bind(&io->sets[i], 0, clients, &bound, err);
		pario_bound_release(&bound);
		if (status < 0)
			return -1;
	}
	return 0;
}

static void announce(const struct io500 *io)
{
	const char *line = pario_text_string(&io->config.invalid), *end;
	char time[PARIO_UNITS_CAPACITY], space[PARIO_UNITS_CAPACITY];
	struct pario_text clean = { 0 };
	struct pario_mount mount;
	unsigned writes = 0;

	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++)
		writes += io->config.runs[i] && pario_io500_steps[i].stonewalls;
	pario_session_machine(&io->frame.settings);
	pario_text_clean(&clean, io->place);
	printf("the phases of IO500 in %s: %u of them write for %s each, as much as the storage "
	       "takes",
	       pario_text_string(&clean), writes, pario_units_time(time, io->config.stonewall));
	pario_text_release(&clean);
	if (pario_machine_mount(io->frame.settings.dir, &mount) == 0)
		printf(" (%s %s free)", pario_room_text(space, mount.free_bytes),
		       mount.free_bytes == PARIO_ROOM_UNKNOWN ? "is" : "are");
	printf(", and others read it; everything is removed afterwards\n");
	for (; (end = strchr(line, '\n')); line = end + 1)
		printf("not valid: %.*s\n", (int)(end - line), line);
	printf("\n");
	fflush(stdout);
}

static int dry(struct io500 *io, uint64_t clients, struct pario_err *err)
{
	if (make_sets(io, clients, err) < 0)
		return -1;
	announce(io);
	for (unsigned i = 0; i < PARIO_IO500_PHASES; i++) {
		const struct pario_io500_step *step = &pario_io500_steps[i];

		printf(" %-20s %s%s %s\n", step->name, io->config.runs[i] ? "" : "(not run) ",
		       tests[step->set], pario_text_string(&io->config.options[step->set]));
	}
	return 1;
}

static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct io500 *io = self;
	uint64_t clients = pario_launch_promised();
	struct pario_need need = { 0 };

	if (prepare(io, argc, argv, err) < 0)
		return -1;
	if (clients == 0 && pario_session_clients(&io->frame, &clients, err) < 0)
		return -1;
	if (pario_plan_settle(&io->frame, clients, err) < 0 || set_places(io, err) < 0 ||
	    pario_workspace_check(io->frame.settings.dir, err) < 0)
		return -1;
	if (io->frame.settings.show_config)
		return pario_session_show_config(&io->frame);
	if (io->frame.settings.dry_run)
		return dry(io, clients, err);
	return pario_session_launch(&io->frame, &need, code, err);
}

static void now(char text[32])
{
	time_t t = time(NULL);
	struct tm tm;

	strftime(text, 32, "%Y-%m-%d %H:%M:%S", localtime_r(&t, &tm));
}

/* By the clock of the file system: what is newer was made after it. */
static int make_timestamp(struct pario_session *s, struct pario_err *err)
{
	struct pario_workspace *w = &s->crew.workspace;
	int fd;

	if (pario_workspace_name(w, TIMESTAMP, err) < 0)
		return -1;
	fd = openat(w->dirfd, TIMESTAMP, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return pario_err_sys(err, errno, NULL, "%s/" TIMESTAMP " cannot be made", w->path);
	close(fd);
	return 0;
}

/* The search begins where all sets are, when they are there. */
static int aim_search(struct pario_session *s, struct io500 *io, struct pario_err *err)
{
	struct pario_config *c = &io->sets[PARIO_IO500_SEARCH].config;
	char stamp[PARIO_PATH_CAPACITY];

	snprintf(stamp, sizeof(stamp), "%s/" TIMESTAMP, s->crew.workspace.path);
	return pario_config_set(c, "path", s->crew.workspace.path, PARIO_ORIGIN_PLAN, err) < 0
		       ? -1
		       : pario_config_set(c, "newer", stamp, PARIO_ORIGIN_PLAN, err);
}

/* One phase of one set. */
static int run_step(struct pario_session *s, struct io500 *io, unsigned i, struct pario_err *err)
{
	const struct pario_io500_step *step = &pario_io500_steps[i];
	struct pario_bound bound = { 0 };
	int status;

	if (step->set == PARIO_IO500_SEARCH && aim_search(s, io, err) < 0)
		return -1;
	status = pario_plan_bind(&io->sets[step->set], 0, s->crew.world.clients, &bound, err);
	if (status == 0) {
		bound.point.index = step->set;
		snprintf(bound.name, sizeof(bound.name), "part=%s", pario_io500_sets[step->set]);
		bound.settings.time_limit =
			step->stonewalls || step->unscored ? io->config.stonewall : 0;
		bound.settings.wear_out = WEAR_OUT;
		if (step->set != PARIO_IO500_SEARCH) {
			bound.settings.slot = step->set + 1;
			bound.settings.first_phase = step->phase;
			bound.settings.end_phase = step->phase + 1;
		}
		status = pario_session_point(s, &bound, NULL, err);
	}
	pario_bound_release(&bound);
	return status;
}

static void say(const struct pario_session *s, const struct pario_text *text)
{
	if (s->quiet || s->json)
		return;
	fputs(pario_text_string(text), stdout);
	fflush(stdout);
}

static int measure(struct pario_session *s, struct io500 *io, unsigned i, struct pario_err *err)
{
	const struct pario_io500_step *step = &pario_io500_steps[i];
	struct pario_text line = { 0 };
	size_t had = s->result_count;

	if (i == PARIO_IO500_HARD_WRITE && make_timestamp(s, err) < 0)
		return -1;
	/* What a phase needs was not made, or is wrong. */
	if (!io->config.runs[i] || io->broken[step->set]) {
		io->broken[step->set] |= step->phase == 0;
		return 0;
	}
	now(io->score.began[i]);
	if (run_step(s, io, i, err) < 0)
		return -1;
	now(io->score.ended[i]);
	if (s->result_count == had)
		return 0;
	pario_io500_take(&io->config, &io->score, i, &s->results[s->result_count - 1]);
	io->broken[step->set] = !(io->score.score[i] > 0);
	pario_sink_clear_progress(s);
	pario_io500_line(&io->score, i, &line);
	say(s, &line);
	pario_text_release(&line);
	return 0;
}

static int write_file(const struct pario_session *s, const char *name,
		      const struct pario_text *text, struct pario_err *err)
{
	const struct pario_output_rule rule = { .fresh = true };

	return pario_output_text(s->dirfd, name, &rule, text, err);
}

static int write_files(struct pario_session *s, struct io500 *io, struct pario_err *err)
{
	struct pario_text result = { 0 }, summary = { 0 }, config = { 0 };
	int status;

	pario_io500_result(&io->config, &io->score, &result);
	pario_io500_summary(&io->config, &io->score, &summary);
	status = write_file(s, "result.txt", &result, err);
	if (status == 0)
		status = write_file(s, "result_summary.txt", &summary, err);
	if (status == 0 && io->text) {
		pario_text_bytes(&config, io->text, io->length);
		status = write_file(s, "config-orig.ini", &config, err);
	}
	pario_text_release(&config);
	pario_text_release(&summary);
	pario_text_release(&result);
	return status;
}

/* The score, why it is not valid, and what IO500 does not tell. */
static int conclude(struct pario_session *s, struct io500 *io, struct pario_err *err)
{
	struct pario_text out = { 0 };
	const char *line, *end;

	io->score.procs = s->crew.world.clients;
	io->score.directory = s->directory;
	pario_io500_total(&io->config, &io->score);
	if (io->config.invalid.length && s->code == 0)
		s->code = PARIO_INVALID;
	pario_io500_score_line(&io->config, &io->score, &out);
	line = pario_text_string(&io->config.invalid);
	for (; (end = strchr(line, '\n')); line = end + 1) {
		char reason[1200];

		snprintf(reason, sizeof(reason), "not valid by the rules of IO500: %.*s",
			 (int)(end - line), line);
		s->sink.note(&s->sink, "info", reason, "");
		pario_text_add(&out, " %s\n", reason);
	}
	pario_text_add(&out, "\n");
	pario_io500_proofs(&io->score, &out);
	pario_text_add(&out, "\n");
	say(s, &out);
	pario_text_release(&out);
	pario_sink_tables(s);
	return write_files(s, io, err);
}

static void lead(struct pario_session *s, void *self)
{
	struct io500 *io = self;
	struct pario_err err = { 0 };
	int status = set_output(io, &err);

	if (status == 0)
		status = pario_plan_settle(&io->frame, s->crew.world.clients, &err);
	if (status == 0 && io->frame.settings.seed == 0)
		io->frame.settings.seed = pario_random_seed() >> 1;
	if (status == 0)
		status = make_sets(io, s->crew.world.clients, &err);
	if (status == 0) {
		s->command = "io500";
		s->collects = s->once = true;
		s->planned = PARIO_IO500_PHASES;
		if (!io->frame.settings.quiet && !io->frame.settings.json)
			announce(io);
		status = pario_session_begin(s, &io->frame, &err);
	}
	for (unsigned i = 0; i < PARIO_IO500_PHASES && status == 0 && !pario_watch_interrupted();
	     i++)
		status = measure(s, io, i, &err);
	pario_sink_clear_progress(s);
	if (status == 0)
		status = conclude(s, io, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
}

int pario_cmd_io500(int argc, char **argv)
{
	static struct io500 io;
	const struct pario_measuring_command job = { before, lead, &io };
	int code = pario_session_main(&job, argc, argv);

	pario_plan_release(&io.frame);
	for (unsigned i = 0; i < PARIO_IO500_SETS; i++) {
		if (io.made[i])
			pario_plan_release(&io.sets[i]);
	}
	pario_io500_release(&io.config);
	free(io.text);
	return code;
}
