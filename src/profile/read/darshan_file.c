/*
 * darshan_file: a stream and its log: opened, checked to be a log, and closed. What the records say is darshan.c.
 */
#include "profile/read/darshan_file.h"

#include "base/input.h"

static size_t read_at(void *self, uint64_t offset, void *to, size_t wanted)
{
	FILE *file = self;

	if (offset > INT64_MAX || fseeko(file, (off_t)offset, SEEK_SET) != 0)
		return 0;
	return fread(to, 1, wanted, file);
}

bool pario_darshan_file_is(const char *path)
{
	char sign[PARIO_DARSHAN_SIGN];
	FILE *file = pario_input_stream(path, "", NULL);
	bool is = file && pario_darshan_is_log(sign, fread(sign, 1, sizeof(sign), file));

	if (file)
		fclose(file);
	return is;
}

int pario_darshan_file_open(struct pario_darshan_file *f, const char *path, struct pario_err *err)
{
	*f = (struct pario_darshan_file){ .file = pario_input_stream(path, "The log", err) };
	if (!f->file)
		return -1;
	if (pario_darshan_log_open(&f->log, &(struct pario_darshan_bytes){ read_at, f->file, path },
				   err) == 0)
		return 0;
	fclose(f->file);
	return -1;
}

void pario_darshan_file_close(struct pario_darshan_file *f)
{
	pario_darshan_log_release(&f->log);
	fclose(f->file);
}
