/*
 * loopback: NHT-1's network benchmark as a phase of a test: the system's ftp or scp command carries `source` to
 * `destination`, another file in the same directory, through the loopback interface of client 0's node
 * (docs/nht1.md).
 *
 * The transfer is client 0's work; the others lend the memory of their nodes and sleep meanwhile. Who makes the
 * source, and of what, is the test's.
 */
#ifndef PARIO_TESTS_NHT1_NETWORK_LOOPBACK_H
#define PARIO_TESTS_NHT1_NETWORK_LOOPBACK_H

#include "engine/test.h"
#include "tests/nht1/network/file_transfer.h"
#include "tests/nht1/peak/memory_reservation.h"

struct pario_loopback_choice {
	uint64_t port;
	int method, direction;
};

extern const char *const pario_loopback_methods[], *const pario_loopback_directions[];

/* Rows for these; the command's option has another name where `method` means something else. */
#define PARIO_LOOPBACK_OPTIONS(params, field, command)                                            \
	PARIO_OPTION_NAMED(params, field.method, command, .def = "ftp",                           \
			   .choices = pario_loopback_methods,                                     \
			   .help = "command that transfers the file, with vsftpd or sshd behind " \
				   "it"),                                                         \
		PARIO_OPTION_NAMED(params, field.direction, "direction", .def = "put",            \
				   .choices = pario_loopback_directions,                          \
				   .help = "put: the command reads and the server writes; get: "  \
					   "the other way round"),                                \
		PARIO_OPTION_NAMED(                                                               \
			params, field.port, "port", .def = "0", .max = "65535", .unit = "port",   \
			.flags = PARIO_OPTION_NO_SWEEP,                                           \
			.help = "port of the server on 127.0.0.1; 0 = any that is free")

#define PARIO_LOOPBACK_METRICS                                                            \
	{ "R_THROUGHPUT", "B/s", "network I/O rate: S_FILE / T_TRANSFER", 1 },            \
		{ "T_TRANSFER", "s", "time of the command", -1 },                         \
		{ "T_DURABLE", "s", "the same until the destination is on disk", -1 },    \
		{ "S_FILE", "B", "size of the file", 0 },                                 \
	{                                                                                 \
		"loopback_bytes", "B", "bytes that the kernel counted on lo meanwhile", 0 \
	}

struct pario_loopback {
	const struct pario_loopback_choice *choice;
	struct pario_server server;
	const char *missing, *package; /* on client 0 */
	bool absent;		       /* something is missing there, on all clients */
	int top, data;		       /* directories, -1 while not open */
	struct pario_delivery delivery;
	struct pario_memory_reservation_amount amount;
	int64_t transfer_ns;
};

/* In setup: what of the command and its server is missing is noted. Release is fine after a failure. */
int pario_loopback_init(struct pario_loopback *loopback, struct pario_run *run,
			const struct pario_loopback_choice *choice, struct pario_err *err);
void pario_loopback_release(struct pario_loopback *loopback);

/* Untimed, on all clients alike: the directory in which `source` is to be made, in loopback->data. */
int pario_loopback_enter(struct pario_loopback *loopback, struct pario_run *run,
			 struct pario_err *err);

/*
 * Untimed, on all clients alike, with source and delivery as they are to be: starts the server, evicts the source.
 * `status` is that of what a client did for the source; all wait for each other whatever it is.
 */
int pario_loopback_before(struct pario_loopback *loopback, struct pario_run *run, int status,
			  struct pario_err *err);

/* The timed transfer, and the proof of it with its metrics. */
int pario_loopback_body(struct pario_loopback *loopback, struct pario_run *run,
			struct pario_err *err);
int pario_loopback_verify(struct pario_loopback *loopback, struct pario_run *run,
			  struct pario_err *err);

#endif
