/*
 * random: mixing, seeded draws and permutations, all O(1) in memory and reproducible from a seed.
 */
#ifndef PARIO_BASE_RANDOM_H
#define PARIO_BASE_RANDOM_H

#include <stdint.h>

/* A bijection of 64-bit words that scatters its input, and its inverse. */
static inline uint64_t pario_random_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

uint64_t pario_random_unmix(uint64_t x);

/* A key from two words: not symmetric, not invertible. */
static inline uint64_t pario_random_join(uint64_t a, uint64_t b)
{
	return pario_random_mix(pario_random_mix(a + 0x9e3779b97f4a7c15u) ^ b);
}

/* Uniform in 0..below-1 from a 64-bit word that is itself uniform (multiply-high; below > 0). */
static inline uint64_t pario_random_below(uint64_t word, uint64_t below)
{
	return (uint64_t)(((unsigned __int128)word * below) >> 64);
}

/*
 * A seeded bijection of 0..count-1 without tables: a balanced Feistel network on the next even
 * power of two, walked until the value falls inside. Every index comes out exactly once; an index
 * outside comes out unchanged.
 */
struct pario_permutation {
	uint64_t count, seed;
	unsigned half_bits;
};

void pario_permutation_init(struct pario_permutation *p, uint64_t count, uint64_t seed);
uint64_t pario_permutation_at(const struct pario_permutation *p, uint64_t index);

/* 64 bits from the kernel; falls back to clock and pid where getrandom is refused. */
uint64_t pario_random_seed(void);

#endif
