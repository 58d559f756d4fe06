/*
 * clean: removes workspaces that no live run holds, and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "engine/workspace.h"

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
	if (!seen) {
		printf("nothing to remove in ");
		pario_console_show(directory);
		printf("\n");
	}
	return 0;
}
