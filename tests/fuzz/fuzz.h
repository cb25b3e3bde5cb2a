/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef FUZZ_H
#define FUZZ_H

#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>

/* What has to hold for any input. libFuzzer keeps the input for which it did not. */
#define must(condition) do {						\
	if (!(condition)) {						\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
		abort();						\
	}								\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif
