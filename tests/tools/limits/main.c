// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * svt_limits: whether a device has as much as it says, and what it costs. Fails when something
 * cannot be had, or fails otherwise than the manual pages say.
 */
#include <stdio.h>

#include "limits.h"
#include "number.h"

static struct test settings = { .count = 10000 };

static const struct option option_table[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, 'n' },
	{ }
};

static const char help[] =
	"  -d, --dev DEV      RDMA device; twice: for connected QPs\n"
	"  -n, --count N      of connected QPs (default 10000)\n";

static bool take_option(int c, void *values)
{
	struct test *t = values;

	if (c == 'n')
		t->count = number_of(optarg, 1 << 16);
	else
		t->devices[t->devices[0] ? 1 : 0] = optarg;
	return true;
}

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

static const struct suite_case *const tables[] = { many_cases, fill_cases, NULL };

static const struct suite suite = {
	.tables = tables,
	.synopsis = "-d DEV [-d DEV] [options] [NAME...]",
	.options = { option_table, take_option, &settings, help },
	.check = check,
	.each = each,
	.own_process = true,
};

int main(int argc, char **argv)
{
	return suite_main(argc, argv, &suite);
}
