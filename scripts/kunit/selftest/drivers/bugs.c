// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One bug of each kind that scripts/kunit.sh must report.  Each case is run alone, by a
 * filter; KUnit itself would let most of them pass.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static DEFINE_SPINLOCK(spin);
static int value;
static int __rcu *guarded = (int __rcu *)&value;
static int shift = 40;

static void fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 2 + 2, 5);
}

static void skips(struct kunit *test)
{
	kunit_skip(test, "no reason");
}

static void overruns(struct kunit *test)
{
	char *buffer = kmalloc(24, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	OPTIMIZER_HIDE_VAR(buffer);
	buffer[24] = 1;
	kfree(buffer);
}

static void inverts(struct kunit *test)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);
	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
}

static void sleeps(struct kunit *test)
{
	spin_lock(&spin);
	msleep(20);
	spin_unlock(&spin);
}

static void leaks(struct kunit *test)
{
	char *buffer = kmalloc(1000, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buffer);
	memset(buffer, 0x5a, 1000);
}

static void warns(struct kunit *test)
{
	WARN_ON(value == 0);
}

static void shifts(struct kunit *test)
{
	WRITE_ONCE(value, 1 << READ_ONCE(shift));
}

static void peeks(struct kunit *test)
{
	KUNIT_EXPECT_NOT_NULL(test, rcu_dereference(guarded));
}

static void on_time(struct timer_list *timer)
{
}

static void frees_timer(struct kunit *test)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, timer);
	timer_setup(timer, on_time, 0);
	mod_timer(timer, jiffies + 100 * HZ);
	kfree(timer);
}

static void stays(struct kunit *test)
{
	__module_get(THIS_MODULE);
}

static void panics(struct kunit *test)
{
	panic("as asked");
}

static void faults(struct kunit *test)
{
	int *nowhere = (int *)8;

	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 1);
}

static void quits(struct kunit *test)
{
	pr_info("    ok 1 quits\nok 1 bugs\n");
	kernel_power_off();
}

static void hangs(struct kunit *test)
{
	for (;;)
		cpu_relax();
}

static struct kunit_case bug_cases[] = {
	KUNIT_CASE(fails),
	KUNIT_CASE(skips),
	KUNIT_CASE(overruns),
	KUNIT_CASE(inverts),
	KUNIT_CASE(sleeps),
	KUNIT_CASE(leaks),
	KUNIT_CASE(warns),
	KUNIT_CASE(shifts),
	KUNIT_CASE(peeks),
	KUNIT_CASE(frees_timer),
	KUNIT_CASE(stays),
	KUNIT_CASE(panics),
	KUNIT_CASE(faults),
	KUNIT_CASE(quits),
	KUNIT_CASE(hangs),
	{}
};

static struct kunit_suite bug_suite = {
	.name = "bugs",
	.test_cases = bug_cases,
};

kunit_test_suite(bug_suite);

MODULE_DESCRIPTION("One bug of each kind");
MODULE_LICENSE("GPL");
