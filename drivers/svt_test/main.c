// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_test: runs the cases between two devices when their names are written to
 * /sys/kernel/debug/svt_test/run; one name runs them between the device and itself. What came of
 * it is read from result, as KTAP with the counts at the end.
 *
 * As a client of ib_core it knows the devices that there are. kt_lock protects their list and the
 * results, and is held while cases run: a device that goes waits for the end of the run.
 */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "client.h"

#define KT_RESULT	16384
#define KT_TRIES	20
#define KT_TRIES_MOST	400

struct kt_device {
	struct list_head node;
	struct ib_device *device;
};

static DEFINE_MUTEX(kt_lock);
static LIST_HEAD(kt_devices);	/* kt_lock */
static char *kt_result;		/* KT_RESULT bytes; kt_lock */
static size_t kt_result_length;	/* kt_lock */
static unsigned int kt_passed;	/* kt_lock */
static unsigned int kt_failed;	/* kt_lock */
static struct dentry *kt_directory;

static int kt_add_device(struct ib_device *device)
{
	struct kt_device *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	entry->device = device;
	mutex_lock(&kt_lock);
	list_add_tail(&entry->node, &kt_devices);
	mutex_unlock(&kt_lock);
	return 0;
}

static void kt_remove_device(struct ib_device *device, void *data)
{
	struct kt_device *entry, *next;

	mutex_lock(&kt_lock);
	list_for_each_entry_safe(entry, next, &kt_devices, node) {
		if (entry->device != device)
			continue;
		list_del(&entry->node);
		kfree(entry);
	}
	mutex_unlock(&kt_lock);
}

static struct ib_client kt_client = {
	.name = "svt_test",
	.add = kt_add_device,
	.remove = kt_remove_device,
};

static struct ib_device *kt_find_device(const char *name)
{
	struct kt_device *entry;

	lockdep_assert_held(&kt_lock);
	list_for_each_entry(entry, &kt_devices, node)
		if (!strcmp(dev_name(&entry->device->dev), name))
			return entry->device;
	return NULL;
}

__printf(1, 2) static void kt_report(const char *format, ...)
{
	va_list arguments;

	lockdep_assert_held(&kt_lock);
	va_start(arguments, format);
	kt_result_length += vscnprintf(kt_result + kt_result_length, KT_RESULT - kt_result_length,
				       format, arguments);
	va_end(arguments);
}

static struct kt_pair *kt_try_case(const struct kt_case *test, enum ib_poll_context poll,
				   struct ib_device *first, struct ib_device *second)
{
	struct kt_pair *pair = kt_pair_alloc(test, poll, first, second);
	int ret;

	if (!pair)
		return NULL;
	ret = kt_pair_open(pair) ?: test->run(pair);
	/* Destruction may fail as well */
	kt_pair_stop(pair);
	if (ret && !*pair->why)
		kt_fail(pair, "%d", ret);
	return pair;
}

static void kt_run_case(const struct kt_case *test, enum ib_poll_context poll, const char *suffix,
			struct ib_device *first, struct ib_device *second)
{
	unsigned int tries = 0, least = test->flags & KT_RACE ? KT_TRIES : 1;
	bool good, more, in_time = false, too_late = false;
	struct kt_pair *pair;

	do {
		pair = kt_try_case(test, poll, first, second);
		in_time |= pair && pair->in_time;
		too_late |= pair && pair->too_late;
		more = test->flags & KT_CLOSE && !(in_time && too_late);
		if (pair && ++tries == KT_TRIES_MOST && more)
			kt_fail(pair, "no request was %s", in_time ? "too late" : "in time");
		good = pair && !*pair->why;
		if (!good)
			kt_report("# %s\n", pair ? pair->why : "no memory");
		if (pair)
			kt_pair_close(pair);
	} while (good && (tries < least || more));
	kt_passed += good;
	kt_failed += !good;
	kt_report("%s %u %s%s\n", good ? "ok" : "not ok", kt_passed + kt_failed, test->name,
		  suffix);
}

static void kt_run_cases(const struct kt_case *test, struct ib_device *first,
			 struct ib_device *second)
{
	for (; test->name; test++) {
		if (!(test->flags & KT_EACH_POLL)) {
			kt_run_case(test, IB_POLL_WORKQUEUE, "", first, second);
			continue;
		}
		kt_run_case(test, IB_POLL_WORKQUEUE, "_workqueue", first, second);
		kt_run_case(test, IB_POLL_SOFTIRQ, "_softirq", first, second);
		kt_run_case(test, IB_POLL_DIRECT, "_direct", first, second);
	}
}

static void kt_run_all(struct ib_device *first, struct ib_device *second)
{
	static const struct kt_case * const lists[] = {
		kt_connected_cases, kt_atomic_cases, kt_chain_cases, kt_rally_cases,
		kt_handler_cases, kt_datagram_cases, kt_srq_cases, kt_cq_cases, kt_fast_cases,
		kt_error_cases, kt_teardown_cases,
	};
	unsigned int i;

	kt_result_length = 0;
	kt_passed = 0;
	kt_failed = 0;
	kt_report("KTAP version 1\n");
	for (i = 0; i < ARRAY_SIZE(lists); i++)
		kt_run_cases(lists[i], first, second);
	kt_report("1..%u\n# %u passed, %u failed\n", kt_passed + kt_failed, kt_passed, kt_failed);
}

/* Names of devices and blanks: at most two */
static int kt_run_named(char *text)
{
	struct ib_device *device[2] = { };
	unsigned int count = 0;
	char *name;

	while ((name = strsep(&text, "\n "))) {
		if (!*name)
			continue;
		if (count == ARRAY_SIZE(device))
			return -EINVAL;
		device[count] = kt_find_device(name);
		if (!device[count++])
			return -ENODEV;
	}
	if (!count)
		return -EINVAL;
	kt_run_all(device[0], count > 1 ? device[1] : device[0]);
	return 0;
}

static ssize_t kt_run_write(struct file *file, const char __user *buffer, size_t length,
			    loff_t *offset)
{
	char *text;
	int ret;

	if (length > PAGE_SIZE)
		return -EINVAL;
	text = memdup_user_nul(buffer, length);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&kt_lock);
	ret = kt_run_named(text);
	mutex_unlock(&kt_lock);
	kfree(text);
	return ret ?: length;
}

static const struct file_operations kt_run_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = kt_run_write,
};

static int kt_result_show(struct seq_file *file, void *data)
{
	mutex_lock(&kt_lock);
	seq_write(file, kt_result, kt_result_length);
	mutex_unlock(&kt_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kt_result);

static int __init kt_init(void)
{
	int ret;

	kt_result = kzalloc(KT_RESULT, GFP_KERNEL);
	if (!kt_result)
		return -ENOMEM;
	ret = ib_register_client(&kt_client);
	if (ret) {
		kfree(kt_result);
		return ret;
	}
	kt_directory = debugfs_create_dir("svt_test", NULL);
	debugfs_create_file("run", 0200, kt_directory, NULL, &kt_run_fops);
	debugfs_create_file("result", 0400, kt_directory, NULL, &kt_result_fops);
	debugfs_create_file("race", 0200, kt_directory, NULL, &kt_race_fops);
	return 0;
}

static void __exit kt_exit(void)
{
	debugfs_remove(kt_directory);
	ib_unregister_client(&kt_client);
	kfree(kt_result);
}

module_init(kt_init);
module_exit(kt_exit);

MODULE_DESCRIPTION("Software Verbs Transport: tests from inside the kernel");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(SVT_VERSION);
