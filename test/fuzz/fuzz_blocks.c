/*
 * Any bytes as the blocks of a trace: calls, notes and ends are taken or stepped over, and what is taken is what
 * its block says. The first byte chooses: the bytes as they are, with the sums made right for a version, or as the
 * columns of one block.
 */
#include "trace/unpack.h"
#include "trace_bytes.h"

static void read_notes(const struct pario_unpack *u)
{
	static char text[PARIO_TRACE_TEXT_MAX + 1];
	struct pario_trace_record note;
	size_t at = 0, last = 0;

	while (pario_unpack_note(u, &at, &note, text) > 0) {
		require(at > last && at <= u->length && strlen(text) <= PARIO_TRACE_TEXT_MAX);
		last = at;
	}
}

static void read_blocks(const void *bytes, size_t length)
{
	struct pario_unpack u;
	struct pario_err err = { 0 };
	int kind;

	if (pario_unpack_open(&u, memory_input(0, bytes, length), &err) < 0) {
		require(err.text[0] != '\0');
		return;
	}
	for (int skip = 0; skip < 2; skip++) {
		while ((kind = pario_unpack_next(&u, skip)) > 0) {
			require(u.at <= u.bytes && u.block.count <= PARIO_PACK_CALLS);
			if (kind != PARIO_PACK_CALLS_OF && kind != PARIO_PACK_END)
				read_notes(&u);
		}
		require(u.damaged_bytes <= u.bytes);
		pario_unpack_rewind(&u);
	}
	pario_unpack_close(&u);
}

static void read_columns(const uint8_t *data, size_t size, unsigned version)
{
	static struct pario_trace_record calls[1 << 12];

	if (size > 2)
		pario_columns_read(data + 2, size - 2,
				   (uint32_t)(data[0] | data[1] << 8) % (1 << 12), version, calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pario_text text;
	unsigned how = size ? data[0] % (1 + 2 * PARIO_PACK_VERSION) : 0;

	if (how == 0) {
		read_blocks(data + (size > 0), size - (size > 0));
	} else if (how <= PARIO_PACK_VERSION) {
		pario_text_clear(&text);
		repair_trace(&text, data + 1, size - 1, how);
		read_blocks(pario_text_string(&text), text.length);
	} else {
		read_columns(data + 1, size - 1, how - PARIO_PACK_VERSION);
	}
	return 0;
}
