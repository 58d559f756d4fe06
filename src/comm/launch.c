/*
 * launch: how one plain command becomes a group of clients.
 *
 * The launcher is spawned with an argument vector, never a shell, in a process group of its own: Ctrl-C then
 * reaches pario alone, which asks the clients to stop through SIGUSR1 (both Open MPI and MPICH pass it on),
 * instead of letting the launcher kill them. The exit code travels through a small file, because Open MPI
 * wraps every non-zero exit of a client in a page of text.
 */
#include "comm/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "version.h"

enum { LAUNCHER_WORDS = 12 };

extern char **environ;

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

static void pass_on(int number)
{
	int saved = errno;

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
	if (strcmp(PARIO_MPI_FLAVOUR, "openmpi") != 0)
		return;
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	if (launch->clients > pario_launch_cores())
		setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
	if (launch->io_component)
		setenv("OMPI_MCA_io", launch->io_component, 1);
}

static int spawn(const struct pario_launch *launch, int argc, char *const *argv, char *self,
		 pid_t *pid)
{
	char count[24];
	char **words = calloc((size_t)argc + LAUNCHER_WORDS, sizeof(*words));
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int n = 0, status;

	if (!words)
		return ENOMEM;
	snprintf(count, sizeof(count), "%llu", (unsigned long long)launch->clients);
	words[n++] = (char *)PARIO_MPIEXEC;
	if (strcmp(PARIO_MPI_FLAVOUR, "openmpi") == 0) {
		words[n++] = (char *)"--oversubscribe";
		words[n++] = (char *)"--bind-to";
		words[n++] = (char *)"none";
	}
	words[n++] = (char *)"-n";
	words[n++] = count;
	words[n++] = self;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	status = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	free(words);
	return status;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return PARIO_SYSTEM;
	}
	launcher_pid = 0;
	if (signals_seen > 0)
		return PARIO_INTERRUPTED;
	if (WIFSIGNALED(status))
		return PARIO_SYSTEM;
	return WEXITSTATUS(status);
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
}

int pario_launch_self(const struct pario_launch *launch, int argc, char *const *argv, int *status,
		      struct pario_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char self[4096], status_path[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t pid;
	int fd, failed;

	if (length <= 0)
		return pario_err_sys(err, errno, "", "the path of this program cannot be found");
	self[length] = '\0';
	snprintf(status_path, sizeof(status_path), "%s/pario-status-XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(status_path);
	if (fd < 0)
		return pario_err_sys(err, errno, "Set TMPDIR to a directory you can write to.",
				     "cannot make a temporary file %s", status_path);
	set_environment(launch, status_path);
	catch_signals();
	failed = spawn(launch, argc, argv, self, &pid);
	if (!failed) {
		launcher_pid = pid;
		if (signals_seen)
			kill(pid, SIGTERM);
		*status = read_status(fd, wait_for(pid));
	}
	close(fd);
	unlink(status_path);
	unsetenv("PARIO_STATUS_FILE");
	if (failed == ENOENT)
		return 1;
	return failed ? pario_err_sys(err, failed, "", "cannot start %s", PARIO_MPIEXEC) : 0;
}
