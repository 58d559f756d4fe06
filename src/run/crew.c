/*
 * crew: orders from client 0, received in a wait that sleeps, so that clients outside the measured group leave
 * their cores alone.
 */
#include "run/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run/ticks.h"
#include "run/watch.h"

enum order { SETTLE, RUN, DISMISS };

struct message {
	enum order order;
	int code;
	uint64_t test, clients, tail_bytes;
	char parent[1024], id[64];
};

static void (*tell_expired)(const char *sentence);

static void expired(const char *what, double seconds)
{
	char sentence[400];

	snprintf(
		sentence, sizeof(sentence),
		"%s did not end within %.0f s: a client has stopped or the storage does not answer. The run is "
		"ended; completed results are kept. Raise --deadline if it may take longer.",
		what, seconds);
	tell_expired(sentence);
	MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM);
}

int pario_crew_init(struct pario_crew *crew, int *argc, char ***argv,
		    void (*on_expired)(const char *sentence), struct pario_err *err)
{
	memset(crew, 0, sizeof(*crew));
	crew->part.mpi = MPI_COMM_NULL;
	pario_workspace_init(&crew->workspace);
	pario_ticks_start();
	if (pario_comm_init(&crew->world, argc, argv, err) < 0)
		return -1;
	pario_ticks_settle();
	tell_expired = on_expired;
	pario_watch_signals();
	pario_watch_start(expired);
	return 0;
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

static uint64_t number_of(const struct pario_test *test)
{
	uint64_t i = 0;

	while (pario_tests[i] != test)
		i++;
	return i;
}

static int split(struct pario_crew *crew, uint64_t clients, struct pario_err *err)
{
	if (crew->part.mpi != MPI_COMM_NULL)
		pario_comm_release(&crew->part);
	return pario_comm_split(&crew->world, clients, &crew->part, err);
}

int pario_crew_settle(struct pario_crew *crew, const char *parent, const char *id,
		      struct pario_err *err)
{
	struct message m = { .order = SETTLE };

	snprintf(m.parent, sizeof(m.parent), "%s", parent);
	snprintf(m.id, sizeof(m.id), "%s", id);
	pass(crew, &m, sizeof(m));
	return pario_workspace_make(&crew->workspace, &crew->world, m.parent, m.id, err);
}

int pario_crew_run(struct pario_crew *crew, struct pario_sink *sink,
		   const struct pario_bound *bound, int *code, struct pario_err *err)
{
	struct message m = { .order = RUN,
			     .test = number_of(bound->point.test),
			     .clients = bound->point.clients,
			     .tail_bytes = bound->params_bytes + bound->backend_bytes };
	struct pario_bound copy = *bound;

	pass(crew, &m, sizeof(m));
	pass(crew, &copy, sizeof(copy));
	pass(crew, bound->tail, m.tail_bytes);
	if (split(crew, m.clients, err) < 0)
		return -1;
	return pario_engine_run(&crew->part, &crew->workspace, sink, bound, code, err);
}

void pario_crew_dismiss(struct pario_crew *crew, int code)
{
	struct message m = { .order = DISMISS, .code = code };

	pass(crew, &m, sizeof(m));
}

/* One point as a follower. Errors are client 0's to report: the engine agreed on them. */
static void follow_run(struct pario_crew *crew, const struct message *m)
{
	struct pario_err err = { 0 };
	struct pario_bound bound;
	int code = 0;
	char *tail = malloc(m->tail_bytes ? m->tail_bytes : 1);

	if (!tail)
		MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM);
	pass(crew, &bound, sizeof(bound));
	pass(crew, tail, m->tail_bytes);
	bound.tail = tail;
	pario_bound_link(&bound, pario_tests[m->test]);
	if (split(crew, m->clients, &err) == 0 && crew->part.mpi != MPI_COMM_NULL)
		pario_engine_run(&crew->part, &crew->workspace, NULL, &bound, &code, &err);
	free(tail);
}

int pario_crew_follow(struct pario_crew *crew)
{
	struct pario_err err = { 0 };
	struct message m;

	for (;;) {
		pass(crew, &m, sizeof(m));
		switch (m.order) {
		case SETTLE:
			pario_workspace_make(&crew->workspace, &crew->world, m.parent, m.id, &err);
			break;
		case RUN:
			follow_run(crew, &m);
			break;
		case DISMISS:
			return m.code;
		}
	}
}

void pario_crew_release(struct pario_crew *crew)
{
	pario_watch_stop();
	pario_workspace_close(&crew->workspace);
	if (crew->part.mpi != MPI_COMM_NULL)
		pario_comm_release(&crew->part);
	MPI_Finalize();
}
