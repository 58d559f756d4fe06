/*
 * clean: removes workspaces that no live run holds, and places of killed traces; names what launchers left.
 *
 * A process of its own does it: storage that does not answer holds whoever calls it, also against SIGKILL, with all
 * that it has open. The one that was started prints what comes from it through pipes; it is told when nothing has
 * moved for the deadline, and leaves the other behind.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "base/units.h"
#include "console/console.h"
#include "engine/watch.h"
#include "engine/workspace.h"
#include "tracer/other_users.h"

static const char *const words[] = {
	[PARIO_CLEAN_REMOVED] = "removed",
	[PARIO_CLEAN_KEPT] = "left (kept with --keep_files; `pario clean --kept` removes it)",
	[PARIO_CLEAN_FOREIGN] = "left (of another user, who can remove it)",
	[PARIO_CLEAN_LEFT] = "left (in use, or not a workspace of pario alone)",
	[PARIO_CLEAN_UNKNOWN] =
		"left (no locks on this file system; clean it on the machine of its run)",
};

enum { DEADLINE_S = 60 };

struct options {
	const char *directory;
	double deadline;
	bool kept_too;
};

/* Of the process that cleans, which its watching thread and what it calls have no other way to. */
static struct {
	double deadline;
	char at[4400];
	unsigned seen;
} own;

static void step(const char *path)
{
	snprintf(own.at, sizeof(own.at), "%s", path);
	pario_watch_step(own.deadline, own.at);
}

/* Called by the watching thread. A byte that no sentence has says that it was the last one. */
static void expired(const char *what, double seconds)
{
	struct pario_err err = { 0 };

	pario_err_set(
		&err, PARIO_SYSTEM,
		"%s: the storage has not answered for %.0f s. What was removed until then is gone, "
		"the rest stays. `pario clean` can be called again when the storage answers; "
		"--deadline waits longer.",
		what, seconds);
	pario_console_say(&err);
	if (write(STDERR_FILENO, "", 1) < 0)
		_exit(PARIO_SYSTEM);
}

static void end_line(void)
{
	printf("\n");
	fflush(stdout);
	own.seen++;
}

static void show(enum pario_cleaned what, const char *path)
{
	printf("%s ", words[what]);
	pario_console_show(path);
	end_line();
}

static void show_others(bool removed, const char *path)
{
	printf("%s ", removed ? "removed" : "left (holds what another user made there)");
	pario_console_show(path);
	end_line();
}

/* "pid.4711" of a process that is gone; one of another user's is none of ours. */
static bool is_dead(const char *name)
{
	char *end;
	long pid = strncmp(name, "pid.", 4) == 0 ? strtol(name + 4, &end, 10) : 0;

	return pid > 0 && pid <= INT_MAX && !*end && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static void show_session(const char *above, const char *session)
{
	char path[4400];
	DIR *directory;
	struct dirent *entry;

	snprintf(path, sizeof(path), "%s/%s", above, session);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (!is_dead(entry->d_name))
			continue;
		printf("left (of an Open MPI launcher that was killed; rm -r removes it) ");
		pario_console_show(path);
		printf("/%s", entry->d_name);
		end_line();
	}
	if (directory)
		closedir(directory);
}

/*
 * Open MPI's directories for its runs on this node, "ompi.HOST.UID/pid.NUMBER". Whose run it was cannot be told, so
 * they are named and not removed.
 */
static void show_sessions(void)
{
	const char *above = getenv("TMPDIR");
	char name[300] = "ompi.";
	struct dirent *entry;
	struct stat st;
	DIR *directory;

	above = above && *above ? above : "/tmp";
	if (gethostname(name + 5, 200) < 0)
		return;
	name[204] = '\0';
	name[5 + strcspn(name + 5, ".")] = '\0';
	directory = opendir(above);
	while (directory && (entry = readdir(directory))) {
		if (strncmp(entry->d_name, name, strlen(name)) == 0 &&
		    fstatat(dirfd(directory), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode) && st.st_uid == geteuid())
			show_session(above, entry->d_name);
	}
	if (directory)
		closedir(directory);
}

static int clean(const struct options *o)
{
	struct pario_err err = { 0 };

	if (pario_workspace_clean(o->directory, o->kept_too, step, show, &err) < 0)
		return pario_console_say(&err);
	step("the directory for temporary files");
	pario_others_clean(show_others);
	show_sessions();
	pario_watch_step(0, NULL);
	if (!own.seen) {
		printf("nothing to remove in ");
		pario_console_show(o->directory);
		end_line();
	}
	return 0;
}

/* Nobody is left to read what it says when the front is gone. */
__attribute__((noreturn)) static void begin(const struct options *o, const int to[2], pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(to[0], STDOUT_FILENO) < 0 || dup2(to[1], STDERR_FILENO) < 0)
		_exit(PARIO_SYSTEM);
	own.deadline = o->deadline;
	pario_watch_start(expired, NULL, 0);
	_exit(clean(o));
}

/* Copies what is there: 0 = the stream has ended, -1 = the last word was said. */
static int relay(int from, FILE *to)
{
	char bytes[4096];
	ssize_t n = read(from, bytes, sizeof(bytes));
	const char *last = n > 0 ? memchr(bytes, '\0', (size_t)n) : NULL;

	if (n < 0 && errno == EINTR)
		return 1;
	fwrite(bytes, 1, last ? (size_t)(last - bytes) : (size_t)(n > 0 ? n : 0), to);
	fflush(to);
	return last ? -1 : n > 0;
}

static int attend(pid_t pid, const int from[2])
{
	struct pollfd ready[2] = { { .fd = from[0], .events = POLLIN },
				   { .fd = from[1], .events = POLLIN } };
	int status = 0;

	while (ready[0].fd >= 0 || ready[1].fd >= 0) {
		if (poll(ready, 2, -1) < 0)
			continue;
		for (int i = 0; i < 2; i++) {
			int more = ready[i].revents ? relay(from[i], i ? stderr : stdout) : 1;

			if (more < 0) {
				kill(pid, SIGKILL);
				return PARIO_SYSTEM;
			}
			if (more == 0)
				ready[i].fd = -1;
		}
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : PARIO_SYSTEM;
}

static int run(const struct options *o, struct pario_err *err)
{
	pid_t parent = getpid(), pid;
	int out[2], errors[2];

	fflush(stdout);
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0)
		return pario_err_sys(err, errno, NULL, "no pipe to the process that cleans");
	pid = fork();
	if (pid < 0)
		return pario_err_sys(err, errno, NULL, "the process that cleans cannot be started");
	if (pid == 0)
		begin(o, (int[2]){ out[1], errors[1] }, parent);
	close(out[1]);
	close(errors[1]);
	return attend(pid, (int[2]){ out[0], errors[0] });
}

static int parse(int argc, char **argv, struct options *o, struct pario_err *err)
{
	int i = 0;

	*o = (struct options){ .directory = ".", .deadline = DEADLINE_S };
	for (; i < argc && argv[i][0] == '-'; i++) {
		if (strcmp(argv[i], "--kept") == 0) {
			o->kept_too = true;
		} else if (strcmp(argv[i], "--deadline") == 0 && i + 1 < argc) {
			if (pario_units_parse_real("--deadline", argv[++i], &o->deadline, err) < 0)
				return -1;
		} else {
			break;
		}
	}
	if (argc - i > 1 || (argc - i == 1 && argv[i][0] == '-'))
		return pario_err_set(err, PARIO_USAGE,
				     "usage: pario clean [--kept] [--deadline SECONDS] [DIR]");
	if (o->deadline < 0)
		return pario_err_set(err, PARIO_USAGE,
				     "--deadline is a number of seconds; 0 waits for ever.");
	if (argc - i == 1)
		o->directory = argv[i];
	return 0;
}

int pario_cmd_clean(int argc, char **argv)
{
	struct pario_err err = { 0 };
	struct options options;
	int status = parse(argc, argv, &options, &err);

	if (status == 0)
		status = run(&options, &err);
	return status < 0 ? pario_console_say(&err) : status;
}
