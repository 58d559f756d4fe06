/*
 * elf_reader: reads program files, whatever is in them. The only reader of that format: the preloaded library uses it
 * before its program becomes another one, `pario trace` before it starts the first, the ptrace tracer for what is
 * mapped.
 *
 * Nothing is allocated and nothing is taken on trust: every number of the file is only ever a place to read from, reads
 * outside of the file fail, and every table has a bound. Nothing that a file names is ever started.
 */
#ifndef PARIO_TRACER_ELF_READER_H
#define PARIO_TRACER_ELF_READER_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tracer/preload/raw.h"

enum {
	PARIO_ELF_HEADERS = 64,
	PARIO_ELF_NOTES = 64,
	PARIO_ELF_DYNAMIC = 1024,
	PARIO_ELF_WINDOW = 2048
};

/* What was read last: tables of small entries then take few system calls. */
struct pario_elf_window {
	uint64_t at;
	size_t length;
	char bytes[PARIO_ELF_WINDOW];
};

/* Where the bytes come from: memory, or where that is NULL, a descriptor, perhaps with a window. */
struct pario_elf_bytes {
	const void *memory;
	uint64_t length;
	int fd;
	struct pario_elf_window *window;
};

enum pario_elf_kind { PARIO_ELF_NONE, PARIO_ELF_OTHER_WORD, PARIO_ELF_OWN };

struct pario_elf {
	struct pario_elf_bytes from;
	uint64_t table; /* of the program headers */
	unsigned headers;
	bool moves; /* its addresses count from where it is mapped */
};

static inline size_t pario_elf_read(int fd, uint64_t at, void *to, size_t length)
{
	long n = pario_raw6(SYS_pread64, fd, (long)to, (long)length, (long)at, 0, 0);

	return n > 0 ? (size_t)n : 0;
}

static inline size_t pario_elf_read_window(const struct pario_elf_bytes *from, uint64_t at,
					   void *to, size_t length)
{
	struct pario_elf_window *w = from->window;

	if (at < w->at || at - w->at > w->length || w->length - (size_t)(at - w->at) < length) {
		w->length = pario_elf_read(from->fd, at, w->bytes, sizeof(w->bytes));
		w->at = at;
	}
	if (length > w->length - (size_t)(at - w->at))
		length = w->length - (size_t)(at - w->at);
	memcpy(to, w->bytes + (at - w->at), length);
	return length;
}

/* Up to `length` bytes at a place; how many there were. */
static inline size_t pario_elf_some(const struct pario_elf_bytes *from, uint64_t at, void *to,
				    size_t length)
{
	if (from->memory) {
		if (at >= from->length)
			return 0;
		if (length > from->length - at)
			length = (size_t)(from->length - at);
		memcpy(to, (const char *)from->memory + at, length);
		return length;
	}
	if (at > INT64_MAX - PARIO_ELF_WINDOW - length)
		return 0;
	return from->window && length <= PARIO_ELF_WINDOW
		       ? pario_elf_read_window(from, at, to, length)
		       : pario_elf_read(from->fd, at, to, length);
}

static inline bool pario_elf_take(const struct pario_elf_bytes *from, uint64_t at, void *to,
				  size_t length)
{
	return pario_elf_some(from, at, to, length) == length;
}

static inline enum pario_elf_kind pario_elf_open(struct pario_elf *elf,
						 const struct pario_elf_bytes *from)
{
	const unsigned short one = 1;
	ElfW(Ehdr) head;

	*elf = (struct pario_elf){ .from = *from };
	if (!pario_elf_take(from, 0, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return PARIO_ELF_NONE;
	if (head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return PARIO_ELF_OTHER_WORD;
	if (head.e_ident[EI_DATA] != (*(const char *)&one ? ELFDATA2LSB : ELFDATA2MSB) ||
	    head.e_phentsize != sizeof(ElfW(Phdr)))
		return PARIO_ELF_NONE;
	elf->table = head.e_phoff;
	elf->headers = head.e_phnum < PARIO_ELF_HEADERS ? head.e_phnum : PARIO_ELF_HEADERS;
	elf->moves = head.e_type == ET_DYN;
	return PARIO_ELF_OWN;
}

/* The header with this number; false behind the last, or when it is not there. */
static inline bool pario_elf_header(const struct pario_elf *elf, unsigned i, ElfW(Phdr) * header)
{
	uint64_t at;

	return i < elf->headers &&
	       !__builtin_add_overflow(elf->table, (uint64_t)i * sizeof(*header), &at) &&
	       pario_elf_take(&elf->from, at, header, sizeof(*header));
}

/* The text at a place, cut to `capacity` with its zero; false when there is none. */
static inline bool pario_elf_text(const struct pario_elf *elf, uint64_t at, uint64_t length,
				  char *to, size_t capacity)
{
	size_t n = pario_elf_some(&elf->from, at, to,
				  length < capacity - 1 ? (size_t)length : capacity - 1);

	to[n] = '\0';
	return n > 0;
}

/* ---- notes ---- */

struct pario_elf_note {
	uint32_t type, bytes; /* of the content, which is cut to its capacity */
	char name[8];
	unsigned char content[64];
};

/* The next note of a segment, from *at = 0 on. */
static inline bool pario_elf_note(const struct pario_elf *elf, const ElfW(Phdr) * segment,
				  uint64_t *at, struct pario_elf_note *note)
{
	uint64_t name, content, start;
	ElfW(Nhdr) head;

	if (*at > segment->p_filesz || segment->p_filesz - *at < sizeof(head) ||
	    __builtin_add_overflow(segment->p_offset, *at, &start) ||
	    !pario_elf_take(&elf->from, start, &head, sizeof(head)))
		return false;
	name = ((uint64_t)head.n_namesz + 3) & ~(uint64_t)3;
	content = ((uint64_t)head.n_descsz + 3) & ~(uint64_t)3;
	if (name + content > segment->p_filesz - *at - sizeof(head))
		return false;
	memset(note, 0, sizeof(*note));
	note->type = head.n_type;
	note->bytes = head.n_descsz;
	start += sizeof(head);
	*at += sizeof(head) + name + content;
	return pario_elf_take(&elf->from, start, note->name,
			      head.n_namesz < sizeof(note->name) ? head.n_namesz
								 : sizeof(note->name)) &&
	       pario_elf_take(&elf->from, start + name, note->content,
			      head.n_descsz < sizeof(note->content) ? head.n_descsz
								    : sizeof(note->content));
}

/* Is there a note of this name and type in any segment? A type of 0 is any. */
static inline bool pario_elf_find_note(const struct pario_elf *elf, const char *name, uint32_t type,
				       struct pario_elf_note *note)
{
	unsigned notes = 0;
	ElfW(Phdr) header;

	for (unsigned i = 0; pario_elf_header(elf, i, &header); i++) {
		uint64_t at = 0;

		while (header.p_type == PT_NOTE && notes++ < PARIO_ELF_NOTES &&
		       pario_elf_note(elf, &header, &at, note)) {
			if (strncmp(note->name, name, sizeof(note->name)) == 0 &&
			    (!type || note->type == type))
				return true;
		}
	}
	return false;
}

/* ---- what it links ---- */

/* The dynamic table and the texts its entries point into. */
struct pario_elf_links {
	uint64_t at, entries, texts;
};

/* Where in the file an address lies. */
static inline bool pario_elf_place(const struct pario_elf *elf, uint64_t address, uint64_t *at)
{
	ElfW(Phdr) header;

	for (unsigned i = 0; pario_elf_header(elf, i, &header); i++) {
		if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
		    address - header.p_vaddr < header.p_filesz)
			return !__builtin_add_overflow(header.p_offset, address - header.p_vaddr,
						       at);
	}
	return false;
}

static inline bool pario_elf_link(const struct pario_elf *elf, const struct pario_elf_links *links,
				  uint64_t i, ElfW(Dyn) * entry)
{
	uint64_t at;

	return i < links->entries && !__builtin_add_overflow(links->at, i * sizeof(*entry), &at) &&
	       pario_elf_take(&elf->from, at, entry, sizeof(*entry)) && entry->d_tag != DT_NULL;
}

static inline bool pario_elf_find_links(const struct pario_elf *elf, struct pario_elf_links *links)
{
	ElfW(Phdr) header;
	ElfW(Dyn) entry;

	*links = (struct pario_elf_links){ 0 };
	for (unsigned i = 0; !links->entries && pario_elf_header(elf, i, &header); i++) {
		if (header.p_type != PT_DYNAMIC)
			continue;
		links->at = header.p_offset;
		links->entries = header.p_filesz / sizeof(entry);
		if (links->entries > PARIO_ELF_DYNAMIC)
			links->entries = PARIO_ELF_DYNAMIC;
	}
	for (uint64_t i = 0; pario_elf_link(elf, links, i, &entry); i++) {
		if (entry.d_tag == DT_STRTAB)
			return pario_elf_place(elf, (uint64_t)entry.d_un.d_ptr, &links->texts);
	}
	return false;
}

/* The text of an entry whose value is a place among the texts. */
static inline bool pario_elf_link_text(const struct pario_elf *elf,
				       const struct pario_elf_links *links, const ElfW(Dyn) * entry,
				       char *to, size_t capacity)
{
	uint64_t at;

	return !__builtin_add_overflow(links->texts, (uint64_t)entry->d_un.d_val, &at) &&
	       pario_elf_text(elf, at, UINT64_MAX, to, capacity);
}

#endif
