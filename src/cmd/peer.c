/*
 * peer: a command line of IOR or mdtest, as plans of pario's own tests in one launch.
 */
#include "cmd/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "comm/launch.h"
#include "compat/ior.h"
#include "compat/mdtest.h"
#include "console/console.h"
#include "engine/watch.h"
#include "session/sink.h"
#include "tests/tests.h"

struct peer {
	const struct pario_peer_command *command;
	struct pario_peer_job job;
	struct pario_peer_done done[PARIO_PEER_RUNS];
	size_t frame; /* the run with the most clients: its settings are the session's */
};

/* Is standard output for a program to read? */
static bool exports(const struct peer *p)
{
	return p->job.output != PARIO_PEER_BOTH ||
	       (p->command->exports && p->command->exports(&p->job));
}

/* The plan that the words of a run describe, as `pario run` would read them. */
static int make_plan(struct peer *p, size_t i, struct pario_err *err)
{
	struct pario_peer_run *run = &p->job.runs[i];
	struct pario_plan *plan = &p->done[i].plan;

	p->done[i].run = run;
	if (pario_plan_init(plan, pario_test_by_name(run->words[0]), err) < 0 ||
	    pario_session_options(plan, (int)run->word_count - 1, run->words + 1, NULL, NULL, err) <
		    0)
		return -1;
	if (exports(p))
		return pario_config_set(&plan->config, "quiet", "1", PARIO_ORIGIN_COMMAND, err);
	return 0;
}

/* All runs of a job share one workspace. */
static int check_places(const struct peer *p, struct pario_err *err)
{
	const char *first = p->done[0].plan.settings.dir;

	for (size_t i = 1; i < p->job.run_count; i++) {
		const char *dir = p->done[i].plan.settings.dir;

		if (strcmp(first, dir) != 0)
			return pario_err_set(
				err, PARIO_USAGE,
				"the tests of one command share one directory, and here are %.400s and "
				"%.400s. Use a command for each.",
				first, dir);
	}
	return 0;
}

static int settle(struct peer *p, uint64_t clients, struct pario_err *err)
{
	bool keep = false;

	for (size_t i = 0; i < p->job.run_count; i++) {
		if (pario_plan_settle(&p->done[i].plan, clients, err) < 0)
			return -1;
		keep |= p->done[i].plan.settings.keep_files;
	}
	p->done[p->frame].plan.settings.keep_files = keep;
	return check_places(p, err);
}

/* What the largest of the runs needs; each removes its files before the next begins, unless they are kept. */
static int need_of(const struct peer *p, struct pario_need *most, struct pario_err *err)
{
	*most = (struct pario_need){ 0 };
	for (size_t i = 0; i < p->job.run_count; i++) {
		struct pario_need need;

		if (pario_plan_need(&p->done[i].plan, &need, err) < 0)
			return -1;
		if (need.disk_bytes >= most->disk_bytes)
			*most = need;
	}
	return 0;
}

static void introduce(const struct peer *p, FILE *file)
{
	struct pario_text out = { 0 }, clean = { 0 };
	char *rest, *line;

	pario_peer_equivalents(&p->job, &out);
	pario_text_add(&out, "%s", pario_text_string(&p->job.notes));
	rest = out.data;
	while ((line = strsep(&rest, "\n")) && rest) {
		pario_text_clear(&clean);
		pario_text_clean(&clean, line);
		fprintf(file, "%s\n", pario_text_string(&clean));
	}
	fputs("\n", file);
	fflush(file);
	pario_text_release(&clean);
	pario_text_release(&out);
}

static int read_job(struct peer *p, int argc, char **argv, struct pario_err *err)
{
	if (p->command->read(&p->job, argc, argv, err) < 0)
		return -1;
	for (size_t i = 0; i < p->job.run_count; i++) {
		if (make_plan(p, i, err) < 0)
			return -1;
	}
	return 0;
}

static int find_frame(struct peer *p, uint64_t *clients, struct pario_err *err)
{
	*clients = 0;
	for (size_t i = 0; i < p->job.run_count; i++) {
		uint64_t wanted;

		if (pario_session_clients(&p->done[i].plan, &wanted, err) < 0)
			return -1;
		if (wanted > *clients) {
			*clients = wanted;
			p->frame = i;
		}
	}
	return 0;
}

static int dry(struct peer *p, const struct pario_need *most, uint64_t clients,
	       struct pario_err *err)
{
	introduce(p, stdout);
	for (size_t i = 0; i < p->job.run_count; i++) {
		struct pario_need need;

		if (pario_plan_need(&p->done[i].plan, &need, err) < 0)
			return -1;
		pario_session_dry(&p->done[i].plan, &need);
	}
	return pario_plan_fits_here(&p->done[p->frame].plan, most, clients, err) < 0 ? -1 : 1;
}

/* What can be known before there are clients, in the words that the user typed. */
static int prepare(struct peer *p, uint64_t clients, struct pario_need *need, struct pario_err *err)
{
	int status = settle(p, clients, err);

	for (size_t i = 0; status == 0 && p->job.peer->makes_dir && i < p->job.run_count; i++) {
		struct pario_settings *s = &p->done[i].plan.settings;

		if (s->dry_run || s->show_config)
			pario_session_above(s->dir);
		else
			status = pario_session_make_dir(s->dir, err);
	}
	if (status == 0)
		status = need_of(p, need, err);
	return status;
}

static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct peer *p = self;
	struct pario_need need;
	uint64_t clients, promised = pario_launch_promised();
	int status;

	if (read_job(p, argc, argv, err) < 0 || find_frame(p, &clients, err) < 0)
		return -1;
	clients = promised ? promised : clients;
	status = prepare(p, clients, &need, err);
	if (status == 0 && p->done[p->frame].plan.settings.show_config)
		return pario_session_show_config(&p->done[p->frame].plan);
	if (status == 0 && p->done[p->frame].plan.settings.dry_run)
		status = dry(p, &need, clients, err);
	else if (status == 0)
		status = pario_session_launch(&p->done[p->frame].plan, &need, code, err);
	if (status < 0)
		pario_peer_own_words(p->job.peer, err);
	return status;
}

static int keep_results(struct pario_session *s, struct pario_peer_done *done,
			struct pario_err *err)
{
	done->results = calloc(s->result_count + 1, sizeof(*done->results));
	if (!done->results)
		return pario_err_memory(err, "the results");
	memcpy(done->results, s->results, s->result_count * sizeof(*done->results));
	done->result_count = s->result_count;
	return 0;
}

/*
 * Are the program's tables printed? Not where its document is, nor with --quiet, but where they are all that is asked
 * for.
 */
static bool shows(const struct pario_session *s, const struct peer *p)
{
	if (p->command->exports && p->command->exports(&p->job))
		return false;
	return !s->json && (!s->quiet || p->job.output != PARIO_PEER_BOTH);
}

/* One run: pario's own table, then the program's. */
static int measure(struct pario_session *s, struct peer *p, size_t i, struct pario_err *err)
{
	struct pario_peer_done *done = &p->done[i];
	struct pario_text out = { 0 };
	char part[40];

	snprintf(part, sizeof(part), "test_%zu", i);
	s->part = p->job.run_count > 1 ? part : NULL;
	done->plan.per_node = s->crew.world.node_clients_max;
	done->plan.settings.seed = s->settings.seed;
	done->began_s = pario_clock_unix();
	if (pario_session_plan(s, &done->plan, err) < 0 || keep_results(s, done, err) < 0)
		return -1;
	pario_sink_tables(s);
	p->command->show(&p->job, s, p->done, i, &out);
	if (shows(s, p))
		printf("%s%s", s->quiet ? "" : "\n", pario_text_string(&out));
	fflush(stdout);
	pario_text_release(&out);
	s->part = NULL;
	return 0;
}

static int finish(struct pario_session *s, struct peer *p, size_t count, struct pario_err *err)
{
	struct pario_text out = { 0 };
	int status = 0;

	if (p->command->finish)
		status = p->command->finish(&p->job, s, p->done, count, &out, err);
	if (status == 0 && !s->json)
		fputs(pario_text_string(&out), stdout);
	fflush(stdout);
	pario_text_release(&out);
	return status;
}

/* Differences belong to the record as much as the numbers. */
static void record_notes(struct pario_session *s, const struct pario_peer_job *job)
{
	char line[1024];
	const char *text = pario_text_string(&job->notes), *end;

	for (; (end = strchr(text, '\n')); text = end + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)(end - text), text);
		s->sink.note(&s->sink, "info", line, "");
	}
}

static uint64_t phases_of(const struct peer *p)
{
	uint64_t count = 0;

	for (size_t i = 0; i < p->job.run_count; i++) {
		const struct pario_plan *plan = &p->done[i].plan;
		struct pario_phase phases[PARIO_PHASES];
		struct pario_err err = { 0 };
		struct pario_bound bound;

		if (pario_plan_bind(plan, 0, plan->clients[0], &bound, &err) == 0)
			count += pario_times(pario_bound_phases(&bound, phases) * plan->points *
						     plan->client_count,
					     plan->settings.repetitions);
		pario_bound_release(&bound);
	}
	return count;
}

static int begin(struct pario_session *s, struct peer *p, struct pario_err *err)
{
	struct pario_plan *frame = &p->done[p->frame].plan;
	struct pario_need need;
	bool exported;

	if (settle(p, s->crew.world.clients, err) < 0 || need_of(p, &need, err) < 0 ||
	    pario_session_place(frame, err) < 0)
		return -1;
	frame->per_node = s->crew.world.node_clients_max;
	if (pario_plan_fits(frame, &need, &s->crew.nodes, err) < 0)
		return -1;
	if (frame->settings.seed == 0)
		frame->settings.seed = pario_random_seed() >> 1;
	s->collects = true;
	s->once = p->job.run_count > 1;
	s->planned = phases_of(p);
	s->command = s->once ? p->job.peer->name : frame->test->name;
	exported = exports(p);
	if (!frame->settings.json && (!frame->settings.quiet || exported))
		introduce(p, exported ? stderr : stdout);
	if (!frame->settings.json && !frame->settings.quiet)
		pario_session_machine(&frame->settings);
	return pario_session_begin(s, frame, err);
}

static void lead(struct pario_session *s, void *self)
{
	struct peer *p = self;
	struct pario_err err = { 0 };
	int status = begin(s, p, &err);
	size_t count = 0;

	if (status < 0)
		pario_peer_own_words(p->job.peer, &err);
	if (status == 0)
		record_notes(s, &p->job);
	for (; status == 0 && count < p->job.run_count && !pario_watch_interrupted(); count++)
		status = measure(s, p, count, &err);
	pario_sink_clear_progress(s);
	if (status == 0)
		status = finish(s, p, count, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
}

void pario_peer_look(const char *dir, struct pario_peer_room *room)
{
	struct statvfs fs;

	*room = (struct pario_peer_room){ 0 };
	if (statvfs(dir, &fs) == 0)
		pario_peer_room(room, (double)fs.f_blocks * (double)fs.f_frsize,
				(double)fs.f_bfree * (double)fs.f_frsize, (double)fs.f_files,
				(double)fs.f_ffree);
}

void pario_peer_origin(struct pario_text *command, struct pario_text *machine)
{
	struct utsname system;

	for (int i = 0; i < pario_console_argc; i++)
		pario_text_add(command, "%s%s", i ? " " : "", pario_console_argv[i]);
	if (uname(&system) == 0)
		pario_text_add(machine, "%s %s", system.sysname, system.nodename);
}

const struct pario_peer *pario_cmd_peer(const struct pario_command *command)
{
	return command->run == pario_cmd_ior	  ? &pario_ior
	       : command->run == pario_cmd_mdtest ? &pario_mdtest
						  : NULL;
}

int pario_peer_main(const struct pario_peer_command *command, int argc, char **argv)
{
	struct peer *p = calloc(1, sizeof(*p));
	struct pario_measuring_command job = { before, lead, p };
	struct pario_err err = { 0 };
	int code;

	if (!p) {
		pario_err_memory(&err, "the command line");
		return pario_console_say(&err);
	}
	p->command = command;
	code = pario_session_main(&job, argc, argv);
	for (size_t i = 0; i < p->job.run_count; i++) {
		pario_plan_release(&p->done[i].plan);
		free(p->done[i].results);
	}
	pario_peer_release(&p->job);
	free(p);
	return code;
}
