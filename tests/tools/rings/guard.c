// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Survival of faults that the program makes for itself.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "guard.h"

struct way_back {
	sigjmp_buf state;
};

static __thread struct way_back *way_back;

static void fault(int sig)
{
	if (way_back)
		siglongjmp(way_back->state, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

void guard_init(void)
{
	struct sigaction action = { .sa_handler = fault, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

bool guard_run(void (*step)(void *arg), void *arg)
{
	struct way_back here;
	bool whole = false;

	if (!sigsetjmp(here.state, 0)) {
		way_back = &here;
		step(arg);
		whole = true;
	}
	way_back = NULL;
	return whole;
}
