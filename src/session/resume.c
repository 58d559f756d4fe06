/*
 * resume: the options an interrupted run was started with.
 *
 * The journal is the only state. Options not given again are taken from it; those given must agree with it.
 */
#include "session/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal/journal.h"

/*
 * Is the journal this user's own, where nobody else can write? Then what it says is what this user once said. Another's
 * journal could name a directory to fill, or ask for the system's caches to be dropped.
 */
static bool is_own(const struct pario_journal_reader *reader)
{
	char path[sizeof(reader->path)];
	struct stat st[2];
	char *slash;

	snprintf(path, sizeof(path), "%s", reader->path);
	slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	if (fstat(fileno(reader->file), &st[0]) < 0 || stat(slash ? path : ".", &st[1]) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		bool group = (st[i].st_mode & S_IWGRP) && st[i].st_gid != getegid();

		if (st[i].st_uid != geteuid() || (st[i].st_mode & S_IWOTH) || group)
			return false;
	}
	return true;
}

/* Does it stay as it is now, whatever the interrupted run had? */
static bool stays(const struct pario_setting *s)
{
	return s->option->flags & PARIO_OPTION_GOES_ON ? s->origin != PARIO_ORIGIN_DEFAULT
						       : s->option->flags & PARIO_OPTION_ASIDE;
}

/* Takes over what was not given again; where the journal is not trusted, `untaken` gets the options instead. */
static int same_params(struct pario_config *config, const json_t *params, bool trusted,
		       struct pario_text *untaken, struct pario_err *err)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_setting *s = &config->settings[i];
		const json_t *then = json_object_get(params, s->option->name);
		const char *value = json_string_value(json_object_get(then, "value"));
		const char *origin = json_string_value(json_object_get(then, "origin"));
		const char *now = s->text ? s->text : "";

		if (!value)
			value = "";
		if (strcmp(now, value) == 0 || stays(s))
			continue;
		if (s->origin != PARIO_ORIGIN_DEFAULT)
			return pario_err_set(err, PARIO_USAGE,
					     "--%s is \"%.200s\", but the run to go on with was "
					     "made with \"%.200s\". Leave the option out, or "
					     "start a new run.",
					     s->option->name, now, value);
		if (!origin || strcmp(origin, "default") == 0)
			continue;
		if (!trusted)
			pario_text_add(untaken, "%s--%s", untaken->length ? ", " : "",
				       s->option->name);
		else if (pario_config_set(config, s->option->name, value, PARIO_ORIGIN_COMMAND,
					  err) < 0)
			return -1;
	}
	return 0;
}

static int take_params(struct pario_config *config, const json_t *params,
		       const struct pario_journal_reader *reader, struct pario_err *err)
{
	struct pario_text untaken = { 0 };
	int status = same_params(config, params, is_own(reader), &untaken, err);

	if (status == 0 && untaken.length)
		status = pario_err_set(
			err, PARIO_USAGE,
			"%.300s belongs to another user or lies where others can write, so its "
			"options are not taken over. Repeat those you want on the command line: %.400s.",
			reader->path, pario_text_string(&untaken));
	pario_text_release(&untaken);
	return status;
}

static int take_begin(struct pario_resume *resume, struct pario_config *config, const char *command,
		      const json_t *line, const struct pario_journal_reader *reader,
		      struct pario_err *err)
{
	const char *test = json_string_value(json_object_get(line, "test"));
	const char *seed = json_string_value(json_object_get(line, "seed"));
	const json_t *clients = json_object_get(line, "clients");

	if (!test || strcmp(test, command) != 0)
		return pario_err_set(err, PARIO_USAGE, "%s is the journal of %s, not of %s.",
				     reader->path, test ? test : "another program", command);
	resume->seed = seed ? strtoull(seed, NULL, 16) : 0;
	for (size_t i = 0; i < json_array_size(clients); i++) {
		json_int_t c = json_integer_value(json_array_get(clients, i));

		resume->clients =
			c > 0 && (uint64_t)c > resume->clients ? (uint64_t)c : resume->clients;
	}
	return take_params(config, json_object_get(line, "params"), reader, err);
}

int pario_resume_clients(const struct pario_resume *resume, const struct pario_plan *plan,
			 uint64_t clients, struct pario_err *err)
{
	if (!resume->clients || *plan->settings.clients || resume->clients == clients)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "the run to go on with had %llu clients, and now there are %llu. "
			     "Start as many (--np).",
			     (unsigned long long)resume->clients, (unsigned long long)clients);
}

int pario_resume_begin(struct pario_resume *resume, struct pario_config *config,
		       const char *command, const char *path, struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line = NULL;
	int status;

	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	status = pario_journal_next(&reader, &line, err);
	if (status > 0)
		status = take_begin(resume, config, command, line, &reader, err);
	json_decref(line);
	pario_journal_done(&reader);
	return status < 0 ? -1 : 0;
}
