/*
 * modules: what is mapped where, so that addresses can be named later, on another machine, without the program.
 *
 * Every object the loader has mapped is written down once with its build-id. dlopen is not wrapped: it looks at its
 * caller to find libraries, and a wrapper would be the wrong caller. Instead the loader's own count of objects is
 * compared now and then.
 */
#include "trace/trace.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "trace/raw.h"

struct look {
	unsigned long long adds;
	bool changed;
};

/* Wiped in children, which then describe all modules again. */
static unsigned long long *seen;

static void hex(char *to, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		*to++ = "0123456789abcdef"[bytes[i] >> 4];
		*to++ = "0123456789abcdef"[bytes[i] & 15];
	}
}

/* The build-id as hex digits; their number. */
static size_t build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * segment, char *to)
{
	const char *at = (const char *)(info->dlpi_addr + segment->p_vaddr);
	const char *end = at + segment->p_memsz;

	while (at + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
		size_t name = (note->n_namesz + 3u) & ~3u, content = (note->n_descsz + 3u) & ~3u;

		at += sizeof(*note);
		if (name + content > (size_t)(end - at))
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    memcmp(at, "GNU", 4) == 0 && note->n_descsz <= 32) {
			hex(to, (const unsigned char *)at + name, note->n_descsz);
			return 2 * note->n_descsz;
		}
		at += name + content;
	}
	return 0;
}

static void describe(const struct dl_phdr_info *info)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_MODULE, .offset = UINT64_MAX };
	char text[PARIO_TRACE_TEXT_MAX];
	size_t length = strnlen(info->dlpi_name, 4000), id = 0;
	char digits[64];

	memcpy(text, info->dlpi_name, length);
	if (!length) {
		long n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)text, 4000);

		length = n > 0 ? (size_t)n : 0;
	}
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && from < note.offset)
			note.offset = from;
		if (p->p_type == PT_LOAD && from + p->p_memsz > note.site)
			note.site = from + p->p_memsz;
		if (p->p_type == PT_NOTE && !id)
			id = build_id(info, p, digits);
	}
	/* `file` and `result` hold what is added to addresses of the file: zero for programs at fixed places. */
	note.file = (uint32_t)info->dlpi_addr;
	note.result = (int32_t)(info->dlpi_addr >> 32);
	note.t0 = pario_ticks();
	text[length++] = '\n';
	memcpy(text + length, digits, id);
	pario_trace_note(&note, text, length + id);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
	struct look *look = data;

	(void)size;
	if (!look->changed) {
		if (info->dlpi_adds == look->adds)
			return 1;
		look->changed = true;
		look->adds = info->dlpi_adds;
	}
	describe(info);
	return 0;
}

void pario_modules_look(void)
{
	struct look look = { 0 };

	if (!seen)
		seen = pario_trace_wiped(sizeof(*seen));
	if (!seen)
		return;
	look.adds = *seen;
	dl_iterate_phdr(visit, &look);
	*seen = look.adds;
}
