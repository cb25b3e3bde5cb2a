// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The two tables behind the five value bits of an AETH syndrome: credits and RNR delays.
 */
#include "aeth.h"

/* IBTA 9.7.7.2.4: credits of each code below SVT_AETH_NO_CREDITS */
static const u32 credit_table[SVT_AETH_NO_CREDITS] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
	2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768,
};

/* IBTA 9.7.5.2.8, table of RNR NAK timer values, in microseconds */
static const u32 rnr_table[SVT_AETH_VALUE_MASK + 1] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840,
	5120, 7680, 10240, 15360, 20480, 30720, 40960, 61440, 81920, 122880, 163840, 245760,
	327680, 491520,
};

/* The code of the largest number of receive WQEs in the table that is not above @credits */
u8 svt_aeth_encode_credits(u32 credits)
{
	u8 low = 0, high = SVT_AETH_NO_CREDITS;

	/* credit_table[low] <= credits < credit_table[high], or high is the end */
	while (high - low > 1) {
		u8 middle = (low + high) / 2;

		if (credit_table[middle] <= credits)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* U32_MAX, which limits nothing, for SVT_AETH_NO_CREDITS */
u32 svt_aeth_decode_credits(u8 syndrome)
{
	u8 code = syndrome & SVT_AETH_VALUE_MASK;

	return code == SVT_AETH_NO_CREDITS ? ~0U : credit_table[code];
}

u32 svt_rnr_timer_microseconds(u8 timer)
{
	return rnr_table[timer & SVT_AETH_VALUE_MASK];
}
