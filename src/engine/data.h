/*
 * data: what is written, and how wrong data is recognised.
 *
 * Every 8-byte word of a file follows from run seed, file, generation, client and offset. A file is seen as blocks
 * of 4 KiB; a block's key is a bijection of (client, block number) under a salt of (seed, file, generation),
 * and its words are those of a random pool XORed with the key. So no two blocks of a run share a byte string,
 * nothing compresses or deduplicates, generating costs one XOR per word, and a block found in the wrong place
 * still tells where it belongs. With --same_data every transfer holds what the file's beginning would.
 */
#ifndef PARIO_ENGINE_DATA_H
#define PARIO_ENGINE_DATA_H

#include <stdint.h>

#include "base/err.h"
#include "base/random.h"

enum { PARIO_DATA_BLOCK = 4096, PARIO_DATA_WORDS = PARIO_DATA_BLOCK / 8 };

struct pario_data {
	uint64_t seed;
	uint64_t pool[PARIO_DATA_WORDS];
};

/* Whose data: a salt for the file's content as a whole, and the client that owns the place. */
struct pario_owner {
	uint64_t salt, client;
	uint64_t older_salt; /* of what stood in the file before; 0 when nothing did */
	uint64_t origin; /* the contents begin here; 0 but where transfers repeat the same data */
};

void pario_data_init(struct pario_data *data, uint64_t seed);

uint64_t pario_data_salt(const struct pario_data *data, uint64_t file, uint64_t generation);

void pario_data_fill(const struct pario_data *data, const struct pario_owner *owner, void *buffer,
		     uint64_t offset, uint64_t length);

/* Offset from the start of the buffer of the first wrong byte, or `length` when all are right. */
uint64_t pario_data_check(const struct pario_data *data, const struct pario_owner *owner,
			  const void *buffer, uint64_t offset, uint64_t length);

/* Quick look at the first bytes (at most 8) of a transfer: 1 when they are what they should be. */
int pario_data_peek(const struct pario_data *data, const struct pario_owner *owner,
		    const void *buffer, uint64_t offset, uint64_t length);

/*
 * As check, with a sentence in err for the first wrong byte: its offset, its owner, what it should be and what was
 * found: zeros, the poison of a buffer that was never filled, data of another place or client, or unknown.
 */
int pario_data_report(const struct pario_data *data, const struct pario_owner *owner,
		      const void *buffer, uint64_t offset, uint64_t length, const char *path,
		      uint64_t reader, struct pario_err *err);

/* Takes the client and block number out of a word that stands at `offset`; meaningful only if it is our data. */
void pario_data_decode(const struct pario_data *data, uint64_t salt, uint64_t word, uint64_t offset,
		       uint64_t *client, uint64_t *block);

/* Fills a buffer with bytes that pario never writes, so that a read that brings nothing is seen. */
void pario_data_poison(void *buffer, uint64_t length);

/* 40 bits of block number reach 4 PiB, 24 bits of client 16 million. */
static inline uint64_t pario_data_key(const struct pario_owner *owner, uint64_t block)
{
	return pario_random_mix(((owner->client << 40) ^ block) ^ owner->salt);
}

#endif
