// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A library that the provider was not built for is recognised.
 */
#include "../library.h"
#include "fake.h"

#define NOT_TAKEN	"svt: build the provider anew: libibverbs did not take its "

static void a_grown_structure_is_noticed(void **state)
{
	assert_true(svt_library_matches());
	fake.qp_ex_shift = 8;
	assert_false(svt_library_matches());
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad_wr)
{
	return 0;
}

static bool took(const struct verbs_context *context, const struct verbs_context_ops *ops,
		 const char *words)
{
	bool taken;

	capture_stderr();
	taken = svt_library_took(context, ops);
	assert_string_equal(captured_stderr(), words);
	return taken;
}

static void an_operation_in_the_wrong_place_is_noticed(void **state)
{
	struct verbs_context_ops ops = { .post_send = post_send };
	struct verbs_context context = {};

	assert_false(took(&context, &ops, NOT_TAKEN "post_send\n"));
	context.context.ops.post_send = post_send;
	assert_true(took(&context, &ops, ""));
	context.context.ops._compat_create_qp = (void *)post_send;
	assert_false(took(&context, &ops, NOT_TAKEN "create_qp\n"));
}

const struct CMUnitTest tests[] = {
	{ "library: a grown structure is noticed", a_grown_structure_is_noticed,
	  fake_setup, NULL, NULL },
	{ "library: an operation in the wrong place is noticed",
	  an_operation_in_the_wrong_place_is_noticed, fake_setup, NULL, NULL },
};

const size_t test_count = ARRAY_SIZE(tests);
