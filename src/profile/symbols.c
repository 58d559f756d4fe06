/*
 * symbols: libdw does the work; without it addresses stay addresses.
 */
#include "profile/symbols.h"

#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void plain(const char *path, uint64_t offset, struct pario_text *text)
{
	pario_text_clean(text, *path ? base_name(path) : "?");
	pario_text_add(text, "+0x%llx", (unsigned long long)offset);
}

#ifdef PARIO_HAVE_LIBDW

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

enum { MODULES = 512 };

struct module {
	char *path, *build_id;
	Dwfl *dwfl; /* one each: modules lie at the addresses of their files, which overlap */
	Dwfl_Module *module;
};

struct pario_symbols {
	char *directory;
	struct module modules[MODULES];
	size_t count;
};

static char *no_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &no_path,
};

struct pario_symbols *pario_symbols_new(const char *directory)
{
	struct pario_symbols *s = calloc(1, sizeof(*s));

	if (s && directory)
		s->directory = strdup(directory);
	return s;
}

void pario_symbols_free(struct pario_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		if (s->modules[i].dwfl)
			dwfl_end(s->modules[i].dwfl);
		free(s->modules[i].path);
		free(s->modules[i].build_id);
	}
	free(s->directory);
	free(s);
}

static bool same_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(module, &bits, &at);
	char hex[132] = "";

	for (int i = 0; i < n && i < 64; i++)
		snprintf(hex + 2 * i, 3, "%02x", bits[i]);
	return strcmp(hex, wanted) == 0;
}

static bool try_file(struct module *m, const char *path)
{
	Elf *elf = NULL;
	GElf_Addr bias;

	m->dwfl = dwfl_begin(&callbacks);
	if (!m->dwfl)
		return false;
	m->module = dwfl_report_elf(m->dwfl, "module", path, -1, 0, true);
	dwfl_report_end(m->dwfl, NULL, NULL);
	if (m->module)
		elf = dwfl_module_getelf(m->module, &bias);
	if (elf && same_id(m->module, m->build_id))
		return true;
	dwfl_end(m->dwfl);
	m->dwfl = NULL;
	m->module = NULL;
	return false;
}

/* DIRECTORY/name, and DIRECTORY/.build-id/ab/cdef.debug as debuggers keep them. */
static void find(const struct pario_symbols *s, struct module *m)
{
	static const char *const places[] = { NULL, "/usr/lib/debug" };
	char path[4400];

	if (try_file(m, m->path))
		return;
	for (size_t i = 0; i < 2; i++) {
		const char *directory = places[i] ? places[i] : s->directory;

		if (!directory)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, base_name(m->path));
		if (try_file(m, path))
			return;
		snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", directory, m->build_id,
			 strlen(m->build_id) > 2 ? m->build_id + 2 : "");
		if (try_file(m, path))
			return;
	}
}

static struct module *module_of(struct pario_symbols *s, const char *path, const char *build_id)
{
	struct module *m;

	for (size_t i = 0; i < s->count; i++) {
		m = &s->modules[i];
		if (strcmp(m->path, path) == 0 && strcmp(m->build_id, build_id) == 0)
			return m;
	}
	if (s->count == MODULES)
		return NULL;
	m = &s->modules[s->count];
	m->path = strdup(path);
	m->build_id = strdup(build_id);
	if (!m->path || !m->build_id)
		return NULL;
	s->count++;
	find(s, m);
	return m;
}

void pario_symbols_name(struct pario_symbols *s, const char *path, const char *build_id,
			uint64_t offset, struct pario_text *text)
{
	struct module *m = s ? module_of(s, path, build_id) : NULL;
	const char *function = NULL, *file = NULL;
	GElf_Addr bias = 0, address;
	GElf_Off into = 0;
	GElf_Sym symbol;
	Dwfl_Line *line;
	int number = 0;

	if (!m || !m->module) {
		plain(path, offset, text);
		return;
	}
	dwfl_module_getelf(m->module, &bias);
	address = offset + bias - 1; /* the call lies before the return */
	function = dwfl_module_addrinfo(m->module, address, &into, &symbol, NULL, NULL, NULL);
	line = dwfl_module_getsrc(m->module, address);
	if (line)
		file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	if (!function && !file) {
		plain(path, offset, text);
		return;
	}
	pario_text_clean(text, function ? function : "?");
	if (file) {
		pario_text_add(text, " ");
		pario_text_clean(text, file);
		pario_text_add(text, ":%d", number);
	} else {
		pario_text_add(text, "+0x%llx (", (unsigned long long)into + 1);
		pario_text_clean(text, base_name(path));
		pario_text_add(text, ")");
	}
}

#else

struct pario_symbols {
	int none;
};

struct pario_symbols *pario_symbols_new(const char *directory)
{
	(void)directory;
	return calloc(1, sizeof(struct pario_symbols));
}

void pario_symbols_free(struct pario_symbols *symbols)
{
	free(symbols);
}

void pario_symbols_name(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_text *text)
{
	(void)symbols, (void)build_id;
	plain(path, offset, text);
}

#endif
