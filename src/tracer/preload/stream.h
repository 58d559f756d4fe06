/*
 * stream: which file a stream stands for, and where the program is in it.
 *
 * The place is the one the program sees; what the library reads ahead or holds back does not show. It is followed for
 * streams opened by name; after input whose length in the file is not known (scanf, wide characters) it is asked for.
 */
#ifndef PARIO_TRACER_PRELOAD_STREAM_H
#define PARIO_TRACER_PRELOAD_STREAM_H

#include <stdio.h>

#include "tracer/preload/data.h"

static inline int pario_stream_fd(const FILE *stream)
{
	return stream ? stream->_fileno : -1;
}

static inline struct pario_fd *pario_stream(struct pario_call *c, const FILE *stream)
{
	int fd = pario_stream_fd(stream);
	struct pario_fd *f = fd >= 0 ? pario_fd(fd) : NULL;

	c->fd = fd;
	if (f)
		c->file = f->file;
	return f;
}

/* `got` of `asked` bytes went by; -1 = failed or at the end, -2 = nobody knows how many. */
static inline void pario_streamed(struct pario_call *c, const FILE *stream, uint64_t asked,
				  long got)
{
	struct pario_fd *f = pario_stream(c, stream);

	c->size = asked;
	pario_result(c, got);
	if (got >= 0 && (uint64_t)got == asked)
		c->flags |= PARIO_TRACE_WHOLE;
	if (!f || f->place != PARIO_PLACE_STREAM)
		return;
	c->offset = f->at;
	if (got == -2)
		f->at = PARIO_TRACE_NOWHERE;
	else if (got > 0 && f->at != PARIO_TRACE_NOWHERE)
		f->at += (uint64_t)got;
}

/* The place is `at` from now on, -1 = unknown. */
static inline void pario_stream_at(struct pario_call *c, const FILE *stream, long at)
{
	struct pario_fd *f = pario_stream(c, stream);

	if (f && f->place == PARIO_PLACE_STREAM)
		c->offset = f->at = at < 0 ? PARIO_TRACE_NOWHERE : (uint64_t)at;
}

/* The flags that open() would get for "r+e"; of a mode that cannot be read, or of none, 0. */
static inline int pario_stream_flags(const char *mode)
{
	int flags;

	if (!mode || pario_trace_mute || pario_readable_length(mode, 16) < 0)
		return 0;
	flags = *mode == 'w'   ? O_WRONLY | O_CREAT | O_TRUNC
		: *mode == 'a' ? O_WRONLY | O_CREAT | O_APPEND
			       : O_RDONLY;
	for (int i = 1; i < 16 && *mode && mode[i] && mode[i] != ','; i++) {
		if (mode[i] == '+')
			flags = (flags & ~O_ACCMODE) | O_RDWR;
		flags |= mode[i] == 'x' ? O_EXCL : mode[i] == 'e' ? O_CLOEXEC : 0;
	}
	return flags;
}

/* A stream that is about to be opened, by name or with path NULL. */
static inline struct pario_opening pario_stream_opening(const char *path, const char *mode)
{
	struct pario_opening o = { .dir = AT_FDCWD, .path = path, .stated = path != NULL };

	o.flags = pario_stream_flags(mode);
	pario_state_before(&o);
	return o;
}

/* A stream is there; the descriptor came with it. */
static inline void pario_stream_opened(struct pario_call *c, FILE *stream, const char *mode,
				       struct pario_opening *o)
{
	int fd = pario_stream_fd(stream);

	c->arg = (uint32_t)o->flags;
	if (!stream) {
		pario_failed(c, errno);
		if (o->path)
			pario_of_name(c, AT_FDCWD, o->path);
		if (o->path && c->result == ENOENT)
			pario_state_after(o, c->file, -1);
		return;
	}
	if (fd < 0)
		return;
	pario_fd_opened(c, fd, o);
	pario_result(c, fd);
	pario_fd_stream(fd, mode && mode[0] == 'a');
}

/* To be called before the stream is closed. */
static inline void pario_stream_closing(struct pario_call *c, const FILE *stream)
{
	int fd = pario_stream_fd(stream);

	struct pario_fd *f = pario_fd_entry(fd);

	c->fd = fd;
	if (f)
		c->file = pario_fd_closes(f);
}

/*
 * A function with variable arguments, by its twin that takes a va_list; `twin` is the text of its name.
 */
#define PARIO_WRAP_VARIABLE(type, name, op, params, last, twin, twin_params, args, after)        \
	PARIO_EXPORT type name params;                                                           \
	static struct pario_symbol pario_symbol_##name                                           \
		__attribute__((section("pario_symbols"), used)) = { twin, NULL };                \
	PARIO_EXPORT type name params                                                            \
	{                                                                                        \
		type(*next) twin_params = (type(*) twin_params)pario_next(&pario_symbol_##name); \
		struct pario_call c;                                                             \
		bool on = pario_trace_begin(&c, PARIO_OP_##op, PARIO_TRACE_STDIO,                \
					    __builtin_return_address(0),                         \
					    __builtin_frame_address(0));                         \
		va_list more;                                                                    \
		type r;                                                                          \
                                                                                                 \
		va_start(more, last);                                                            \
		r = next args;                                                                   \
		va_end(more);                                                                    \
		if (on) {                                                                        \
			pario_trace_stop(&c);                                                    \
			after;                                                                   \
			pario_trace_put(&c);                                                     \
		}                                                                                \
		return r;                                                                        \
	}

#endif
