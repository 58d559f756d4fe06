/*
 * crew: orders from client 0. Idle ranks poll a nonblocking broadcast with backoff, so that clients outside the
 * measured group leave their cores alone.
 */
#include "engine/crew.h"

#include <pthread.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/launch.h"
#include "comm/relay.h"
#include "comm/roll.h"
#include "engine/ticks.h"
#include "engine/watch.h"

enum order { SETTLE, RUN, DISMISS };

struct message {
	enum order order;
	int code;
	uint64_t test, clients, tail_bytes;
	int spread;
	bool pointers;
	double deadline; /* of each step of this order */
	double patience; /* from its end to the next order; 0 = any time */
	char parent[1024], id[64];
};

static void (*tell_expired)(const char *sentence);
static int leave_code;
static const char leaving[] = "MPI_Finalize";

enum {
	EXPIRED_S =
		10, /* for the last words, and for the abort, before the process ends by itself */
	BEAT_MOST_S = 15,
	BETWEEN = 8,  /* steps of client 0 between two orders, at most */
	LEAVE_S = 45, /* for MPI_Finalize, when all is done */
};

static void *last_words(void *sentence)
{
	tell_expired(sentence);
	return NULL;
}

/* MPI may be in the middle of its start, where an abort is no call to make. */
static void *abort_all(void *unused)
{
	int begun = 0, over = 1;

	MPI_Initialized(&begun);
	MPI_Finalized(&over);
	if (begun && !over)
		MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM);
	return unused;
}

/* In a thread that is left alone when it takes too long: journal and standard error may hang as well. */
static void bounded(void *(*work)(void *), void *argument)
{
	struct timespec until;
	pthread_t thread;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += EXPIRED_S;
	if (pthread_create(&thread, NULL, work, argument) == 0)
		pthread_timedjoin_np(thread, NULL, &until);
}

static void expired(const char *what, double seconds)
{
	static const char usual[] =
		"a client has stopped, the storage does not answer, or a "
		"library (MPI-IO, HDF5) waits for a client whose call failed in it";
	const struct timespec for_client_0 = { EXPIRED_S, 0 };
	char sentence[1100], who[700];

	if (what == leaving) {
		snprintf(
			sentence, sizeof(sentence),
			"MPI_Finalize did not return within %.0f s; the run is complete without it.",
			seconds);
		bounded(last_words, sentence);
		_exit(leave_code);
	}
	if (pario_roll_call(who, sizeof(who))) {
		nanosleep(&for_client_0, NULL);
		bounded(abort_all, NULL);
		_exit(PARIO_SYSTEM);
	}
	if (pario_roll_failure(who, sizeof(who)))
		snprintf(
			sentence, sizeof(sentence),
			"%s failed: %s; the others have not come since: their storage does not answer, or a "
			"library (MPI-IO, HDF5) keeps them waiting for the call that failed. The run is "
			"ended; completed results are kept.",
			what, who);
	else
		snprintf(
			sentence, sizeof(sentence),
			"%s did not end within %.0f s: %s. The run is ended; completed results are "
			"kept. Raise --deadline if it may take longer.",
			what, seconds, *who ? who : usual);
	bounded(last_words, sentence);
	bounded(abort_all, NULL);
	_exit(PARIO_SYSTEM);
}

static void beat(void)
{
	pario_launch_sign(PARIO_SIGN_ALIVE, "");
}

void pario_crew_watch(void (*on_expired)(const char *sentence), double deadline)
{
	double given = pario_launch_deadline();
	bool beats = given > 0 && pario_launch_rank() == 0;
	char host[256] = "", place[320];

	if (given >= 0) {
		if (pario_launch_orphaned())
			_exit(PARIO_INTERRUPTED);
		pario_watch_signals();
		gethostname(host, sizeof(host) - 1);
		snprintf(place, sizeof(place), "%llu %ld %s",
			 (unsigned long long)pario_launch_rank(), (long)getpid(), host);
		pario_launch_sign(PARIO_SIGN_PLACE, place);
		deadline = given;
	}
	tell_expired = on_expired;
	pario_watch_start(expired, beats ? beat : NULL,
			  given >= 4 * BEAT_MOST_S ? BEAT_MOST_S
						   : 1 + (unsigned)fmax(0, given) / 4);
	pario_watch_step(deadline, "the start of the run");
}

int pario_crew_init(struct pario_crew *crew, const struct pario_test *const *tests, int *argc,
		    char ***argv, struct pario_err *err)
{
	memset(crew, 0, sizeof(*crew));
	crew->tests = tests;
	pario_workspace_init(&crew->workspace);
	pario_ticks_start();
	if (pario_comm_init(&crew->world, argc, argv, err) < 0)
		return -1;
	pario_ticks_settle();
	pario_watch_signals();
	/* Who killed the front wanted the clients to stop, and they may not have heard of it. */
	if (pario_launch_orphaned())
		pario_watch_heard(PARIO_WATCH_SIGNAL);
	pario_roll_open(&crew->world, pario_watch_now);
	return pario_nodes_gather(&crew->nodes, &crew->world, err);
}

/* A broadcast in which receivers nap while nothing comes. */
static void pass(struct pario_crew *crew, void *bytes, size_t length)
{
	struct timespec nap = { 0, 20000 };
	MPI_Request request;
	int done = 0;

	MPI_Ibcast(bytes, (int)length, MPI_BYTE, 0, crew->world.mpi, &request);
	for (;;) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 1000000)
			nap.tv_nsec *= 2;
	}
}

static uint64_t number_of(const struct pario_crew *crew, const struct pario_test *test)
{
	uint64_t i = 0;

	while (crew->tests[i] != test)
		i++;
	return i;
}

static const struct pario_comm *split(struct pario_crew *crew, const struct message *m)
{
	return pario_comm_split(&crew->world, m->clients, (enum pario_comm_spread)m->spread,
				&crew->splits);
}

static int settle(struct pario_crew *crew, const struct message *m, struct pario_err *err)
{
	pario_roll_order(true);
	if (!m->pointers)
		pario_comm_leave_locked_files_out();
	return pario_workspace_make(&crew->workspace, &crew->world, m->parent, m->id, err);
}

int pario_crew_settle(struct pario_crew *crew, const char *parent, const char *id, double deadline,
		      bool pointers, struct pario_err *err)
{
	struct message m = { .order = SETTLE,
			     .pointers = pointers,
			     .deadline = deadline,
			     .patience = BETWEEN * deadline };

	snprintf(m.parent, sizeof(m.parent), "%s", parent);
	snprintf(m.id, sizeof(m.id), "%s", id);
	pass(crew, &m, sizeof(m));
	pario_watch_step(deadline, "making the workspace");
	return settle(crew, &m, err);
}

/* A client that sits a point out waits for all its phases, each with what comes before and after it. */
static double patience_for(const struct pario_bound *bound)
{
	struct pario_phase phases[PARIO_PHASES];
	double steps = 4.0 * pario_bound_phases(bound, phases) + BETWEEN;

	return bound->settings.deadline * (steps * (double)bound->settings.repetitions + BETWEEN) +
	       (bound->settings.deadline > 0 ? bound->settings.pause : 0);
}

/* A whole point, or the part of one that stays in a slot. */
static int visit(struct pario_crew *crew, const struct pario_comm *comm, struct pario_sink *sink,
		 const struct pario_bound *bound, int *code, struct pario_err *err)
{
	unsigned slot = bound->settings.slot;

	if (slot == 0 || slot > PARIO_CREW_SLOTS)
		return pario_engine_run(comm, &crew->workspace, sink, bound, code, err);
	return pario_engine_slice(&crew->slots[slot - 1], comm, &crew->workspace, sink, bound, code,
				  err);
}

int pario_crew_run(struct pario_crew *crew, struct pario_sink *sink,
		   const struct pario_bound *bound, int *code, struct pario_err *err)
{
	struct message m = { .order = RUN,
			     .test = number_of(crew, bound->point.test),
			     .clients = bound->point.clients,
			     .spread = bound->settings.spread,
			     .tail_bytes = bound->params_bytes + bound->backend_bytes,
			     .deadline = bound->settings.deadline,
			     .patience = patience_for(bound) };
	struct pario_bound copy = *bound;
	int status;

	pario_watch_step(m.deadline, "the start of a point");
	pass(crew, &m, sizeof(m));
	pass(crew, &copy, sizeof(copy));
	pass(crew, bound->tail, m.tail_bytes);
	pario_roll_order(true);
	status = visit(crew, split(crew, &m), sink, bound, code, err);
	pario_watch_step(m.deadline, "the work between two points");
	return status;
}

void pario_crew_dismiss(struct pario_crew *crew, int code, double deadline)
{
	struct message m = { .order = DISMISS, .code = code, .deadline = deadline };

	crew->deadline = deadline;
	pario_watch_step(deadline, "the end of the run");
	pass(crew, &m, sizeof(m));
}

/* One point as a follower. Errors are client 0's to report: the engine agreed on them. */
static void follow_run(struct pario_crew *crew, const struct message *m)
{
	struct pario_err err = { 0 };
	const struct pario_comm *part;
	struct pario_bound bound;
	int code = 0;
	char *tail = malloc(m->tail_bytes ? m->tail_bytes : 1);

	if (!tail)
		MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM);
	pass(crew, &bound, sizeof(bound));
	pass(crew, tail, m->tail_bytes);
	bound.tail = tail;
	pario_bound_link(&bound, crew->tests[m->test]);
	part = split(crew, m);
	pario_roll_order(part->mpi != MPI_COMM_NULL);
	if (part->mpi != MPI_COMM_NULL)
		visit(crew, part, NULL, &bound, &code, &err);
	free(tail);
}

int pario_crew_follow(struct pario_crew *crew)
{
	struct pario_err err = { 0 };
	struct message m;

	for (;;) {
		pass(crew, &m, sizeof(m));
		pario_watch_step(m.deadline, m.order == SETTLE ? "making the workspace"
							       : "the start of a point");
		switch (m.order) {
		case SETTLE:
			settle(crew, &m, &err);
			break;
		case RUN:
			follow_run(crew, &m);
			break;
		case DISMISS:
			crew->deadline = m.deadline;
			return m.code;
		}
		pario_watch_step(m.patience, "waiting for client 0");
	}
}

void pario_crew_release(struct pario_crew *crew, int code, void (*late)(const char *sentence))
{
	double limit = crew->deadline > 0 && crew->deadline < LEAVE_S ? crew->deadline : LEAVE_S;

	pario_roll_close();
	for (unsigned i = 0; i < PARIO_CREW_SLOTS; i++)
		pario_engine_drop(&crew->slots[i]);
	pario_workspace_close(&crew->workspace);
	pario_comm_release_splits(&crew->splits);
	pario_comm_release(&crew->world);
	pario_nodes_release(&crew->nodes);
	leave_code = code;
	tell_expired = late;
	pario_watch_leave(code);
	pario_watch_step(limit, leaving);
	MPI_Finalize();
	pario_watch_stop();
}
