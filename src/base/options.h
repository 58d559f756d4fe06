/*
 * options: every parameter is one row of a table, and everything else comes from the row: parsing,
 * range, default, help, environment name, plan key, man page, completion, sweep.
 *
 * A row's type follows from the field it fills (PARIO_OPTION derives it with _Generic), so a row
 * for a field of a type that cannot be parsed does not compile. The structs are plain bytes: they
 * can be broadcast.
 *
 *   uint64_t             size or count, suffixes k m g t p
 *   double               number
 *   bool                 0 1 yes no true false on off; a bare --name means 1
 *   int                  index into choices
 *   uint32_t             set of choices, bit i for choice i; --operations write,read is one value
 *   char[N]              string
 *   struct pario_hints   MPI-IO hint, its key the row's name; the row "hint" takes key=value
 *
 * Except for sets and the rows flagged otherwise, a comma list is a sweep. In lists of uint64_t an
 * element may be a range: 4k..16m:x4 multiplies by 4, 1..8:+1 adds 1, and 1..64 alone doubles; it
 * ends at or below its last value.
 */
#ifndef PARIO_BASE_OPTIONS_H
#define PARIO_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* Hints as text, "key=value\n" each, in the order given; POD on purpose. */
struct pario_hints {
	char text[2048];
};

enum pario_type {
	PARIO_TYPE_U64,
	PARIO_TYPE_REAL,
	PARIO_TYPE_BOOL,
	PARIO_TYPE_CHOICE,
	PARIO_TYPE_SET,
	PARIO_TYPE_STRING,
	PARIO_TYPE_HINT,
};

enum pario_option_flags {
	PARIO_OPTION_NO_SWEEP = 1, /* a comma is part of the value */
	/*
	 * may be given several times; values of one source add up, a stronger source replaces them
	 * all (--hint)
	 */
	PARIO_OPTION_REPEAT = 2,
	/*
	 * char[] only: list read by the engine itself, not one dimension of the sweep (--clients).
	 * Where the row has min or max, the elements must be numbers within them.
	 */
	PARIO_OPTION_LIST = 4,
	PARIO_OPTION_HIDDEN = 8, /* not in help; for tests of pario itself */
	/*
	 * cannot change a number: what a run is called, how it is shown, paced and ended. Runs that differ in it are
	 * compared, are in one line of a history, and one may go on as the other (--resume)
	 */
	PARIO_OPTION_ASIDE = 16,
	/* which sample of a number it is: where, when, how often. As above, but a run keeps to it */
	PARIO_OPTION_SAMPLE = 32,
	/* how long a run goes on: one that is resumed takes it over, unless another value is given */
	PARIO_OPTION_GOES_ON = 64,
	/* a command that measures a set of tests hands it on to each */
	PARIO_OPTION_HANDED_ON = 128,
	/* paces the repetitions of one test; a command that measures a set refuses it */
	PARIO_OPTION_ONE_TEST = 256,
	/* plants what tests of pario look for: help shows it when all is asked for */
	PARIO_OPTION_PLANTED = 512,
};

struct pario_option {
	const char *name; /* lower_case; NULL ends a table */
	enum pario_type type;
	size_t offset, size;   /* of the field */
	const char *synonym;   /* another name for it, as it was called before; NULL = none */
	const char *def;       /* read by the same parser as user input; NULL = empty/zero */
	const char *min, *max; /* inclusive, read by the same parser; NULL = none */
	const char *unit;
	const char *const *choices; /* NULL-terminated */
	const char *help;	    /* one phrase, no full stop */
	char letter;		    /* one-letter alias a peer tool uses (IOR, fio), 0 = none */
	/* value that the bare letter stands for; NULL = the letter takes a value */
	const char *letter_value;
	unsigned flags;
};

#define PARIO_TYPE_OF(field) \
	_Generic((field),			\
		uint64_t: PARIO_TYPE_U64,	\
		double: PARIO_TYPE_REAL,	\
		bool: PARIO_TYPE_BOOL,		\
		int: PARIO_TYPE_CHOICE,		\
		uint32_t: PARIO_TYPE_SET,	\
		char *: PARIO_TYPE_STRING,	\
		struct pario_hints: PARIO_TYPE_HINT)

/* A row under another name than its field's; hints need it, since many rows share one field. */
#define PARIO_OPTION_NAMED(type_, field_, name_, ...)                                    \
	{                                                                                \
		.name = name_, .type = PARIO_TYPE_OF(((type_ *)0)->field_),              \
		.offset = offsetof(type_, field_), .size = sizeof(((type_ *)0)->field_), \
		__VA_ARGS__                                                              \
	}

#define PARIO_OPTION(type_, field_, ...) PARIO_OPTION_NAMED(type_, field_, #field_, __VA_ARGS__)

enum pario_origin {
	PARIO_ORIGIN_DEFAULT,
	PARIO_ORIGIN_PLAN,
	PARIO_ORIGIN_ENVIRONMENT,
	PARIO_ORIGIN_COMMAND,
};

const char *pario_origin_name(
	enum pario_origin origin); /* "default" "plan" "environment" "command line" */

/* A table and the size of the struct it fills. `title` heads its section in help. */
struct pario_table {
	const char *title;
	const struct pario_option *rows;
	size_t size;
};

struct pario_setting {
	const struct pario_option *option;
	size_t table; /* index into the config's tables */
	enum pario_origin origin;
	char *text; /* as given, NULL = default is NULL */
};

/* All options of one command with the values given so far. */
struct pario_config {
	const struct pario_table *tables;
	size_t table_count;
	struct pario_setting *settings;
	size_t setting_count;
	const char *
		subject; /* what `pario help` calls it, for the hint behind an unknown option; may be NULL */
};

/*
 * Fails when two rows carry the same name or letter, or a default is refused by its own row (bugs
 * in pario, found by the unit tests). `tables` must outlive the config.
 */
int pario_config_init(struct pario_config *config, const struct pario_table *tables, size_t count,
		      struct pario_err *err);
void pario_config_release(struct pario_config *config);

/*
 * Each takes one source; a value from a weaker source never replaces one from a stronger, whatever
 * the order of the calls. argv holds only options (--name value, --name=value, -x); positional
 * words are collected into `words` (room for argc entries) when it is not NULL, else refused.
 * Unknown names, unknown choices and values out of range are refused here, with "did you mean".
 * Given twice, the last value holds. Environment variables that are empty or belong to no option
 * of this config are ignored: they may be meant for another command (cmd/environment.c).
 */
int pario_config_argv(struct pario_config *config, int argc, char *const *argv, const char **words,
		      int *word_count, struct pario_err *err);
int pario_config_environment(struct pario_config *config, char *const *environment,
			     struct pario_err *err);

/*
 * A plan is INI text: "key = value" lines, "#" or ";" comments, an optional [section] per test.
 * Keys before the first section hold for every test, keys in [section] only when section equals
 * `test` (NULL: in none). A value may stand in double quotes, with \\ \" \n \t \xNN inside. `path`
 * names the plan in errors.
 */
int pario_config_plan(struct pario_config *config, const char *path, const char *text,
		      size_t length, const char *test, struct pario_err *err);

/* One value from inside the program, with the given origin. */
int pario_config_set(struct pario_config *config, const char *name, const char *value,
		     enum pario_origin origin, struct pario_err *err);

const struct pario_setting *pario_config_find(const struct pario_config *config, const char *name);

/* Number of points of the sweep: the product of the list lengths. Fails above 1 000 000. */
int pario_config_points(const struct pario_config *config, uint64_t *count, struct pario_err *err);

/*
 * Fills the structs (one per table, in order, each of table.size bytes) for point `index`,
 * row-major with the option that comes last in the tables varying fastest.
 */
int pario_config_point(const struct pario_config *config, uint64_t index, void *const *structs,
		       struct pario_err *err);

/* "transfer_size=64k pattern=strided": only what varies over the sweep; "" for a single point. */
void pario_config_point_name(const struct pario_config *config, uint64_t index,
			     struct pario_text *name);

/* The text of one option at one point (its element of the list), added to `value`. */
void pario_config_value_at(const struct pario_config *config, const struct pario_setting *setting,
			   uint64_t index, struct pario_text *value);

/*
 * A comma list of sizes, counts or ranges ("1,2,4" or "1..4") into an allocated array; the caller
 * frees it.
 */
int pario_options_list(const char *what, const char *text, uint64_t **values, size_t *count,
		       struct pario_err *err);

/* The variable that sets an option: PARIO_TRANSFER_SIZE for transfer_size. */
void pario_option_variable(const char *option, char *name, size_t capacity);

/* What stands for the value in help: "bytes", "name", "0|1". */
const char *pario_option_placeholder(const struct pario_option *row);

/* The row's help with choices, range and default, on one line. */
void pario_option_describe(const struct pario_option *row, struct pario_text *out);

/* A hint that stands for itself: it has no help, and help lists all of them together. */
bool pario_option_is_known_hint(const struct pario_option *row);

/* Help for one table, wrapped to `width` columns. */
/* The text that explains a table; with `all` also what only tests of pario need. */
void pario_options_help(const struct pario_table *table, unsigned width, bool all,
			struct pario_text *out);

/* "name = value   # origin" lines, readable back as a plan. */
void pario_config_show(const struct pario_config *config, struct pario_text *out);

/* Value of a hint in a hints text, NULL when absent; the value is copied to buf. */
const char *pario_hints_get(const struct pario_hints *hints, const char *key, char *buf,
			    size_t capacity);
int pario_hints_set(struct pario_hints *hints, const char *key, const char *value,
		    struct pario_err *err);
/* Walks the pairs: *cursor starts at 0; false at the end. */
bool pario_hints_next(const struct pario_hints *hints, size_t *cursor, char key[128],
		      char value[512]);

#endif
