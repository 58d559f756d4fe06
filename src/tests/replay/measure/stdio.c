/*
 * stdio: the calls of the original on streams, on streams. The C library decides what it reads and writes for them,
 * as it did there.
 */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

static int made(const struct pario_replay_actor *a)
{
	return a->answer < 0 ? PARIO_FAILED_HERE : PARIO_MADE;
}

static const char *mode_of(unsigned flags)
{
	bool both = (flags & O_ACCMODE) == O_RDWR;

	if (flags & O_APPEND)
		return both ? "a+" : "a";
	if ((flags & O_ACCMODE) == O_RDONLY)
		return "r";
	if (flags & O_TRUNC)
		return both ? "w+" : "w";
	return both ? "r+" : "w";
}

static int open_stream(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	unsigned flags = call->arguments.open.flags;
	struct pario_replay_slot *slot = call->failed ? NULL : pario_replay_slot(a, call->result);
	struct pario_replay_spot spot;
	FILE *stream;
	int fd;

	if (!pario_replay_spot(a, call->fd, call->file, &spot))
		return pario_left(PARIO_LEFT_SOCKET);
	a->t0 = pario_run_now();
	fd = openat(spot.at, spot.name,
		    (int)(flags & (O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND)) | O_CLOEXEC,
		    0666);
	stream = fd < 0 ? NULL : fdopen(fd, mode_of(flags));
	a->t1 = pario_run_now();
	a->answer = stream ? 0 : -1;
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return PARIO_FAILED_HERE;
	}
	if (!slot) {
		fclose(stream);
		return PARIO_MADE;
	}
	*slot = (struct pario_replay_slot){ .fd = fd, .stream = stream };
	return PARIO_MADE;
}

/* One that the program made, and that stands here again. */
static bool is_pipe(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	const struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);

	return slot && slot->pipe;
}

/* A stream on a descriptor that the program opened, or inherited. */
static FILE *stream_of(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);

	if (!slot)
		return NULL;
	if (!slot->stream && pario_replay_fd(a, call, call->fd) >= 0) {
		int flags = fcntl(slot->fd, F_GETFL);

		slot->stream = fdopen(slot->fd, mode_of((unsigned)flags & (O_ACCMODE | O_APPEND)));
	}
	return slot->stream;
}

static int close_stream(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);

	if (!slot || !slot->stream)
		return PARIO_NEEDLESS;
	PARIO_REPLAY_TIMED(a, fclose(slot->stream));
	*slot = (struct pario_replay_slot){ .fd = -1 };
	return made(a);
}

/* By a call as dear as that of the original: a character costs a third of what a formatted line does. */
static long put(uint16_t op, const char *memory, uint64_t bytes, FILE *stream)
{
	if (op == PARIO_OP_fputc && bytes == 1)
		return fputc((unsigned char)*memory, stream) == EOF ? -1 : 0;
	if (op == PARIO_OP_printf && bytes < INT_MAX) /* there is no zero in it */
		return fprintf(stream, "%.*s", (int)bytes, memory) == (int)bytes ? 0 : -1;
	return fwrite(memory, 1, bytes, stream) == bytes ? 0 : -1;
}

static long get(uint16_t op, char *memory, uint64_t bytes, FILE *stream)
{
	if (op == PARIO_OP_fgetc && bytes == 1)
		return fgetc(stream) == EOF && ferror(stream) ? -1 : 0;
	return fread(memory, 1, bytes, stream) == bytes || !ferror(stream) ? 0 : -1;
}

/* Of a pipe as many bytes as came there, without reading ahead: its other end may not be in the trace. */
static long get_piped(const struct pario_replay_actor *a, int fd, char *memory, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = pario_replay_pipe_ready(a, fd, false) ? read(fd, memory, bytes) : -1;

		if (n <= 0)
			return n;
		memory += n;
		bytes -= (uint64_t)n;
	}
	return 0;
}

static int move(struct pario_replay_actor *a, const struct pario_trace_call *call, FILE *stream)
{
	bool write = call->class == PARIO_CLASS_WRITE, piped = is_pipe(a, call);
	/* a line or number that was read is as long as it was; of fread it counts what was asked for */
	uint64_t bytes = (call->op == PARIO_OP_fread && !piped) || write ? call->size : call->moved;
	char *memory;

	bytes = pario_replay_bytes(a, bytes, write);
	memory = write ? pario_replay_data(a, bytes) : pario_replay_memory(a, bytes);
	if (piped && !write)
		PARIO_REPLAY_TIMED(a, get_piped(a, fileno(stream), memory, bytes));
	else if (write)
		PARIO_REPLAY_TIMED(a, put(call->op, memory, bytes, stream));
	else
		PARIO_REPLAY_TIMED(a, get(call->op, memory, bytes, stream));
	return made(a);
}

int pario_replay_stdio(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	FILE *stream;

	switch (call->op) {
	case PARIO_OP_fopen:
		return open_stream(a, call);
	case PARIO_OP_fclose:
		return close_stream(a, call);
	case PARIO_OP_popen: /* what is read from it or written to it is no storage */
	case PARIO_OP_pclose:
		return pario_replay_fork(a, call);
	case PARIO_OP_freopen:
	case PARIO_OP_tmpfile:
	case PARIO_OP_fcloseall:
		return pario_left(PARIO_LEFT_CONTROL);
	case PARIO_OP_fmemopen:
	case PARIO_OP_open_memstream:
	case PARIO_OP_open_wmemstream:
		return PARIO_NEEDLESS;
	default:
		break;
	}
	if (!is_pipe(a, call) && (!call->file || !pario_replay_storage(a->replay->scan, call)))
		return pario_left(PARIO_LEFT_SOCKET);
	stream = stream_of(a, call);
	if (!stream)
		return pario_left(PARIO_LEFT_UNKNOWN);
	switch (call->op) {
	case PARIO_OP_fflush:
		PARIO_REPLAY_TIMED(a, fflush(stream));
		return made(a);
	case PARIO_OP_fseek:
		PARIO_REPLAY_TIMED(a, fseeko(stream, call->arguments.seek.by,
					     (int)call->arguments.seek.whence));
		return made(a);
	case PARIO_OP_rewind:
		PARIO_REPLAY_TIMED(a, fseeko(stream, 0, SEEK_SET));
		return made(a);
	case PARIO_OP_fsetpos:
		PARIO_REPLAY_TIMED(
			a, fseeko(stream,
				  call->offset == PARIO_TRACE_NOWHERE ? 0 : (off_t)call->offset,
				  SEEK_SET));
		return made(a);
	case PARIO_OP_ftell:
	case PARIO_OP_fgetpos:
		PARIO_REPLAY_TIMED(a, ftello(stream));
		return made(a);
	case PARIO_OP_setvbuf:
		PARIO_REPLAY_TIMED(a, setvbuf(stream, NULL, (int)call->arguments.flags.value % 3,
					      pario_replay_bytes(a, call->size, false)));
		return made(a);
	default:
		break;
	}
	if (call->class == PARIO_CLASS_READ || call->class == PARIO_CLASS_WRITE)
		return move(a, call, stream);
	return PARIO_NEEDLESS;
}
