/*
 * confined HOW CALLS: writes to standard output CALLS times under strict seccomp (by prctl or seccomp), under a filter
 * that kills at every call but write and exit, under a mild one that kills at ptrace only, under one that kills at the
 * system call whose number HOW is, or without the time-stamp counter; then ends with 7. With a number it also reads
 * its own file, opened now.
 */
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_filter code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static struct sock_filter mild[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, SYS_ptrace, 0, 2),
	BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, SYS_ptrace, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static struct sock_filter one[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static long under_one(const char *self, unsigned number)
{
	struct sock_fprog filter = { sizeof(one) / sizeof(one[0]), one };
	char byte;
	int fd;

	one[1].k = number;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return -1;
	fd = open(self, O_RDONLY);
	return fd >= 0 && read(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1 ? close(fd) : -1;
}

int main(int argc, char **argv)
{
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	long calls = atol(argv[2]), r = -1;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (strcmp(argv[1], "strict") == 0)
		r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else if (strcmp(argv[1], "seccomp") == 0)
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	else if (strcmp(argv[1], "filter") == 0)
		r = prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	else if (strcmp(argv[1], "filter2") == 0)
		r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
	else if (strcmp(argv[1], "mild") == 0)
		r = (filter.filter = mild, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter));
	else if (atoi(argv[1]) > 0)
		r = under_one(argv[0], (unsigned)atoi(argv[1]));
	else
		r = prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	if (r != 0)
		_exit(77);
	for (long i = 0; i < calls; i++) {
		if (write(1, "x", 1) != 1)
			break;
	}
	if (argv[1][0] == 's')
		__asm__ volatile("syscall" : : "a"(SYS_exit), "D"(7) : "rcx", "r11", "memory");
	_exit(7);
}
