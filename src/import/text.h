/*
 * text: the readers of what programs print. Each is shown the lines from its own first one to that of the next
 * program's, and passes over what it does not know: launchers, libraries and file systems print into the same file.
 */
#ifndef PARIO_IMPORT_TEXT_H
#define PARIO_IMPORT_TEXT_H

#include "import/ior.h"
#include "import/lines.h"

enum { PARIO_COLUMN = 32 };

/* How a note begins on a text of IOR without the summary that comes last. */
#define PARIO_IOR_OPEN_END "The text ends within a table of IOR"

struct pario_ior_text {
	struct pario_harvest *harvest;
	struct pario_ior_sizes sizes;
	char column[PARIO_WORDS][PARIO_COLUMN];
	size_t columns; /* 0: no table yet */
	enum { PARIO_IOR_ROWS, PARIO_IOR_SPREADS } table;
	unsigned had_test, had_run; /* accesses that the test, the run has results of */
	bool test;		    /* the run's point has parameters or results */
	bool awaits;		    /* it has parameters, and nothing more yet */
	bool own;		    /* pario printed it */
	bool inside;		    /* its list of options */
	char number[16];	    /* of the test, as a summary of all tests has it */
	uint64_t moved;		    /* bytes that IOR says it moved in the phase under way */
};

/* Where in the line the words stand with which the program begins; NULL: nowhere. */
const char *pario_ior_text_head(const char *line);

/* Does the line begin a table, of which people may have left out what stood before? */
bool pario_ior_text_opens(const char *line);

int pario_ior_text_begin(struct pario_ior_text *r, struct pario_harvest *harvest, const char *line,
			 struct pario_err *err);
int pario_ior_text_line(struct pario_ior_text *r, uint64_t number, char *line,
			struct pario_err *err);

struct pario_mdtest_text {
	struct pario_harvest *harvest;
	uint64_t tasks, iterations;
	enum { PARIO_MDTEST_NO_TABLE, PARIO_MDTEST_RATES, PARIO_MDTEST_TIMES } table;
	bool per_operation; /* times are of one, in milliseconds; older versions: of all, in seconds */
	size_t first;	    /* result of the table of rates, which the one of times adds to */
};

const char *pario_mdtest_text_head(const char *line);
bool pario_mdtest_text_opens(const char *line);
int pario_mdtest_text_begin(struct pario_mdtest_text *r, struct pario_harvest *harvest, char *line,
			    struct pario_err *err);
int pario_mdtest_text_line(struct pario_mdtest_text *r, uint64_t number, char *line,
			   struct pario_err *err);

/* When mdtest says so, before its first line. */
bool pario_mdtest_started(struct pario_harvest *harvest, const char *line);

struct pario_io500_text {
	struct pario_harvest *harvest;
	bool open; /* a run has begun */
	size_t first;
	uint64_t procs;
	char version[64];
};

/* Lines of io500's summary say themselves what they are, wherever they stand: where in the line; NULL: nowhere. */
const char *pario_io500_text_at(const char *line);
int pario_io500_text_line(struct pario_io500_text *r, uint64_t number, char *line,
			  struct pario_err *err);

/* Says so where phases have no score behind them. */
void pario_io500_note_end(struct pario_harvest *harvest);

#endif
