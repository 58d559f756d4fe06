/*
 * clean: removes workspaces that no live run holds, and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "run/workspace.h"

static void show(const char *title, const char *path)
{
	printf("%s ", title);
	pario_cmd_show(path);
	printf("\n");
}

static void show_all(const char *title, const struct pario_text *paths)
{
	const char *from = pario_text_string(paths), *end;

	for (; (end = strchr(from, '\n')); from = end + 1) {
		char path[4400];

		snprintf(path, sizeof(path), "%.*s", (int)(end - from), from);
		show(title, path);
	}
}

int pario_cmd_clean(int argc, char **argv)
{
	struct pario_text removed = { 0 }, left = { 0 };
	struct pario_err err = { 0 };
	int status;

	if (argc > 1 || (argc == 1 && argv[0][0] == '-')) {
		pario_err_set(&err, PARIO_USAGE, "usage: pario clean [DIR]");
		return pario_cmd_say(&err);
	}
	status = pario_workspace_clean(argc ? argv[0] : ".", &removed, &left, &err);
	show_all("removed", &removed);
	show_all("left (in use, or not a workspace of pario alone)", &left);
	if (status == 0 && !removed.length && !left.length)
		show("nothing to remove in", argc ? argv[0] : ".");
	pario_text_release(&removed);
	pario_text_release(&left);
	return status < 0 ? pario_cmd_say(&err) : 0;
}
