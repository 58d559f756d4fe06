/*
 * python: two loads per frame where a line is known; a table of functions, and a cache of the lines in them.
 */
#include "tracer/preload/python.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"
#include "tracer/preload/window.h"

enum { FUNCTIONS = 4096, LINES = 1 << 16, CACHE = 1024, FRAMES = 16, TEXT = 1024 };

/* Where things lie in CPython 3.11. */
enum {
	STATE_CFRAME = 56,
	CFRAME_FRAME = 8,
	FRAME_CODE = 32,
	FRAME_PREVIOUS = 48,
	FRAME_INSTRUCTION = 56,
	CODE_TYPE = 8,
	CODE_FILE = 112,
	CODE_NAME = 128,
	CODE_INSTRUCTIONS = 184,
	STRING_LENGTH = 16,
	STRING_STATE = 32,
	STRING_TEXT = 48,
	STRING_PLAIN = 1 << 5 | 1 << 6, /* ASCII, behind its head */
};

bool pario_python_known;

static void *(*state)(void);
static int (*line_of)(void *code, int offset);
static const void *code_type;
static uint64_t base; /* of the reserved addresses */

struct function {
	const char *code,
		*name; /* its object, and that of its name: a new one may lie where an old one was */
	bool passes_on; /* part of the interpreter: who called it counts */
};

static struct function *functions;
static unsigned function_count;
static bool busy;

static struct {
	const char *code, *name, *instruction;
	uint64_t site;
	bool passes;
} cache[CACHE];

#define POINTER(at, offset) (*(const char *const *)((at) + (offset)))

void pario_python_begin(void)
{
	if (!pario_python_known)
		return;
	memset(cache, 0, sizeof(cache));
	function_count = 0;
	busy = false;
}

void pario_python_find(void)
{
	const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");
	long p;

	if (!version || *version >> 16 != 0x030b)
		return;
	*(void **)&state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
	*(void **)&line_of = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
	code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
	p = pario_raw6(SYS_mmap, 0, (long)FUNCTIONS * LINES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p < 0 && p > -4096)
		return;
	base = (uint64_t)p;
	p = pario_raw6(SYS_mmap, 0, FUNCTIONS * sizeof(*functions), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p < 0 && p > -4096)
		return;
	functions = (struct function *)p;
	pario_python_known = state && line_of && code_type;
}

/* The text of a string object in plain ASCII; NULL where it is something else. */
static const char *text_of(const char *string, size_t *length)
{
	if (!pario_readable_range(string, STRING_TEXT) ||
	    (*(const uint32_t *)(string + STRING_STATE) & STRING_PLAIN) != STRING_PLAIN)
		return NULL;
	*length = *(const size_t *)(string + STRING_LENGTH);
	return *length < TEXT && pario_readable_range(string + STRING_TEXT, *length + 1)
		       ? string + STRING_TEXT
		       : NULL;
}

/* Modules that come with Python ask for somebody; "<frozen importlib...>" asks for the interpreter itself. */
static bool is_passing_on(const char *file)
{
	if (strncmp(file, "<frozen ", 8) == 0)
		return strncmp(file, "<frozen importlib", 17) != 0 &&
		       strncmp(file, "<frozen site", 12) != 0 &&
		       strncmp(file, "<frozen zip", 11) != 0;
	return strstr(file, "/lib/python3.11/") && !strstr(file, "-packages/");
}

/* The number of a new function, written down in the trace; FUNCTIONS: it cannot be named. */
static unsigned add_function(const char *code, const char *name)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_MODULE, .t0 = pario_ticks() };
	size_t file_length, name_length;
	const char *file = text_of(POINTER(code, CODE_FILE), &file_length),
		   *name_text = text_of(name, &name_length);
	char text[2 * TEXT + 16];
	unsigned number = function_count;
	uint64_t from = base + (uint64_t)number * LINES;

	if (!file || !name_text || number == FUNCTIONS)
		return FUNCTIONS;
	memcpy(text, file, file_length);
	memcpy(text + file_length, "\npython:", 8);
	memcpy(text + file_length + 8, name_text, name_length);
	note.offset = from;
	note.site = from + LINES;
	note.file = (uint32_t)from;
	note.result = (int32_t)(from >> 32);
	note.size = file_length + 8 + name_length;
	functions[number] = (struct function){ code, name, is_passing_on(file) };
	__atomic_store_n(&function_count, number + 1, __ATOMIC_RELEASE);
	pario_trace_note(&note, text, note.size);
	return number;
}

static unsigned find_function(const char *code, const char *name)
{
	unsigned count = __atomic_load_n(&function_count, __ATOMIC_ACQUIRE), number = FUNCTIONS;
	uint64_t old;

	for (unsigned i = 0; i < count; i++) {
		if (functions[i].code == code && functions[i].name == name)
			return i;
	}
	/* one thread adds at a time; another one's call keeps its address for once */
	old = pario_signals_hold();
	if (!__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
		number = add_function(code, name);
		__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
	}
	pario_signals_release(old);
	return number;
}

static size_t slot_of(const char *instruction)
{
	return (((uintptr_t)instruction >> 1) * 0x9e3779b97f4a7c15u >> 40) % CACHE;
}

/* The address that stands for the line; 0: it cannot be named. */
static uint64_t name_line(const char *code, const char *name, const char *instruction, bool *passes)
{
	size_t slot = slot_of(instruction);
	unsigned number = find_function(code, name);
	uint64_t found;
	int line;

	if (number == FUNCTIONS)
		return 0;
	line = line_of((void *)(uintptr_t)code, (int)(instruction - (code + CODE_INSTRUCTIONS)));
	if (line <= 0 || line >= LINES - 1)
		return 0;
	found = base + (uint64_t)number * LINES + (uint64_t)line;
	*passes = functions[number].passes_on;
	__atomic_store_n(&cache[slot].instruction, NULL, __ATOMIC_RELEASE);
	cache[slot].code = code;
	cache[slot].name = name;
	__atomic_store_n(&cache[slot].passes, *passes, __ATOMIC_RELEASE);
	__atomic_store_n(&cache[slot].site, found, __ATOMIC_RELEASE);
	__atomic_store_n(&cache[slot].instruction, instruction, __ATOMIC_RELEASE);
	return found;
}

/* The same from the cache; 0: it is not there. */
static uint64_t look_up(const char *code, const char *name, const char *instruction, bool *passes)
{
	size_t slot = slot_of(instruction);
	uint64_t found;

	if (__atomic_load_n(&cache[slot].instruction, __ATOMIC_ACQUIRE) != instruction ||
	    cache[slot].code != code || cache[slot].name != name)
		return 0;
	found = __atomic_load_n(&cache[slot].site, __ATOMIC_ACQUIRE);
	*passes = __atomic_load_n(&cache[slot].passes, __ATOMIC_ACQUIRE);
	return __atomic_load_n(&cache[slot].instruction, __ATOMIC_ACQUIRE) == instruction ? found
											  : 0;
}

uint64_t pario_python_line(uint64_t site)
{
	const char *at = state(), *frame, *code, *name, *instruction;
	uint64_t found, first = 0;

	at = at ? POINTER(at, STATE_CFRAME) : NULL;
	frame = at ? POINTER(at, CFRAME_FRAME) : NULL;
	for (int i = 0; frame && i < FRAMES; i++) {
		bool passes = false;

		/* a frame is complete before it joins the chain, and lives until it has left it */
		code = POINTER(frame, FRAME_CODE);
		instruction = POINTER(frame, FRAME_INSTRUCTION);
		if (!code || POINTER(code, CODE_TYPE) != code_type)
			break;
		name = POINTER(code, CODE_NAME);
		found = look_up(code, name, instruction, &passes);
		if (!found)
			found = name_line(code, name, instruction, &passes);
		if (!found || !passes)
			return found ? found : first ? first : site;
		first = first ? first : found;
		frame = POINTER(frame, FRAME_PREVIOUS);
	}
	return first ? first : site;
}
