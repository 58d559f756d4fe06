/*
 * system_read: a SYSTEM from its file. The file is foreign: every number is checked before it is used.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/input.h"
#include "predict/system/system.h"

enum { LARGEST_FILE = 64 << 20, LARGEST_CLIENTS = 1 << 24 };

/* Beyond these nothing can be meant: sums of them stay finite, and bytes fit into 64 bits. */
static const double LARGEST = 1e18, LARGEST_SECONDS = 1e9;

/* Where in the file something is wrong; the first finder writes it. */
struct reading {
	const char *path;
	struct pario_err *err;
	bool failed;
};

static void wrong(struct reading *r, const char *where, const char *what)
{
	if (!r->failed)
		pario_err_set(r->err, PARIO_USAGE,
			      "%s is damaged: \"%s\" %s. Characterize the system again.", r->path,
			      where, what);
	r->failed = true;
}

static const json_t *list_of(struct reading *r, const json_t *object, const char *key)
{
	const json_t *list = json_object_get(object, key);

	if (list && !json_is_array(list)) {
		wrong(r, key, "is no list");
		return NULL;
	}
	return list;
}

/* A number that was measured, or NaN for null and what is not there. */
static double real_of(struct reading *r, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	double number = json_is_number(value) ? json_number_value(value) : NAN;

	if (value && !json_is_number(value) && !json_is_null(value))
		wrong(r, key, "is no number");
	else if (number < 0 || isinf(number))
		wrong(r, key, "is below zero or infinite");
	else if (number > LARGEST)
		wrong(r, key, "is too large");
	return number;
}

/* Seconds, or seconds per byte. */
static double needed(struct reading *r, const json_t *object, const char *key)
{
	double number = real_of(r, object, key);

	if (isnan(number))
		wrong(r, key, "has no number");
	else if (number > LARGEST_SECONDS)
		wrong(r, key, "is too large");
	return number;
}

static uint64_t whole_of(struct reading *r, const json_t *object, const char *key, uint64_t most)
{
	double number = real_of(r, object, key);

	if (!(number >= 0)) /* there is none, or it was refused */
		return 0;
	if (number > (double)most) {
		wrong(r, key, "is too large");
		return 0;
	}
	return (uint64_t)number;
}

static uint32_t clients_of(struct reading *r, const json_t *object)
{
	uint32_t clients = (uint32_t)whole_of(r, object, "clients", LARGEST_CLIENTS);

	if (clients == 0)
		wrong(r, "clients", "is missing or zero");
	return clients;
}

static int word_of(struct reading *r, const json_t *object, const char *key,
		   const char *const *words, int count)
{
	const char *word = json_string_value(json_object_get(object, key));

	for (int i = 0; word && i < count; i++) {
		if (strcmp(words[i], word) == 0)
			return i;
	}
	wrong(r, key, "is not one of the words of docs/system-format.md");
	return 0;
}

static void text_of(const json_t *object, const char *key, char *text, size_t capacity)
{
	const char *word = json_string_value(json_object_get(object, key));

	snprintf(text, capacity, "%s", word ? word : "");
}

static void *kept(struct reading *r, void *added)
{
	if (!added && !r->failed) {
		pario_err_memory(r->err, "reading %s", r->path);
		r->failed = true;
	}
	return added;
}

static void read_piece(struct reading *r, struct pario_system_surface *s, const json_t *object)
{
	struct pario_system_piece *p = kept(r, pario_system_add_piece(s));

	if (!p)
		return;
	p->from_bytes = whole_of(r, object, "from_bytes", UINT64_MAX / 2);
	p->to_bytes = whole_of(r, object, "to_bytes", UINT64_MAX / 2);
	p->t_call = needed(r, object, "t_call");
	p->t_trans = needed(r, object, "t_trans");
	if (p->to_bytes < p->from_bytes)
		wrong(r, "to_bytes", "lies before from_bytes");
}

static void read_point(struct reading *r, struct pario_system_surface *s, const json_t *object)
{
	struct pario_system_point *p = kept(r, pario_system_add_point(s));

	if (!p)
		return;
	p->bytes = whole_of(r, object, "bytes", UINT64_MAX / 2);
	p->seconds = needed(r, object, "seconds");
	p->low = real_of(r, object, "low");
	p->high = real_of(r, object, "high");
	p->repetitions = (uint32_t)whole_of(r, object, "repetitions", UINT32_MAX);
	if (s->point_count > 1 && p[-1].bytes >= p->bytes)
		wrong(r, "points", "do not grow in bytes");
	if (isnan(p->low))
		p->low = p->seconds;
	if (isnan(p->high))
		p->high = p->seconds;
}

static void read_surface(struct reading *r, struct pario_system *system, const json_t *object)
{
	struct pario_system_surface *s = kept(r, pario_system_add_surface(system));
	const json_t *item;
	size_t i;

	if (!s)
		return;
	s->op = (enum pario_system_op)word_of(r, object, "op", pario_system_op_names,
					      PARIO_SYSTEM_OPS);
	s->locality = (enum pario_system_locality)word_of(
		r, object, "locality", pario_system_locality_names, PARIO_SYSTEM_LOCALITIES);
	s->path = (enum pario_system_path)word_of(r, object, "path", pario_system_path_names,
						  PARIO_SYSTEM_PATHS);
	s->distance_bytes = whole_of(r, object, "distance_bytes", UINT64_MAX / 2);
	s->clients = clients_of(r, object);
	s->shared = json_is_true(json_object_get(object, "shared"));
	s->residual_rsd = real_of(r, object, "residual_rsd");
	json_array_foreach(list_of(r, object, "pieces"), i, item)
	{
		read_piece(r, s, item);
	}
	json_array_foreach(list_of(r, object, "points"), i, item)
	{
		read_point(r, s, item);
	}
	if (s->piece_count + s->point_count == 0)
		wrong(r, "surfaces", "holds one without pieces and points");
}

static void read_devices(struct reading *r, struct pario_system *s, const json_t *root, bool write)
{
	const json_t *device = json_object_get(root, "device"), *item;
	uint32_t before = 0;
	size_t i;

	json_array_foreach(list_of(r, device, write ? "write" : "read"), i, item)
	{
		struct pario_system_device *d = kept(r, pario_system_add_device(s, write));

		if (!d)
			return;
		d->clients = clients_of(r, item);
		d->bytes_per_second = real_of(r, item, "bytes_per_second");
		d->operations_per_second = real_of(r, item, "operations_per_second");
		if (d->clients <= before)
			wrong(r, "device", "does not grow in clients");
		before = d->clients;
	}
}

static void read_messages(struct reading *r, struct pario_system *s, const json_t *root)
{
	const json_t *messages = json_object_get(root, "messages"), *item;
	uint32_t before = 0;
	size_t i;

	s->message_latency_seconds = real_of(r, messages, "latency_seconds");
	s->message_bytes_per_second = real_of(r, messages, "bytes_per_second");
	json_array_foreach(list_of(r, messages, "barriers"), i, item)
	{
		struct pario_system_barrier *b = kept(r, pario_system_add_barrier(s));

		if (!b)
			return;
		b->clients = clients_of(r, item);
		b->seconds = needed(r, item, "seconds");
		if (b->clients <= before)
			wrong(r, "barriers", "do not grow in clients");
		before = b->clients;
	}
}

static void read_head(struct reading *r, struct pario_system *s, const json_t *root)
{
	const json_t *mount = json_object_get(root, "mount");
	json_t *machine = json_object_get(root, "machine");

	text_of(root, "program", s->program, sizeof(s->program));
	text_of(root, "measured", s->measured, sizeof(s->measured));
	text_of(root, "name", s->name, sizeof(s->name));
	text_of(root, "journal", s->journal, sizeof(s->journal));
	text_of(mount, "point", s->point, sizeof(s->point));
	text_of(mount, "filesystem", s->filesystem, sizeof(s->filesystem));
	text_of(mount, "source", s->source, sizeof(s->source));
	s->seconds = real_of(r, root, "seconds");
	s->noise_floor_rsd = real_of(r, root, "noise_floor_rsd");
	s->machine = json_is_object(machine) ? json_incref(machine) : NULL;
	/* all memory is taken for the cache where that was not measured */
	real_of(r, machine, "memory_bytes");
}

static void read_memory(struct reading *r, struct pario_system *s, const json_t *root)
{
	const json_t *memory = json_object_get(root, "memory");

	s->cache_bytes = real_of(r, memory, "cache_bytes");
	s->read_ahead_bytes = real_of(r, memory, "read_ahead_bytes");
	s->reopened_read_seconds = real_of(r, memory, "reopened_read_seconds");
	s->found_read_seconds = real_of(r, memory, "found_read_seconds");
	s->dirty_background_bytes = real_of(r, memory, "dirty_background_bytes");
	s->dirty_limit_bytes = real_of(r, memory, "dirty_limit_bytes");
	s->write_back_bytes_per_second = real_of(r, memory, "write_back_bytes_per_second");
}

static void read_coverage(struct reading *r, struct pario_system *s, const json_t *root)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list_of(r, root, "coverage"), i, item)
	{
		const char *what = json_string_value(json_object_get(item, "what"));
		const char *why = json_string_value(json_object_get(item, "why"));

		if (!what || !why)
			wrong(r, "coverage", "holds one without what and why");
		else if (pario_system_add_gap(s, what, why) < 0)
			kept(r, NULL);
	}
}

static int known_schema(struct reading *r, const json_t *root)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));

	if (schema && strcmp(schema, PARIO_SYSTEM_SCHEMA) == 0)
		return 0;
	if (schema && strncmp(schema, "pario-system/", 13) == 0)
		return pario_err_set(
			r->err, PARIO_USAGE,
			"%s has the schema %.40s; this pario reads " PARIO_SYSTEM_SCHEMA
			". Characterize the system again, or use the pario that wrote it.",
			r->path, schema);
	return pario_err_set(r->err, PARIO_USAGE,
			     "%s is not a SYSTEM file: it has no schema " PARIO_SYSTEM_SCHEMA
			     ". `pario characterize DIR -o FILE` makes one.",
			     r->path);
}

static int read_all(struct reading *r, struct pario_system *s, const json_t *root)
{
	const json_t *item;
	size_t i;

	if (known_schema(r, root) < 0)
		return -1;
	read_head(r, s, root);
	read_memory(r, s, root);
	read_messages(r, s, root);
	read_devices(r, s, root, false);
	read_devices(r, s, root, true);
	json_array_foreach(list_of(r, root, "surfaces"), i, item)
	{
		read_surface(r, s, item);
	}
	if (s->surface_count == 0)
		wrong(r, "surfaces", "is missing or empty, so nothing has a cost");
	read_coverage(r, s, root);
	return r->failed ? -1 : 0;
}

/* Only regular files of a size that a SYSTEM can have. */
static json_t *parsed(const char *path, struct pario_err *err)
{
	FILE *file = pario_input_stream(path, "The SYSTEM file", err);
	json_error_t where;
	json_t *root;

	if (!file)
		return NULL;
	if (fseeko(file, 0, SEEK_END) < 0 || ftello(file) > LARGEST_FILE) {
		fclose(file);
		pario_err_set(
			err, PARIO_USAGE,
			"%s is not a SYSTEM file: it is too large. `pario characterize DIR -o "
			"FILE` makes one.",
			path);
		return NULL;
	}
	rewind(file);
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &where);
	fclose(file);
	if (!root)
		pario_err_set(err, PARIO_USAGE,
			      "%s is not a SYSTEM file: line %d is not JSON (%s). "
			      "`pario characterize DIR -o FILE` makes one.",
			      path, where.line, where.text);
	return root;
}

int pario_system_load(struct pario_system *s, const char *path, struct pario_err *err)
{
	struct reading r = { .path = path, .err = err };
	json_t *root = parsed(path, err);
	int status;

	pario_system_init(s);
	if (!root)
		return -1;
	status = read_all(&r, s, root);
	json_decref(root);
	if (status < 0)
		pario_system_release(s);
	return status;
}
