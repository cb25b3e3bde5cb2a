/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef LOOP_SCRIPT_H
#define LOOP_SCRIPT_H

#include <linux/fs.h>
#include <linux/spinlock.h>

#define LOOP_RULES	64

enum loop_action { LOOP_PASS, LOOP_DROP, LOOP_DUPLICATE, LOOP_REORDER, LOOP_DELAY };

/* What happens to the @ordinal-th packet, or to @every such, counted from 1 */
struct loop_rule {
	enum loop_action action;
	bool every;
	u32 ordinal;
	u32 delay_us;
};

struct loop_script {
	spinlock_t lock; /* all of this */
	struct loop_rule rules[LOOP_RULES];
	unsigned int count;
	u32 packets;
};

extern const struct file_operations loop_script_fops;

struct loop_rule loop_script_next(struct loop_script *script);

#endif
