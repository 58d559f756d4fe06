/*
 * Any bytes as a trace to be replayed, most with the sums made right: the plan, of one of the layers, is made
 * without a crash in bounded time, and keeps what a replay relies on. Names stay below the tree; calls wait for
 * calls of threads that are there, and never for themselves.
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

static void plan(const uint8_t *bytes, size_t length, enum pario_replay_layer layer)
{
	struct pario_replay_scan scan = { 0 };
	struct pario_trace trace;
	struct pario_err err = { 0 };

	if (pario_trace_load(&trace, memory_input(0, bytes, length), &err) < 0) {
		require(err.text[0]);
		return;
	}
	if (pario_replay_scan(&scan, &trace, layer, &err) == 0) {
		check_names(&trace, &scan);
		check_threads(&scan);
	} else {
		require(err.text[0]);
	}
	pario_replay_scan_release(&scan);
	pario_trace_release(&trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pario_text text;
	enum pario_replay_layer layer =
		one_in(2, data, size) ? PARIO_REPLAY_PROGRAM : PARIO_REPLAY_POSIX;

	if (one_in(8, data, size)) {
		plan(data, size, layer);
		return 0;
	}
	pario_text_clear(&text);
	repair_trace(&text, data, size, PARIO_PACK_VERSION);
	plan((const uint8_t *)pario_text_string(&text), text.length, layer);
	return 0;
}
