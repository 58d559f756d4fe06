/*
 * ior_script: IOR's script files.
 *
 * What stands before the line IOR START is a comment. Then come lines name=value (several with commas), RUN, which
 * makes a test of what was set so far, and IOR STOP. Later tests take over what earlier ones set.
 */
#include "compat/ior.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct script {
	struct pario_peer_job *job;
	const char *path;
	unsigned line;
	bool began, ended;
	bool open; /* something was set since the last RUN */
	size_t tests;
	struct pario_peer_run now;
};

static char *trim(char *s)
{
	size_t length;

	s[strcspn(s, "#\r")] = '\0';
	s += strspn(s, " \t");
	length = strlen(s);
	while (length && (s[length - 1] == ' ' || s[length - 1] == '\t'))
		s[--length] = '\0';
	return s;
}

/* "blockSize = 1m" as "blockSize=1m", in place. */
static void close_up(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s != ' ' && *s != '\t')
			*to++ = *s;
	}
	*to = '\0';
}

static int test(struct script *script, struct pario_err *err)
{
	struct pario_peer_job *job = script->job;

	script->open = false;
	if (script->tests++ == 0) {
		job->runs[0] = script->now;
		return 0;
	}
	return pario_peer_again(job, &script->now, err);
}

static int one_line(struct script *script, char *s, struct pario_err *err)
{
	char where[600];

	snprintf(where, sizeof(where), "%.500s:%u: ", script->path, script->line);
	if (!script->began) {
		script->began = strcasecmp(s, "IOR START") == 0;
		return 0;
	}
	if (!*s || script->ended)
		return 0;
	if (strcasecmp(s, "IOR STOP") == 0) {
		script->ended = true;
		return 0;
	}
	if (strcasecmp(s, "RUN") == 0)
		return test(script, err);
	close_up(s);
	script->open = true;
	return pario_peer_pairs(script->job, &script->now, s, where, err);
}

int pario_ior_script(struct pario_peer_job *job, const char *path, char *text,
		     struct pario_err *err)
{
	struct script script = { .job = job, .path = path, .now = job->runs[0] };
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		script.line++;
		if (one_line(&script, trim(line), err) < 0)
			return -1;
	}
	if (!script.began)
		return pario_err_set(err, PARIO_USAGE,
				     "%s is no script of IOR: it has no line IOR START.", path);
	if (!script.ended)
		return pario_err_set(err, PARIO_USAGE,
				     "%s ends without the line IOR STOP: is it complete?", path);
	if (!script.tests)
		return pario_err_set(err, PARIO_USAGE, "%s has no line RUN, so nothing to run.",
				     path);
	if (script.open)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s sets options behind its last RUN, which no test uses. Add RUN before IOR STOP.",
			path);
	return 0;
}
