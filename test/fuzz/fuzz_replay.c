/*
 * Any bytes as a trace to be replayed: the plan is made without a crash in bounded time, and keeps what a replay relies
 * on. Names stay below the tree; calls wait for calls of threads that are there, and never for themselves.
 */
#include "tests/replay/model/place.h"
#include "tests/replay/model/scan.h"
#include "trace_bytes.h"

/* A name below the tree: no part of it leads up or is empty. */
static void require_below(const char *path)
{
	require(*path && *path != '/');
	while (*path) {
		size_t part = strcspn(path, "/");

		require(part > 0 && part < 256);
		require(!(part == 2 && path[0] == '.' && path[1] == '.'));
		path += part + (path[part] == '/');
	}
}

static void check_names(const struct pario_trace *trace, const struct pario_replay_scan *scan)
{
	char path[PARIO_PLACE_CAPACITY], link[PARIO_PLACE_CAPACITY];
	const char *last = "x";

	for (uint32_t i = 1; i <= scan->file_count; i++) {
		const struct pario_trace_file *f = pario_trace_file_of(trace, i);

		require(scan->files[i].parent <= scan->file_count && scan->files[i].parent != i);
		require(scan->files[i].same <= scan->file_count);
		if (!f->name)
			continue;
		if (pario_replay_place(f->name, path))
			require_below(path);
		if (pario_replay_link_place(f->name, last, link))
			require_below(link);
		last = f->name;
	}
}

static void check_threads(const struct pario_replay_scan *scan)
{
	uint64_t edges = 0;

	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		const struct pario_replay_thread *thread = &scan->threads[t];

		require(thread->client >= PARIO_REPLAY_NOBODY &&
			thread->client < (int32_t)(scan->ranks ? scan->ranks : 1));
		for (uint32_t i = 0; i < thread->edge_count; i++) {
			require(thread->edges[i].thread >= 1 &&
				thread->edges[i].thread <= scan->thread_count);
			require(thread->edges[i].thread != t);
			require(i == 0 || thread->edges[i].at >= thread->edges[i - 1].at);
		}
		edges += thread->edge_count;
	}
	require(edges == scan->edges);
}

static void plan(const uint8_t *bytes, size_t length)
{
	struct pario_replay_scan scan = { 0 };
	struct pario_trace trace;
	struct pario_err err = { 0 };

	if (pario_trace_load(&trace, memory_input(0, bytes, length), &err) < 0) {
		require(err.text[0]);
		return;
	}
	for (int layer = PARIO_REPLAY_PROGRAM; layer <= PARIO_REPLAY_POSIX; layer++) {
		if (pario_replay_scan(&scan, &trace, (enum pario_replay_layer)layer, &err) == 0) {
			check_names(&trace, &scan);
			check_threads(&scan);
		} else {
			require(err.text[0]);
		}
		pario_replay_scan_release(&scan);
	}
	pario_trace_release(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_text text = { 0 };

	plan(data, size);
	repair_trace(&text, data, size, PARIO_PACK_VERSION);
	plan((const uint8_t *)pario_text_string(&text), text.length);
	pario_text_release(&text);
	return 0;
}
