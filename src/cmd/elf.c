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
#include <sys/wait.h>
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
		/* the second is that of Open MPI's launcher, which is no MPI program itself */
		elf->openmpi |= strstr(line, "libmpi.so.40") != NULL ||
				strstr(line, "libopen-rte.so") != NULL;
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

/* Which loader starts it; "" for none. */
static void find_loader(const char *path, char *loader, size_t room)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) table[HEADERS];
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t n = 0;

	loader[0] = '\0';
	if (fd >= 0 && pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	    memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof(table[0]))
		n = head.e_phnum < HEADERS ? head.e_phnum : HEADERS;
	if (n && pread(fd, table, n * sizeof(table[0]), (off_t)head.e_phoff) !=
			 (ssize_t)(n * sizeof(table[0])))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (table[i].p_type == PT_INTERP && table[i].p_filesz < room &&
		    pread(fd, loader, table[i].p_filesz, (off_t)table[i].p_offset) < 0)
			loader[0] = '\0';
	}
	if (fd >= 0)
		close(fd);
}

void pario_elf_look(struct pario_elf *elf, const char *path)
{
	char script[256], loader[4096];

	*elf = (struct pario_elf){ .reach = pario_reach_of(AT_FDCWD, path, 0, script) };
	if (elf->reach != PARIO_REACH_YES)
		return;
	if (*script)
		path = script;
	find_loader(path, loader, sizeof(loader));
	if (loader[0] == '/')
		list_libraries(elf, loader, path);
}
