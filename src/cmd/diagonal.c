/*
 * diagonal: NHT-1's sequential verification program (docs/nht1.md). One process, no MPI, constant memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "tests/nht1/model/diagonal.h"

enum { BLOCK_BYTES = 1 << 20, WORDS = 16 };

struct params {
	int class;
	uint64_t grid, vectors;
};

static const char *const classes[] = { "S", "W", "A", "B", "C", "D", "E", "F", NULL };

const struct pario_option pario_diagonal_options[] = {
	PARIO_OPTION(struct params, class, .def = "B", .choices = classes,
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "size of the problem; NHT-1 is class B"),
	PARIO_OPTION(
		struct params, grid, .def = "0", .max = "100000", .unit = "points",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "grid points per side, for a grid that is not a class; 0 = that of the class"),
	PARIO_OPTION(
		struct params, vectors, .def = "0", .unit = "vectors",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "solution vectors in the file; 0 = as many as the class writes, any number with --grid"),
	{ 0 },
};

static int prepare(struct params *p, int argc, char **argv, const char **file,
		   struct pario_err *err)
{
	const struct pario_table table = { "diagonal", pario_diagonal_options, sizeof(*p) };
	const char *words[WORDS];
	int count = 0;

	if (pario_cmd_options("diagonal", &table, p, argc, argv, words, WORDS, &count, err) < 0)
		return -1;
	if (count != 1)
		return pario_err_set(err, PARIO_USAGE,
				     "which file? `pario diagonal FILE`, one of them.");
	*file = words[0];
	if (p->grid == 0) {
		p->grid = pario_diagonal_classes[p->class].grid;
		p->vectors = p->vectors ? p->vectors : pario_diagonal_classes[p->class].vectors;
	}
	return 0;
}

/* Fills the buffer as far as the file goes; -1 with errno. */
static ssize_t take(int fd, char *buffer)
{
	size_t done = 0;

	while (done < BLOCK_BYTES) {
		ssize_t n = read(fd, buffer + done, BLOCK_BYTES - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int print(int fd, const char *name, const struct params *p, struct pario_err *err)
{
	static double values[BLOCK_BYTES / sizeof(double)];
	struct pario_text out = { 0 };
	struct pario_diagonal d;
	uint64_t bytes = 0;
	int status = 0;
	ssize_t n;

	pario_diagonal_init(&d, p->grid);
	while (status == 0 && (n = take(fd, (char *)values)) != 0) {
		if (n < 0) {
			status = pario_err_sys(err, errno, NULL, "reading %s failed in vector %llu",
					       name, (unsigned long long)d.vector + 1);
			break;
		}
		bytes += (uint64_t)n;
		pario_text_clear(&out);
		status = pario_diagonal_feed(&d, values, (size_t)n / sizeof(double),
					     pario_diagonal_add, &out, err);
		if (status == 0 && out.failed)
			status = pario_err_memory(err, "the lines");
		if (out.length && fwrite(out.data, 1, out.length, stdout) != out.length)
			break; /* main says that standard output failed */
	}
	/* What came is compared again: a pipe has no size beforehand, and a file may shrink. */
	if (status == 0 && !ferror(stdout))
		status = pario_diagonal_size(p->grid, p->vectors, bytes, name, err);
	pario_text_release(&out);
	return status;
}

/* Standard input may be a pipe. */
static int open_solution(const char *name, struct pario_err *err)
{
	int fd;

	if (strcmp(name, "/dev/stdin") != 0)
		return pario_input_open(name, "The solution file", err);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? pario_err_sys(err, errno, NULL, "standard input cannot be read") : fd;
}

int pario_cmd_diagonal(int argc, char **argv)
{
	const char *name = NULL;
	struct pario_err err = { 0 };
	struct params p = { 0 };
	struct stat st;
	int fd, status;

	if (prepare(&p, argc, argv, &name, &err) < 0)
		return pario_console_say(&err);
	fd = open_solution(name, &err);
	status = fd;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		status = pario_diagonal_size(p.grid, p.vectors, (uint64_t)st.st_size, name, &err);
	if (status >= 0)
		status = print(fd, name, &p, &err);
	if (fd >= 0)
		close(fd);
	if (status < 0)
		fflush(stdout);
	return status < 0 ? pario_console_say(&err) : 0;
}
