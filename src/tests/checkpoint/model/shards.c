/*
 * shards: sums over tensors. Everything is counted in elements and becomes bytes at the end.
 */
#include "tests/checkpoint/model/shards.h"

#include <math.h>
#include <stddef.h>

#include "base/units.h"

/* bf16 weights; an fp32 master copy and two fp32 moments. */
#define MIXED .weight_bytes = 2, .optimizer_bytes = 12

const struct pario_published pario_published_models[] = {
	{ "8b",
	  { 4096, 14336, 32, 8, 32, 128256 },
	  { .tensor = 1, .pipeline = 1, .data = 8, .zero = 3, MIXED },
	  "105 GB" },
	{ "70b",
	  { 8192, 28672, 128, 8, 80, 128256 },
	  { .tensor = 8, .pipeline = 1, .data = 8, .zero = 3, MIXED },
	  "912 GB" },
	{ "405b",
	  { 16384, 53248, 128, 8, 126, 128256 },
	  { .tensor = 8, .pipeline = 32, .data = 2, .zero = 1, MIXED },
	  "5.29 TB" },
	{ "1t",
	  { 25872, 98304, 192, 32, 128, 128256 },
	  { .tensor = 8, .pipeline = 64, .data = 2, .zero = 1, MIXED },
	  "18 TB" },
	{ 0 },
};

/* Part i of n things that are dealt out to `count` as evenly as it goes. */
static uint64_t part(uint64_t n, uint64_t count, uint64_t i)
{
	return n / count + (i < n % count);
}

/* A tensor's elements; a scaled one keeps one at least. */
static uint64_t tensor(const struct pario_shards *s, uint64_t rows, uint64_t columns)
{
	uint64_t n = pario_times(rows, columns);
	double scaled;

	if (s->scale == 1 || n == UINT64_MAX)
		return n;
	scaled = round((double)n * s->scale);
	return scaled < 1 ? 1 : (uint64_t)scaled;
}

enum { LAYER_TENSORS = 9 };

/* Norms, query, key, value, output, and the three of the gated MLP. */
static void layer(const struct pario_shards *s, uint64_t tensors[LAYER_TENSORS])
{
	const struct pario_transformer *t = &s->shape;
	uint64_t kv = pario_times(t->hidden / t->heads, t->kv_heads);

	tensors[0] = tensors[1] = tensor(s, t->hidden, 1);
	tensors[2] = tensors[5] = tensor(s, t->hidden, t->hidden);
	tensors[3] = tensors[4] = tensor(s, t->hidden, kv);
	tensors[6] = tensors[7] = tensors[8] = tensor(s, t->hidden, t->ffn);
}

/* Sum over one layer of the whole tensors, or of what tensor-parallel rank t has of them. */
static uint64_t layer_elements(const struct pario_shards *s, bool whole, uint64_t t)
{
	uint64_t tensors[LAYER_TENSORS], sum = 0;

	layer(s, tensors);
	for (int i = 0; i < LAYER_TENSORS; i++)
		sum = pario_plus(sum, whole ? tensors[i] : part(tensors[i], s->sharding.tensor, t));
	return sum;
}

uint64_t pario_shards_ranks(const struct pario_shards *shards)
{
	const struct pario_sharding *c = &shards->sharding;

	return pario_times(pario_times(c->tensor, c->pipeline), c->data);
}

uint64_t pario_shards_parameters(const struct pario_shards *shards)
{
	const struct pario_transformer *t = &shards->shape;
	uint64_t ends = pario_plus(pario_times(2, tensor(shards, t->vocabulary, t->hidden)),
				   tensor(shards, t->hidden, 1));

	return pario_plus(ends, pario_times(t->layers, layer_elements(shards, true, 0)));
}

uint64_t pario_shards_total(const struct pario_shards *shards)
{
	return pario_times(pario_shards_parameters(shards),
			   shards->sharding.weight_bytes + shards->sharding.optimizer_bytes);
}

/* What tensor-parallel rank t has of a pipeline stage: the first one has the embedding, the last one head and norm. */
static uint64_t stage_elements(const struct pario_shards *s, uint64_t stage, uint64_t t)
{
	const struct pario_transformer *m = &s->shape;
	uint64_t stages = s->sharding.pipeline, ways = s->sharding.tensor;
	uint64_t words = part(tensor(s, m->vocabulary, m->hidden), ways, t);
	uint64_t sum = pario_times(part(m->layers, stages, stage), layer_elements(s, false, t));

	if (stage == 0)
		sum = pario_plus(sum, words);
	if (stage == stages - 1)
		sum = pario_plus(sum, pario_plus(words, part(tensor(s, m->hidden, 1), ways, t)));
	return sum;
}

uint64_t pario_shards_bytes(const struct pario_shards *shards, uint64_t rank,
			    enum pario_shard_kind kind)
{
	const struct pario_sharding *c = &shards->sharding;
	uint64_t t = rank % c->tensor, d = rank / c->tensor % c->data;
	uint64_t elements = stage_elements(shards, rank / c->tensor / c->data, t);
	bool weights = kind == PARIO_SHARD_MODEL, sharded = c->zero >= (weights ? 3 : 1);

	/* What is not sharded every data-parallel rank has whole, and the first one writes it. */
	if (sharded)
		elements = part(elements, c->data, d);
	else if (d > 0)
		elements = 0;
	return pario_times(elements, weights ? c->weight_bytes : c->optimizer_bytes);
}
