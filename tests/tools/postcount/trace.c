// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counts the system calls of a child by ptrace.  Code that makes none runs at full speed, which
 * is what makes the figures of a polling program those of an untraced run.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count.h"

#define SYSCALL_STOP	(SIGTRAP | 0x80)

static pid_t traced;

static void give_up(int sig)
{
	(void)sig;
	kill(traced, SIGKILL);
}

static void run_child(int (*child)(void *arg), void *arg)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
		perror("ptrace");
		_exit(127);
	}
	raise(SIGSTOP);
	_exit(child(arg) ? 1 : 0);
}

/* Until the stop that the child begins with, then with system calls marked in the status. */
static int begin(void)
{
	int status;

	if (waitpid(traced, &status, 0) < 0 || !WIFSTOPPED(status)) {
		fprintf(stderr, "the traced process did not start\n");
		return -1;
	}
	if (ptrace(PTRACE_SETOPTIONS, traced, NULL,
		   (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))) {
		perror("ptrace");
		kill(traced, SIGKILL);
		return -1;
	}
	return 0;
}

/* Each call stops twice, at its entry and at its exit. */
static int follow(struct count *c)
{
	bool inside = false;
	long deliver = 0;
	int status;

	for (;;) {
		if (ptrace(PTRACE_SYSCALL, traced, NULL, (void *)deliver) && errno != ESRCH)
			return -1;
		if (waitpid(traced, &status, 0) < 0) {
			if (errno == EINTR)
				continue;
			return -1;
		}
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status)) {
			fprintf(stderr, "the traced process was ended by signal %d\n",
				WTERMSIG(status));
			return -1;
		}
		deliver = WSTOPSIG(status);
		if (deliver != SYSCALL_STOP)
			continue;
		deliver = 0;
		inside = !inside;
		if (inside && c->phase < PHASES)
			c->calls[c->phase]++;
	}
}

int trace_run(struct count *c, int (*child)(void *arg), void *arg, u32 seconds)
{
	struct sigaction act = { .sa_handler = give_up };

	traced = fork();
	if (traced < 0) {
		perror("fork");
		return -1;
	}
	if (!traced)
		run_child(child, arg);
	sigaction(SIGALRM, &act, NULL);
	alarm(seconds);
	return begin() ? -1 : follow(c);
}
