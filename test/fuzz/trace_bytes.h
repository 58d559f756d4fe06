/*
 * Bytes of a fuzzer as a trace. Mutated bytes would nearly always stop at a sum, so harnesses also read them with the
 * sums made right.
 */
#ifndef PARIO_FUZZ_TRACE_BYTES_H
#define PARIO_FUZZ_TRACE_BYTES_H

#include "journal_bytes.h"
#include "trace/pack.h"

/* The same blocks one behind the other, each with a right sum. */
static inline void repair_trace(struct pario_text *text, const uint8_t *data, size_t size,
				unsigned version)
{
	struct pario_pack_head head = { .version = version, .bytes = sizeof(head) };
	struct pario_pack_block block;

	memcpy(head.magic, PARIO_PACK_MAGIC, sizeof(head.magic));
	head.sum = XXH64(&head, offsetof(struct pario_pack_head, sum), 0);
	pario_text_bytes(text, &head, sizeof(head));
	if (size > sizeof(head)) {
		data += sizeof(head);
		size -= sizeof(head);
	}
	while (size >= sizeof(block)) {
		XXH64_state_t *state = XXH64_createState();

		memcpy(&block, data, sizeof(block));
		data += sizeof(block);
		size -= sizeof(block);
		block.magic = PARIO_PACK_BLOCK_MAGIC;
		if (block.packed > size)
			block.packed = (uint32_t)size;
		if (block.coding != 1)
			block.plain = block.packed;
		XXH64_reset(state, 0);
		XXH64_update(state, &block, offsetof(struct pario_pack_block, sum));
		XXH64_update(state, data, block.packed);
		block.sum = XXH64_digest(state);
		XXH64_freeState(state);
		pario_text_bytes(text, &block, sizeof(block));
		pario_text_bytes(text, data, block.packed);
		data += block.packed;
		size -= block.packed;
	}
}

#endif
