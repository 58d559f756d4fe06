/*
 * command: spawns a program, waits for it, and explains a failure.
 */
#include "tests/common/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

extern char **environ;

/* Is there an executable of this name on PATH? */
static bool command_there(const char *name)
{
	const char *path = getenv("PATH"), *end;
	char file[4096];
	struct stat st;

	for (; path; path = *end ? end + 1 : NULL) {
		end = strchrnul(path, ':');
		snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path), path, name);
		if (access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}

/*
 * The environment with the directory itself for temporary files, and room to be freed: what a compiler puts aside is
 * part of what is measured, and is removed with the rest, also by `pario clean` when all was killed.
 */
static char **environment_in_place(void)
{
	static char *const here[] = { "TMPDIR=.", "TMP=.", "TEMP=." };
	enum { HERE = sizeof(here) / sizeof(here[0]) };
	size_t count = 0, kept = 0;
	char **own;

	while (environ[count])
		count++;
	own = malloc((count + HERE + 1) * sizeof(*own));
	if (!own)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		bool replaced = false;

		for (size_t k = 0; k < HERE; k++)
			replaced |= strncmp(environ[i], here[k], strlen(here[k]) - 1) == 0;
		if (!replaced)
			own[kept++] = environ[i];
	}
	memcpy(own + kept, here, sizeof(here));
	own[kept + HERE] = NULL;
	return own;
}

/* Signals as a shell would hand them on: this program ignores and catches some. */
static int start(int base, const char *const *argv, int complaints, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **own = base >= 0 ? environment_in_place() : NULL;
	sigset_t all, none;
	int failed;

	if (base >= 0 && !own)
		return ENOMEM;
	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&actions) != 0) {
		free(own);
		return ENOMEM;
	}
	if (posix_spawnattr_init(&attributes) != 0) {
		posix_spawn_file_actions_destroy(&actions);
		free(own);
		return ENOMEM;
	}
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (base >= 0)
		posix_spawn_file_actions_addfchdir_np(&actions, base);
	if (complaints >= 0)
		posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
	/* The spawned program does not change the words; only the type is not const. */
	failed = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)argv,
			      own ? own : environ);
	free(own);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

static int say(const char *name, int status, int complaints, struct pario_err *err)
{
	char line[200] = "";
	struct pario_text clean = { 0 };
	ssize_t length = pread(complaints, line, sizeof(line) - 1, 0);

	line[length > 0 ? length : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	pario_text_clean(&clean, line);
	if (WIFSIGNALED(status))
		pario_err_set(err, PARIO_SYSTEM, "the command %s was killed by signal %d (%s). %s",
			      name, WTERMSIG(status), strsignal(WTERMSIG(status)),
			      pario_text_string(&clean));
	else
		pario_err_set(err, PARIO_SYSTEM, "the command %s ended with status %d: %s", name,
			      WEXITSTATUS(status),
			      clean.length ? pario_text_string(&clean) : "it gave no reason.");
	pario_text_release(&clean);
	return -1;
}

int pario_command_run(int base, const char *const *argv, struct pario_err *err)
{
	int complaints = memfd_create("complaints", MFD_CLOEXEC), status = 0, failed;
	pid_t pid;

	failed = start(base, argv, complaints, &pid);
	if (failed) {
		pario_err_sys(err, failed, NULL, "the command %s cannot be started", argv[0]);
		status = -1;
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status)
			status = say(argv[0], status, complaints, err);
	}
	if (complaints >= 0)
		close(complaints);
	return status;
}

const char *pario_command_choose(const char *word, char name[64])
{
	const char *end;

	for (; word; word = *end ? end + 1 : NULL) {
		end = strchrnul(word, '|');
		snprintf(name, 64, "%.*s", (int)(end - word), word);
		if (command_there(name))
			return name;
	}
	return NULL;
}

int pario_command_in(int base, const char *const *words, struct pario_err *err)
{
	char paths[PARIO_COMMAND_WORDS][256], name[64];
	const char *argv[PARIO_COMMAND_WORDS + 1] = { 0 };

	for (int i = 0; i < PARIO_COMMAND_WORDS && words[i]; i++) {
		argv[i] = words[i];
		if (words[i][0] != '@')
			continue;
		snprintf(paths[i], sizeof(paths[i]), "./%s", words[i] + 1);
		argv[i] = paths[i];
	}
	argv[0] = pario_command_choose(words[0], name);
	if (!argv[0])
		return pario_err_set(err, PARIO_SYSTEM, "the command %s is not installed.",
				     words[0]);
	return pario_command_run(base, argv, err);
}
