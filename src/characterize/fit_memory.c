/*
 * fit_memory: who was measured, and what its memory does with files.
 *
 * Sizes come from the description of the machine: what may be dirty is the kernel's share of the memory that is
 * available. Where the part "fill" ran, it says what really happened: from where on writes were slow, and how much was
 * still in memory afterwards.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "characterize/fit_private.h"

#define MIB 1048576.0

/* Writes wait when they go at less than this share of their first rate. */
#define SLOW 0.5

static bool in_memory(const struct pario_fit *fit)
{
	const char *type = fit->system->filesystem;

	return strcmp(type, "tmpfs") == 0 || strcmp(type, "ramfs") == 0;
}

void pario_fit_head(struct pario_fit *fit)
{
	const json_t *begin = fit->history.begin;
	json_t *machine = json_object_get(begin, "machine");
	const json_t *mount = json_object_get(machine, "filesystem");
	struct pario_system *s = fit->system;
	const char *label = pario_history_text(begin, "label"), *slash;

	s->machine = json_incref(machine);
	snprintf(s->program, sizeof(s->program), "pario %s", pario_history_text(begin, "version"));
	snprintf(s->measured, sizeof(s->measured), "%s", pario_history_text(begin, "time"));
	snprintf(s->filesystem, sizeof(s->filesystem), "%s", pario_history_text(mount, "type"));
	snprintf(s->source, sizeof(s->source), "%s", pario_history_text(mount, "device"));
	snprintf(s->point, sizeof(s->point), "%s", pario_history_text(mount, "mount"));
	snprintf(s->name, sizeof(s->name), "%.64s:%.180s", pario_history_text(machine, "host"),
		 s->point);
	if (*label)
		snprintf(s->name, sizeof(s->name), "%s", label);
	snprintf(s->journal, sizeof(s->journal), "%s", fit->history.path);
	slash = strrchr(s->journal, '/');
	if (slash && strcmp(slash, "/journal.jsonl") == 0)
		s->journal[slash - s->journal] = '\0';
	s->seconds = pario_fit_number(fit->history.end, "seconds") + fit->seconds;
}

/* Bytes, or percent of what is available. */
static double dirty(const json_t *writeback, const char *bytes, const char *ratio, double available)
{
	double fixed = pario_fit_number(writeback, bytes);

	return fixed > 0 ? fixed : pario_fit_number(writeback, ratio) / 100 * available;
}

static double mean_of(const json_t *rates, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += json_number_value(json_array_get(rates, i));
	return to > from ? sum / (double)(to - from) : (double)NAN;
}

/* Did it go on as it began? A fast one has few steps, which are enough to see that. */
static bool went_on(const json_t *result)
{
	const json_t *rates = json_object_get(
		json_object_get(json_object_get(result, "detail"), "over_time"), "rates");
	size_t n = json_array_size(rates), part = n / 4;

	return part && mean_of(rates, n - part, n) >= SLOW * mean_of(rates, 0, part);
}

/* How many bytes went in before the rate fell for good, and the rate afterwards; NaN where it did not fall. */
static void onset(const json_t *result, double *bytes, double *rate)
{
	const json_t *time = json_object_get(json_object_get(result, "detail"), "over_time");
	const json_t *rates = json_object_get(time, "rates");
	size_t n = json_array_size(rates), from = n;
	double step = pario_fit_number(time, "step_s"), first = mean_of(rates, 0, n / 8);

	*bytes = *rate = NAN;
	while (from > 0 && json_number_value(json_array_get(rates, from - 1)) < SLOW * first)
		from--;
	if (n < 16 || !(step > 0) || from + n / 8 > n)
		return;
	*bytes = from ? mean_of(rates, 0, from) * (double)from * step * MIB : 0;
	*rate = mean_of(rates, from, n) * MIB;
}

static void take_fill(struct pario_fit *fit, const json_t *result)
{
	struct pario_system *s = fit->system;
	const json_t *cache = json_object_get(result, "cache");
	double total = pario_fit_number(cache, "pages_total"), bytes, rate;
	double kept = pario_fit_number(cache, "pages_resident") / total *
		      pario_fit_number(result, "bytes");

	if (strcmp(pario_history_text(result, "phase"), "read") == 0) {
		if (kept < s->cache_bytes)
			s->cache_bytes = kept;
		return;
	}
	onset(result, &bytes, &rate);
	if (!isfinite(rate) || !(rate > 0)) {
		/* it never fell: the kernel's shares are of another memory, as in a cgroup of version 1 */
		if (went_on(result) && pario_fit_number(result, "bytes") > s->dirty_limit_bytes)
			s->dirty_limit_bytes = s->cache_bytes;
		return;
	}
	/* writers wait from half way between both limits, the lower being half of the upper */
	s->dirty_limit_bytes = bytes * 4 / 3;
	pario_cells_add(&fit->calls,
			&(struct pario_system_surface){ .op = PARIO_SYSTEM_WRITE,
							.path = PARIO_SYSTEM_THROTTLED,
							.locality = PARIO_SYSTEM_SEQUENTIAL,
							.clients = 1 },
			1 << 20, MIB / rate);
}

/* The largest fsync: the bytes before it in the time it took, of all clients that did so together. */
static double write_back(const struct pario_fit *fit)
{
	double best = NAN;

	for (size_t i = 0; i < fit->calls.count; i++) {
		const struct pario_measured_cell *c = &fit->calls.list[i];
		double seconds = pario_cells_median(&fit->calls, &c->of, c->bytes);
		double rate = (double)c->bytes * c->of.clients / seconds;

		if (c->of.op == PARIO_SYSTEM_FSYNC && c->bytes >= 16 << 20 && !(rate <= best))
			best = rate;
	}
	return best;
}

void pario_fit_memory(struct pario_fit *fit)
{
	const json_t *machine = json_object_get(fit->history.begin, "machine");
	const json_t *writeback = json_object_get(machine, "writeback");
	struct pario_system *s = fit->system;
	double available = pario_fit_number(machine, "memory_available_bytes");

	s->cache_bytes = available;
	s->read_ahead_bytes =
		pario_fit_number(json_object_get(machine, "filesystem"), "read_ahead_bytes");
	if (in_memory(fit))
		return;
	s->dirty_limit_bytes =
		fmin(dirty(writeback, "dirty_bytes", "dirty_ratio", available), available);
	for (size_t i = 0; i < fit->history.result_count; i++) {
		const struct pario_set_part *part = pario_fit_part(fit->history.results[i]);

		if (part && part->role == PARIO_SET_FILL &&
		    pario_fit_counts(part, fit->history.results[i]))
			take_fill(fit, fit->history.results[i]);
	}
	s->dirty_background_bytes = s->dirty_limit_bytes / 2;
	if (s->dirty_limit_bytes < s->cache_bytes)
		s->dirty_background_bytes =
			fmin(s->dirty_background_bytes, dirty(writeback, "dirty_background_bytes",
							      "dirty_background_ratio", available));
	s->write_back_bytes_per_second = write_back(fit);
}
