/*
 * sign: `pario sign RUN KEY`: the signature of a journal, made after its run.
 */
#include "cmd/cmd.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/output.h"
#include "console/console.h"
#include "session/signature.h"

static int sign(const char *run, const char *key, struct pario_err *err)
{
	int status = -1, dirfd;

	if (pario_signature_possible(key, err) < 0)
		return -1;
	dirfd = pario_output_directory(run, err);
	if (dirfd < 0)
		return -1;
	status = pario_signature_make(dirfd, run, key, err);
	close(dirfd);
	if (status == 0) {
		pario_console_show(run);
		printf("/journal.jsonl.sig\n");
	}
	return status;
}

int pario_cmd_sign(int argc, char **argv)
{
	struct pario_err err = { 0 };

	if (argc != 2 || argv[0][0] == '-' || argv[1][0] == '-') {
		pario_err_set(&err, PARIO_USAGE,
			      "which run, and with which key? `pario sign RUN KEY` takes a run "
			      "directory and an SSH key.");
		return pario_console_say(&err);
	}
	return sign(argv[0], argv[1], &err) < 0 ? pario_console_say(&err) : 0;
}
