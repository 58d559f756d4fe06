/*
 * Any bytes as a trace: the reader never crashes, and what it takes it can show. Mutated bytes would nearly always
 * stop at a sum, so most inputs are read with the sums made right for a version. One in 512 becomes a profile,
 * which takes a hundred times as long as reading: timelines alone are megabytes. The blocks alone are
 * fuzz_blocks's.
 */
#include "profile/show/show.h"
#include "trace/stream.h"
#include "profile/show/tables.h"
#include "trace_bytes.h"

/* Thread by thread, with everything that calls name looked up. */
static void read_stream(const char *path)
{
	struct pario_trace trace;
	struct pario_err err = { 0 };
	struct pario_text text = { 0 };
	struct pario_trace_comm comm;
	struct pario_trace_call call;

	if (pario_trace_load(&trace, path, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	pario_trace_lacks(&trace, &text);
	for (uint32_t i = 1; i <= pario_trace_threads(&trace) && i < 16; i++) {
		struct pario_trace_stream *s =
			pario_trace_stream_open(&trace, i, i % 2 ? 16 : 0, &err);

		while (s && pario_trace_stream_next(s, &call, &err) > 0) {
			const struct pario_trace_view *view =
				pario_trace_view_of(&trace, call.process, (uint32_t)call.size);

			pario_text_clear(&text);
			pario_arguments_text(&call.arguments, call.op, &text, NULL, NULL);
			if (pario_trace_comm_of(&trace, call.process, call.result, &comm))
				pario_trace_member(comm.members, comm.member_runs, comm.size / 2);
			if ((view && view->run_count && !view->runs) ||
			    (call.file && !pario_trace_file_of(&trace, call.file)) ||
			    (call.other_file && !pario_trace_file_of(&trace, call.other_file)))
				abort();
		}
		pario_trace_stream_close(s);
	}
	pario_text_release(&text);
	pario_trace_release(&trace);
}

static void show(const char *path, bool wide)
{
	struct pario_profile profile;
	struct pario_err err = { 0 };
	struct pario_text text = { 0 };
	if (pario_profile_read(&profile, path, NULL, NULL, NULL, &err) == 0) {
		struct pario_result_tables_omitted omitted;
		struct pario_result_tables tables = { 0 };

		pario_profile_show(&profile, NULL, 5, wide, &text);
		require_inert(&text);
		pario_profile_tables(&profile, NULL, &tables, &omitted, &err);
		pario_result_tables_release(&tables);
		pario_profile_release(&profile);
	} else if (!err.text[0]) {
		abort();
	}
	pario_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pario_text text;
	unsigned version = XXH64(data, size, 0) % (PARIO_PACK_VERSION + 1);
	const char *path;

	pario_text_clear(&text);
	if (version)
		repair_trace(&text, data, size, version);
	path = version ? memory_input(0, pario_text_string(&text), text.length)
		       : memory_input(0, data, size);
	read_stream(path);
	if (one_in(512, data, size))
		show(path, size & 1);
	return 0;
}
