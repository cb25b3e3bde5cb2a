// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A data race that is meant, to show that a kernel with KCSAN reports those of our modules: whoever
 * writes to /sys/kernel/debug/svt_test/race counts for a second, and two at a time are not kept
 * from each other by anything.
 */
#include <linux/debugfs.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "client.h"

static unsigned long kt_raced;	/* nothing */

static ssize_t kt_race_write(struct file *file, const char __user *buffer, size_t length,
			     loff_t *offset)
{
	unsigned long end = jiffies + HZ;

	while (time_before(jiffies, end)) {
		kt_raced++;
		/* Or the compiler counts in a register */
		barrier();
		cond_resched();
	}
	return length;
}

const struct file_operations kt_race_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = kt_race_write,
};
