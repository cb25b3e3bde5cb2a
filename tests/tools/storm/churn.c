// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Network namespaces that come and go with a device and its traffic. A round is a process of its
 * own: it makes a namespace (kept by one child, the holder) with a device on its loopback, and lets
 * another child, the user, do the mix with it. What ends first is the round's plan.
 */
#include <errno.h>
#include <sched.h>
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
#include "rdmalink.h"
#include "rdmanl.h"
#include "report.h"

#define NAME_BYTES	32
#define WAIT_MS		60000
#define OPERATIONS_MOST	60
#define DELAY_MOST_MS	300

enum plan {
	PLAN_USER_ENDS,		/* then the namespace goes with its device */
	PLAN_USER_KILLED,	/* and at once the namespace goes as well */
	PLAN_NAMESPACE_GOES,	/* under traffic: the user sees its device go */
	PLAN_LINK_FLAPS,	/* meanwhile */
	PLANS,
};

static pid_t fork_child(void)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static bool wait_until(bool (*true_of)(const char *name), bool value, const char *name)
{
	u64 limit = clock_limit(WAIT_MS);

	while (true_of(name) != value) {
		if (clock_passed(limit))
			return false;
		clock_sleep_ms(2);
	}
	return true;
}

static void flap(struct random *r)
{
	for (;;) {
		clock_sleep_ms(random_below(r, 40));
		netdev_set_up("lo", false);
		clock_sleep_ms(random_below(r, 20));
		netdev_set_up("lo", true);
	}
}

/* Tells by one byte that the device is there, and keeps the namespace until it is killed */
static void hold(const char *name, enum plan plan, struct random *r, int ready)
{
	int err = unshare(CLONE_NEWNET) ? errno : 0;
	u8 byte;

	if (!err)
		err = netdev_set_up("lo", true) ?: rdmanl_open() ?:
		      rdmanl_link_add(name, "svt", "lo");
	byte = err;
	if (write(ready, &byte, 1) != 1)
		exit(1);
	if (plan == PLAN_LINK_FLAPS)
		flap(r);
	for (;;)
		pause();
}

/* Waits for the byte of a child that is the only one to hold the other end of the pipe */
static void wait_ready(const char *what, int ready[2])
{
	u8 byte = 0xff;

	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1 || byte)
		fail("the %s did not start: %s", what, strerror(byte));
	close(ready[0]);
}

static pid_t start_holder(const char *name, enum plan plan, struct random *r)
{
	int ready[2];
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork_child();
	if (!pid)
		hold(name, plan, r, ready[1]);
	wait_ready("holder", ready);
	return pid;
}

static pid_t start_user(const char *name, enum plan plan, struct random *r)
{
	struct test mine = {
		.devices = { name, name },
		.amount = 1 + random_below(r, OPERATIONS_MOST),
		.threads = 2,
		.may_go = plan == PLAN_NAMESPACE_GOES,
		.unsteady = plan == PLAN_LINK_FLAPS,
	};
	u64 seed = random_u64(r);
	int ready[2];
	pid_t pid;

	if (plan == PLAN_USER_KILLED || plan == PLAN_NAMESPACE_GOES)
		mine.amount = 0;
	if (pipe(ready))
		return -1;
	pid = fork_child();
	if (pid) {
		wait_ready("user", ready);
		return pid;
	}
	report_start("churned mix", seed);
	mine.ready = ready[1];
	mix_run(&mine);
	exit(report_end());
}

static void check_end(pid_t pid, bool killed)
{
	int status = 0;

	if (waitpid(pid, &status, 0) != pid)
		fail("no process");
	else if (killed != (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) ||
		 (!killed && status))
		fail("a process ended with status %#x", status);
}

static void one_round(const struct test *o, u64 index)
{
	char name[NAME_BYTES];
	pid_t holder, user;
	enum plan plan;
	struct random r;

	random_start(&r, o->seed, index);
	plan = random_below(&r, PLANS);
	snprintf(name, sizeof(name), "churn%llu", (unsigned long long)index);
	report_where("namespace", index, plan, name);
	holder = start_holder(name, plan, &r);
	if (failed())
		return;
	/* A loopback that flaps may have its address only now and then */
	if (!wait_until(rdmalink_has_gid, true, name)) {
		fail("%s got no GID", name);
		return;
	}
	user = start_user(name, plan, &r);
	if (plan == PLAN_USER_KILLED || plan == PLAN_NAMESPACE_GOES)
		clock_sleep_ms(random_below(&r, DELAY_MOST_MS));
	if (plan == PLAN_USER_KILLED)
		kill(user, SIGKILL);
	if (plan != PLAN_NAMESPACE_GOES)
		check_end(user, plan == PLAN_USER_KILLED);
	kill(holder, SIGKILL);
	check_end(holder, true);
	if (plan == PLAN_NAMESPACE_GOES)
		check_end(user, false);
	if (!wait_until(rdmalink_exists, false, name))
		fail("%s is still there", name);
}

static void wait_round(void)
{
	int status;

	if (wait(&status) < 0 || status)
		fail("a round failed, with status %#x", status);
	tally(TALLY_NAMESPACES);
}

void mode_churn(struct test *o)
{
	u32 running = 0;
	u64 i;

	for (i = 0; i < o->amount && !failed(); i++) {
		if (running == o->threads) {
			wait_round();
			running--;
		}
		if (!fork_child()) {
			one_round(o, i);
			exit(failed());
		}
		running++;
	}
	for (; running; running--)
		wait_round();
}
