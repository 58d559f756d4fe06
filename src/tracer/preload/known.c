/*
 * known: tables in memory that children of fork find empty. Nobody waits for anybody: an entry that is being changed is
 * not there.
 *
 * What may cease to hold carries the number of the generation in which it was found out; the next one begins when a
 * directory may have been renamed.
 */
#include "tracer/preload/known.h"

#include <fcntl.h>
#include <string.h>

#include "tracer/preload/raw.h"

enum { DIRECTORIES = 1024, TEXTS = 32, STATES = 4096, GONE = 1 /* a key that nothing has */ };

/* An entry's key comes last and goes first. */
struct directory {
	uint64_t key, device;
	unsigned what;
};
struct text {
	uint64_t key;
	size_t length;
	char text[PARIO_NAME_PATH];
};
struct seen {
	uint64_t key;
	struct pario_state state;
};
static struct known {
	struct directory directories[DIRECTORIES];
	struct text texts[TEXTS];
	struct seen states[STATES];
} * known;

static uint32_t generation = 1;
static uint32_t wayfaring; /* how often the process went elsewhere */
static bool threads_apart; /* each thread may have a working directory of its own */

static struct known *table(void)
{
	if (!known && !pario_trace_mute)
		known = pario_trace_wiped(sizeof(*known));
	return known;
}

static uint64_t mix(uint64_t h)
{
	h *= 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

static uint64_t key_of(uint64_t hash)
{
	return mix(hash ^ mix(__atomic_load_n(&generation, __ATOMIC_RELAXED))) | 2;
}

/* Nobody else has the entry from here on until its key is set again; false when somebody has. */
static bool take(uint64_t *key)
{
	return __atomic_exchange_n(key, GONE, __ATOMIC_ACQUIRE) != GONE;
}

static bool is_still(const uint64_t *at, uint64_t key)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(at, __ATOMIC_RELAXED) == key;
}

void pario_forget_names(void)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELAXED);
}

/* ---- directories ---- */

static bool look_up(uint64_t directory, struct directory *found)
{
	const struct known *t = table();
	uint64_t key = key_of(directory);
	const struct directory *d = t ? &t->directories[key / 4 % DIRECTORIES] : NULL;

	if (!d || __atomic_load_n(&d->key, __ATOMIC_ACQUIRE) != key)
		return false;
	*found = *d;
	return is_still(&d->key, key);
}

static void change(uint64_t directory, unsigned what, uint64_t device)
{
	struct known *t = table();
	uint64_t key = key_of(directory);
	struct directory *d = t ? &t->directories[key / 4 % DIRECTORIES] : NULL, old = { 0 };

	look_up(directory, &old);
	if (!d || !take(&d->key))
		return;
	d->what = old.what | what;
	d->device = device ? device : old.device;
	__atomic_store_n(&d->key, key, __ATOMIC_RELEASE);
}

unsigned pario_known_directory(uint64_t directory)
{
	struct directory d;

	return look_up(directory, &d) ? d.what : 0;
}

void pario_know_directory(uint64_t directory, unsigned what)
{
	change(directory, what, 0);
}

uint64_t pario_known_device(uint64_t directory)
{
	struct directory d;

	return look_up(directory, &d) ? d.device : 0;
}

void pario_know_device(uint64_t directory, uint64_t device)
{
	change(directory, 0, device);
}

void pario_forget_directory(uint64_t directory)
{
	struct known *t = table();
	uint64_t key = key_of(directory);

	if (t)
		__atomic_compare_exchange_n(&t->directories[key / 4 % DIRECTORIES].key, &key, 0,
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- numbers and facts ---- */

/*
 * A name's place in the tables is its number. Small tables first: fresh pages cost more than anything else here. Full
 * tables give new numbers to every use: nothing is lost, only long.
 */
enum {
	TABLES = 3,
	NAMES = 4096 + (1 << 16) + (1 << 20),
	PROBE = 16,
	PERMANENT = 3,
	GENERATION_SHIFT = 8
};
/* powers of two: a division at each place would take longer than the rest */
static const uint32_t sizes[TABLES] = { 4096, 1 << 16, 1 << 20 };

struct number {
	uint64_t hash;
	uint32_t facts;
};
static struct number *numbers;

static struct number *number_at(uint32_t file)
{
	return numbers && file && file <= NAMES ? &numbers[file - 1] : NULL;
}

/* Looks through the places of one table; `add`: takes a free one. `none`: there is one, so it is in no later table. */
static uint32_t probe(uint64_t hash, uint32_t first, uint32_t size, bool add, bool *none)
{
	for (uint32_t i = 0; i < PROBE; i++) {
		uint32_t at = first + ((uint32_t)(hash + i) & (size - 1));
		uint64_t there = __atomic_load_n(&numbers[at].hash, __ATOMIC_RELAXED);

		if (there == 0 && add &&
		    __atomic_compare_exchange_n(&numbers[at].hash, &there, hash, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			there = hash;
		if (there == hash)
			return at + 1;
		if (there == 0) {
			*none = true;
			return 0;
		}
	}
	return 0;
}

uint32_t pario_number_of(uint64_t hash, bool add)
{
	static uint32_t more = NAMES;
	uint32_t number = 0, first = 0;
	bool none = false;

	if (!numbers)
		numbers = pario_trace_wiped(NAMES * sizeof(*numbers));
	for (int i = 0; numbers && i < TABLES && !number && !none; first += sizes[i++])
		number = probe(hash, first, sizes[i], add, &none);
	return number || !add ? number : __atomic_add_fetch(&more, 1, __ATOMIC_RELAXED);
}

static uint32_t facts_now(uint32_t facts)
{
	uint32_t now = __atomic_load_n(&generation, __ATOMIC_RELAXED) << GENERATION_SHIFT;

	return facts >> GENERATION_SHIFT == now >> GENERATION_SHIFT ? facts
								    : now | (facts & PERMANENT);
}

unsigned pario_facts(uint32_t file)
{
	const struct number *n = number_at(file);

	return n ? (uint8_t)facts_now(__atomic_load_n(&n->facts, __ATOMIC_RELAXED)) : 0;
}

static void replace(uint32_t file, uint32_t keep, uint32_t add)
{
	struct number *n = number_at(file);
	uint32_t old, then;

	if (!n)
		return;
	old = __atomic_load_n(&n->facts, __ATOMIC_RELAXED);
	do
		then = (facts_now(old) & (keep | ~(uint32_t)0xff)) | add;
	while (then != old && !__atomic_compare_exchange_n(&n->facts, &old, then, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

bool pario_facts_kept(uint32_t file)
{
	return number_at(file) != NULL;
}

void pario_facts_add(uint32_t file, unsigned facts)
{
	replace(file, 0xff, facts);
}

void pario_facts_change(uint32_t file, unsigned facts)
{
	replace(file, PERMANENT, facts);
}

/* ---- texts ---- */

static struct text *text_at(uint64_t key)
{
	struct known *t = table();

	return t ? &t->texts[key / 4 % TEXTS] : NULL;
}

static size_t recall(uint64_t key, char *text)
{
	const struct text *t = text_at(key);
	size_t length;

	if (!t || __atomic_load_n(&t->key, __ATOMIC_ACQUIRE) != key)
		return 0;
	length = t->length;
	memcpy(text, t->text, length < PARIO_NAME_PATH ? length : 0);
	return is_still(&t->key, key) ? length : 0;
}

static void remember(uint64_t key, const char *text, size_t length)
{
	struct text *t = text_at(key);

	if (!t || length >= PARIO_NAME_PATH || !take(&t->key))
		return;
	t->length = length;
	memcpy(t->text, text, length);
	__atomic_store_n(&t->key, key, __ATOMIC_RELEASE);
}

/* A child of vfork has a directory and descriptors of its own, and its parent's memory. */
static bool may_recall(void)
{
	return pario_trace_self && !pario_trace_self->child;
}

static uint64_t key_of_fd(uint32_t file)
{
	return key_of((uint64_t)file << 32 | 1);
}

static size_t working_directory(char *text)
{
	uint64_t key = key_of((uint64_t)__atomic_load_n(&wayfaring, __ATOMIC_ACQUIRE) << 32);
	bool keep = may_recall() && !threads_apart;
	size_t length = keep ? recall(key, text) : 0;
	long n;

	if (length)
		return length;
	n = pario_raw3(SYS_getcwd, (long)text, PARIO_NAME_PATH, 0);
	if (n <= 1 || text[0] != '/')
		return n > 1 ? (size_t)n - 1 : 0; /* the kernel counts the zero */
	length = n == 2 ? 0 : (size_t)n - 1;	  /* names in the root begin with its slash */
	if (keep)
		remember(key, text, length);
	pario_know_directory(pario_directory_hash(text, length), PARIO_PLAIN);
	return length;
}

void pario_know_text(uint32_t file, const char *text, size_t length)
{
	if (file && may_recall())
		remember(key_of_fd(file), text, length);
}

size_t pario_directory_text(int dir, char *text)
{
	const struct pario_fd *f = dir == AT_FDCWD ? NULL : pario_fd_entry(dir);
	uint32_t file;
	size_t length;

	if (pario_trace_mute)
		return 0;
	if (dir == AT_FDCWD)
		return working_directory(text);
	if (f && f->waiting)
		f = pario_fd_look(dir);
	file = f && may_recall() ? f->file : 0;
	length = file ? recall(key_of_fd(file), text) : 0;
	if (length)
		return length;
	length = pario_fd_name(dir, text);
	if (!length || text[0] != '/')
		return length;
	length -= length == 1;
	if (file)
		remember(key_of_fd(file), text, length);
	pario_know_directory(pario_directory_hash(text, length), PARIO_PLAIN);
	return length;
}

void pario_went(bool apart)
{
	threads_apart |= apart;
	__atomic_fetch_add(&wayfaring, 1, __ATOMIC_RELEASE);
}

/* ---- states ---- */

void pario_know_state(uint32_t file, const struct pario_state *state)
{
	struct known *t = file ? table() : NULL;
	struct seen *s = t ? &t->states[file % STATES] : NULL;

	if (!s || !take(&s->key))
		return;
	s->state = *state;
	__atomic_store_n(&s->key, key_of(file), __ATOMIC_RELEASE);
}

bool pario_known_state(uint32_t file, struct pario_state *state)
{
	const struct known *t = file ? table() : NULL;
	const struct seen *s = t ? &t->states[file % STATES] : NULL;
	uint64_t key = key_of(file);

	if (!s || __atomic_load_n(&s->key, __ATOMIC_ACQUIRE) != key)
		return false;
	*state = s->state;
	return is_still(&s->key, key);
}

/* ---- wrappers ---- */

PARIO_EXPORT int unshare(int flags);
PARIO_SYMBOL(unshare);
PARIO_EXPORT int unshare(int flags)
{
	int (*next)(int) = (int (*)(int))pario_next(&pario_symbol_unshare);
	int r = next(flags);

	if (r == 0)
		pario_went(true);
	return r;
}
