/*
 * decide: for tests that decide for themselves when their loops end, and that call MPI-IO themselves.
 */
#include "backend/library.h"
#include "comm/roll.h"
#include "engine/engine.h"
#include "engine/ticks.h"
#include "engine/watch.h"

/* Others may be in the middle of long transfers, and come in good order after them. */
enum { MEET_S = 20 };

int64_t pario_run_elapsed_ns(const struct pario_run *run)
{
	return pario_ticks_ns() - run->engine->meter.start_ns;
}

bool pario_run_over(const struct pario_run *run)
{
	return pario_watch_interrupted() || pario_ticks_ns() >= run->engine->stop_ns;
}

void pario_run_wait(const struct pario_run *run)
{
	pario_comm_wait(run->engine->comm, 0);
}

int pario_run_meet(const struct pario_run *run, int status)
{
	return pario_comm_wait(run->engine->comm, status < 0) ? -1 : 0;
}

void pario_run_file_name(const struct pario_run *run, char name[64])
{
	pario_access_name(run->engine, 0, name);
}

int pario_run_agree(MPI_Comm members, int status, struct pario_err *err)
{
	return pario_comm_agree(members, status, NULL, err);
}

int pario_run_mpi_error(int rc, const char *what, const char *path, struct pario_err *err)
{
	return pario_library_mpi_fail(err, rc, "%s %s by MPI-IO failed", what, path);
}

void pario_run_left(const struct pario_err *err)
{
	pario_roll_failed(err->text);
	pario_watch_hurry(MEET_S);
}

/* The sentence stays until the next agreement: a later call may wait for what failed in this one. */
void pario_run_met(void)
{
	pario_watch_again();
}
