/*
 * ptracer_calls: the filter that stops at the system calls that are I/O, and lets all others run.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tracer/ptrace/ptracer.h"

#if defined(__x86_64__)
const uint32_t pario_ptracer_machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
const uint32_t pario_ptracer_machine = AUDIT_ARCH_AARCH64;
#endif

int pario_ptracer_filter(void)
{
	struct sock_filter code[2 * PARIO_SYSTEM_CALLS + 5];
	struct sock_fprog program = { .filter = code };
	unsigned short n = 0;

	/* programs of another word size have other numbers */
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pario_ptracer_machine,
						 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0); /* the number */
	for (unsigned i = 0; i < PARIO_SYSTEM_CALLS; i++) {
		if (!pario_system_call(i))
			continue;
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, i, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return 0; /* root may */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		return errno;
	return 0;
}
