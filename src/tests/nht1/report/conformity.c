/*
 * conformity: every line is yes or no with its evidence; the statement's first line says what they come to.
 */
#include "tests/nht1/report/conformity.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "journal/table.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/report/compute_time.h"

struct statement {
	const struct pario_history *history;
	struct pario_text lines, missing; /* and the subjects that are not as NHT-1 wants them */
};

static void line(struct statement *s, const char *what, bool yes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void line(struct statement *s, const char *what, bool yes, const char *format, ...)
{
	struct pario_text evidence = { 0 };
	va_list args;

	if (!yes)
		pario_text_add(&s->missing, "%s%s", s->missing.length ? ", " : "", what);
	va_start(args, format);
	pario_text_vadd(&evidence, format, args);
	va_end(args);
	pario_text_add(&s->lines, "    %-14s %-3s  ", what, yes ? "yes" : "no");
	pario_text_clean(&s->lines, pario_text_string(&evidence));
	pario_text_add(&s->lines, "\n");
	pario_text_release(&evidence);
}

static void finish(struct statement *s, struct pario_text *out)
{
	pario_text_add(out, "  NHT-1's conditions: %s%s\n%s",
		       s->missing.length ? "NOT CONFORMING in " : "all are met",
		       pario_text_string(&s->missing), pario_text_string(&s->lines));
	pario_text_release(&s->lines);
	pario_text_release(&s->missing);
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

/* A journal may come from anywhere. */
static const char *size_of(char *buf, double bytes)
{
	return bytes >= 0 && bytes < 1e18 ? pario_units_size(buf, (uint64_t)bytes) : "?";
}

static const char *machine(const struct statement *s, const char *part, const char *name)
{
	const json_t *m = json_object_get(json_object_get(s->history->begin, "machine"), part);
	const char *text = json_string_value(json_object_get(m, name));

	return text ? text : "unknown";
}

static const char *value_of(const struct statement *s, const json_t *result, const char *name)
{
	const char *value = pario_history_text(json_object_get(result, "params"), name);

	if (!*value)
		value = pario_history_param(s->history, name);
	return value && *value ? value : "unknown";
}

static void memory_moved(struct statement *s, const json_t *result, double bytes)
{
	double memory = pario_history_metric(result, "S_MEM");
	double allowed = pario_history_metric(result, "memory_allowed");
	char moved[PARIO_UNITS_CAPACITY], all[PARIO_UNITS_CAPACITY], some[PARIO_UNITS_CAPACITY];
	bool bounded = allowed < memory;

	line(s, "memory moved", bytes >= PARIO_NHT1_SHARE * memory,
	     "%s of %s, %.2f %%; at least 80 %% is asked for%s%s%s", size_of(moved, bytes),
	     size_of(all, memory), 100 * bytes / memory,
	     bounded ? "; a container or cgroup allows only " : "",
	     bounded ? size_of(some, allowed) : "", bounded ? " of it" : "");
}

static void nodes(struct statement *s, const json_t *result)
{
	double here = pario_history_metric(result, "nodes");
	double left_out = pario_history_metric(result, "nodes_left_out");

	if (isnan(here) || isnan(left_out))
		line(s, "nodes", false, "the run did not tell whether some were left out");
	else
		line(s, "nodes", left_out == 0, "%.0f of %.0f that the run was started on", here,
		     here + left_out);
}

static void durability(struct statement *s, const char *what)
{
	const char *type = machine(s, "filesystem", "type");
	bool memory = strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0;

	line(s, "durability", !memory, "%s, on %s%s", what, type,
	     memory ? ", which keeps its data in memory"
		    : "; a cache in the device cannot be seen");
}

/* Of files that are read; the kernel was asked for their pages before. */
static void cache_state(struct statement *s, const json_t *result, const char *what)
{
	const json_t *cache = json_object_get(result, "cache");
	double total = number(cache, "pages_total"), resident = number(cache, "pages_resident");

	line(s, "cache state", total > 0 && resident == 0,
	     "%.0f of %.0f pages of %s were cached before it was read (%s)", resident, total, what,
	     *pario_history_text(cache, "method") ? pario_history_text(cache, "method")
						  : "not counted");
}

void pario_nht1_conformity_peak(struct pario_text *out, const struct pario_history *history,
				const json_t *write, const json_t *read)
{
	struct statement s = { .history = history };
	double bytes = number(read, "bytes"),
	       verified = pario_history_metric(read, "verified_bytes");

	memory_moved(&s, read, bytes < number(write, "bytes") ? bytes : number(write, "bytes"));
	nodes(&s, read);
	line(&s, "same data", verified == bytes && bytes == number(write, "bytes"),
	     "%.0f bytes written, %.0f read, %.0f compared with what was written; memory held other "
	     "random data before the read",
	     number(write, "bytes"), bytes, isnan(verified) ? 0.0 : verified);
	durability(&s, "fsync of every file and its directory within T_PWRITE");
	cache_state(&s, read, "the files");
	line(&s, "transfer path", true, "a file of each client, from its memory and back to it");
	finish(&s, out);
}

/* The name of the command by which the file went, as its evidence has it. */
static const char *command_of(const json_t *result)
{
	struct pario_result_table_view evidence;
	struct pario_err unused;

	if (pario_result_table_find(result, "evidence", &evidence, &unused) < 0)
		return "";
	for (size_t i = 0; i < evidence.row_count; i++) {
		const char *value = pario_result_table_text(&evidence, i, 1);
		const char *slash = strrchr(value, '/');

		if (strcmp(pario_result_table_text(&evidence, i, 0), "command") == 0)
			return slash ? slash + 1 : value;
	}
	return "";
}

void pario_nht1_conformity_network(struct pario_text *out, const struct pario_history *history,
				   const json_t *result)
{
	struct statement s = { .history = history };
	double bytes = pario_history_metric(result, "S_FILE");
	double loopback = pario_history_metric(result, "loopback_bytes");
	bool chained = strcmp(pario_history_text(result, "test"), "nht1") == 0;
	const char *command = command_of(result);

	memory_moved(&s, result, bytes);
	nodes(&s, result);
	line(&s, "same data", chained, "%s",
	     chained ? "the files of the peak test above, combined into one and compared with what it wrote"
		     : "made for this test, not the peak test's: `pario run nht1` transfers those");
	cache_state(&s, result, "the source");
	durability(&s,
		   "fsync of the destination after T_TRANSFER, in which NHT-1 does not ask for it");
	line(&s, "transfer path", strstr(command, "ftp") && loopback >= bytes,
	     "by %s through lo, which carried %.0f bytes meanwhile; both files have the checksum of the "
	     "data",
	     *command ? command : "an unknown command", loopback);
	finish(&s, out);
}

static void compute_time(struct statement *s, double t_c, const char *origin)
{
	bool run = strcmp(origin, "run") == 0 && t_c > 0;

	line(s, "T_C's origin", run, "%s",
	     run ? "best verified time of this class on as many clients, in this run"
	     : isnan(t_c)
		     ? "there is none"
		     : "given by --t_c: nothing here shows that the system was configured alike");
}

void pario_nht1_conformity_application(struct pario_text *out, const struct pario_history *history,
				       const json_t *result, double t_c, const char *origin)
{
	struct statement s = { .history = history };
	const char *layout = value_of(&s, result, "layout");
	const char *interval = value_of(&s, result, "write_interval");
	double recomputed = pario_history_metric(result, "recomputed");
	double clients = number(result, "clients");
	char class = pario_nht1_class(history, result);

	line(&s, "size", class == 'B' && strcmp(interval, "5") == 0,
	     "class %c, a vector every %s steps, %.0f bytes; NHT-1 is B, every 5",
	     class ? class : '?', interval, number(result, "bytes"));
	nodes(&s, result);
	compute_time(&s, t_c, origin);
	line(&s, "one file", strcmp(layout, "epio") != 0 || clients == 1,
	     "layout %s; vectors one after the other, [z][y][x][5] native doubles", layout);
	line(&s, "verified",
	     !isnan(recomputed) && pario_history_metric(result, "norms_checked") > 0, "%s; %s",
	     recomputed == 1 ? "every byte is that of another run of the solver"
			     : "every line of points has the checksum it had in memory",
	     pario_history_metric(result, "norms_checked") > 0
		     ? "error norms are the published ones"
		     : "nothing is published to compare it with");
	durability(&s, "fsync within T_T");
	line(&s, "cache state", true, "nothing is read within T_T");
	line(&s, "transfer path", true, "%s, %s", value_of(&s, result, "api"),
	     value_of(&s, result, "mode"));
	finish(&s, out);
}
