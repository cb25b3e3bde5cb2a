// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counts the system calls of this thread, by phase, through syscall user dispatch.
 *
 * While the selector says so the kernel turns each system call into SIGSYS; the handler counts
 * it, makes it and hands its result back.  A call costs a signal more, code without calls costs
 * nothing more, and no other process is involved: with ptrace a doorbell takes milliseconds on a
 * busy machine, and an engine that goes to sleep meanwhile needs one for every post.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "complaint.h"
#include "count.h"

#ifndef __x86_64__
#error "system calls are counted on x86-64 only"
#endif

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH	59
#define PR_SYS_DISPATCH_ON		1
#endif

#define SELECTOR_ALLOW	0
#define SELECTOR_BLOCK	1

#define KERNEL_SA_RESTORER	0x04000000
#define KERNEL_SIGSET_SIZE	8

/* As the kernel has it: glibc's leaves out the restorer, which has to be ours. */
struct kernel_sigaction {
	void (*handler)(int sig, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* Read by the kernel at each system call of the thread. */
static char selector = SELECTOR_ALLOW;
static enum phase current;
static u64 calls[PHASES];

static void select_calls(char value)
{
	__atomic_store_n(&selector, value, __ATOMIC_SEQ_CST);
}

/*
 * The one system call that is never dispatched: the return from the handler, which happens
 * with the selector already at BLOCK.
 */
static __attribute__((naked)) void restorer(void)
{
	asm volatile("mov $15, %eax\n\tsyscall");
}

#define RESTORER_SIZE	16	/* functions are aligned to so much; it has 7 bytes */

static long make_call(const greg_t *r)
{
	register long r10 asm("r10") = r[REG_R10];
	register long r8 asm("r8") = r[REG_R8];
	register long r9 asm("r9") = r[REG_R9];
	long ret;

	asm volatile("syscall"
		     : "=a"(ret)
		     : "a"(r[REG_RAX]), "D"(r[REG_RDI]), "S"(r[REG_RSI]), "d"(r[REG_RDX]),
		       "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return ret;
}

static void dispatched(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	select_calls(SELECTOR_ALLOW);
	calls[current]++;
	regs[REG_RAX] = info->si_syscall;
	regs[REG_RAX] = make_call(regs);
	select_calls(SELECTOR_BLOCK);
}

int count_start(void)
{
	struct kernel_sigaction act = {
		.handler = dispatched,
		.flags = SA_SIGINFO | KERNEL_SA_RESTORER,
		.restorer = restorer,
	};

	if (syscall(SYS_rt_sigaction, SIGSYS, &act, NULL, KERNEL_SIGSET_SIZE) ||
	    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
		  (unsigned long)restorer, RESTORER_SIZE, &selector))
		return complain("no syscall user dispatch in this kernel", errno);
	return 0;
}

void count_enter(enum phase phase)
{
	current = phase;
	select_calls(phase == PHASE_FREE ? SELECTOR_ALLOW : SELECTOR_BLOCK);
}

u64 count_calls(enum phase phase)
{
	return calls[phase];
}
