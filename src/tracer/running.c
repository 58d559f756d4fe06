/*
 * running: a traced program has PARIO_TRACE in its environment; a tracer by ptrace has segments open.
 */
#include "tracer/running.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PREFIX[] = "/pario-trace-";

/* "tsc:0:/tmp/others:/path/pario-trace-x": the directory is behind the third colon (setup.c). */
static bool in_environment(int pid, char *directory, size_t capacity)
{
	char path[64], *line = NULL;
	size_t line_capacity = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	file = fopen(path, "re");
	while (file && !found && getdelim(&line, &line_capacity, '\0', file) > 0) {
		const char *at = strncmp(line, "PARIO_TRACE=", 12) == 0 ? line : NULL;

		for (int i = 0; at && i < 3; i++)
			at = strchr(at + (i > 0), ':');
		found = at && at[1] == '/';
		if (found)
			snprintf(directory, capacity, "%s", at + 1);
	}
	if (file)
		fclose(file);
	free(line);
	return found;
}

/* Segments are called PID.NUMBER; "ask" is where new programs report. Such directories may hold others. */
static bool is_of_trace(const char *name)
{
	return strcmp(name, "ask") == 0 || (*name && !name[strspn(name, "0123456789.")]);
}

static bool in_descriptors(int pid, char *directory, size_t capacity)
{
	char path[320], name[4096];
	const struct dirent *entry;
	bool found = false;
	DIR *list;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	list = opendir(path);
	while (list && !found && (entry = readdir(list))) {
		char *at, *end;
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		n = readlink(path, name, sizeof(name) - 1);
		name[n > 0 ? n : 0] = '\0';
		at = strstr(name, PREFIX);
		end = at ? strchr(at + 1, '/') : NULL;
		found = end && is_of_trace(end + 1);
		if (found)
			snprintf(directory, capacity, "%.*s", (int)(end - name), name);
	}
	if (list)
		closedir(list);
	return found;
}

static void name_of(int pid, char *name, size_t capacity)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	*name = '\0';
	if (file && fgets(name, (int)capacity, file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
}

size_t pario_running_find(struct pario_running running[PARIO_RUNNING_MAX])
{
	DIR *list = opendir("/proc");
	const struct dirent *entry;
	char directory[4096];
	size_t count = 0;

	while (list && count < PARIO_RUNNING_MAX && (entry = readdir(list))) {
		int pid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : 0;
		bool traced = pid > 0 && in_environment(pid, directory, sizeof(directory));
		size_t k = 0;

		if (pid <= 0 || pid == getpid() ||
		    (!traced && !in_descriptors(pid, directory, sizeof(directory))) ||
		    access(directory, R_OK | X_OK) < 0)
			continue;
		while (k < count && strcmp(running[k].directory, directory) != 0)
			k++;
		if (k < count && !traced) /* the program's name says more than the tracer's */
			continue;
		snprintf(running[k].directory, sizeof(running[k].directory), "%s", directory);
		name_of(pid, running[k].program, sizeof(running[k].program));
		running[k].pid = pid;
		count += k == count;
	}
	if (list)
		closedir(list);
	return count;
}
