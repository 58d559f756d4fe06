/*
 * dry_run: what a plan would do, point by point, without doing it (--dry_run).
 */
#include <stdio.h>

#include "base/room.h"
#include "base/units.h"
#include "console/console.h"
#include "machine/machine.h"
#include "session/session.h"

static void dry_bytes(const struct pario_layout *layout, uint64_t clients)
{
	char bytes[PARIO_UNITS_CAPACITY];
	uint64_t files = layout->per_client ? clients : 1;

	if (layout->data_bytes)
		printf("  %s per phase", pario_units_size(bytes, layout->data_bytes));
	if (layout->file_bytes)
		printf("  %llu file%s of %s", (unsigned long long)files, files == 1 ? "" : "s",
		       pario_units_size(bytes, layout->file_bytes));
	if (layout->moved_bytes)
		printf("  %s per repetition", pario_units_size(bytes, layout->moved_bytes));
	if (layout->operations)
		printf("  %llu operations per repetition", (unsigned long long)layout->operations);
	printf("\n");
}

static void dry_point(const struct pario_plan *plan, uint64_t index, uint64_t clients)
{
	struct pario_err reason = { 0 };
	struct pario_phase phases[PARIO_PHASES];
	struct pario_bound bound;

	if (pario_plan_bind(plan, index, clients, &bound, &reason) < 0) {
		printf(" point %llu  %llu clients  ", (unsigned long long)index,
		       (unsigned long long)clients);
		pario_console_show(bound.name);
		printf("  skip: ");
		pario_console_show(reason.text);
		printf("\n");
	} else {
		unsigned count = pario_bound_phases(&bound, phases);

		printf(" point %llu  %llu client%s  ", (unsigned long long)index,
		       (unsigned long long)clients, clients == 1 ? "" : "s");
		pario_console_show(bound.name);
		printf("%s", bound.name[0] ? "  " : "");
		for (unsigned i = 0; i < count; i++)
			printf("%s%s", i ? "," : "", phases[i].name);
		if (bound.layout.open_ended)
			printf("  as much per phase as its time allows\n");
		else
			dry_bytes(&bound.layout, clients);
	}
	pario_bound_release(&bound);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* What the storage needs is not known before it is measured: the sentence says what it is taken for. */
static void dry_time(const struct pario_need *need)
{
	char time[PARIO_UNITS_CAPACITY];

	printf("takes about %s and the time of setting up, verifying and removing",
	       pario_units_time(time, need->seconds));
	if (need->moved_bytes || need->operations)
		printf(", if the storage moves 1 GiB and makes 10 000 operations per second");
	printf("\n");
}

void pario_session_dry(const struct pario_plan *plan, const struct pario_need *need)
{
	char disk[PARIO_UNITS_CAPACITY], moved[PARIO_UNITS_CAPACITY], memory[PARIO_UNITS_CAPACITY];
	struct pario_mount mount;

	printf("%s: %llu point%s × client counts, %llu skipped, %llu repetition%s\n",
	       plan->test->name, (unsigned long long)need->points, plural(need->points),
	       (unsigned long long)need->skipped, (unsigned long long)plan->settings.repetitions,
	       plural(plan->settings.repetitions));
	for (uint64_t i = 0; i < plan->points * plan->client_count; i++)
		dry_point(plan, i / plan->client_count, plan->clients[i % plan->client_count]);
	if (need->open_ended || need->moved_bytes)
		printf("moves %s in all; ", need->open_ended
						    ? "what its time allows"
						    : pario_units_size(moved, need->moved_bytes));
	printf("uses at %s %s in %llu file%s in ", need->open_ended ? "least" : "most",
	       pario_units_size(disk, need->disk_bytes), (unsigned long long)need->files,
	       plural(need->files));
	pario_console_show(plan->settings.dir);
	printf(" and %s of memory per client\n", pario_units_size(memory, need->memory_bytes));
	dry_time(need);
	if (pario_machine_mount(plan->settings.dir, &mount) == 0) {
		pario_console_show(plan->settings.dir);
		printf(" is %s with %s free; nothing was written\n", mount.type,
		       pario_room_text(disk, mount.free_bytes));
	}
}
