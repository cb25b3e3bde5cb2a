// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Processes that do the mix and are killed: by themselves after so many operations of all workers,
 * or by their parent after some time. Each opens the devices itself.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "modes.h"
#include "random.h"
#include "report.h"

#define OPERATIONS_MOST	300
#define DELAY_MOST_MS	400

static void child(const struct test *o, u64 seed, u64 suicide)
{
	struct test mine = *o;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	report_start("killed mix", seed);
	mine.amount = 0;
	report_die_after(TALLY_OPERATIONS, suicide);
	mix_run(&mine);
	exit(report_end());
}

static void check(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		tally(TALLY_KILLED);
	else
		fail("a process ended by itself, with status %#x", status);
}

void mode_kill(struct test *o)
{
	struct random r;
	u64 i;

	random_start(&r, report_seed(), 0);
	for (i = 0; i < o->amount && !failed(); i++) {
		bool suicide = random_chance(&r, 50);
		u32 operations = 1 + random_below(&r, OPERATIONS_MOST);
		u32 delay = random_below(&r, DELAY_MOST_MS);
		u64 seed = random_u64(&r);
		int status = 0;
		pid_t pid;

		report_where("process", i, 0, suicide ? "suicide" : "kill");
		fflush(NULL);
		pid = fork();
		if (!pid)
			child(o, seed, suicide ? operations : 0);
		tally(TALLY_PROCESSES);
		if (!suicide) {
			clock_sleep_ms(delay);
			kill(pid, SIGKILL);
		}
		if (waitpid(pid, &status, 0) == pid)
			check(status);
		else
			fail("no process");
	}
}
