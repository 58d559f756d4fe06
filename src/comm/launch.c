/*
 * launch: how one plain command becomes a group of clients.
 *
 * The launcher is started with an argument vector, never a shell, in a process group of its own: Ctrl-C then reaches
 * pario alone, which asks the clients to stop through SIGUSR1 (both Open MPI and MPICH pass it on), instead of letting
 * the launcher kill them. Launchers lose that signal, or die of it, before they have clients: it is sent when the
 * clients have begun. Whoever kills this process before that leaves clients that find no front. What launcher and
 * clients print comes through pipes and is printed here (comm/relay): launchers ignore a full disk, crash on a reader
 * that went away, and wrap every end that is not plain in a page of text. Through the same pipes the clients tell how
 * the run ended. A client 0 that gives no sign of life for the deadline is taken for dead, and everything that was
 * started is ended.
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
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "comm/relay.h"
#include "version.h"

enum {
	LAUNCHER_WORDS = 12,
	BEGAN_MOST_S = 600, /* a front that seems to be older has another clock */
	RELAY_MS = 200,	    /* how long output of a launcher that ended may stay unnoticed */
	LEAVING_MS = 2,	    /* the same of one that has closed its output */
	START_S = 300,	    /* clients that have not begun by then never will */
	AFTER_DEADLINE_S =
		8, /* the clients keep the deadline themselves and get so long to say so */
	LEAST_FILE = 8 << 20, /* bytes; two clients start with 5 of either MPI */
	LEAVE_S = 60,	      /* from the end of the run to the end of the launcher */
	LAST_S =
		25, /* the same after a deadline: last words and abort have 10 s each (engine/crew.c) */
	END_MS = 3000, /* for a launcher that is asked to end, and again for one that is made to */
};

static volatile sig_atomic_t signals_seen;
static volatile sig_atomic_t clients_listen, clients_told;
static volatile pid_t launcher_pid;
static bool unbegun;

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

/* Slurm gives the script of a job and an interactive shell step numbers of their own, above all others. */
#define SLURM_LAST_STEP 0xfffffff0u

struct pario_launch_batch pario_launch_batch(void)
{
	struct pario_launch_batch batch = { .tasks = number_from("SLURM_NTASKS"),
					    .nodes = number_from("SLURM_NNODES") };
	bool step = getenv("SLURM_STEP_ID") && number_from("SLURM_STEP_ID") < SLURM_LAST_STEP;

	if (!getenv("SLURM_JOB_ID"))
		return (struct pario_launch_batch){ 0 };
	batch.job_nodes = number_from("SLURM_JOB_NUM_NODES");
	if (batch.nodes == 0)
		batch.nodes = batch.job_nodes;
	if (batch.tasks < batch.nodes)
		batch.tasks = batch.nodes;
	if (step) {
		batch.step_tasks = number_from("SLURM_STEP_NUM_TASKS");
		if (batch.step_tasks == 0)
			batch.step_tasks = batch.tasks ? batch.tasks : 1;
		batch.step_rank = number_from("SLURM_PROCID");
	}
	return batch;
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

/* Once: a client takes a second one for the wish to end at once. */
static void tell_clients(void)
{
	if (launcher_pid <= 0 || !clients_listen || clients_told)
		return;
	clients_told = 1;
	kill(launcher_pid, SIGUSR1);
}

static void pass_on(int number)
{
	static int64_t last_ns;
	int64_t now_ns = pario_clock_ns();
	int saved = errno;

	if (signals_seen && now_ns - last_ns < PARIO_LAUNCH_ONE_SIGNAL_NS)
		return;
	last_ns = now_ns;
	signals_seen++;
	if (signals_seen == 1)
		tell_clients();
	else if (launcher_pid > 0)
		kill(launcher_pid, number);
	if (launcher_pid > 0 && signals_seen > 2)
		kill(-launcher_pid, SIGKILL);
	errno = saved;
}

bool pario_launch_unbegun(void)
{
	return unbegun;
}

static void leave(int number)
{
	static const char sentence[] = "pario: stopped by a signal before anything was started.\n";

	(void)number;
	if (write(STDERR_FILENO, sentence, sizeof(sentence) - 1) < 0)
		_exit(PARIO_INTERRUPTED);
	_exit(PARIO_INTERRUPTED);
}

static void catch_all(void (*handler)(int number))
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = handler }, before;

	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++) {
		/* nohup */
		if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(caught[i], &action, NULL);
	}
}

void pario_launch_catch(void)
{
	if (pario_launch_promised() == 0)
		catch_all(leave);
}

/* Behind the deadline: the process, as base/lock names it. */
bool pario_launch_orphaned(void)
{
	const char *text = getenv("PARIO_FRONT"), *maker = text ? strchr(text, ' ') : NULL;

	return maker && pario_lock_life(maker + 1, maker + strlen(maker)) == PARIO_LOCK_GONE;
}

double pario_launch_deadline(void)
{
	const char *text = getenv("PARIO_FRONT");

	return text ? strtod(text, NULL) : -1;
}

static double time_of_day(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The front's clock may be another node's, or have been set meanwhile. */
double pario_launch_began_ago(void)
{
	const char *text = getenv("PARIO_BEGAN");
	double ago = text && getenv("PARIO_FRONT") ? time_of_day() - strtod(text, NULL) : 0;

	return ago > 0 && ago < BEGAN_MOST_S ? ago : 0;
}

void pario_launch_sign(char letter, const char *text)
{
	struct pollfd capacity = { .fd = STDOUT_FILENO, .events = POLLOUT };
	char sign[2300];
	int length = snprintf(sign, sizeof(sign), "%c%c%.2200s\n", '\0', letter, text);

	/* A sign of life that finds no room comes later; all others are worth waiting for. */
	if (!getenv("PARIO_FRONT") || (letter == PARIO_SIGN_ALIVE && poll(&capacity, 1, 0) <= 0))
		return;
	if (write(STDOUT_FILENO, sign, (size_t)length) < 0)
		errno = 0; /* then nobody is there to hear it */
}

static void set_environment(const struct pario_launch *launch)
{
	char number[32], path[256], maker[PARIO_LOCK_MAKER_CAPACITY];
	char front[sizeof(number) + sizeof(maker)];

	pario_lock_maker(maker);
	snprintf(front, sizeof(front), "%.3f %s", launch->deadline, maker);
	setenv("PARIO_FRONT", front, 1);
	snprintf(number, sizeof(number), "%.3f", time_of_day());
	setenv("PARIO_BEGAN", number, 1);
	snprintf(number, sizeof(number), "%u", launch->columns);
	setenv("PARIO_TERMINAL_COLUMNS", number, 1);
	setenv("PARIO_TERMINAL_COLOR", launch->color ? "1" : "0", 1);
	setenv("PARIO_TERMINAL_PROGRESS", launch->progress ? "1" : "0", 1);
	/* Launchers look for their helpers there, and do not begin without one. */
	if (confstr(_CS_PATH, path, sizeof(path)) > 0)
		setenv("PATH", path, 0);
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
 * In the child: the launcher's group, streams and signals are its own, and its output goes to `to`. When this
 * process is killed, it asks the clients to stop, as an interrupt would. Returns only when it cannot be started.
 */
static void become(char **words, const int to[2], pid_t parent)
{
	int null = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGUSR1);
	if (getppid() != parent || null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(to[0], STDOUT_FILENO) < 0 || dup2(to[1], STDERR_FILENO) < 0)
		return;
	if (null > STDERR_FILENO)
		close(null);
	execvp(words[0], words);
}

/* Started by fork, since posix_spawn cannot ask for a signal when the parent ends. 0 or why it could not be. */
static int spawn_words(char **words, const int to[2], pid_t *pid)
{
	int report[2] = { -1, -1 }, failed = open_pipe(report);
	pid_t parent = getpid();

	if (!failed) {
		*pid = fork();
		failed = *pid < 0 ? errno : 0;
	}
	if (!failed && *pid == 0) {
		become(words, to, parent);
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
		 const int to[2], pid_t *pid)
{
	char count[24];
	char **words = calloc((size_t)argc + LAUNCHER_WORDS, sizeof(*words));
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
	status = spawn_words(words, to, pid);
	free(words);
	return status;
}

/* ---- while it runs ---- */

struct launcher {
	pid_t pid;
	int from[2]; /* its standard output and error */
	bool ended;
	int status; /* as waitpid gives it */
	struct pario_relay relay;
	double silent_s; /* since the last sign of client 0 */
	double asked_s;	 /* since the first signal, while not all clients have begun */
	bool given_up;	 /* it was ended because no sign came */
};

static void look(struct launcher *l)
{
	if (!l->ended && waitpid(l->pid, &l->status, WNOHANG) == l->pid)
		l->ended = true;
}

/*
 * Reads what is there, for at most `ms`; false when there was nothing. Others may hold the pipes: their end is not
 * waited for.
 */
static bool listen_for(struct launcher *l, int ms)
{
	struct pollfd ready[2] = { { .fd = l->from[0], .events = POLLIN },
				   { .fd = l->from[1], .events = POLLIN } };
	bool any = false;
	char bytes[16384];

	if (poll(ready, 2, ms) <= 0)
		return false;
	/* Standard error first: a client wipes its progress line there before it prints a table. */
	for (int i = 1; i >= 0; i--) {
		ssize_t n = ready[i].revents ? read(l->from[i], bytes, sizeof(bytes)) : -1;

		any |= n > 0;
		if (n > 0)
			pario_relay_take(&l->relay, i, bytes, (size_t)n);
		if (n == 0) {
			close(l->from[i]);
			l->from[i] = -1;
		}
	}
	return any;
}

/* How long the clients may be silent; 0 = as long as they like. */
static double patience(const struct pario_relay *relay, double deadline)
{
	/* asked to end, and there are no clients yet that could do so by themselves: a stuck launcher ignores it */
	if (signals_seen && !relay->alive && relay->code < 0)
		return END_MS / 1e3;
	if (deadline <= 0)
		return 0;
	if (relay->code >= 0 && deadline < LAST_S)
		return LAST_S;
	if (relay->code >= 0)
		return deadline < LEAVE_S ? deadline : LEAVE_S;
	if (!relay->alive && deadline > START_S)
		return START_S;
	return deadline + AFTER_DEADLINE_S;
}

/* Ends every process that was started from here and still runs; what a launcher leaves behind becomes our child. */
static void end_children(int ms)
{
	char path[64], list[8192];
	bool any = true;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	for (; any && ms > 0; ms -= RELAY_MS) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, list, sizeof(list) - 1);
		if (fd >= 0)
			close(fd);
		list[n > 0 ? n : 0] = '\0';
		any = false;
		for (char *at = list, *end; *at; at = end) {
			long pid = strtol(at, &end, 10);

			if (end == at || pid <= 0)
				break;
			any = true;
			kill((pid_t)pid, SIGKILL);
			waitpid((pid_t)pid, NULL, WNOHANG);
			end += *end == ' ';
		}
		if (any)
			poll(NULL, 0, RELAY_MS);
	}
}

/*
 * Asks, then makes the launcher end. It may be that even that cannot be done: a call into dead storage holds it. Open
 * MPI wakes stopped clients to tell them; what they do then comes too late.
 */
static void end_launcher(struct launcher *l)
{
	l->given_up = l->relay.code < 0;
	l->relay.streams[0].to = -1;
	for (int number = SIGTERM; number && !l->ended; number = number == SIGTERM ? SIGKILL : 0) {
		kill(number == SIGTERM ? l->pid : -l->pid, number);
		for (int ms = 0; ms < END_MS && !l->ended; ms += RELAY_MS) {
			if (listen_for(l, RELAY_MS) && l->from[0] < 0 && l->from[1] < 0)
				poll(NULL, 0, RELAY_MS);
			look(l);
		}
	}
}

/*
 * A signal that came before the clients could take it is told them now. Where some never say that they have begun, the
 * others are told after a while.
 */
static void repeat_signal(struct launcher *l, uint64_t clients, double passed_s)
{
	if (signals_seen)
		l->asked_s += passed_s;
	clients_listen = l->relay.begun >= clients || (l->relay.alive && l->asked_s > END_MS / 1e3);
	if (signals_seen)
		tell_clients();
}

/*
 * Prints what the clients say until the launcher has ended. Silence is counted in waits, not by the clock: while this
 * process is stopped itself (Ctrl-Z), nobody is late.
 */
static void attend(struct launcher *l, const struct pario_launch *launch)
{
	unsigned signs = 0;
	double most;

	while (!l->ended) {
		int ms = l->from[0] < 0 && l->from[1] < 0 ? LEAVING_MS : RELAY_MS;
		bool heard = listen_for(l, ms);

		l->silent_s = l->relay.signs != signs ? 0 : l->silent_s + (heard ? 0 : ms / 1e3);
		signs = l->relay.signs;
		repeat_signal(l, launch->clients, heard ? 0 : ms / 1e3);
		most = patience(&l->relay, launch->deadline);
		if (most > 0 && l->silent_s > most) {
			end_launcher(l);
			break;
		}
		if (!heard)
			look(l);
	}
	while (listen_for(l, 0))
		;
	pario_relay_end(&l->relay);
	end_children(END_MS);
}

static void catch_signals(void)
{
	catch_all(pass_on);
	signal(SIGPIPE, SIG_IGN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Starts the launcher and stays until it ends; the result is why it could not be started, or 0. */
static int run(struct launcher *l, const struct pario_launch *launch, int argc, char *const *argv,
	       char *self)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, failed = open_pipe(out);

	if (!failed)
		failed = open_pipe(err);
	if (!failed)
		failed = spawn(launch, argc, argv, self, (int[2]){ out[1], err[1] }, &l->pid);
	l->from[0] = out[0];
	l->from[1] = err[0];
	for (int i = 0; i < 2; i++) {
		if ((i ? err : out)[1] >= 0)
			close((i ? err : out)[1]);
	}
	if (!failed) {
		launcher_pid = l->pid;
		attend(l, launch);
		launcher_pid = 0;
	}
	for (int i = 0; i < 2; i++) {
		if (l->from[i] >= 0)
			close(l->from[i]);
	}
	return failed;
}

/* ---- how it ended ---- */

/* The launcher's words as one line for a sentence. */
static void add_words(struct pario_text *text, const char *words)
{
	bool space = false;

	for (; *words && text->length < 500; words++) {
		if (strchr(" \t\n-=", *words)) {
			space = true;
			continue;
		}
		if (space && text->length)
			pario_text_bytes(text, " ", 1);
		space = false;
		pario_text_bytes(text, words, 1);
	}
}

static int say_not_started(const struct launcher *l, const struct pario_launch *launch,
			   struct pario_err *err)
{
	struct pario_text said = { 0 };
	const char *words = pario_text_string(&l->relay.words);

	add_words(&said, words);
	if (l->given_up)
		pario_err_set(
			err, PARIO_SYSTEM,
			"%s did not start the clients within %.0f s and was ended.%s%.500s%s Try "
			"`%s -n 1 true`, and check the limits (ulimit -a).",
			PARIO_MPIEXEC, patience(&l->relay, launch->deadline),
			said.length ? " It said: \"" : "", pario_text_string(&said),
			said.length ? "\"." : "", PARIO_MPIEXEC);
	else if (WIFSIGNALED(l->status))
		pario_err_set(err, PARIO_SYSTEM,
			      "%s was ended by signal %d before the clients began.", PARIO_MPIEXEC,
			      WTERMSIG(l->status));
	else
		pario_err_set(
			err, PARIO_SYSTEM,
			"%s could not start the clients (exit code %d).%s%.500s%s Try `%s -n 1 "
			"true`; it must work before pario can.",
			PARIO_MPIEXEC, WEXITSTATUS(l->status), said.length ? " It said: \"" : "",
			pario_text_string(&said), said.length ? "\"." : "", PARIO_MPIEXEC);
	pario_text_release(&said);
	return -1;
}

/* What happened to the clients, as the beginning of a sentence. */
static void add_fate(struct pario_text *text, const struct launcher *l)
{
	struct pario_relay_death death;

	pario_relay_death(&l->relay, &death);
	if (l->given_up)
		pario_text_add(text,
			       "client 0 gave no sign of life for %.0f s, so the run was ended",
			       l->silent_s);
	else if (death.signal && death.client >= 0)
		pario_text_add(text,
			       "client %ld on %s was killed by signal %d (%s), which ended the run",
			       death.client, death.host, death.signal, strsignal(death.signal));
	else if (death.signal)
		pario_text_add(text,
			       "a client on %s was killed by signal %d (%s), which ended the run",
			       death.host, death.signal, strsignal(death.signal));
	else if (WIFSIGNALED(l->status))
		pario_text_add(text, "%s was killed by signal %d, and the clients with it",
			       PARIO_MPIEXEC, WTERMSIG(l->status));
	else
		pario_text_add(text, "the clients ended before the run did (exit code %d of %s)",
			       WEXITSTATUS(l->status), PARIO_MPIEXEC);
	if (death.signal == SIGKILL)
		pario_text_add(text, "; the kernel does that when memory runs out (dmesg)");
}

static int say_died(const struct launcher *l, const struct pario_launch *launch,
		    struct pario_err *err)
{
	struct pario_text fate = { 0 };
	const char *journal = pario_text_string(&l->relay.journal);

	add_fate(&fate, l);
	pario_err_set(err, PARIO_SYSTEM,
		      "%s.%s%.300s%s `pario clean %.300s` removes the data that stayed.",
		      pario_text_string(&fate), *journal ? " Completed results are in " : "",
		      journal, *journal ? "/journal.jsonl, and --resume goes on with them." : "",
		      launch->dir);
	pario_text_release(&fate);
	return -1;
}

/* The clients' own code when they told it. */
static int judge(const struct launcher *l, const struct pario_launch *launch, int *status,
		 struct pario_err *err)
{
	const struct pario_relay *relay = &l->relay;

	if (relay->code >= 0 && !l->given_up)
		*status = relay->code;
	else if (signals_seen > 0) {
		unbegun = !relay->journal.length;
		*status = PARIO_INTERRUPTED;
	} else if (relay->alive)
		return say_died(l, launch, err);
	else
		return say_not_started(l, launch, err);
	/* A reader that went away (| head) has seen what it wanted. */
	if (relay->lost && relay->lost != EPIPE && *status == 0)
		return pario_err_sys(err, relay->lost, "The results in the journal are complete.",
				     "standard output cannot be written to");
	return 0;
}

/*
 * What clients share lies in files, also in memory. Below a few MiB Open MPI's clients wait in MPI_Init for ever, and
 * MPICH's are killed without a word (SIGXFSZ).
 */
static int check_file_size(struct pario_err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur >= LEAST_FILE)
		return 0;
	return pario_err_set(
		err, PARIO_SYSTEM,
		"no file may be larger than %llu KiB here, and MPI's clients need %d to start: raise "
		"the limit (ulimit -f).",
		(unsigned long long)limit.rlim_cur >> 10, LEAST_FILE >> 10);
}

int pario_launch_self(const struct pario_launch *launch, int argc, char *const *argv, int *status,
		      struct pario_err *err)
{
	struct launcher l = { .from = { -1, -1 } };
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int failed;

	if (length <= 0)
		return pario_err_sys(err, errno, "", "the path of this program cannot be found");
	if (check_file_size(err) < 0)
		return -1;
	self[length] = '\0';
	pario_relay_init(&l.relay, STDOUT_FILENO, STDERR_FILENO);
	set_environment(launch);
	catch_signals();
	failed = run(&l, launch, argc, argv, self);
	unsetenv("PARIO_FRONT");
	if (failed == 0)
		failed = judge(&l, launch, status, err);
	else if (failed == ENOENT)
		failed = 1;
	else
		failed = pario_err_sys(err, failed, NULL, "cannot start %s", PARIO_MPIEXEC);
	pario_relay_release(&l.relay);
	return failed;
}
