/*
 * clean: removes workspaces that no live run holds, and places of killed traces; names what launchers left.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "console/console.h"
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

static unsigned seen;

static void show(enum pario_cleaned what, const char *path)
{
	printf("%s ", words[what]);
	pario_console_show(path);
	printf("\n");
	seen++;
}

static void show_others(bool removed, const char *path)
{
	printf("%s ", removed ? "removed" : "left (holds what another user made there)");
	pario_console_show(path);
	printf("\n");
	seen++;
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
		printf("/%s\n", entry->d_name);
		seen++;
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

int pario_cmd_clean(int argc, char **argv)
{
	bool kept_too = argc > 0 && strcmp(argv[0], "--kept") == 0;
	struct pario_err err = { 0 };
	const char *directory;

	argc -= kept_too;
	argv += kept_too;
	if (argc > 1 || (argc == 1 && argv[0][0] == '-')) {
		pario_err_set(&err, PARIO_USAGE, "usage: pario clean [--kept] [DIR]");
		return pario_console_say(&err);
	}
	directory = argc ? argv[0] : ".";
	if (pario_workspace_clean(directory, kept_too, show, &err) < 0)
		return pario_console_say(&err);
	pario_others_clean(show_others);
	show_sessions();
	if (!seen) {
		printf("nothing to remove in ");
		pario_console_show(directory);
		printf("\n");
	}
	return 0;
}
