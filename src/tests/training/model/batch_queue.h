/*
 * batch_queue: which batch may a loader begin, and may the next step have its own?
 *
 * Batches are consumed in their order. Loaders begin them in that order, and no further ahead than the queue is long:
 * one under way for each loader, and `prefetch` that wait. Whoever uses it holds a lock; a simulated clock needs none.
 */
#ifndef PARIO_TESTS_TRAINING_MODEL_BATCH_QUEUE_H
#define PARIO_TESTS_TRAINING_MODEL_BATCH_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct pario_batch_queue {
	uint64_t batches, begun, consumed;
	uint64_t capacity; /* loaders + prefetch */
	bool *ready;	   /* batch b in place b mod capacity; the user's own */
};

static inline bool pario_batch_queue_may_begin(const struct pario_batch_queue *q)
{
	return q->begun < q->batches && q->begun - q->consumed < q->capacity;
}

static inline uint64_t pario_batch_queue_begin(struct pario_batch_queue *q)
{
	q->ready[q->begun % q->capacity] = false;
	return q->begun++;
}

static inline void pario_batch_queue_end(struct pario_batch_queue *q, uint64_t batch)
{
	q->ready[batch % q->capacity] = true;
}

static inline bool pario_batch_queue_may_consume(const struct pario_batch_queue *q)
{
	return q->consumed < q->begun && q->ready[q->consumed % q->capacity];
}

static inline uint64_t pario_batch_queue_consume(struct pario_batch_queue *q)
{
	return q->consumed++;
}

#endif
