/*
 * elf: files that say wrong things about themselves.
 */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "tracer/elf_reader.h"

#include "../temporary.h"

/* One page of a program: a head, program headers behind it, a note, a dynamic table and its texts. */
struct page {
	ElfW(Ehdr) head;
	ElfW(Phdr) headers[3];
	struct {
		ElfW(Nhdr) head;
		char name[4];
		unsigned char id[4];
	} note;
	ElfW(Dyn) dynamic[3];
	char texts[16];
};

static struct page sound(void)
{
	struct page p = {
		.head = { .e_type = ET_DYN,
			  .e_phoff = offsetof(struct page, headers),
			  .e_phnum = 3,
			  .e_phentsize = sizeof(ElfW(Phdr)) },
		.headers = { { .p_type = PT_NOTE,
			       .p_offset = offsetof(struct page, note),
			       .p_filesz = sizeof(p.note) },
			     { .p_type = PT_DYNAMIC,
			       .p_offset = offsetof(struct page, dynamic),
			       .p_filesz = sizeof(p.dynamic) },
			     { .p_type = PT_LOAD, .p_vaddr = 0x10000, .p_filesz = sizeof(p) } },
		.note = { .head = { 4, 4, NT_GNU_BUILD_ID }, .name = "GNU", .id = { 1, 2, 3, 4 } },
		.dynamic = { { .d_tag = DT_STRTAB,
			       .d_un.d_ptr = 0x10000 + offsetof(struct page, texts) },
			     { .d_tag = DT_NEEDED, .d_un.d_val = 1 } },
		.texts = "\0libmpi.so",
	};

	memcpy(p.head.e_ident, ELFMAG, SELFMAG);
	p.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	p.head.e_ident[EI_DATA] = ELFDATA2LSB;
	return p;
}

static enum pario_elf_kind open_page(struct pario_elf *elf, const struct page *p)
{
	const struct pario_elf_bytes from = { .memory = p, .length = sizeof(*p) };

	return pario_elf_open(elf, &from);
}

static void a_sound_file_is_read(void **state)
{
	struct page p = sound();
	struct pario_elf_links links;
	struct pario_elf_note note;
	struct pario_elf elf;
	ElfW(Dyn) entry;
	char text[8];

	(void)state;
	assert_int_equal(open_page(&elf, &p), PARIO_ELF_OWN);
	assert_true(elf.moves);
	assert_true(pario_elf_find_note(&elf, "GNU", NT_GNU_BUILD_ID, &note));
	assert_int_equal(note.bytes, 4);
	assert_memory_equal(note.content, p.note.id, 4);
	assert_false(pario_elf_find_note(&elf, "Go", 0, &note));
	assert_true(pario_elf_find_links(&elf, &links));
	assert_true(pario_elf_link(&elf, &links, 1, &entry));
	assert_true(pario_elf_link_text(&elf, &links, &entry, text, sizeof(text)));
	assert_string_equal(text, "libmpi.");
	assert_false(pario_elf_link(&elf, &links, 2, &entry));
}

static void tables_outside_of_the_file_are_not_there(void **state)
{
	static const uint64_t wrong[] = { UINT64_MAX, UINT64_MAX - 55, UINT64_MAX - 55 * 2 + 1,
					  INT64_MAX, sizeof(struct page) };
	struct pario_elf_note note;
	struct pario_elf elf;
	ElfW(Phdr) header;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct page p = sound();

		p.head.e_phoff = wrong[i];
		assert_int_equal(open_page(&elf, &p), PARIO_ELF_OWN);
		for (unsigned k = 0; k < 3; k++)
			assert_false(pario_elf_header(&elf, k, &header));
		p = sound();
		p.headers[0].p_offset = wrong[i];
		p.headers[0].p_filesz = UINT64_MAX;
		assert_int_equal(open_page(&elf, &p), PARIO_ELF_OWN);
		assert_false(pario_elf_find_note(&elf, "GNU", NT_GNU_BUILD_ID, &note));
	}
}

static void sizes_that_wrap_end_the_search(void **state)
{
	struct page p = sound();
	struct pario_elf_links links;
	struct pario_elf_note note;
	struct pario_elf elf;
	ElfW(Dyn) entry;
	char text[8];

	(void)state;
	p.note.head.n_namesz = p.note.head.n_descsz = UINT32_MAX;
	p.dynamic[1].d_un.d_val = UINT64_MAX - 3;
	open_page(&elf, &p);
	assert_false(pario_elf_find_note(&elf, "GNU", NT_GNU_BUILD_ID, &note));
	assert_true(pario_elf_find_links(&elf, &links));
	assert_true(pario_elf_link(&elf, &links, 1, &entry));
	assert_false(pario_elf_link_text(&elf, &links, &entry, text, sizeof(text)));
	p.head.e_phnum = UINT16_MAX;
	p.headers[2].p_offset = UINT64_MAX;
	open_page(&elf, &p);
	assert_false(pario_elf_find_links(&elf, &links));
}

static void other_files_are_told_apart(void **state)
{
	const struct pario_elf_bytes nothing = { .memory = "", .length = 0 };
	struct page p = sound();
	struct pario_elf elf;

	(void)state;
	assert_int_equal(pario_elf_open(&elf, &nothing), PARIO_ELF_NONE);
	p.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64;
	assert_int_equal(open_page(&elf, &p), PARIO_ELF_OTHER_WORD);
	p.head.e_ident[0] = '#';
	assert_int_equal(open_page(&elf, &p), PARIO_ELF_NONE);
}

/* Through a window a file reads as without: any place and length, also across the ends of window and file. */
static void a_window_shows_the_same(void **state)
{
	enum { BYTES = 3 * PARIO_ELF_WINDOW / 2 };
	static unsigned char all[BYTES];
	struct pario_elf_window window = { 0 };
	char name[TEMPORARY_CAPACITY], got[PARIO_ELF_WINDOW + 8];
	struct pario_elf_bytes from = { .fd = mkstemp(temporary(name, "elf")), .window = &window };

	(void)state;
	assert_true(from.fd >= 0);
	unlink(name);
	for (size_t i = 0; i < BYTES; i++)
		all[i] = (unsigned char)(i * 7 + i / 256);
	assert_int_equal(write(from.fd, all, BYTES), BYTES);
	for (size_t i = 0; i < 5000; i++) {
		size_t at = i * 1237 % (BYTES + 100), length = i * 641 % sizeof(got),
		       rest = at < BYTES ? BYTES - at : 0, want = length < rest ? length : rest;

		assert_int_equal(pario_elf_some(&from, at, got, length), want);
		assert_memory_equal(got, all + (want ? at : 0), want);
	}
	assert_int_equal(pario_elf_some(&from, UINT64_MAX - 4, got, 8), 0);
	close(from.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sound_file_is_read),
		cmocka_unit_test(tables_outside_of_the_file_are_not_there),
		cmocka_unit_test(sizes_that_wrap_end_the_search),
		cmocka_unit_test(other_files_are_told_apart),
		cmocka_unit_test(a_window_shows_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
