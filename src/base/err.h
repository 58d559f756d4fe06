/*
 * err: one whole sentence about what went wrong, written by whoever saw it first.
 *
 * Every function that can fail returns int (0 or negative) and takes a struct pario_err as its last
 * argument. The finder fills it: what failed, where, why, what to do. Callers pass it on untouched.
 */
#ifndef PARIO_BASE_ERR_H
#define PARIO_BASE_ERR_H

/* The exit codes of the program; also the only codes an error can carry. */
enum pario_code {
	PARIO_OK = 0,
	PARIO_INVALID = 1, /* a result is invalid or a threshold is missed */
	PARIO_USAGE = 2,
	PARIO_SYSTEM = 3,
	PARIO_VERIFY = 4, /* data read back differ from data written */
	PARIO_INTERRUPTED = 130,
};

enum { PARIO_ERR_CAPACITY = 1024 };

struct pario_err {
	enum pario_code code;
	int sys; /* errno of the failing call, 0 when none was involved */
	char text[PARIO_ERR_CAPACITY];
};

/*
 * Fills err (which may be NULL) and returns -1, so that callers can write `return
 * pario_err_set(...)`.
 */
int pario_err_set(struct pario_err *err, enum pario_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * As above with code PARIO_SYSTEM; appends ": <reason> (<NAME>)." for the given errno, then the
 * hint, a whole sentence. NULL stands for pario_err_hint(sys), "" for no hint. Where all of it is
 * too long, the head is cut.
 */
int pario_err_sys(struct pario_err *err, int sys, const char *hint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The one place that says that there is no memory: for what, as it goes on after "for" and ends before the full stop;
 * NULL where the caller knows no better.
 */
int pario_err_memory(struct pario_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends a sentence; where all of it is too long, what stood there before is cut. */
void pario_err_add(struct pario_err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* "ENOSPC" for ENOSPC; "errno 1234" is never returned: unknown numbers give "unknown error". */
const char *pario_err_name(int sys);

/* What a user can do about this errno, as a sentence, or "" where there is no general advice. */
const char *pario_err_hint(int sys);

void pario_err_clear(struct pario_err *err);

#endif
