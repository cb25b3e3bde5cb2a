// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbers that somebody typed.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "number.h"

bool number_parse(const char *text, u64 most, u64 *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno && *value <= most;
}

u64 number_of(const char *text, u64 most)
{
	u64 value;

	if (number_parse(text, most, &value))
		return value;
	fprintf(stderr, "'%s' is no number from 0 to %llu\n", text, (unsigned long long)most);
	exit(2);
}
