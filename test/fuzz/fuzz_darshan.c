/*
 * Any bytes as a log of Darshan: every record of every module comes, or a sentence.
 * What is compressed would hide mutations behind a checksum, so three of four inputs are read as if nothing were.
 */
#include <stdlib.h>
#include <string.h>

#include "darshan/names.h"
#include "memory_input.h"

struct input {
	const uint8_t *bytes;
	size_t size;
	uint64_t values;
};

static size_t read_at(void *self, uint64_t offset, void *to, size_t wanted)
{
	const struct input *input = self;
	size_t n = offset < input->size ? input->size - (size_t)offset : 0;

	n = n < wanted ? n : wanted;
	if (n)
		memcpy(to, input->bytes + offset, n);
	return n;
}

static int see_counter(void *self, const struct pario_darshan_record *record,
		       const struct pario_darshan_value *value, struct pario_err *err)
{
	struct input *input = self;

	(void)err;
	if (!record->module || !value->name || strlen(value->name) > 60 ||
	    (value->kind == PARIO_DARSHAN_WORD && !value->word))
		abort();
	return ++input->values > 100000 ? -1 : 0;
}

static int see_segment(void *self, const struct pario_darshan_record *record,
		       const struct pario_darshan_segment *segment, struct pario_err *err)
{
	struct input *input = self;

	(void)record;
	(void)err;
	if (strlen(segment->host) > 64)
		abort();
	return ++input->values > 100000 ? -1 : 0;
}

static void read_log(const uint8_t *data, size_t size)
{
	struct input input = { data, size, 0 };
	const struct pario_darshan_bytes bytes = { read_at, &input, "input" };
	const struct pario_darshan_see see = { see_counter, see_segment, &input };
	struct pario_darshan_names names;
	struct pario_darshan_log log;
	struct pario_err err = { 0 };

	if (pario_darshan_log_open(&log, &bytes, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	for (unsigned i = 0; i < log.count; i++) {
		if (log.module[i].length)
			pario_darshan_module_read(&log, i, &see, &err);
	}
	pario_err_clear(&err);
	if (pario_darshan_names_load(&names, &log, &err) == 0)
		pario_darshan_names_release(&names);
	else if (!err.text[0])
		abort();
	pario_darshan_log_release(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *plain = malloc(size ? size : 1);

	if (!plain || size <= 16 || one_in(4, data, size)) {
		read_log(data, size);
	} else {
		memcpy(plain, data, size);
		plain[16] = 2;
		read_log(plain, size);
	}
	free(plain);
	return 0;
}
