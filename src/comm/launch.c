/*
 * launch: how one plain command becomes a group of clients.
 *
 * The launcher is started with an argument vector, never a shell, in a process group of its own: Ctrl-C then
 * reaches pario alone, which asks the clients to stop through SIGUSR1 (both Open MPI and MPICH pass it on),
 * instead of letting the launcher kill them. The exit code travels through a small file, because Open MPI
 * wraps every non-zero exit of a client in a page of text. What the clients print comes through a pipe and is
 * printed here: launchers ignore a full disk and crash on a reader that went away.
 */
#include "comm/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "version.h"

enum {
	LAUNCHER_WORDS = 12,
	RELAY_MS = 200, /* how long output of a launcher that ended may stay unnoticed */
};

static volatile sig_atomic_t signals_seen;
static volatile pid_t launcher_pid;

static uint64_t number_from(const char *name)
{
	const char *text = getenv(name);
	char *end;
	unsigned long long value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	value = strtoull(text, &end, 10);
	return *end ? 0 : value;
}

uint64_t pario_launch_promised(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]))
			return number_from(names[i]);
	}
	if (getenv("PMIX_RANK") || getenv("PMI_RANK")) {
		uint64_t tasks = number_from("SLURM_STEP_NUM_TASKS");

		return tasks ? tasks : 1;
	}
	return 0;
}

uint64_t pario_launch_rank(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (getenv(names[i]))
			return number_from(names[i]);
	}
	return 0;
}

const char *pario_launch_flavour(void)
{
	return PARIO_MPI_FLAVOUR;
}

const char *pario_launch_program(void)
{
	return PARIO_MPIEXEC;
}

uint64_t pario_launch_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return (uint64_t)CPU_COUNT(&set);
	return 1;
}

unsigned pario_launch_columns(void)
{
	return (unsigned)number_from("PARIO_TERMINAL_COLUMNS");
}

bool pario_launch_color(void)
{
	return number_from("PARIO_TERMINAL_COLOR") == 1;
}

bool pario_launch_progress(void)
{
	return number_from("PARIO_TERMINAL_PROGRESS") == 1;
}

int pario_launch_signals(void)
{
	return signals_seen;
}

/* One Ctrl-C comes twice where a program between (timeout, a shell) hands it on as well; a person takes longer. */
#define SAME_PRESS_NS 200000000

static void pass_on(int number)
{
	static int64_t last_ns;
	int64_t now_ns = pario_clock_ns();
	int saved = errno;

	if (signals_seen && now_ns - last_ns < SAME_PRESS_NS)
		return;
	last_ns = now_ns;
	signals_seen++;
	if (launcher_pid > 0)
		kill(launcher_pid, signals_seen == 1 ? SIGUSR1 : number);
	if (launcher_pid > 0 && signals_seen > 2)
		kill(-launcher_pid, SIGKILL);
	errno = saved;
}

static void set_environment(const struct pario_launch *launch, const char *status_path)
{
	char number[24];

	setenv("PARIO_STATUS_FILE", status_path, 1);
	snprintf(number, sizeof(number), "%u", launch->columns);
	setenv("PARIO_TERMINAL_COLUMNS", number, 1);
	setenv("PARIO_TERMINAL_COLOR", launch->color ? "1" : "0", 1);
	setenv("PARIO_TERMINAL_PROGRESS", launch->progress ? "1" : "0", 1);
	if (strcmp(PARIO_MPI_FLAVOUR, "openmpi") != 0)
		return;
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	if (launch->clients > pario_launch_cores())
		setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	if (launch->io_component)
		setenv("OMPI_MCA_io", launch->io_component, 1);
}

/* A pipe whose ends are none of the standard streams. */
static int open_pipe(int ends[2])
{
	int low[2];

	if (pipe2(low, O_CLOEXEC) < 0)
		return errno;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(low[i]);
	}
	return ends[0] < 0 || ends[1] < 0 ? EMFILE : 0;
}

/*
 * In the child: the launcher's group, streams and signals are its own, and its output goes to `out`. When this
 * process is killed, it asks the clients to stop, as an interrupt would. Returns only when it cannot be started.
 */
static void become(char **words, int out, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(out, STDOUT_FILENO) < 0)
		return;
	if (null > STDERR_FILENO)
		close(null);
	execvp(words[0], words);
}

/* Started by fork, since posix_spawn knows no signal for the end of the parent. 0 or why it could not be. */
static int spawn_words(char **words, int out, pid_t *pid)
{
	int report[2] = { -1, -1 }, failed = open_pipe(report);
	pid_t parent = getpid();

	if (!failed) {
		*pid = fork();
		failed = *pid < 0 ? errno : 0;
	}
	if (!failed && *pid == 0) {
		become(words, out, parent);
		failed = errno;
		_exit(write(report[1], &failed, sizeof(failed)) < 0 ? 126 : 127);
	}
	if (report[1] >= 0)
		close(report[1]);
	if (!failed && read(report[0], &failed, sizeof(failed)) == (ssize_t)sizeof(failed))
		waitpid(*pid, NULL, 0);
	if (report[0] >= 0)
		close(report[0]);
	return failed;
}

static int spawn(const struct pario_launch *launch, int argc, char *const *argv, char *self,
		 int out, pid_t *pid)
{
	char count[24];
	char **words = calloc((size_t)argc + LAUNCHER_WORDS, sizeof(*words));
	int n = 0, status;

	if (!words)
		return ENOMEM;
	snprintf(count, sizeof(count), "%llu", (unsigned long long)launch->clients);
	words[n++] = (char *)PARIO_MPIEXEC;
	if (strcmp(PARIO_MPI_FLAVOUR, "openmpi") == 0) {
		words[n++] = (char *)"-q"; /* nothing about signals it passes on */
		words[n++] = (char *)"--oversubscribe";
		words[n++] = (char *)"--bind-to";
		words[n++] = (char *)"none";
	}
	words[n++] = (char *)"-n";
	words[n++] = count;
	words[n++] = self;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	status = spawn_words(words, out, pid);
	free(words);
	return status;
}

/* 0, or why standard output does not take it. */
static int print(const char *bytes, ssize_t length)
{
	struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };
	ssize_t n;

	for (; length > 0; bytes += n, length -= n) {
		n = write(STDOUT_FILENO, bytes, (size_t)length);
		if (n >= 0)
			continue;
		if (errno != EINTR && errno != EAGAIN)
			return errno;
		n = 0;
		poll(&room, 1, RELAY_MS);
	}
	return 0;
}

/*
 * Prints what the clients say until the launcher has ended. What cannot be printed is taken all the same, so that
 * the run comes to its end; the result says why. Others may hold the pipe, so its end alone is not waited for.
 */
static int relay(int from, pid_t pid, int *ended)
{
	struct pollfd ready = { .fd = from, .events = POLLIN };
	bool alive = true;
	char bytes[16384];
	int lost = 0;

	for (;;) {
		if (poll(&ready, 1, alive ? RELAY_MS : 0) > 0) {
			ssize_t n = read(from, bytes, sizeof(bytes));

			if (n > 0 && !lost)
				lost = print(bytes, n);
			if (n == 0)
				break;
		} else if (!alive) {
			return lost;
		} else {
			alive = waitpid(pid, ended, WNOHANG) == 0;
		}
	}
	while (alive && waitpid(pid, ended, 0) < 0 && errno == EINTR)
		;
	return lost;
}

static int code_of(int ended)
{
	launcher_pid = 0;
	if (signals_seen > 0)
		return PARIO_INTERRUPTED;
	return WIFEXITED(ended) ? WEXITSTATUS(ended) : PARIO_SYSTEM;
}

/* The clients' own code when they left one; a launcher that succeeded without it has lost them. */
static int read_status(int fd, int launcher_code)
{
	char text[16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	if (n > 0) {
		text[n] = '\0';
		return atoi(text);
	}
	return launcher_code ? launcher_code : PARIO_SYSTEM;
}

static void catch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = pass_on };

	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaction(caught[i], &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* A file for the exit code, whose descriptor is none of the standard streams even where those are closed. */
static int open_status(char *path, size_t room, struct pario_err *err)
{
	const char *tmp = getenv("TMPDIR");
	int fd, above = -1;

	snprintf(path, room, "%s/pario-status-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd >= 0) {
		above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(fd);
	}
	if (above < 0)
		pario_err_sys(err, errno, "Set TMPDIR to a directory you can write to.",
			      "cannot make a temporary file %s", path);
	return above;
}

/* Starts the launcher and stays until it ends; the result is why it could not be started, or 0. */
static int attend(const struct pario_launch *launch, int argc, char *const *argv, char *self,
		  int *code, int *lost)
{
	int ends[2] = { -1, -1 }, ended = 0, failed = open_pipe(ends);
	pid_t pid = 0;

	if (!failed)
		failed = spawn(launch, argc, argv, self, ends[1], &pid);
	if (ends[1] >= 0)
		close(ends[1]);
	if (!failed) {
		launcher_pid = pid;
		if (signals_seen)
			kill(pid, SIGTERM);
		*lost = relay(ends[0], pid, &ended);
		*code = code_of(ended);
	}
	if (ends[0] >= 0)
		close(ends[0]);
	return failed;
}

int pario_launch_self(const struct pario_launch *launch, int argc, char *const *argv, int *status,
		      struct pario_err *err)
{
	char self[4096], status_path[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int fd, failed, code = 0, lost = 0;

	if (length <= 0)
		return pario_err_sys(err, errno, "", "the path of this program cannot be found");
	self[length] = '\0';
	fd = open_status(status_path, sizeof(status_path), err);
	if (fd < 0)
		return -1;
	set_environment(launch, status_path);
	catch_signals();
	failed = attend(launch, argc, argv, self, &code, &lost);
	if (!failed)
		*status = read_status(fd, code);
	close(fd);
	unlink(status_path);
	unsetenv("PARIO_STATUS_FILE");
	if (failed == ENOENT)
		return 1;
	if (failed)
		return pario_err_sys(err, failed, "", "cannot start %s", PARIO_MPIEXEC);
	/* A reader that went away (| head) has seen what it wanted. */
	if (lost && lost != EPIPE && *status == 0)
		return pario_err_sys(err, lost, "The results in the journal are complete.",
				     "standard output cannot be written to");
	return 0;
}
