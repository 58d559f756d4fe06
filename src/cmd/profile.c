/*
 * profile: what did the program do?
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/tracing.h"
#include "profile/export.h"
#include "profile/show.h"

struct wishes {
	const char *trace, *symbols;
	const char *export[PARIO_EXPORTS];
	unsigned rows;
};

static int usage(struct pario_err *err, const char *what, const char *word)
{
	return pario_err_set(
		err, PARIO_USAGE,
		"%s %s; usage: pario profile TRACE [--rows N] [--symbols DIR] [--journal DIR] [--csv FILE] [--perfetto FILE]",
		what, word);
}

static int take(struct wishes *w, const char *name, const char *value, struct pario_err *err)
{
	char *end;

	if (strcmp(name, "symbols") == 0) {
		w->symbols = value;
	} else if (strcmp(name, "rows") == 0) {
		unsigned long rows = strtoul(value, &end, 10);

		if (*value < '0' || *value > '9' || *end || rows < 1 || rows > 1000000)
			return pario_err_set(err, PARIO_USAGE,
					     "--rows takes a number from 1 to 1000000, not %s.",
					     value);
		w->rows = (unsigned)rows;
	} else {
		for (int i = 0; i < PARIO_EXPORTS; i++) {
			if (strcmp(name, pario_export_names[i]) == 0) {
				w->export[i] = value;
				return 0;
			}
		}
		return usage(err, "unknown option", name);
	}
	return 0;
}

static int parse(struct wishes *w, int argc, char **argv, struct pario_err *err)
{
	for (int i = 0; i < argc; i++) {
		char name[32];
		char *equals;

		if (strncmp(argv[i], "--", 2) != 0) {
			if (w->trace)
				return usage(err, "one trace at a time, not also", argv[i]);
			w->trace = argv[i];
			continue;
		}
		snprintf(name, sizeof(name), "%s", argv[i] + 2);
		equals = strchr(name, '=');
		if (equals)
			*equals = '\0';
		else if (i + 1 >= argc)
			return usage(err, "a value is missing after", argv[i]);
		if (take(w, name, equals ? strchr(argv[i], '=') + 1 : argv[++i], err) < 0)
			return -1;
	}
	return w->trace ? 0 : usage(err, "a trace", "is missing");
}

/* A directory of segments, left by a launcher that was killed: packed into a file of its own first. */
static int pack_first(const char *directory, char *path, size_t room, struct pario_err *err)
{
	struct pario_pack_anchor anchors[2] = { 0 };
	struct pario_pack_totals totals = { 0 };
	struct pario_pack pack;
	const char *tmp = getenv("TMPDIR");
	int fd, status;

	snprintf(path, room, "%s/pario-profile-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return pario_err_sys(err, errno, NULL,
				     "A temporary file for the trace cannot be made in %s", path);
	close(fd);
	if (pario_pack_open(&pack, path, 0, err) < 0)
		return -1;
	status = pario_pack_directory(&pack, directory, anchors, &totals, err);
	if (pario_pack_close(&pack, status < 0 ? NULL : err) < 0 || status < 0)
		return -1;
	if (totals.segments == 0)
		return pario_err_set(err, PARIO_USAGE, "%s holds no segments of a trace.",
				     directory);
	return 0;
}

static int show(const struct wishes *w, const char *path, struct pario_err *err)
{
	struct pario_exports exports = { 0 };
	struct pario_profile profile;
	struct pario_symbols *symbols = pario_symbols_new(w->symbols);
	struct pario_text text = { 0 };
	int status = -1;

	if (pario_exports_open(&exports, w->export, err) == 0 &&
	    pario_profile_read(&profile, path, pario_exports_see, &exports, err) == 0) {
		status = pario_exports_close(&exports, &profile, w->trace, err);
		pario_profile_show(&profile, symbols, w->rows, &text);
		pario_profile_release(&profile);
		fputs(pario_text_string(&text), stdout);
	} else {
		pario_exports_close(&exports, NULL, NULL, NULL);
	}
	pario_text_release(&text);
	pario_symbols_free(symbols);
	return status;
}

int pario_cmd_profile(int argc, char **argv)
{
	struct wishes w = { .rows = 20 };
	struct pario_err err = { 0 };
	char packed[4096] = "";
	struct stat st;
	int status;

	if (parse(&w, argc, argv, &err) < 0)
		return pario_cmd_say(&err);
	if (stat(w.trace, &st) == 0 && S_ISDIR(st.st_mode)) {
		status = pack_first(w.trace, packed, sizeof(packed), &err);
		if (status == 0)
			status = show(&w, packed, &err);
		if (*packed)
			unlink(packed);
	} else {
		status = show(&w, w.trace, &err);
	}
	return status < 0 ? pario_cmd_say(&err) : 0;
}
