/*
 * yield: a client of MPICH that waits gives its core to others, as those of Open MPI are told to (test/step). MPICH has
 * a setting for that (MPIR_CVAR_POLLS_BEFORE_YIELD), but its way through UCX hardly gets there: beside other tests, a
 * run of seconds took minutes. Linked into the programs of the tests alone, this stands before UCX's own function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
	static unsigned (*progress)(void *worker);
	static unsigned idle;
	unsigned done;

	if (!progress)
		*(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
	done = progress(worker);
	idle = done ? 0 : idle + 1;
	if (idle > 100)
		sched_yield();
	return done;
}
