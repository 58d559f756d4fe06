/*
 * Any bytes as what comes out of a launcher: its first byte chooses how they are cut into pieces, each of which begins
 * with the stream it comes from. Exit code, places and death are read from them; nothing of it is printed.
 */
#include "comm/relay.h"

#include "journal_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_relay relay;
	struct pario_relay_death death;
	size_t piece = size ? data[0] + 1 : 1;

	pario_relay_init(&relay, -1, -1);
	for (size_t at = 1; at < size; at += piece) {
		size_t length = size - at < piece ? size - at : piece;

		pario_relay_take(&relay, data[at] & 1, (const char *)data + at + 1, length - 1);
	}
	pario_relay_end(&relay);
	pario_relay_death(&relay, &death);
	require(strlen(death.host) < sizeof(death.host));
	require(memchr(pario_text_string(&relay.places), '\0', relay.places.length) == NULL);
	pario_relay_release(&relay);
	return 0;
}
