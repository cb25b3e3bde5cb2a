// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Any numbers as credits, syndromes, timers and PSNs.
 */
#include <string.h>

#include "aeth.h"
#include "fuzz.h"
#include "psn.h"

struct input {
	u32 credits;
	u32 psn;
	u32 count;
	u8 syndrome;
};

static void check_credits(const struct input *in)
{
	u8 code = svt_aeth_encode_credits(in->credits);

	must(code < SVT_AETH_NO_CREDITS);
	must(svt_aeth_decode_credits(code) <= in->credits);
	must(code + 1 == SVT_AETH_NO_CREDITS || svt_aeth_decode_credits(code + 1) > in->credits);
	must(svt_aeth_decode_credits(in->syndrome) <= 32768 ||
	     (in->syndrome & SVT_AETH_VALUE_MASK) == SVT_AETH_NO_CREDITS);
}

static void check_timer(const struct input *in)
{
	u32 microseconds = svt_rnr_timer_microseconds(in->syndrome);

	must(microseconds >= 10 && microseconds <= 655360);
}

static void check_psn(const struct input *in)
{
	u32 psn = svt_psn_add(in->psn, in->count);
	s32 ahead = svt_psn_diff(psn, in->psn);

	must(psn <= SVT_PSN_MASK);
	must(ahead >= -(1 << 23) && ahead < 1 << 23);
	must(svt_psn(ahead) == svt_psn(in->count));
	must(svt_psn_add(in->psn, ahead) == psn);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in;

	if (size < sizeof(in))
		return 0;
	memcpy(&in, data, sizeof(in));
	check_credits(&in);
	check_timer(&in);
	check_psn(&in);
	return 0;
}
