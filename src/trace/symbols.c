/*
 * symbols: libdw does the work; without it addresses stay addresses.
 */
#include "trace/symbols.h"

#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void pario_source_release(struct pario_source *source)
{
	pario_text_release(&source->function);
	pario_text_release(&source->file);
}

static void begin(struct pario_source *source)
{
	pario_text_clear(&source->function);
	pario_text_clear(&source->file);
	source->line = 0;
	source->into = 0;
}

void pario_symbols_name(struct pario_symbols *s, const char *path, const char *build_id,
			uint64_t offset, struct pario_text *text)
{
	struct pario_source at = { 0 };

	pario_symbols_find(s, path, build_id, offset, &at);
	if (at.function.length)
		pario_text_clean(text, pario_text_string(&at.function));
	else
		pario_text_clean(text, at.file.length ? "?" : *path ? base_name(path) : "?");
	if (at.file.length) {
		pario_text_add(text, " ");
		pario_text_clean(text, pario_text_string(&at.file));
		pario_text_add(text, ":%d", at.line);
	} else {
		pario_text_add(text, "+0x%llx",
			       (unsigned long long)(at.function.length ? at.into : offset));
		if (at.function.length) {
			pario_text_add(text, " (");
			pario_text_clean(text, base_name(path));
			pario_text_add(text, ")");
		}
	}
	pario_source_release(&at);
}

#ifdef PARIO_HAVE_LIBDW

#include <dwarf.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "trace/demangle.h"

enum { MODULES = 512, FOUND = 4096, LOOKED_AT = 50000, ID_CAPACITY = 132 };

struct module {
	char *path, *build_id;
	Dwfl *dwfl; /* one each: modules lie at the addresses of their files, which overlap */
	Dwfl_Module *module;
	struct pario_symbols *of;
};

/* An ELF file below the user's directory. */
struct found {
	char *path;
	char build_id[ID_CAPACITY];
};

struct pario_symbols {
	char *directory;
	struct module modules[MODULES];
	size_t count;
	struct found *found;
	size_t found_count;
	bool looked;
	struct pario_demangler demangler;
};

/* ---- which file it is ---- */

static void id_text(const unsigned char *bits, int n, char hex[ID_CAPACITY])
{
	hex[0] = '\0';
	for (int i = 0; i < n && i < 64; i++)
		snprintf(hex + 2 * i, 3, "%02x", bits[i]);
}

static int find_debug(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **debug_name);

static char *no_path;
static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &no_path,
};

/* Opens an ELF file by itself; its build-id, "" when it has none. */
static Dwfl *open_elf(const char *path, Dwfl_Module **module, char hex[ID_CAPACITY])
{
	const unsigned char *bits;
	GElf_Addr at, bias;
	struct stat st;
	Dwfl *dwfl;

	hex[0] = '\0';
	/* a trace may name anything, and a pipe would never open */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	dwfl = dwfl_begin(&callbacks);
	if (!dwfl)
		return NULL;
	*module = dwfl_report_elf(dwfl, "module", path, -1, 0, true);
	dwfl_report_end(dwfl, NULL, NULL);
	if (*module && dwfl_module_getelf(*module, &bias)) {
		int n = dwfl_module_build_id(*module, &bits, &at);

		id_text(bits, n, hex);
		return dwfl;
	}
	dwfl_end(dwfl);
	return NULL;
}

static bool try_file(struct module *m, const char *path)
{
	char hex[ID_CAPACITY];
	void **userdata;

	m->dwfl = open_elf(path, &m->module, hex);
	if (m->dwfl && strcmp(hex, m->build_id) == 0) {
		dwfl_module_info(m->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
		*userdata = m;
		return true;
	}
	if (m->dwfl)
		dwfl_end(m->dwfl);
	m->dwfl = NULL;
	m->module = NULL;
	return false;
}

/* ---- what lies below the user's directory ---- */

static bool is_elf(const char *path)
{
	char magic[4] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, magic, 4) == 4 && memcmp(magic, "\177ELF", 4) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static void add_found(struct pario_symbols *s, const char *path)
{
	struct found *more;
	Dwfl_Module *module;
	char hex[ID_CAPACITY];
	Dwfl *dwfl = open_elf(path, &module, hex);

	if (dwfl)
		dwfl_end(dwfl);
	if (!dwfl || !*hex)
		return;
	more = realloc(s->found, (s->found_count + 1) * sizeof(*more));
	if (!more)
		return;
	s->found = more;
	memcpy(more[s->found_count].build_id, hex, sizeof(hex));
	more[s->found_count].path = strdup(path);
	s->found_count += more[s->found_count].path != NULL;
}

/* Once, when the first module is not where it was. */
static void look_through(struct pario_symbols *s)
{
	char *const paths[] = { s->directory, NULL };
	FTS *tree;
	FTSENT *entry;

	if (s->looked || !s->directory)
		return;
	s->looked = true;
	tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	for (int i = 0; tree && i < LOOKED_AT && s->found_count < FOUND; i++) {
		entry = fts_read(tree);
		if (!entry)
			break;
		if (entry->fts_info == FTS_F && S_ISREG(entry->fts_statp->st_mode) &&
		    is_elf(entry->fts_path))
			add_found(s, entry->fts_path);
	}
	if (tree)
		fts_close(tree);
}

/* The next file of this build-id from `*from` on, other than `not`. */
static const char *next_found(const struct pario_symbols *s, const char *build_id, const char * not,
			      size_t *from)
{
	while (*from < s->found_count) {
		const struct found *f = &s->found[(*from)++];

		if (strcmp(f->build_id, build_id) == 0 && (!not || strcmp(f->path, not ) != 0))
			return f->path;
	}
	return NULL;
}

/* Where debuggers look, and then below the user's directory. */
static int find_debug(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **debug_name)
{
	struct module *m = *userdata;
	const char *path;
	size_t from = 0;
	int fd = dwfl_standard_find_debuginfo(mod, userdata, name, base, file, link, crc,
					      debug_name);

	if (fd >= 0 || !m)
		return fd;
	look_through(m->of);
	path = next_found(m->of, m->build_id, file, &from);
	if (!path)
		return -1;
	*debug_name = strdup(path);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void find(struct pario_symbols *s, struct module *m)
{
	static const char *const places[] = { NULL, "/usr/lib/debug" }, *const endings[] = {
		"", ".debug"
	};
	const char *rest = strlen(m->build_id) > 2 ? m->build_id + 2 : "", *path;
	char name[4400];
	size_t from = 0;

	if (try_file(m, m->path))
		return;
	for (size_t i = 0; i < 4 && *rest; i++) {
		const char *directory = places[i / 2] ? places[i / 2] : s->directory;

		snprintf(name, sizeof(name), "%s/.build-id/%.2s/%s%s", directory ? directory : "",
			 m->build_id, rest, endings[i % 2]);
		if (directory && try_file(m, name))
			return;
	}
	look_through(s);
	while (*rest && (path = next_found(s, m->build_id, NULL, &from))) {
		if (try_file(m, path))
			return;
	}
	/* without a build-id there is only the name to go by */
	snprintf(name, sizeof(name), "%s/%s", s->directory ? s->directory : "", base_name(m->path));
	if (!*rest && s->directory)
		try_file(m, name);
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
	m->of = s;
	m->path = strdup(path);
	m->build_id = strdup(build_id);
	if (!m->path || !m->build_id) {
		free(m->path);
		free(m->build_id);
		return NULL;
	}
	s->count++;
	find(s, m);
	return m;
}

/* ---- what is at an address ---- */

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute storage, *attribute = dwarf_attr_integrate(die, name, &storage);

	return attribute ? dwarf_formstring(attribute) : NULL;
}

/* The unit an address lies in. Not every compiler writes the index that libdw looks into first. */
static Dwarf_Die *unit_of(Dwfl_Module *module, GElf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);

	for (Dwarf_Die *at = NULL; !unit && (at = dwfl_module_nextcu(module, at, bias));) {
		if (dwarf_haspc(at, address - *bias) > 0)
			unit = at;
	}
	return unit;
}

/* The innermost function, inlined ones too: the line is theirs. */
static bool add_function(struct pario_symbols *s, Dwarf_Die *unit, Dwarf_Addr address,
			 struct pario_text *text)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes(unit, address, &scopes);
	bool found = false;

	for (int i = 0; i < count && !found; i++) {
		int tag = dwarf_tag(&scopes[i]);
		const char *name, *linkage;

		if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
		    tag != DW_TAG_entry_point)
			continue;
		name = text_of(&scopes[i], DW_AT_name);
		linkage = text_of(&scopes[i], DW_AT_linkage_name);
		/* C++ and Fortran's modules need the long name, Fortran's other procedures lose their underscore */
		if (linkage && (strncmp(linkage, "_Z", 2) == 0 || strstr(linkage, "_MOD_")))
			name = linkage;
		if (name)
			pario_demangle(&s->demangler, name, text);
		found = name != NULL;
	}
	free(scopes);
	return found;
}

static void add_line(Dwarf_Die *unit, Dwarf_Addr address, struct pario_source *source)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL,
		   *directory = text_of(unit, DW_AT_comp_dir);

	if (!file)
		return;
	if (*file != '/' && directory)
		pario_text_add(&source->file, "%s/", directory);
	pario_text_add(&source->file, "%s", file);
	dwarf_lineno(line, &source->line);
}

static void find_native(struct pario_symbols *s, const char *path, const char *build_id,
			uint64_t offset, struct pario_source *source)
{
	struct module *m = s ? module_of(s, path, build_id) : NULL;
	GElf_Addr bias = 0, address;
	Dwarf_Addr shift = 0;
	const char *function;
	GElf_Off into = 0;
	GElf_Sym symbol;
	Dwarf_Die *unit;

	if (!m || !m->module)
		return;
	dwfl_module_getelf(m->module, &bias);
	address = offset + bias - 1; /* the call lies before the return */
	function = dwfl_module_addrinfo(m->module, address, &into, &symbol, NULL, NULL, NULL);
	source->into = (uint64_t)into + 1;
	unit = unit_of(m->module, address, &shift);
	if (unit)
		add_line(unit, address - shift, source);
	if ((!unit || !add_function(s, unit, address - shift, &source->function)) && function)
		pario_demangle(&s->demangler, function, &source->function);
}

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
	for (size_t i = 0; i < s->found_count; i++)
		free(s->found[i].path);
	free(s->found);
	free(s->directory);
	pario_demangler_release(&s->demangler);
	free(s);
}

#else

struct pario_symbols *pario_symbols_new(const char *directory)
{
	(void)directory;
	return calloc(1, 1); /* nothing is in it */
}

void pario_symbols_free(struct pario_symbols *symbols)
{
	free(symbols);
}

static void find_native(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_source *source)
{
	(void)symbols, (void)path, (void)build_id, (void)offset, (void)source;
}

#endif

/* A function of Python names itself, and offsets in it are lines (tracer/preload/python.h). */
static const char PYTHON[] = "python:";

void pario_symbols_find(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_source *source)
{
	begin(source);
	if (strncmp(build_id, PYTHON, strlen(PYTHON)) != 0) {
		find_native(symbols, path, build_id, offset, source);
		return;
	}
	pario_text_add(&source->function, "%s", build_id + strlen(PYTHON));
	pario_text_add(&source->file, "%s", path);
	source->line = (int)offset;
}
