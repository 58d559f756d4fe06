/*
 * place: by the text of names alone: no file is looked at, so that nothing outside the tree can be reached.
 */
#include "tests/replay/model/place.h"

#include <stdio.h>
#include <string.h>

#define DELETED " (deleted)"

enum { NAME_LENGTH = 255 };

/* Appends a component, or takes the last one away for "..". False when there is no room. */
static bool step(char *path, size_t *length, const char *name, size_t bytes)
{
	if (bytes == 0 || (bytes == 1 && name[0] == '.'))
		return true;
	if (bytes == 2 && name[0] == '.' && name[1] == '.') {
		while (*length > 0 && path[--*length] != '/')
			;
		return true;
	}
	if (bytes > NAME_LENGTH || *length + bytes + 2 > PARIO_PLACE_CAPACITY)
		return false;
	if (*length > 0)
		path[(*length)++] = '/';
	memcpy(path + *length, name, bytes);
	*length += bytes;
	return true;
}

static bool walk(char *path, size_t *length, const char *name, size_t bytes)
{
	const char *end = name + bytes;

	while (name < end) {
		const char *slash = memchr(name, '/', (size_t)(end - name));
		const char *stop = slash ? slash : end;

		if (!step(path, length, name, (size_t)(stop - name)))
			return false;
		name = stop + (slash != NULL);
	}
	return true;
}

static void finish(char *path, size_t length)
{
	if (length == 0)
		path[length++] = '.';
	path[length] = '\0';
}

/* The kernel marks the names of files that are open and have none any more. */
static size_t length_of(const char *name)
{
	size_t length = strlen(name), mark = strlen(DELETED);

	return length > mark && strcmp(name + length - mark, DELETED) == 0 ? length - mark : length;
}

bool pario_replay_place(const char *name, char path[PARIO_PLACE_CAPACITY])
{
	size_t length = 0;

	if (!*name || !walk(path, &length, name, length_of(name)))
		return false;
	finish(path, length);
	return true;
}

static bool goes_up(const char *name)
{
	for (const char *dots = name; (dots = strstr(dots, "..")); dots += 2) {
		if ((dots == name || dots[-1] == '/') && (dots[2] == '\0' || dots[2] == '/'))
			return true;
	}
	return false;
}

bool pario_replay_place_below(const char *directory, const char *name,
			      char path[PARIO_PLACE_CAPACITY])
{
	size_t length = strlen(directory);

	return strncmp(name, directory, length) == 0 && name[length] == '/' &&
	       !goes_up(name + length) && pario_replay_place(name + length, path);
}

bool pario_replay_link_place(const char *link, const char *text, char path[PARIO_PLACE_CAPACITY])
{
	size_t length = 0;

	if (!*text)
		return false;
	if (*text != '/' &&
	    (!walk(path, &length, link, strlen(link)) || !step(path, &length, "..", 2)))
		return false;
	if (!walk(path, &length, text, strlen(text)))
		return false;
	finish(path, length);
	return true;
}

bool pario_replay_parent(const char *path, char parent[PARIO_PLACE_CAPACITY])
{
	const char *slash = strrchr(path, '/');

	if (strcmp(path, ".") == 0)
		return false;
	snprintf(parent, PARIO_PLACE_CAPACITY, "%.*s", slash ? (int)(slash - path) : 1,
		 slash ? path : ".");
	return true;
}
