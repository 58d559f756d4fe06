/*
 * system: a SYSTEM in memory: its lists and their growth. Reading and writing the file are system_read.c and
 * system_write.c.
 */
#include "predict/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const pario_system_op_names[PARIO_SYSTEM_OPS] = {
	"read",
	"write",
	"fsync",
	"fsync_again",
	"fdatasync_again",
	"fsync_directory",
	"fsync_directory_again",
	"open",
	"create",
	"close",
	"stat",
	"lookup",
	"lock",
	"absent",
	"unlink",
	"mkdir",
	"rmdir",
	"link",
	"rename",
	"rename_directory",
	"readdir",
	"truncate",
	"seek",
};
const char *const pario_system_locality_names[PARIO_SYSTEM_LOCALITIES] = {
	"anywhere",
	"sequential",
	"strided",
	"random",
};
const char *const pario_system_path_names[PARIO_SYSTEM_PATHS] = {
	"any", "hit", "miss", "absorbed", "rewritten", "throttled", "sync", "direct",
};

void pario_system_init(struct pario_system *s)
{
	*s = (struct pario_system){
		.seconds = NAN,
		.write_back_bytes_per_second = NAN,
		.dirty_background_bytes = NAN,
		.dirty_limit_bytes = NAN,
		.cache_bytes = NAN,
		.read_ahead_bytes = NAN,
		.reopened_read_seconds = NAN,
		.found_read_seconds = NAN,
		.message_latency_seconds = NAN,
		.message_bytes_per_second = NAN,
		.noise_floor_rsd = NAN,
	};
}

void pario_system_release(struct pario_system *s)
{
	for (size_t i = 0; i < s->surface_count; i++) {
		free(s->surfaces[i].pieces);
		free(s->surfaces[i].points);
	}
	for (size_t i = 0; i < s->coverage_count; i++) {
		free(s->coverage[i].what);
		free(s->coverage[i].why);
	}
	free(s->surfaces);
	free(s->read);
	free(s->write);
	free(s->barriers);
	free(s->coverage);
	json_decref(s->machine);
	pario_system_init(s);
}

/* The list with room for one more, zeroed; lists double, so that their capacity follows from their length. */
static void *grown(void *list, size_t count, size_t size)
{
	char *larger = list;

	if ((count & (count - 1)) == 0)
		larger = reallocarray(list, count ? 2 * count : 1, size);
	if (larger)
		memset(larger + count * size, 0, size);
	return larger;
}

#define ADD(list, count)                                               \
	({                                                             \
		void *larger_ = grown(list, count, sizeof(*(list)));   \
		larger_ ? (list) = larger_, &(list)[(count)++] : NULL; \
	})

struct pario_system_surface *pario_system_add_surface(struct pario_system *s)
{
	struct pario_system_surface *surface = ADD(s->surfaces, s->surface_count);

	if (surface)
		surface->residual_rsd = NAN;
	return surface;
}

struct pario_system_piece *pario_system_add_piece(struct pario_system_surface *surface)
{
	return ADD(surface->pieces, surface->piece_count);
}

struct pario_system_point *pario_system_add_point(struct pario_system_surface *surface)
{
	return ADD(surface->points, surface->point_count);
}

struct pario_system_device *pario_system_add_device(struct pario_system *s, bool write)
{
	return write ? ADD(s->write, s->write_count) : ADD(s->read, s->read_count);
}

struct pario_system_barrier *pario_system_add_barrier(struct pario_system *s)
{
	return ADD(s->barriers, s->barrier_count);
}

int pario_system_add_gap(struct pario_system *s, const char *what, const char *why)
{
	struct pario_system_gap *gap = ADD(s->coverage, s->coverage_count);

	if (!gap)
		return -1;
	gap->what = strdup(what);
	gap->why = strdup(why);
	return gap->what && gap->why ? 0 : -1;
}
