/*
 * test_data: is every word unique, is wrong data found wherever it is, and is it described for what it is?
 *
 * run:
 * clients: 1
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/data.h"

static int failures;

static void check(int fine, const char *what)
{
	if (!fine) {
		printf("test_data: %s\n", what);
		failures++;
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *p = a, *q = b;

	return *p < *q ? -1 : *p > *q;
}

/* Any part of the file, filled alone, equals the same part of the whole. */
static void test_parts(const struct pario_data *data)
{
	static char whole[5 * PARIO_DATA_BLOCK], part[5 * PARIO_DATA_BLOCK];
	struct pario_owner owner = { .salt = pario_data_salt(data, 3, 1), .client = 2 };
	uint64_t base = 7 * PARIO_DATA_BLOCK - 100;

	pario_data_fill(data, &owner, whole, base, sizeof(whole));
	for (uint64_t at = 0; at < 4200; at += 7) {
		uint64_t length = 1 + at * 3 % 9000;

		pario_data_fill(data, &owner, part, base + at, length);
		check(memcmp(part, whole + at, length) == 0, "a part differs from the whole");
		check(pario_data_check(data, &owner, whole + at, base + at, length) == length,
		      "right data is called wrong");
		check(pario_data_peek(data, &owner, whole + at, base + at, length),
		      "a look at right data calls it wrong");
	}
}

static void test_unique(const struct pario_data *data)
{
	enum { BLOCKS = 512, WORDS = BLOCKS * PARIO_DATA_WORDS };
	uint64_t *words = malloc(WORDS * sizeof(*words));
	size_t same = 0;

	for (uint64_t client = 0; client < 2; client++) {
		struct pario_owner owner = { .salt = pario_data_salt(data, 0, 1),
					     .client = client };

		pario_data_fill(data, &owner, words + client * WORDS / 2, 0, WORDS / 2 * 8);
	}
	qsort(words, WORDS, sizeof(*words), by_value);
	for (size_t i = 1; i < WORDS; i++)
		same += words[i] == words[i - 1];
	check(same == 0, "two words of a run are the same");
	free(words);
}

/* Every single flipped byte of a transfer is found at its place. */
static void test_flips(const struct pario_data *data)
{
	static char buffer[2 * PARIO_DATA_BLOCK + 13];
	struct pario_owner owner = { .salt = pario_data_salt(data, 9, 4), .client = 1 };

	pario_data_fill(data, &owner, buffer, 4093, sizeof(buffer));
	for (uint64_t at = 0; at < sizeof(buffer); at++) {
		buffer[at] = (char)(buffer[at] ^ 0x10);
		check(pario_data_check(data, &owner, buffer, 4093, sizeof(buffer)) == at,
		      "a flipped byte is not found where it is");
		buffer[at] = (char)(buffer[at] ^ 0x10);
	}
}

static void expect(const struct pario_data *data, const struct pario_owner *owner,
		   const void *buffer, uint64_t offset, uint64_t length, const char *words)
{
	struct pario_err err = { 0 };

	check(pario_data_report(data, owner, buffer, offset, length, "FILE", 5, &err) < 0 &&
		      err.code == PARIO_VERIFY,
	      "wrong data is not reported");
	if (!strstr(err.text, words)) {
		printf("test_data: \"%s\" lacks \"%s\"\n", err.text, words);
		failures++;
	}
}

static void test_descriptions(const struct pario_data *data)
{
	static char buffer[2 * PARIO_DATA_BLOCK];
	struct pario_owner owner = { .salt = pario_data_salt(data, 1, 1), .client = 0 };
	struct pario_owner other = { .salt = owner.salt, .client = 6 },
			   old = { .salt = pario_data_salt(data, 1, 0), .client = 0 };

	memset(buffer, 0, sizeof(buffer));
	expect(data, &owner, buffer, 8192, sizeof(buffer), "zeros");
	pario_data_poison(buffer, sizeof(buffer));
	expect(data, &owner, buffer, 8192, sizeof(buffer), "did not fill");
	pario_data_fill(data, &other, buffer, 8192, sizeof(buffer));
	expect(data, &owner, buffer, 8192, sizeof(buffer), "client 6 wrote for offset 8192");
	pario_data_fill(data, &owner, buffer, 20480, sizeof(buffer));
	expect(data, &owner, buffer, 8192, sizeof(buffer), "client 0 wrote for offset 20480");
	pario_data_fill(data, &old, buffer, 8192, sizeof(buffer));
	expect(data, &owner, buffer, 8192, sizeof(buffer), "did not write");
	pario_data_fill(data, &owner, buffer, 8192, sizeof(buffer));
	buffer[5000] = (char)(buffer[5000] ^ 1);
	expect(data, &owner, buffer, 8192, sizeof(buffer), "offset 13192");
}

/* With an origin every transfer has what stands at the beginning, and a wrong byte is told where it is. */
static void test_origin(const struct pario_data *data)
{
	static char first[PARIO_DATA_BLOCK + 24], later[sizeof(first)];
	struct pario_owner owner = { .salt = pario_data_salt(data, 2, 1), .client = 3 };
	struct pario_owner moved = owner, other = owner;

	moved.origin = 700001;
	other.client = 4;
	other.origin = moved.origin;
	pario_data_fill(data, &owner, first, 0, sizeof(first));
	pario_data_fill(data, &moved, later, 700001, sizeof(later));
	check(memcmp(first, later, sizeof(first)) == 0, "the same bytes elsewhere");
	check(pario_data_check(data, &moved, first, 700001, sizeof(first)) == sizeof(first),
	      "checked elsewhere");
	check(pario_data_peek(data, &moved, first, 700001, sizeof(first)), "peeked elsewhere");
	check(!pario_data_peek(data, &other, first, 700001, sizeof(first)), "another client's");
	expect(data, &other, first, 700001, sizeof(first), "client 3 wrote for offset 700001");
	first[4099] = (char)(first[4099] ^ 4);
	expect(data, &moved, first, 700001, sizeof(first), "offset 704100");
}

int main(int argc, char **argv)
{
	static struct pario_data data;

	MPI_Init(&argc, &argv);
	pario_data_init(&data, 0x1234);
	test_parts(&data);
	test_unique(&data);
	test_flips(&data);
	test_descriptions(&data);
	test_origin(&data);
	MPI_Finalize();
	return failures ? 1 : 0;
}
