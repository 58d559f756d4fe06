/*
 * core: finds MPI's functions, remembers open files, has memory.
 */
#include "tracer/preload/mpi/mpi.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/preload/raw.h"

enum { FILES = 1024 };

static struct pario_mpi_file files[FILES];

__thread unsigned pario_mpi_inside;

/* The next function of the name; where a tool hides it, its twin. */
void *pario_mpi_resolve(struct pario_symbol *symbol)
{
	int error = errno;
	void *next = dlsym(RTLD_NEXT, symbol->name);
	char name[80] = "P";

	if (!next && symbol->name[0] == 'P') {
		next = dlsym(RTLD_NEXT, symbol->name + 1);
	} else if (!next && strlen(symbol->name) < sizeof(name) - 2) {
		strcat(name, symbol->name);
		next = dlsym(RTLD_NEXT, name);
	}
	/* an MPI that the program loaded itself (Python) is not behind us in the order of search */
	if (!next) {
		void *mpi = dlopen(
#if defined(OMPI_MAJOR_VERSION)
			"libmpi.so.40",
#else
			"libmpich.so.12",
#endif
			RTLD_LAZY | RTLD_NOLOAD);

		next = mpi ? dlsym(mpi, symbol->name) : NULL;
	}
	errno = error;
	__atomic_store_n(&symbol->next, next, __ATOMIC_RELAXED);
	return next;
}

/* Files are opened and closed by few threads and rarely; a slot is taken by one exchange. */
struct pario_mpi_file *pario_mpi_file(uint64_t handle, bool add)
{
	static struct pario_mpi_file unknown;

	for (uint64_t i = 0; handle && i < FILES; i++) {
		struct pario_mpi_file *f = &files[(handle / 16 + i) % FILES];
		uint64_t there = __atomic_load_n(&f->handle, __ATOMIC_ACQUIRE);

		if (there == handle)
			return f;
		if (add && (there == 0 || there == PARIO_MPI_CLOSED) &&
		    __atomic_compare_exchange_n(&f->handle, &there, handle, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return f;
		if (!add && there == 0)
			break;
	}
	memset(&unknown, 0, sizeof(unknown));
	unknown.etype = 1;
	return &unknown;
}

uint64_t pario_mpi_type_bytes(MPI_Datatype type)
{
	static struct pario_symbol symbol = { "PMPI_Type_size_x", NULL };
	int (*size)(MPI_Datatype, MPI_Count *) =
		(int (*)(MPI_Datatype, MPI_Count *))pario_next(&symbol);
	MPI_Count bytes = 0;

#if defined(OMPI_MAJOR_VERSION)
	if (!type)
		return 0;
#else
	if (type == MPI_DATATYPE_NULL)
		return 0;
#endif
	if (!size || size(type, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	return (uint64_t)bytes;
}

int64_t pario_mpi_status_bytes(const MPI_Status *status)
{
	static struct pario_symbol symbol = { "PMPI_Get_elements_x", NULL };
	int (*elements)(const MPI_Status *, MPI_Datatype, MPI_Count *) =
		(int (*)(const MPI_Status *, MPI_Datatype, MPI_Count *))pario_next(&symbol);
	MPI_Count bytes = 0;

	if (!elements || elements(status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
		return -1;
	return bytes;
}

/* Memory for the time of a call: no allocator may be in the way. NULL when there is none. */
void *pario_mpi_memory(size_t bytes)
{
	long p = pario_raw6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

void pario_mpi_memory_free(void *memory, size_t bytes)
{
	if (memory)
		pario_raw3(SYS_munmap, (long)memory, (long)bytes, 0);
}
