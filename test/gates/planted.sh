#!/bin/bash
# Do the gates see a breach? Each is shown a small tree with one, and must fail and name the file.
. "$(dirname "$0")/lib.sh"

gates=$PWD/test/gates
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
status=0

# plant FILE: standard input becomes FILE of an otherwise empty tree.
plant()
{
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/$(dirname "$1")"
	cat >"$tree/$1"
	planted=$1
}

# caught GATE: the gate must fail on the planted tree and name the file.
caught()
{
	local output code=0

	output=$(ROOT=$tree CHECK_DIR=$tree/check "$gates/$1.sh" 2>&1) || code=$?
	if [ $code -eq 77 ]; then
		echo "$1: ${output##*$'\n'}"
	elif [ $code -eq 0 ] || ! grep -q "$planted" <<<"$output"; then
		echo "$1.sh did not see the breach in $planted (status $code): $output"
		status=1
	fi
}

# passes GATE: and what is right must pass.
passes()
{
	local output code=0

	output=$(ROOT=$tree CHECK_DIR=$tree/check "$gates/$1.sh" 2>&1) || code=$?
	if [ $code -ne 0 ] && [ $code -ne 77 ]; then
		echo "$1.sh refused what is right in $planted: $output"
		status=1
	fi
}

function_of()
{
	printf 'int f(void)\n{\n'
	seq -f '	g(%g);' "$1"
	printf '}\n'
}

plant docs/x.md <<<'Use --transfer_sise 4k.' && caught options
plant docs/pictures.txt <<<'report: html head' && caught pictures
plant docs/x.md <<<'    pario run transfr' && caught options
plant docs/x.md <<<'    pario run transfer --transfer_size 4k' && passes options
# shellcheck disable=SC2016 # as Markdown writes it
plant docs/architecture.md <<<'The clock is engine/sundial, see `engine/ticks.h`.' && caught options
plant docs/x.md <<<'    $ pario run transfer --pattern strided --direct 1 --api mpiio' && caught commands
plant docs/x.md <<<'    pario run transfer --transfer_size 4k' && passes commands
plant docs/x.md <<<$'<!-- not run: it does not exist -->\n    pario run transfr' && passes commands
plant src/base/x.c <<<'#include "engine/test.h"' && caught layers
plant src/base/x.c <<<'#include <mpi.h>' && caught layers
plant src/report/x.c <<<'#include <mpi.h>' && caught layers
plant src/tests/x.c <<<'#include "backend/backend.h"' && caught layers
plant src/tests/x.c <<<'#include <mpi.h>' && caught layers
plant src/journal/x.c <<<'#include "../engine/test.h"' && caught layers
plant src/tests/beff/model/x.c <<<'#include <mpi.h>' && caught layers
plant src/tests/overlap/report/x.c <<<'#include "tests/beff/model/loop.h"' && caught layers
plant src/attic/x.c <<<'#include "base/err.h"' && caught layers
plant src/tests/beff/test.c <<<'#include <mpi.h>' && passes layers
plant src/engine/x.c <<<'#include "journal/journal.h"' && passes layers
plant src/engine/x.c < <(function_of 120) && caught length
plant src/engine/x.c < <(function_of 90) && passes length
plant src/engine/x.c < <(seq -f 'int x%g;' 601) && passes length
plant src/engine/x.h <<<'size_t f(void);' && caught headers
plant src/trace/x.c <<<$'/*\n * x: by names.\n */\nint f(void);' && caught heads
plant src/trace/x.c <<<'int f(void);' && caught heads
plant src/trace/x.c <<<$'/*\n * x: what lies behind a name, told from its text alone: no file is opened.\n */' && passes heads
plant src/engine/x.c <<<'int   f( void );' && caught format
plant src/engine/x.c <<<"/* $(printf 'word %.0s' {1..30})*/" && caught format
plant src/engine/x.c <<<'int f(void){int a[2];return a[2];}' && caught cppcheck
plant x <<<$'#!/bin/sh\nrm $1' && caught shellcheck
sums=$'struct params {\n\tuint64_t items, bytes;\n};\nstatic const struct pario_option rows[] = {
	PARIO_OPTION(struct params, items, .def = "1"),\n\tPARIO_OPTION(struct params, bytes, .def = "1"),\n};'
plant src/tests/x.c <<<"$sums"$'\nstatic uint64_t f(const struct params *p)\n{\n\treturn p->items * p->bytes;\n}' && caught arithmetic
plant src/tests/x.c <<<"$sums"$'\nstatic uint64_t f(const struct params *p, uint64_t n)\n{\n\tn = p->items;\n\treturn 7 + n;\n}' && caught arithmetic
plant src/tests/x.c <<<"$sums"$'\nstatic uint64_t f(const struct params *p)\n{\n\treturn p->items << 10;\n}' && caught arithmetic
plant src/tests/x.c <<<"$sums"$'\nstatic double f(const struct params *p)\n{\n\treturn 2 * (double)p->items + (double)pario_times(p->items, p->bytes);\n}' && passes arithmetic
plant src/tests/x.c <<<"$sums"$'\nstatic int f(struct pario_run *run, const struct params *p)\n{\n\treturn run->at + p->items * p->bytes;\n}' && passes arithmetic
# In pieces, so that this file itself is none.
plant x.md <<<"t""eh" && caught codespell
plant src/tracer/preload/mpi/x.c <<<'static struct pario_symbol symbol = { "PMPI_Comm_get_attr", NULL };' && caught questions
plant src/tracer/preload/mpi/x.c <<<$'int f(void)\n{\n\treturn PMPI_Type_size(t, &n);\n}' && caught questions
plant src/tracer/preload/mpi/x.c <<<$'bool f(MPI_Comm c)\n{\n\treturn c == MPI_COMM_NULL;\n}' && caught questions
plant src/tracer/preload/mpi/x.c <<<$'/* MPI_COMM_NULL is none: MPI_Send(it) fails */\nCALL(MPI_Send, (MPI_Comm c), (c), c != names()->no_comm)' && passes questions
plant src/engine/x.c <<<$'int f(void)\n{\n\treturn unlink("x");\n}' && caught places
plant src/engine/x.c <<<$'int f(void)\n{\n\treturn open(path,\n\t\t    O_WRONLY | O_CREAT, 0600);\n}' && caught places
plant src/tracer/preload/x.c <<<$'\tfd = pario_raw6(SYS_openat, AT_FDCWD, (long)path, O_RDWR, 0, 0, 0);' && caught places
plant src/cmd/x.c <<<$'\tfile = fopen(path, "we");' && caught places
plant src/cmd/x.c <<<$'\trenameat(AT_FDCWD, a, AT_FDCWD, b);' && caught places
plant src/engine/workspace.c <<<$'\tunlink(path);' && passes places
plant src/cmd/x.c <<<$'\tfile = fopen(path, "re");\n\tfd = open(path, O_RDONLY);\n\tunlinkat(dirfd, name, 0);' && passes places
plant src/tests/x.c <<<$'\tMPI_Abort(MPI_COMM_WORLD, 1);' && caught roles
plant src/report/x.c <<<$'\texit(1);' && caught roles
plant src/engine/x.c <<<$'\tprintf("done");' && caught roles
plant src/tests/x.c <<<$'\tnow = pario_clock_ns();' && caught roles
plant src/base/x.c <<<$'\treturn pario_err_set(err, PARIO_SYSTEM, "no memory for it.");' && caught roles
plant src/engine/x.c <<<$'static unsigned seen;' && caught roles
plant src/engine/x.c <<<$'\tif (is(name, "x") ||\n\t    is_test("transfer"))' && caught roles
plant src/cmd/x.c <<<$'\treturn pario_err_set(err, PARIO_USAGE,\n\t\t"The file is gone.");' && caught sentences
plant src/cmd/x.c <<<$'\treturn pario_err_sys(err, errno, "Wait.", "The file %s is gone", name);' && caught sentences
plant src/cmd/x.c <<<$'\treturn pario_err_sys(err, errno, "Wait.", "MPI took %s", name);' && passes sentences
plant src/cmd/x.c <<<$'\tpario_err_set(err, PARIO_USAGE, "no x; did you mean %s?", near);' && caught roles
plant src/tests/x.c <<<$'\trc = MPI_File_open(comm, path, mode, info, &file);' && caught roles
plant src/tracer/x.c <<<$'\tticks = __builtin_ia32_rdtsc();' && caught roles
plant src/report/x.c <<<$'\tword = strtok_r(text, " ", &save);' && caught roles
plant src/report/x.c <<<$'\tif (strcmp(name, "label") == 0)' && caught roles
plant src/session/x.c <<<$'static const char *const names[] = { "pause", "run_limit" };' && caught roles
plant src/cmd/x.c <<<$'\tprintf("done"); /* MPI_Abort( */\n\texit(0);' && passes roles
plant src/engine/x.c <<<$'static const char *const words[] = { "a" };\nenum { A, B };' && passes roles
plant src/engine/x.h <<<$'struct pario_x {\n\tint a;\n};\nstruct pario_x {\n};' && caught names
plant src/engine/x.h <<<$'struct pario_x {\n\tstruct pario_y *y;\n};\nint pario_x(void);' && passes names
plant src/engine/x.h <<<$'int pario_y(void);' && caught exports
plant src/engine/x.h <<<$'static inline int pario_y(void)\n{\n\treturn 0;\n}' && passes exports
# shellcheck disable=SC2016 # backquotes of Markdown
plant docs/x.md <<<'proved by `cli/beff: what no test says`' && caught proofs
# shellcheck disable=SC2016 # backquotes of Markdown
plant docs/x.md <<<'proved by `unit/beff: nothing`' && caught proofs
plant x.md <<<"see /ho""me/someone/x" && caught local_paths
plant packaging/x <<<"-DPARIO_WITH_HDF6=ON" && caught packaging
exit $status
