// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The tests, in the order in which they run: data first, then what must fail.
 */
#include "tables.h"

const struct suite_case *const tables[] = {
	rc_data_cases,
	inline_cases,
	atomic_cases,
	atomic_write_cases,
	placement_cases,
	pmem_cases,
	rc_order_cases,
	wrapi_cases,
	uc_cases,
	ud_cases,
	ud_errors_cases,
	srq_cases,
	mr_cases,
	dm_cases,
	dmabuf_cases,
	odp_cases,
	odp_count_cases,
	odp_sender_cases,
	mw_cases,
	mw_inv_cases,
	mw_revoke_cases,
	cq_cases,
	cq_ex_cases,
	post_cases,
	rc_errors_cases,
	retry_cases,
	flush_cases,
	wire_cases,
	qp_state_cases,
	qp_illegal_cases,
	qp_path_cases,
	async_cases,
	threads_cases,
	large_cases,
	mw_last_cases,
	NULL,
};
