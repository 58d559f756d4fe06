/*
 * unwind: reads .eh_frame_hdr and .eh_frame as the Linux Standard Base and DWARF describe them, as far as compilers
 * write them for x86-64: tables sorted by address, addresses relative to where they stand.
 */
#include "tracer/preload/unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

enum {
	FRAME = 6, /* the numbers of rbp, rsp and the return address */
	STACK = 7,
	RETURN = 16,
	DEPTH = 8,
	SIGNED = 0x1b, /* relative to itself, four bytes, signed */
	TABLE = 0x3b,  /* relative to the header, likewise */
};

static int (*find)(void *, struct dl_find_object *);
bool pario_unwind_known;

void pario_unwind_find(void)
{
	*(void **)&find = dlsym(RTLD_DEFAULT, "_dl_find_object");
	pario_unwind_known = find != NULL;
}

const char *pario_unwind_object(uint64_t address)
{
	struct dl_find_object object;

	if (!find || find((void *)(uintptr_t)address, &object) != 0)
		return NULL;
	return object.dlfo_link_map->l_name;
}

struct reader {
	const uint8_t *at, *end;
};

static uint64_t number(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; r->at < r->end && shift < 64; shift += 7) {
		value |= (uint64_t)(*r->at & 0x7f) << shift;
		if (!(*r->at++ & 0x80))
			break;
	}
	return value;
}

static int64_t signed_number(struct reader *r)
{
	const uint8_t *from = r->at;
	uint64_t value = number(r);
	unsigned bits = 7 * (unsigned)(r->at - from);

	if (bits && bits < 64 && r->at[-1] & 0x40)
		value |= ~(uint64_t)0 << bits;
	return (int64_t)value;
}

static uint64_t fixed(struct reader *r, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < bytes)
		r->at = r->end;
	else
		memcpy(&value, r->at, bytes);
	r->at += r->at < r->end ? bytes : 0;
	return value;
}

static int32_t word(const uint8_t *at)
{
	int32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* What is said of a function; NULL: nothing. */
static const uint8_t *find_entry(const uint8_t *header, uint64_t pc)
{
	uint64_t base = (uint64_t)(uintptr_t)header;
	const uint8_t *table;
	size_t low = 0, high;

	if (!header || header[0] != 1 || header[1] != SIGNED || header[2] != 3 ||
	    header[3] != TABLE)
		return NULL;
	table = header + 12;
	high = (uint32_t)word(header + 8);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (base + (uint64_t)(int64_t)word(table + 8 * middle) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? header + word(table + 8 * (low - 1) + 4) : NULL;
}

/* What holds for all functions that share an entry. */
struct common {
	uint64_t code;
	int64_t data;
	struct reader program;
	bool augmented;
};

static bool read_common(const uint8_t *cie, struct common *c)
{
	struct reader r = { cie + 9, cie + 4 + (uint32_t)word(cie) };
	const char *augmentation = (const char *)r.at;
	uint64_t length;

	if (word(cie) <= 0 || word(cie + 4) != 0 || (cie[8] != 1 && cie[8] != 3))
		return false;
	r.at += strlen(augmentation) + 1;
	c->code = number(&r);
	c->data = signed_number(&r);
	if ((cie[8] == 1 ? *r.at++ : number(&r)) != RETURN)
		return false;
	c->augmented = augmentation[0] == 'z';
	if (augmentation[0] && !c->augmented)
		return false;
	if (c->augmented) {
		length = number(&r);
		for (const char *what = augmentation + 1; *what; what++) {
			if (*what == 'S') /* a frame of a signal */
				return false;
			if (*what == 'R' && augmentation[1] == 'R' && *r.at != SIGNED)
				return false;
		}
		r.at += length;
	}
	c->program = r;
	return r.at <= r.end;
}

struct rules {
	uint64_t base; /* register */
	int64_t offset;
	int64_t frame;	   /* where the frame register is kept, 0 = it is as it was */
	bool strange, end; /* strange: by an expression, or the return address lies elsewhere */
};

static void keep(struct rules *s, uint64_t which, int64_t at)
{
	if (which == FRAME)
		s->frame = at;
	else if (which == RETURN && at != -8)
		s->strange = true;
}

/* An expression is passed over. */
static void skip(struct reader *r)
{
	uint64_t length = number(r);

	r->at = length < (uint64_t)(r->end - r->at) ? r->at + length : r->end;
}

struct run {
	struct rules now, first, saved[DEPTH];
	unsigned depth;
	uint64_t place; /* the address that the rules hold for */
};

static void plain(struct run *x, const struct common *c, struct reader *r, uint8_t op)
{
	uint64_t which;

	switch (op) {
	case 0x00: /* nothing */
		break;
	case 0x02:
		x->place += fixed(r, 1) * c->code;
		break;
	case 0x03:
		x->place += fixed(r, 2) * c->code;
		break;
	case 0x04:
		x->place += fixed(r, 4) * c->code;
		break;
	case 0x05: /* kept at */
		which = number(r);
		keep(&x->now, which, (int64_t)number(r) * c->data);
		break;
	case 0x11:
		which = number(r);
		keep(&x->now, which, signed_number(r) * c->data);
		break;
	case 0x06: /* as in the beginning, or as it was */
	case 0x08:
		which = number(r);
		x->now.frame = which != FRAME ? x->now.frame : op == 6 ? x->first.frame : 0;
		break;
	case 0x07: /* lost: of the return address, nobody called */
		which = number(r);
		x->now.end |= which == RETURN;
		x->now.strange |= which == FRAME;
		break;
	case 0x09: /* in another register */
		x->now.strange |= number(r) == FRAME;
		number(r);
		break;
	case 0x0a:
		if (x->depth < DEPTH)
			x->saved[x->depth] = x->now;
		x->depth++;
		break;
	case 0x0b:
		if (x->depth)
			x->depth--;
		if (x->depth < DEPTH)
			x->now = x->saved[x->depth];
		break;
	case 0x0c: /* the frame begins at */
		x->now.base = number(r);
		x->now.offset = (int64_t)number(r);
		break;
	case 0x12:
		x->now.base = number(r);
		x->now.offset = signed_number(r) * c->data;
		break;
	case 0x0d:
		x->now.base = number(r);
		break;
	case 0x0e:
		x->now.offset = (int64_t)number(r);
		break;
	case 0x13:
		x->now.offset = signed_number(r) * c->data;
		break;
	case 0x0f:
		skip(r);
		x->now.base = UINT64_MAX;
		break;
	case 0x10:
	case 0x16:
		which = number(r);
		skip(r);
		x->now.strange |= which == FRAME || which == RETURN;
		break;
	case 0x2e: /* size of the arguments */
		number(r);
		break;
	default:
		x->now.strange = true;
		r->at = r->end;
	}
}

static void execute(struct run *x, const struct common *c, struct reader r, uint64_t pc)
{
	while (r.at < r.end && x->place <= pc) {
		uint8_t op = *r.at++, low = op & 0x3f;

		if (op >> 6 == 1)
			x->place += low * c->code;
		else if (op >> 6 == 2)
			keep(&x->now, low, (int64_t)number(&r) * c->data);
		else if (op >> 6 == 3)
			x->now.frame = low == FRAME ? x->first.frame : x->now.frame;
		else
			plain(x, c, &r, op);
	}
}

static struct pario_frame_step as_step(const struct rules *s)
{
	struct pario_frame_step step = { .outermost = s->end,
					 .by_frame = s->base == FRAME,
					 .size = (int32_t)s->offset,
					 .saved = (int32_t)s->frame };

	step.known = !s->strange && (s->base == STACK || s->base == FRAME) && s->offset >= 8 &&
		     s->offset < INT32_MAX && s->frame <= 0 && s->frame > INT32_MIN;
	return step;
}

struct pario_frame_step pario_unwind_step(uint64_t at)
{
	uint64_t pc = at - 1, from;
	struct dl_find_object object;
	struct run x = { .depth = 0 };
	const uint8_t *entry;
	struct common c;
	struct reader r;

	if (!find || find((void *)(uintptr_t)pc, &object) != 0)
		return (struct pario_frame_step){ 0 };
	entry = find_entry(object.dlfo_eh_frame, pc);
	if (!entry || word(entry) <= 0 || !read_common(entry + 4 - word(entry + 4), &c))
		return (struct pario_frame_step){ 0 };
	r = (struct reader){ entry + 16, entry + 4 + word(entry) };
	from = (uint64_t)(uintptr_t)(entry + 8) + (uint64_t)(int64_t)word(entry + 8);
	if (pc < from || pc - from >= (uint32_t)word(entry + 12))
		return (struct pario_frame_step){ 0 };
	if (c.augmented)
		skip(&r);
	execute(&x, &c, c.program, UINT64_MAX);
	x.first = x.now;
	x.place = from;
	execute(&x, &c, r, pc);
	return as_step(&x.now);
}

#else

bool pario_unwind_known;

void pario_unwind_find(void)
{
}

const char *pario_unwind_object(uint64_t address)
{
	(void)address;
	return NULL;
}

struct pario_frame_step pario_unwind_step(uint64_t at)
{
	(void)at;
	return (struct pario_frame_step){ 0 };
}

#endif
