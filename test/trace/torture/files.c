/*
 * files: MPI-IO with files that are none, views of every kind of type, hints, and transfers of nothing.
 */
#include "torture.h"

#include <stdio.h>
#include <string.h>

static MPI_File f;
static MPI_Request q;
static MPI_Status s;

/* How much there was of it. */
static void amount(void)
{
	int bytes = 0;

	MPI_Get_count(&s, MPI_BYTE, &bytes);
	torture_note("bytes", bytes);
}

#define WAITED(call)                          \
	do {                                  \
		q = MPI_REQUEST_NULL;         \
		if (T(call) == MPI_SUCCESS) { \
			T(MPI_Wait(&q, &s));  \
			amount();             \
		}                             \
	} while (0)
#define ENDED(begin, end)                    \
	do {                                 \
		if (T(begin) == MPI_SUCCESS) \
			T(end);              \
	} while (0)

/* Every way to move data, with the pointer of the file's own, of all, or an offset; done, begun, or split. */
#define MOVES(verb, suffix, n, t)                                                           \
	do {                                                                                \
		if (T(MPI_File_##verb##suffix(f, x, n, t, &s)) == MPI_SUCCESS)              \
			amount();                                                           \
		T(MPI_File_##verb##suffix(f, x, n, t, MPI_STATUS_IGNORE));                  \
		T(MPI_File_##verb##_all##suffix(f, x, n, t, MPI_STATUS_IGNORE));            \
		T(MPI_File_##verb##_at##suffix(f, 0, x, n, t, MPI_STATUS_IGNORE));          \
		T(MPI_File_##verb##_at##suffix(f, 0, MPI_BOTTOM, 0, t, MPI_STATUS_IGNORE)); \
		T(MPI_File_##verb##_at##suffix(f, -1, x, n, t, MPI_STATUS_IGNORE));         \
		T(MPI_File_##verb##_at_all##suffix(f, 0, x, n, t, MPI_STATUS_IGNORE));      \
		T(MPI_File_##verb##_shared##suffix(f, x, n, t, MPI_STATUS_IGNORE));         \
		T(MPI_File_##verb##_ordered##suffix(f, x, n, t, MPI_STATUS_IGNORE));        \
		WAITED(MPI_File_i##verb##suffix(f, x, n, t, &q));                           \
		WAITED(MPI_File_i##verb##_all##suffix(f, x, n, t, &q));                     \
		WAITED(MPI_File_i##verb##_at##suffix(f, 0, x, n, t, &q));                   \
		WAITED(MPI_File_i##verb##_at_all##suffix(f, 0, x, n, t, &q));               \
		WAITED(MPI_File_i##verb##_shared##suffix(f, x, n, t, &q));                  \
		ENDED(MPI_File_##verb##_all_begin##suffix(f, x, n, t),                      \
		      MPI_File_##verb##_all_end(f, x, MPI_STATUS_IGNORE));                  \
		ENDED(MPI_File_##verb##_at_all_begin##suffix(f, 0, x, n, t),                \
		      MPI_File_##verb##_at_all_end(f, x, &s));                              \
		ENDED(MPI_File_##verb##_ordered_begin##suffix(f, x, n, t),                  \
		      MPI_File_##verb##_ordered_end(f, x, MPI_STATUS_IGNORE));              \
	} while (0)

static void moves(int n, MPI_Datatype t)
{
	MOVES(write, , n, t);
	MOVES(read, , n, t);
#if MPI_VERSION >= 4
	MOVES(write, _c, n, t);
	MOVES(read, _c, n, t);
#endif
}

static void asked(void)
{
	MPI_Offset n;
	MPI_Group group;
	MPI_Info info;
	MPI_Datatype etype, type;
	MPI_Aint extent;
	char name[MPI_MAX_DATAREP_STRING];
	int is;

	T(MPI_File_get_size(f, &n));
	if (T(MPI_File_get_group(f, &group)) == MPI_SUCCESS)
		MPI_Group_free(&group);
	T(MPI_File_get_amode(f, &is));
	if (T(MPI_File_get_info(f, &info)) == MPI_SUCCESS)
		MPI_Info_free(&info);
	T(MPI_File_set_info(f, MPI_INFO_NULL));
	T(MPI_File_get_view(f, &n, &etype, &type, name));
	T(MPI_File_get_position(f, &n));
	T(MPI_File_get_position_shared(f, &n));
	T(MPI_File_get_byte_offset(f, 1, &n));
	T(MPI_File_get_type_extent(f, MPI_INT, &extent));
	T(MPI_File_get_type_extent(f, MPI_DATATYPE_NULL, &extent));
#if MPI_VERSION >= 4
	T(MPI_File_get_type_extent_c(f, MPI_INT, &(MPI_Count){ 0 }));
#endif
	T(MPI_File_get_atomicity(f, &is));
	T(MPI_File_set_atomicity(f, 0));
	T(MPI_File_set_size(f, 4096));
	T(MPI_File_set_size(f, -1));
	T(MPI_File_preallocate(f, 4096));
	T(MPI_File_seek(f, 0, MPI_SEEK_SET));
	T(MPI_File_seek(f, -99999, MPI_SEEK_CUR));
	T(MPI_File_seek(f, 0, ABSENT));
	T(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	T(MPI_File_sync(f));
}

static void view(MPI_Datatype etype, MPI_Datatype type)
{
	T(MPI_File_set_view(f, 0, etype, type, "native", MPI_INFO_NULL));
}

/* Types of types, of the language's, and some that their maker has freed already. */
static void views(void)
{
	MPI_Datatype real, pair, outer, inner, line;

	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &real);
	MPI_Type_contiguous(2, real, &pair);
	MPI_Type_dup(vector, &inner);
	MPI_Type_create_resized(inner, 0, 64, &outer);
	MPI_Type_free(&inner);
	MPI_Type_contiguous(2, MPI_INT, &line);
	MPI_Type_commit(&pair);
	MPI_Type_commit(&outer);
	MPI_Type_commit(&line);
	view(MPI_INT, outer);
	view(real, pair);
	view(real, real);
	view(line, line);
	view(MPI_INT, vector);
#if MPI_VERSION >= 4
	MPI_Datatype large, within;

	MPI_Type_contiguous_c(2, MPI_INT, &large);
	MPI_Type_contiguous(2, large, &within);
	MPI_Type_commit(&within);
	view(MPI_INT, within);
	MPI_Type_free(&large);
	view(MPI_INT, within);
	MPI_Type_free(&within);
#endif
	view(MPI_DATATYPE_NULL, MPI_DATATYPE_NULL);
	view(MPI_INT, MPI_DATATYPE_NULL);
	T(MPI_File_set_view(f, -1, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	T(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "nonsense", MPI_INFO_NULL));
	view(MPI_BYTE, MPI_BYTE);
	MPI_Type_free(&pair);
	MPI_Type_free(&outer);
	MPI_Type_free(&line);
}

static void opened(const char *name, MPI_Info info)
{
	f = MPI_FILE_NULL;
	T(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
}

static void not_opened(const char *name)
{
	f = MPI_FILE_NULL;
	T(MPI_File_open(MPI_COMM_NULL, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	T(MPI_File_open(comm, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &f));
	T(MPI_File_open(comm, name, 0, MPI_INFO_NULL, &f));
}

/* Nothing is asked of a file that is none, and that is an error of each call. */
static void none(void)
{
	f = MPI_FILE_NULL;
	asked();
	moves(1, MPI_INT);
	view(MPI_BYTE, MPI_BYTE);
	T(MPI_File_close(&f));
	T(MPI_File_close(NULL));
	T(MPI_File_read_all_end(f, x, MPI_STATUS_IGNORE));
	T(MPI_File_read_at_all_end(f, x, MPI_STATUS_IGNORE));
	T(MPI_File_read_ordered_end(f, x, MPI_STATUS_IGNORE));
	T(MPI_File_write_all_end(f, x, MPI_STATUS_IGNORE));
	T(MPI_File_write_at_all_end(f, x, MPI_STATUS_IGNORE));
	T(MPI_File_write_ordered_end(f, x, MPI_STATUS_IGNORE));
}

static int extent_of(MPI_Datatype t, MPI_Aint *extent, void *with)
{
	(void)t, (void)extent, (void)with;
	return MPI_SUCCESS;
}

static void representations(void)
{
	T(MPI_Register_datarep("tortured", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
			       extent_of, NULL));
	T(MPI_Register_datarep("tortured", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL,
			       extent_of, NULL));
#if MPI_VERSION >= 4
	T(MPI_Register_datarep_c("tortured too", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C,
				 extent_of, NULL));
#endif
}

void torture_files(const char *directory)
{
	char name[4096];
	MPI_Info info;

	snprintf(name, sizeof(name), "%s/tortured", directory);
	MPI_Info_create(&info);
	opened(name, info);
	MPI_Info_set(info, "cb_nodes", "1");
	T(MPI_File_set_info(f, info));
	MPI_Info_free(&info);
	asked();
	moves(4, MPI_INT);
	moves(0, MPI_INT);
	moves(1, vector);
	moves(1, MPI_DATATYPE_NULL);
	moves(-1, MPI_INT);
	views();
	T(MPI_File_close(&f));
	MPI_Barrier(comm);
	if (rank == 0)
		T(MPI_File_delete(name, MPI_INFO_NULL));
	T(MPI_File_delete("/nowhere/at/all", MPI_INFO_NULL));
	not_opened(name);
	none();
	representations();
}
