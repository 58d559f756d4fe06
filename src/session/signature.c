/*
 * signature: ssh-keygen reads the journal from its standard input, through a descriptor opened here, and the signature
 * from memory: what it is told about is what was looked at.
 */
#include "session/signature.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/input.h"
#include "base/output.h"
#include "base/whole.h"
#include "console/console.h"

#define PROGRAM	  "ssh-keygen"
#define NAMESPACE "pario"
#define ENDING	  ".sig"
#define MARK	  "-----BEGIN SSH SIGNATURE-----"

enum { LOOK_MS = 5, SIGNATURE_FD = 3, SAID = 1 << 16 };

extern char **environ;

struct call {
	const char *const *argv;
	int in, signature; /* -1: none */
	int status;	   /* as waitpid gives it */
	char said[SAID], complained[512];
};

/* ---- ssh-keygen ---- */

static int spawn(struct call *c, int out, int complaints, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int failed = posix_spawn_file_actions_init(&actions);

	if (failed)
		return failed;
	posix_spawn_file_actions_adddup2(&actions, c->in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
	if (c->signature >= 0)
		posix_spawn_file_actions_adddup2(&actions, c->signature, SIGNATURE_FD);
	/* the program does not change the words; only the type is not const */
	failed = posix_spawnp(pid, PROGRAM, &actions, NULL, (char *const *)c->argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failed;
}

/* It may ask for a passphrase; without an answer it does not keep us. */
static int wait_for(pid_t pid, int *status, struct pario_err *err)
{
	int64_t end = pario_clock_ns() + PARIO_SIGNATURE_LIMIT_S * INT64_C(1000000000);
	pid_t ended;

	while ((ended = waitpid(pid, status, WNOHANG)) != pid) {
		if (ended < 0 && errno != EINTR)
			return pario_err_sys(err, errno, NULL, PROGRAM " was lost");
		if (pario_clock_ns() > end) {
			kill(pid, SIGKILL);
			while (waitpid(pid, status, 0) < 0 && errno == EINTR)
				;
			return pario_err_set(err, PARIO_SYSTEM,
					     PROGRAM
					     " did not end within %d s. Is it waiting for a "
					     "passphrase? ssh-add hands the key to an agent.",
					     PARIO_SIGNATURE_LIMIT_S);
		}
		poll(NULL, 0, LOOK_MS);
	}
	return 0;
}

static void read_back(int fd, char *text, size_t capacity)
{
	text[pario_whole_read(fd, text, capacity - 1, 0)] = '\0';
}

/* Runs it to its end; what it says and how it ends is in `c`. */
static int run(struct call *c, struct pario_err *err)
{
	int out = memfd_create("said", MFD_CLOEXEC),
	    complaints = memfd_create("complained", MFD_CLOEXEC);
	int failed = out < 0 || complaints < 0 ? errno : 0, status = -1;
	pid_t pid;

	if (!failed)
		failed = spawn(c, out, complaints, &pid);
	if (failed)
		pario_err_sys(err, failed, "It comes with OpenSSH (package openssh-client).",
			      PROGRAM ", which makes and checks signatures, cannot be started");
	else
		status = wait_for(pid, &c->status, err);
	if (status == 0) {
		read_back(out, c->said, sizeof(c->said));
		read_back(complaints, c->complained, sizeof(c->complained));
	}
	if (out >= 0)
		close(out);
	if (complaints >= 0)
		close(complaints);
	return status;
}

/* ---- signing ---- */

int pario_signature_possible(const char *key, struct pario_err *err)
{
	const char *const argv[] = { PROGRAM, "-l", "-f", key, NULL };
	static struct call c;
	int fd = pario_input_open(key, "The key", err), status;

	if (fd < 0)
		return -1;
	c = (struct call){ .argv = argv, .in = fd, .signature = -1 };
	status = run(&c, err);
	close(fd);
	if (status == 0 && c.status != 0)
		status = pario_err_set(err, PARIO_USAGE,
				       "%s is no key that " PROGRAM
				       " can read. Name a private SSH key, "
				       "or a public one whose private half an agent holds.",
				       key);
	return status;
}

static int store(int dirfd, const char *text, struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = MARK };
	struct pario_text signature = { 0 };
	int status;

	pario_text_add(&signature, "%s", text);
	status = pario_output_text(dirfd, "journal.jsonl" ENDING, &rule, &signature, err);
	pario_text_release(&signature);
	return status;
}

int pario_signature_make(int dirfd, const char *directory, const char *key, struct pario_err *err)
{
	const char *const argv[] = {
		PROGRAM, "-Y", "sign", "-q", "-f", key, "-n", NAMESPACE, NULL
	};
	static struct call c;
	struct stat st;
	int fd = openat(dirfd, "journal.jsonl", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC),
	    status;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		status =
			pario_err_sys(err, fd < 0 ? errno : EINVAL, NULL,
				      "the journal in %s cannot be opened to be signed", directory);
	} else {
		c = (struct call){ .argv = argv, .in = fd, .signature = -1 };
		status = run(&c, err);
		if (status == 0 && (c.status != 0 || strncmp(c.said, MARK, strlen(MARK)) != 0))
			status = pario_err_set(
				err, PARIO_SYSTEM,
				"the journal in %s was not signed: " PROGRAM " said \"%.*s\".",
				directory, (int)strcspn(c.complained, "\r\n"), c.complained);
		if (status == 0)
			status = store(dirfd, c.said, err);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- looking ---- */

struct look {
	struct call call;
	int journal;
	const char *allowed;
	struct pario_text *say;
};

static int ask(struct look *l, const char *const *argv, struct pario_err *err)
{
	if (lseek(l->journal, 0, SEEK_SET) < 0 || lseek(l->call.signature, 0, SEEK_SET) < 0)
		return pario_err_sys(err, errno, NULL, "the journal cannot be read again");
	l->call.argv = argv;
	return run(&l->call, err);
}

/* The words behind " with " of "Good "pario" signature for X with ED25519 key SHA256:...": the key. */
static void add_key(struct look *l)
{
	const char *with = strstr(l->call.said, " with ");
	struct pario_text clean = { 0 };
	char key[256] = "a key";

	if (with)
		snprintf(key, sizeof(key), "%.*s", (int)strcspn(with + 6, "\r\n"), with + 6);
	pario_text_clean(&clean, key);
	pario_text_add(l->say, "%s", pario_text_string(&clean));
	pario_text_release(&clean);
}

/* Why it does not fit, as far as that matters to a reader. */
static enum pario_signature refused(struct look *l)
{
	struct pario_text clean = { 0 };

	l->call.complained[strcspn(l->call.complained, "\r\n")] = '\0';
	pario_text_clean(&clean, l->call.complained);
	if (strstr(l->call.complained, "incorrect signature"))
		pario_text_add(l->say,
			       "changed after signing: the signature beside it is of other bytes");
	else if (strstr(l->call.complained, "namespace"))
		pario_text_add(l->say,
			       "signed for another purpose than pario's, which says nothing "
			       "about this run");
	else
		pario_text_add(l->say, "its signature cannot be checked (%s)",
			       pario_text_string(&clean));
	pario_text_release(&clean);
	return PARIO_SIGNATURE_BAD;
}

static int is_it_allowed(struct look *l, enum pario_signature *found, struct pario_err *err)
{
	const char *const find[] = { PROGRAM,	  "-Y", "find-principals", "-s",
				     "/dev/fd/3", "-f", l->allowed,	   NULL };
	const char *verify[] = { PROGRAM, "-Y", "verify",  "-f", l->allowed,  "-I",
				 NULL,	  "-n", NAMESPACE, "-s", "/dev/fd/3", NULL };
	struct pario_text clean = { 0 };
	char name[512] = "";

	if (ask(l, find, err) < 0)
		return -1;
	if (l->call.status == 0)
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(l->call.said, "\r\n"),
			 l->call.said);
	verify[6] = name;
	if (*name && ask(l, verify, err) < 0)
		return -1;
	if (*name && l->call.status == 0) {
		pario_text_clean(&clean, name);
		pario_text_add(l->say, "signed by %s with ", pario_text_string(&clean));
		pario_text_release(&clean);
		add_key(l);
		*found = PARIO_SIGNATURE_ALLOWED;
	}
	return 0;
}

static int look_at(struct look *l, enum pario_signature *found, struct pario_err *err)
{
	const char *const check[] = { PROGRAM,	 "-Y", "check-novalidate", "-n",
				      NAMESPACE, "-s", "/dev/fd/3",	   NULL };

	if (*l->allowed && is_it_allowed(l, found, err) < 0)
		return -1;
	if (*found == PARIO_SIGNATURE_ALLOWED)
		return 0;
	if (ask(l, check, err) < 0)
		return -1;
	if (l->call.status != 0) {
		*found = refused(l);
		return 0;
	}
	*found = *l->allowed ? PARIO_SIGNATURE_BAD : PARIO_SIGNATURE_GOOD;
	pario_text_add(l->say, "signed with ");
	add_key(l);
	if (*l->allowed)
		pario_text_add(l->say, ", which %s does not allow", l->allowed);
	else
		pario_text_add(l->say, "; --allowed_signers FILE tells whose that is");
	return 0;
}

/* A copy in memory, for a program that would open it by a path. */
static int in_memory(const char *text, size_t length, struct pario_err *err)
{
	int fd = memfd_create("signature", MFD_CLOEXEC);

	if (fd >= 0 && pario_whole_write(fd, text, length, 0) == length)
		return fd;
	pario_err_memory(err, "a signature");
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Looks at the signature of a journal, given as a file or its directory. `allowed` is a file as ssh-keygen(1) describes
 * it under ALLOWED SIGNERS, or "". Adds what is to be said about it, without a full stop: "signed by alice@site ...".
 */
static int signature_look(const char *path, const char *allowed, enum pario_signature *found,
			  struct pario_text *say, struct pario_err *err)
{
	static struct look l;
	char journal[4400], signature[4400 + sizeof(ENDING)], *text;
	struct stat st;
	size_t length;
	int status = -1;

	*found = PARIO_SIGNATURE_NONE;
	snprintf(journal, sizeof(journal), "%.4096s%s", path,
		 stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "/journal.jsonl" : "");
	snprintf(signature, sizeof(signature), "%s" ENDING, journal);
	if (lstat(signature, &st) < 0 && errno == ENOENT)
		return 0;
	text = pario_input_text(signature, "The signature", 1, &length, err);
	if (!text)
		return -1;
	l = (struct look){ .allowed = allowed, .say = say, .journal = -1 };
	l.call.signature = in_memory(text, length, err);
	free(text);
	if (l.call.signature >= 0)
		l.journal = pario_input_open(journal, "The journal", err);
	l.call.in = l.journal;
	if (l.journal >= 0)
		status = look_at(&l, found, err);
	if (l.journal >= 0)
		close(l.journal);
	if (l.call.signature >= 0)
		close(l.call.signature);
	return status;
}

int pario_signature_volumes(struct pario_archive *archive, const char *allowed,
			    struct pario_err *err)
{
	struct pario_text say = { 0 };
	int status = 0;

	for (size_t i = 0; status >= 0 && i < archive->volume_count; i++) {
		struct pario_volume *v = &archive->volume[i];
		enum pario_signature found;

		pario_text_clear(&say);
		status = signature_look(v->path, allowed, &found, &say, err);
		if (status < 0 || (found == PARIO_SIGNATURE_NONE && !*allowed))
			continue;
		if (found == PARIO_SIGNATURE_NONE)
			pario_text_add(&say, "not signed");
		v->signature = pario_strings_keep(&archive->strings, pario_text_string(&say));
		if (*allowed && found != PARIO_SIGNATURE_ALLOWED)
			status = pario_err_set(err, PARIO_INVALID, "%s: %s.", v->path,
					       pario_text_string(&say));
		else
			pario_console_warn("%s: %s.", v->path, pario_text_string(&say));
	}
	pario_text_release(&say);
	return status;
}
