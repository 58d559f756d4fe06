/*
 * peer: command lines of other programs in pario's own words.
 *
 * Each program is a table whose rows are its options. A row says what the option becomes: the same, something with a
 * stated difference, or a refusal that names pario's own way. No option is passed over: what has no row is an error.
 * An option that is refused may still be given its default, which asks for nothing.
 */
#ifndef PARIO_COMPAT_PEER_H
#define PARIO_COMPAT_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

enum pario_peer_answer { PARIO_PEER_SAME, PARIO_PEER_DIFFERS, PARIO_PEER_REFUSED };
enum pario_peer_takes { PARIO_PEER_FLAG, PARIO_PEER_SIZE, PARIO_PEER_NUMBER, PARIO_PEER_TEXT };

enum { PARIO_PEER_OPTIONS = 128, PARIO_PEER_RUNS = 64, PARIO_PEER_WORDS = 128 };

struct pario_peer_run;
struct pario_peer_job;

struct pario_peer_option {
	char letter; /* 0 = none */
	const char *name, *alias;
	enum pario_peer_takes takes;
	enum pario_peer_answer answer;
	const char *def;  /* the program's own default; NULL = off or nothing */
	bool always;	  /* its default goes into pario's words too, where that is another */
	const char *to;	  /* pario's words, @ is the value; NULL = nothing, or `with` says it */
	const char *text; /* what differs, or pario's own way: the end of a sentence */
	const char
		*stands; /* the option of pario's that it stands for, where `to` does not say it */
	/* Where several options together decide: called once for each run, in the order of the table. */
	int (*with)(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err);
};

/* A row: PARIO_PEER_OPTION('t', "transferSize", SIZE, SAME, .to = "--transfer_size @"). */
#define PARIO_PEER_OPTION(letter_, name_, takes_, answer_, ...)                 \
	{                                                                       \
		.letter = letter_, .name = name_, .takes = PARIO_PEER_##takes_, \
		.answer = PARIO_PEER_##answer_, __VA_ARGS__                     \
	}

/*
 * What is printed: pario's tables and the program's, or only what the program would print, of its version 3.3 or of
 * 4.1.
 */
enum pario_peer_output { PARIO_PEER_BOTH, PARIO_PEER_ONLY, PARIO_PEER_ONLY_3_3 };

struct pario_peer {
	const char *name, *test;		 /* "ior", "transfer" */
	bool makes_dir;				 /* all levels of the directory to measure in */
	const struct pario_peer_option *options; /* ends with a NULL name */
};

/* What one option was given: how often, and its last value. */
struct pario_peer_value {
	unsigned times;
	char *text;
};

/* One measurement: what the program was told, and the words of `pario run`. */
struct pario_peer_run {
	struct pario_peer_value values[PARIO_PEER_OPTIONS];
	char *words[PARIO_PEER_WORDS];
	size_t word_count;
};

/* A whole command line; more than one run where a script or `-a A -a B` asks for them. */
struct pario_peer_job {
	const struct pario_peer *peer;
	struct pario_peer_run *runs;
	size_t run_count;
	char **strings; /* all there are: what runs point to stays where it is */
	size_t string_count, string_capacity;
	struct pario_text notes; /* sentences, one on a line: differences, each once */
	char *const *extra;	 /* pario's own words behind -- */
	int extra_count;
	enum pario_peer_output output; /* --peer_output behind -- */
};

/* Begins a job: one run with nothing told. */
int pario_peer_init(struct pario_peer_job *job, const struct pario_peer *peer,
		    struct pario_err *err);
void pario_peer_release(struct pario_peer_job *job);

/*
 * Takes the words of a command line into run 0; what stands behind -- is kept as pario's own. `pairs`: the letter whose
 * value is a list of name=value (IOR's -O), 0 = none.
 */
int pario_peer_argv(struct pario_peer_job *job, int argc, char *const *argv, char pairs,
		    struct pario_err *err);

/* "a=1,b=2" */
int pario_peer_pairs(struct pario_peer_job *job, struct pario_peer_run *run, const char *text,
		     const char *where, struct pario_err *err);

/* A copy of a run behind the others, with all it was told. */
int pario_peer_again(struct pario_peer_job *job, const struct pario_peer_run *run,
		     struct pario_err *err);

/* Room and files of a file system, as these programs write them: "23.5 GiB", "0.1%", "2.9 Mi", "0.0%". */
struct pario_peer_room {
	char capacity[32], used[16], inodes[32], used_inodes[16];
};

void pario_peer_room(struct pario_peer_room *room, double bytes, double free_bytes, double files,
		     double free_files);

/* Makes the words of every run. */
int pario_peer_translate(struct pario_peer_job *job, struct pario_err *err);

/* What an option was given, its default otherwise (NULL = none); and whether a flag is set. */
const char *pario_peer_text(const struct pario_peer_job *job, const struct pario_peer_run *run,
			    const char *name);
uint64_t pario_peer_number(const struct pario_peer_job *job, const struct pario_peer_run *run,
			   const char *name);
bool pario_peer_on(const struct pario_peer_job *job, const struct pario_peer_run *run,
		   const char *name);
unsigned pario_peer_times(const struct pario_peer_job *job, const struct pario_peer_run *run,
			  const char *name);

/* For `with`: adds words, and a difference to say. */
int pario_peer_pair(struct pario_peer_job *job, struct pario_peer_run *run, const char *option,
		    const char *value, struct pario_err *err);
void pario_peer_note(struct pario_peer_job *job, const char *sentence);

/* Says "-d" where a sentence says "--dir": the user typed the program's options. */
void pario_peer_own_words(const struct pario_peer *peer, struct pario_err *err);

/* "pario run transfer --dir /scratch ...", quoted for a shell, one run on a line. */
void pario_peer_equivalents(const struct pario_peer_job *job, struct pario_text *out);

/* Every option with what becomes of it, for help: "-t, transferSize  as in ior; --transfer_size @". */
void pario_peer_describe(const struct pario_peer *peer, const struct pario_peer_option *option,
			 struct pario_text *out);

#endif
