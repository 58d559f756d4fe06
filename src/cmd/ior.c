/*
 * ior: `pario ior`, the command lines and scripts of IOR.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "cmd/peer.h"
#include "compat/ior.h"
#include "console/console.h"

extern char **environ;

static const char *file_of(const struct pario_peer_job *job)
{
	const char *path = pario_peer_text(job, &job->runs[0], "summaryFile");

	return path && *path && !pario_output_is_stdout(path) ? path : NULL;
}

/* Only a document that pario wrote is replaced. */
static struct pario_output_rule rule_for(enum pario_ior_format format)
{
	return (struct pario_output_rule){ .mark = "\"Version\":\"pario ",
					   .fresh = format != PARIO_IOR_JSON };
}

/* What cannot be written in the end is said in the beginning. */
static int try_file(const struct pario_peer_job *job, struct pario_err *err)
{
	struct pario_output_rule rule = rule_for(pario_ior_format(job));
	struct pario_output output = { 0 };

	if (!file_of(job))
		return 0;
	if (pario_output_begin(&output, AT_FDCWD, file_of(job), &rule, err) < 0)
		return -1;
	return pario_output_end(&output, false, err);
}

static int read_ior(struct pario_peer_job *job, int argc, char **argv, struct pario_err *err)
{
	return pario_ior_command(job, argc, argv, environ, err) < 0 ? -1 : try_file(job, err);
}

static struct pario_ior_test test_of(const struct pario_peer_job *job,
				     const struct pario_session *s,
				     const struct pario_peer_done *done, size_t i)
{
	static char mpi_version[16];
	struct pario_ior_test t = { .job = job,
				    .run = done->run,
				    .number = i,
				    .tasks = done->plan.clients[0],
				    .tasks_per_node = s->crew.world.node_clients_max,
				    .nodes = s->crew.world.nodes,
				    .path = done->plan.settings.dir,
				    .results = done->results,
				    .result_count = done->result_count };

	snprintf(mpi_version, sizeof(mpi_version), "(%d.%d)", MPI_VERSION, MPI_SUBVERSION);
	if (t.tasks_per_node > t.tasks)
		t.tasks_per_node = t.tasks;
	t.began_s = done->began_s;
	pario_peer_look(t.path, &t.room);
	if (strcasecmp(pario_peer_text(job, done->run, "api"), "MPIIO") == 0)
		t.api_version = mpi_version;
	return t;
}

static void banner(const struct pario_ior_test *first, struct pario_text *out)
{
	struct pario_text command = { 0 }, machine = { 0 }, clean = { 0 };

	pario_peer_origin(&command, &machine);
	pario_text_clean(&clean, pario_text_string(&command));
	pario_ior_banner(first, pario_text_string(&clean), pario_text_string(&machine), out);
	pario_text_release(&clean);
	pario_text_release(&machine);
	pario_text_release(&command);
}

static void show(const struct pario_peer_job *job, const struct pario_session *s,
		 const struct pario_peer_done *done, size_t i, struct pario_text *out)
{
	struct pario_ior_test test = test_of(job, s, &done[i], i);

	if (i == 0)
		banner(&test, out);
	pario_ior_results(&test, out);
}

static void document(const struct pario_ior_test *tests, size_t count, enum pario_ior_format format,
		     struct pario_text *out)
{
	struct pario_text command = { 0 }, machine = { 0 };
	struct pario_json json = { 0 };

	if (format == PARIO_IOR_CSV) {
		pario_ior_csv(tests, count, out);
		return;
	}
	if (format == PARIO_IOR_TEXT) {
		if (count)
			banner(&tests[0], out);
		for (size_t i = 0; i < count; i++)
			pario_ior_results(&tests[i], out);
		pario_ior_summary(tests, count, out);
		return;
	}
	pario_peer_origin(&command, &machine);
	pario_ior_json(tests, count, pario_text_string(&command), pario_text_string(&machine),
		       &json);
	pario_text_add(out, "%s\n", pario_text_string(&json.text));
	pario_json_release(&json);
	pario_text_release(&machine);
	pario_text_release(&command);
}

/* Into the file that summaryFile names. */
static int write_file(const char *path, const struct pario_ior_test *tests, size_t count,
		      enum pario_ior_format format, struct pario_err *err)
{
	struct pario_output_rule rule = rule_for(format);
	struct pario_text text = { 0 };
	int status;

	document(tests, count, format, &text);
	status = pario_output_text(AT_FDCWD, path, &rule, &text, err);
	pario_text_release(&text);
	return status;
}

static bool exports(const struct pario_peer_job *job)
{
	return pario_ior_format(job) != PARIO_IOR_TEXT && !file_of(job);
}

static int finish(const struct pario_peer_job *job, const struct pario_session *s,
		  const struct pario_peer_done *done, size_t count, struct pario_text *out,
		  struct pario_err *err)
{
	struct pario_ior_test *tests = calloc(count + 1, sizeof(*tests));
	enum pario_ior_format format = pario_ior_format(job);
	int status = 0;

	if (!tests)
		return pario_err_memory(err, "the summary");
	for (size_t i = 0; i < count; i++)
		tests[i] = test_of(job, s, &done[i], i);
	if (file_of(job))
		status = write_file(file_of(job), tests, count, format, err);
	else if (format != PARIO_IOR_TEXT)
		document(tests, count, format, out);
	if (!s->quiet || (job->output != PARIO_PEER_BOTH && !exports(job)))
		pario_ior_summary(tests, count, out);
	free(tests);
	return status;
}

int pario_cmd_ior(int argc, char **argv)
{
	static const struct pario_peer_command command = { read_ior, show, finish, exports };

	return pario_peer_main(&command, argc, argv);
}
