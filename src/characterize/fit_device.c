/*
 * fit_device: throughput over requests in flight, and messages.
 *
 * Where requests cannot be queued, the clients' own direct I/O speaks; where there is no direct I/O, cold reads and the
 * storing of written data.
 */
#include <math.h>

#include "characterize/fit_private.h"

enum { LARGE = 1 << 20, SMALL = 4096, STORED = 32 << 20, FLIGHTS = 64 };

/* Seconds of a byte (large), or of an operation, by n clients through direct I/O or past it. */
static double by_clients(const struct pario_fit *fit, bool write, bool large, uint32_t n)
{
	struct pario_system_surface of = {
		.op = write ? PARIO_SYSTEM_WRITE : PARIO_SYSTEM_READ,
		.path = PARIO_SYSTEM_DIRECT,
		.locality = large ? PARIO_SYSTEM_SEQUENTIAL : PARIO_SYSTEM_RANDOM,
		.distance_bytes = large ? 0 : 32 << 20,
		.clients = n,
	};
	double seconds = pario_cells_median(&fit->calls, &of, large ? LARGE : SMALL);

	if (!isfinite(seconds) && !write) {
		of.path = PARIO_SYSTEM_MISS;
		of.distance_bytes = large ? 0 : 8 << 20;
		seconds = pario_cells_median(&fit->calls, &of, large ? LARGE : SMALL);
	} else if (!isfinite(seconds) && large) {
		of = (struct pario_system_surface){ .op = PARIO_SYSTEM_FSYNC,
						    .path = PARIO_SYSTEM_SYNC,
						    .clients = n };
		seconds = pario_cells_median(&fit->calls, &of, STORED) * LARGE / STORED;
	}
	return seconds / n / (large ? LARGE : 1);
}

static double rate_of(const struct pario_fit *fit, bool write, bool large, uint32_t n)
{
	const struct pario_system_surface of = { .op = write ? PARIO_SYSTEM_WRITE
							     : PARIO_SYSTEM_READ,
						 .clients = n };
	double queued = pario_cells_median(large ? &fit->bytes : &fit->ops, &of, 0);
	double rate = 1 / (isfinite(queued) ? queued : by_clients(fit, write, large, n));

	return isfinite(rate) && rate > 0 ? rate : (double)NAN;
}

int pario_fit_devices(struct pario_fit *fit)
{
	for (int write = 0; write < 2; write++) {
		for (uint32_t n = 1; n <= FLIGHTS; n++) {
			double bytes = rate_of(fit, write, true, n);
			double ops = rate_of(fit, write, false, n);
			struct pario_system_device *d;

			if (!isfinite(bytes) && !isfinite(ops))
				continue;
			d = pario_system_add_device(fit->system, write);
			if (!d)
				return -1;
			*d = (struct pario_system_device){ n, bytes, ops };
		}
	}
	return 0;
}

int pario_fit_messages(struct pario_fit *fit)
{
	const struct pario_system_surface any = { 0 };
	struct pario_system *s = fit->system;

	s->message_latency_seconds = pario_cells_median(&fit->latency, &any, 0);
	s->message_bytes_per_second = 1 / pario_cells_median(&fit->message_seconds, &any, 0);
	if (!isfinite(s->message_latency_seconds))
		return 0;
	/* As many rounds of messages as doublings reach all. */
	for (uint64_t n = 2; n <= fit->clients; n *= 2) {
		struct pario_system_barrier *b = pario_system_add_barrier(s);

		if (!b)
			return -1;
		b->clients = (uint32_t)n;
		b->seconds = ceil(log2((double)n)) * s->message_latency_seconds;
	}
	return 0;
}
