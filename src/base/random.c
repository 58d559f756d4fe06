/*
 * random: the inverse of mixing, permutations without tables, and seeds.
 */
#include "base/random.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"

uint64_t pario_random_unmix(uint64_t x)
{
	/* inverse of the multiplier modulo 2^64; x ^= x >> 32 is its own inverse */
	const uint64_t inverse = 0xcfee444d8b59a89bu;

	x ^= x >> 32;
	x *= inverse;
	x ^= x >> 32;
	x *= inverse;
	x ^= x >> 32;
	return x;
}

/* Four rounds make a Feistel network a strong pseudo-random permutation; two more cost little. */
enum { ROUNDS = 6 };

void pario_permutation_init(struct pario_permutation *p, uint64_t count, uint64_t seed)
{
	p->count = count;
	p->seed = seed;
	p->half_bits = 1;
	while (p->half_bits < 32 && count > 1ull << (2 * p->half_bits))
		p->half_bits++;
}

static uint64_t scramble(const struct pario_permutation *p, uint64_t value)
{
	uint64_t mask = (1ull << p->half_bits) - 1;
	uint64_t left = value >> p->half_bits, right = value & mask;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t key = pario_random_join(p->seed + round, right);
		uint64_t next = left ^ (key >> (64 - p->half_bits));

		left = right;
		right = next;
	}
	return left << p->half_bits | right;
}

uint64_t pario_permutation_at(const struct pario_permutation *p, uint64_t index)
{
	/* an index outside would walk a cycle that need not come back inside */
	if (index >= p->count)
		return index;
	do
		index = scramble(p, index);
	while (index >= p->count);
	return index;
}

uint64_t pario_random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == (ssize_t)sizeof(seed))
		return seed;
	return pario_random_join((uint64_t)pario_clock_ns(),
				 (uint64_t)getpid() << 32 ^ (uint64_t)time(NULL));
}
