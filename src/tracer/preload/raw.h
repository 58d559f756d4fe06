/*
 * raw: system calls that touch neither errno nor any function a program or another preload may have replaced.
 * Each returns the kernel's answer: negative numbers are errnos.
 */
#ifndef PARIO_TRACER_PRELOAD_RAW_H
#define PARIO_TRACER_PRELOAD_RAW_H

#include <sys/syscall.h>

static inline long pario_raw6(long n, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "the tracer knows the system call instruction of x86-64 and aarch64 only"
#endif
}

static inline long pario_raw3(long n, long a, long b, long c)
{
	return pario_raw6(n, a, b, c, 0, 0, 0);
}

#endif
