/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_SUITE_H
#define VERIFY_SUITE_H

#include "test.h"

/* One table a subject, in cases/, each ended by an entry without a name. */
extern const struct test_case rc_data_cases[];
extern const struct test_case inline_cases[];
extern const struct test_case atomic_cases[];
extern const struct test_case atomic_write_cases[];
extern const struct test_case placement_cases[];
extern const struct test_case rc_order_cases[];
extern const struct test_case wrapi_cases[];
extern const struct test_case rc_errors_cases[];
extern const struct test_case retry_cases[];
extern const struct test_case flush_cases[];
extern const struct test_case wire_cases[];
extern const struct test_case post_cases[];
extern const struct test_case qp_state_cases[];
extern const struct test_case qp_illegal_cases[];
extern const struct test_case qp_path_cases[];
extern const struct test_case async_cases[];
extern const struct test_case uc_cases[];
extern const struct test_case ud_cases[];
extern const struct test_case ud_errors_cases[];
extern const struct test_case srq_cases[];
extern const struct test_case dm_cases[];
extern const struct test_case dmabuf_cases[];
extern const struct test_case odp_cases[];
extern const struct test_case odp_count_cases[];
extern const struct test_case odp_sender_cases[];
extern const struct test_case mw_cases[];
extern const struct test_case mw_inv_cases[];
extern const struct test_case mw_revoke_cases[];
extern const struct test_case mw_last_cases[];
extern const struct test_case mr_cases[];
extern const struct test_case cq_cases[];
extern const struct test_case cq_ex_cases[];
extern const struct test_case threads_cases[];
extern const struct test_case large_cases[];

#endif
