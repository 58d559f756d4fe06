/*
 * session: one run from its first journal line to its last: directory, begin line, points, end line, report.
 * start.c comes before, sweep.c visits the points. A deadline that passes ends the journal from a thread of its own.
 */
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "comm/launch.h"
#include "comm/relay.h"
#include "console/ascii.h"
#include "console/console.h"
#include "engine/watch.h"
#include "machine/machine.h"
#include "session/documents.h"
#include "session/export_file.h"
#include "session/page_file.h"
#include "session/signature.h"
#include "session/sink.h"
#include "session/striping.h"
#include "session/terminal.h"
#include "tests/tests.h"
#include "version.h"

enum { EXPIRED_GRACE_S = 5 };

/* The session that a deadline interrupts; the watching thread has no other way to it. */
static struct pario_session *current;

/* ./pario-results/<time>-<command>-<id>, or what --output says. */
static int make_directory(struct pario_session *s, struct pario_err *err)
{
	char label[PARIO_CLOCK_CAPACITY];
	int above;

	if (*s->settings.output) {
		snprintf(s->directory, sizeof(s->directory), "%s", s->settings.output);
	} else {
		if (mkdir("pario-results", 0775) < 0 && errno != EEXIST)
			return pario_err_sys(err, errno, "Name a directory with --output.",
					     "pario-results cannot be made here");
		above = pario_output_directory("pario-results", err);
		if (above < 0)
			return -1;
		close(above);
		pario_clock_label(label);
		for (char *c = label; *c; c++)
			*c = *c == ':' ? '-' : *c;
		snprintf(s->directory, sizeof(s->directory), "pario-results/%.16s-%s-%s", label,
			 s->command, s->id);
	}
	return pario_output_make_directory(s->directory, *s->settings.output, err);
}

static int write_begin(struct pario_session *s, const struct pario_plan *plan,
		       struct pario_err *err)
{
	struct pario_json *j = &s->line;
	char time[PARIO_CLOCK_CAPACITY];

	pario_journal_line(j, "begin");
	pario_json_string(j, "schema", PARIO_JOURNAL_SCHEMA);
	pario_json_string(j, "run", s->id);
	pario_json_string(j, "version", PARIO_VERSION);
	pario_json_open(j, "command", '[');
	for (int i = 0; i < pario_console_argc; i++)
		pario_json_string(j, NULL, pario_console_argv[i]);
	pario_json_close(j, ']');
	pario_json_string(j, "label", s->settings.label);
	pario_json_string(j, "test", s->command);
	pario_json_string(j, "time", pario_clock_label(time));
	pario_json_hex(j, "seed", s->settings.seed);
	pario_json_open(j, "params", '{');
	for (size_t i = 0; i < plan->config.setting_count; i++) {
		const struct pario_setting *p = &plan->config.settings[i];

		if (p->option->type == PARIO_TYPE_HINT && !p->text)
			continue;
		pario_json_open(j, p->option->name, '{');
		pario_json_string(j, "value", p->text ? p->text : "");
		pario_json_string(j, "origin", pario_origin_name(p->origin));
		pario_json_close(j, '}');
	}
	pario_json_close(j, '}');
	pario_json_open(j, "clients", '[');
	for (size_t i = 0; i < plan->client_count; i++)
		pario_json_u64(j, NULL, plan->clients[i]);
	pario_json_close(j, ']');
	pario_machine_write(j, &s->crew.world, &s->crew.nodes, s->settings.dir);
	return pario_journal_append(&s->journal, j, err);
}

void pario_session_machine(const struct pario_settings *settings)
{
	struct pario_text line = { 0 }, wrapped = { 0 };
	struct pario_style style;
	char machine[1024];

	pario_terminal_style(&style, settings->color);
	pario_machine_line(machine, sizeof(machine), settings->dir);
	pario_text_add(&line, "pario %s  ·  ", PARIO_VERSION);
	pario_text_clean(&line, machine);
	pario_style_wrap(&style, pario_text_string(&line), 4, &wrapped);
	printf("%s", pario_text_string(&wrapped));
	pario_text_release(&wrapped);
	pario_text_release(&line);
}

/* What is measured where; in a log also every parameter that is not a default. */
static void head_log(const struct pario_session *s, const struct pario_plan *plan)
{
	struct pario_text out = { 0 }, wrapped = { 0 };
	char place[4096];

	pario_session_machine(&plan->settings);
	pario_text_add(&out, "%s", s->command);
	if (!(plan->test->needs & PARIO_NEED_NO_DIR)) {
		pario_text_add(&out, " in ");
		pario_text_clean(&out,
				 realpath(plan->settings.dir, place) ? place : plan->settings.dir);
	}
	pario_text_add(&out, ", ");
	pario_text_count(&out, s->crew.world.clients, "client");
	pario_text_add(&out, " started, ");
	pario_text_count(&out, plan->settings.repetitions, "repetition");
	/* Who types on a terminal sees the command above. */
	for (size_t i = 0; i < plan->config.setting_count && !s->style.columns; i++) {
		const struct pario_setting *p = &plan->config.settings[i];

		if (p->origin == PARIO_ORIGIN_DEFAULT || !p->text)
			continue;
		pario_text_add(&out, " --%s ", p->option->name);
		pario_text_clean(&out, p->text);
	}
	pario_style_wrap(&s->style, pario_text_string(&out), 4, &wrapped);
	printf("%s\n", pario_text_string(&wrapped));
	fflush(stdout);
	pario_text_release(&wrapped);
	pario_text_release(&out);
}

/* A workspace of a run that died is worth a hint, never a removal. */
static void point_at_leftovers(struct pario_session *s)
{
	char text[1200], next[1200];
	int count = pario_workspace_leftovers(s->settings.dir, s->crew.workspace.path);

	if (count <= 0)
		return;
	snprintf(text, sizeof(text),
		 "%d workspace%s of earlier runs in %s; a run that was killed leaves one", count,
		 count == 1 ? "" : "s", s->settings.dir);
	snprintf(next, sizeof(next), "`pario clean %.1100s` removes what no run uses any more",
		 s->settings.dir);
	s->sink.note(&s->sink, "warning", text, next);
}

/* --ntasks-per-node may fill the first nodes of a job and leave the last without a task. */
static void point_at_idle_nodes(struct pario_session *s)
{
	const struct pario_launch_batch batch = pario_launch_batch();
	unsigned long long used = s->crew.world.nodes, nodes = batch.job_nodes;
	char text[200];

	if (nodes <= used)
		return;
	snprintf(text, sizeof(text),
		 "the job has %llu nodes, and the clients run on %llu of them: the others are idle",
		 nodes, used);
	s->sink.note(
		&s->sink, "warning", text,
		"ask for as many tasks as nodes can take (--ntasks, --ntasks-per-node), or for fewer nodes");
}

static int open_journal(struct pario_session *s, struct pario_err *err)
{
	if (s->resume)
		snprintf(s->directory, sizeof(s->directory), "%s", s->resume);
	else if (make_directory(s, err) < 0)
		return -1;
	s->dirfd = pario_output_directory(s->directory, err);
	if (s->dirfd < 0)
		return -1;
	return s->resume ? pario_journal_reopen(&s->journal, s->directory, err)
			 : pario_journal_create_at(&s->journal, s->dirfd, s->directory, err);
}

int pario_session_begin(struct pario_session *session, const struct pario_plan *plan,
			struct pario_err *err)
{
	session->settings = plan->settings;
	session->quiet = plan->settings.quiet;
	session->json = plan->settings.json;
	session->start_ns = pario_clock_ns();
	snprintf(session->id, sizeof(session->id), "%08llx",
		 (unsigned long long)(pario_random_seed() >> 32));
	pario_terminal_style(&session->style, plan->settings.color);
	session->style.progress = session->style.progress && !session->quiet;
	pario_sink_init(session);
	if (!session->quiet && !session->json && !session->collects)
		head_log(session, plan);
	session->journal.fd = session->dirfd = -1;
	if (*session->settings.sign && pario_signature_possible(session->settings.sign, err) < 0)
		return -1;
	pario_watch_step(session->settings.deadline, "making the journal");
	if (open_journal(session, err) < 0)
		return -1;
	pario_launch_sign(PARIO_SIGN_JOURNAL, session->directory);
	if (session->json)
		pario_ascii_stop();
	session->journal.echo = session->json ? stdout : NULL;
	current = session;
	if (session->resume && strcmp(session->command, "survey") != 0) {
		if (pario_resume_state_read(&session->earlier, session->resume, err) < 0)
			return -1;
		session->written = session->earlier.lines;
	}
	if (session->resume)
		session->sink.note(&session->sink, "info", "the run is taken up again", "");
	else if (write_begin(session, plan, err) < 0)
		return -1;
	if (plan->test->needs & PARIO_NEED_NO_DIR)
		return 0;
	if (pario_crew_settle(&session->crew, plan->settings.dir, session->id,
			      plan->settings.deadline, pario_plan_shared_pointers(plan), err) < 0)
		return -1;
	point_at_leftovers(session);
	point_at_idle_nodes(session);
	return pario_striping_apply(session, plan, err);
}

/* Points that cannot run are results too. */
static int skip(struct pario_session *s, const struct pario_bound *bound,
		const struct pario_err *reason, struct pario_err *err)
{
	struct pario_result result;

	pario_result_init(&result);
	snprintf(result.test, sizeof(result.test), "%s", bound->point.test->name);
	snprintf(result.point, sizeof(result.point), "%s", bound->name);
	result.point_index = bound->point.index;
	result.clients = bound->point.clients;
	result.outcome = PARIO_SKIP;
	snprintf(result.reason, sizeof(result.reason), "%s", reason->text);
	return s->sink.result(&s->sink, bound, &result, err);
}

int pario_session_point(struct pario_session *session, const struct pario_bound *bound,
			const struct pario_err *reason, struct pario_err *err)
{
	int status;

	session->point_code = 0;
	if (reason && reason->code)
		return skip(session, bound, reason, err);
	status = pario_crew_run(&session->crew, &session->sink, bound, &session->point_code, err);
	if (session->point_code > session->code)
		session->code = session->point_code;
	return status;
}

static const char *verdict(const struct pario_session *s)
{
	if (s->code == PARIO_INTERRUPTED)
		return "interrupted";
	if (s->code > PARIO_INVALID || s->failures)
		return "fail";
	return s->suspects || s->code ? "suspect" : "pass";
}

/* Of client 0, which alone has a session. */
static int say(struct pario_err *err)
{
	pario_comm_seen(err);
	return pario_console_say(err);
}

static void write_end(struct pario_session *s, const struct pario_text *kept, bool removed,
		      struct pario_err *err)
{
	struct pario_json own = { 0 }, *j = &own;
	const char *path = pario_text_string(kept);

	pario_journal_line(j, "end");
	pario_json_string(j, "outcome", verdict(s));
	pario_json_i64(j, "exit_code", s->code);
	pario_json_u64(j, "results", s->written);
	pario_json_real(j, "seconds", pario_clock_s(pario_clock_ns() - s->start_ns));
	pario_json_open(j, "kept", '[');
	for (const char *end = path + kept->length; path < end; path += strlen(path) + 1)
		pario_json_string(j, NULL, path);
	pario_json_close(j, ']');
	pario_json_bool(j, "removed", removed);
	if (pario_journal_append(&s->journal, j, err) < 0 && s->code == 0)
		s->code = say(err);
	pario_json_release(j);
}

/* It can be made again from the journal: without it the run is no failure. */
static void make_page(struct pario_session *s)
{
	struct pario_err err = { 0 };

	if (s->written > PARIO_SESSION_PAGE_MOST)
		pario_err_set(
			&err, PARIO_SYSTEM,
			"of %llu results no page is made in passing: `pario report %s` does it.",
			(unsigned long long)s->written, s->directory);
	else
		s->reported = pario_page_file_run(s->dirfd, s->directory, &err) == 0;
	if (!s->reported && s->code == 0)
		say(&err);
}

void pario_session_end(struct pario_session *session, const struct pario_err *failed)
{
	struct pario_text kept = { 0 };
	struct pario_err err = { 0 };
	double deadline = session->settings.deadline;
	bool removed = true;
	int code = 0;

	pario_watch_step(deadline, "removing the workspace");
	pario_sink_clear_progress(session);
	if (failed && failed->code) {
		session->sink.failure(&session->sink, failed);
		code = (int)failed->code;
	}
	session->code = code > session->code ? code : session->code;
	if (pario_watch_cause() == PARIO_WATCH_SIGNAL)
		session->code = PARIO_INTERRUPTED;
	if (session->settings.keep_files && session->crew.workspace.dirfd >= 0) {
		if (pario_workspace_keep(&session->crew.workspace, &kept, &err) < 0)
			session->sink.failure(&session->sink, &err);
		removed = false;
	} else if (pario_workspace_remove(&session->crew.workspace, &err) < 0) {
		session->code = session->code ? session->code : PARIO_SYSTEM;
		session->sink.failure(&session->sink, &err);
		removed = false;
	}
	/* Without its first line a journal has no reader, so it gets no last one either. */
	if (session->journal.fd >= 0 && session->journal.lines > 0) {
		pario_watch_step(deadline, "writing the end of the journal");
		write_end(session, &kept, removed, &err);
		if (pario_journal_close(&session->journal, &err) < 0 && session->code == 0)
			session->code = say(&err);
		if (*session->settings.sign && session->code != PARIO_INTERRUPTED) {
			pario_watch_step(deadline > 0 ? deadline + PARIO_SIGNATURE_LIMIT_S : 0,
					 "signing the journal");
			if (pario_signature_make(session->dirfd, session->directory,
						 session->settings.sign, &err) < 0)
				session->code = say(&err);
		}
		pario_watch_step(deadline, "writing the report");
		if (session->tables && pario_documents_write(session, &err) < 0)
			session->code = say(&err);
		make_page(session);
		if (*session->settings.csv &&
		    pario_export_file_run(session->directory, session->settings.csv, &err) < 0)
			session->code = say(&err);
		pario_sink_closing(session, &kept);
	}
	current = NULL;
	pario_progress_thread_stop(&session->progress);
	pario_text_release(&kept);
	pario_json_release(&session->line);
	free(session->results);
	pario_resume_state_release(&session->earlier);
	pario_crew_dismiss(&session->crew, session->code, deadline);
}

static void leave_status(int code)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", code);
	pario_launch_sign(PARIO_SIGN_CODE, text);
}

/* The note about the deadline, and the end. On lines of their own: the thread that hangs may be at the session's. */
static void end_journal(struct pario_session *s, const char *sentence)
{
	struct pario_json line = { 0 };
	struct pario_err err = { 0 };

	if (s->journal.fd < 0 || s->journal.lines == 0)
		return;
	pario_journal_line(&line, "note");
	pario_json_string(&line, "level", "warning");
	pario_json_string(&line, "text", sentence);
	pario_json_string(&line, "next", "");
	pario_journal_append(&s->journal, &line, &err);
	pario_json_release(&line);
	write_end(s, &(struct pario_text){ 0 }, false, &err);
}

/*
 * Called by the watching thread while the run hangs: the journal still gets its end. The storage that is measured is
 * not touched, since it may be what hangs; `pario clean` removes the data.
 */
static void expired(const char *sentence)
{
	struct pario_err err = { .code = PARIO_SYSTEM };
	const struct timespec grace = { EXPIRED_GRACE_S, 0 };
	struct pario_session *s = current;
	const char *workspace = s ? s->crew.workspace.path : "", *dir = s ? s->settings.dir : "";

	/* Client 0 ends the run in good order; the others speak only when it is the one that hangs. */
	if (!s && pario_launch_rank() != 0)
		nanosleep(&grace, NULL);
	leave_status(PARIO_SYSTEM);
	pario_err_set(&err, PARIO_SYSTEM, "%s%s%.400s%s", sentence,
		      *workspace ? " `pario clean " : "", *workspace ? dir : "",
		      *workspace ? "` removes the data that stayed." : "");
	pario_console_say(&err);
	if (!s)
		return;
	s->code = PARIO_SYSTEM;
	s->failures++;
	end_journal(s, sentence);
}

/*
 * The run is complete: client 0 says it for all that wait. The others let it speak, also where the machine is busy: a
 * launcher ends everyone when one of them leaves without MPI_Finalize.
 */
static void late(const char *sentence)
{
	const struct timespec grace = { EXPIRED_GRACE_S, 0 };

	if (pario_launch_rank() == 0)
		pario_console_warn("%s", sentence);
	else
		nanosleep(&grace, NULL);
}

/* Hands the exit code to a front when there is one and ends MPI. */
static int leave(struct pario_session *session, int code)
{
	bool front = pario_launch_deadline() >= 0;

	fflush(stdout);
	if (session->crew.world.client == 0)
		leave_status(code);
	pario_crew_release(&session->crew, front ? 0 : code, late);
	return front ? 0 : code;
}

int pario_session_main(const struct pario_measuring_command *job, int argc, char **argv)
{
	static struct pario_session session = { .journal = { .fd = -1 } };
	struct pario_err err = { 0 };
	bool speaks = pario_launch_rank() == 0;
	int code = 0, status = 0;

	pario_launch_catch();
	pario_crew_watch(expired, PARIO_SESSION_UNTOLD_DEADLINE_S);
	/* Only client 0 parses; in a launched group the others wait for its word. */
	if (speaks)
		status = job->before(job->self, argc, argv, &code, &err);
	if (status != 0 && pario_launch_promised() == 0)
		return status < 0 ? pario_console_say(&err) : code;
	if (status < 0)
		code = pario_console_say(&err);
	if (pario_crew_init(&session.crew, pario_tests, &pario_console_argc, &pario_console_argv,
			    &err) < 0) {
		if (speaks)
			leave_status(pario_console_say(&err));
		MPI_Finalize();
		return (int)err.code;
	}
	if (session.crew.world.client != 0) {
		code = pario_crew_follow(&session.crew);
	} else if (status != 0) {
		pario_crew_dismiss(&session.crew, code, PARIO_SESSION_UNTOLD_DEADLINE_S);
	} else {
		job->lead(&session, job->self);
		code = session.code;
	}
	return leave(&session, code);
}
