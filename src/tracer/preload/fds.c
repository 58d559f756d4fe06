/*
 * fds: what is kept about descriptors: the file, and where in it the program is.
 *
 * A descriptor gets its file when it is opened. What came by inheritance or over a socket is looked up at its first
 * use. So is the state of a file that was opened to be read: a file that nothing is done with is never asked about.
 */
#include "tracer/preload/known.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tracer/preload/raw.h"

uint64_t pario_fd_where(int fd)
{
	long at = pario_trace_mute ? -1 : pario_raw3(SYS_lseek, fd, 0, SEEK_CUR);

	return at < 0 ? PARIO_TRACE_NOWHERE : (uint64_t)at;
}

/* Where the place is after an open, which is asked for once of what is no file. */
static uint64_t first_place(int fd, uint32_t file, int flags)
{
	const unsigned begins = PARIO_FACT_FILE | PARIO_FACT_BEGINS;
	uint64_t at;

	if (flags >= 0 && (flags & O_DIRECTORY || pario_facts(file) & begins))
		return 0;
	at = pario_fd_where(fd);
	if (at == 0 && flags >= 0)
		pario_facts_add(file, PARIO_FACT_BEGINS);
	return at;
}

/* Fills an entry; a descriptor we did not see opened may be shared with anybody. */
static void learn(struct pario_fd *f, int fd, uint32_t file, bool ours, int flags)
{
	if (flags == PARIO_FLAGS_UNKNOWN)
		flags = (int)pario_raw3(SYS_fcntl, fd, F_GETFL, 0);
	if (flags >= 0 && flags & O_PATH)
		f->at = PARIO_TRACE_NOWHERE;
	else
		f->at = ours ? first_place(fd, file, flags) : pario_fd_where(fd);
	f->direct = flags > 0 && (flags & O_DIRECT) != 0;
	if (f->at == PARIO_TRACE_NOWHERE)
		f->place = PARIO_PLACE_NONE;
	else
		f->place = ours && flags >= 0 && !(flags & O_APPEND) ? PARIO_PLACE_TRACKED
								     : PARIO_PLACE_ASK;
	f->waiting = 0;
	__atomic_store_n(&f->file, file, __ATOMIC_RELEASE);
}

/* ---- files opened to be read ---- */

/*
 * A file that is opened to be read changes by nobody's doing before it is read: what it was can be asked then, of
 * the descriptor, and need not be asked where the program does so itself or never reads.
 */
static bool may_wait(const struct pario_opening *o)
{
	return o->later && !(o->flags & (O_ACCMODE | O_CREAT | O_TRUNC | O_PATH | O_DIRECTORY));
}

static bool waits(const struct pario_opening *o, uint32_t file)
{
	struct pario_state known;

	return may_wait(o) && pario_facts_kept(file) && !(pario_facts(file) & PARIO_FACT_STATED) &&
	       !pario_known_state(file, &known);
}

static void let_wait(struct pario_fd *f, uint32_t file, int flags)
{
	f->file = 0;
	f->place = PARIO_PLACE_UNKNOWN;
	f->direct = (flags & O_DIRECT) != 0;
	__atomic_store_n(&f->waiting, file, __ATOMIC_RELEASE);
}

/* The first call by such a descriptor is over. It stood at the beginning of a file, anything else is asked. */
static void settle(struct pario_fd *f, uint32_t file, int fd, const void *stat)
{
	bool shared = f->place == PARIO_PLACE_ASK;
	struct pario_opening o = { .flags = 0 };

	if (stat)
		pario_state_told(&o, stat);
	pario_state_after(&o, file, fd);
	learn(f, fd, file, !shared && pario_facts(file) & PARIO_FACT_FILE,
	      O_RDONLY | (f->direct ? O_DIRECT : 0));
}

void pario_fd_stated(int fd, const void *stat)
{
	struct pario_fd *f = pario_fd_entry(fd);
	uint32_t file = __atomic_exchange_n(&f->waiting, 0, __ATOMIC_ACQUIRE);

	if (file)
		settle(f, file, fd, stat);
}

/* By the kernel's name alone. */
static uint32_t file_of_fd(int fd)
{
	size_t length;
	PARIO_SCRATCH(char, text, PARIO_NAME_PATH);

	length = pario_fd_name(fd, text);
	return length ? pario_trace_file(text, length) : 0;
}

struct pario_fd *pario_fd_look(int fd)
{
	static __thread struct pario_fd beyond __attribute__((tls_model("initial-exec")));
	struct pario_fd *f = pario_fd_entry(fd) ? pario_fd_entry(fd) : &beyond;
	struct pario_opening o = { .flags = 0 };
	uint32_t file = __atomic_exchange_n(&f->waiting, 0, __ATOMIC_ACQUIRE);

	if (file) {
		settle(f, file, fd, NULL);
		return f;
	}
	file = file_of_fd(fd);
	if (!file)
		return NULL;
	learn(f, fd, file, false, PARIO_FLAGS_UNKNOWN);
	pario_state_after(&o, f->file, fd);
	return f;
}

void pario_fd_set_flags(int fd, int flags)
{
	struct pario_fd *f = pario_fd_entry(fd);

	if (!f || !f->file)
		return;
	f->direct = (flags & O_DIRECT) != 0;
	if (flags & O_APPEND && f->place == PARIO_PLACE_TRACKED)
		f->place = PARIO_PLACE_ASK;
}

/* Is the name, whose directory is plain, that of the file itself? Asks for that and its state at once if it must. */
static bool is_no_link(struct pario_opening *o, uint32_t file)
{
	const int made = O_CREAT | O_EXCL;
	unsigned facts = pario_facts(file);

	if (facts & PARIO_FACT_LEAF || (o->flags & made) == made || o->flags & O_NOFOLLOW)
		return true;
	if (!o->state.asked && !pario_known_state(file, &o->state) &&
	    !(facts & (PARIO_FACT_STATED | PARIO_FACT_LINK)) && !(o->flags & O_CREAT) &&
	    !may_wait(o))
		pario_state_ask(o);
	if (o->state.asked)
		return !o->state.link;
	return o->flags & O_CREAT && facts & PARIO_FACT_REMOVED;
}

/* The file by the kernel's name of the descriptor, which may be the name that the program used. */
static uint32_t look_up(struct pario_opening *o, int fd, struct pario_name *name)
{
	char *text = name->length <= PARIO_NAME_PATH ? name->text + PARIO_NAME_PATH : name->text;
	size_t length = pario_fd_name(fd, text);

	if (text == name->text || length != name->length || memcmp(text, name->text, length) != 0) {
		pario_facts_add(pario_number_of(name->hash, true), PARIO_FACT_LINK);
		o->directory = 0;
		return length ? pario_trace_file(text, length) : 0;
	}
	if (name->directory)
		pario_know_directory(name->directory, PARIO_PLAIN);
	return pario_name_number(name);
}

/* Names like /dev/stdin lead to what is different for each process. */
static bool may_be_proven_later(const struct pario_opening *o, const struct pario_name *name,
				uint32_t file)
{
	return may_wait(o) && !o->state.asked && !(pario_facts(file) & PARIO_FACT_LINK) &&
	       name->length < PARIO_NAME_PATH && strncmp(name->text, "/proc/", 6) != 0 &&
	       (strncmp(name->text, "/dev/", 5) != 0 ||
		memchr(name->text + 5, '/', name->length - 5));
}

/* The file that was opened by this name. */
static uint32_t identify(struct pario_opening *o, int fd)
{
	uint32_t file;
	bool plain;
	PARIO_SCRATCH(struct pario_name, name, sizeof(*name));

	pario_name_spell(name, o->dir, o->path, strnlen(o->path, PARIO_NAME_PATH - 1));
	o->directory = name->directory;
	plain = name->directory && pario_known_directory(name->directory) & PARIO_PLAIN;
	file = plain ? pario_name_find(name) : 0;
	if (plain && is_no_link(o, file)) {
		file = pario_name_number(name);
	} else if (plain && may_be_proven_later(o, name, file)) {
		o->directory = 0;
		return pario_name_unproven(name);
	} else {
		file = look_up(o, fd, name);
	}
	if (!o->directory)
		return file;
	pario_facts_add(file, PARIO_FACT_LEAF | PARIO_FACT_PRESENT);
	if (o->flags & O_DIRECTORY)
		pario_know_text(file, name->text, name->length - (name->length == 1));
	return file;
}

void pario_fd_opened(struct pario_call *call, int fd, struct pario_opening *o)
{
	bool by_name = o->path && o->flags != PARIO_FLAGS_UNKNOWN && !pario_trace_mute;
	struct pario_fd *f = pario_fd_entry(fd);

	call->file = by_name ? identify(o, fd) : file_of_fd(fd);
	if (!by_name && !call->file)
		call->file = pario_file_of_call(call, o->dir, o->path);
	if (o->path)
		call->fd = pario_looked_up_in(o->dir, o->path);
	if (f && by_name && call->file && waits(o, call->file)) {
		let_wait(f, call->file, o->flags);
		call->flags |= f->direct ? PARIO_TRACE_DIRECT : 0;
		return;
	}
	if (o->stated)
		pario_state_after(o, call->file, fd);
	if (f && call->file) {
		learn(f, fd, call->file, true, o->flags);
		call->flags |= f->direct ? PARIO_TRACE_DIRECT : 0;
	}
}

static void share(int fd)
{
	struct pario_fd *f = pario_fd_entry(fd);

	if (f && f->file && f->place == PARIO_PLACE_TRACKED)
		f->place = PARIO_PLACE_ASK;
}

void pario_fd_shared(int fd, int twin)
{
	const struct pario_fd *f = pario_fd_entry(fd);
	struct pario_fd *to = pario_fd_entry(twin);

	share(fd);
	if (f && to)
		*to = *f;
	else if (to)
		to->file = 0;
}

void pario_fds_shared(void)
{
	/* Descriptors are given out from below: after many free ones in a row there are no more. */
	for (int fd = 0, empty = 0; pario_fd_entry(fd) && empty < 1024; fd++) {
		struct pario_fd *f = pario_fd_entry(fd);

		empty = f->file | f->waiting ? 0 : empty + 1;
		if (f->waiting)
			f->place = PARIO_PLACE_ASK;
		share(fd);
	}
}

void pario_fds_forget(unsigned first, unsigned last)
{
	for (unsigned fd = first, empty = 0; pario_fd_entry((int)fd) && fd <= last && empty < 4096;
	     fd++) {
		empty = pario_fd_closes(pario_fd_entry((int)fd)) ? 0 : empty + 1;
	}
}

void pario_fd_stream(int fd, bool append)
{
	struct pario_fd *f = pario_fd_entry(fd) ? pario_fd(fd) : NULL;

	if (f && (f->place == PARIO_PLACE_TRACKED || (append && f->place == PARIO_PLACE_ASK)))
		f->place = PARIO_PLACE_STREAM;
}
