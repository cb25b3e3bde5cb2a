// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults by script, /sys/kernel/debug/svt_loop/DEVICE/script: what happens to the packets that the
 * device sends, counted from 1. The first rule that fits counts. `>` begins a new script and a new
 * count, `>>` adds to the script. In another namespace of exclusive mode the directory is
 * DEVICE.INDEX, with the number that `rdma dev` has in front.
 *
 *	drop 3			the third packet is lost
 *	duplicate 5		the fifth arrives twice
 *	reorder 7		the seventh arrives after the eighth
 *	delay 9 1000		the ninth arrives 1000 microseconds late
 *	drop every 100		each hundredth is lost; `every` goes with all of them
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "script.h"

static const char * const action_names[] = {
	[LOOP_PASS] = "pass",
	[LOOP_DROP] = "drop",
	[LOOP_DUPLICATE] = "duplicate",
	[LOOP_REORDER] = "reorder",
	[LOOP_DELAY] = "delay",
};

/* Return: what to do with the next packet; LOOP_PASS is 0 */
struct loop_rule loop_script_next(struct loop_script *script)
{
	struct loop_rule found = { };
	unsigned int i;

	spin_lock_bh(&script->lock);
	script->packets++;
	for (i = 0; i < script->count && !found.ordinal; i++) {
		const struct loop_rule *rule = &script->rules[i];

		if (rule->every ? script->packets % rule->ordinal == 0 :
				  script->packets == rule->ordinal)
			found = *rule;
	}
	spin_unlock_bh(&script->lock);
	return found;
}

static int parse_rule(const char *line, struct loop_rule *rule)
{
	char name[16];
	int fields;
	int action;

	fields = sscanf(line, "%15s every %u %u", name, &rule->ordinal, &rule->delay_us);
	rule->every = fields > 1;
	if (!rule->every)
		fields = sscanf(line, "%15s %u %u", name, &rule->ordinal, &rule->delay_us);
	if (fields < 2 || !rule->ordinal)
		return -EINVAL;
	action = match_string(action_names, ARRAY_SIZE(action_names), name);
	if (action < 0 || fields != (action == LOOP_DELAY ? 3 : 2))
		return -EINVAL;
	rule->action = action;
	return 0;
}

static int add_rule(struct loop_script *script, const struct loop_rule *rule)
{
	int ret = -E2BIG;

	spin_lock_bh(&script->lock);
	if (script->count < LOOP_RULES) {
		script->rules[script->count++] = *rule;
		ret = 0;
	}
	spin_unlock_bh(&script->lock);
	return ret;
}

static ssize_t script_write(struct file *file, const char __user *buffer, size_t length,
			    loff_t *offset)
{
	struct loop_rule rule = { };
	char *text, *rest, *line;
	int ret = 0;

	if (length > PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(buffer, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	while (!ret && (line = strsep(&rest, "\n"))) {
		if (!*line)
			continue;
		ret = parse_rule(line, &rule);
		if (!ret)
			ret = add_rule(file->private_data, &rule);
	}
	kfree(text);
	return ret ? ret : length;
}

static int script_open(struct inode *inode, struct file *file)
{
	struct loop_script *script = inode->i_private;

	file->private_data = script;
	if (file->f_flags & O_TRUNC) {
		spin_lock_bh(&script->lock);
		script->count = 0;
		script->packets = 0;
		spin_unlock_bh(&script->lock);
	}
	return 0;
}

const struct file_operations loop_script_fops = {
	.owner = THIS_MODULE,
	.open = script_open,
	.write = script_write,
};
