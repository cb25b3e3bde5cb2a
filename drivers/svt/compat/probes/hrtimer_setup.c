// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.13: the function of a timer is set with the rest; hrtimer_init() went with 6.15 */
#include <linux/hrtimer.h>

static enum hrtimer_restart fires(struct hrtimer *timer)
{
	return HRTIMER_NORESTART;
}

void probe(struct hrtimer *timer)
{
#ifdef OLD
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = fires;
#else
	hrtimer_setup(timer, fires, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#endif
}
