/*
 * Any text as the plan file of any test: the first byte chooses the test, the rest is the plan. What is taken can
 * be settled, its need counted and its first and last point bound, which asks the system for what the machine has:
 * done with one in 128. Nothing is started. Cache and memory are those of no machine: to ask for them takes ten
 * times as long as to read a plan.
 */
#include "engine/plan.h"

#include "journal_bytes.h"
#include "machine/machine.h"
#include "tests/tests.h"

enum { CLIENTS = 4, POINTS_MOST = 64 };

/* In place of those of machine/ (cmake/Tests.cmake). */
struct pario_last_cache __wrap_pario_machine_last_cache(const char *cpus);
uint64_t __wrap_pario_machine_memory_total(void);

struct pario_last_cache __wrap_pario_machine_last_cache(const char *cpus)
{
	(void)cpus;
	return (struct pario_last_cache){ 0 };
}

uint64_t __wrap_pario_machine_memory_total(void)
{
	return 8ull << 30;
}

static void use(struct pario_plan *plan)
{
	struct pario_err err = { 0 };
	struct pario_need need;

	if (pario_plan_settle(plan, CLIENTS, &err) < 0) {
		require(err.text[0] != '\0');
		return;
	}
	for (uint64_t i = 0; i<plan->points; i += plan->points> 1 ? plan->points - 1 : 1) {
		struct pario_phase phases[PARIO_PHASES];
		struct pario_bound bound;

		if (pario_plan_bind(plan, i, plan->clients[0], &bound, &err) == 0)
			require(pario_bound_phases(&bound, phases) <= PARIO_PHASES);
		pario_bound_release(&bound);
	}
	if (plan->points <= POINTS_MOST)
		pario_plan_need(plan, &need, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_plan plan;
	struct pario_err err = { 0 };
	size_t tests = 0;

	while (pario_tests[tests])
		tests++;
	if (size < 1 || pario_plan_init(&plan, pario_tests[data[0] % tests], &err) < 0)
		return 0;
	if (pario_config_plan(&plan.config, "plan", (const char *)data + 1, size - 1,
			      plan.test->name, &err) < 0)
		require(err.text[0] != '\0');
	else if (one_in(128, data, size))
		use(&plan);
	pario_plan_release(&plan);
	return 0;
}
