/*
 * alternate: measures A and B in pairs, in random order within each, so that what changes with time falls on both.
 *
 * A side is words for `pario run transfer`: options, or first a test or another measuring command, a directory, a plan
 * file, or another pario program. Each measurement is a process of its own with a run directory of its own. Of a pair
 * that was not finished nothing counts: what there is of it is moved aside.
 */
#include "cmd/alternate.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/output.h"
#include "base/random.h"
#include "base/text.h"
#include "base/units.h"
#include "console/console.h"
#include "engine/crew.h"
#include "cmd/cmd.h"
#include "report/compare/difference.h"
#include "tests/tests.h"

enum { WORDS = 512, TEXT = 16384 };

/* The command line of one side, without what differs from pair to pair. */
struct way {
	const char *word[WORDS];
	size_t count;
	char text[TEXT]; /* that the words lie in */
	size_t used;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	stopped = number;
}

/* ---- what a side means ---- */

static int add(struct way *w, const char *word, struct pario_err *err)
{
	size_t length = strlen(word) + 1;

	if (w->count + 1 >= WORDS || w->used + length > TEXT)
		return pario_err_set(err, PARIO_USAGE, "--run: too many words.");
	w->word[w->count++] = memcpy(w->text + w->used, word, length);
	w->used += length;
	return 0;
}

/* The next word as a shell would see it, quotes and backslashes taken away; NULL at the end. */
static char *next_word(const char **at, char *word, size_t capacity, struct pario_err *err)
{
	size_t length = 0;
	char quote = 0;

	*at += strspn(*at, " \t\n");
	if (!**at)
		return NULL;
	for (; **at && (quote || !strchr(" \t\n", **at)); (*at)++) {
		if (quote ? **at == quote : **at == '\'' || **at == '"') {
			quote = quote ? 0 : **at;
			continue;
		}
		if (**at == '\\' && quote != '\'' && (*at)[1])
			(*at)++;
		if (length + 1 < capacity)
			word[length++] = **at;
	}
	word[length] = '\0';
	if (quote) {
		pario_err_set(err, PARIO_USAGE, "--run: a quotation mark is not closed.");
		return NULL;
	}
	return word;
}

static bool measures(const char *name)
{
	static const char *const names[] = { "run",    "glance", "survey", "ior",
					     "mdtest", "io500",	 NULL };
	size_t i = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	return names[i];
}

static bool is_program(const char *path)
{
	struct stat st;

	return strchr(path, '/') && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* `run transfer` unless the first word says what else. 1: the word was used up. */
static int begin(struct way *w, const char *first, struct pario_err *err)
{
	struct stat st;
	bool there = first && *first != '-' && stat(first, &st) == 0;

	if (first && measures(first))
		return add(w, first, err) < 0 ? -1 : 1;
	if (first && pario_test_by_name(first))
		return add(w, "run", err) < 0 || add(w, first, err) < 0 ? -1 : 1;
	if (first && *first != '-' && !there)
		return pario_err_set(
			err, PARIO_USAGE,
			"--run: %s is no test, no directory, no plan file and no other "
			"pario program; options begin with --.",
			first);
	if (add(w, "run", err) < 0 || add(w, "transfer", err) < 0)
		return -1;
	if (there &&
	    (add(w, S_ISDIR(st.st_mode) ? "--dir" : "--plan", err) < 0 || add(w, first, err) < 0))
		return -1;
	return there;
}

static bool has(const struct way *w, const char *name)
{
	for (size_t i = 0; i < w->count; i++) {
		if (strncmp(w->word[i], name, strlen(name)) == 0 &&
		    (!w->word[i][strlen(name)] || w->word[i][strlen(name)] == '='))
			return true;
	}
	return false;
}

/* Between two programs the test may be named for both at once, behind --. */
static int understand(struct way *w, const struct pario_alternate *alt, size_t side,
		      struct pario_err *err)
{
	const char *at = alt->side[side];
	char word[4096], *first = next_word(&at, word, sizeof(word), err);
	size_t common = 0;
	int used = 0;

	*w = (struct way){ .count = 0 };
	if (err->code || add(w, first && is_program(first) ? first : "/proc/self/exe", err) < 0)
		return -1;
	if (first && is_program(first))
		first = next_word(&at, word, sizeof(word), err);
	if (!first && alt->common_count && *alt->common[0] != '-') {
		used = begin(w, alt->common[common++], err);
		first = NULL;
	} else {
		used = err->code ? -1 : begin(w, first, err);
	}
	if (used == 0 && first && add(w, first, err) < 0)
		return -1;
	while (used >= 0 && (first = next_word(&at, word, sizeof(word), err))) {
		if (add(w, first, err) < 0)
			return -1;
	}
	while (used >= 0 && common < alt->common_count) {
		if (add(w, alt->common[common++], err) < 0)
			return -1;
	}
	if (used < 0 || err->code)
		return -1;
	/* pairs are the repetitions; those within a run would share its luck */
	if (strcmp(w->word[1], "run") == 0 && !has(w, "--repetitions") && !has(w, "-i") &&
	    !has(w, "--plan"))
		return add(w, "--repetitions", err) < 0 ? -1 : add(w, "1", err);
	return 0;
}

/* ---- one measurement ---- */

static int wait_for(pid_t pid, struct pario_err *err)
{
	int state;

	while (waitpid(pid, &state, 0) < 0) {
		if (errno != EINTR)
			return pario_err_sys(err, errno, NULL, "the measurement was lost");
		/* whoever was asked to stop alone passes it on; a terminal has told both */
		if (stopped == SIGTERM)
			kill(pid, SIGTERM);
	}
	return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* Its exit code, or negative when it could not be started. */
static int measure(const struct pario_alternate *alt, const struct way *way, size_t side,
		   const char *directory, struct pario_err *err)
{
	const char *id = strrchr(alt->directory, '/');
	const char *words[WORDS + 8];
	size_t count = way->count;
	char label[4200];
	pid_t pid;
	int code;

	snprintf(label, sizeof(label), "%c, pair %zu of %s", side ? 'B' : 'A', alt->pairs + 1,
		 id ? id + 1 : alt->directory);
	label[120] = '\0';
	memcpy(words, way->word, count * sizeof(*words));
	words[count++] = "--output";
	words[count++] = directory;
	words[count++] = "--label";
	words[count++] = label;
	words[count++] = "--quiet";
	words[count] = NULL;
	code = posix_spawn(&pid, words[0], NULL, NULL, (char *const *)words, environ);
	if (code)
		return pario_err_sys(err, code, NULL, "%s cannot be started", words[0]);
	return wait_for(pid, err);
}

/* What there is of a pair that counts no more. */
static void move_aside(const struct pario_alternate *alt, char side)
{
	char from[40], to[60];

	snprintf(from, sizeof(from), "%c/%03zu", side, alt->pairs + 1);
	snprintf(to, sizeof(to), "unfinished/%c-%03zu", side, alt->pairs + 1);
	mkdirat(alt->place, "unfinished", 0775);
	if (renameat(alt->place, from, alt->place, to) < 0 && errno != ENOENT)
		pario_console_warn("%s/%s belongs to no pair and cannot be moved to %s (%s).",
				   alt->directory, from, to, strerror(errno));
}

static void end_early(struct pario_alternate *alt, int code)
{
	bool interrupted = stopped || code == 130;

	alt->end = interrupted ? PARIO_ALTERNATE_INTERRUPTED : PARIO_ALTERNATE_FAILED;
	alt->code = interrupted ? 130 : code;
	if (interrupted && alt->pairs == 0)
		pario_console_warn(
			"interrupted before the first pair was complete; what there is of it is in %s/unfinished.",
			alt->directory);
}

/* 1: the pair is there; 0: it is not, and `end` says why. */
static int measure_pair(struct pario_alternate *alt, const struct way way[2], struct pario_err *err)
{
	size_t first = pario_random_mix(alt->seed + alt->pairs) & 1;
	char directory[4200];
	int code = 0;

	for (size_t i = 0; code == 0 && !stopped && i < 2; i++) {
		size_t side = i ^ first;

		snprintf(directory, sizeof(directory), "%s/%c/%03zu", alt->directory,
			 side ? 'b' : 'a', alt->pairs + 1);
		code = measure(alt, &way[side], side, directory, err);
		if (code > 0 && code != 130)
			pario_console_warn("%s ended with exit code %d in pair %zu.",
					   side ? "B" : "A", code, alt->pairs + 1);
	}
	if (code == 0 && !stopped)
		return 1;
	move_aside(alt, 'a');
	move_aside(alt, 'b');
	if (code < 0)
		return -1;
	end_early(alt, code);
	return 0;
}

/* ---- all of them ---- */

/* It is held open: what is made and moved in it goes by descriptor. */
static int make_directories(struct pario_alternate *alt, struct pario_err *err)
{
	char at[32];
	time_t now = time(NULL);
	struct tm tm;

	if (*alt->output) {
		snprintf(alt->directory, sizeof(alt->directory), "%s", alt->output);
	} else {
		strftime(at, sizeof(at), "%Y-%m-%dT%H-%M", gmtime_r(&now, &tm));
		snprintf(alt->directory, sizeof(alt->directory), "pario-results/%s-compare-%08x",
			 at, (unsigned)pario_random_seed());
	}
	if (pario_output_make_directory(alt->directory, false, err) < 0)
		return -1;
	alt->place = pario_output_directory(alt->directory, err);
	if (alt->place < 0)
		return -1;
	if (mkdirat(alt->place, "a", 0775) < 0 || mkdirat(alt->place, "b", 0775) < 0)
		return pario_err_sys(err, errno, NULL, "%s/a and b cannot be made", alt->directory);
	return 0;
}

static void say_pair(const struct pario_alternate *alt)
{
	char buf[PARIO_UNITS_CAPACITY];

	if (!alt->quiet)
		fprintf(stderr, "pair %zu, %s\n", alt->pairs, pario_units_time(buf, alt->seconds));
}

static int go_on(struct pario_alternate *alt, const struct way way[2], struct pario_err *err)
{
	int64_t began = pario_clock_ns();
	int status = 1;

	while (status > 0) {
		status = measure_pair(alt, way, err);
		alt->seconds = pario_clock_s(pario_clock_ns() - began);
		if (status <= 0)
			break;
		alt->pairs++;
		say_pair(alt);
		if (alt->pairs >= PARIO_PAIRS_LEAST) {
			int enough = alt->enough(alt->self, alt->directory, err);

			alt->end = PARIO_ALTERNATE_NARROW;
			if (enough)
				return enough < 0 ? -1 : 0;
		}
		/* another pair would take as long as one did so far */
		if (alt->seconds + alt->seconds / (double)alt->pairs > alt->time_limit) {
			alt->end = PARIO_ALTERNATE_LATE;
			return 0;
		}
	}
	return status;
}

int pario_alternate_run(struct pario_alternate *alt, struct pario_err *err)
{
	static struct way way[2];
	struct sigaction catching = { .sa_handler = stop }, before[2];
	int status = -1;

	alt->place = -1;
	if (understand(&way[0], alt, 0, err) < 0 || understand(&way[1], alt, 1, err) < 0)
		return -1;
	if (!alt->seed)
		alt->seed = pario_random_seed() >> 32 | 1;
	stopped = 0;
	sigaction(SIGINT, &catching, &before[0]);
	sigaction(SIGTERM, &catching, &before[1]);
	if (make_directories(alt, err) == 0)
		status = go_on(alt, way, err);
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGTERM, &before[1], NULL);
	if (alt->place >= 0)
		close(alt->place);
	return status;
}
