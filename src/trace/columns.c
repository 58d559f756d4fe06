/*
 * columns: a block of calls as bytes, one column per member.
 *
 * Calls of one kind at one place in the program for one file are a shape; a block has few of them, and a call names its
 * shape by number. Start times count from the end of the call before; offsets from where the shape's last stride leads;
 * sizes from the shape's last size. In a regular program nearly all of these are zero.
 */
#include "trace/pack.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPES = 65536, VARINT = 10 };

/* Version 1 has no more than the first six. */
enum column { SHAPE, START, DURATION, OFFSET, SIZE, RESULT, ARG, MORE, COLUMNS, COLUMNS_1 = ARG };

struct shape {
	uint64_t site;
	uint32_t file;
	int32_t fd;
	uint16_t op;
	uint8_t layer, flags;
	/* what the next call of this shape is expected to be */
	uint64_t offset, stride, size, more;
	uint32_t arg;
};

struct bytes {
	uint8_t *data;
	size_t length;
};

struct pario_columns {
	struct bytes column[COLUMNS];
	struct shape *shapes;
	uint32_t shape_count;
	uint32_t *table; /* hash of a shape -> its number + 1 */
	uint64_t last;	 /* end of the call before */
	uint8_t *all;
};

static uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ (0 - (v >> 63));
}

static uint64_t zagzig(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

static void put(struct bytes *to, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		to->data[to->length++] = (uint8_t)(value | 128);
	to->data[to->length++] = (uint8_t)value;
}

/* What is left of a column that is read. */
struct rest {
	const uint8_t *at, *end;
};

static bool get_long(struct rest *from, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned shift = 0; from->at < from->end && shift < 64; shift += 7) {
		uint8_t byte = *from->at++;

		result |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*value = result;
			return true;
		}
	}
	return false;
}

/* Most are of one byte. */
static inline bool get(struct rest *from, uint64_t *value)
{
	if (__builtin_expect(from->at < from->end && *from->at < 128, 1)) {
		*value = *from->at++;
		return true;
	}
	return get_long(from, value);
}

/* Times are of two bytes or one as it comes, which no processor foretells: no branch asks which. */
static inline bool get_time(struct rest *from, uint64_t *value)
{
	uint16_t pair;
	unsigned two;

	if (from->end - from->at < (ptrdiff_t)sizeof(pair))
		return get_long(from, value);
	memcpy(&pair, from->at, sizeof(pair));
	pair = le16toh(pair);
	if (__builtin_expect((pair & 0x8080) == 0x8080, 0)) /* more than two */
		return get_long(from, value);
	two = pair >> 7 & 1;
	*value = (pair & 127u) | (pair >> 1 & 0x3f80u & (0 - two));
	from->at += 1 + two;
	return true;
}

/* A new shape stands with all its members where it is first used. */
enum { SHAPE_BYTES = 6 * VARINT, CALL_BYTES = VARINT + SHAPE_BYTES };

struct pario_columns *pario_columns_new(void)
{
	struct pario_columns *c = calloc(1, sizeof(*c));
	bool good = c != NULL;

	for (int i = 0; good && i < COLUMNS; i++) {
		c->column[i].data =
			malloc((size_t)PARIO_PACK_CALLS * (i == SHAPE ? CALL_BYTES : VARINT));
		good = c->column[i].data != NULL;
	}
	if (good) {
		c->shapes = malloc(PARIO_PACK_CALLS * sizeof(*c->shapes));
		c->table = malloc(SHAPES * sizeof(*c->table));
		c->all = malloc(PARIO_PACK_PLAIN_MAX);
		good = c->shapes && c->table && c->all;
	}
	if (!good) {
		pario_columns_free(c);
		return NULL;
	}
	pario_columns_clear(c);
	return c;
}

void pario_columns_free(struct pario_columns *c)
{
	if (!c)
		return;
	for (int i = 0; i < COLUMNS; i++)
		free(c->column[i].data);
	free(c->shapes);
	free(c->table);
	free(c->all);
	free(c);
}

void pario_columns_clear(struct pario_columns *c)
{
	for (int i = 0; i < COLUMNS; i++)
		c->column[i].length = 0;
	c->shape_count = 0;
	c->last = 0;
	memset(c->table, 0, SHAPES * sizeof(*c->table));
}

static bool same(const struct shape *s, const struct pario_trace_record *r)
{
	return s->site == r->site && s->file == r->file && s->fd == r->fd && s->op == r->op &&
	       s->layer == r->layer && s->flags == r->flags;
}

static void expect(struct shape *s, const struct pario_trace_record *r)
{
	s->stride = r->offset - s->offset;
	s->offset = r->offset;
	s->size = r->size;
	s->arg = r->arg;
	s->more = r->more;
}

static uint64_t expected_offset(const struct shape *s)
{
	return s->offset == PARIO_TRACE_NOWHERE ? PARIO_TRACE_NOWHERE : s->offset + s->stride;
}

/* What a call of this size that did not fail most likely returned. */
static int32_t expected_result(uint8_t flags, uint64_t size)
{
	return flags & PARIO_TRACE_WHOLE ? (size > INT32_MAX ? INT32_MAX : (int32_t)size) : 0;
}

static struct shape *shape_of(struct pario_columns *c, const struct pario_trace_record *r)
{
	uint64_t h = (r->site * 0x9e3779b97f4a7c15u) ^ ((uint64_t)r->file * 0xc2b2ae3d27d4eb4fu) ^
		     ((uint64_t)r->op << 16 | r->flags) ^ (uint64_t)(uint32_t)r->fd << 42;
	uint32_t i = (uint32_t)(h >> 40) % SHAPES;
	struct bytes *to = &c->column[SHAPE];
	struct shape *s;

	for (; c->table[i]; i = (i + 1) % SHAPES) {
		s = &c->shapes[c->table[i] - 1];
		if (same(s, r)) {
			put(to, c->table[i]);
			return s;
		}
	}
	s = &c->shapes[c->shape_count++];
	c->table[i] = c->shape_count;
	*s = (struct shape){ .site = r->site,
			     .file = r->file,
			     .fd = r->fd,
			     .op = r->op,
			     .layer = r->layer,
			     .flags = r->flags };
	put(to, 0);
	put(to, r->op);
	put(to, (uint64_t)r->layer << 8 | r->flags);
	put(to, r->file);
	put(to, r->site);
	put(to, zigzag((uint64_t)(int64_t)r->fd));
	return s;
}

void pario_columns_add(struct pario_columns *c, const struct pario_trace_record *r)
{
	struct shape *s = shape_of(c, r);
	uint64_t ticks = pario_trace_ticks(r->duration);

	put(&c->column[START], zigzag(r->t0 - c->last));
	put(&c->column[DURATION], r->duration);
	put(&c->column[OFFSET], zigzag(r->offset - expected_offset(s)));
	put(&c->column[SIZE], zigzag(r->size - s->size));
	put(&c->column[RESULT],
	    zigzag((uint64_t)((int64_t)r->result - expected_result(r->flags, r->size))));
	put(&c->column[ARG], zigzag((uint64_t)((int64_t)r->arg - s->arg)));
	put(&c->column[MORE], zigzag(r->more - s->more));
	c->last = r->t0 + ticks;
	expect(s, r);
}

/* Lengths of the columns, then the columns. */
const void *pario_columns_bytes(struct pario_columns *c, size_t *length)
{
	struct bytes all = { .data = c->all, .length = 0 };

	for (int i = 0; i < COLUMNS; i++)
		put(&all, c->column[i].length);
	for (int i = 0; i < COLUMNS; i++) {
		memcpy(all.data + all.length, c->column[i].data, c->column[i].length);
		all.length += c->column[i].length;
	}
	*length = all.length;
	return all.data;
}

/* Operations have other numbers since version 2. */
static bool sensible(uint64_t *op, unsigned version)
{
	enum { FIRST_1 = 16 };

	if (version == 1)
		*op = *op >= FIRST_1 ? *op - FIRST_1 + PARIO_TRACE_FIRST : 0;
	return (*op >= PARIO_TRACE_FIRST || *op == PARIO_TRACE_GAP) && *op <= UINT16_MAX;
}

static inline bool read_shape(struct rest *from, struct shape *shapes, size_t most, uint32_t *known,
			      unsigned version, struct shape **s)
{
	uint64_t number, op, kind, file, site, fd = zigzag((uint64_t)(int64_t)PARIO_TRACE_NO_FD);

	if (!get(from, &number) || number > *known)
		return false;
	if (number) {
		*s = &shapes[number - 1];
		return true;
	}
	if (*known == most || !get(from, &op) || !get(from, &kind) || !get(from, &file) ||
	    !get(from, &site) || (version > 1 && !get(from, &fd)) || !sensible(&op, version) ||
	    kind > UINT16_MAX || kind >> 8 >= PARIO_TRACE_LAYERS || file > UINT32_MAX)
		return false;
	*s = &shapes[(*known)++];
	**s = (struct shape){ .site = site,
			      .file = (uint32_t)file,
			      .fd = (int32_t)zagzig(fd),
			      .op = (uint16_t)op,
			      .layer = (uint8_t)(kind >> 8),
			      .flags = (uint8_t)kind };
	return true;
}

/* Is a call of version 2, but for its times, what its shape leads to expect? Then a zero of each column is gone. */
static inline bool skip_zeros(struct rest column[COLUMNS])
{
	struct rest *offset = &column[OFFSET], *size = &column[SIZE], *result = &column[RESULT],
		    *arg = &column[ARG], *more = &column[MORE];

	if (offset->at == offset->end || size->at == size->end || result->at == result->end ||
	    arg->at == arg->end || more->at == more->end ||
	    (*offset->at | *size->at | *result->at | *arg->at | *more->at))
		return false;
	offset->at++;
	size->at++;
	result->at++;
	arg->at++;
	more->at++;
	return true;
}

static inline bool read_rest(struct rest *column, const struct shape *s, unsigned version,
			     struct pario_trace_record *r)
{
	uint64_t offset, size, result, arg = 0, more = 0;
	int64_t value;

	if (!get(&column[OFFSET], &offset) || !get(&column[SIZE], &size) ||
	    !get(&column[RESULT], &result) ||
	    (version > 1 && (!get(&column[ARG], &arg) || !get(&column[MORE], &more))))
		return false;
	r->offset = expected_offset(s) + zagzig(offset);
	r->size = s->size + zagzig(size);
	value = (int64_t)(zagzig(result) + (uint64_t)(int64_t)expected_result(r->flags, r->size));
	if (value < INT32_MIN || value > INT32_MAX)
		return false;
	r->result = (int32_t)value;
	r->arg = s->arg + (uint32_t)zagzig(arg);
	r->more = s->more + zagzig(more);
	return true;
}

static inline bool read_call(struct rest *column, struct shape *s, uint64_t *last, unsigned version,
			     struct pario_trace_record *r)
{
	uint64_t start, duration;

	if (!get_time(&column[START], &start) || !get_time(&column[DURATION], &duration) ||
	    duration > UINT32_MAX)
		return false;
	*r = (struct pario_trace_record){ .t0 = *last + zagzig(start),
					  .site = s->site,
					  .offset = expected_offset(s),
					  .size = s->size,
					  .more = s->more,
					  .duration = (uint32_t)duration,
					  .file = s->file,
					  .result = expected_result(s->flags, s->size),
					  .fd = s->fd,
					  .arg = s->arg,
					  .op = s->op,
					  .layer = s->layer,
					  .flags = s->flags };
	if (!(version > 1 && skip_zeros(column)) && !read_rest(column, s, version, r))
		return false;
	*last = r->t0 + pario_trace_ticks(r->duration);
	expect(s, r);
	return true;
}

struct pario_columns_cursor {
	struct rest column[COLUMNS];
	struct shape *shapes; /* room for as many as their column can hold */
	size_t capacity;
	uint64_t last;
	uint32_t known;
	unsigned version;
};

struct pario_columns_cursor *pario_columns_cursor_new(void)
{
	return calloc(1, sizeof(struct pario_columns_cursor));
}

void pario_columns_cursor_free(struct pario_columns_cursor *c)
{
	if (c)
		free(c->shapes);
	free(c);
}

/* A shape is five bytes at least in the column of its first call. */
static bool room_for_shapes(struct pario_columns_cursor *c, uint64_t bytes)
{
	enum { LEAST = 5 };
	size_t most = bytes / LEAST < PARIO_PACK_CALLS ? (size_t)bytes / LEAST + 1
						       : (size_t)PARIO_PACK_CALLS;

	if (most <= c->capacity)
		return true;
	free(c->shapes);
	c->shapes = malloc(most * sizeof(*c->shapes));
	c->capacity = c->shapes ? most : 0;
	return c->shapes != NULL;
}

bool pario_columns_cursor_set(struct pario_columns_cursor *c, const void *bytes, size_t length,
			      unsigned version)
{
	struct rest all = { .at = bytes, .end = (const uint8_t *)bytes + length };
	int columns = version == 1 ? COLUMNS_1 : COLUMNS;
	uint64_t lengths[COLUMNS];

	c->last = 0;
	c->known = 0;
	c->version = version;
	for (int k = 0; k < columns; k++) {
		if (!get(&all, &lengths[k]))
			return false;
	}
	for (int k = 0; k < columns; k++) {
		if (lengths[k] > (uint64_t)(all.end - all.at))
			return false;
		c->column[k] = (struct rest){ .at = all.at, .end = all.at + lengths[k] };
		all.at += lengths[k];
	}
	return room_for_shapes(c, lengths[SHAPE]);
}

bool pario_columns_cursor_next(struct pario_columns_cursor *c, struct pario_trace_record *call)
{
	struct shape *s;

	return read_shape(&c->column[SHAPE], c->shapes, c->capacity, &c->known, c->version, &s) &&
	       read_call(c->column, s, &c->last, c->version, call);
}

bool pario_columns_read(const void *bytes, size_t length, uint32_t count, unsigned version,
			struct pario_trace_record *calls)
{
	struct pario_columns_cursor *c =
		count <= PARIO_PACK_CALLS ? pario_columns_cursor_new() : NULL;
	uint32_t i = 0;

	if (!c || !pario_columns_cursor_set(c, bytes, length, version)) {
		pario_columns_cursor_free(c);
		return false;
	}
	while (i < count && pario_columns_cursor_next(c, &calls[i]))
		i++;
	pario_columns_cursor_free(c);
	return i == count;
}
