/*
 * source: plain files and gzip files are read through the same few calls; zlib passes on what is not compressed.
 */
#include "import/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/input.h"

#ifdef PARIO_HAVE_ZLIB
#include <zlib.h>
#endif

enum { PIECE = 1 << 16 };

#ifdef PARIO_HAVE_ZLIB
static void *stream_open(int fd)
{
	gzFile file = gzdopen(fd, "rb");

	if (file)
		gzbuffer(file, PIECE);
	return file;
}

static size_t stream_read(struct pario_import_file *source, void *to, size_t wanted)
{
	int n = gzread(source->stream, to, (unsigned)(wanted < PIECE ? wanted : PIECE)), code;
	const char *why = n < 0 ? gzerror(source->stream, &code) : NULL;

	if (n >= 0)
		return (size_t)n;
	source->damaged = true;
	snprintf(source->why, sizeof(source->why), "%s",
		 code == Z_ERRNO ? pario_err_name(errno) : why);
	return 0;
}

/* A file that ends within its compressed data gives what there is, and then this. */
static bool stream_ends_well(struct pario_import_file *source)
{
	int code = Z_OK;

	gzerror(source->stream, &code);
	return code != Z_BUF_ERROR;
}

static void stream_rewind(struct pario_import_file *source)
{
	gzrewind(source->stream);
}

static bool stream_seek(struct pario_import_file *source, uint64_t offset)
{
	return gzseek(source->stream, (z_off_t)offset, SEEK_SET) >= 0;
}

static void stream_close(void *stream)
{
	gzclose(stream);
}
#else
static void *stream_open(int fd)
{
	return fdopen(fd, "rb");
}

static size_t stream_read(struct pario_import_file *source, void *to, size_t wanted)
{
	size_t n = fread(to, 1, wanted, source->stream);

	if (ferror((FILE *)source->stream)) {
		source->damaged = true;
		snprintf(source->why, sizeof(source->why), "%s", pario_err_name(errno));
	}
	return n;
}

/* Without zlib, compressed bytes are text that nothing recognises; say why. */
static bool stream_ends_well(struct pario_import_file *source)
{
	unsigned char head[2] = { 0 };

	rewind((FILE *)source->stream);
	if (fread(head, 1, 2, source->stream) == 2 && head[0] == 0x1f && head[1] == 0x8b) {
		snprintf(source->why, sizeof(source->why),
			 "it is compressed, and pario was built without zlib");
		return false;
	}
	return true;
}

static void stream_rewind(struct pario_import_file *source)
{
	rewind((FILE *)source->stream);
}

static bool stream_seek(struct pario_import_file *source, uint64_t offset)
{
	return fseeko(source->stream, (off_t)offset, SEEK_SET) == 0;
}

static void stream_close(void *stream)
{
	fclose(stream);
}
#endif

void pario_import_file_rewind(struct pario_import_file *source)
{
	source->at = 0;
	if (source->stream)
		stream_rewind(source);
}

bool pario_import_file_seek(struct pario_import_file *source, uint64_t offset)
{
	if (offset > source->bytes)
		return false;
	source->at = (size_t)offset;
	return !source->stream || stream_seek(source, offset);
}

size_t pario_import_file_read(struct pario_import_file *source, void *to, size_t wanted)
{
	size_t done = 0, n = 1;

	if (!source->stream) {
		done = source->length - source->at < wanted ? source->length - source->at : wanted;
		memcpy(to, source->text + source->at, done);
		source->at += done;
		return done;
	}
	while (done < wanted && n > 0) {
		n = stream_read(source, (char *)to + done, wanted - done);
		done += n;
	}
	return done;
}

static int refuse_unreadable(const struct pario_import_file *source, struct pario_err *err)
{
	return pario_err_set(err, PARIO_SYSTEM, "%s cannot be read to its end: %s.", source->path,
			     *source->why ? source->why : "it is cut off");
}

/* How long it is, what it is known by, and whether it can be read at all. */
static int read_once(struct pario_import_file *source, struct pario_err *err)
{
	XXH64_state_t *state = XXH64_createState();
	char piece[PIECE];
	size_t n;

	if (!state)
		return pario_err_memory(err, NULL);
	XXH64_reset(state, 0);
	pario_import_file_rewind(source);
	while ((n = pario_import_file_read(source, piece, sizeof(piece))) > 0) {
		XXH64_update(state, piece, n);
		source->bytes += n;
	}
	source->hash = XXH64_digest(state);
	XXH64_freeState(state);
	if (source->damaged || (source->stream && !stream_ends_well(source)))
		return refuse_unreadable(source, err);
	return 0;
}

/* Standard input can be read but once: a file without a name keeps it. Returns the descriptor, or -1. */
static int put_aside(struct pario_err *err)
{
	FILE *aside = tmpfile();
	char piece[PIECE];
	ssize_t n = 0;
	int fd = -1;

	while (aside && (n = read(STDIN_FILENO, piece, sizeof(piece))) > 0) {
		if (fwrite(piece, 1, (size_t)n, aside) != (size_t)n)
			break;
	}
	if (aside && n == 0 && fflush(aside) == 0 && lseek(fileno(aside), 0, SEEK_SET) == 0)
		fd = fcntl(fileno(aside), F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		pario_err_sys(err, errno, "", "standard input cannot be put aside in TMPDIR");
	if (aside)
		fclose(aside);
	return fd;
}

int pario_import_file_open(struct pario_import_file *source, const char *path,
			   struct pario_err *err)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? put_aside(err) : pario_input_open(path, "The file", err);

	*source = (struct pario_import_file){ .path = standard ? "standard input" : path };
	if (fd < 0)
		return -1;
	source->stream = stream_open(fd);
	if (!source->stream) {
		close(fd);
		return pario_err_memory(err, NULL);
	}
	if (read_once(source, err) == 0)
		return 0;
	pario_import_file_release(source);
	return -1;
}

int pario_import_file_memory(struct pario_import_file *source, const char *path, const void *bytes,
			     size_t length, struct pario_err *err)
{
	*source = (struct pario_import_file){ .path = path, .text = malloc(length + 1) };
	if (!source->text)
		return pario_err_memory(err, NULL);
	memcpy(source->text, bytes, length);
	source->text[length] = '\0';
	source->length = length;
	return read_once(source, err);
}

void pario_import_file_release(struct pario_import_file *source)
{
	if (source->stream)
		stream_close(source->stream);
	free(source->text);
	*source = (struct pario_import_file){ 0 };
}

int pario_import_file_whole(struct pario_import_file *source, size_t most, struct pario_err *err)
{
	if (source->text)
		return 0;
	if (source->bytes > most)
		return pario_err_set(err, PARIO_USAGE,
				     "%s is too large to be imported at once; cut it into files "
				     "below %zu MiB.",
				     source->path, most >> 20);
	source->text = malloc((size_t)source->bytes + 1);
	if (!source->text)
		return pario_err_memory(err, NULL);
	pario_import_file_rewind(source);
	source->length = pario_import_file_read(source, source->text, (size_t)source->bytes);
	source->text[source->length] = '\0';
	stream_close(source->stream);
	source->stream = NULL;
	return 0;
}
