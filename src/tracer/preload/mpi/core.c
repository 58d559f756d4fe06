/*
 * core: finds MPI's functions, remembers open files, has memory that is not the program's. It records no call.
 */
#include "tracer/preload/mpi/mpi.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/preload/raw.h"

enum { FILES = 1024 };

static struct pario_mpi_file files[FILES];

__thread unsigned pario_mpi_inside;

/* An MPI that the program loaded itself (Python) is not behind us in the order of search. */
static void *in_library(const char *name)
{
	static const char *const libraries[] = {
#if defined(OMPI_MAJOR_VERSION)
		"libmpi.so.40",
#else
		"libmpich.so.12",
		"libmpi.so.12",
#endif
	};

	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *mpi = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		if (mpi)
			return dlsym(mpi, name);
	}
	return NULL;
}

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
	if (!next)
		next = in_library(symbol->name);
	errno = error;
	__atomic_store_n(&symbol->next, next, __ATOMIC_RELAXED);
	return next;
}

#if defined(OMPI_MAJOR_VERSION)
static bool look_up(struct pario_mpi_names *n)
{
	const struct {
		const char *name;
		void **to;
	} objects[] = {
		{ "ompi_mpi_comm_world", (void **)&n->world },
		{ "ompi_mpi_comm_self", (void **)&n->self },
		{ "ompi_mpi_comm_null", (void **)&n->no_comm },
		{ "ompi_mpi_byte", (void **)&n->byte },
		{ "ompi_mpi_datatype_null", (void **)&n->no_type },
		{ "ompi_request_null", (void **)&n->no_request },
		{ "ompi_mpi_info_null", (void **)&n->no_info },
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		*objects[i].to = dlsym(RTLD_DEFAULT, objects[i].name);
		if (!*objects[i].to)
			*objects[i].to = in_library(objects[i].name);
		if (!*objects[i].to)
			return false;
	}
	return true;
}
#else
static bool look_up(struct pario_mpi_names *n)
{
	*n = (struct pario_mpi_names){ MPI_COMM_WORLD,	  MPI_COMM_SELF,    MPI_COMM_NULL, MPI_BYTE,
				       MPI_DATATYPE_NULL, MPI_REQUEST_NULL, MPI_INFO_NULL };
	return true;
}
#endif

/* Only called when MPI is there; threads that come at once find the same. */
const struct pario_mpi_names *pario_mpi_names(void)
{
	static struct pario_mpi_names names;
	static bool known;
	struct pario_mpi_names found;
	int error = errno;

	if (__builtin_expect(__atomic_load_n(&known, __ATOMIC_ACQUIRE), 1))
		return &names;
	if (look_up(&found)) {
		names = found;
		__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	}
	errno = error;
	return &names;
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

	if (type == pario_mpi_names()->no_type || !pario_mpi_names()->byte || !size ||
	    size(type, &bytes) != MPI_SUCCESS || bytes < 0)
		return 0;
	return (uint64_t)bytes;
}

int64_t pario_mpi_status_bytes(const MPI_Status *status)
{
	static struct pario_symbol symbol = { "PMPI_Get_elements_x", NULL };
	int (*elements)(const MPI_Status *, MPI_Datatype, MPI_Count *) =
		(int (*)(const MPI_Status *, MPI_Datatype, MPI_Count *))pario_next(&symbol);
	MPI_Count bytes = 0;

	if (!pario_mpi_names()->byte || !elements ||
	    elements(status, pario_mpi_names()->byte, &bytes) != MPI_SUCCESS || bytes < 0)
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
