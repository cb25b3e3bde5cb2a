// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* 6.13: MODULE_IMPORT_NS() takes a string; before it made one of its argument */
#include <linux/build_bug.h>
#include <linux/module.h>

#ifndef OLD
#define TEXT_OF(...)	#__VA_ARGS__
#define TEXT(...)	TEXT_OF(__VA_ARGS__)

/* A string made of a string has more quotes; the number in a unique name may have a digit more */
static_assert(sizeof(TEXT(MODULE_IMPORT_NS("A"))) <= sizeof(TEXT(MODULE_INFO(import_ns, "A"))) + 1);
#endif
