/*
 * elf: reads the program's headers; the loader itself lists the libraries (`ld.so --list`), as it alone knows how it finds them.
 */
#include "cmd/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

enum { HEADERS = 64, LIST_MAX = 1 << 20 };

static void list_libraries(struct pario_elf *elf, const char *loader, const char *path)
{
	char *const argv[] = { (char *)(uintptr_t)loader, "--list", (char *)(uintptr_t)path, NULL };
	posix_spawn_file_actions_t actions;
	char line[4096];
	size_t total = 0;
	FILE *from;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, loader, &actions, NULL, argv, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from && fgets(line, sizeof(line), from) && (total += strlen(line)) < LIST_MAX) {
		elf->openmpi |= strstr(line, "libmpi.so.40") != NULL;
		elf->mpich |=
			strstr(line, "libmpich.so") != NULL || strstr(line, "libmpi.so.12") != NULL;
		elf->hdf5 |= strstr(line, "libhdf5") != NULL;
		elf->pnetcdf |= strstr(line, "libpnetcdf") != NULL;
	}
	if (from)
		fclose(from);
	else
		close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Section ".go.buildinfo" or the note of the Go linker; both lie near the beginning of the file. */
static bool is_go(int fd)
{
	static char text[65536];
	ssize_t n = pread(fd, text, sizeof(text), 0);

	return n > 0 && (memmem(text, (size_t)n, "Go build ID:", 12) ||
			 memmem(text, (size_t)n, "\xff Go buildinf:", 14));
}

static void look_at_headers(struct pario_elf *elf, int fd, const char *path)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) table[HEADERS];
	char loader[4096] = "";
	size_t n;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    head.e_phentsize != sizeof(table[0]))
		return;
	elf->readable = true;
	n = head.e_phnum < HEADERS ? head.e_phnum : HEADERS;
	if (pread(fd, table, n * sizeof(table[0]), (off_t)head.e_phoff) !=
	    (ssize_t)(n * sizeof(table[0])))
		return;
	for (size_t i = 0; i < n; i++) {
		if (table[i].p_type == PT_INTERP && table[i].p_filesz < sizeof(loader)) {
			elf->dynamic = true;
			if (pread(fd, loader, table[i].p_filesz, (off_t)table[i].p_offset) < 0)
				loader[0] = '\0';
		}
	}
	elf->go = is_go(fd);
	if (elf->dynamic && loader[0] == '/')
		list_libraries(elf, loader, path);
}

/* The interpreter of a script, without its argument; "" when this is none. */
static void interpreter(int fd, char *to, size_t room)
{
	char line[256] = "";
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	size_t length;

	to[0] = '\0';
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return;
	length = strcspn(line + 2 + strspn(line + 2, " \t"), " \t\n");
	snprintf(to, room, "%.*s", (int)length, line + 2 + strspn(line + 2, " \t"));
}

void pario_elf_look(struct pario_elf *elf, const char *path)
{
	char script[256];
	struct stat st;
	int fd;

	*elf = (struct pario_elf){ 0 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	interpreter(fd, script, sizeof(script));
	if (*script) {
		close(fd);
		fd = open(script, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return;
		path = script;
	}
	elf->privileged = fstat(fd, &st) == 0 &&
			  (((st.st_mode & S_ISUID) && st.st_uid != geteuid()) ||
			   ((st.st_mode & S_ISGID) && st.st_gid != getegid()) ||
			   (geteuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0));
	look_at_headers(elf, fd, path);
	close(fd);
}
