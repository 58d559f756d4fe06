/*
 * page: one self-contained HTML file: no network, readable without script, a strict content security policy.
 */
#ifndef PARIO_REPORT_PAGE_PAGE_H
#define PARIO_REPORT_PAGE_PAGE_H

/* By this a page of pario's is known again; see base/output.h. */
#define PARIO_PAGE_MARK "<meta name=\"generator\" content=\"pario"

#include "base/err.h"
#include "base/text.h"
#include "report/page/group.h"
#include "report/page/section.h"

struct pario_page {
	const char *title;			  /* NULL = made from the runs */
	const char *program;			  /* "pario 0.2.0" */
	const struct pario_test_reports *reports; /* what the tests add; may be NULL */
	/* What a test asks, in one sentence; may be NULL, and so may its answer. */
	const char *(*question)(const char *test);
	/* Does the definition of a test itself say how often it is measured? May be NULL. */
	bool (*repeats)(const char *test);
	/* Adds a section: where the numbers stand among those of others. May be NULL. */
	int (*standing)(struct pario_archive *archive, struct pario_text *out,
			struct pario_err *err);
};

/* The report on all runs of an archive. */
int pario_page_write(struct pario_text *out, struct pario_archive *archive,
		     const struct pario_page *page, struct pario_err *err);

/* ---- the frame, for other pages ---- */
void pario_page_open(struct pario_text *out, const char *title);
void pario_page_close(struct pario_text *out, const char *program);

/* ---- overview.c, machine_text.c, advice.c: what was measured and where, what is suspect, what to do next ---- */
/* The first screen, with the picture and what surveys state: the answer, what stands out, the numbers. */
void pario_overview_add(struct pario_canvas *canvas, const struct pario_groups *groups,
			const struct pario_page *page, const struct pario_text *picture,
			const struct pario_text *surveys);
/* Does the first screen want a picture? A set's lines are one. */
bool pario_overview_pictured(const struct pario_archive *archive);
/* What is suspect, what to do next, and where it was measured. */
void pario_overview_rest(struct pario_text *out, const struct pario_groups *groups,
			 const struct pario_page *page);
/* Why a number that passed its checks is still not the one that the definition asks for; NULL when it is. */
const char *pario_advice_lacks(struct pario_archive *archive, const struct pario_group *group,
			       const struct pario_page *page);
void pario_advice_suspects(struct pario_text *out, const struct pario_groups *groups,
			   const struct pario_page *page);
/* At most three of what is to be said against the numbers, with what to try. */
void pario_advice_findings(struct pario_text *out, const struct pario_groups *groups,
			   const struct pario_page *page);
void pario_advice_next(struct pario_text *out, const struct pario_groups *groups,
		       const struct pario_page *page);
void pario_machine_text_line(struct pario_text *out, const struct pario_archive *archive);
void pario_machine_text_table(struct pario_text *out, const struct pario_archive *archive);

/* The id of a test's section. */
void pario_page_anchor(struct pario_text *out, const char *test);

/* A cell of a table, escaped; `class` may be NULL. */
void pario_page_cell(struct pario_text *out, const char *class, const char *text);

#endif
