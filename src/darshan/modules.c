/*
 * modules: which module stands at which place of the header, and the records of those whose length differs from record
 * to record: calls of DXT, heat maps and the stripes of Lustre.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "darshan/counters.h"
#include "darshan/region.h"

enum { MODULES = 18, HOST = 64, COMPONENT = 9 };

/* Places were inserted twice: in 3.20 data sets of HDF5, in 3.41 variables of PnetCDF. */
static const char *const since_3_41[MODULES] = {
	NULL,	       "POSIX", "MPI-IO", "H5F",     "H5D",	  "PNETCDF_FILE",
	"PNETCDF_VAR", "BG/Q",	"LUSTRE", "STDIO",   "DXT_POSIX", "DXT_MPIIO",
	"MDHIM",       "APXC",	"APMPI",  "HEATMAP", "DFS",	  "DAOS"
};
static const char *const since_3_20[MODULES] = { NULL,	  "POSIX",	  "MPI-IO",    "H5F",
						 "H5D",	  "PNETCDF_FILE", "BG/Q",      "LUSTRE",
						 "STDIO", "DXT_POSIX",	  "DXT_MPIIO", "MDHIM",
						 "APXC",  "APMPI",	  "HEATMAP" };
static const char *const before[MODULES] = { NULL,	     "POSIX",	  "MPI-IO", "H5F",
					     "PNETCDF_FILE", "BG/Q",	  "LUSTRE", "STDIO",
					     "DXT_POSIX",    "DXT_MPIIO", "MDHIM" };

const char *pario_darshan_module_name(const struct pario_darshan_log *log, unsigned module)
{
	const char *const *names = strcmp(log->version, "3.40") >= 0   ? since_3_41
				   : strcmp(log->version, "3.20") >= 0 ? since_3_20
								       : before;

	return module < MODULES ? names[module] : NULL;
}

/* What every reader of records has in its hands. */
struct reader {
	struct pario_darshan_stream *stream;
	uint32_t version;
	const struct pario_darshan_see *see;
	struct pario_darshan_record record;
	struct pario_err *err;
};

static int words(struct reader *r, uint64_t *to, size_t count)
{
	int status = pario_darshan_stream_words(r->stream, to, count, r->err);

	return status > 0 ? 0 : -1;
}

/* Within a record, where the region may not end. */
static int cut_off(const struct pario_darshan_log *log, struct pario_err *err)
{
	return err->code ? -1
			 : pario_darshan_refuse(log, err,
						"it ends within a record, so it was cut off.");
}

static int whole(struct reader *r, const char *name, uint64_t value)
{
	const struct pario_darshan_value v = { .name = name, .whole = (int64_t)value };

	return r->see->counter ? r->see->counter(r->see->self, &r->record, &v, r->err) : 0;
}

static int word(struct reader *r, const char *name, const char *text)
{
	const struct pario_darshan_value v = { .name = name,
					       .kind = PARIO_DARSHAN_WORD,
					       .word = text };

	return r->see->counter ? r->see->counter(r->see->self, &r->record, &v, r->err) : 0;
}

/* ---- DXT: shared, host[64], writes, reads; then of each offset, length, start, end, and since 2025 its thread ---- */

static bool is_mpiio(const struct reader *r)
{
	return strcmp(r->record.module, "DXT_MPIIO") == 0;
}

static int segments(struct reader *r, const char *host, bool write, uint64_t count)
{
	struct pario_darshan_segment s = { .host = host, .write = write };
	uint64_t w[5];

	for (s.index = 0; s.index < count; s.index++) {
		if (words(r, w, r->version > 1u + is_mpiio(r) ? 5 : 4) < 0)
			return -1;
		/* the first version did not know where MPI-IO reads and writes */
		s.offset = r->version == 1 && is_mpiio(r) ? UINT64_MAX : w[0];
		s.bytes = w[1];
		memcpy(&s.start, &w[2], sizeof(s.start));
		memcpy(&s.end, &w[3], sizeof(s.end));
		if (r->see->segment && r->see->segment(r->see->self, &r->record, &s, r->err) < 0)
			return -1;
	}
	return 0;
}

static int dxt_record(struct reader *r)
{
	char host[HOST + 1] = "";
	uint64_t shared, counts[2];

	if (words(r, &shared, 1) < 0 ||
	    pario_darshan_stream_read(r->stream, host, HOST, r->err) <= 0 ||
	    words(r, counts, 2) < 0)
		return -1;
	return segments(r, host, true, counts[0]) < 0 ? -1 : segments(r, host, false, counts[1]);
}

/* ---- heat maps: width of a bin, bins, two that say nothing; then written and read bytes of each bin ---- */

static int heat_record(struct reader *r)
{
	struct pario_darshan_value width = { .name = "HEATMAP_F_BIN_WIDTH_SECONDS",
					     .kind = PARIO_DARSHAN_REAL };
	uint64_t w[4], value;
	char name[48];

	if (words(r, w, 4) < 0)
		return -1;
	memcpy(&width.real, &w[0], sizeof(width.real));
	if (r->see->counter && r->see->counter(r->see->self, &r->record, &width, r->err) < 0)
		return -1;
	for (int side = 0; side < 2; side++) {
		for (uint64_t i = 0; i < w[1]; i++) {
			snprintf(name, sizeof(name), "HEATMAP_%s_BIN_%llu", side ? "READ" : "WRITE",
				 (unsigned long long)i);
			if (words(r, &value, 1) < 0 || whole(r, name, value) < 0)
				return -1;
		}
	}
	return 0;
}

/* ---- Lustre ---- */

static const char *pattern_name(uint64_t pattern)
{
	return pattern == 0   ? "raid0"
	       : pattern == 2 ? "mdt"
	       : pattern == 4 ? "raid0,overstriped"
			      : "N/A";
}

static const char *flag_names(uint64_t flags, char text[128])
{
	static const char *const names[] = { "stale", "prefrd", "prefwr",    "offline",
					     "init",  "nosync", "extension", "parity" };
	size_t length = 0;

	snprintf(text, 128, "0");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (flags >> i & 1)
			length += (size_t)snprintf(text + length, 128 - length, "%s%s",
						   length ? "," : "", names[i]);
	}
	return text;
}

static int component_whole(struct reader *r, uint64_t component, const char *what, uint64_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "LUSTRE_COMP%llu_%s", (unsigned long long)component, what);
	return whole(r, name, value);
}

static int component_word(struct reader *r, uint64_t component, const char *what, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "LUSTRE_COMP%llu_%s", (unsigned long long)component, what);
	return word(r, name, text);
}

/* w: size, count, pattern, flags, start, end, mirror, pool[2]; `told`: the first version tells the first two only. */
static int component(struct reader *r, uint64_t number, const uint64_t w[COMPONENT], bool told)
{
	char pool[17] = "", flags[128];

	memcpy(pool, &w[7], 16);
	return component_whole(r, number, "STRIPE_SIZE", w[0]) < 0 ||
			       component_whole(r, number, "STRIPE_COUNT", w[1]) < 0 ||
			       component_word(r, number, "STRIPE_PATTERN",
					      told ? pattern_name(w[2]) : "N/A") < 0 ||
			       component_word(r, number, "FLAGS",
					      told ? flag_names(w[3], flags) : "N/A") < 0 ||
			       component_whole(r, number, "EXT_START", w[4]) < 0 ||
			       component_whole(r, number, "EXT_END", w[5]) < 0 ||
			       component_whole(r, number, "MIRROR_ID", w[6]) < 0 ||
			       component_word(r, number, "POOL_NAME", *pool ? pool : "N/A") < 0
		       ? -1
		       : 0;
}

static int targets(struct reader *r, uint64_t number, uint64_t count)
{
	uint64_t value;
	char what[32];

	for (uint64_t i = 0; i < count; i++) {
		snprintf(what, sizeof(what), "OST_ID_%llu", (unsigned long long)i);
		if (words(r, &value, 1) < 0 || component_whole(r, number, what, value) < 0)
			return -1;
	}
	return 0;
}

/* targets of the file system, servers, offset, size, count; then the targets */
static int lustre_first(struct reader *r)
{
	uint64_t w[5], c[COMPONENT] = { 0 };

	if (words(r, w, 5) < 0)
		return -1;
	c[0] = w[3];
	c[1] = w[4];
	c[5] = c[6] = UINT64_MAX;
	return whole(r, "LUSTRE_NUM_COMPONENTS", 1) < 0 ||
			       whole(r, "LUSTRE_NUM_STRIPES", w[4]) < 0 ||
			       component(r, 1, c, false) < 0
		       ? -1
		       : targets(r, 1, w[4]);
}

/* The bytes of a name come in the order in which they were written. */
static void as_written(const struct pario_darshan_log *log, uint64_t *w, size_t count)
{
	for (size_t i = 0; log->swapped && i < count; i++)
		w[i] = __builtin_bswap64(w[i]);
}

/* components, stripes; then the components, and the targets of one after the other */
static int lustre_record(struct reader *r, const struct pario_darshan_log *log)
{
	enum { MANY = 4096 };
	uint64_t w[2], c[COMPONENT], *counts;
	int status = 0;

	if (words(r, w, 2) < 0)
		return -1;
	if (w[0] > MANY)
		return pario_darshan_refuse(log, r->err,
					    "a file of Lustre has %llu components in it.",
					    (unsigned long long)w[0]);
	counts = calloc(w[0] + 1, sizeof(*counts));
	if (!counts)
		return pario_err_memory(r->err, NULL);
	status = whole(r, "LUSTRE_NUM_COMPONENTS", w[0]) < 0 ||
				 whole(r, "LUSTRE_NUM_STRIPES", w[1]) < 0
			 ? -1
			 : 0;
	for (uint64_t i = 0; status == 0 && i < w[0]; i++) {
		status = words(r, c, COMPONENT);
		as_written(log, c + 7, 2);
		counts[i] = c[1];
		if (status == 0)
			status = component(r, i + 1, c, true);
	}
	for (uint64_t i = 0; status == 0 && i < w[0]; i++) {
		/* a component that was not used yet has stripes, but no targets */
		counts[i] = counts[i] < w[1] ? counts[i] : w[1];
		w[1] -= counts[i];
		status = targets(r, i + 1, counts[i]);
	}
	/* targets that no component told of */
	for (uint64_t i = 0; status == 0 && i < w[1]; i++)
		status = words(r, c, 1);
	free(counts);
	return status;
}

/* ---- all of a module ---- */

enum kind { FIXED, DXT, HEAT, LUSTRE };

static enum kind kind_of(const char *module)
{
	if (strncmp(module, "DXT_", 4) == 0)
		return DXT;
	if (strcmp(module, "HEATMAP") == 0)
		return HEAT;
	return strcmp(module, "LUSTRE") == 0 ? LUSTRE : FIXED;
}

static int one(struct reader *r, const struct pario_darshan_log *log, enum kind kind)
{
	if (kind == DXT)
		return dxt_record(r);
	if (kind == HEAT)
		return heat_record(r);
	return r->version == 1 ? lustre_first(r) : lustre_record(r, log);
}

static int all(struct reader *r, const struct pario_darshan_log *log, enum kind kind)
{
	uint64_t head[2];
	int status;

	if (r->version == 0 || r->version > (kind == HEAT ? 1u : 2u + is_mpiio(r)))
		return PARIO_DARSHAN_UNKNOWN;
	while ((status = pario_darshan_stream_words(r->stream, head, 2, r->err)) > 0) {
		r->record.id = head[0];
		r->record.rank = (int64_t)head[1];
		if (one(r, log, kind) < 0)
			return cut_off(log, r->err);
		r->record.number++;
	}
	return status;
}

int pario_darshan_module_read(const struct pario_darshan_log *log, unsigned module,
			      const struct pario_darshan_see *see, struct pario_err *err)
{
	const char *name = pario_darshan_module_name(log, module);
	struct reader r = { .version = log->versions[module],
			    .see = see,
			    .record = { .module = name },
			    .err = err };
	int status;

	if (!name)
		return PARIO_DARSHAN_UNKNOWN;
	r.stream = pario_darshan_stream_open(log, log->module[module], err);
	if (!r.stream)
		return -1;
	status = kind_of(name) == FIXED
			 ? pario_darshan_counters_read(r.stream, name, r.version, see, err)
			 : all(&r, log, kind_of(name));
	pario_darshan_stream_close(r.stream);
	return status;
}
