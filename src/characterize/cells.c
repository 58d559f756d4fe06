/*
 * cells: repetitions, sorted by what they are the cost of.
 */
#include "characterize/cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "characterize/pieces.h"

#define UNREPEATED 0.2

void pario_cells_release(struct pario_cells *cells)
{
	for (size_t i = 0; i < cells->count; i++)
		free(cells->list[i].seconds);
	free(cells->list);
	*cells = (struct pario_cells){ 0 };
}

static bool same(const struct pario_system_surface *a, const struct pario_system_surface *b)
{
	return a->op == b->op && a->locality == b->locality && a->path == b->path &&
	       a->distance_bytes == b->distance_bytes && a->clients == b->clients &&
	       a->shared == b->shared;
}

/* The larger list, with room for one more; lists double. */
static void *grown(void *list, size_t count, size_t size)
{
	return count & (count - 1) ? list : reallocarray(list, count ? 2 * count : 1, size);
}

static struct pario_measured_cell *cell_of(struct pario_cells *cells,
					   const struct pario_system_surface *of, uint64_t bytes)
{
	struct pario_measured_cell *list;

	for (size_t i = 0; i < cells->count; i++) {
		if (cells->list[i].bytes == bytes && same(&cells->list[i].of, of))
			return &cells->list[i];
	}
	list = grown(cells->list, cells->count, sizeof(*list));
	if (!list)
		return NULL;
	cells->list = list;
	list[cells->count] =
		(struct pario_measured_cell){ .of = *of, .bytes = bytes, .own = INFINITY };
	return &list[cells->count++];
}

void pario_cells_add(struct pario_cells *cells, const struct pario_system_surface *of,
		     uint64_t bytes, double seconds)
{
	pario_cells_add_less(cells, of, bytes, seconds, 0);
}

void pario_cells_add_less(struct pario_cells *cells, const struct pario_system_surface *of,
			  uint64_t bytes, double seconds, double own)
{
	struct pario_measured_cell *cell;
	double *list;

	if (!isfinite(seconds) || seconds <= 0)
		return;
	cell = cell_of(cells, of, bytes);
	list = cell ? grown(cell->seconds, cell->count, sizeof(*list)) : NULL;
	if (!list) {
		cells->failed = true;
		return;
	}
	cell->seconds = list;
	list[cell->count++] = seconds;
	cell->own = fmin(cell->own, own);
}

double pario_cells_median(const struct pario_cells *cells, const struct pario_system_surface *of,
			  uint64_t bytes)
{
	for (size_t i = 0; i < cells->count; i++) {
		struct pario_system_surface wanted = *of;

		if (!wanted.clients)
			wanted.clients = cells->list[i].of.clients;
		if (cells->list[i].bytes == bytes && same(&cells->list[i].of, &wanted))
			return pario_stats_median(cells->list[i].seconds, cells->list[i].count);
	}
	return NAN;
}

void pario_cells_less(struct pario_cells *cells, enum pario_system_op op, double seconds)
{
	for (size_t i = 0; i < cells->count && seconds > 0; i++) {
		struct pario_measured_cell *cell = &cells->list[i];

		for (size_t k = 0; k < cell->count && cell->of.op == op; k++)
			cell->seconds[k] = fmax(cell->seconds[k] - seconds, cell->seconds[k] / 2);
	}
}

void pario_cells_settle(struct pario_cells *cells)
{
	for (size_t i = 0; i < cells->count; i++) {
		struct pario_measured_cell *cell = &cells->list[i];

		for (size_t k = 0; k < cell->count; k++)
			cell->seconds[k] = fmax(cell->seconds[k] - cell->own, cell->seconds[k] / 2);
		cell->own = 0;
	}
}

double pario_cells_noise(const struct pario_cells *cells)
{
	double *rsd = calloc(cells->count + 1, sizeof(*rsd)), noise = NAN;
	size_t count = 0;

	for (size_t i = 0; rsd && i < cells->count; i++) {
		struct pario_stats s = pario_stats_of(cells->list[i].seconds, cells->list[i].count);

		/* Closes of all sizes are one cell: they differ for other reasons, too. */
		if (s.count >= 2 && cells->list[i].of.op != PARIO_SYSTEM_CLOSE)
			rsd[count++] = 100 * sqrt(s.variance) / s.mean;
	}
	if (rsd && count)
		noise = pario_stats_median(rsd, count);
	free(rsd);
	return noise;
}

static int by_surface(const void *a, const void *b)
{
	const struct pario_measured_cell *x = a, *y = b;
	const uint64_t left[] = { x->of.op,	x->of.path,	      x->of.locality,
				  x->of.shared, x->of.distance_bytes, x->of.clients,
				  x->bytes };
	const uint64_t right[] = { y->of.op,	 y->of.path,	       y->of.locality,
				   y->of.shared, y->of.distance_bytes, y->of.clients,
				   y->bytes };

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}

static int add_point(struct pario_system_surface *surface, const struct pario_measured_cell *cell)
{
	struct pario_stats s = pario_stats_of(cell->seconds, cell->count);
	struct pario_system_point *p = pario_system_add_point(surface);

	if (!p)
		return -1;
	*p = (struct pario_system_point){
		.bytes = cell->bytes,
		.seconds = pario_stats_median(cell->seconds, cell->count),
		.low = s.min,
		.high = s.max,
		.repetitions = (uint32_t)cell->count,
	};
	return 0;
}

int pario_cells_surfaces(const struct pario_cells *cells, struct pario_system *system)
{
	struct pario_system_surface *surface = NULL;
	double noise;

	if (cells->count)
		qsort(cells->list, cells->count, sizeof(*cells->list), by_surface);
	for (size_t i = 0; i < cells->count; i++) {
		const struct pario_measured_cell *cell = &cells->list[i];

		if (!surface || !same(surface, &cell->of)) {
			surface = pario_system_add_surface(system);
			if (!surface)
				return -1;
			*surface = cell->of;
			surface->residual_rsd = NAN;
		}
		if (add_point(surface, cell) < 0)
			return -1;
	}
	/* Where nothing was repeated, nobody knows how well points are known. */
	noise = isnan(system->noise_floor_rsd) ? UNREPEATED : system->noise_floor_rsd / 100;
	for (size_t i = 0; i < system->surface_count; i++) {
		if (pario_pieces_fit(&system->surfaces[i], noise) < 0)
			return -1;
	}
	return cells->failed ? -1 : 0;
}
