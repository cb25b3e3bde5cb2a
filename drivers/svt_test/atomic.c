// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Cases: atomic operations, by the key of a region that get_dma_mr() made.
 */
#include "client.h"

#define KT_REMOTE	64
#define KT_INITIAL	0x1122334455667788ULL

static u64 *kt_word(struct kt_end *end, u32 offset)
{
	return (u64 *)(end->buffer + offset);
}

static int kt_atomic(struct kt_pair *pair, const struct kt_request *request, u64 before, u64 after)
{
	struct kt_end *from = &pair->end[0], *to = &pair->end[1];
	int ret;

	*kt_word(from, 0) = 0;
	ret = kt_done(kt_send(from, request), IB_WC_SUCCESS);
	if (ret)
		return ret;
	if (*kt_word(from, 0) != before)
		return kt_fail(pair, "returned %llx instead of %llx", *kt_word(from, 0), before);
	if (*kt_word(to, KT_REMOTE) != after)
		return kt_fail(pair, "left %llx instead of %llx", *kt_word(to, KT_REMOTE), after);
	return 0;
}

static int kt_case_fetch_add(struct kt_pair *pair)
{
	struct kt_request request = {
		.opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .length = 8, .remote = KT_REMOTE,
	};
	unsigned int i;
	u64 value = KT_INITIAL;
	int ret = 0;

	*kt_word(&pair->end[1], KT_REMOTE) = value;
	for (i = 0; i < 10 && !ret; i++) {
		request.compare_add = 0xf000000000000001ULL + i;
		ret = kt_atomic(pair, &request, value, value + request.compare_add);
		value += request.compare_add;
	}
	return ret;
}

static int kt_case_cmp_swap(struct kt_pair *pair)
{
	struct kt_request request = {
		.opcode = IB_WR_ATOMIC_CMP_AND_SWP, .length = 8, .remote = KT_REMOTE,
		.compare_add = KT_INITIAL, .swap = 42,
	};

	*kt_word(&pair->end[1], KT_REMOTE) = KT_INITIAL;
	/* The second finds what the first put there, and changes nothing */
	return kt_atomic(pair, &request, KT_INITIAL, 42) ?: kt_atomic(pair, &request, 42, 42);
}

/* The global key of the PD lets the peer read and write, no more */
static int kt_case_not_allowed(struct kt_pair *pair)
{
	struct kt_end *to = &pair->end[1];
	struct kt_request request = {
		.opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .length = 8, .remote = KT_REMOTE,
		.rkey = to->pd->unsafe_global_rkey, .compare_add = 1,
	};
	int ret;

	*kt_word(to, KT_REMOTE) = KT_INITIAL;
	ret = kt_done(kt_send(&pair->end[0], &request), IB_WC_REM_ACCESS_ERR);
	if (!ret && *kt_word(to, KT_REMOTE) != KT_INITIAL)
		ret = kt_fail(pair, "a refused operation was executed");
	return ret;
}

const struct kt_case kt_atomic_cases[] = {
	{ "rc_fetch_add", IB_QPT_RC, KT_EACH_POLL, kt_case_fetch_add },
	{ "rc_cmp_swap", IB_QPT_RC, KT_EACH_POLL, kt_case_cmp_swap },
	{ "rc_atomic_not_allowed", IB_QPT_RC, 0, kt_case_not_allowed },
	{ }
};
