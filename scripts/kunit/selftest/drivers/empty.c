// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A module in which nobody put a suite.
 */
#include <linux/module.h>

static int __init empty_init(void)
{
	return 0;
}

static void __exit empty_exit(void)
{
}

module_init(empty_init);
module_exit(empty_exit);

MODULE_DESCRIPTION("No suite");
MODULE_LICENSE("GPL");
