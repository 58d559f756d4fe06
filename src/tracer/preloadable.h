/*
 * preloadable: can a preloaded library reach this program? Looked up in the file that will be executed, by the library
 * before its program becomes another one, and by `pario trace` before it starts the first.
 *
 * What it cannot reach, `pario trace` follows by ptrace: a program asks for that through a named pipe in the directory
 * of the segments, and waits until it is held. See docs/trace.md.
 */
#ifndef PARIO_TRACER_PRELOADABLE_H
#define PARIO_TRACER_PRELOADABLE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "tracer/elf_reader.h"

enum pario_preloadable {
	PARIO_PRELOADABLE_YES, /* or not known: the kernel will say what is wrong with it */
	PARIO_PRELOADABLE_STATIC,
	PARIO_PRELOADABLE_GO,	  /* makes its system calls itself */
	PARIO_PRELOADABLE_LOADER, /* another C library: with ours preloaded it would not start */
	PARIO_PRELOADABLE_WORD,	  /* of another word size */
	PARIO_PRELOADABLE_PRIVILEGED, /* set-uid, set-gid, capabilities: the loader ignores what is preloaded */
	PARIO_PRELOADABLE_NO_SEGMENT, /* its segment could not be made */
	PARIO_PRELOADABLE_SIGHT, /* where it runs, the tracer's library and directory cannot be found */
	PARIO_PRELOADABLE_MISSING, /* became a program that left nothing */
	PARIO_PRELOADABLE_SILENT,  /* forked, and left nothing */
	/* privileged, and run without its privileges: so does the filter of the first program */
	PARIO_PRELOADABLE_STRIPPED,
	/* traced, but for the calls of a library whose shim this pario does not have */
	PARIO_PRELOADABLE_NO_SHIM,
};

/* ---- what a program asks of `pario trace` ---- */

#define PARIO_ASK_PIPE "ask" /* in the directory of the segments */
#define PARIO_ASK_HOLDS \
	"ptrace" /* there while processes are held: the number of pario's pid namespace */

enum pario_ask_what {
	PARIO_ASK_TELL,	  /* it will not be seen */
	PARIO_ASK_HOLD,	  /* hold this thread: it becomes such a program, or starts one */
	PARIO_ASK_LET_GO, /* it did not, or has started it */
};

/* Whole messages only: a pipe does not mix what has fewer bytes than a page. */
struct pario_ask {
	uint32_t what, reach;
	int32_t tid, error;
	char path[496];
};

/* ---- the file ---- */

enum { PARIO_PRELOADABLE_SCRIPTS = 5 };

static inline bool pario_preloadable_privileged(int fd)
{
	long user = pario_raw3(SYS_geteuid, 0, 0, 0), group = pario_raw3(SYS_getegid, 0, 0, 0);
	struct stat st;

	/* struct stat is the kernel's own on these machines */
	if (pario_raw3(SYS_fstat, fd, (long)&st, 0) < 0)
		return false;
	return ((st.st_mode & S_ISUID) && (long)st.st_uid != user) ||
	       ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && (long)st.st_gid != group) ||
	       (user != 0 &&
		pario_raw6(SYS_fgetxattr, fd, (long)"security.capability", 0, 0, 0, 0) > 0);
}

/* Loaders of the GNU C library have names that begin so on every machine we know. */
static inline bool pario_preloadable_gnu_loader(const struct pario_elf *elf,
						const ElfW(Phdr) * interp)
{
	char path[256];
	const char *base;

	if (!pario_elf_text(elf, interp->p_offset, interp->p_filesz, path, sizeof(path)))
		return true;
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	/* a loader given by a path of its own (Nix, a tree of a container) has the same name */
	return strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "ld64", 4) == 0 ||
	       strncmp(base, "ld.so", 5) == 0;
}

static inline enum pario_preloadable pario_preloadable_elf(int fd)
{
	struct pario_elf_window window;
	const struct pario_elf_bytes from = { .fd = fd, .window = &window };
	enum pario_preloadable reach = PARIO_PRELOADABLE_STATIC;
	struct pario_elf_note note;
	struct pario_elf elf;
	ElfW(Phdr) header;
	unsigned i;

	window.at = window.length = 0;
	switch (pario_elf_open(&elf, &from)) {
	case PARIO_ELF_NONE:
		return PARIO_PRELOADABLE_YES;
	case PARIO_ELF_OTHER_WORD:
		return PARIO_PRELOADABLE_WORD;
	default:
		break;
	}
	for (i = 0; pario_elf_header(&elf, i, &header); i++) {
		if (header.p_type == PT_INTERP && reach == PARIO_PRELOADABLE_STATIC)
			reach = pario_preloadable_gnu_loader(&elf, &header)
					? PARIO_PRELOADABLE_YES
					: PARIO_PRELOADABLE_LOADER;
	}
	if (i < elf.headers) /* cut short: the kernel will say what is wrong with it */
		return PARIO_PRELOADABLE_YES;
	return pario_elf_find_note(&elf, "Go", 0, &note) ? PARIO_PRELOADABLE_GO : reach;
}

/* The interpreter of a script, without its argument. */
static inline bool pario_preloadable_script(const char *line, long n, char *to, size_t capacity)
{
	size_t at = 2, length = 0;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	while (at < (size_t)n && (line[at] == ' ' || line[at] == '\t'))
		at++;
	while (at + length < (size_t)n && !strchr(" \t\n", line[at + length]))
		length++;
	if (length == 0 || length >= capacity)
		return false;
	memcpy(to, line + at, length);
	to[length] = '\0';
	return true;
}

/*
 * Of a program or of the interpreter of a script, which is then in *script ("" when it is none); `flags` are those of
 * execveat.
 */
static inline enum pario_preloadable pario_preloadable_check(int dir, const char *path, int flags,
							     char script[256])
{
	enum pario_preloadable reach = PARIO_PRELOADABLE_YES;
	char start[256];
	bool again = true;

	script[0] = '\0';
	for (int i = 0; again && i < PARIO_PRELOADABLE_SCRIPTS; i++) {
		long own = -1, fd = dir, n;

		if (!(i == 0 && (flags & AT_EMPTY_PATH) && path[0] == '\0'))
			own = fd = pario_raw6(SYS_openat, dir, (long)path,
					      O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
		if (fd < 0)
			break;
		n = pario_raw6(SYS_pread64, fd, (long)start, sizeof(start), 0, 0, 0);
		again = pario_preloadable_script(start, n, script, 256);
		path = script;
		dir = AT_FDCWD;
		if (!again && pario_preloadable_privileged((int)fd))
			reach = PARIO_PRELOADABLE_PRIVILEGED;
		else if (!again)
			reach = pario_preloadable_elf((int)fd);
		if (own >= 0)
			pario_raw3(SYS_close, own, 0, 0);
	}
	return reach;
}

#endif
