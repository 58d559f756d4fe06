/*
 * csv: tables with a line of column names: IOR's (summaryFormat=CSV), and the tables of single ranks that IOR
 * (saveRankPerformanceDetailsCSV) and mdtest (--saveRankPerformanceDetails) leave.
 *
 * A table of ranks becomes one result per access or operation: the spread of the ranks' times, and each rank's own
 * rate with the slowest ones by number. mdtest writes a row for all ranks, whose rate is its own; IOR does not, and
 * the rate is what all ranks moved over the longest time.
 */
#include "import/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "import/formats.h"
#include "import/ior.h"
#include "import/lines.h"

size_t pario_csv_cells(char *line, char *cells[PARIO_CSV_COLUMNS])
{
	size_t count = 0;

	while (count < PARIO_CSV_COLUMNS) {
		char *closing = *line == '"' ? strchr(line + 1, '"') : NULL,
		     *comma = strchr(closing ? closing : line, ',');

		if (closing)
			*closing = '\0';
		line += closing != NULL;

		if (comma)
			*comma = '\0';
		cells[count] = line + strspn(line, " \t");
		pario_trim_end(cells[count]);
		count++;
		if (!comma)
			break;
		line = comma + 1;
	}
	return count;
}

/* ---- IOR's results ---- */

#define IOR_HEAD "access,bw(MiB/s),"

bool pario_ior_csv_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_after(line, IOR_HEAD) != NULL;
}

/* Is the first cell, of so many bytes, what IOR calls one of its phases? */
static bool is_access(const char *cell, size_t length)
{
	static const char *const accesses[] = { "write", "read", "remove" };

	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		if (strlen(accesses[i]) == length && strncmp(cell, accesses[i], length) == 0)
			return true;
	}
	return false;
}

/* A row, even a spoilt one; a job may have printed other lines between. */
static bool is_ior_row(const char *line, size_t columns)
{
	size_t commas = 0;

	if (columns && is_access(line, strcspn(line, ",")))
		return true;
	for (const char *c = line; *c; c++)
		commas += *c == ',';
	return columns && commas >= columns / 2;
}

static double cell(char **names, size_t columns, char **cells, size_t count, const char *name)
{
	for (size_t i = 0; i < columns && i < count; i++) {
		if (strcmp(names[i], name) == 0)
			return pario_number(cells[i]);
	}
	return (double)NAN;
}

/* Are all cells but the first numbers, or say that there is none? */
static bool are_numbers(char **cells, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (*cells[i] && strcmp(cells[i], "-") != 0 && strcmp(cells[i], "NA") != 0 &&
		    !isfinite(pario_number(cells[i])))
			return false;
	}
	return true;
}

static uint64_t whole(double value)
{
	return value >= 0 && value < 0x1p63 && value == floor(value) ? (uint64_t)value
								     : PARIO_UNTOLD;
}

static int take_ior_row(struct pario_harvest *h, uint64_t number, char **names, size_t columns,
			char *line, struct pario_err *err)
{
	char *cells[PARIO_CSV_COLUMNS], copy[PARIO_LINE];
	size_t count;
	struct pario_ior_row row;
	struct pario_ior_sizes sizes = { .segments = PARIO_UNTOLD };

	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_csv_cells(copy, cells);
	row = (struct pario_ior_row){
		.bw_mib = cell(names, columns, cells, count, "bw(MiB/s)"),
		.iops = cell(names, columns, cells, count, "IOPS"),
		.latency_s = cell(names, columns, cells, count, "Latency"),
		.open_s = cell(names, columns, cells, count, "open(s)"),
		.transfer_s = cell(names, columns, cells, count, "wr/rd(s)"),
		.close_s = cell(names, columns, cells, count, "close(s)"),
		.total_s = cell(names, columns, cells, count, "total(s)"),
		.moved = PARIO_UNTOLD,
	};
	if (count != columns || !is_access(cells[0], strlen(cells[0])) ||
	    !are_numbers(cells, count) || row.bw_mib < 0 ||
	    !(strcmp(cells[0], "remove") == 0 ? row.total_s >= 0 : row.bw_mib >= 0)) {
		pario_harvest_lost(h, number, line);
		return 0;
	}
	snprintf(row.access, sizeof(row.access), "%s", cells[0]);
	sizes.tasks = whole(cell(names, columns, cells, count, "numTasks"));
	return pario_ior_take(h, &row, &sizes, err);
}

/* The sizes stand in every row; they are the run's. */
static void take_ior_sizes(struct pario_harvest *h, char **names, size_t columns, const char *line)
{
	static const char *const told[] = { "block(KiB)", "xfer(KiB)" };
	char *cells[PARIO_CSV_COLUMNS], copy[PARIO_LINE];
	size_t count;

	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_csv_cells(copy, cells);
	for (size_t i = 0; i < count && i < columns; i++) {
		for (size_t k = 0; k < 2; k++) {
			if (strcmp(names[i], told[k]) == 0)
				pario_harvest_param(h, told[k], cells[i]);
		}
	}
}

int pario_ior_csv_read(struct pario_import_file *source, struct pario_harvest *h,
		       struct pario_err *err)
{
	struct pario_lines lines;
	char head[PARIO_LINE] = "", *names[PARIO_CSV_COLUMNS];
	size_t columns = 0;
	int status = 0;

	pario_lines_begin(&lines, source);
	while (status == 0 && pario_lines_next(&lines)) {
		if (pario_after(lines.text, IOR_HEAD)) {
			snprintf(head, sizeof(head), "%s", lines.text);
			columns = pario_csv_cells(head, names);
			h->tables++;
			status = pario_harvest_run(h, "ior", "IOR", err);
		} else if (is_ior_row(lines.text, columns)) {
			take_ior_sizes(h, names, columns, lines.text);
			status = take_ior_row(h, lines.number, names, columns, lines.text, err);
		}
	}
	return status;
}

/* ---- ranks ---- */

static void rank_sums_add(struct pario_rank_sums *ranks, const struct pario_detail_client *client,
			  bool bytes)
{
	struct pario_detail_part one = { 0 };
	double d = client->seconds - ranks->mean;

	if (!(client->seconds > 0) || !isfinite(client->seconds))
		return;
	ranks->count++;
	ranks->mean += d / (double)ranks->count;
	ranks->squares += d * (client->seconds - ranks->mean);
	ranks->min = ranks->count == 1 ? client->seconds : fmin(ranks->min, client->seconds);
	ranks->max = fmax(ranks->max, client->seconds);
	ranks->bytes += client->bytes;
	ranks->ops += client->ops;
	pario_detail_part_of(&one, client, bytes);
	pario_detail_part_add(&ranks->part, &one);
}

/* The spread between the ranks, and the slowest of them by number. */
static void rank_sums_fill(const struct pario_rank_sums *ranks, bool bytes,
			   struct pario_result *result)
{
	struct pario_detail *detail = calloc(1, sizeof(*detail));

	result->clients = result->clients ? result->clients : ranks->count;
	result->between_clients = (struct pario_spread){
		.min_s = ranks->min,
		.mean_s = ranks->mean,
		.max_s = ranks->max,
		.variance = ranks->count > 1 ? ranks->squares / (double)(ranks->count - 1) : 0,
	};
	if (!detail)
		return;
	detail->bytes = bytes;
	pario_detail_take(detail, &ranks->part);
	free((void *)(uintptr_t)result->detail);
	result->detail = detail;
}

#define IOR_RANKS "access,rank,runtime-with-openclose,"

bool pario_ior_ranks_sign(const char *line, uint64_t number)
{
	return number == 1 && pario_after(line, IOR_RANKS);
}

/* Ranks of one access of one repetition. */
struct ior_ranks {
	struct pario_rank_sums sums;
	char access[32];
	uint64_t first; /* rank; its next row is of another repetition */
	bool run;	/* has the table's run begun? */
};

static int finish_ior(struct pario_harvest *h, struct ior_ranks *t, struct pario_err *err)
{
	struct pario_rank_sums *ranks = &t->sums;
	struct pario_result *r;

	if (ranks->count == 0)
		return 0;
	r = pario_harvest_result(h, t->access, ranks->count, err);
	if (!r)
		return -1;
	r->bytes = whole(round(ranks->bytes));
	r->seconds.total = ranks->max;
	r->rate_mib_s = ranks->bytes / ranks->max / PARIO_MIB;
	rank_sums_fill(ranks, true, r);
	memset(ranks, 0, sizeof(*ranks));
	return 0;
}

/* "write,0,3.17e+02,3.00e+02,5.07e+08,5.36e+08": rates are bytes per second of the rank's own time */
static int take_ior_rank(struct pario_harvest *h, struct ior_ranks *t,
			 const struct pario_lines *lines, struct pario_err *err)
{
	char *cells[PARIO_CSV_COLUMNS], copy[PARIO_LINE];
	size_t count;
	struct pario_detail_client c = { .ops = NAN }; /* not told */
	int status = 0;

	snprintf(copy, sizeof(copy), "%s", lines->text);
	count = pario_csv_cells(copy, cells);
	if (count > 4) {
		c.client = pario_whole(cells[1]);
		c.seconds = pario_number(cells[2]);
		c.rate = pario_number(cells[4]) / PARIO_MIB;
		c.bytes = round(c.rate * PARIO_MIB * c.seconds);
	}
	if (count != 6 || lines->cut || !is_access(cells[0], strlen(cells[0])) ||
	    c.client == PARIO_UNTOLD || !(c.seconds > 0) || !(c.rate >= 0) ||
	    !(t->sums.bytes + c.bytes < 0x1p63)) {
		pario_harvest_lost(h, lines->number, lines->text);
		return 0;
	}
	if (strcmp(t->access, cells[0]) != 0 || t->first == c.client)
		status = finish_ior(h, t, err);
	if (t->sums.count == 0) {
		snprintf(t->access, sizeof(t->access), "%s", cells[0]);
		t->first = c.client;
	}
	rank_sums_add(&t->sums, &c, true);
	return status;
}

int pario_ior_ranks_read(struct pario_import_file *source, struct pario_harvest *h,
			 struct pario_err *err)
{
	struct ior_ranks *t = calloc(1, sizeof(*t));
	struct pario_lines lines;
	int status = t ? 0 : pario_err_memory(err, NULL);

	pario_lines_begin(&lines, source);
	while (status == 0 && pario_lines_next(&lines)) {
		if (pario_after(lines.text, IOR_RANKS)) {
			h->tables++;
			status = finish_ior(h, t, err);
			if (status == 0)
				status = pario_harvest_run(h, "ior", "IOR", err);
		} else if (*lines.text) {
			status = take_ior_rank(h, t, &lines, err);
		}
	}
	if (status == 0)
		status = finish_ior(h, t, err);
	free(t);
	return status;
}

#define MDTEST_RANKS "rank,items,rate-"

bool pario_mdtest_ranks_sign(const char *line, uint64_t number)
{
	return number == 1 && pario_after(line, MDTEST_RANKS);
}

/* An operation of the table: a column of rates and one of times. */
struct operation {
	char name[32];
	double rate, seconds, items; /* of all ranks */
	uint64_t told;		     /* ranks that did it, also too fast for their clock */
	struct pario_rank_sums ranks;
};

enum { OPERATIONS = 32 };

struct mdtest_ranks {
	struct operation op[OPERATIONS];
	size_t operations;
	uint64_t rows,
		first; /* of the iteration: how many ranks were read, and the first one's number */
};

static void name_operations(struct mdtest_ranks *t, const char *line)
{
	char *cells[PARIO_CSV_COLUMNS], copy[PARIO_LINE];
	size_t count;

	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_csv_cells(copy, cells);
	t->operations = 0;
	for (size_t i = 2; i + 1 < count && t->operations < OPERATIONS; i += 2) {
		struct operation *op = &t->op[t->operations++];
		const char *name = pario_after(cells[i], "rate-");

		memset(op, 0, sizeof(*op));
		snprintf(op->name, sizeof(op->name), "%s", name ? name : cells[i]);
		if (*op->name >= 'A' && *op->name <= 'Z')
			*op->name = (char)(*op->name - 'A' + 'a');
		op->rate = op->seconds = op->items = NAN;
	}
}

/* The first iteration has a row of all ranks; of others only the ranks are told. */
static int finish_mdtest(struct pario_harvest *h, struct mdtest_ranks *t, struct pario_err *err)
{
	t->rows = 0;
	for (size_t i = 0; i < t->operations; i++) {
		struct operation *op = &t->op[i];
		struct pario_result *r;

		if (!*op->name || (op->ranks.count == 0 && !(op->rate > 0)))
			continue;
		r = pario_harvest_result(h, op->name, op->told, err);
		if (!r)
			return -1;
		r->seconds.total = isfinite(op->seconds) ? op->seconds : op->ranks.max;
		if (isfinite(op->rate))
			pario_result_metric(r, "mean", "ops/s", op->rate);
		if (isfinite(op->items))
			pario_result_metric(r, "items", "items", op->items);
		if (isfinite(op->rate))
			pario_result_headline(r, "mean", 1);
		if (op->ranks.count)
			rank_sums_fill(&op->ranks, false, r);
		op->rate = op->seconds = op->items = NAN;
		op->told = 0;
		memset(&op->ranks, 0, sizeof(op->ranks));
	}
	return 0;
}

/* Two cells for each operation that was measured, else empty ones; rows of ranks end before those of trees. */
static bool take_operations(struct pario_harvest *h, struct mdtest_ranks *t, uint64_t rank,
			    char **cells, size_t count)
{
	bool understood = true;

	for (size_t i = 0; i < t->operations && 2 * i + 3 < count; i++) {
		struct operation *op = &t->op[i];
		char **at = &cells[2 * i + 2];
		struct pario_detail_client c = { .client = rank,
						 .rate = pario_number(at[0]),
						 .seconds = pario_number(at[1]) };

		if (!*at[0] && !*at[1])
			continue;
		/* shorter than its clock tells: no rate */
		if (c.seconds == 0 && !isfinite(pario_harvest_cell(h, at[0]))) {
			op->told += rank != PARIO_UNTOLD;
			continue;
		}
		if (!(c.rate >= 0) || !(c.seconds > 0)) {
			understood = false;
		} else if (rank == PARIO_UNTOLD) {
			op->rate = c.rate;
			op->seconds = c.seconds;
			op->items = pario_number(cells[1]);
		} else {
			c.ops = round(c.rate * c.seconds); /* a count, told to ten digits */
			rank_sums_add(&op->ranks, &c, false);
			op->told++;
		}
	}
	return understood;
}

static int take_mdtest_rank(struct pario_harvest *h, struct mdtest_ranks *t,
			    const struct pario_lines *lines, struct pario_err *err)
{
	char *cells[PARIO_CSV_COLUMNS], copy[PARIO_LINE];
	uint64_t rank;
	size_t count;
	bool all;
	int status = 0;

	snprintf(copy, sizeof(copy), "%s", lines->text);
	count = pario_csv_cells(copy, cells);
	all = strcmp(cells[0], "all") == 0;
	rank = pario_whole(cells[0]);
	/* the last number of a line without an end may be cut */
	if (count < 4 || count % 2 || count > 2 * t->operations + 2 || lines->cut ||
	    (!all && rank == PARIO_UNTOLD)) {
		pario_harvest_lost(h, lines->number, lines->text);
		return 0;
	}
	if (all || (t->rows && t->first == rank))
		status = finish_mdtest(h, t, err);
	if (!all && t->rows++ == 0)
		t->first = rank;
	if (!take_operations(h, t, all ? PARIO_UNTOLD : rank, cells, count))
		pario_harvest_lost(h, lines->number, lines->text);
	return status;
}

int pario_mdtest_ranks_read(struct pario_import_file *source, struct pario_harvest *h,
			    struct pario_err *err)
{
	struct mdtest_ranks *t = calloc(1, sizeof(*t));
	struct pario_lines lines;
	int status = t ? 0 : pario_err_memory(err, NULL);

	pario_lines_begin(&lines, source);
	while (status == 0 && pario_lines_next(&lines)) {
		if (pario_after(lines.text, MDTEST_RANKS)) {
			h->tables++;
			status = finish_mdtest(h, t, err);
			name_operations(t, lines.text);
			if (status == 0)
				status = pario_harvest_run(h, "mdtest", "mdtest", err);
		} else if (*lines.text) {
			status = take_mdtest_rank(h, t, &lines, err);
		}
	}
	if (status == 0)
		status = finish_mdtest(h, t, err);
	free(t);
	return status;
}
