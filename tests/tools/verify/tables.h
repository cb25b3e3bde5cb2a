/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef VERIFY_TABLES_H
#define VERIFY_TABLES_H

#include "suite.h"

/* One table a subject, in cases/. */
extern const struct suite_case rc_data_cases[];
extern const struct suite_case inline_cases[];
extern const struct suite_case atomic_cases[];
extern const struct suite_case atomic_write_cases[];
extern const struct suite_case placement_cases[];
extern const struct suite_case pmem_cases[];
extern const struct suite_case rc_order_cases[];
extern const struct suite_case wrapi_cases[];
extern const struct suite_case rc_errors_cases[];
extern const struct suite_case retry_cases[];
extern const struct suite_case flush_cases[];
extern const struct suite_case wire_cases[];
extern const struct suite_case post_cases[];
extern const struct suite_case qp_state_cases[];
extern const struct suite_case qp_illegal_cases[];
extern const struct suite_case qp_path_cases[];
extern const struct suite_case async_cases[];
extern const struct suite_case uc_cases[];
extern const struct suite_case ud_cases[];
extern const struct suite_case ud_errors_cases[];
extern const struct suite_case srq_cases[];
extern const struct suite_case dm_cases[];
extern const struct suite_case dmabuf_cases[];
extern const struct suite_case odp_cases[];
extern const struct suite_case odp_count_cases[];
extern const struct suite_case odp_sender_cases[];
extern const struct suite_case mw_cases[];
extern const struct suite_case mw_inv_cases[];
extern const struct suite_case mw_revoke_cases[];
extern const struct suite_case mw_last_cases[];
extern const struct suite_case mr_cases[];
extern const struct suite_case cq_cases[];
extern const struct suite_case cq_ex_cases[];
extern const struct suite_case threads_cases[];
extern const struct suite_case large_cases[];

/* All of them, in the order in which they run */
extern const struct suite_case *const tables[];

#endif
