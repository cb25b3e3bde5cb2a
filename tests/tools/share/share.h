/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef SHARE_SHARE_H
#define SHARE_SHARE_H

#include "options.h"

#define QPS_MAX	1000u

/*
 * @o->num: requests for each QP, on average; @done: what each got done when all together had so
 * many.  Return: 0, or -1 with a line.
 */
int share_run(const struct common_options *o, u32 qps, u32 *done);

#endif
