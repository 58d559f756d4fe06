/*
 * tile: how fast do clients move the tiles of a dense two-dimensional data set?
 *
 * After mpi-tile-io (docs/tests.md). The data set is an array of elements in one file, row after row;
 * each client moves one tile of it with a single MPI-IO call through a subarray view. Neighbouring tiles may share
 * elements. With n tiles of s elements and an overlap of o along an axis,
 *
 *	extent n s - (n-1) o        origin of tile t: t (s-o)
 *	byte of element (x, y) of tile (tx, ty) = header + ((Y+y) width + X+x) element size
 * The rate includes open, sync and close; tile_io_rate_mib_s is mpi-tile-io's, all tiles over the longest call. Data
 * depend only on their place in the file, so tiles that overlap write the same bytes and every byte can be checked.
 * Clients always open the file together: each by itself, as in the original, Open MPI's OMPIO crashes or waits for
 * ever.
 */
#include <limits.h>
#include <mpi.h>

#include "engine/test.h"
#include "tests/common/share.h"

struct params {
	struct pario_datatype_pass_params pass;
	uint64_t nr_tiles_x, nr_tiles_y, sz_tile_x, sz_tile_y, sz_element, overlap_x, overlap_y;
	uint64_t header_bytes;
};

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	PARIO_DATATYPE_PASS_OPTIONS(struct params),
	PARIO_DATATYPE_PASS_FILENAME(struct params),
	OPTION(nr_tiles_x, .def = "0", .unit = "tiles", .max = "1m",
	       .help = "tiles in a row; 0 = arranged from the clients, as square as possible"),
	OPTION(nr_tiles_y, .def = "0", .unit = "tiles", .max = "1m",
	       .help = "rows of tiles; 0 = arranged from the clients"),
	OPTION(sz_tile_x, .def = "1024", .min = "1", .unit = "elements", .help = "tile width"),
	OPTION(sz_tile_y, .def = "1024", .min = "1", .unit = "elements", .help = "tile height"),
	OPTION(sz_element, .def = "3", .min = "1", .unit = "bytes", .help = "size of an element"),
	OPTION(overlap_x, .def = "0", .unit = "elements", .help = "columns neighbours share"),
	OPTION(overlap_y, .def = "0", .unit = "elements", .help = "rows neighbours share"),
	OPTION(header_bytes, .def = "0", .unit = "bytes", .help = "file offset of the data"),
	{ 0 },
};

struct grid {
	uint64_t nx, ny, tiles, width, height, row_bytes, tile_bytes, file_bytes;
};

struct state {
	struct pario_datatype_pass pass; /* its comm is null on clients without a tile */
	struct grid grid;
	uint64_t x, y; /* first element of the tile in the data set */
};

static void arrange(const struct params *p, uint64_t clients, struct grid *g)
{
	g->nx = p->nr_tiles_x;
	g->ny = p->nr_tiles_y;
	if (!g->nx && !g->ny)
		g->ny = pario_share_rows(clients, 1, 1);
	if (!g->ny)
		g->ny = clients > g->nx ? clients / g->nx : 1;
	if (!g->nx)
		g->nx = clients > g->ny ? clients / g->ny : 1;
	g->tiles = pario_times(g->nx, g->ny);
}

static bool measure(const struct params *p, struct grid *g)
{
	uint64_t bytes;

	return pario_mul(g->nx, p->sz_tile_x - p->overlap_x, &g->width) &&
	       pario_add(g->width, p->overlap_x, &g->width) && g->width <= INT_MAX &&
	       pario_mul(g->ny, p->sz_tile_y - p->overlap_y, &g->height) &&
	       pario_add(g->height, p->overlap_y, &g->height) && g->height <= INT_MAX &&
	       pario_mul(g->width * g->height, p->sz_element, &bytes) &&
	       pario_add(bytes, p->header_bytes, &g->file_bytes) && g->file_bytes <= INT64_MAX &&
	       pario_mul(p->sz_tile_x, p->sz_element, &g->row_bytes) &&
	       pario_mul(g->row_bytes, p->sz_tile_y, &g->tile_bytes) && g->tile_bytes <= INT_MAX;
}

static int grid_init(const struct pario_point *point, struct grid *g, struct pario_err *err)
{
	const struct params *p = point->params;

	arrange(p, point->clients, g);
	if (g->tiles > point->clients)
		return pario_err_set(
			err, PARIO_USAGE,
			"%llu x %llu tiles need %llu clients and there are %llu. Start more with --np.",
			(unsigned long long)g->nx, (unsigned long long)g->ny,
			(unsigned long long)g->tiles, (unsigned long long)point->clients);
	if (p->overlap_x >= p->sz_tile_x || p->overlap_y >= p->sz_tile_y)
		return pario_err_set(err, PARIO_USAGE,
				     "tiles overlap by less than their size: use --overlap_x below "
				     "--sz_tile_x and --overlap_y below --sz_tile_y.");
	if (!measure(p, g))
		return pario_err_set(
			err, PARIO_USAGE,
			"the tiles are too large: one call moves a tile of at most 2^31-1 bytes, the "
			"data set is at most 2^31-1 elements wide and high, the file below 2^63 bytes. "
			"Use smaller sizes.");
	return 0;
}

/* Also where clients only read: what they read is written first. */
static int check_defects(const struct pario_point *point, const struct grid *g,
			 struct pario_err *err)
{
	const struct params *p = point->params;

	if (!point->access->collective || p->overlap_x == 0 || g->nx < PARIO_DEFECT_NARROW_COUNT ||
	    g->row_bytes >= PARIO_DEFECT_NARROW_BYTES)
		return 0;
	return pario_defect_check(PARIO_DEFECT_NARROW_TILES, point->access->mpiio_impl, err);
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	struct grid g = { 0 };

	(void)client;
	if (pario_datatype_pass_plan(point, layout, err) < 0 || grid_init(point, &g, err) < 0 ||
	    check_defects(point, &g, err) < 0)
		return -1;
	layout->file_bytes = g.file_bytes;
	layout->data_bytes = g.tiles * g.tile_bytes;
	layout->buffer_bytes = g.tile_bytes;
	return 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	struct state *s = pario_datatype_pass_setup(run, sizeof(*s), err);

	if (!s || grid_init(run->point, &s->grid, err) < 0)
		return -1;
	pario_datatype_pass_select(run, run->client < s->grid.tiles);
	return 0;
}

/* Where a row of the tile begins in the file. */
static uint64_t row_at(const struct params *p, const struct state *s, uint64_t y)
{
	return pario_plus(p->header_bytes,
			  pario_times((s->y + y) * s->grid.width + s->x, p->sz_element));
}

enum work { FILL, CHECK, READ_BACK };

/* All rows of the tile in the buffer: fills them, or compares them with what belongs there. */
static int rows(struct pario_run *run, enum work work, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	uint64_t bytes = s->grid.row_bytes;

	for (uint64_t y = 0; y < p->sz_tile_y; y++) {
		uint64_t at = row_at(p, s, y);
		char *row = s->pass.buffer + y * bytes;

		if (work == FILL)
			pario_run_fill(run, 0, 0, row, at, bytes);
		if (work == READ_BACK && pario_datatype_pass_read(run, row, at, bytes, err) < 0)
			return -1;
		if (work != FILL &&
		    pario_run_check(run, 0, 0, row, at, bytes, s->pass.path, err) < 0)
			return -1;
	}
	return 0;
}

/* The target's tile, or the own one where some clients have none, and an empty buffer for it. */
static int aim(const struct pario_run *run, struct state *s, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t tile = s->grid.tiles < run->clients ? run->client : run->target;

	s->x = tile % s->grid.nx * (p->sz_tile_x - p->overlap_x);
	s->y = tile / s->grid.nx * (p->sz_tile_y - p->overlap_y);
	return pario_datatype_pass_renew(&s->pass, s->grid.tile_bytes, err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct state *s = run->scratch;
	struct pario_datatype_pass *pass = &s->pass;
	const int whole[] = { (int)s->grid.height, (int)s->grid.width };
	const int part[] = { (int)p->sz_tile_y, (int)p->sz_tile_x };

	if (pass->comm == MPI_COMM_NULL)
		return 0;
	if (aim(run, s, err) < 0)
		return -1;
	pass->displacement = p->header_bytes;
	pass->unit_elements = 1;
	pass->unit_bytes = pass->unit_step = p->sz_element;
	pass->units = pass->per_call = p->sz_tile_x * p->sz_tile_y;
	pass->end = row_at(p, s, p->sz_tile_y - 1) + s->grid.row_bytes;
	MPI_Type_contiguous((int)p->sz_element, MPI_BYTE, &pass->element);
	MPI_Type_create_subarray(2, whole, part, (const int[]){ (int)s->y, (int)s->x }, MPI_ORDER_C,
				 pass->element, &pass->view);
	MPI_Type_dup(pass->element, &pass->memory);
	pario_datatype_pass_commit(pass);
	return run->phase->write ? rows(run, FILL, err) : 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct state *s = run->scratch;
	const struct grid *g = &s->grid;
	int64_t ns = 0, longest = 0;
	int status = 0;

	if (s->pass.comm != MPI_COMM_NULL)
		status = pario_run_pass(run, &s->pass, &ns, err);
	if (status == 0 && ns && pario_run_compares(run))
		status = rows(run, CHECK, err);
	MPI_Reduce(&ns, &longest, 1, MPI_INT64_T, MPI_MAX, 0, run->comm);
	pario_run_pause(run);
	pario_run_metric(run, "tile_io_rate_mib_s", "MiB/s",
			 (double)(g->tiles * g->tile_bytes) / PARIO_MIB / ((double)longest / 1e9));
	pario_run_metric(run, "width", "elements", (double)g->width);
	pario_run_metric(run, "height", "elements", (double)g->height);
	pario_run_metric(run, "file_bytes", "B", (double)g->file_bytes);
	return status;
}

/* With plain reads, so that a view that the library got wrong is seen. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	struct state *s = run->scratch;

	if (s->pass.comm == MPI_COMM_NULL)
		return 0;
	pario_run_count(run, s->grid.tile_bytes);
	return aim(run, s, err) < 0 ? -1 : rows(run, READ_BACK, err);
}

static const struct pario_metric_info metrics[] = {
	{ "tile_io_rate_mib_s", "MiB/s", "bytes of all tiles over the longest call alone", 1 },
	{ "width", "elements", "width of the data set", 0 },
	{ "height", "elements", "height of the data set", 0 },
	{ "file_bytes", "B", "size of the file", 0 },
	{ 0 },
};

const struct pario_test pario_test_tile = {
	.name = "tile",
	.summary = "tiles of a dense two-dimensional data set in one file",
	.question = "How fast do clients move the tiles of a dense two-dimensional data set?",
	.misleads = "when moving a tile takes less time than opening the file",
	.needs = PARIO_NEED_MPI_FILES | PARIO_NEED_GAP,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.plan = plan,
	.phases = pario_datatype_pass_phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = pario_datatype_pass_teardown,
};
