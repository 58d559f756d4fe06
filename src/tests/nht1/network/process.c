/*
 * process: fork with a parent-death signal, so that nothing outlives a killed run; a pipe tells why exec failed.
 */
#include "tests/nht1/network/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Same numbers on every architecture that has unified numbers; older headers lack them. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
enum { CLOEXEC_RANGE = 4 };

/* Without a descriptor for the process, it is looked at this often. */
enum { NAP_MS = 2, PATIENCE_MS = 3000 };

static bool is_program(const char *path)
{
	struct stat st;

	return access(path, X_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool pario_process_find(const char *name, char *path, size_t capacity)
{
	const char *from = getenv("PATH"), *end;

	for (; from; from = *end ? end + 1 : NULL) {
		int length;

		end = strchrnul(from, ':');
		length = (int)(end - from);
		if (length == 0)
			continue; /* the current directory: not for daemons */
		snprintf(path, capacity, "%.*s/%s", length, from, name);
		if (is_program(path))
			return true;
		if (length < 4 || strncmp(end - 4, "/bin", 4) != 0)
			continue;
		snprintf(path, capacity, "%.*s/sbin/%s", length - 4, from, name);
		if (is_program(path))
			return true;
	}
	return false;
}

/* In the child, where only calls that are safe between fork and exec may be made. Never returns. */
static void become(const struct pario_process_start *launch, pid_t parent, int null, int report)
{
	sigset_t none;
	int failed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent ||
	    dup2(launch->input >= 0 ? launch->input : null, STDIN_FILENO) < 0 ||
	    dup2(launch->output >= 0 ? launch->output : null, STDOUT_FILENO) < 0 ||
	    dup2(STDOUT_FILENO, STDERR_FILENO) < 0 ||
	    (launch->directory >= 0 && fchdir(launch->directory) < 0))
		goto fail;
	/* MPI's connections are not for others. */
	syscall(SYS_close_range, 3u, ~0u, CLOEXEC_RANGE);
	execv(launch->argv[0], (char *const *)launch->argv);
fail:
	failed = errno;
	if (write(report, &failed, sizeof(failed)) < 0)
		_exit(126);
	_exit(127);
}

int pario_process_start(struct pario_process *process, const char *name,
			const struct pario_process_start *launch, struct pario_err *err)
{
	int report[2], null = open("/dev/null", O_RDWR | O_CLOEXEC), failed = 0;
	pid_t parent = getpid(), pid = -1;

	*process = (struct pario_process){ .name = name };
	if (null < 0 || pipe2(report, O_CLOEXEC) < 0) {
		failed = errno;
	} else {
		pid = fork();
		if (pid == 0)
			become(launch, parent, null, report[1]);
		failed = pid < 0 ? errno : 0;
		close(report[1]);
		if (pid > 0 && read(report[0], &failed, sizeof(failed)) == sizeof(failed))
			waitpid(pid, NULL, 0);
		close(report[0]);
	}
	if (null >= 0)
		close(null);
	if (failed)
		return pario_err_sys(err, failed, NULL, "the program %s cannot be started", name);
	process->pid = pid;
	return 0;
}

static bool ended(struct pario_process *p)
{
	pid_t got;

	if (p->pid == 0)
		return true;
	got = waitpid(p->pid, &p->status, WNOHANG);
	if (got == 0 || (got < 0 && errno == EINTR))
		return false;
	p->pid = 0;
	return true;
}

bool pario_process_wait(struct pario_process *process, int milliseconds)
{
	struct pollfd watched = { .fd = -1, .events = POLLIN };

	if (ended(process))
		return true;
	watched.fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (watched.fd >= 0) {
		poll(&watched, 1, milliseconds);
		close(watched.fd);
		return ended(process);
	}
	for (int i = 0; i < milliseconds; i += NAP_MS) {
		const struct timespec nap = { 0, NAP_MS * 1000000 };

		if (nanosleep(&nap, NULL) < 0 || ended(process))
			break;
	}
	return ended(process);
}

void pario_process_calm(const struct pario_process *process, int milliseconds)
{
	const struct timespec nap = { 0, NAP_MS * 1000000 };
	char path[80], text[16];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", process->pid, process->pid);
	for (int i = 0; process->pid && i < milliseconds; i += NAP_MS) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		length = fd >= 0 ? read(fd, text, sizeof(text)) : 0;
		if (fd >= 0)
			close(fd);
		if (length <= 0)
			return;
		nanosleep(&nap, NULL);
	}
}

void pario_process_end(struct pario_process *process)
{
	pid_t group = process->pid;

	if (group == 0)
		return;
	kill(-group, SIGTERM);
	for (int i = 0; i < PATIENCE_MS / 100 && !pario_process_wait(process, 100); i++)
		;
	/* Also what is left of the group: a session whose server has gone. */
	kill(-group, SIGKILL);
	while (process->pid && !pario_process_wait(process, 100))
		;
}

void pario_process_describe(const struct pario_process *process, char *text, size_t capacity)
{
	if (WIFSIGNALED(process->status))
		snprintf(text, capacity, "signal %d (%s)", WTERMSIG(process->status),
			 strsignal(WTERMSIG(process->status)));
	else
		snprintf(text, capacity, "status %d", WEXITSTATUS(process->status));
}
