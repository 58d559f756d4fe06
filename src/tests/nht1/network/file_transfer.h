/*
 * file_transfer: the system's own ftp or scp command, which carries the file `source` to the file `destination`, both
 * in the directory that a server (tests/nht1/network/server.h) serves, through the loopback interface.
 */
#ifndef PARIO_TESTS_NHT1_NETWORK_FILE_TRANSFER_H
#define PARIO_TESTS_NHT1_NETWORK_FILE_TRANSFER_H

#include "tests/nht1/network/server.h"

/*
 * Runs the command and waits for its end. `fetch`: the client asks for the file, else it sends it. When the user
 * interrupts, the command is ended and that is no error. Says what went wrong when the command, the server or the
 * transfer fails, as far as command and server tell; some ftp commands end with status 0 whatever happened.
 */
int pario_file_transfer_run(struct pario_run *run, struct pario_server *server, bool fetch,
			    struct pario_err *err);

/* Bytes that the loopback interface has received since it is up, by the kernel's count. */
int pario_file_transfer_loopback(uint64_t *bytes, struct pario_err *err);

/* What was to be delivered: size and XXH3 of the source as it was made, and what lo received meanwhile. */
struct pario_delivery {
	uint64_t bytes, hash, loopback;
};

/*
 * In verify: both files are as the source was made, the loopback interface carried them, and the server's log shows the
 * transfer; all of it becomes the table "evidence".
 */
int pario_file_transfer_prove(struct pario_run *run, const struct pario_server *server,
			      const struct pario_delivery *delivery, struct pario_err *err);

#endif
