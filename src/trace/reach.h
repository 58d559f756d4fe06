/*
 * reach: can a preloaded library reach this program? Looked up in the file that will be executed, by the library before its
 * program becomes another one, and by `pario trace` before it starts the first.
 *
 * What it cannot reach, `pario trace` follows by ptrace: a program asks for that through a named pipe in the directory of
 * the segments, and waits until it is held. See spec section 2.
 */
#ifndef PARIO_TRACE_REACH_H
#define PARIO_TRACE_REACH_H

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/raw.h"

enum pario_reach {
	PARIO_REACH_YES, /* or not known: the kernel will say what is wrong with it */
	PARIO_REACH_STATIC,
	PARIO_REACH_GO,	    /* makes its system calls itself */
	PARIO_REACH_LOADER, /* another C library: with ours preloaded it would not start */
	PARIO_REACH_WORD,   /* of another word size */
	PARIO_REACH_PRIVILEGED, /* set-uid, set-gid, capabilities: the loader ignores what is preloaded */
	PARIO_REACH_NO_SEGMENT, /* its segment could not be made */
	PARIO_REACH_STRIPPED, /* privileged, and run without its privileges: so does the filter of the first program */
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

enum { PARIO_REACH_HEADERS = 32, PARIO_REACH_SCRIPTS = 5 };

static inline bool pario_reach_privileged(int fd)
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

/* The note of the Go linker. */
static inline bool pario_reach_go_note(int fd, const ElfW(Phdr) * note)
{
	char text[512];
	long n = pario_raw6(SYS_pread64, fd, (long)text,
			    note->p_filesz < sizeof(text) ? (long)note->p_filesz
							  : (long)sizeof(text),
			    (long)note->p_offset, 0, 0);

	for (long at = 0; at + 16 <= n;) {
		ElfW(Nhdr) head;

		memcpy(&head, text + at, sizeof(head));
		if (head.n_namesz == 4 && memcmp(text + at + sizeof(head), "Go\0", 4) == 0)
			return true;
		if (head.n_namesz > sizeof(text) || head.n_descsz > sizeof(text))
			break;
		at += (long)(sizeof(head) + ((head.n_namesz + 3u) & ~3u) +
			     ((head.n_descsz + 3u) & ~3u));
	}
	return false;
}

/* Loaders of the GNU C library have names that begin so on every machine we know. */
static inline bool pario_reach_gnu_loader(int fd, const ElfW(Phdr) * interp)
{
	char path[256];
	long n = pario_raw6(SYS_pread64, fd, (long)path,
			    interp->p_filesz < sizeof(path) - 1 ? (long)interp->p_filesz
								: (long)sizeof(path) - 1,
			    (long)interp->p_offset, 0, 0);
	const char *base;

	if (n <= 0)
		return true;
	path[n] = '\0';
	base = strrchr(path, '/');
	base = base ? base + 1 : path;
	/* a loader given by a path of its own (Nix, a tree of a container) has the same name */
	return strncmp(base, "ld-linux", 8) == 0 || strncmp(base, "ld64", 4) == 0 ||
	       strncmp(base, "ld.so", 5) == 0;
}

static inline enum pario_reach pario_reach_elf(int fd, const ElfW(Ehdr) * head)
{
	enum pario_reach reach = PARIO_REACH_STATIC;
	ElfW(Phdr) table[PARIO_REACH_HEADERS];
	long count = head->e_phnum < PARIO_REACH_HEADERS ? head->e_phnum : PARIO_REACH_HEADERS, n;

	if (head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return PARIO_REACH_WORD;
	n = pario_raw6(SYS_pread64, fd, (long)table, count * (long)sizeof(table[0]),
		       (long)head->e_phoff, 0, 0);
	if (head->e_phentsize != sizeof(table[0]) || n != count * (long)sizeof(table[0]))
		return PARIO_REACH_YES;
	for (long i = 0; i < count; i++) {
		if (table[i].p_type == PT_INTERP && reach == PARIO_REACH_STATIC)
			reach = pario_reach_gnu_loader(fd, &table[i]) ? PARIO_REACH_YES
								      : PARIO_REACH_LOADER;
		if (table[i].p_type == PT_NOTE && pario_reach_go_note(fd, &table[i]))
			return PARIO_REACH_GO;
	}
	return reach;
}

/* The interpreter of a script, without its argument. */
static inline bool pario_reach_script(const char *line, long n, char *to, size_t room)
{
	size_t at = 2, length = 0;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	while (at < (size_t)n && (line[at] == ' ' || line[at] == '\t'))
		at++;
	while (at + length < (size_t)n && !strchr(" \t\n", line[at + length]))
		length++;
	if (length == 0 || length >= room)
		return false;
	memcpy(to, line + at, length);
	to[length] = '\0';
	return true;
}

/*
 * Of a program or of the interpreter of a script, which is then in *script ("" when it is none); `flags` are those of
 * execveat.
 */
static inline enum pario_reach pario_reach_of(int dir, const char *path, int flags,
					      char script[256])
{
	enum pario_reach reach = PARIO_REACH_YES;
	union {
		ElfW(Ehdr) head;
		char text[256];
	} start;
	bool again = true;

	script[0] = '\0';
	for (int i = 0; again && i < PARIO_REACH_SCRIPTS; i++) {
		long own = -1, fd = dir, n;

		if (!(i == 0 && (flags & AT_EMPTY_PATH) && path[0] == '\0'))
			own = fd = pario_raw6(SYS_openat, dir, (long)path,
					      O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0, 0, 0);
		if (fd < 0)
			break;
		n = pario_raw6(SYS_pread64, fd, (long)&start, sizeof(start), 0, 0, 0);
		again = pario_reach_script(start.text, n, script, 256);
		path = script;
		dir = AT_FDCWD;
		if (!again && pario_reach_privileged((int)fd))
			reach = PARIO_REACH_PRIVILEGED;
		else if (n >= (long)sizeof(start.head) &&
			 memcmp(start.head.e_ident, ELFMAG, SELFMAG) == 0)
			reach = pario_reach_elf((int)fd, &start.head);
		if (own >= 0)
			pario_raw3(SYS_close, own, 0, 0);
	}
	return reach;
}

#endif
