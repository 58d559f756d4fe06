/*
 * relay: the launchers' own lines are known by how they begin and by the rules around them: Open MPI writes
 * them to standard error, MPICH's last ones to standard output.
 */
#include "comm/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RULE = 60,	   /* signs in a launcher's rule, at least */
	HELD_MOST = 16384, /* bytes of a line that may be a launcher's */
	KEPT_MOST = 65536, /* bytes of words, places and blocks */
	PRINT_MS = 200,
};

void pario_relay_init(struct pario_relay *relay, int out, int err)
{
	*relay = (struct pario_relay){ .code = -1 };
	relay->streams[0].to = out;
	relay->streams[1].to = err;
}

void pario_relay_release(struct pario_relay *relay)
{
	for (int i = 0; i < 2; i++) {
		pario_text_release(&relay->streams[i].line);
		pario_text_release(&relay->streams[i].block);
		pario_text_release(&relay->streams[i].out);
	}
	pario_text_release(&relay->words);
	pario_text_release(&relay->places);
	pario_text_release(&relay->journal);
}

/* 0, or why it does not take it. */
static int print(int to, const char *bytes, size_t length)
{
	struct pollfd capacity = { .fd = to, .events = POLLOUT };
	ssize_t n;

	for (; length > 0; bytes += n, length -= (size_t)n) {
		n = write(to, bytes, length);
		if (n >= 0)
			continue;
		if (errno != EINTR && errno != EAGAIN)
			return errno;
		n = 0;
		poll(&capacity, 1, PRINT_MS);
	}
	return 0;
}

/* What cannot be printed is taken all the same, so that the run comes to its end. */
static void flush(struct pario_relay *relay, int stream)
{
	struct pario_relay_stream *s = &relay->streams[stream];
	int failed = 0;

	if (s->to >= 0)
		failed = print(s->to, pario_text_string(&s->out), s->out.length);
	if (failed) {
		s->to = -1;
		if (stream == 0)
			relay->lost = failed;
	}
	pario_text_clear(&s->out);
}

static void keep(struct pario_text *text, const struct pario_text *more)
{
	if (text->length + more->length <= KEPT_MOST)
		pario_text_bytes(text, pario_text_string(more), more->length);
}

/* ---- signs ---- */

static void take_sign(struct pario_relay *relay, struct pario_text *sign)
{
	const char *text = pario_text_string(sign);

	relay->signs++;
	switch (*text) {
	case PARIO_SIGN_PLACE:
		relay->begun++;
		pario_text_bytes(sign, "\n", 1);
		if (relay->places.length + sign->length <= KEPT_MOST)
			pario_text_bytes(&relay->places, sign->data + 1, sign->length - 1);
		break;
	case PARIO_SIGN_JOURNAL:
		pario_text_clear(&relay->journal);
		pario_text_add(&relay->journal, "%s", text + 1);
		break;
	case PARIO_SIGN_CODE:
		relay->code = atoi(text + 1);
		break;
	default:
		break;
	}
	if (relay->alive)
		return;
	/* The clients have begun: what the launcher said until now were no more than warnings. */
	relay->alive = true;
	pario_text_bytes(&relay->streams[1].out, pario_text_string(&relay->words),
			 relay->words.length);
	pario_text_clear(&relay->words);
}

/* ---- the launcher's words ---- */

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static bool is_rule(const char *line)
{
	size_t length = strspn(line, line[0] == '=' ? "=" : "-");

	return length >= RULE && line[length] == '\n';
}

/* "[host:1234] ", "[mpiexec@host] ", "[proxy:0:0@host] ", "mpiexec.openmpi: Forwarding signal 10 to job" */
static bool is_launchers(const char *line)
{
	const char *colon = strchr(line, ':');

	if (begins(line, "[mpiexec@") || begins(line, "[proxy:"))
		return true;
	if (begins(line, "mpiexec") || begins(line, "mpirun"))
		return colon && begins(colon, ": Forwarding signal");
	return line[0] == '[' && colon && colon[1] >= '0' && colon[1] <= '9' &&
	       colon[1 + strspn(colon + 1, "0123456789")] == ']';
}

/* Blocks that say no more than how the run ended, which is told in a sentence. */
static bool is_ending(const char *block)
{
	static const char *const marks[] = { "noticed that process",  "BAD TERMINATION",
					     "Primary job",	      "non-zero",
					     "MPI_ABORT was invoked", "exited improperly" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (strstr(block, marks[i]))
			return true;
	}
	return false;
}

static void end_block(struct pario_relay *relay, struct pario_relay_stream *s)
{
	const char *block = pario_text_string(&s->block);
	bool ending = is_ending(block);

	s->ending |= ending && block[0] == '=';
	keep(ending || !relay->alive ? &relay->words : &s->out, &s->block);
	pario_text_clear(&s->block);
}

/* A held line is whole. */
static void judge(struct pario_relay *relay, struct pario_relay_stream *s)
{
	const char *line = pario_text_string(&s->line);
	bool err = s == &relay->streams[1], in_block = s->block.length > 0;

	if (s->ending) {
		keep(&relay->words, &s->line);
	} else if (in_block || (is_rule(line) && (line[0] == '=') != err)) {
		keep(&s->block, &s->line);
		if (in_block && is_rule(line))
			end_block(relay, s);
	} else if (is_launchers(line) || (err && !relay->alive && !begins(line, "pario: "))) {
		keep(&relay->words, &s->line);
	} else {
		pario_text_bytes(&s->out, line, s->line.length);
	}
	pario_text_clear(&s->line);
}

/* ---- bytes ---- */

static bool may_be_launchers(const struct pario_relay *relay, const struct pario_relay_stream *s,
			     char c)
{
	bool err = s == &relay->streams[1];

	return s->ending || s->block.length || c == '[' || c == 'm' || c == (err ? '-' : '=') ||
	       (err && !relay->alive);
}

static void take_sign_byte(struct pario_relay *relay, struct pario_relay_stream *s, char c)
{
	/* A sign that was cut short is followed by another one. */
	if (c == '\0') {
		pario_text_clear(&s->line);
		return;
	}
	if (c != '\n') {
		if (s->line.length < HELD_MOST)
			pario_text_bytes(&s->line, &c, 1);
		return;
	}
	take_sign(relay, &s->line);
	pario_text_clear(&s->line);
	s->state = s->before_sign ? PARIO_STREAM_PASS : PARIO_STREAM_START;
}

/* A sign that comes in the middle of a held line ends the holding: clients do not write launchers' lines. */
static void begin_sign(struct pario_relay_stream *s)
{
	s->before_sign = s->state != PARIO_STREAM_START;
	pario_text_bytes(&s->out, pario_text_string(&s->line), s->line.length);
	pario_text_clear(&s->line);
	s->state = PARIO_STREAM_SIGN;
}

static void take_byte(struct pario_relay *relay, struct pario_relay_stream *s, char c)
{
	if (s->state == PARIO_STREAM_SIGN) {
		take_sign_byte(relay, s, c);
		return;
	}
	if (c == '\0') {
		begin_sign(s);
		return;
	}
	if (s->state == PARIO_STREAM_START)
		s->state = may_be_launchers(relay, s, c) ? PARIO_STREAM_HOLD : PARIO_STREAM_PASS;
	pario_text_bytes(s->state == PARIO_STREAM_HOLD ? &s->line : &s->out, &c, 1);
	if (s->state == PARIO_STREAM_HOLD && (c == '\n' || s->line.length >= HELD_MOST))
		judge(relay, s);
	if (c == '\n')
		s->state = PARIO_STREAM_START;
}

void pario_relay_take(struct pario_relay *relay, int stream, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		take_byte(relay, &relay->streams[stream], bytes[i]);
	flush(relay, stream);
	flush(relay, 1);
}

void pario_relay_end(struct pario_relay *relay)
{
	for (int i = 0; i < 2; i++) {
		struct pario_relay_stream *s = &relay->streams[i];

		if (s->line.length && s->state == PARIO_STREAM_HOLD) {
			pario_text_bytes(&s->line, "\n", 1);
			judge(relay, s);
		}
		if (s->block.length)
			end_block(relay, s);
		flush(relay, i);
	}
}

/* ---- who died ---- */

static long client_of(const struct pario_relay *relay, long pid)
{
	long rank, other;

	for (const char *at = pario_text_string(&relay->places); at && *at;) {
		if (sscanf(at, "%ld %ld", &rank, &other) == 2 && other == pid)
			return rank;
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return -1;
}

void pario_relay_death(const struct pario_relay *relay, struct pario_relay_death *death)
{
	const char *words = pario_text_string(&relay->words);
	const char *openmpi = strstr(words, "process rank "), *mpich = strstr(words, "PID "),
		   *code = strstr(words, "EXIT CODE: ");
	long pid = 0;

	*death = (struct pario_relay_death){ .client = -1 };
	if (openmpi &&
	    sscanf(openmpi, "process rank %ld with PID %*d on node %255s exited on signal %d",
		   &death->client, death->host, &death->signal) == 3)
		return;
	*death = (struct pario_relay_death){ .client = -1 };
	if (!mpich || !code || sscanf(mpich, "PID %ld RUNNING AT %255s", &pid, death->host) != 2 ||
	    sscanf(code, "EXIT CODE: %d", &death->signal) != 1 || !strstr(words, "(signal "))
		*death = (struct pario_relay_death){ .client = -1 };
	else
		death->client = client_of(relay, pid);
}
