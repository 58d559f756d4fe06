/*
 * file_transfer: builds the client's command line and its scratch home, runs it, and explains a failure.
 */
#include "tests/nht1/network/file_transfer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/nht1/network/transfer_file.h"

/* How often it is asked whether to go on. */
enum { LOOK_MS = 100 };

static int send_ftp(struct pario_server *s, bool fetch, int output, struct pario_process *process,
		    struct pario_err *err)
{
	char port[24], script[256];
	const char *const argv[] = { s->client, "-inv", "127.0.0.1", port, NULL };
	int input, status;

	snprintf(port, sizeof(port), "%llu", (unsigned long long)s->port);
	snprintf(script, sizeof(script), "user anonymous %s\nbinary\n%s source destination\nquit\n",
		 s->secret, fetch ? "get" : "put");
	input = pario_server_file(s, "script", script, err);
	if (input < 0)
		return -1;
	status = pario_process_start(
		process, "ftp",
		&(struct pario_process_start){
			.argv = argv, .directory = s->data, .input = input, .output = output },
		err);
	close(input);
	return status;
}

static int send_scp(struct pario_server *s, bool fetch, int output, struct pario_process *process,
		    struct pario_err *err)
{
	char port[24], key[PARIO_SERVER_PATH + 8], hosts[PARIO_SERVER_PATH + 48],
		remote[PARIO_SERVER_PATH + 128];
	const char *from = fetch ? remote : "./source", *to = fetch ? "./destination" : remote;
	const char *const argv[] = { s->client, "-q",
				     "-F",	"/dev/null",
				     "-P",	port,
				     "-i",	key,
				     "-o",	hosts,
				     "-o",	"GlobalKnownHostsFile=/dev/null",
				     "-o",	"StrictHostKeyChecking=yes",
				     "-o",	"BatchMode=yes",
				     "-o",	"IdentitiesOnly=yes",
				     "-o",	"IdentityAgent=none",
				     from,	to,
				     NULL };

	snprintf(port, sizeof(port), "%llu", (unsigned long long)s->port);
	snprintf(key, sizeof(key), "%s/key", s->home);
	snprintf(hosts, sizeof(hosts), "UserKnownHostsFile=\"%s/known_hosts\"", s->home);
	snprintf(remote, sizeof(remote), "%s@127.0.0.1:%s/%s", s->user, s->files,
		 fetch ? "source" : "destination");
	return pario_process_start(
		process, "scp",
		&(struct pario_process_start){
			.argv = argv, .directory = s->data, .input = -1, .output = output },
		err);
}

/* ftp commands echo the server's numbered answers, of which the last is a farewell; these tell of failures. */
static void what_was_said(const struct pario_server *server, char *line, size_t capacity)
{
	static const char *const words[] = { "421 ", "425 ", "426 ", "451 ", "452 ",
					     "530 ", "550 ", "552 ", "553 ", "" };

	snprintf(line, capacity, "it gave no reason");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (pario_server_line(server, "said", words[i], line, capacity))
			break;
	}
	/* It becomes the end of a sentence. */
	for (size_t length = strlen(line); length && line[length - 1] == '.'; length--)
		line[length - 1] = '\0';
}

static int failed(struct pario_server *s, const struct pario_process *client, struct pario_err *err)
{
	char how[64], line[300];

	if (pario_process_wait(&s->process, 0)) {
		pario_process_describe(&s->process, how, sizeof(how));
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the server %s ended with %s before the transfer was complete. Look whether it "
			"was killed, or for what it says in the system's log.",
			s->program, how);
	}
	if (client->status == 0)
		return 0;
	pario_process_describe(client, how, sizeof(how));
	what_was_said(s, line, sizeof(line));
	/* sshd tells its log, not the client, why it lets nobody in. */
	if (s->protocol == PARIO_SCP)
		pario_server_line(s, "log", " not allowed ", line, sizeof(line));
	return pario_err_set(err, PARIO_SYSTEM, "the command %s ended with %s: %s.", client->name,
			     how, line);
}

int pario_file_transfer_run(struct pario_run *run, struct pario_server *server, bool fetch,
			    struct pario_err *err)
{
	int output = pario_server_file(server, "said", "", err), status;
	struct pario_process client = { 0 };

	if (output < 0)
		return -1;
	status = server->protocol == PARIO_FTP ? send_ftp(server, fetch, output, &client, err)
					       : send_scp(server, fetch, output, &client, err);
	close(output);
	if (status < 0)
		return -1;
	while (!pario_process_wait(&client, LOOK_MS)) {
		if (!pario_run_more(run, 0, 1)) {
			pario_process_end(&client);
			return 0;
		}
	}
	return failed(server, &client, err);
}

int pario_file_transfer_loopback(uint64_t *bytes, struct pario_err *err)
{
	FILE *file = fopen("/proc/net/dev", "re");
	bool found = false;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file)) {
		const char *name = line + strspn(line, " ");

		if (strncmp(name, "lo:", 3) != 0)
			continue;
		*bytes = strtoull(name + 3, NULL, 10);
		found = true;
	}
	if (file)
		fclose(file);
	if (found)
		return 0;
	return pario_err_set(err, PARIO_SYSTEM,
			     "/proc/net/dev does not tell how many bytes the loopback interface "
			     "carried, so that nothing proves which way the data went.");
}

/* The line of the server's log that shows who transferred what. */
static bool trace(const struct pario_server *server, char *line, size_t capacity)
{
	if (server->protocol == PARIO_SCP)
		return pario_server_line(server, "log", "Accepted publickey for", line, capacity);
	return pario_server_line(server, "log", " OK UPLOAD: Client \"127.0.0.1\"", line,
				 capacity) ||
	       pario_server_line(server, "log", " OK DOWNLOAD: Client \"127.0.0.1\"", line,
				 capacity);
}

static void tell(struct pario_run *run, const char *what, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void tell(struct pario_run *run, const char *what, const char *format, ...)
{
	char text[700];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pario_run_row(run, "evidence", "what value",
		      (const struct pario_datum[]){ PARIO_TEXT(what), PARIO_TEXT(text) });
}

static void tell_of(struct pario_run *run, const struct pario_server *s,
		    const struct pario_delivery *d, const uint64_t hash[2], const char *log)
{
	tell(run, "server", "%s on 127.0.0.1 port %" PRIu64 ", as user %s", s->program, s->port,
	     s->user);
	tell(run, "command", "%s", s->client);
	tell(run, "loopback", "%" PRIu64 " bytes received on lo meanwhile", d->loopback);
	tell(run, "log", "%s", log);
	tell(run, "source", "%" PRIu64 " bytes, XXH3 %016" PRIx64, d->bytes, hash[0]);
	tell(run, "destination", "%" PRIu64 " bytes, XXH3 %016" PRIx64, d->bytes, hash[1]);
}

static int whole(const struct pario_server *s, const struct pario_delivery *d,
		 struct pario_err *err)
{
	struct stat st = { 0 };
	char line[300];

	if (fstatat(s->data, "destination", &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
	    (uint64_t)st.st_size == d->bytes)
		return 0;
	what_was_said(s, line, sizeof(line));
	return pario_err_set(err, PARIO_SYSTEM,
			     "the transfer ended with %lld of %llu bytes at the destination: %s.",
			     (long long)st.st_size, (unsigned long long)d->bytes, line);
}

int pario_file_transfer_prove(struct pario_run *run, const struct pario_server *server,
			      const struct pario_delivery *delivery, struct pario_err *err)
{
	uint64_t hash[2], bytes;
	char log[600];

	if (whole(server, delivery, err) < 0 ||
	    pario_transfer_file_hash(server->data, "source", &hash[0], &bytes, err) < 0 ||
	    pario_transfer_file_hash(server->data, "destination", &hash[1], &bytes, err) < 0)
		return -1;
	if (hash[0] != delivery->hash || hash[1] != delivery->hash)
		return pario_err_set(err, PARIO_VERIFY,
				     "wrong data in %s/%s: its XXH3 is %016" PRIx64
				     " and should be %016" PRIx64 ".",
				     server->files,
				     hash[0] != delivery->hash ? "source" : "destination",
				     hash[0] != delivery->hash ? hash[0] : hash[1], delivery->hash);
	if (delivery->loopback < delivery->bytes)
		return pario_err_set(
			err, PARIO_VERIFY,
			"the loopback interface carried %llu bytes during the transfer of %llu: "
			"the data went another way.",
			(unsigned long long)delivery->loopback,
			(unsigned long long)delivery->bytes);
	if (!trace(server, log, sizeof(log)))
		return pario_err_set(err, PARIO_VERIFY,
				     "the log of %s shows no transfer from 127.0.0.1.",
				     server->program);
	tell_of(run, server, delivery, hash, log);
	pario_run_count(run, delivery->bytes);
	return 0;
}
