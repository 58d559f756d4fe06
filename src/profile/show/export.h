/*
 * export: every call as CSV or as JSON for Perfetto and Chrome, stacks as lines for flame graphs, and the whole as a
 * journal.
 */
#ifndef PARIO_PROFILE_SHOW_EXPORT_H
#define PARIO_PROFILE_SHOW_EXPORT_H

#include "base/json.h"
#include "base/output.h"
#include "profile/analyse/profile.h"
#include "profile/show/export_file.h"
#include "trace/symbols.h"

enum {
	PARIO_EXPORT_JOURNAL,
	PARIO_EXPORT_CSV,
	PARIO_EXPORT_PERFETTO,
	PARIO_EXPORT_FOLDED,
	PARIO_EXPORTS
};

/* What the number behind a folded stack says. */
enum pario_weight { PARIO_WEIGHT_TIME, PARIO_WEIGHT_BYTES, PARIO_WEIGHT_CALLS };

extern const char *const pario_export_names[PARIO_EXPORTS];

struct pario_exports {
	const char *paths[PARIO_EXPORTS]; /* NULL: not wanted */
	struct pario_output outputs[PARIO_EXPORTS];
	struct pario_export_file sinks[PARIO_EXPORTS]; /* of these */
	char **names; /* of files and modules, quoted for each kind of export */
	uint32_t name_count;
	enum pario_weight weight; /* to be set after opening */
	bool comma, no_memory;
	uint64_t requests; /* asynchronous ones so far, numbered for Perfetto */
	struct pario_json json;
	struct pario_text arguments; /* of a call, in words */
};

/*
 * Creates the files; one that exists must be pario's own, or `force` be given. The journal's path names a directory for
 * it.
 */
int pario_exports_open(struct pario_exports *e, const char *const paths[PARIO_EXPORTS], bool force,
		       struct pario_err *err);

/* One call; a pario_profile_see. */
int pario_exports_see(void *exports, const struct pario_profile *p,
		      const struct pario_profile_call *call, struct pario_err *err);

/* Ends the files and writes the journal; without a profile it only lets go. */
int pario_exports_close(struct pario_exports *e, const struct pario_profile *p,
			struct pario_symbols *symbols, const char *trace, struct pario_err *err);

#endif
