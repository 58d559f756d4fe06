/*
 * The arithmetic of training: sums of records, places and orders of samples, and the queue on a simulated clock, whose
 * AU is what the closed form says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/training/model/batch_queue.h"
#include "tests/training/model/crc32c.h"
#include "tests/training/model/dataset.h"

/* The check value of the polynomial, RFC 3720's examples, and sums of every length against one bit at a time. */
static void sums(void **state)
{
	unsigned char bytes[300] = { 0 };

	(void)state;
	assert_int_equal(pario_crc32c("123456789", 9), 0xe3069283u);
	assert_int_equal(pario_crc32c(bytes, 32), 0x8a9136aau);
	memset(bytes, 0xff, 32);
	assert_int_equal(pario_crc32c(bytes, 32), 0x62a8ab43u);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7 + 3);
	for (unsigned length = 0; length < sizeof(bytes); length++) {
		uint32_t crc = ~0u;

		for (unsigned i = 0; i < length; i++) {
			crc ^= bytes[i];
			for (int bit = 0; bit < 8; bit++)
				crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
		}
		assert_int_equal(pario_crc32c(bytes, length), ~crc);
	}
	assert_int_equal(pario_crc32c_mask(0), 0xa282ead8u);
	/* The length of an empty record, 0 in 8 bytes, and of nothing. */
	memset(bytes, 0, 8);
	assert_int_equal(pario_crc32c_mask(pario_crc32c(bytes, 8)), 0x07980329u);
}

static struct pario_dataset set_of(const char *name, uint64_t files)
{
	const struct pario_workload *w = pario_workloads;

	while (strcmp(w->name, name) != 0)
		w++;
	return (struct pario_dataset){ .files = files,
				       .samples_per_file = w->samples_per_file,
				       .seed = 7,
				       .sample_size = w->sample_size,
				       .sample_deviation = w->sample_deviation,
				       .format = w->format,
				       .align = 1 };
}

/* Samples follow each other in a file without gaps, framed or not, aligned or not, and end where it ends. */
static void places(void **state)
{
	(void)state;
	for (uint64_t align = 1; align <= 4096; align += 4095)
		for (int format = PARIO_FORMAT_NPZ; format <= PARIO_FORMAT_RAW; format++) {
			struct pario_dataset d = set_of("resnet50", 3);
			uint64_t at = 0, frame = format == PARIO_FORMAT_TFRECORD ? 16 : 0;

			d.align = align;
			d.format = (enum pario_sample_format)format;
			for (uint64_t i = 1251; i < 2502; i++) {
				struct pario_sample_place p = pario_dataset_place(&d, i);

				assert_int_equal(p.file, 1);
				assert_int_equal(p.offset % align, 0);
				assert_int_equal(p.length % align, 0);
				assert_int_equal(p.offset + p.data, at + (frame ? 12 : 0));
				assert_int_equal(p.bytes, 114660);
				assert_true(p.data + p.bytes + (frame ? 4 : 0) <= p.length);
				assert_true(p.length <= pario_dataset_most(&d));
				at += p.bytes + frame;
				assert_true(p.offset + p.length <= pario_dataset_file_bytes(&d, 1));
			}
			assert_true(pario_dataset_file_bytes(&d, 1) - at < align);
		}
}

/* Mean and deviation of ten thousand sizes, and none wider than its buffer. */
static void sizes(void **state)
{
	struct pario_dataset d = set_of("unet3d", 10000);
	double sum = 0, squares = 0, mean;

	(void)state;
	for (uint64_t i = 0; i < d.files; i++) {
		double bytes = (double)pario_dataset_place(&d, i).bytes;

		assert_true(bytes <= (double)pario_dataset_most(&d));
		sum += bytes;
		squares += bytes * bytes;
	}
	mean = sum / 10000;
	/* Four times the standard error of each; draws beyond three deviations are cut, and sizes end at nothing. */
	assert_true(fabs(mean - 146600628) < 4 * 68341808 / 100.0);
	assert_true(fabs(sqrt(squares / 10000 - mean * mean) / 68341808 - 1) < 0.04);
}

/* Every order has each sample once, no two epochs or repetitions have one order, and `files` keeps files whole. */
static void orders(void **state)
{
	struct pario_dataset d = set_of("resnet50", 3);
	uint64_t samples = pario_dataset_samples(&d);
	unsigned char *seen = calloc(samples, 1);

	(void)state;
	for (int shuffle = PARIO_SHUFFLE_NONE; shuffle <= PARIO_SHUFFLE_FILES; shuffle++) {
		struct pario_epoch a, b, c;
		uint64_t same[2] = { 0 }, breaks = 0;

		pario_epoch_init(&a, &d, (enum pario_shuffle)shuffle, 5, 0, 0);
		pario_epoch_init(&b, &d, (enum pario_shuffle)shuffle, 5, 0, 1);
		pario_epoch_init(&c, &d, (enum pario_shuffle)shuffle, 5, 1, 0);
		memset(seen, 0, samples);
		for (uint64_t i = 0; i < samples; i++) {
			uint64_t sample = pario_epoch_at(&a, i);

			assert_true(sample < samples && !seen[sample]);
			seen[sample] = 1;
			same[0] += sample == pario_epoch_at(&b, i);
			same[1] += sample == pario_epoch_at(&c, i);
			breaks += i > 0 && sample != pario_epoch_at(&a, i - 1) + 1;
		}
		assert_true(shuffle != PARIO_SHUFFLE_FILES || breaks <= 2);
		assert_true(shuffle != PARIO_SHUFFLE_SAMPLES || breaks > samples / 2);
		if (shuffle == PARIO_SHUFFLE_SAMPLES)
			assert_true(same[0] < samples / 100 && same[1] < samples / 100);
	}
	free(seen);
}

/* The shares of all accelerators in all steps are the epoch, each position once, also where nothing divides. */
static void shares(void **state)
{
	(void)state;
	for (uint64_t accelerators = 1; accelerators <= 7; accelerators++)
		for (uint64_t batch = 1; batch <= 9; batch += 4) {
			uint64_t next = 0, samples = 100;

			for (uint64_t s = 0; s < pario_epoch_steps(samples, accelerators, batch);
			     s++)
				for (uint64_t a = 0; a < accelerators; a++) {
					struct pario_batch_share p = pario_epoch_share(
						samples, accelerators, batch, s, a);

					assert_true(p.count == 0 || p.first == next);
					next += p.count;
				}
			assert_int_equal(next, samples);
			assert_int_equal(
				pario_epoch_share(samples, accelerators, batch, 0, accelerators)
					.count,
				0);
		}
}

enum { LOADERS = 16 };

struct times {
	double wait_first, seconds, most_ahead;
};

/* Loaders that take `service` for a batch, and steps that compute for `compute`, on a clock of their own. */
static struct times simulate(uint64_t steps, unsigned loaders, uint64_t prefetch, double service,
			     double compute)
{
	bool ready[LOADERS + 8], busy[LOADERS] = { 0 }, computing = false;
	struct pario_batch_queue q = { .batches = steps,
				       .capacity = loaders + prefetch,
				       .ready = ready };
	double end[LOADERS], now = 0, compute_end = 0;
	struct times t = { .wait_first = -1 };
	uint64_t batch[LOADERS], done = 0;

	while (done < steps) {
		double next = INFINITY;

		for (unsigned i = 0; i < loaders; i++)
			if (!busy[i] && pario_batch_queue_may_begin(&q)) {
				batch[i] = pario_batch_queue_begin(&q);
				busy[i] = true;
				end[i] = now + service;
			}
		t.most_ahead = fmax(t.most_ahead, (double)(q.begun - q.consumed));
		if (!computing && pario_batch_queue_may_consume(&q)) {
			pario_batch_queue_consume(&q);
			t.wait_first = t.wait_first < 0 ? now : t.wait_first;
			computing = true;
			compute_end = now + compute;
			continue; /* there is room for another batch */
		}
		for (unsigned i = 0; i < loaders; i++)
			next = busy[i] ? fmin(next, end[i]) : next;
		if (computing)
			next = fmin(next, compute_end);
		now = next;
		for (unsigned i = 0; i < loaders; i++)
			if (busy[i] && end[i] <= now) {
				busy[i] = false;
				pario_batch_queue_end(&q, batch[i]);
			}
		if (computing && compute_end <= now) {
			computing = false;
			done++;
		}
	}
	t.seconds = now;
	return t;
}

/* AU = min(1, loaders * compute / service) where nothing but the loaders holds a step up. */
static void closed_form(void **state)
{
	static const struct {
		unsigned loaders;
		uint64_t prefetch;
		double service, compute;
	} cases[] = {
		{ 1, 2, 0.5, 1 },      { 4, 2, 3.9, 1 }, { 4, 0, 8, 1 },
		{ 8, 2, 23.7, 0.224 }, { 1, 4, 10, 1 },	 { 16, 8, 20, 1.24 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint64_t steps = 4000;
		struct times t = simulate(steps, cases[i].loaders, cases[i].prefetch,
					  cases[i].service, cases[i].compute);
		double want = fmin(1, cases[i].loaders * cases[i].compute / cases[i].service);
		double au = pario_training_au((double)steps * cases[i].compute, t.seconds,
					      t.wait_first);

		if (fabs(au / want - 1) > 0.01)
			fail_msg("case %zu: AU is %.4f and not %.4f", i, au, want);
		assert_true(t.most_ahead <= (double)(cases[i].loaders + cases[i].prefetch));
	}
}

/* Without a queue, a single loader and the step take turns: AU = compute / (compute + what is left of the service). */
static void no_room(void **state)
{
	struct times t = simulate(1000, 1, 0, 2, 3);

	(void)state;
	/* The loader may begin when the batch is taken, so it works while the step computes. */
	assert_true(fabs(pario_training_au(3000, t.seconds, t.wait_first) - 1) < 0.01);
	t = simulate(1000, 1, 0, 5, 3);
	assert_true(fabs(pario_training_au(3000, t.seconds, t.wait_first) - 0.6) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),	   cmocka_unit_test(places), cmocka_unit_test(sizes),
		cmocka_unit_test(orders),  cmocka_unit_test(shares), cmocka_unit_test(closed_form),
		cmocka_unit_test(no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
