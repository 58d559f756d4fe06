/*
 * cache: blocks in a pool, found by a hash of file and place, linked into their lists by numbers.
 */
#include "predict/simulate/cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { PAGES = 32, LEAST_PAGE = 4096, MOST_BLOCKS = 1 << 20, FIRST_BLOCKS = 1024 };
enum list { INACTIVE, ACTIVE, LISTS };

struct block {
	uint64_t index;
	uint32_t file, resident, dirty, ahead; /* all but the first: a bit for each page */
	uint32_t newer, older;		       /* of its list */
	uint32_t dirtier, cleaner;	       /* of the dirty ones: the one after and before it */
	uint32_t next_of_file, previous_of_file;
	uint32_t chain; /* of its hash */
	bool active;
};

struct ends {
	uint32_t newest, oldest;
	uint64_t pages;
};

struct file {
	uint32_t first;
	uint64_t dirty; /* pages */
	bool warm;
};

struct pario_cache {
	struct block *blocks; /* from 1 */
	uint32_t count, capacity, free;
	uint32_t *table, mask;
	struct file *files;
	uint32_t file_capacity;
	struct ends lists[LISTS], dirty;
	uint64_t page, block, pages_most;
	bool failed;
};

struct pario_cache *pario_cache_new(double capacity)
{
	struct pario_cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->page = LEAST_PAGE;
	while (isfinite(capacity) && capacity / (double)(c->page * PAGES) > MOST_BLOCKS)
		c->page *= 2;
	c->block = c->page * PAGES;
	c->pages_most =
		isfinite(capacity) ? (uint64_t)(capacity / (double)c->page) : UINT64_MAX / 2;
	c->mask = FIRST_BLOCKS - 1;
	c->table = calloc(FIRST_BLOCKS, sizeof(*c->table));
	c->blocks = calloc(FIRST_BLOCKS, sizeof(*c->blocks));
	c->capacity = FIRST_BLOCKS;
	c->failed = !c->table || !c->blocks;
	return c;
}

void pario_cache_free(struct pario_cache *c)
{
	if (!c)
		return;
	free(c->table);
	free(c->blocks);
	free(c->files);
	free(c);
}

uint64_t pario_cache_dirty(const struct pario_cache *c)
{
	return c->dirty.pages * c->page;
}

uint64_t pario_cache_resident(const struct pario_cache *c)
{
	return (c->lists[INACTIVE].pages + c->lists[ACTIVE].pages) * c->page;
}

bool pario_cache_failed(const struct pario_cache *c)
{
	return c->failed;
}

static unsigned pages_in(uint32_t bits)
{
	return (unsigned)__builtin_popcount(bits);
}

/* ---- where blocks are ---- */

static uint32_t *slot(struct pario_cache *c, uint32_t file, uint64_t index)
{
	return &c->table[pario_random_join(file, index) & c->mask];
}

static uint32_t find(struct pario_cache *c, uint32_t file, uint64_t index)
{
	uint32_t i = *slot(c, file, index);

	while (i && (c->blocks[i].file != file || c->blocks[i].index != index))
		i = c->blocks[i].chain;
	return i;
}

static void rehash(struct pario_cache *c)
{
	uint32_t *table = calloc(2ul * (c->mask + 1ul), sizeof(*table));

	if (!table) {
		c->failed = true;
		return;
	}
	free(c->table);
	c->table = table;
	c->mask = 2 * c->mask + 1;
	for (uint32_t i = 1; i <= c->count; i++) {
		struct block *b = &c->blocks[i];
		uint32_t *head = slot(c, b->file, b->index);

		if (!b->resident)
			continue;
		b->chain = *head;
		*head = i;
	}
}

static struct file *file_of(struct pario_cache *c, uint32_t file)
{
	struct file *grown;
	uint32_t capacity = c->file_capacity ? c->file_capacity : 64;

	if (file < c->file_capacity)
		return &c->files[file];
	while (capacity <= file)
		capacity *= 2;
	grown = reallocarray(c->files, capacity, sizeof(*grown));
	if (!grown) {
		c->failed = true;
		return NULL;
	}
	memset(grown + c->file_capacity, 0, (capacity - c->file_capacity) * sizeof(*grown));
	c->files = grown;
	c->file_capacity = capacity;
	return &c->files[file];
}

/* ---- lists ---- */

static void unlink_block(struct pario_cache *c, uint32_t i)
{
	struct block *b = &c->blocks[i];
	struct ends *l = &c->lists[b->active];

	*(b->newer ? &c->blocks[b->newer].older : &l->newest) = b->older;
	*(b->older ? &c->blocks[b->older].newer : &l->oldest) = b->newer;
	l->pages -= pages_in(b->resident);
}

static void link_block(struct pario_cache *c, uint32_t i, bool active)
{
	struct block *b = &c->blocks[i];
	struct ends *l = &c->lists[active];

	b->active = active;
	b->newer = 0;
	b->older = l->newest;
	*(l->newest ? &c->blocks[l->newest].newer : &l->oldest) = i;
	l->newest = i;
	l->pages += pages_in(b->resident);
}

static void soil(struct pario_cache *c, uint32_t i, uint32_t bits)
{
	struct block *b = &c->blocks[i];

	if (!b->dirty) {
		b->dirtier = 0;
		b->cleaner = c->dirty.newest;
		*(c->dirty.newest ? &c->blocks[c->dirty.newest].dirtier : &c->dirty.oldest) = i;
		c->dirty.newest = i;
	}
	c->dirty.pages += pages_in(bits & ~b->dirty);
	c->files[b->file].dirty += pages_in(bits & ~b->dirty);
	b->dirty |= bits;
}

static unsigned wash(struct pario_cache *c, uint32_t i)
{
	struct block *b = &c->blocks[i];
	unsigned pages = pages_in(b->dirty);

	if (!pages)
		return 0;
	*(b->dirtier ? &c->blocks[b->dirtier].cleaner : &c->dirty.newest) = b->cleaner;
	*(b->cleaner ? &c->blocks[b->cleaner].dirtier : &c->dirty.oldest) = b->dirtier;
	c->dirty.pages -= pages;
	c->files[b->file].dirty -= pages;
	b->dirty = 0;
	return pages;
}

/* ---- coming and going ---- */

static uint32_t take(struct pario_cache *c)
{
	uint32_t i = c->free;
	struct block *grown;

	if (i) {
		c->free = c->blocks[i].chain;
		return i;
	}
	if (c->count + 1 == c->capacity) {
		grown = reallocarray(c->blocks, 2ul * c->capacity, sizeof(*grown));
		if (!grown) {
			c->failed = true;
			return 0;
		}
		c->blocks = grown;
		c->capacity *= 2;
	}
	if (c->count >= c->mask)
		rehash(c);
	return ++c->count;
}

/* The block, new and empty when it is not there; 0: no memory. */
static uint32_t reach(struct pario_cache *c, uint32_t file, uint64_t index)
{
	uint32_t i = find(c, file, index), *head;
	struct file *f = file_of(c, file);

	if (i || !f)
		return f ? i : 0;
	i = take(c);
	if (!i)
		return 0;
	head = slot(c, file, index);
	c->blocks[i] = (struct block){
		.index = index, .file = file, .chain = *head, .next_of_file = f->first
	};
	if (f->first)
		c->blocks[f->first].previous_of_file = i;
	f->first = i;
	*head = i;
	link_block(c, i, false);
	return i;
}

static void drop(struct pario_cache *c, uint32_t i)
{
	struct block *b = &c->blocks[i];
	uint32_t *link = slot(c, b->file, b->index);

	wash(c, i);
	unlink_block(c, i);
	while (*link != i)
		link = &c->blocks[*link].chain;
	*link = b->chain;
	*(b->previous_of_file ? &c->blocks[b->previous_of_file].next_of_file
			      : &c->files[b->file].first) = b->next_of_file;
	if (b->next_of_file)
		c->blocks[b->next_of_file].previous_of_file = b->previous_of_file;
	b->resident = 0;
	b->chain = c->free;
	c->free = i;
}

/* As many times longer as the active list may be than the inactive: the kernel's square root of ten times the GiB. */
static bool inactive_is_low(const struct pario_cache *c)
{
	double gib = (double)pario_cache_resident(c) / (1 << 30);
	uint64_t ratio = gib >= 1 ? (uint64_t)sqrt(10 * gib) : 1;

	return c->lists[INACTIVE].pages * ratio < c->lists[ACTIVE].pages;
}

static void shrink(struct pario_cache *c)
{
	uint32_t turns = c->count;

	while (c->lists[INACTIVE].pages + c->lists[ACTIVE].pages > c->pages_most && turns--) {
		uint32_t i = c->lists[ACTIVE].oldest;

		if (i && (inactive_is_low(c) || !c->lists[INACTIVE].oldest)) {
			unlink_block(c, i);
			link_block(c, i, false);
			continue;
		}
		i = c->lists[INACTIVE].oldest;
		if (c->blocks[i].dirty) {
			unlink_block(c, i);
			link_block(c, i, false);
		} else {
			c->files[c->blocks[i].file].warm = false;
			drop(c, i);
		}
	}
}

/* Pages that were asked for before make their block active; a page that is walked through in steps does not. */
static void touch(struct pario_cache *c, uint32_t i, uint32_t bits, bool walks)
{
	struct block *b = &c->blocks[i];
	uint32_t again = bits & b->resident & ~b->ahead;
	bool active = b->active || (walks ? again & (again - 1) : again);

	unlink_block(c, i);
	b->resident |= bits;
	b->ahead &= ~bits;
	link_block(c, i, active);
}

/* The pages of a block that lie between two places. */
static uint32_t bits_of(const struct pario_cache *c, uint64_t index, uint64_t from, uint64_t to)
{
	uint64_t start = index * c->block;
	uint64_t first = from > start ? (from - start) / c->page : 0;
	uint64_t last = to < start + c->block ? (to - 1 - start) / c->page : PAGES - 1;

	return (uint32_t)((~0u >> (PAGES - 1 - (last - first))) << first);
}

/* ---- what is done ---- */

struct pario_cache_read pario_cache_read(struct pario_cache *c, uint32_t file, uint64_t offset,
					 uint64_t bytes)
{
	struct pario_cache_read r = { 0 };
	struct file *f = file_of(c, file);
	uint64_t end = offset + bytes, pages, hit = 0, ahead = 0, asked = 0;

	if (!f || !bytes || end < offset)
		return r;
	for (uint64_t index = offset / c->block; index <= (end - 1) / c->block; index++) {
		uint32_t bits = bits_of(c, index, offset, end), i = reach(c, file, index);
		struct block *b = &c->blocks[i];

		if (!i)
			break;
		hit += pages_in(bits & ~b->ahead & (c->files[file].warm ? bits : b->resident));
		ahead += pages_in(bits & b->ahead);
		asked += pages_in(bits);
		touch(c, i, bits, offset % c->page);
		shrink(c);
	}
	pages = asked ? asked : 1;
	r.hit = bytes * hit / pages;
	r.ahead = bytes * ahead / pages;
	r.missing = bytes - r.hit - r.ahead;
	return r;
}

void pario_cache_ahead(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes)
{
	uint64_t end = offset + bytes;

	if (!bytes || end < offset)
		return;
	for (uint64_t index = offset / c->block; index <= (end - 1) / c->block; index++) {
		uint32_t bits = bits_of(c, index, offset, end), i = reach(c, file, index);
		struct block *b = &c->blocks[i];

		if (!i)
			return;
		unlink_block(c, i);
		b->ahead |= bits & ~b->resident;
		b->resident |= bits;
		link_block(c, i, b->active);
		shrink(c);
	}
}

bool pario_cache_holds(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes)
{
	uint64_t end = offset + bytes;

	if (!bytes || end < offset)
		return false;
	for (uint64_t index = offset / c->block; index <= (end - 1) / c->block; index++) {
		uint32_t i = find(c, file, index);

		if (!i || bits_of(c, index, offset, end) & ~c->blocks[i].resident)
			return false;
	}
	return true;
}

uint64_t pario_cache_write(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes)
{
	uint64_t end = offset + bytes, before = c->dirty.pages;

	if (!bytes || end < offset)
		return 0;
	for (uint64_t index = offset / c->block; index <= (end - 1) / c->block; index++) {
		uint32_t bits = bits_of(c, index, offset, end), i = reach(c, file, index);

		if (!i)
			break;
		touch(c, i, bits, offset % c->page);
		soil(c, i, bits);
		shrink(c);
	}
	return (c->dirty.pages - before) * c->page;
}

uint64_t pario_cache_clean(struct pario_cache *c, uint64_t bytes)
{
	uint64_t pages = bytes / c->page, done = 0;

	while (done < pages && c->dirty.oldest)
		done += wash(c, c->dirty.oldest);
	shrink(c);
	return done * c->page;
}

uint64_t pario_cache_clean_file(struct pario_cache *c, uint32_t file)
{
	struct file *f = file_of(c, file);
	uint64_t pages = f ? f->dirty : 0;
	uint32_t i = c->dirty.newest, before;

	/* those that were written last are mostly of the file that is synced */
	for (; i && f->dirty; i = before) {
		before = c->blocks[i].cleaner;
		if (c->blocks[i].file == file)
			wash(c, i);
	}
	return pages * c->page;
}

void pario_cache_forget(struct pario_cache *c, uint32_t file)
{
	struct file *f = file_of(c, file);

	while (f && f->first)
		drop(c, f->first);
	if (f)
		f->warm = false;
}

void pario_cache_discard(struct pario_cache *c, uint32_t file)
{
	struct file *f = file_of(c, file);

	for (uint32_t i = f ? f->first : 0, next; i; i = next) {
		next = c->blocks[i].next_of_file;
		if (!c->blocks[i].dirty)
			drop(c, i);
	}
	if (f)
		f->warm = false;
}

void pario_cache_warm(struct pario_cache *c, uint32_t file)
{
	struct file *f = file_of(c, file);

	if (f)
		f->warm = true;
}
