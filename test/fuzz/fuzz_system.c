/*
 * Any bytes as a SYSTEM file: the reader refuses them with a sentence, or every question about costs, asked about
 * one in 16, has an answer that a prediction can go on with: a time that is not below zero, or none, and that is
 * said.
 */
#include <math.h>

#include "journal_bytes.h"
#include "predict/simulate/memory.h"

static void ask(const struct pario_costs *c, const struct pario_cost_key *key)
{
	static const uint64_t sizes[] = { 0, 1, 4096, 1 << 20, 1ull << 40, UINT64_MAX / 4 };
	static const double clients[] = { 1, 2.5, 1000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (size_t k = 0; k < sizeof(clients) / sizeof(clients[0]); k++) {
			unsigned rests_on = 0;
			double cost = pario_cost(c, key, sizes[i], clients[k], &rests_on);

			require(cost >= 0 || (isnan(cost) && rests_on & PARIO_COST_UNKNOWN));
			require(!(pario_cost_spread(c, key, sizes[i], clients[k]) < 0));
		}
	}
}

static void ask_all(const struct pario_costs *c)
{
	struct pario_cost_key key = { 0 };

	for (int op = 0; op < PARIO_SYSTEM_OPS; op++) {
		for (int path = 0; path < PARIO_SYSTEM_PATHS; path++) {
			key.op = (enum pario_system_op)op;
			key.path = (enum pario_system_path)path;
			key.locality =
				(enum pario_system_locality)((op + path) % PARIO_SYSTEM_LOCALITIES);
			key.shared = (op ^ path) & 1;
			key.distance_bytes = 1ull << (60 * op / PARIO_SYSTEM_OPS);
			ask(c, &key);
		}
	}
	for (uint32_t clients = 1; clients < 5000; clients *= 3)
		require(pario_cost_barrier(c, clients) >= 0);
	require(pario_cost_message(c, 1 << 20) >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pario_costs costs;
	struct pario_err err = { 0 };
	struct pario_memory memory;
	struct pario_system system;

	if (pario_system_load(&system, memory_input(0, data, size), &err) == 0) {
		require(pario_costs_init(&costs, &system, &err) == 0);
		if (one_in(16, data, size)) {
			ask_all(&costs);
			require(pario_memory_init(&memory, &costs, 1, 0, &err) == 0);
			pario_memory_release(&memory);
		}
		pario_costs_release(&costs);
		pario_system_release(&system);
	} else {
		require(err.text[0] != '\0');
	}
	return 0;
}
