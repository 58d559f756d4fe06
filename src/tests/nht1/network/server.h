/*
 * server: a real FTP or SSH server on the loopback interface, for one transfer and nobody else.
 *
 * vsftpd or sshd with a configuration, keys and a log of its own in a directory of the workspace, on 127.0.0.1. Who
 * logs in needs a password or key that was made for this run. It runs as the user who runs pario, and ends with pario.
 */
#ifndef PARIO_TESTS_NHT1_NETWORK_SERVER_H
#define PARIO_TESTS_NHT1_NETWORK_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/nht1/network/process.h"

struct pario_run;

enum pario_protocol { PARIO_FTP, PARIO_SCP };

enum { PARIO_SERVER_PATH = 4600 }; /* as PARIO_PATH_CAPACITY of engine/test.h */

struct pario_server {
	enum pario_protocol protocol;
	struct pario_process process;
	int dirfd;		      /* of its own directory; -1 while there is none */
	int data;		      /* of the directory it serves */
	char home[PARIO_SERVER_PATH]; /* and their paths */
	char files[PARIO_SERVER_PATH];
	char program[PARIO_SERVER_PATH], client[PARIO_SERVER_PATH];
	char user[64], secret[40];
	uint64_t port;
	char made
		[256]; /* a directory outside that sshd asked for as root and that is removed again; "" = none */
};

/*
 * The program of this protocol that is not installed, with its package in *package; NULL when all are there, and then
 * their paths are noted.
 */
const char *pario_server_missing(struct pario_server *server, enum pario_protocol protocol,
				 const char **package);

/*
 * Starts it on `port` (0 = any that is free) and waits until it answers. `top` is a directory of the workspace in which
 * it makes its own, beside `data`. Stop is fine after a failure.
 */
int pario_server_start(struct pario_server *server, int top, int data, uint64_t port,
		       struct pario_err *err);
void pario_server_stop(struct pario_server *server);

/* A file for the server or its client, made anew in the server's directory and open for reading and writing. */
int pario_server_file(const struct pario_server *server, const char *name, const char *text,
		      struct pario_err *err);

/* Copies the last line of a file there that holds `word` (any line for ""), cleaned; false when there is none. */
bool pario_server_line(const struct pario_server *server, const char *name, const char *word,
		       char *line, size_t capacity);

#endif
