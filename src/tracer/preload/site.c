/*
 * site: a walk up the stack, by what is known of each place in a library. That is found out once (unwind.h); then a
 * frame costs two loads and a look into a table.
 */
#include "tracer/preload/site.h"

#include <string.h>

#include "tracer/preload/readable.h"
#include "tracer/preload/unwind.h"

enum { PLACES = 1024, FRAMES = 24, LARGEST = 1 << 20 };

enum kind { PROGRAM, RUNTIME, MPI, NOWHERE };

static struct place {
	uint64_t at; /* comes last and goes first */
	enum kind kind;
	struct pario_frame_step step;
} places[PLACES];

uint64_t pario_final_sites[PARIO_FINAL_SITES];

/* By the beginnings of their names. */
static const struct {
	const char *begin;
	enum kind kind;
} libraries[] = {
	{ "libc.so", RUNTIME },
	{ "libc-", RUNTIME },
	{ "libpthread", RUNTIME },
	{ "libm.so", RUNTIME },
	{ "ld-linux", RUNTIME },
	{ "libdl", RUNTIME },
	{ "libgcc_s", RUNTIME },
	{ "libstdc++", RUNTIME },
	{ "libc++", RUNTIME },
	{ "libgfortran", RUNTIME },
	{ "libquadmath", RUNTIME },
	{ "libflang", RUNTIME },
	{ "libFortranRuntime", RUNTIME },
	{ "libifcore", RUNTIME },
	{ "libifport", RUNTIME },
	{ "libnvf", RUNTIME },
	{ "libpgf", RUNTIME },
	{ "libhdf5", RUNTIME },
	{ "libnetcdf", RUNTIME },
	{ "libpnetcdf", RUNTIME },
	{ "libpario-trace", RUNTIME },
	{ "libaio", RUNTIME },
	{ "liburing", RUNTIME },
	{ "libmpi", MPI },
	{ "libpmpi", MPI },
	{ "libopen-", MPI },
	{ "libromio", MPI },
	{ "mca_", MPI },
};

static enum kind kind_of(uint64_t at)
{
	const char *name = pario_unwind_object(at - 1), *slash;

	if (!name)
		return NOWHERE;
	slash = strrchr(name, '/');
	name = slash ? slash + 1 : name;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		if (strncmp(name, libraries[i].begin, strlen(libraries[i].begin)) == 0)
			return libraries[i].kind;
	}
	return PROGRAM;
}

void pario_sites_forget(void)
{
	for (int i = 0; i < PLACES; i++)
		__atomic_store_n(&places[i].at, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < PARIO_FINAL_SITES; i++)
		__atomic_store_n(&pario_final_sites[i], 0, __ATOMIC_RELAXED);
}

static struct place find_out(uint64_t at)
{
	struct place p = { .at = at, .kind = kind_of(at), .step = pario_unwind_step(at) };

	if (p.kind == PROGRAM &&
	    p.step.outermost) /* the program's first instructions, at its end */
		p.kind = NOWHERE;
	return p;
}

static struct place place_of(uint64_t at)
{
	struct place *slot = &places[(at * 0x9e3779b97f4a7c15u) >> 54], p;

	if (__atomic_load_n(&slot->at, __ATOMIC_ACQUIRE) == at) {
		p = *slot;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (__atomic_load_n(&slot->at, __ATOMIC_RELAXED) == at)
			return p;
	}
	p = find_out(at);
	if (__atomic_exchange_n(&slot->at, 1, __ATOMIC_ACQUIRE) == 1) /* somebody changes it */
		return p;
	slot->kind = p.kind;
	slot->step = p.step;
	__atomic_store_n(&slot->at, at, __ATOMIC_RELEASE);
	return p;
}

#if defined(__x86_64__)

/* A wrapper's frame: the caller's frame register, the return address, then the caller's stack. */
struct frame {
	uint64_t at, stack, base;
};

static uint64_t load(uint64_t at)
{
	return *(const uint64_t *)(uintptr_t)at;
}

static bool first_frame(const struct pario_call *call, struct frame *f)
{
	uint64_t wrapper = (uint64_t)(uintptr_t)call->frame;

	if (!wrapper || wrapper % 8 || load(wrapper + 8) != call->site)
		return false;
	*f = (struct frame){ call->site, wrapper + 16, load(wrapper) };
	return true;
}

static bool up(struct frame *f, const struct pario_frame_step *step)
{
	uint64_t end = (step->by_frame ? f->base : f->stack) + (uint64_t)step->size,
		 saved = end + (uint64_t)(int64_t)step->saved;

	if (!step->known || end % 8 || end <= f->stack || end - f->stack > LARGEST ||
	    saved < f->stack || !pario_readable((const void *)(uintptr_t)(end - 8)) ||
	    !pario_readable((const void *)(uintptr_t)(saved - (step->saved == 0 ? 8 : 0))))
		return false;
	f->at = load(end - 8);
	if (step->saved)
		f->base = load(saved);
	f->stack = end;
	return true;
}

static uint64_t walk(const struct pario_call *call, struct place p)
{
	bool of_mpi = call->layer == PARIO_TRACE_MPI || call->layer == PARIO_TRACE_MPIIO;
	struct frame f;

	if (!first_frame(call, &f))
		return call->site;
	for (int i = 0; i < FRAMES; i++) {
		if (p.kind == PROGRAM)
			return f.at;
		if (p.kind == NOWHERE || (p.kind == MPI && !of_mpi) || !up(&f, &p.step))
			break;
		p = place_of(f.at);
	}
	return call->site;
}

#else

static uint64_t walk(const struct pario_call *call, struct place p)
{
	(void)p;
	return call->site;
}

#endif

uint64_t pario_site(const struct pario_call *call)
{
	struct place p;

	if (pario_site_is_final(call) || !call->frame || !pario_unwind_known || pario_trace_mute)
		return call->site;
	p = place_of(call->site);
	if (p.kind == PROGRAM || p.kind == NOWHERE)
		__atomic_store_n(pario_final_site(call->site), call->site, __ATOMIC_RELAXED);
	return walk(call, p);
}
