/*
 * shape: what the parameters of b_eff_io mean on this machine, known before anything runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/beff_io/measure/partitions.h"

/* With --short: enough to see every pattern, with the smallest M_PART. */
#define SHORT_S	     6.0
#define SHORT_MEMORY (256ull << 20)

/* "8" is a partition of 8 processes, "4x2" one of 4 nodes with 2 each. */
static int partition(const char *word, uint64_t clients, unsigned i, struct pario_beff_io_shape *s,
		     struct pario_err *err)
{
	uint64_t first, each = 1;
	char *end;
	bool well;

	errno = 0;
	first = strtoull(word, &end, 10);
	well = errno == 0 && end > word && *word >= '0' && *word <= '9';
	if (well && *end == 'x') {
		const char *rest = end + 1;

		s->nodes[i] = first;
		each = strtoull(rest, &end, 10);
		well = errno == 0 && end > rest && *rest >= '0' && *rest <= '9';
	}
	if (!well || *end)
		return pario_err_set(err, PARIO_USAGE,
				     "--partitions \"%s\" is no partition. Give a number of "
				     "processes, or nodes and processes on each as 4x2.",
				     word);
	if (!pario_mul(first, each, &s->sizes[i]) || s->sizes[i] == 0 || s->sizes[i] > clients)
		return pario_err_set(
			err, PARIO_USAGE,
			"--partitions %s is no part of %llu clients. Use sizes from 1 on, or start "
			"more with --np.",
			word, (unsigned long long)clients);
	return 0;
}

static int asked_partitions(const struct pario_beff_io_params *p, uint64_t clients,
			    struct pario_beff_io_shape *s, struct pario_err *err)
{
	char list[sizeof(p->partitions)];

	snprintf(list, sizeof(list), "%s", p->partitions);
	s->parts = 0;
	for (char *rest = list, *word; (word = pario_text_word(&rest, ", "));) {
		if (s->parts == PARIO_BEFF_IO_PARTITIONS)
			return pario_err_set(
				err, PARIO_USAGE,
				"at most %d partitions are measured, and --partitions has more.",
				PARIO_BEFF_IO_PARTITIONS);
		if (partition(word, clients, s->parts, s, err) < 0)
			return -1;
		s->parts++;
	}
	if (s->parts > 1 && p->release != PARIO_BEFF_IO_RELEASE_2)
		return pario_err_set(
			err, PARIO_USAGE,
			"--partitions with several sizes belongs to --release 2.0. By the paper one "
			"partition is measured after the other: use --clients %s.",
			p->partitions);
	return 0;
}

static int partitions(const struct pario_beff_io_params *p, uint64_t clients,
		      struct pario_beff_io_shape *s, struct pario_err *err)
{
	if (*p->partitions)
		return asked_partitions(p, clients, s, err);
	s->parts = 1;
	s->sizes[0] = clients;
	if (p->release == PARIO_BEFF_IO_RELEASE_2)
		s->parts = pario_beff_io_partitions(clients, s->sizes);
	return 0;
}

int pario_beff_io_part_of(const struct pario_beff_io_params *p, uint64_t memory_bytes,
			  uint64_t per_node, uint64_t *mpart, struct pario_err *err)
{
	*mpart = pario_beff_io_mpart(memory_bytes / (per_node ? per_node : 1),
				     p->release == PARIO_BEFF_IO_RELEASE_2);
	if (*mpart / 8 > INT_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "a call of MPI takes at most 2^31-1 elements, and the largest "
				     "chunk has %llu. Use a smaller --memory_per_node.",
				     (unsigned long long)(*mpart / 8));
	return 0;
}

static int memory(const struct pario_beff_io_params *p, uint64_t per_node,
		  struct pario_beff_io_shape *s, struct pario_err *err)
{
	char asked[PARIO_UNITS_CAPACITY], there[PARIO_UNITS_CAPACITY];

	s->node_bytes = pario_run_capacity(NULL).total_bytes;
	s->memory_bytes = p->memory_per_node ? p->memory_per_node : s->node_bytes;
	if (s->memory_bytes > s->node_bytes)
		return pario_err_set(
			err, PARIO_USAGE,
			"--memory_per_node %s is more than this node has, %s. Leave it out to use that.",
			pario_units_size(asked, s->memory_bytes),
			pario_units_size(there, s->node_bytes));
	if (p->brief && s->memory_bytes > SHORT_MEMORY)
		s->memory_bytes = SHORT_MEMORY;
	for (unsigned i = 0; i < s->parts; i++) {
		uint64_t most = s->nodes[i]		 ? s->sizes[i] / s->nodes[i]
				: s->sizes[i] < per_node ? s->sizes[i]
							 : per_node;

		if (pario_beff_io_part_of(p, s->memory_bytes, most, &s->mpart[i], err) < 0)
			return -1;
	}
	return 0;
}

int pario_beff_io_shape(const struct pario_beff_io_params *p, uint64_t clients, uint64_t per_node,
			struct pario_beff_io_shape *s, struct pario_err *err)
{
	double seconds = p->brief ? SHORT_S : p->minutes * 60;

	memset(s, 0, sizeof(*s));
	if (!(seconds >= 1))
		return pario_err_set(
			err, PARIO_USAGE,
			"--minutes %g is less than a second for all patterns of a partition. Use 15 for "
			"an official value, less for a look.",
			p->minutes);
	if (p->rewrite_all && p->release != PARIO_BEFF_IO_RELEASE_2)
		return pario_err_set(
			err, PARIO_USAGE,
			"--rewrite_all belongs to --release 2.0: by the paper all types are rewritten. "
			"Leave it out.");
	if (partitions(p, clients, s, err) < 0 || memory(p, per_node, s, err) < 0)
		return -1;
	s->plan = (struct pario_beff_io_plan){
		.release = (enum pario_beff_io_release)p->release,
		.seconds = seconds * s->parts,
		.partitions = s->parts,
		.rewrite_all = p->rewrite_all || p->release == PARIO_BEFF_IO_PAPER,
	};
	return 0;
}

static int too_long(const struct pario_beff_io_hints *hints, const char *path,
		    struct pario_err *err)
{
	for (size_t i = 0; i < hints->count; i++) {
		const struct pario_beff_io_hint *h = &hints->hint[i];

		/* MPI aborts on these. */
		if (strlen(h->key) >= MPI_MAX_INFO_KEY || strlen(h->value) >= MPI_MAX_INFO_VAL)
			return pario_err_set(
				err, PARIO_USAGE,
				"the hint %s of the hints file \"%s\" cannot be passed on: this MPI "
				"takes keys of at most %d characters.",
				h->key, path, MPI_MAX_INFO_KEY - 1);
	}
	return 0;
}

int pario_beff_io_read_hints(const char *path, struct pario_beff_io_hints *hints,
			     struct pario_err *err)
{
	char text[PARIO_BEFF_IO_HINTS_TEXT + 1];
	size_t length = 0;
	struct stat st;
	ssize_t n = 1;
	int fd;

	memset(hints, 0, sizeof(*hints));
	if (!*path)
		return 0;
	/* It is read more than once, also by the pario that was started: a pipe would be empty by then. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)) {
		close(fd);
		return pario_err_set(err, PARIO_USAGE,
				     "the hints file \"%s\" is a pipe, and it is read more than "
				     "once. Give --hints_file a file.",
				     path);
	}
	while (fd >= 0 && n > 0 && length < sizeof(text)) {
		n = read(fd, text + length, sizeof(text) - length);
		length += n > 0 ? (size_t)n : 0;
	}
	if (fd < 0 || n < 0) {
		int sys = errno;

		if (fd >= 0)
			close(fd);
		pario_err_sys(err, sys, "Give --hints_file a file that can be read.",
			      "reading the hints file \"%s\" failed", path);
		if (err)
			err->code = PARIO_USAGE;
		return -1;
	}
	close(fd);
	if (pario_beff_io_hints_parse(hints, path, text, length, err) < 0)
		return -1;
	return too_long(hints, path, err);
}
