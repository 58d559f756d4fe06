/*
 * system_write: a SYSTEM as a file that people can read, too: one line for each surface.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/output.h"
#include "predict/system/system.h"

enum { LINES = 3 }; /* brackets up to this depth begin lines */

static void surface(struct pario_json *json, const struct pario_system_surface *s)
{
	pario_json_open(json, NULL, '{');
	pario_json_string(json, "op", pario_system_op_names[s->op]);
	pario_json_string(json, "locality", pario_system_locality_names[s->locality]);
	pario_json_u64(json, "distance_bytes", s->distance_bytes);
	pario_json_string(json, "path", pario_system_path_names[s->path]);
	pario_json_u64(json, "clients", s->clients);
	pario_json_bool(json, "shared", s->shared);
	pario_json_open(json, "pieces", '[');
	for (size_t i = 0; i < s->piece_count; i++) {
		pario_json_open(json, NULL, '{');
		pario_json_u64(json, "from_bytes", s->pieces[i].from_bytes);
		pario_json_u64(json, "to_bytes", s->pieces[i].to_bytes);
		pario_json_real(json, "t_call", s->pieces[i].t_call);
		pario_json_real(json, "t_trans", s->pieces[i].t_trans);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
	pario_json_open(json, "points", '[');
	for (size_t i = 0; i < s->point_count; i++) {
		pario_json_open(json, NULL, '{');
		pario_json_u64(json, "bytes", s->points[i].bytes);
		pario_json_real(json, "seconds", s->points[i].seconds);
		pario_json_real(json, "low", s->points[i].low);
		pario_json_real(json, "high", s->points[i].high);
		pario_json_u64(json, "repetitions", s->points[i].repetitions);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
	pario_json_real(json, "residual_rsd", s->residual_rsd);
	pario_json_close(json, '}');
}

static void devices(struct pario_json *json, const char *key, const struct pario_system_device *d,
		    size_t count)
{
	pario_json_open(json, key, '[');
	for (size_t i = 0; i < count; i++) {
		pario_json_open(json, NULL, '{');
		pario_json_u64(json, "clients", d[i].clients);
		pario_json_real(json, "bytes_per_second", d[i].bytes_per_second);
		pario_json_real(json, "operations_per_second", d[i].operations_per_second);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
}

static void memory(struct pario_json *json, const struct pario_system *s)
{
	pario_json_open(json, "memory", '{');
	pario_json_real(json, "cache_bytes", s->cache_bytes);
	pario_json_real(json, "read_ahead_bytes", s->read_ahead_bytes);
	pario_json_real(json, "reopened_read_seconds", s->reopened_read_seconds);
	pario_json_real(json, "found_read_seconds", s->found_read_seconds);
	pario_json_real(json, "dirty_background_bytes", s->dirty_background_bytes);
	pario_json_real(json, "dirty_limit_bytes", s->dirty_limit_bytes);
	pario_json_real(json, "write_back_bytes_per_second", s->write_back_bytes_per_second);
	pario_json_close(json, '}');
}

static void messages(struct pario_json *json, const struct pario_system *s)
{
	pario_json_open(json, "messages", '{');
	pario_json_real(json, "latency_seconds", s->message_latency_seconds);
	pario_json_real(json, "bytes_per_second", s->message_bytes_per_second);
	pario_json_open(json, "barriers", '[');
	for (size_t i = 0; i < s->barrier_count; i++) {
		pario_json_open(json, NULL, '{');
		pario_json_u64(json, "clients", s->barriers[i].clients);
		pario_json_real(json, "seconds", s->barriers[i].seconds);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
	pario_json_close(json, '}');
}

static void head(struct pario_json *json, const struct pario_system *s)
{
	char *machine = s->machine ? json_dumps(s->machine, JSON_COMPACT) : NULL;

	pario_json_string(json, "schema", PARIO_SYSTEM_SCHEMA);
	pario_json_string(json, "program", s->program);
	pario_json_string(json, "measured", s->measured);
	pario_json_string(json, "name", s->name);
	pario_json_open(json, "mount", '{');
	pario_json_string(json, "point", s->point);
	pario_json_string(json, "filesystem", s->filesystem);
	pario_json_string(json, "source", s->source);
	pario_json_close(json, '}');
	pario_json_string(json, "journal", s->journal);
	pario_json_real(json, "seconds", s->seconds);
	pario_json_real(json, "noise_floor_rsd", s->noise_floor_rsd);
	pario_text_add(&json->text, ",\"machine\":%s", machine ? machine : "null");
	free(machine);
}

static void all(struct pario_json *json, const struct pario_system *s)
{
	pario_json_open(json, NULL, '{');
	head(json, s);
	memory(json, s);
	messages(json, s);
	pario_json_open(json, "device", '{');
	devices(json, "read", s->read, s->read_count);
	devices(json, "write", s->write, s->write_count);
	pario_json_close(json, '}');
	pario_json_open(json, "surfaces", '[');
	for (size_t i = 0; i < s->surface_count; i++)
		surface(json, &s->surfaces[i]);
	pario_json_close(json, ']');
	pario_json_open(json, "coverage", '[');
	for (size_t i = 0; i < s->coverage_count; i++) {
		pario_json_open(json, NULL, '{');
		pario_json_string(json, "what", s->coverage[i].what);
		pario_json_string(json, "why", s->coverage[i].why);
		pario_json_close(json, '}');
	}
	pario_json_close(json, ']');
	pario_json_close(json, '}');
}

/* New lines after the commas and brackets of the outer levels; commas within strings are none. */
static void lay_out(struct pario_text *out, const char *json)
{
	unsigned depth = 0;
	bool quoted = false;

	for (const char *c = json; *c; c++) {
		bool opens = !quoted && (*c == '{' || *c == '[');
		bool closes = !quoted && (*c == '}' || *c == ']');

		if (closes && depth-- < LINES && c[-1] != '[' && c[-1] != '{')
			pario_text_add(out, "\n%*s", (int)depth, "");
		if (quoted && *c == '\\')
			pario_text_bytes(out, c++, 1);
		else if (*c == '"')
			quoted = !quoted;
		pario_text_bytes(out, c, 1);
		depth += opens;
		if ((opens || (!quoted && *c == ',')) && depth < LINES && c[1] != ']' &&
		    c[1] != '}')
			pario_text_add(out, "\n%*s", (int)depth, "");
	}
	pario_text_add(out, "\n");
}

int pario_system_save(const struct pario_system *s, const char *path, bool force,
		      struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = "\"" PARIO_SYSTEM_SCHEMA "\"",
						.force = force };
	struct pario_json json = { 0 };
	struct pario_text text = { 0 };
	int status;

	all(&json, s);
	lay_out(&text, pario_text_string(&json.text));
	if (json.text.failed || text.failed)
		status = pario_err_memory(err, "writing %s", path);
	else
		status = pario_output_text(AT_FDCWD, path, &rule, &text, err);
	pario_text_release(&text);
	pario_json_release(&json);
	return status;
}
