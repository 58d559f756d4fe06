/*
 * Any bytes as a program file: the reader stays within them, ends, and gives texts that end.
 */
#include "tracer/elf_reader.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pario_elf_bytes from = { .memory = data, .length = size };
	struct pario_elf_links links;
	struct pario_elf_note note;
	struct pario_elf elf;
	ElfW(Phdr) header;
	ElfW(Dyn) entry;
	char text[64];

	if (pario_elf_open(&elf, &from) != PARIO_ELF_OWN)
		return 0;
	for (unsigned i = 0; pario_elf_header(&elf, i, &header); i++) {
		if (pario_elf_text(&elf, header.p_offset, header.p_filesz, text, sizeof(text)) &&
		    strlen(text) >= sizeof(text))
			abort();
	}
	if (pario_elf_find_note(&elf, "GNU", NT_GNU_BUILD_ID, &note) &&
	    note.type != NT_GNU_BUILD_ID)
		abort();
	pario_elf_find_note(&elf, "Go", 0, &note);
	if (!pario_elf_find_links(&elf, &links))
		return 0;
	for (uint64_t i = 0; pario_elf_link(&elf, &links, i, &entry); i++)
		pario_elf_link_text(&elf, &links, &entry, text, sizeof(text));
	return 0;
}
