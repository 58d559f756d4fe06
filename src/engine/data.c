/*
 * data: generates the contents of a block, and finds out where a block that was read belongs. The scheme is in
 * data.h.
 */
#include "engine/data.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { POISON = 0xa5 };

/* Two words agree under some key also when they come from another file; the place they then decode to is wild. */
#define PLAUSIBLE_CLIENTS ((uint64_t)1 << 20)
#define PLAUSIBLE_BLOCKS  ((uint64_t)1 << 34)

void pario_data_init(struct pario_data *data, uint64_t seed)
{
	data->seed = seed;
	for (uint64_t i = 0; i < PARIO_DATA_WORDS; i++)
		data->pool[i] = pario_random_join(seed ^ 0x706f6f6c, i);
}

uint64_t pario_data_salt(const struct pario_data *data, uint64_t file, uint64_t generation)
{
	return pario_random_join(pario_random_join(data->seed, file), generation);
}

/* A whole block: the constant count lets the compiler use vectors. */
static void fill_block(uint64_t *restrict to, const uint64_t *restrict pool, uint64_t key)
{
	for (size_t i = 0; i < PARIO_DATA_WORDS; i++)
		to[i] = pool[i] ^ key;
}

/* Only the words that hold the bytes from `inside` on: small pieces are made as they are needed. */
static void fill_words(uint64_t *restrict to, const uint64_t *restrict pool, uint64_t key,
		       uint64_t inside, uint64_t length)
{
	for (uint64_t i = inside / 8; i < (inside + length + 7) / 8; i++)
		to[i] = pool[i] ^ key;
}

void pario_data_fill(const struct pario_data *data, const struct pario_owner *owner, void *buffer,
		     uint64_t offset, uint64_t length)
{
	char *to = buffer;
	uint64_t words[PARIO_DATA_WORDS];

	offset -= owner->origin;
	while (length > 0) {
		uint64_t inside = offset % PARIO_DATA_BLOCK, part = PARIO_DATA_BLOCK - inside;
		uint64_t key = pario_data_key(owner, offset / PARIO_DATA_BLOCK);

		if (part > length)
			part = length;
		if (part == PARIO_DATA_BLOCK && (uintptr_t)to % sizeof(uint64_t) == 0) {
			fill_block((uint64_t *)(void *)to, data->pool, key);
		} else {
			fill_words(words, data->pool, key, inside, part);
			memcpy(to, (const char *)words + inside, part);
		}
		to += part;
		offset += part;
		length -= part;
	}
}

static uint64_t first_difference(const char *a, const char *b, uint64_t length)
{
	uint64_t i = 0;

	while (i < length && a[i] == b[i])
		i++;
	return i;
}

uint64_t pario_data_check(const struct pario_data *data, const struct pario_owner *owner,
			  const void *buffer, uint64_t offset, uint64_t length)
{
	const char *from = buffer;
	uint64_t words[PARIO_DATA_WORDS], done = 0;

	offset -= owner->origin;
	while (done < length) {
		uint64_t at = offset + done, inside = at % PARIO_DATA_BLOCK;
		uint64_t part = PARIO_DATA_BLOCK - inside;
		const char *want = (const char *)words + inside;

		if (part > length - done)
			part = length - done;
		fill_words(words, data->pool, pario_data_key(owner, at / PARIO_DATA_BLOCK), inside,
			   part);
		if (memcmp(from + done, want, part) != 0)
			return done + first_difference(from + done, want, part);
		done += part;
	}
	return length;
}

int pario_data_peek(const struct pario_data *data, const struct pario_owner *owner,
		    const void *buffer, uint64_t offset, uint64_t length)
{
	uint64_t want, found;

	if ((offset - owner->origin) % 8 != 0 || length < 8) {
		char bytes[8];
		uint64_t part = length < 8 ? length : 8;

		pario_data_fill(data, owner, bytes, offset, part);
		return memcmp(bytes, buffer, part) == 0;
	}
	offset -= owner->origin;
	want = data->pool[offset % PARIO_DATA_BLOCK / 8] ^
	       pario_data_key(owner, offset / PARIO_DATA_BLOCK);
	memcpy(&found, buffer, sizeof(found));
	return want == found;
}

void pario_data_decode(const struct pario_data *data, uint64_t salt, uint64_t word, uint64_t offset,
		       uint64_t *client, uint64_t *block)
{
	uint64_t place =
		pario_random_unmix(word ^ data->pool[offset % PARIO_DATA_BLOCK / 8]) ^ salt;

	*client = place >> 40;
	*block = place & (((uint64_t)1 << 40) - 1);
}

static int all_bytes(const char *from, uint64_t length, char byte)
{
	for (uint64_t i = 0; i < length; i++) {
		if (from[i] != byte)
			return 0;
	}
	return 1;
}

/* True when the word that holds the wrong byte is ours, for whatever place; a second word of the block must agree. */
static int belongs(const struct pario_data *data, const struct pario_owner *owner, const char *from,
		   uint64_t offset, uint64_t length, uint64_t at, struct pario_owner *found,
		   uint64_t *block)
{
	uint64_t start, word, next, client;

	offset -= owner->origin;
	start = (offset + at) / 8 * 8;
	if (start < offset || start + 16 > offset + length || start % PARIO_DATA_BLOCK == 4088)
		return 0;
	memcpy(&word, from + (start - offset), 8);
	memcpy(&next, from + (start - offset) + 8, 8);
	pario_data_decode(data, owner->salt, word, start, &client, block);
	found->salt = owner->salt;
	found->client = client;
	if (client >= PLAUSIBLE_CLIENTS || *block >= PLAUSIBLE_BLOCKS)
		return 0;
	return next ==
	       (data->pool[start % PARIO_DATA_BLOCK / 8 + 1] ^ pario_data_key(found, *block));
}

/* What is there instead; true when it may have been there before the write. */
static bool describe(const struct pario_data *data, const struct pario_owner *owner,
		     const void *buffer, uint64_t offset, uint64_t length, uint64_t at, char *text,
		     size_t capacity)
{
	const char *from = buffer;
	uint64_t left = length - at < 16 ? length - at : 16, block;
	const struct pario_owner older = { .salt = owner->older_salt,
					   .client = owner->client,
					   .origin = owner->origin };
	struct pario_owner found;
	bool zeros = all_bytes(from + at, left, 0);
	bool earlier =
		older.salt && pario_data_check(data, &older, from + at, offset + at, left) == left;

	if (zeros)
		snprintf(text, capacity, "zeros, as in a hole or a block that was never written");
	else if (all_bytes(from + at, left, (char)POISON))
		snprintf(text, capacity, "the mark of a buffer that the read did not fill");
	else if (earlier)
		snprintf(text, capacity,
			 "what an earlier phase wrote there, so a rewrite was lost");
	else if (belongs(data, owner, from, offset, length, at, &found, &block))
		snprintf(text, capacity, "what client %llu wrote for offset %llu",
			 (unsigned long long)found.client,
			 (unsigned long long)(owner->origin + block * PARIO_DATA_BLOCK +
					      (offset - owner->origin + at) % PARIO_DATA_BLOCK));
	else
		snprintf(text, capacity, "data that this run did not write for this file");
	return zeros || earlier;
}

int pario_data_report(const struct pario_data *data, const struct pario_owner *owner,
		      const void *buffer, uint64_t offset, uint64_t length, const char *path,
		      uint64_t reader, struct pario_err *err)
{
	uint64_t at = pario_data_check(data, owner, buffer, offset, length);
	unsigned char is, should[8];
	char found[160];
	bool old;

	if (at == length)
		return 0;
	old = describe(data, owner, buffer, offset, length, at, found, sizeof(found));
	is = ((const unsigned char *)buffer)[at];
	pario_data_fill(data, owner, should, offset + at, 1);
	pario_err_set(
		err, PARIO_VERIFY,
		"wrong data in %s: the byte at offset %llu, written by client %llu, should be "
		"0x%02x and is 0x%02x; found there: %s. Seen by client %llu in a read of "
		"%llu bytes from offset %llu.",
		path, (unsigned long long)(offset + at), (unsigned long long)owner->client,
		should[0], is, found, (unsigned long long)reader, (unsigned long long)length,
		(unsigned long long)offset);
	if (err && old)
		err->sys = ESTALE;
	return -1;
}

void pario_data_poison(void *buffer, uint64_t length)
{
	memset(buffer, POISON, length);
}
