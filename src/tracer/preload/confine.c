/*
 * confine: programs that give up system calls. After strict seccomp, or under a filter that kills for a call we would
 * make, nothing of ours asks the kernel for anything: descriptors that are not known stay unknown, and when the window
 * is full the calls are counted. What can be done ahead is: the window has its full size, and descriptors that are open
 * have names.
 *
 * Strict seccomp also takes the time-stamp counter away, with which even the clock of the C library counts: all records
 * from then on have the time of that moment. So does prctl(PR_SET_TSC).
 *
 * A filter is run here on each of our own calls before it is installed. It sees no arguments: one that looks at those
 * is answered for zeroes.
 */
#include "tracer/preload/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "tracer/preload/raw.h"
#include "tracer/preload/readable.h"
#include "tracer/preload/trace.h"
#include "tracer/preload/window.h"

enum { STEPS = 65536, MEMORY = BPF_MEMWORDS, LOOKED_AT = 64 };

bool pario_trace_mute;

static const int ours[] = {
	SYS_openat,	   SYS_close,		SYS_pwrite64,
	SYS_ftruncate,	   SYS_fstatfs,		SYS_mmap,
	SYS_munmap,	   SYS_madvise,		SYS_mremap,
	SYS_read,	   SYS_getcwd,		SYS_lseek,
	SYS_fcntl,	   SYS_readlinkat,	SYS_rt_sigprocmask,
	SYS_rt_sigpending, SYS_prlimit64,	SYS_getpid,
	SYS_gettid,	   SYS_uname,		SYS_fstat,
	SYS_newfstatat,	   SYS_getrusage,	SYS_geteuid,
	SYS_clock_gettime, SYS_rt_sigtimedwait, SYS_getppid,
#ifdef SYS_readlink
	SYS_readlink,
#endif
};

/* ---- running a filter ---- */

struct machine {
	uint32_t a, x, memory[MEMORY];
	const struct seccomp_data *data;
};

static uint32_t word_of(const struct seccomp_data *data, uint32_t at)
{
	uint32_t word = 0;

	if (at <= sizeof(*data) - sizeof(word))
		memcpy(&word, (const char *)data + at, sizeof(word));
	return word;
}

static uint32_t loaded(const struct machine *m, const struct sock_filter *f)
{
	switch (BPF_MODE(f->code)) {
	case BPF_ABS:
		return word_of(m->data, f->k);
	case BPF_MEM:
		return m->memory[f->k % MEMORY];
	case BPF_LEN:
		return sizeof(*m->data);
	default:
		return f->k;
	}
}

static uint32_t calculated(const struct machine *m, const struct sock_filter *f)
{
	uint32_t by = BPF_SRC(f->code) == BPF_X ? m->x : f->k;

	switch (BPF_OP(f->code)) {
	case BPF_ADD:
		return m->a + by;
	case BPF_SUB:
		return m->a - by;
	case BPF_MUL:
		return m->a * by;
	case BPF_DIV:
		return by ? m->a / by : 0;
	case BPF_OR:
		return m->a | by;
	case BPF_AND:
		return m->a & by;
	case BPF_XOR:
		return m->a ^ by;
	case BPF_LSH:
		return m->a << (by & 31);
	case BPF_RSH:
		return m->a >> (by & 31);
	default:
		return 0 - m->a;
	}
}

static uint32_t jump(const struct machine *m, const struct sock_filter *f)
{
	uint32_t by = BPF_SRC(f->code) == BPF_X ? m->x : f->k;
	bool yes;

	switch (BPF_OP(f->code)) {
	case BPF_JA:
		return f->k;
	case BPF_JEQ:
		yes = m->a == by;
		break;
	case BPF_JGT:
		yes = m->a > by;
		break;
	case BPF_JGE:
		yes = m->a >= by;
		break;
	default:
		yes = (m->a & by) != 0;
	}
	return yes ? f->jt : f->jf;
}

static uint32_t answer(const struct sock_fprog *filter, const struct seccomp_data *data)
{
	struct machine m = { .data = data };

	for (uint32_t at = 0, steps = 0; at < filter->len && steps < STEPS; at++, steps++) {
		const struct sock_filter *f = &filter->filter[at];

		switch (BPF_CLASS(f->code)) {
		case BPF_LD:
			m.a = loaded(&m, f);
			break;
		case BPF_LDX:
			m.x = loaded(&m, f);
			break;
		case BPF_ST:
			m.memory[f->k % MEMORY] = m.a;
			break;
		case BPF_STX:
			m.memory[f->k % MEMORY] = m.x;
			break;
		case BPF_ALU:
			m.a = calculated(&m, f);
			break;
		case BPF_JMP:
			at += jump(&m, f);
			break;
		case BPF_RET:
			return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
		default:
			if (BPF_MISCOP(f->code) == BPF_TXA)
				m.a = m.x;
			else
				m.x = m.a;
		}
	}
	return SECCOMP_RET_KILL_PROCESS;
}

/* Would one of our calls end the program, raise a signal in it or wait for somebody? */
static bool is_deadly(const struct sock_fprog *filter)
{
	struct seccomp_data data = {
#if defined(__x86_64__)
		.arch = AUDIT_ARCH_X86_64,
#else
		.arch = AUDIT_ARCH_AARCH64,
#endif
	};

	if (!pario_readable_range(filter, sizeof(*filter)) ||
	    !pario_readable_range(filter->filter, filter->len * sizeof(*filter->filter)))
		return false; /* the kernel will say so */
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		uint32_t what;

		data.nr = ours[i];
		what = answer(filter, &data) & SECCOMP_RET_ACTION_FULL;
		if (what != SECCOMP_RET_ALLOW && what != SECCOMP_RET_LOG &&
		    what != SECCOMP_RET_ERRNO)
			return true;
	}
	return false;
}

/* ---- giving up ---- */

/* What is asked once at the most is asked before, and the program may forbid it. */
static bool will_forbid(const struct sock_fprog *filter)
{
	if (pario_trace_ready())
		pario_memory_note();
	return is_deadly(filter);
}

static void prepare(void)
{
	struct pario_thread *t;
	uint64_t old;

	if (!pario_trace_ready())
		return;
	t = pario_trace_self;
	for (int fd = 0; fd < LOOKED_AT; fd++)
		pario_fd(fd);
	old = pario_signals_hold();
	while (t->segment && pario_window_grow(t) == 0)
		;
	pario_signals_release(old);
}

struct pario_confine pario_confine_begin(long number, const long *a)
{
	bool by_prctl = number == SYS_prctl && a[0] == PR_SET_SECCOMP;
	struct pario_confine k = { 0 };

	if (number == SYS_prctl && a[0] == PR_SET_TSC)
		k.blind = a[1] == PR_TSC_SIGSEGV;
	else if (by_prctl ? a[1] == SECCOMP_MODE_STRICT
			  : number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_STRICT)
		k.mute = k.blind = true;
	else if (by_prctl ? a[1] == SECCOMP_MODE_FILTER
			  : number == SYS_seccomp && a[0] == SECCOMP_SET_MODE_FILTER)
		k.mute = will_forbid((const struct sock_fprog *)a[2]);
	if (k.mute && !pario_trace_mute)
		prepare();
	k.now = pario_ticks();
	return k;
}

void pario_confine_end(struct pario_confine k, long r)
{
	if (r == -1)
		return;
	if (k.blind)
		pario_trace_stop_clock(k.now);
	if (k.mute)
		pario_trace_mute = true;
}

/* Its arguments travel in registers, whatever they are. */
PARIO_EXPORT int prctl(int option, ...);
PARIO_SYMBOL(prctl);
PARIO_EXPORT int prctl(int option, ...)
{
	int (*next)(int, ...) = (int (*)(int, ...))pario_next(&pario_symbol_prctl);
	long a[5] = { option };
	struct pario_confine k;
	va_list more;
	int r;

	va_start(more, option);
	for (int i = 1; i < 5; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	if (option != PR_SET_SECCOMP && option != PR_SET_TSC)
		return next(option, a[1], a[2], a[3], a[4]);
	k = pario_confine_begin(SYS_prctl, a);
	r = next(option, a[1], a[2], a[3], a[4]);
	pario_confine_end(k, r);
	return r;
}
