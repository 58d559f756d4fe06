/*
 * stripes: over how many servers are files spread, and in pieces of what size?
 *
 * Parallel file systems have tools of their own that tell and set it. What is found on PATH is asked, with an argument
 * vector and a time limit; where there is none, nothing is known.
 */
#include "machine/machine_private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

extern char **environ;

enum { WORDS = 8, TOOL_S = 10, SAID = 4096 };

/* @ stands for the directory, @COUNT and @SIZE for what is wanted; a word for something not asked for is left out. */
static const struct striped {
	const char *type; /* as mounts call it, or FUSE's programs behind "fuse." */
	const char *read[WORDS], *count,
		*size;		      /* the command, and what stands before the numbers it says */
	const char *set[WORDS], *all; /* all: the count for as many as there are */
} systems[] = {
	{ .type = "lustre",
	  .read = { "lfs", "getstripe", "-d", "-y", "@" },
	  .count = "stripe_count:",
	  .size = "stripe_size:",
	  .set = { "lfs", "setstripe", "-c@COUNT", "-S@SIZE", "@" },
	  .all = "-1" },
	{ .type = "beegfs",
	  .read = { "beegfs-ctl", "--getentryinfo", "@" },
	  .count = "desired:",
	  .size = "Chunksize:",
	  .set = { "beegfs-ctl", "--setpattern", "--numtargets=@COUNT", "--chunksize=@SIZE",
		   "@" } },
	{ .type = "daos",
	  .read = { "daos", "filesystem", "get-attr", "--path", "@" },
	  .size = "Object Chunk Size =" },
	{ .type = "dfuse",
	  .read = { "daos", "filesystem", "get-attr", "--path", "@" },
	  .size = "Object Chunk Size =" },
};

static const struct striped *system_of(const char *directory)
{
	struct pario_mount mount = { .type = "" };
	const char *type = mount.type;

	if (pario_machine_mount(directory, &mount) < 0)
		return NULL;
	if (strncmp(type, "fuse.", 5) == 0)
		type += 5;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		if (strcmp(systems[i].type, type) == 0)
			return &systems[i];
	return NULL;
}

/* Reads what the program says until it has ended or its time is over; -1 then. */
static int listen_to(pid_t pid, int from, char said[SAID])
{
	int64_t end = pario_clock_ns() + TOOL_S * (int64_t)1000000000;
	size_t used = 0;
	int status = -1;

	while (pario_clock_ns() < end) {
		struct pollfd ready = { .fd = from, .events = POLLIN };
		ssize_t n =
			poll(&ready, 1, 100) > 0 ? read(from, said + used, SAID - 1 - used) : -1;

		if (n > 0)
			used += (size_t)n;
		if ((n == 0 || used == SAID - 1) && waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (n == 0)
			poll(NULL, 0, 10);
		status = -1;
	}
	said[used] = '\0';
	if (status == -1) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return status == 0 ? 0 : -1;
}

/* Runs a program of PATH; 0 when it ended well. `said` gets what it printed, errors too. */
static int ask(char *const *words, char said[SAID])
{
	posix_spawn_file_actions_t actions;
	int ends[2], failed;
	pid_t pid;

	said[0] = '\0';
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (failed) {
		snprintf(said, SAID, "%s",
			 failed == ENOENT ? "it is not on PATH" : strerror(failed));
		failed = -1;
	} else {
		failed = listen_to(pid, ends[0], said);
	}
	close(ends[0]);
	return failed;
}

/* The words with what they stand for, each in a place of `filled`; returns how many. */
static int fill_words(const char *const *from, const char *directory, const char *count,
		      const char *size, char filled[WORDS][1100], char *words[WORDS + 1])
{
	int n = 0;

	for (int i = 0; i < WORDS && from[i]; i++) {
		const char *at = strchr(from[i], '@'), *value = NULL;

		if (at)
			value = strcmp(at, "@COUNT") == 0  ? count
				: strcmp(at, "@SIZE") == 0 ? size
							   : directory;
		if (at && !*value)
			continue;
		snprintf(filled[n], sizeof(filled[n]), "%.*s%s",
			 (int)(at ? (size_t)(at - from[i]) : strlen(from[i])), from[i],
			 at ? value : "");
		words[n] = filled[n];
		n++;
	}
	words[n] = NULL;
	return n;
}

/* The number behind `key`; 0 when there is none. "-1" is Lustre's word for all, in 16 and 32 bits, too. */
static uint64_t number_after(const char *said, const char *key, bool *all)
{
	const char *at = key ? strstr(said, key) : NULL;
	char word[32];
	uint64_t value = 0;
	size_t length;

	if (!at)
		return 0;
	at += strlen(key);
	at += strspn(at, " \t");
	length = strcspn(at, " \t\n;,");
	snprintf(word, sizeof(word), "%.*s", length < sizeof(word) ? (int)length : 0, at);
	*all = strcmp(word, "-1") == 0 || strcmp(word, "65535") == 0 ||
	       strcmp(word, "4294967295") == 0;
	if (pario_units_parse_size("", word, &value, NULL) < 0 || value > INT64_MAX || *all)
		return 0;
	return value;
}

bool pario_stripes_read(const char *directory, struct pario_stripes *stripes)
{
	const struct striped *s = system_of(directory);
	char filled[WORDS][1100], *words[WORDS + 1], said[SAID], text[PARIO_UNITS_CAPACITY];
	bool unused = false;

	*stripes = (struct pario_stripes){ 0 };
	if (!s)
		return false;
	fill_words(s->read, directory, "", "", filled, words);
	if (ask(words, said) < 0)
		return false;
	stripes->tool = s->read[0];
	stripes->count = number_after(said, s->count, &stripes->all);
	stripes->size_bytes = number_after(said, s->size, &unused);
	if (stripes->all)
		snprintf(stripes->text, sizeof(stripes->text), "stripe count all");
	else if (stripes->count)
		snprintf(stripes->text, sizeof(stripes->text), "stripe count %llu",
			 (unsigned long long)stripes->count);
	if (stripes->size_bytes) {
		size_t used = strlen(stripes->text);

		snprintf(stripes->text + used, sizeof(stripes->text) - used, "%sstripe size %s",
			 used ? ", " : "", pario_units_size(text, stripes->size_bytes));
	}
	return stripes->text[0] != '\0';
}

bool pario_stripes_settable(const char *directory)
{
	const struct striped *s = system_of(directory);

	return s && s->set[0];
}

int pario_stripes_set(const char *directory, const char *count, uint64_t size,
		      struct pario_err *err)
{
	const struct striped *s = system_of(directory);
	char filled[WORDS][1100], *words[WORDS + 1], said[SAID], bytes[32] = "";
	bool all = strcmp(count, "all") == 0;

	if (!s || !s->set[0] || (all && !s->all))
		return pario_err_set(err, PARIO_USAGE,
				     "the striping of %s cannot be set%s. Leave --stripe_count and "
				     "--stripe_size away.",
				     directory, s && s->set[0] ? " to all" : " by pario");
	if (size)
		snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)size);
	fill_words(s->set, directory, all ? s->all : count, bytes, filled, words);
	if (ask(words, said) == 0)
		return 0;
	said[strcspn(said, "\n")] = '\0';
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s %s failed for %s: %.300s. Set it by hand, or leave --stripe_count "
			     "and --stripe_size away.",
			     words[0], words[1], directory, *said ? said : "it said nothing");
}
