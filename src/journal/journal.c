/*
 * journal: how does a record of a run survive a crash, and how is damage told from a crash?
 *
 * Every line carries the hash of its own bytes. A crash can only leave the last line incomplete, so
 * a bad last line is dropped and a bad line before it is an error. The hash finds accidents, not
 * forgery: whoever edits a line can compute the sum again.
 */
#include "journal/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"

static const char file_name[] = "journal.jsonl";

enum {
	LINE_MAX_BYTES =
		64 << 20, /* far above any real line; bounds what a hostile file can make us hold */
	LINE_MAX_VALUES =
		4 << 20, /* the same for the tree: an empty object costs 3 bytes there, 250 here */
	RETRIES = 1000,	 /* interrupted calls in a row before a write counts as stuck */
};

/*
 * Parses a line whose sum was checked. NULL and a reason on failure, which may quote the line's bytes;
 * *at is the byte within the line.
 */
static json_t *parse(const char *line, size_t length, char reason[JSON_ERROR_TEXT_LENGTH],
		     size_t *at)
{
	json_error_t error = { 0 };
	size_t values = 0;
	json_t *object;

	*at = 0;
	/* Every value follows one of these, so their number bounds the size of the tree. */
	for (size_t i = 0; i < length; i++)
		values += line[i] == ',' || line[i] == '[' || line[i] == '{';
	if (values > LINE_MAX_VALUES) {
		snprintf(reason, JSON_ERROR_TEXT_LENGTH, "it holds more than %d values",
			 (int)LINE_MAX_VALUES);
		return NULL;
	}
	object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	if (json_is_string(json_object_get(object, "kind")))
		return object;
	if (object) {
		snprintf(reason, JSON_ERROR_TEXT_LENGTH, "it has no member kind");
		json_decref(object);
		return NULL;
	}
	snprintf(reason, JSON_ERROR_TEXT_LENGTH, "%s", error.text);
	*at = error.position > 0 ? (size_t)error.position : 0;
	return NULL;
}

/* ---- writing ---- */

static int path_of(char *path, size_t capacity, const char *directory, struct pario_err *err)
{
	int length = snprintf(path, capacity, "%s/%s", directory, file_name);

	if (length < 0 || (size_t)length >= capacity)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the path of the journal in \"%.200s...\" is longer than %zu bytes; choose a "
			"shorter --output.",
			directory, capacity - 1);
	return 0;
}

/* The journal lies where --output says, not where the data are. */
static const char *hint_for(int sys)
{
	switch (sys) {
	case ENOSPC:
	case EDQUOT:
		return "Free some space there, or name another directory with --output.";
	case EROFS:
		return "Name another directory with --output.";
	default:
		return pario_err_hint(sys);
	}
}

static int sys_error(struct pario_err *err, const char *what, const char *path)
{
	int sys = errno;

	return pario_err_sys(err, sys, hint_for(sys), "could not %s \"%.700s\"", what, path);
}

static int open_directory(const char *directory, struct pario_err *err)
{
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? sys_error(err, "open the directory", directory) : fd;
}

/* Some filesystems cannot sync a directory at all; there is nothing to wait for then. */
static int sync_directory(int fd)
{
	if (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS)
		return 0;
	return -1;
}

int pario_journal_create_at(struct pario_journal *journal, int dirfd, const char *directory,
			    struct pario_err *err)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	*journal = (struct pario_journal){ .fd = -1 };
	if (path_of(journal->path, sizeof(journal->path), directory, err) < 0)
		return -1;
	journal->fd = openat(dirfd, file_name, flags, 0644);
	if (journal->fd < 0)
		return sys_error(err, "create the journal", journal->path);
	if (sync_directory(dirfd) == 0)
		return 0;
	sys_error(err, "sync the directory of", journal->path);
	unlinkat(dirfd, file_name, 0);
	close(journal->fd);
	journal->fd = -1;
	return -1;
}

/* Writes it all or fails with errno set; a short write goes on where it stopped. */
static int write_all(int fd, const char *bytes, size_t length)
{
	int idle = 0;

	while (length) {
		ssize_t done = write(fd, bytes, length);

		if (done > 0) {
			bytes += done;
			length -= (size_t)done;
			idle = 0;
			continue;
		}
		if (done < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (++idle > RETRIES) {
			errno = done < 0 ? errno : EIO;
			return -1;
		}
	}
	return 0;
}

static int sync_data(int fd)
{
	int idle = 0;

	while (fdatasync(fd) < 0)
		if (errno != EINTR || ++idle > RETRIES)
			return -1;
	return 0;
}

/* A part of a line must not stay: the next line would turn it into damage in the middle. */
static int write_line(struct pario_journal *journal, const struct pario_text *line,
		      struct pario_err *err)
{
	off_t start = lseek(journal->fd, 0, SEEK_END);

	if (start < 0)
		return sys_error(err, "find the end of the journal", journal->path);
	if (write_all(journal->fd, line->data, line->length) < 0) {
		sys_error(err, "write a line to the journal", journal->path);
		if (ftruncate(journal->fd, start) < 0) {
			close(journal->fd);
			journal->fd = -1;
		}
		return -1;
	}
	journal->lines++;
	if (sync_data(journal->fd) < 0)
		return sys_error(err, "sync the journal", journal->path);
	return 0;
}

static int echo_line(struct pario_journal *journal, const struct pario_text *line,
		     struct pario_err *err)
{
	int sys;

	if (!journal->echo)
		return 0;
	errno = 0;
	if (fwrite(line->data, 1, line->length, journal->echo) == line->length &&
	    fflush(journal->echo) == 0)
		return 0;
	sys = errno ? errno : EIO;
	journal->echo = NULL;
	return pario_err_sys(err, sys, "The journal file itself is complete.",
			     "could not write line %" PRIu64 " of the journal \"%.700s\" to the "
			     "standard output",
			     journal->lines, journal->path);
}

/* Adds the tail and makes sure that the reader will take the line. */
static int finish_line(const struct pario_journal *journal, struct pario_text *line,
		       struct pario_err *err)
{
	char tail[PARIO_JOURNAL_TAIL + 1], reason[JSON_ERROR_TEXT_LENGTH] = "it is too long";
	json_t *object = NULL;
	size_t at = line->length;

	pario_journal_tail(tail, pario_text_string(line), line->length);
	pario_text_bytes(line, tail, PARIO_JOURNAL_TAIL);
	if (!line->failed && line->length <= LINE_MAX_BYTES)
		object = parse(line->data, line->length, reason, &at);
	pario_text_bytes(line, "\n", 1);
	if (line->failed) {
		json_decref(object);
		return pario_err_sys(err, ENOMEM, pario_err_hint(ENOMEM),
				     "could not build line %" PRIu64 " of the journal \"%.700s\"",
				     journal->lines + 1, journal->path);
	}
	if (!object)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"line %" PRIu64 " for the journal \"%.500s\" was not written "
			"because no reader would take it (byte %zu: %.150s); this is a "
			"mistake in pario, please report it.",
			journal->lines + 1, journal->path, at, reason);
	json_decref(object);
	return 0;
}

int pario_journal_append(struct pario_journal *journal, struct pario_json *json,
			 struct pario_err *err)
{
	int status = -1;

	if (journal->fd < 0)
		pario_err_set(
			err, PARIO_SYSTEM,
			"the journal \"%.700s\" is closed, so a line was not written; see the first "
			"error about it.",
			journal->path);
	else if (finish_line(journal, &json->text, err) == 0 &&
		 write_line(journal, &json->text, err) == 0)
		status = echo_line(journal, &json->text, err);
	pario_text_clear(&json->text);
	*json = (struct pario_json){ .text = json->text };
	return status;
}

int pario_journal_close(struct pario_journal *journal, struct pario_err *err)
{
	int fd = journal->fd;

	journal->fd = -1;
	if (fd >= 0 && close(fd) < 0 && errno != EINTR)
		return sys_error(err, "close the journal", journal->path);
	return 0;
}

/* ---- reading ---- */

static int choose_path(char *path, size_t capacity, const char *given, struct pario_err *err)
{
	struct stat status = { 0 };

	if (stat(given, &status) < 0 && errno != ENOENT)
		return sys_error(err, "open the journal", given);
	if (S_ISDIR(status.st_mode))
		return path_of(path, capacity, given, err);
	if (strlen(given) >= capacity) {
		errno = ENAMETOOLONG;
		return sys_error(err, "open the journal", given);
	}
	memcpy(path, given, strlen(given) + 1);
	return 0;
}

int pario_journal_open(struct pario_journal_reader *reader, const char *path, struct pario_err *err)
{
	*reader = (struct pario_journal_reader){ 0 };
	if (choose_path(reader->path, sizeof(reader->path), path, err) < 0)
		return -1;
	reader->file = pario_input_stream(reader->path, "The journal", err);
	return reader->file ? 0 : -1;
}

void pario_journal_done(struct pario_journal_reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	free(reader->line);
	reader->file = NULL;
	reader->line = NULL;
	reader->capacity = 0;
}

/* `at` counts within the line after the one last returned. The reason may hold hostile bytes. */
static int damage(const struct pario_journal_reader *reader, size_t at, const char *reason,
		  const char *advice, struct pario_err *err)
{
	struct pario_text clean = { 0 };

	pario_text_clean(&clean, reason);
	pario_err_set(err, PARIO_SYSTEM,
		      "the journal \"%.400s\" cannot be read at line %" PRIu64
		      " (byte offset %" PRIu64 "): %.250s. %s",
		      reader->path, reader->number + 1, reader->next + at,
		      pario_text_string(&clean), advice);
	pario_text_release(&clean);
	return -1;
}

static int damaged_line(const struct pario_journal_reader *reader, size_t at, const char *reason,
			struct pario_err *err)
{
	char advice[128];

	if (!reader->number)
		return damage(reader, at, reason, "Check that this is the journal of a pario run.",
			      err);
	snprintf(advice, sizeof(advice),
		 "Take the file from a copy, or keep the lines before it with \"head -n %" PRIu64
		 "\".",
		 reader->number);
	return damage(reader, at, reason, advice, err);
}

static int grow(struct pario_journal_reader *reader)
{
	size_t capacity = reader->capacity ? reader->capacity * 2 : 4096;
	char *line;

	if (capacity > (size_t)LINE_MAX_BYTES * 2) {
		errno = EFBIG;
		return -1;
	}
	line = realloc(reader->line, capacity);
	if (!line)
		return -1;
	reader->line = line;
	reader->capacity = capacity;
	return 0;
}

/* Reads up to a newline (not kept) or the end (*whole is false then); getline() would have no limit. */
static int take_line(struct pario_journal_reader *reader, size_t *length, bool *whole,
		     struct pario_err *err)
{
	size_t used = 0;
	int c;

	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (used == LINE_MAX_BYTES)
			return damaged_line(reader, used, "the line is longer than 64 MiB", err);
		if (used + 1 >= reader->capacity && grow(reader) < 0)
			return sys_error(err, "hold a line of the journal", reader->path);
		reader->line[used++] = (char)c;
	}
	if (c == EOF && ferror(reader->file))
		return sys_error(err, "read the journal", reader->path);
	if (!reader->capacity && grow(reader) < 0)
		return sys_error(err, "hold a line of the journal", reader->path);
	reader->line[used] = '\0';
	*length = used;
	*whole = c == '\n';
	return 0;
}

static bool at_end(FILE *file)
{
	int c = getc(file);

	return c == EOF || ungetc(c, file) == EOF;
}

/* "pario/7" is a newer schema, "pario/x" or "fio" is none. */
static bool newer_schema(const char *schema)
{
	static const char family[] = "pario/";
	size_t length = sizeof(family) - 1;
	const char *digits = schema + length;

	return strncmp(schema, family, length) == 0 && *digits >= '1' && *digits <= '9' &&
	       strspn(digits, "0123456789") == strlen(digits);
}

static int check_begin(const struct pario_journal_reader *reader, const json_t *line,
		       struct pario_err *err)
{
	const char *kind = json_string_value(json_object_get(line, "kind"));
	const char *schema = json_string_value(json_object_get(line, "schema"));
	char reason[160];

	if (strcmp(kind, "begin") != 0)
		return damaged_line(reader, 0, "the first line of a journal must be of kind begin",
				    err);
	if (!schema)
		return damaged_line(reader, 0, "the begin line does not name its schema", err);
	if (strcmp(schema, PARIO_JOURNAL_SCHEMA) == 0)
		return 0;
	if (!newer_schema(schema)) {
		snprintf(reason, sizeof(reason),
			 "its schema is \"%.40s\" but this pario reads " PARIO_JOURNAL_SCHEMA,
			 schema);
		return damaged_line(reader, 0, reason, err);
	}
	snprintf(
		reason, sizeof(reason),
		"a newer pario wrote it (schema \"%.40s\"; this one reads up to " PARIO_JOURNAL_SCHEMA
		")",
		schema);
	return damage(reader, 0, reason, "Read it with that pario or a later one.", err);
}

/* A bad line is torn when it is the last one and there is a run before it, and damage otherwise. */
static int bad_line(struct pario_journal_reader *reader, const char *wrong, struct pario_err *err)
{
	if (!reader->number || !at_end(reader->file))
		return damaged_line(reader, 0, wrong, err);
	reader->torn = true;
	return 0;
}

/* 1 and a line with the right sum, 0 at the end, -1 on damage. */
static int next_line(struct pario_journal_reader *reader, size_t *length, struct pario_err *err)
{
	const char *wrong;
	bool whole = false;

	if (reader->torn)
		return 0;
	if (take_line(reader, length, &whole, err) < 0)
		return -1;
	if (!whole && !*length && reader->number)
		return 0;
	if (!whole)
		return bad_line(reader, *length ? "the line is incomplete" : "the file is empty",
				err);
	wrong = pario_journal_check(reader->line, *length);
	return wrong ? bad_line(reader, wrong, err) : 1;
}

static void advance(struct pario_journal_reader *reader, size_t length)
{
	reader->number++;
	reader->offset = reader->next;
	reader->next += length + 1;
}

static int object_of(const struct pario_journal_reader *reader, size_t length, json_t **object,
		     struct pario_err *err)
{
	char reason[JSON_ERROR_TEXT_LENGTH];
	size_t at;

	*object = parse(reader->line, length, reason, &at);
	if (!*object)
		return damaged_line(reader, at, reason, err);
	if (reader->number || check_begin(reader, *object, err) == 0)
		return 0;
	json_decref(*object);
	*object = NULL;
	return -1;
}

int pario_journal_next(struct pario_journal_reader *reader, json_t **line, struct pario_err *err)
{
	size_t length = 0;
	int more = next_line(reader, &length, err);

	if (more > 0 && object_of(reader, length, line, err) < 0)
		return -1;
	if (more > 0)
		advance(reader, length);
	return more;
}

int pario_journal_walk(struct pario_journal_reader *reader, pario_journal_taker *taker, void *self,
		       struct pario_err *err)
{
	size_t length = 0;
	json_t *object;
	int more;

	while ((more = next_line(reader, &length, err)) > 0) {
		int taken = reader->number ? taker(self, reader->line, length, NULL, err) : 0;

		if (taken == 0) {
			if (object_of(reader, length, &object, err) < 0)
				return -1;
			taken = taker(self, reader->line, length, object, err);
			json_decref(object);
		}
		if (taken < 0)
			return -1;
		advance(reader, length);
	}
	return more;
}

/* ---- resuming ---- */

/* Reads the whole journal through a second descriptor; `end` is the byte after its last valid line. */
static int measure(const struct pario_journal *journal, uint64_t *lines, uint64_t *end,
		   struct pario_err *err)
{
	struct pario_journal_reader reader = { 0 };
	json_t *line;
	int fd, more;

	memcpy(reader.path, journal->path, sizeof(reader.path));
	fd = fcntl(journal->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return sys_error(err, "open the journal", journal->path);
	reader.file = fdopen(fd, "r");
	if (!reader.file) {
		sys_error(err, "open the journal", journal->path);
		close(fd);
		return -1;
	}
	while ((more = pario_journal_next(&reader, &line, err)) > 0)
		json_decref(line);
	*lines = reader.number;
	*end = reader.next;
	pario_journal_done(&reader);
	return more;
}

static int open_existing(const char *directory, const char *path, struct pario_err *err)
{
	struct stat status;
	int dir = open_directory(directory, err);
	int fd;

	if (dir < 0)
		return -1;
	/* A FIFO in its place would otherwise hold us here for ever. */
	fd = openat(dir, file_name, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		sys_error(err, "open the journal", path);
	close(dir);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1)
		return fd;
	close(fd);
	return pario_err_set(
		err, PARIO_SYSTEM,
		"the journal \"%.700s\" is not a regular file with a single name, so it is not "
		"continued; copy it to a directory of its own first.",
		path);
}

int pario_journal_reopen(struct pario_journal *journal, const char *directory,
			 struct pario_err *err)
{
	uint64_t end;

	*journal = (struct pario_journal){ .fd = -1 };
	if (path_of(journal->path, sizeof(journal->path), directory, err) < 0)
		return -1;
	journal->fd = open_existing(directory, journal->path, err);
	if (journal->fd < 0)
		return -1;
	if (measure(journal, &journal->lines, &end, err) < 0)
		goto close_file;
	if (ftruncate(journal->fd, (off_t)end) < 0 || sync_data(journal->fd) < 0) {
		sys_error(err, "cut the incomplete last line off the journal", journal->path);
		goto close_file;
	}
	return 0;

close_file:
	close(journal->fd);
	journal->fd = -1;
	return -1;
}
