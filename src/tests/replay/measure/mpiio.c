/*
 * mpiio: MPI-IO calls as MPI-IO calls, with the amodes, hints and views of the trace, on files below the tree.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tests/replay/measure/mpi.h"

enum { HANDLES = 65536, BLOCKS = 1 << 24 /* of a view */ };

static struct pario_replay_handle *handle_of(struct pario_replay_mpi *m, int32_t number)
{
	if (number < 0 || (uint32_t)number >= m->handle_capacity || !m->handles[number].open)
		return NULL;
	return &m->handles[number];
}

static void let_go(struct pario_replay_handle *h)
{
	if (h->type != MPI_DATATYPE_NULL)
		MPI_Type_free(&h->type);
	free(h->split);
	*h = (struct pario_replay_handle){ .type = MPI_DATATYPE_NULL };
}

void pario_replay_mpiio_close(struct pario_replay_mpi *m)
{
	for (uint32_t i = 0; i < m->handle_capacity; i++) {
		if (!m->handles[i].open)
			continue;
		MPI_File_close(&m->handles[i].file);
		let_go(&m->handles[i]);
	}
	free(m->handles);
	m->handles = NULL;
	m->handle_capacity = 0;
}

static MPI_Info info_of(struct pario_replay_actor *a, uint32_t number)
{
	const char *text =
		number ? pario_trace_hints_of(a->replay->trace, a->process->number, number) : NULL;
	char key[MPI_MAX_INFO_KEY], value[512];
	MPI_Info info = MPI_INFO_NULL;

	for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t length = strcspn(text, "\n"), name = strcspn(text, "=");

		if (name >= length || name >= sizeof(key) || length - name > sizeof(value))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)name, text);
		snprintf(value, sizeof(value), "%.*s", (int)(length - name - 1), text + name + 1);
		/* no path of the original is used, nor one that a stranger made up: ROMIO's e10_cache_path, say */
		if (strchr(value, '/'))
			continue;
		if (info == MPI_INFO_NULL)
			MPI_Info_create(&info);
		MPI_Info_set(info, key, value);
	}
	return info;
}

static int answer(const struct pario_replay_actor *a, int rc)
{
	(void)a;
	return rc == MPI_SUCCESS ? PARIO_MADE : PARIO_FAILED_HERE;
}

/* ---- files ---- */

static int open_file(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_mpi *m = a->process->mpi;
	MPI_Comm comm = pario_replay_comm_of(a, call->arguments.mpi_open.comm);
	char place[PARIO_PLACE_CAPACITY], path[2 * PARIO_PATH_CAPACITY];
	MPI_Info info;
	MPI_File file;
	void *grown;
	int rc;

	if (comm == MPI_COMM_NULL || !pario_replay_path(a, call->file, place) || call->fd < 0 ||
	    call->fd >= HANDLES)
		return pario_left(PARIO_LEFT_UNKNOWN);
	grown = pario_map_grow(m->handles, &m->handle_capacity, (uint32_t)call->fd,
			       sizeof(*m->handles));
	if (!grown)
		return pario_left(PARIO_LEFT_LIBRARY);
	m->handles = grown;
	snprintf(path, sizeof(path), "%s/%s", a->replay->tree_path, place);
	info = info_of(a, call->arguments.mpi_open.hints);
	a->t0 = pario_run_now();
	rc = MPI_File_open(comm, path, (int)call->arguments.mpi_open.amode & ~MPI_MODE_UNIQUE_OPEN,
			   info, &file);
	a->t1 = pario_run_now();
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
	if (rc == MPI_SUCCESS)
		m->handles[call->fd] = (struct pario_replay_handle){
			.file = file, .type = MPI_DATATYPE_NULL, .etype = 1, .open = true
		};
	return answer(a, rc);
}

static int delete_file(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	char place[PARIO_PLACE_CAPACITY], path[2 * PARIO_PATH_CAPACITY];
	int rc;

	if (!pario_replay_path(a, call->file, place))
		return pario_left(PARIO_LEFT_UNKNOWN);
	snprintf(path, sizeof(path), "%s/%s", a->replay->tree_path, place);
	a->t0 = pario_run_now();
	rc = MPI_File_delete(path, MPI_INFO_NULL);
	a->t1 = pario_run_now();
	return answer(a, rc);
}

/* Asked before: a collective call that fails on one rank alone keeps the others waiting. */
bool pario_replay_has_pointers(const struct pario_replay *r)
{
	char path[2 * PARIO_PATH_CAPACITY], byte = 0;
	int good, all;
	MPI_File file;

	snprintf(path, sizeof(path), "%s/.pario-pointer", r->tree_path);
	good = MPI_File_open(r->run->comm, path,
			     MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
			     MPI_INFO_NULL, &file) == MPI_SUCCESS;
	MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, r->run->comm);
	if (!all)
		return false;
	good = MPI_File_write_shared(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS;
	MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, r->run->comm);
	MPI_File_close(&file);
	return all;
}

/* ---- views ---- */

/* Blocks of a view as a type; its extent is that of the original. */
static MPI_Datatype type_of(const struct pario_trace_view *v)
{
	MPI_Datatype runs, type = MPI_DATATYPE_NULL;
	MPI_Aint *places;
	int *lengths, n = 0;
	uint64_t blocks = 0;

	for (uint32_t i = 0; i < v->run_count && blocks <= BLOCKS; i++) {
		if (v->runs[i].length > INT_MAX || v->runs[i].count > BLOCKS)
			return MPI_DATATYPE_NULL;
		blocks += v->runs[i].count;
	}
	if (!v->whole || blocks == 0 || blocks > BLOCKS)
		return MPI_DATATYPE_NULL;
	places = malloc(blocks * sizeof(*places));
	lengths = malloc(blocks * sizeof(*lengths));
	for (uint32_t i = 0; places && lengths && i < v->run_count; i++) {
		for (uint64_t k = 0; k < v->runs[i].count; k++, n++) {
			places[n] = (MPI_Aint)(v->runs[i].from + (int64_t)k * v->runs[i].step);
			lengths[n] = (int)v->runs[i].length;
		}
	}
	if (places && lengths &&
	    MPI_Type_create_hindexed(n, lengths, places, MPI_BYTE, &runs) == MPI_SUCCESS) {
		MPI_Type_create_resized(runs, (MPI_Aint)v->lower, (MPI_Aint)v->extent, &type);
		MPI_Type_free(&runs);
		MPI_Type_commit(&type);
	}
	free(places);
	free(lengths);
	return type;
}

static int set_view(struct pario_replay_actor *a, const struct pario_trace_call *call,
		    struct pario_replay_handle *h)
{
	const struct pario_trace_view *v = pario_trace_view_of(a->replay->trace, a->process->number,
							       call->arguments.mpi_view.view);
	uint32_t bytes = call->arguments.mpi_view.etype ? call->arguments.mpi_view.etype : 1;
	MPI_Datatype type = v ? type_of(v) : MPI_DATATYPE_NULL, etype = MPI_BYTE;
	MPI_Info info;
	int rc;

	if (v && type == MPI_DATATYPE_NULL)
		return pario_left(PARIO_LEFT_LIBRARY);
	if (bytes > 1) {
		MPI_Type_contiguous((int)bytes, MPI_BYTE, &etype);
		MPI_Type_commit(&etype);
	}
	info = info_of(a, call->arguments.mpi_view.hints);
	a->t0 = pario_run_now();
	rc = MPI_File_set_view(h->file, (MPI_Offset)call->offset, etype,
			       type == MPI_DATATYPE_NULL ? etype : type, "native", info);
	a->t1 = pario_run_now();
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
	if (bytes > 1)
		MPI_Type_free(&etype);
	if (h->type != MPI_DATATYPE_NULL)
		MPI_Type_free(&h->type);
	h->type = type;
	h->displacement = call->offset;
	h->etype = bytes;
	return answer(a, rc);
}

/* ---- transfers ---- */

/* By operation: does the call give its place, is it collective, does it only start? */
static int transfer_at(uint16_t op, MPI_File f, MPI_Offset at, char *b, int n, MPI_Request *q)
{
	switch (op) {
#define CASE(name, ...)                \
	case PARIO_OP_MPI_File_##name: \
		return MPI_File_##name(f, __VA_ARGS__);
		CASE(read_at, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(read_at_all, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write_at, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write_at_all, at, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(read, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(read_all, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write_all, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(read_shared, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write_shared, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(read_ordered, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(write_ordered, b, n, MPI_BYTE, MPI_STATUS_IGNORE)
		CASE(iread, b, n, MPI_BYTE, q)
		CASE(iwrite, b, n, MPI_BYTE, q)
		CASE(iread_at, at, b, n, MPI_BYTE, q)
		CASE(iwrite_at, at, b, n, MPI_BYTE, q)
		CASE(iread_all, b, n, MPI_BYTE, q)
		CASE(iwrite_all, b, n, MPI_BYTE, q)
		CASE(iread_at_all, at, b, n, MPI_BYTE, q)
		CASE(iwrite_at_all, at, b, n, MPI_BYTE, q)
		CASE(iread_shared, b, n, MPI_BYTE, q)
		CASE(iwrite_shared, b, n, MPI_BYTE, q)
		CASE(read_all_begin, b, n, MPI_BYTE)
		CASE(write_all_begin, b, n, MPI_BYTE)
		CASE(read_at_all_begin, at, b, n, MPI_BYTE)
		CASE(write_at_all_begin, at, b, n, MPI_BYTE)
		CASE(read_ordered_begin, b, n, MPI_BYTE)
		CASE(write_ordered_begin, b, n, MPI_BYTE)
#undef CASE
	default:
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
}

static int finish_split(uint16_t op, struct pario_replay_handle *h)
{
	MPI_Status status;
	int rc;

	switch (op) {
#define CASE(name)                                                \
	case PARIO_OP_MPI_File_##name:                            \
		rc = MPI_File_##name(h->file, h->split, &status); \
		break;
		CASE(read_all_end)
		CASE(write_all_end)
		CASE(read_at_all_end)
		CASE(write_at_all_end)
		CASE(read_ordered_end)
		CASE(write_ordered_end)
#undef CASE
	default:
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
	free(h->split);
	h->split = NULL;
	return rc;
}

static bool only_starts(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_File_read_all_begin:
	case PARIO_OP_MPI_File_write_all_begin:
	case PARIO_OP_MPI_File_read_at_all_begin:
	case PARIO_OP_MPI_File_write_at_all_begin:
	case PARIO_OP_MPI_File_read_ordered_begin:
	case PARIO_OP_MPI_File_write_ordered_begin:
		return true;
	default:
		return false;
	}
}

static int transfer(struct pario_replay_actor *a, const struct pario_trace_call *call,
		    struct pario_replay_handle *h)
{
	bool write = call->class == PARIO_CLASS_WRITE;
	uint64_t all = pario_replay_bytes(a, call->size, write),
		 bytes = all < INT_MAX ? all : INT_MAX;
	uint32_t request = call->arguments.kind == PARIO_ARGUMENTS_MPI_TRANSFER
				   ? call->arguments.mpi_transfer.request
				   : 0;
	MPI_Offset at = call->offset == PARIO_TRACE_NOWHERE || call->offset < h->displacement
				? 0
				: (MPI_Offset)((call->offset - h->displacement) / h->etype);
	bool kept = request || only_starts(call->op);
	char *memory = kept    ? malloc(bytes + 1)
		       : write ? pario_replay_data(a, bytes)
			       : pario_replay_memory(a, bytes);
	MPI_Request q = MPI_REQUEST_NULL;
	int rc;

	if (!memory)
		return pario_left(PARIO_LEFT_LIBRARY);
	if (kept && write)
		memcpy(memory, pario_replay_data(a, bytes), bytes);
	a->t0 = pario_run_now();
	rc = transfer_at(call->op, h->file, at, memory, (int)bytes, &q);
	a->t1 = pario_run_now();
	if (request)
		pario_replay_request_add(a->process->mpi, request, q, memory, false);
	else if (kept)
		h->split = memory;
	return answer(a, rc);
}

/* ---- the rest ---- */

static int on_handle(struct pario_replay_actor *a, const struct pario_trace_call *call,
		     struct pario_replay_handle *h)
{
	MPI_Offset size;
	int rc = MPI_SUCCESS;

	a->t0 = pario_run_now();
	switch (call->op) {
	case PARIO_OP_MPI_File_close:
		rc = MPI_File_close(&h->file);
		break;
	case PARIO_OP_MPI_File_set_size:
		rc = MPI_File_set_size(h->file, (MPI_Offset)call->size);
		break;
	case PARIO_OP_MPI_File_preallocate:
		rc = MPI_File_preallocate(h->file, (MPI_Offset)call->size);
		break;
	case PARIO_OP_MPI_File_get_size:
		rc = MPI_File_get_size(h->file, &size);
		break;
	case PARIO_OP_MPI_File_sync:
		rc = MPI_File_sync(h->file);
		break;
	case PARIO_OP_MPI_File_set_atomicity:
		rc = MPI_File_set_atomicity(h->file, call->arguments.flags.value != 0);
		break;
	case PARIO_OP_MPI_File_seek:
		rc = MPI_File_seek(h->file, call->arguments.seek.by,
				   call->arguments.seek.whence == 1   ? MPI_SEEK_CUR
				   : call->arguments.seek.whence == 2 ? MPI_SEEK_END
								      : MPI_SEEK_SET);
		break;
	case PARIO_OP_MPI_File_seek_shared:
		rc = MPI_File_seek_shared(h->file, call->arguments.seek.by,
					  call->arguments.seek.whence == 1   ? MPI_SEEK_CUR
					  : call->arguments.seek.whence == 2 ? MPI_SEEK_END
									     : MPI_SEEK_SET);
		break;
	default:
		return PARIO_NEEDLESS;
	}
	a->t1 = pario_run_now();
	if (call->op == PARIO_OP_MPI_File_close)
		let_go(h);
	return answer(a, rc);
}

int pario_replay_mpiio(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_handle *h;
	int rc;

	if (call->op == PARIO_OP_MPI_File_open)
		return open_file(a, call);
	if (call->op == PARIO_OP_MPI_File_delete)
		return delete_file(a, call);
	if (a->replay->no_pointers && pario_replay_by_pointer(call->op))
		return pario_left(PARIO_LEFT_LIBRARY);
	h = handle_of(a->process->mpi, call->fd);
	if (!h)
		return pario_left(PARIO_LEFT_UNKNOWN);
	if (call->op == PARIO_OP_MPI_File_set_view)
		return set_view(a, call, h);
	if (call->class == PARIO_CLASS_READ || call->class == PARIO_CLASS_WRITE)
		return transfer(a, call, h);
	if (call->class == PARIO_CLASS_WAIT && h->split) {
		a->t0 = pario_run_now();
		rc = finish_split(call->op, h);
		a->t1 = pario_run_now();
		return answer(a, rc);
	}
	return on_handle(a, call, h);
}
