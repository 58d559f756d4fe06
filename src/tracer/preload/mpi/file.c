/*
 * file: wrappers of the MPI-IO calls: each calls the library, records, and returns what the library said.
 */
#include "tracer/preload/mpi/mpi.h"

#include <string.h>

/* "ufs:/path" is /path; a colon after a directory belongs to the name. */
static const char *plain_name(const char *name)
{
	const char *colon = strchr(name, ':'), *slash = strchr(name, '/');

	return colon && (!slash || colon < slash) && colon - name > 1 ? colon + 1 : name;
}

/* Which hints a call was given, behind whatever else `more` says. */
static void hinted(struct pario_call *c, MPI_Info info, int r)
{
	pario_mpi_answered(c, r);
	if (r == MPI_SUCCESS)
		c->more |= (uint64_t)pario_mpi_hints(info) << 32;
}

static void named(struct pario_call *c, const char *name)
{
	c->file = pario_file_of_path(-100, name ? plain_name(name) : NULL);
}

static void opened(struct pario_call *c, MPI_Comm comm, const char *name, int mode, MPI_Info info,
		   MPI_File *file, int r)
{
	static int numbers;
	struct pario_mpi_file *f;

	named(c, name);
	c->arg = (uint32_t)mode;
	c->more = (uint32_t)(r == MPI_SUCCESS ? pario_mpi_comm(comm) : pario_mpi_comm_known(comm));
	hinted(c, info, r);
	if (r != MPI_SUCCESS)
		return;
	f = pario_mpi_file(PARIO_HANDLE(*file), true);
	f->file = c->file;
	f->number = c->fd = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	f->displacement = f->at = 0;
	f->etype = 1;
}

/* Its handle may be another one's as soon as it is closed: it is forgotten before. */
static struct pario_mpi_file closing(struct pario_call *c, const MPI_File *file)
{
	struct pario_mpi_file *f = pario_mpi_file(file ? PARIO_HANDLE(*file) : 0, false), was = *f;

	c->file = f->file;
	c->fd = f->file ? f->number : PARIO_TRACE_NO_FD;
	f->file = 0;
	__atomic_store_n(&f->handle, PARIO_MPI_CLOSED, __ATOMIC_RELEASE);
	return was;
}

static void closed(struct pario_call *c, struct pario_mpi_file was, int r)
{
	struct pario_mpi_file *f;

	pario_mpi_answered(c, r);
	if (r == MPI_SUCCESS || !was.file)
		return;
	f = pario_mpi_file(was.handle, true);
	f->file = was.file;
	f->number = was.number;
	f->displacement = was.displacement;
	f->etype = was.etype;
	f->at = was.at;
}

static struct pario_mpi_file *of(struct pario_call *c, MPI_File file)
{
	struct pario_mpi_file *f = pario_mpi_file(PARIO_HANDLE(file), false);

	c->file = f->file;
	c->fd = f->file ? f->number : PARIO_TRACE_NO_FD;
	return f;
}

static void plain(struct pario_call *c, MPI_File file, int r)
{
	of(c, file);
	pario_mpi_answered(c, r);
}

static void viewed(struct pario_call *c, MPI_File file, MPI_Offset displacement, MPI_Datatype etype,
		   MPI_Datatype type, MPI_Info info, int r)
{
	struct pario_mpi_file *f = of(c, file);

	c->offset = (uint64_t)displacement;
	hinted(c, info, r);
	if (r == MPI_SUCCESS)
		c->arg = (uint32_t)pario_mpi_type_bytes(etype);
	if (r != MPI_SUCCESS || !f->file)
		return;
	c->size = pario_mpi_view(etype, type);
	f->displacement = (uint64_t)displacement;
	f->etype = c->arg;
	f->at = 0;
}

/* A seek as the trace says it, whatever this MPI's numbers are. */
static void asked(struct pario_call *c, MPI_Offset by, int whence)
{
	c->arg = whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? 1 : 2;
	c->more = (uint64_t)by;
}

static void sought(struct pario_call *c, MPI_File file, MPI_Offset by, int whence, int r)
{
	struct pario_mpi_file *f = of(c, file);

	asked(c, by, whence);
	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS)
		return;
	if (whence == MPI_SEEK_SET)
		f->at = (uint64_t)by;
	else if (whence == MPI_SEEK_CUR && f->at != PARIO_TRACE_NOWHERE)
		f->at += (uint64_t)by;
	else
		f->at = PARIO_TRACE_NOWHERE;
	if (f->at != PARIO_TRACE_NOWHERE)
		c->offset = f->displacement + f->at * f->etype;
}

enum where { AT, HERE, SHARED };

/* A transfer of `count` elements at `offset` etypes, at the individual pointer, or at the shared one. */
static void begins(struct pario_call *c, MPI_File file, enum where where, MPI_Offset offset,
		   uint64_t count, MPI_Datatype type, int r)
{
	struct pario_mpi_file *f = of(c, file);
	uint64_t at = where == AT ? (uint64_t)offset : f->at;

	if (r == MPI_SUCCESS && count > 0)
		c->size = count * pario_mpi_type_bytes(type);
	else if (type == pario_mpi_names()->byte) /* which needs no question */
		c->size = count;
	if (where == SHARED || !f->file || at == PARIO_TRACE_NOWHERE)
		return;
	c->offset = f->displacement + at * f->etype;
	if (where == HERE && f->etype && r == MPI_SUCCESS)
		f->at += c->size / f->etype;
}

/* A transfer that is over: its status says how much of it there was. */
static void moved(struct pario_call *c, MPI_File file, enum where where, MPI_Offset offset,
		  uint64_t count, MPI_Datatype type, const MPI_Status *status, int r)
{
	int64_t bytes;

	begins(c, file, where, offset, count, type, r);
	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS)
		return;
	bytes = pario_mpi_status_bytes(status);
	pario_result(c, bytes < 0 ? (long)c->size : (long)bytes);
	if (bytes < 0 || (uint64_t)bytes == c->size)
		c->flags |= PARIO_TRACE_WHOLE;
}

/* clang-format off */

#define IO(name, op, params, args, before, after) \
	PARIO_MPI(name, op, MPIIO, params, args, before, after)
#define FILE_CALL(name, params, args) IO(name, name, params, args, , plain(&c, f, r))

IO(MPI_File_open, MPI_File_open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *f),
   (comm, name, mode, info, f), , opened(&c, comm, name, mode, info, f, r))
IO(MPI_File_close, MPI_File_close, (MPI_File *f), (f), struct pario_mpi_file was = closing(&c, f), closed(&c, was, r))
IO(MPI_File_delete, MPI_File_delete, (const char *name, MPI_Info info), (name, info), ,
   (named(&c, name), hinted(&c, info, r)))
IO(MPI_File_set_size, MPI_File_set_size, (MPI_File f, MPI_Offset n), (f, n), , (c.size = (uint64_t)n, plain(&c, f, r)))
IO(MPI_File_preallocate, MPI_File_preallocate, (MPI_File f, MPI_Offset n), (f, n), , (c.size = (uint64_t)n, plain(&c, f, r)))
IO(MPI_File_set_view, MPI_File_set_view,
   (MPI_File f, MPI_Offset from, MPI_Datatype etype, MPI_Datatype type, const char *rep, MPI_Info info),
   (f, from, etype, type, rep, info), , viewed(&c, f, from, etype, type, info, r))
IO(MPI_File_seek, MPI_File_seek, (MPI_File f, MPI_Offset by, int whence), (f, by, whence), , sought(&c, f, by, whence, r))
FILE_CALL(MPI_File_get_size, (MPI_File f, MPI_Offset *n), (f, n))
FILE_CALL(MPI_File_get_group, (MPI_File f, MPI_Group *g), (f, g))
FILE_CALL(MPI_File_get_amode, (MPI_File f, int *mode), (f, mode))
IO(MPI_File_set_info, MPI_File_set_info, (MPI_File f, MPI_Info info), (f, info), , (of(&c, f), hinted(&c, info, r)))
FILE_CALL(MPI_File_get_info, (MPI_File f, MPI_Info *info), (f, info))
FILE_CALL(MPI_File_get_view, (MPI_File f, MPI_Offset *from, MPI_Datatype *etype, MPI_Datatype *type, char *rep),
	  (f, from, etype, type, rep))
IO(MPI_File_seek_shared, MPI_File_seek_shared, (MPI_File f, MPI_Offset by, int whence), (f, by, whence), ,
   (asked(&c, by, whence), plain(&c, f, r)))
FILE_CALL(MPI_File_get_position, (MPI_File f, MPI_Offset *at), (f, at))
FILE_CALL(MPI_File_get_position_shared, (MPI_File f, MPI_Offset *at), (f, at))
FILE_CALL(MPI_File_get_byte_offset, (MPI_File f, MPI_Offset at, MPI_Offset *to), (f, at, to))
FILE_CALL(MPI_File_get_type_extent, (MPI_File f, MPI_Datatype t, MPI_Aint *to), (f, t, to))
IO(MPI_File_set_atomicity, MPI_File_set_atomicity, (MPI_File f, int on), (f, on), , (c.arg = on != 0, plain(&c, f, r)))
FILE_CALL(MPI_File_get_atomicity, (MPI_File f, int *on), (f, on))
FILE_CALL(MPI_File_sync, (MPI_File f), (f))
IO(MPI_Register_datarep, MPI_Register_datarep,
   (const char *name, MPI_Datarep_conversion_function *read, MPI_Datarep_conversion_function *write,
    MPI_Datarep_extent_function *extent, void *with), (name, read, write, extent, with), , pario_mpi_answered(&c, r))

/*
 * The data calls: `op` is the name without a suffix for large counts. Each with the individual or shared pointer, or at
 * an offset; with a status, a request, or, for split ones, nothing at the end. Who ignores the status lets us have it.
 */
#define DATA(name, op, memory, number, where) \
	IO(name, op, (MPI_File f, memory *buf, number n, MPI_Datatype t, MPI_Status *s), (f, buf, n, t, s), \
	   MPI_Status own = { 0 }; if (s == MPI_STATUS_IGNORE) s = &own, moved(&c, f, where, 0, (uint64_t)n, t, s, r))
#define DATA_AT(name, op, memory, number) \
	IO(name, op, (MPI_File f, MPI_Offset at, memory *buf, number n, MPI_Datatype t, MPI_Status *s), (f, at, buf, n, t, s), \
	   MPI_Status own = { 0 }; if (s == MPI_STATUS_IGNORE) s = &own, moved(&c, f, AT, at, (uint64_t)n, t, s, r))

/* Those that only begin are recorded when they are over; a failure is over at once. */
#define STARTING(name, op_, params, args, describe, started) \
	PARIO_MPI_AS(name, op_, MPIIO, params, args, , describe; \
		if (r == MPI_SUCCESS) { \
			started; \
		} else { \
			pario_failed(&c, r); \
			pario_trace_put(&c); \
		})
#define LATER(name, op, memory, number, where) \
	STARTING(name, op, (MPI_File f, memory *buf, number n, MPI_Datatype t, MPI_Request *q), (f, buf, n, t, q), \
		 begins(&c, f, where, 0, (uint64_t)n, t, r), pario_mpi_started(&c, *q))
#define LATER_AT(name, op, memory, number) \
	STARTING(name, op, (MPI_File f, MPI_Offset at, memory *buf, number n, MPI_Datatype t, MPI_Request *q), \
		 (f, at, buf, n, t, q), begins(&c, f, AT, at, (uint64_t)n, t, r), pario_mpi_started(&c, *q))
#define BEGIN(name, op, memory, number, where) \
	STARTING(name, op, (MPI_File f, memory *buf, number n, MPI_Datatype t), (f, buf, n, t), \
		 begins(&c, f, where, 0, (uint64_t)n, t, r), pario_mpi_split(&c, f))
#define BEGIN_AT(name, op, memory, number) \
	STARTING(name, op, (MPI_File f, MPI_Offset at, memory *buf, number n, MPI_Datatype t), (f, at, buf, n, t), \
		 begins(&c, f, AT, at, (uint64_t)n, t, r), pario_mpi_split(&c, f))
#define END(name, memory) \
	IO(name, name, (MPI_File f, memory *buf, MPI_Status *s), (f, buf, s), \
	   MPI_Status own = { 0 }; if (s == MPI_STATUS_IGNORE) s = &own, pario_mpi_split_done(f, s, r); plain(&c, f, r))

#define DIRECTION(verb, memory, number, suffix) \
	DATA(MPI_File_##verb##suffix, MPI_File_##verb, memory, number, HERE) \
	DATA(MPI_File_##verb##_all##suffix, MPI_File_##verb##_all, memory, number, HERE) \
	DATA(MPI_File_##verb##_shared##suffix, MPI_File_##verb##_shared, memory, number, SHARED) \
	DATA(MPI_File_##verb##_ordered##suffix, MPI_File_##verb##_ordered, memory, number, SHARED) \
	DATA_AT(MPI_File_##verb##_at##suffix, MPI_File_##verb##_at, memory, number) \
	DATA_AT(MPI_File_##verb##_at_all##suffix, MPI_File_##verb##_at_all, memory, number) \
	LATER(MPI_File_i##verb##suffix, MPI_File_i##verb, memory, number, HERE) \
	LATER(MPI_File_i##verb##_all##suffix, MPI_File_i##verb##_all, memory, number, HERE) \
	LATER(MPI_File_i##verb##_shared##suffix, MPI_File_i##verb##_shared, memory, number, SHARED) \
	LATER_AT(MPI_File_i##verb##_at##suffix, MPI_File_i##verb##_at, memory, number) \
	LATER_AT(MPI_File_i##verb##_at_all##suffix, MPI_File_i##verb##_at_all, memory, number) \
	BEGIN(MPI_File_##verb##_all_begin##suffix, MPI_File_##verb##_all_begin, memory, number, HERE) \
	BEGIN(MPI_File_##verb##_ordered_begin##suffix, MPI_File_##verb##_ordered_begin, memory, number, SHARED) \
	BEGIN_AT(MPI_File_##verb##_at_all_begin##suffix, MPI_File_##verb##_at_all_begin, memory, number)
#define ENDS(verb, memory) \
	END(MPI_File_##verb##_all_end, memory) \
	END(MPI_File_##verb##_at_all_end, memory) \
	END(MPI_File_##verb##_ordered_end, memory)

DIRECTION(read, void, int, )
DIRECTION(write, const void, int, )
ENDS(read, void)
ENDS(write, const void)
#if MPI_VERSION >= 4
DIRECTION(read, void, MPI_Count, _c)
DIRECTION(write, const void, MPI_Count, _c)
IO(MPI_Register_datarep_c, MPI_Register_datarep,
   (const char *name, MPI_Datarep_conversion_function_c *read, MPI_Datarep_conversion_function_c *write,
    MPI_Datarep_extent_function *extent, void *with), (name, read, write, extent, with), , pario_mpi_answered(&c, r))
IO(MPI_File_get_type_extent_c, MPI_File_get_type_extent, (MPI_File f, MPI_Datatype t, MPI_Count *to), (f, t, to), ,
   plain(&c, f, r))
#endif

/* clang-format on */
