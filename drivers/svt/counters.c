// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Names of the counters, and their sum over the CPUs. Each CPU adds to its own without a lock, so a
 * sum may miss what is added while it is read.
 */
#include "counters.h"

#define SVT_COUNTER_NAME(counter, name, about)	[counter] = name,

const char *const svt_counter_names[SVT_COUNT_TOTAL] = {
	SVT_COUNTERS(SVT_COUNTER_NAME)
};

/* Wraps after 2^64 */
u64 svt_counter_sum(const struct svt_counters __percpu *counters, enum svt_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(counters, cpu)->value[counter];
	return sum;
}
