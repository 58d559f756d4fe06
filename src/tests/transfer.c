/*
 * transfer: how fast do clients move data to and from large files?
 *
 * The consortium's four patterns (docs/tests.md) on one shared file or a file per client. A segment
 * holds one block of every client, a block is made of transfers, strided repeats the segment with optional padding.
 * Transfer j of client c in segment i of n clients starts at
 *
 *	shared       header + i (n block + padding) + c block + j transfer
 *	per client   header + i (block + padding) + j transfer
 *
 * In the random patterns the borders between transfers are drawn: border g of a segment lies at g w + jitter(g)
 * with w half the transfer size and 0 <= jitter < w, none at the segment's ends. So sizes vary from one unit to just
 * below the transfer size, blocks vary too, the segment is packed without gaps, every byte belongs to exactly one
 * transfer, and any border is known without a table. The unit is one byte, or 4096 with direct I/O.
 *
 * random_read takes pieces of --random_size of all that was written, each at most once, as IO500 ends with: a cache
 * that filled itself with the pieces cannot answer the next ones.
 *
 * Misleads when a cache that pario cannot see holds the data, and when opening the file dominates.
 */
#include "engine/test.h"

enum pattern { AUTO, SEGMENTED, STRIDED, RANDOM, GENERAL };
enum layout { SHARED, PER_CLIENT };
enum order { SEQUENTIAL, SHUFFLED };
enum operation { WRITE = 1, REWRITE = 2, READ = 4, RANDOM_READ = 8 };
enum { DIRECT_UNIT = 4096 };

struct params {
	uint64_t transfer_size, block_size, segment_count, stride_padding, header_bytes;
	uint64_t random_size;
	int pattern, layout, order;
	uint32_t operations;
	bool same_data;
	char filename[4096];
};

static const char *const patterns[] = { "auto", "segmented", "strided", "random", "general", NULL };
static const char *const layouts[] = { "shared", "per_client", NULL };
static const char *const orders[] = { "sequential", "random", NULL };
static const char *const operations[] = { "write", "rewrite", "read", "random_read", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, operations, .def = "write,read", .choices = operations,
		.help = "phases of a repetition, in the order write, rewrite, read, random_read"),
	PARIO_OPTION(struct params, pattern, .def = "auto", .choices = patterns,
		     .help = "who accesses what; auto = segmented for one segment, else strided"),
	PARIO_OPTION(struct params, layout, .def = "shared", .choices = layouts, .letter = 'F',
		     .letter_value = "per_client",
		     .help = "one file for all clients or one for each"),
	PARIO_OPTION(struct params, order, .def = "sequential", .choices = orders, .letter = 'z',
		     .letter_value = "random",
		     .help = "random: every transfer once, in a seeded random order"),
	PARIO_OPTION(struct params, transfer_size, .def = "1m", .min = "1", .max = "1t",
		     .unit = "bytes", .letter = 't',
		     .help = "bytes moved by one call; the upper bound in random patterns"),
	PARIO_OPTION(struct params, block_size, .def = "64m", .min = "1", .unit = "bytes",
		     .letter = 'b', .help = "contiguous bytes of one client in a segment"),
	PARIO_OPTION(struct params, segment_count, .def = "1", .min = "1", .unit = "segments",
		     .letter = 's', .help = "how often the segment is repeated"),
	PARIO_OPTION(
		struct params, random_size, .def = "4k", .min = "1", .max = "1t", .unit = "bytes",
		.help = "bytes of one call of random_read, which reads pieces of this size of what was written, each "
			"once, in a seeded random order; divides --transfer_size"),
	PARIO_OPTION(struct params, stride_padding, .def = "0", .unit = "bytes",
		     .help = "gap after each segment"),
	PARIO_OPTION(
		struct params, header_bytes, .def = "0", .unit = "bytes",
		.help = "offset of the first segment, to skew alignment; general draws one when 0"),
	PARIO_OPTION(
		struct params, same_data, .def = "0",
		.help = "every write of a client sends the same bytes, made before the phase, as IOR does; else all bytes "
			"of a run differ"),
	PARIO_OPTION(struct params, filename, .def = "",
		     .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE, .synonym = "file",
		     .help = PARIO_FILENAME_HELP),
	{ 0 },
};

/* Everything the arithmetic needs, derived from the parameters. */
struct walk {
	uint64_t clients, client, seed;
	uint64_t header, stride, block, step, per_block, count, unit;
	bool random;
};

static enum pattern pattern_of(const struct params *p)
{
	if (p->pattern == AUTO)
		return p->segment_count > 1 || p->stride_padding ? STRIDED : SEGMENTED;
	return (enum pattern)p->pattern;
}

static int check(const struct params *p, bool direct, struct pario_err *err)
{
	uint64_t unit = direct ? DIRECT_UNIT : 1;
	enum pattern pattern = pattern_of(p);
	const char *wrong = NULL;

	if (pattern <= STRIDED && p->block_size % p->transfer_size)
		return pario_err_set(err, PARIO_USAGE,
				     "--block_size %llu is not a multiple of --transfer_size %llu.",
				     (unsigned long long)p->block_size,
				     (unsigned long long)p->transfer_size);
	if (!p->operations)
		wrong = "--operations is empty. Use write, rewrite, read and random_read.";
	else if ((p->operations & RANDOM_READ) &&
		 (pattern >= RANDOM || p->transfer_size % p->random_size))
		wrong = "random_read takes pieces of transfers that all have one size, which --random_size "
			"must divide. Use --pattern segmented or strided, and another --random_size.";
	else if ((p->operations & RANDOM_READ) && p->same_data)
		wrong = "random_read finds its pieces by their data, which must differ. Leave --same_data out.";
	else if ((p->operations & RANDOM_READ) && direct && p->random_size % 512)
		wrong = "--direct needs a --random_size that is a multiple of 512, better 4096.";
	else if (pattern == SEGMENTED && (p->segment_count > 1 || p->stride_padding))
		wrong = "segmented is one segment without padding; repeating it makes it strided. "
			"Use --pattern strided, or --segment_count 1 --stride_padding 0.";
	else if (pattern >= RANDOM &&
		 (p->transfer_size % (2 * unit) || p->block_size % (p->transfer_size / 2)))
		wrong = "random transfer sizes need a --transfer_size that is a multiple of 2 (8192 with "
			"--direct) and a --block_size that is a multiple of half of it.";
	else if (direct &&
		 (p->transfer_size % 512 || p->stride_padding % 512 || p->header_bytes % 512))
		wrong = "--direct needs --transfer_size, --stride_padding and --header_bytes in "
			"multiples of 512, better 4096.";
	return wrong ? pario_err_set(err, PARIO_USAGE, "%s", wrong) : 0;
}

static uint64_t header_of(const struct params *p, uint64_t seed, uint64_t unit)
{
	uint64_t units = p->transfer_size / unit;

	if (p->header_bytes || pattern_of(p) != GENERAL)
		return p->header_bytes;
	return units < 2 ? unit
			 : unit * (1 + pario_random_below(pario_random_join(seed, 0x68656164),
							  units - 1));
}

static void walk_init(struct walk *w, const struct pario_point *point, uint64_t client)
{
	const struct params *p = point->params;
	bool own = p->layout == PER_CLIENT;

	w->unit = point->access->direct ? DIRECT_UNIT : 1;
	w->random = pattern_of(p) >= RANDOM;
	w->clients = own ? 1 : point->clients;
	w->client = own ? 0 : client;
	w->seed = pario_random_join(point->seed, own ? client : 0);
	w->header = header_of(p, point->seed, w->unit);
	w->block = p->block_size;
	w->stride = pario_plus(pario_times(w->clients, p->block_size), p->stride_padding);
	w->step = w->random ? p->transfer_size / 2 : p->transfer_size;
	w->per_block = p->block_size / w->step;
	w->count = pario_times(w->per_block, p->segment_count);
}

/* Border g of segment i, from the start of the segment. */
static uint64_t border(const struct walk *w, uint64_t segment, uint64_t g)
{
	uint64_t word;

	if (g == 0 || g == w->clients * w->per_block)
		return g * w->step;
	word = pario_random_join(pario_random_join(w->seed, segment), g);
	return g * w->step + pario_random_below(word, w->step / w->unit) * w->unit;
}

/* Transfer j of the client's block in a segment. */
static void place(const struct walk *w, uint64_t segment, uint64_t j, uint64_t *offset,
		  uint64_t *length)
{
	uint64_t start = w->header + segment * w->stride, g = w->client * w->per_block + j;

	if (w->random) {
		*offset = border(w, segment, g);
		*length = border(w, segment, g + 1) - *offset;
		*offset += start;
	} else {
		*offset = start + g * w->step;
		*length = w->step;
	}
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	bool own = p->layout == PER_CLIENT, plain = pattern_of(p) <= STRIDED;
	struct walk w;

	if (check(p, point->access->direct, err) < 0)
		return -1;
	walk_init(&w, point, client);
	layout->per_client = own;
	layout->file_bytes =
		pario_plus(pario_plus(w.header, pario_times(p->segment_count - 1, w.stride)),
			   pario_times(w.clients, w.block));
	layout->data_bytes =
		pario_times(pario_times(p->block_size, p->segment_count), point->clients);
	layout->buffer_bytes = p->transfer_size;
	layout->filename = p->filename[0] ? p->filename : NULL;
	layout->regular = plain && !own;
	layout->same_data = p->same_data;
	layout->shuffled = p->order == SHUFFLED;
	layout->uniform = plain && !p->stride_padding && !p->header_bytes &&
			  p->order == SEQUENTIAL && !(p->operations & RANDOM_READ);
	layout->view = (struct pario_view){ .displacement = w.header + w.client * w.block,
					    .block = w.block,
					    .stride = w.stride,
					    .count = p->segment_count };
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	if (p->operations & WRITE)
		list[n++] = (struct pario_phase){ .name = "write", .write = true, .creates = true };
	if (p->operations & REWRITE)
		list[n++] = (struct pario_phase){ .name = "rewrite", .write = true };
	if (p->operations & READ)
		list[n++] = (struct pario_phase){ .name = "read" };
	if (p->operations & RANDOM_READ)
		list[n++] = (struct pario_phase){ .name = "random_read",
						  .pieces = p->transfer_size / p->random_size };
	return n;
}

/* Transfer i of those that were made, in the order in which they were. */
static void find(const struct params *p, const struct walk *w,
		 const struct pario_permutation *shuffle, uint64_t i, uint64_t *offset)
{
	uint64_t k = p->order == SHUFFLED ? pario_permutation_at(shuffle, i) : i, length;

	place(w, k / w->per_block, k % w->per_block, offset, &length);
}

static int read_pieces(struct pario_run *run, const struct walk *w,
		       const struct pario_permutation *shuffle, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t pieces = run->phase->pieces, offset;
	uint64_t count = pario_run_written(run, run->target, w->count) * pieces;
	uint64_t seed = pario_random_join(pario_random_join(run->seed, run->target), pieces);
	struct pario_permutation order;

	pario_permutation_init(&order, count, seed);
	for (uint64_t i = 0; pario_run_more(run, i, count); i++) {
		uint64_t k = pario_permutation_at(&order, i);

		find(p, w, shuffle, k / pieces, &offset);
		offset += k % pieces * p->random_size;
		if (pario_run_transfer(run, offset, p->random_size, err) < 0)
			return -1;
	}
	return 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t segment = 0, j = 0, offset, length;
	struct pario_permutation shuffle;
	struct walk w;

	walk_init(&w, run->point, run->target);
	pario_permutation_init(&shuffle, w.count, pario_random_join(run->seed, run->target));
	if (run->phase->pieces && run->mode == PARIO_MODE_TIMED)
		return read_pieces(run, &w, &shuffle, err);
	for (uint64_t i = 0; pario_run_more(run, i, w.count); i++) {
		if (p->order == SHUFFLED) {
			uint64_t k = pario_permutation_at(&shuffle, i);

			segment = k / w.per_block;
			j = k % w.per_block;
		}
		place(&w, segment, j, &offset, &length);
		if (pario_run_transfer(run, offset, length, err) < 0)
			return -1;
		/* Counting on is cheaper than dividing, and this loop is timed. */
		if (++j == w.per_block) {
			j = 0;
			segment++;
		}
	}
	return 0;
}

const struct pario_test pario_test_transfer = {
	.name = "transfer",
	.summary = "large contiguous and patterned reads and writes",
	.question = "How fast do clients move data to and from large files?",
	.misleads =
		"when the data fit into a cache of a server, controller or disk, which cannot be seen "
		"from here",
	.needs = PARIO_NEED_FILES | PARIO_NEED_GAP,
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = phases,
	.body = body,
	.verify = pario_verify_pattern,
};
