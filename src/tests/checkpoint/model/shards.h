/*
 * shards: how large is the checkpoint of a transformer, and which part of it does each rank write?
 *
 * Parameters follow from the shape of the model: embedding and head, the tensors of each layer, the final norm. Layers
 * are dealt out to pipeline stages, each tensor is cut over the tensor-parallel ranks, and what is sharded (ZeRO) over
 * the data-parallel ranks. Every rank has a file for its weights and one for the state of its optimizer; the sizes of
 * all files add up to the whole, to the byte.
 */
#ifndef PARIO_TESTS_CHECKPOINT_MODEL_SHARDS_H
#define PARIO_TESTS_CHECKPOINT_MODEL_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

struct pario_transformer {
	uint64_t hidden, ffn, heads, kv_heads, layers, vocabulary;
};

/* The cut, and bytes of a parameter. Rank number: tensor fastest, then data, then pipeline. */
struct pario_sharding {
	uint64_t tensor, pipeline, data;
	unsigned zero; /* 0 ... 3 */
	uint64_t weight_bytes, optimizer_bytes;
};

/* What is published, docs/checkpoint.md. */
struct pario_published {
	const char *name;
	struct pario_transformer shape;
	struct pario_sharding sharding;
	const char *size; /* as it is called */
};

extern const struct pario_published pario_published_models[]; /* ends with a NULL name */

enum pario_shard_kind { PARIO_SHARD_MODEL, PARIO_SHARD_OPTIMIZER, PARIO_SHARD_KINDS };

struct pario_shards {
	struct pario_transformer shape;
	struct pario_sharding sharding;
	double scale; /* of every tensor; 1 = as it is */
};

uint64_t pario_shards_ranks(const struct pario_shards *shards);
/* Saturates at the largest number, as pario_times does. */
uint64_t pario_shards_parameters(const struct pario_shards *shards);
uint64_t pario_shards_total(const struct pario_shards *shards);
/* The bytes of a rank's file of one kind; 0 = it has none. */
uint64_t pario_shards_bytes(const struct pario_shards *shards, uint64_t rank,
			    enum pario_shard_kind kind);

#endif
