// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_limits: whether a device has as much as it says, and what it costs. Fails when something
 * cannot be had, or fails otherwise than the manual pages say.
 */
#include <stdio.h>

#include "limits.h"

static struct test settings = { .count = 10000 };

static const struct option_row options[] = {
	{ 'd', "dev", "DEV", OPTION_TEXTS, settings.devices,
	  "RDMA device; twice: for connected QPs", 2 },
	{ 'n', "count", "N", OPTION_U32, &settings.count,
	  "of connected QPs, objects, or advices (default 10000)", 1 << 20 },
	{ 'r', "refused", NULL, OPTION_FLAG, &settings.refused,
	  "fill_*: before that, memory is to run out; all is kept until the input ends" },
	{ }
};

static bool check(void)
{
	return settings.devices[0] && settings.count > 1;
}

/* Nothing is closed: it goes with the process of the case */
static void each(const struct suite_case *c)
{
	struct test t = settings;

	t.c = c;
	suite_call(c->run, &t);
}

static const struct suite_case *const tables[] = {
	many_cases, depth_cases, fill_cases, advice_cases, NULL
};

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [-d DEV] [options] [NAME...]",
	.options = options,
	.check = check,
	.each = each,
	.own_process = true,
};

int main(int argc, char **argv)
{
	return suite_main(argc, argv, &suite);
}
