/*
 * child: children of vfork. They run in their parent's memory and on its thread, with a number and descriptors of their
 * own, until they become another program or end; then their parent goes on where it was.
 *
 * Their records stand in the parent's segment, between a note with their number and one that says that the parent's
 * thread writes again. Nothing is kept about their descriptors, which are looked up for each call. After a vfork, and
 * after a child has left, the thread has no segment: whoever makes the next call finds out who runs, and calls at other
 * times pay nothing.
 */
#include "tracer/preload/trace.h"

#include <pthread.h>

#include "tracer/preload/raw.h"

static void child_begins(struct pario_thread *t, uint32_t pid)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_CHILD, .size = pid };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	note.offset = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	note.t0 = pario_ticks();
	pario_trace_note(&note, NULL, 0);
	t->child = pid;
	t->fds = NULL;
	t->left = t->looked = 0;
}

/* The parent's vfork lasted until its child had left, or as far as that is not known, until now. */
static void parent_goes_on(struct pario_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD };
	struct pario_call c = { .op = PARIO_OP_fork,
				.layer = PARIO_TRACE_PROCESS,
				.start = t->forked,
				.stop = t->left ? t->left : pario_ticks(),
				.site = t->forked_from,
				.offset = PARIO_TRACE_NOWHERE,
				.fd = PARIO_TRACE_NO_FD };

	t->looked = 0;
	if (t->borrowed)
		pario_raw3(SYS_munmap, (long)t->borrowed, (long)t->borrowed_bytes, 0);
	t->borrowed = NULL;
	if (t->child) {
		note.size = (uint64_t)pario_raw3(SYS_gettid, 0, 0, 0);
		note.more = (uint64_t)pthread_self();
		pario_trace_note(&note, NULL, 0);
	}
	pario_result(&c, t->child);
	t->child = 0;
	t->fds = pario_process_fds();
	pario_trace_put(&c);
}

bool pario_child_look(struct pario_thread *t)
{
	uint32_t pid = (uint32_t)pario_raw3(SYS_getpid, 0, 0, 0);

	t->segment = t->away;
	t->away = NULL;
	if (pid == t->segment->pid)
		parent_goes_on(t);
	else if (pid != t->child)
		child_begins(t, pid);
	return true;
}

void pario_child_leaves(struct pario_thread *t)
{
	t->left = pario_ticks();
	t->away = t->segment;
	t->segment = NULL;
}

PARIO_SYMBOL(vfork);

PARIO_HIDDEN void *pario_vfork_begins(uint64_t site);
__attribute__((used)) void *pario_vfork_begins(uint64_t site)
{
	struct pario_thread *t;

	if (pario_trace_ready()) {
		t = pario_trace_self;
		pario_fds_shared();
		t->forked = pario_ticks();
		t->forked_from = site;
		t->left = 0;
		t->away = t->segment;
		t->segment = NULL;
	}
	return pario_next(&pario_symbol_vfork);
}

/*
 * Both processes return through the stack that they share, so there must be no frame of ours on it: the real function
 * is jumped to, with the stack as the caller left it.
 */
#if defined(__x86_64__)
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	movq (%rsp), %rdi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call pario_vfork_begins\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	hint 34\n"
	"	mov x0, x30\n"
	"	stp x29, x30, [sp, #-16]!\n"
	"	.cfi_adjust_cfa_offset 16\n"
	"	bl pario_vfork_begins\n"
	"	ldp x29, x30, [sp], #16\n"
	"	.cfi_adjust_cfa_offset -16\n"
	"	mov x16, x0\n"
	"	br x16\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n");
#endif

PARIO_TWIN(__vfork, vfork);
