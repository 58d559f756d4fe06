/*
 * index: four tables. `numbers` is kept in the order in which it is read: line by line, by time.
 *
 * Everything can be made anew, so nothing waits for the disk. A file is pario's own when SQLite's application id
 * says so; another layout than this version's is dropped and built again.
 */
#include "history/index.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"

#ifdef PARIO_HAVE_SQLITE

#include <sqlite3.h>

enum {
	APPLICATION = 0x70617268, /* "parh" */
	LAYOUT = 1,
	BUSY_MS = 20000,
};

#define WORDS_OF(number_)  WORDS_OF_(number_)
#define WORDS_OF_(number_) #number_

enum statement {
	KNOWS,
	HAS,
	ADD_FACTS,
	FIND_FACTS,
	DROP_RUN,
	ADD_RUN,
	ADD_LINE,
	FIND_LINE,
	ADD_NUMBER,
	GET_FACTS,
	STATEMENTS,
};

static const char *const texts[STATEMENTS] = {
	[KNOWS] =
		"SELECT id FROM runs WHERE path=? AND size=? AND mtime=? AND inode=? AND device=?",
	[HAS] = "SELECT 1 FROM runs WHERE run=? AND time=? AND path<>? AND state=0",
	[ADD_FACTS] = "INSERT OR IGNORE INTO facts(text) VALUES(?)",
	[FIND_FACTS] = "SELECT id FROM facts WHERE text=?",
	[DROP_RUN] = "DELETE FROM runs WHERE path=?",
	[ADD_RUN] =
		"INSERT INTO runs(path,size,mtime,inode,device,run,time,label,facts,state,reason) "
		"VALUES(?,?,?,?,?,?,?,?,?,?,?)",
	[ADD_LINE] = "INSERT OR IGNORE INTO lines(key,test,phase,clients,words,place,unit,better) "
		     "VALUES(?,?,?,?,?,?,?,?)",
	[FIND_LINE] = "SELECT id FROM lines WHERE key=?",
	[ADD_NUMBER] = "INSERT OR REPLACE INTO numbers VALUES(?,?,?,?,?,?,?,?)",
	[GET_FACTS] = "SELECT text FROM facts JOIN runs ON runs.facts=facts.id WHERE runs.id=?",
};

static const char layout[] =
	"CREATE TABLE runs(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER, mtime INTEGER,"
	" inode INTEGER, device INTEGER, run TEXT, time INTEGER, label TEXT, facts INTEGER, state INTEGER,"
	" reason TEXT);"
	"CREATE TABLE scope(across TEXT NOT NULL); INSERT INTO scope VALUES('');"
	"CREATE INDEX runs_by_id ON runs(run, time);"
	"CREATE TABLE facts(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE lines(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, test TEXT, phase TEXT,"
	" clients INTEGER, words TEXT, place TEXT, unit TEXT, better INTEGER);"
	"CREATE TABLE numbers(line INTEGER, time INTEGER, run INTEGER, value REAL, low REAL, high REAL,"
	" repetitions INTEGER, suspect INTEGER, PRIMARY KEY(line, time, run)) WITHOUT ROWID;"
	"CREATE INDEX numbers_by_run ON numbers(run);"
	"CREATE TRIGGER forget AFTER DELETE ON runs BEGIN DELETE FROM numbers WHERE run=old.id; END;"
	"PRAGMA application_id=" WORDS_OF(0x70617268) ";"
						      "PRAGMA user_version=" WORDS_OF(1) ";";

struct pario_index {
	sqlite3 *db;
	sqlite3_stmt *statement[STATEMENTS];
	char path[4096];
};

static int fail(const struct pario_index *x, struct pario_err *err)
{
	return pario_err_set(
		err, PARIO_SYSTEM,
		"the index %s cannot be used: %s. It can be deleted at any time, and is "
		"built again from the journals; --index names another place.",
		x->path, sqlite3_errmsg(x->db));
}

static int execute(struct pario_index *x, const char *text, struct pario_err *err)
{
	return sqlite3_exec(x->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(x, err);
}

static int64_t pragma(struct pario_index *x, const char *text)
{
	sqlite3_stmt *statement = NULL;
	int64_t value = -1;

	if (sqlite3_prepare_v2(x->db, text, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return value;
}

/* Bytes 68 to 71 of the head, most significant first, are the application id. */
enum ownership { NEW, OURS, FOREIGN };

/* SQLite opens these too when they are there, and would wait for a pipe. */
static bool may_open_beside(const char *path)
{
	static const char *const endings[] = { "-journal", "-wal", "-shm" };
	char beside[4096 + 16];
	struct stat st;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		snprintf(beside, sizeof(beside), "%s%s", path, endings[i]);
		if (lstat(beside, &st) == 0 && !S_ISREG(st.st_mode))
			return false;
	}
	return true;
}

static enum ownership whose(const char *path)
{
	unsigned char head[100] = { 0 };
	struct stat st;
	ssize_t length;
	int fd;

	if (!may_open_beside(path))
		return FOREIGN;
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? NEW : FOREIGN;
	fd = S_ISREG(st.st_mode) ? pario_input_open(path, "The index", NULL) : -1;
	if (fd < 0)
		return FOREIGN;
	length = read(fd, head, sizeof(head));
	close(fd);
	if (length == 0)
		return NEW;
	return length == sizeof(head) && memcmp(head, "SQLite format 3", 16) == 0 &&
			       ((uint32_t)head[68] << 24 | (uint32_t)head[69] << 16 |
				(uint32_t)head[70] << 8 | head[71]) == APPLICATION
		       ? OURS
		       : FOREIGN;
}

static int prepare(struct pario_index *x, struct pario_err *err)
{
	for (size_t i = 0; i < STATEMENTS; i++) {
		if (sqlite3_prepare_v3(x->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &x->statement[i], NULL) != SQLITE_OK)
			return fail(x, err);
	}
	return 0;
}

static int connect_to(struct pario_index *x, struct pario_err *err)
{
	if (sqlite3_open_v2(*x->path ? x->path : ":memory:", &x->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW,
			    NULL) != SQLITE_OK)
		return fail(x, err);
	sqlite3_busy_timeout(x->db, BUSY_MS);
	if (execute(x,
		    "PRAGMA synchronous=OFF; PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
		    err) < 0)
		return -1;
	if (pragma(x, "PRAGMA user_version") == 0 &&
	    (execute(x, "BEGIN IMMEDIATE", err) < 0 ||
	     (pragma(x, "PRAGMA user_version") == 0 && execute(x, layout, err) < 0) ||
	     execute(x, "COMMIT", err) < 0))
		return -1;
	return prepare(x, err);
}

static void disconnect(struct pario_index *x)
{
	for (size_t i = 0; i < STATEMENTS; i++) {
		sqlite3_finalize(x->statement[i]);
		x->statement[i] = NULL;
	}
	sqlite3_close(x->db);
	x->db = NULL;
}

int pario_index_open(struct pario_index **index, const char *path, struct pario_err *err)
{
	enum ownership owner = *path ? whose(path) : NEW;
	struct pario_index *x;

	if (owner == FOREIGN)
		return pario_err_set(
			err, PARIO_USAGE,
			"%s is no index of pario's, and it is left alone; name another "
			"file with --index.",
			path);
	x = calloc(1, sizeof(*x));
	if (!x)
		return pario_err_memory(err, NULL);
	snprintf(x->path, sizeof(x->path), "%s", path);
	if (connect_to(x, err) < 0 || pragma(x, "PRAGMA user_version") != LAYOUT) {
		pario_index_close(x);
		return owner == OURS && unlink(path) == 0 ? pario_index_open(index, path, err) : -1;
	}
	*index = x;
	return 0;
}

void pario_index_close(struct pario_index *index)
{
	if (!index)
		return;
	disconnect(index);
	free(index);
}

bool pario_index_broken(const struct pario_index *index)
{
	int code = sqlite3_errcode(index->db);

	return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

int pario_index_scope(struct pario_index *index, const char *across, struct pario_err *err)
{
	sqlite3_stmt *s = NULL;
	bool same = false;
	char *text;
	int status;

	if (sqlite3_prepare_v2(index->db, "SELECT across FROM scope", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW)
		same = strcmp((const char *)sqlite3_column_text(s, 0), across) == 0;
	sqlite3_finalize(s);
	if (same)
		return 0;
	text = sqlite3_mprintf("DELETE FROM numbers; DELETE FROM runs; DELETE FROM lines;"
			       "UPDATE scope SET across=%Q",
			       across);
	status = text ? execute(index, text, err) : fail(index, err);
	sqlite3_free(text);
	return status;
}

int pario_index_begin(struct pario_index *index, struct pario_err *err)
{
	return execute(index, "BEGIN IMMEDIATE", err);
}

int pario_index_commit(struct pario_index *index, struct pario_err *err)
{
	return execute(index, "COMMIT", err);
}

/* ---- one statement ---- */

static sqlite3_stmt *fresh(struct pario_index *x, enum statement which)
{
	sqlite3_reset(x->statement[which]);
	sqlite3_clear_bindings(x->statement[which]);
	return x->statement[which];
}

static void bind_text(sqlite3_stmt *s, int place, const char *text)
{
	sqlite3_bind_text(s, place, text ? text : "", -1, SQLITE_STATIC);
}

/* 1 with a row, 0 without, -1. */
static int step(struct pario_index *x, enum statement which, int64_t *value, struct pario_err *err)
{
	int code = sqlite3_step(x->statement[which]);

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return fail(x, err);
	if (code == SQLITE_ROW && value)
		*value = sqlite3_column_int64(x->statement[which], 0);
	sqlite3_reset(x->statement[which]);
	return code == SQLITE_ROW;
}

static void bind_stamp(sqlite3_stmt *s, const char *path, const struct pario_stamp *stamp)
{
	bind_text(s, 1, path);
	sqlite3_bind_int64(s, 2, stamp->size);
	sqlite3_bind_int64(s, 3, stamp->mtime_ns);
	sqlite3_bind_int64(s, 4, stamp->inode);
	sqlite3_bind_int64(s, 5, stamp->device);
}

int pario_index_knows(struct pario_index *x, const char *path, const struct pario_stamp *stamp,
		      int64_t *number, struct pario_err *err)
{
	bind_stamp(fresh(x, KNOWS), path, stamp);
	return step(x, KNOWS, number, err);
}

int pario_index_has(struct pario_index *x, const char *path, const char *run, int64_t time_s,
		    struct pario_err *err)
{
	sqlite3_stmt *s = fresh(x, HAS);

	bind_text(s, 1, run);
	sqlite3_bind_int64(s, 2, time_s);
	bind_text(s, 3, path);
	return step(x, HAS, NULL, err);
}

static int facts_number(struct pario_index *x, const char *facts, int64_t *number,
			struct pario_err *err)
{
	bind_text(fresh(x, ADD_FACTS), 1, facts);
	if (step(x, ADD_FACTS, NULL, err) < 0)
		return -1;
	bind_text(fresh(x, FIND_FACTS), 1, facts);
	return step(x, FIND_FACTS, number, err);
}

int pario_index_add(struct pario_index *x, const struct pario_index_run *run, int64_t *number,
		    struct pario_err *err)
{
	int64_t facts = 0;
	sqlite3_stmt *s;

	if (facts_number(x, run->facts, &facts, err) < 0)
		return -1;
	bind_text(fresh(x, DROP_RUN), 1, run->path);
	if (step(x, DROP_RUN, NULL, err) < 0)
		return -1;
	s = fresh(x, ADD_RUN);
	bind_stamp(s, run->path, &run->stamp);
	bind_text(s, 6, run->run);
	sqlite3_bind_int64(s, 7, run->time_s);
	bind_text(s, 8, run->label);
	sqlite3_bind_int64(s, 9, facts);
	sqlite3_bind_int(s, 10, (int)run->state);
	bind_text(s, 11, run->reason);
	if (step(x, ADD_RUN, NULL, err) < 0)
		return -1;
	*number = sqlite3_last_insert_rowid(x->db);
	return 0;
}

static int line_number(struct pario_index *x, const struct pario_index_number *n, int64_t *line,
		       struct pario_err *err)
{
	sqlite3_stmt *s;
	int found;

	bind_text(fresh(x, FIND_LINE), 1, n->key);
	found = step(x, FIND_LINE, line, err);
	if (found)
		return found < 0 ? -1 : 0;
	s = fresh(x, ADD_LINE);
	bind_text(s, 1, n->key);
	bind_text(s, 2, n->test);
	bind_text(s, 3, n->phase);
	sqlite3_bind_int64(s, 4, (int64_t)n->clients);
	bind_text(s, 5, n->words);
	bind_text(s, 6, n->place);
	bind_text(s, 7, n->unit);
	sqlite3_bind_int(s, 8, n->better);
	if (step(x, ADD_LINE, NULL, err) < 0)
		return -1;
	*line = sqlite3_last_insert_rowid(x->db);
	return 0;
}

int pario_index_number(struct pario_index *x, int64_t run, int64_t time_s,
		       const struct pario_index_number *n, struct pario_err *err)
{
	sqlite3_stmt *s;
	int64_t line;

	if (line_number(x, n, &line, err) < 0)
		return -1;
	s = fresh(x, ADD_NUMBER);
	sqlite3_bind_int64(s, 1, line);
	sqlite3_bind_int64(s, 2, time_s);
	sqlite3_bind_int64(s, 3, run);
	sqlite3_bind_double(s, 4, n->value);
	sqlite3_bind_double(s, 5, n->low);
	sqlite3_bind_double(s, 6, n->high);
	sqlite3_bind_int64(s, 7, (int64_t)n->repetitions);
	sqlite3_bind_int(s, 8, n->suspect);
	return step(x, ADD_NUMBER, NULL, err) < 0 ? -1 : 0;
}

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

int pario_index_keep(struct pario_index *x, const int64_t *numbers, size_t count, size_t *removed,
		     struct pario_err *err)
{
	sqlite3_stmt *all = NULL, *drop = NULL;
	int code = sqlite3_prepare_v2(x->db, "SELECT id FROM runs ORDER BY id", -1, &all, NULL);

	*removed = 0;
	if (code == SQLITE_OK)
		code = sqlite3_prepare_v2(
			x->db,
			"DELETE FROM runs WHERE id=?1 OR (state=2 AND (run,time) IN "
			"(SELECT run,time FROM runs WHERE id=?1))",
			-1, &drop, NULL);
	while (code == SQLITE_OK && sqlite3_step(all) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(all, 0);

		if (bsearch(&id, numbers, count, sizeof(id), by_number))
			continue;
		sqlite3_reset(drop);
		sqlite3_bind_int64(drop, 1, id);
		code = sqlite3_step(drop) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		(*removed)++;
	}
	sqlite3_finalize(all);
	sqlite3_finalize(drop);
	return code == SQLITE_OK ? 0 : fail(x, err);
}

/* ---- the answer ---- */

static char *column(sqlite3_stmt *s, int place)
{
	const unsigned char *text = sqlite3_column_text(s, place);

	return strdup(text ? (const char *)text : "");
}

static struct pario_line *new_line(struct pario_chronicle *c)
{
	struct pario_line *more = realloc(c->line, (c->lines + 1) * sizeof(*more));

	if (!more)
		return NULL;
	c->line = more;
	more[c->lines] = (struct pario_line){ 0 };
	return &more[c->lines++];
}

static bool take_moment(struct pario_line *l, sqlite3_stmt *s)
{
	if (l->count == l->capacity) {
		size_t capacity = l->capacity ? 2 * l->capacity : 64;
		struct pario_moment *more = realloc(l->moment, capacity * sizeof(*more));

		if (!more)
			return false;
		l->moment = more;
		l->capacity = capacity;
	}
	l->moment[l->count++] = (struct pario_moment){
		.time_s = sqlite3_column_int64(s, 0),
		.run = sqlite3_column_int64(s, 1),
		.value = sqlite3_column_double(s, 2),
		.low = sqlite3_column_double(s, 3),
		.high = sqlite3_column_double(s, 4),
		.repetitions = (uint32_t)sqlite3_column_int64(s, 5),
		.suspect = sqlite3_column_int(s, 6) != 0,
	};
	return true;
}

static bool load_moments(struct pario_line *l, sqlite3_stmt *numbers, int64_t id)
{
	int code;

	sqlite3_reset(numbers);
	sqlite3_bind_int64(numbers, 1, id);
	while ((code = sqlite3_step(numbers)) == SQLITE_ROW) {
		if (!take_moment(l, numbers))
			return false;
	}
	return code == SQLITE_DONE;
}

static bool load_lines(struct pario_chronicle *c, sqlite3_stmt *lines, sqlite3_stmt *numbers)
{
	int code;

	while ((code = sqlite3_step(lines)) == SQLITE_ROW) {
		struct pario_line *l = new_line(c);

		if (!l)
			return false;
		l->test = column(lines, 1);
		l->phase = column(lines, 2);
		l->clients = (uint64_t)sqlite3_column_int64(lines, 3);
		l->words = column(lines, 4);
		l->place = column(lines, 5);
		l->unit = column(lines, 6);
		l->better = sqlite3_column_int(lines, 7);
		if (!l->test || !l->phase || !l->words || !l->place || !l->unit ||
		    !load_moments(l, numbers, sqlite3_column_int64(lines, 0)))
			return false;
		/* a line whose runs are all gone */
		if (!l->count) {
			c->lines--;
			free(l->test);
			free(l->phase);
			free(l->words);
			free(l->place);
			free(l->unit);
			continue;
		}
		if (!c->last_s || l->moment[l->count - 1].time_s > c->last_s)
			c->last_s = l->moment[l->count - 1].time_s;
		if (!c->first_s || l->moment[0].time_s < c->first_s)
			c->first_s = l->moment[0].time_s;
	}
	return code == SQLITE_DONE;
}

static bool load_states(struct pario_chronicle *c, sqlite3_stmt *s)
{
	int code;

	while ((code = sqlite3_step(s)) == SQLITE_ROW) {
		int state = sqlite3_column_int(s, 0);
		struct pario_skipped *more;

		if (state < 0 || state >= PARIO_RUN_STATES)
			continue;
		c->runs[state]++;
		if (state != PARIO_RUN_DAMAGED)
			continue;
		more = realloc(c->skipped, (c->skips + 1) * sizeof(*more));
		if (!more)
			return false;
		c->skipped = more;
		c->skipped[c->skips++] = (struct pario_skipped){ column(s, 1), column(s, 2) };
	}
	return code == SQLITE_DONE;
}

int pario_index_load(struct pario_index *x, struct pario_chronicle *c, struct pario_err *err)
{
	static const char *const queries[3] = {
		"SELECT id,test,phase,clients,words,place,unit,better FROM lines "
		"ORDER BY place,test,id",
		"SELECT time,run,value,low,high,repetitions,suspect FROM numbers WHERE line=? "
		"ORDER BY time,run",
		"SELECT state,path,reason FROM runs ORDER BY path",
	};
	sqlite3_stmt *s[3] = { NULL };
	int status = 0;

	*c = (struct pario_chronicle){ 0 };
	for (size_t i = 0; i < 3 && status == 0; i++) {
		if (sqlite3_prepare_v2(x->db, queries[i], -1, &s[i], NULL) != SQLITE_OK)
			status = fail(x, err);
	}
	if (status == 0 && !(load_lines(c, s[0], s[1]) && load_states(c, s[2])))
		status = fail(x, err);
	for (size_t i = 0; i < 3; i++)
		sqlite3_finalize(s[i]);
	if (status < 0)
		pario_chronicle_release(c);
	return status;
}

char *pario_index_facts(struct pario_index *x, int64_t run)
{
	sqlite3_stmt *s = fresh(x, GET_FACTS);
	char *text = NULL;

	sqlite3_bind_int64(s, 1, run);
	if (sqlite3_step(s) == SQLITE_ROW)
		text = column(s, 0);
	sqlite3_reset(s);
	return text;
}

#endif
