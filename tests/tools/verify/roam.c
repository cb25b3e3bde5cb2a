// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A thread that moves between CPUs when the test says so.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "res.h"
#include "roam.h"

struct roam {
	struct test *t;
	cpu_set_t allowed;
};

static int release_roam(void *obj)
{
	struct roam *r = obj;

	return sched_setaffinity(0, sizeof(r->allowed), &r->allowed) ? errno : 0;
}

struct roam *roam_new(struct test *t)
{
	struct roam *r = res_alloc(t, sizeof(*r));

	r->t = t;
	if (sched_getaffinity(0, sizeof(r->allowed), &r->allowed))
		test_fail(t, "sched_getaffinity: %s", strerror(errno));
	res_add(t, "bounds to a CPU", r, release_roam);
	return r;
}

void roam_to(struct roam *r, u32 n)
{
	cpu_set_t one;
	u32 cpu;

	CPU_ZERO(&one);
	n %= CPU_COUNT(&r->allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &r->allowed) || n--; cpu++)
		;
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		test_fail(r->t, "cannot move to CPU %u: %s", cpu, strerror(errno));
}
