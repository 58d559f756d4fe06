/*
 * run_options: the option rows of how data are accessed; those of how a run goes are in settings.c.
 */
#include "engine/run_options.h"

#include "engine/test.h"

#define ACCESS(field, ...) PARIO_OPTION(struct pario_access, field, __VA_ARGS__)

static const char *const durabilities[] = { "sustained", "cached", NULL };
static const char *const starts[] = { "auto", "cold", "warm", NULL };

/* Every hint that the consortium's rule 6.5 names and those ROMIO and OMPIO document; others go by --hint. */
#define HINT(key, ...)                                          \
	{                                                       \
		.name = #key, .type = PARIO_TYPE_HINT,          \
		.offset = offsetof(struct pario_access, hints), \
		.size = sizeof(struct pario_hints), __VA_ARGS__ \
	}

const struct pario_option pario_access_options[] = {
	ACCESS(api, .def = "posix", .letter = 'a', .help = "backend; see pario list"),
	ACCESS(collective, .def = "0", .letter = 'c', .letter_value = "1",
	       .help = "all clients make each transfer together (mpiio, hdf5, pnetcdf)"),
	ACCESS(direct, .def = "0", .help = "bypass the page cache (O_DIRECT)"),
	ACCESS(sync, .def = "0", .letter = 'Y', .letter_value = "1",
	       .help = "every write is durable when it returns (O_SYNC)"),
	ACCESS(queue_depth, .def = "1", .min = "1", .max = "4096", .unit = "requests",
	       .help = "transfers in flight per client"),
	ACCESS(reuse_buffers, .def = "0",
	       .help = "every transfer from and to the same memory; else buffers of twice the last-level cache in"
		       " turn"),
	ACCESS(preallocate, .def = "0", .help = "reserve the file's space before it is written"),
	ACCESS(durability, .def = "sustained", .choices = durabilities,
	       .help = "sustained: writes end with fsync, reads start with nothing cached; cached: neither"),
	ACCESS(fdatasync, .def = "0",
	       .help = "sustained writes end with fdatasync instead of fsync: the data and the size are durable, times "
		       "need not be"),
	ACCESS(cache, .def = "auto", .choices = starts,
	       .help = "cache state of an existing file when a phase starts: cold = nothing cached, warm = as it "
		       "is; auto = cold, but warm for reads with --durability cached"),
	ACCESS(file_view, .def = "0",
	       .help = "mpiio: each client sees only its own blocks through a file view"),
	ACCESS(read_shift, .def = "auto",
	       .help = "read the data of the client this many numbers on; auto = a client of another node, where "
		       "there is one"),
	ACCESS(verify, .def = "1",
	       .help = "read back and compare everything that was written, in a pass of its own that is not "
		       "timed; 0 = only the size and a sample"),
	ACCESS(mpiio_impl, .def = "default", .choices = pario_mpiio_impls,
	       .flags = PARIO_OPTION_NO_SWEEP,
	       .help = "Open MPI's implementation of MPI-IO, also below HDF5 and PnetCDF"),
	HINT(hint, .help = "MPI-IO hint as key=value, any number of times",
	     .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_REPEAT),
	HINT(access_style, .flags = PARIO_OPTION_NO_SWEEP),
	HINT(cb_block_size),
	HINT(cb_buffer_size),
	HINT(cb_config_list, .flags = PARIO_OPTION_NO_SWEEP),
	HINT(cb_nodes),
	HINT(collective_buffering),
	HINT(direct_read),
	HINT(direct_write),
	HINT(ind_rd_buffer_size),
	HINT(ind_wr_buffer_size),
	HINT(ind_write_buffer_size),
	HINT(mpiio_coll_contiguous),
	HINT(mpiio_concurrency),
	HINT(nb_proc),
	HINT(num_io_nodes),
	HINT(pfs_svr_buf),
	HINT(romio_cb_alltoall),
	HINT(romio_cb_ds_threshold),
	HINT(romio_cb_fr_alignment),
	HINT(romio_cb_fr_types),
	HINT(romio_cb_pfr),
	HINT(romio_cb_read),
	HINT(romio_cb_write),
	HINT(romio_ds_read),
	HINT(romio_ds_write),
	HINT(romio_no_indep_rw),
	HINT(romio_synchronized_flush),
	HINT(start_iodevice),
	HINT(striping_factor),
	HINT(striping_unit),
	HINT(ibm_io_buffer_size),
	HINT(ibm_largeblock_io),
	HINT(ibm_sparse_access),
	{ 0 },
};

/* They are the last rows. */
const struct pario_option *pario_mpiio_options(void)
{
	const struct pario_option *row = pario_access_options;

	while (row[1].type != PARIO_TYPE_HINT)
		row++;
	return row;
}
