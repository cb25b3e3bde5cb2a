#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Memory windows of all types: what they allow, and that they allow nothing any more when their
# owner is told so. Regions whose addresses are offsets, and that change.

. "$(dirname "$0")/../lib/testlib.sh"

SKIPS=

capabilities() {
	in_a ibv_devinfo -v -d svta >"$WORK/info"
	grep -E 'MEM_WINDOW' "$WORK/info"
	for type in MEM_WINDOW MEM_WINDOW_TYPE_2A MEM_WINDOW_TYPE_2B; do
		grep -qE "^\s+$type\$" "$WORK/info"
	done
}

# among LIST: the cases of the list
among() {
	verify v4 -t "$1"
}

setup_pair
run_test "types of windows" capabilities
run_test "windows of type 1" among mw1_use,mw1_access,mw1_rebind,mw1_unbind,mw1_other_qp,mw1_dealloc
run_test "windows of type 2" among mw2_use,mw2_zero_based,mw2_other_qp,mw2_local_inv,rc_send_inv
run_test "nothing is written behind the end of a window" among \
	mw2_revoke_inv,mw2_revoke_dealloc,mw2_revoke_destroy,mw1_revoke_rebind,mw1_revoke_dealloc
run_test "nothing is read behind the end of a window" among mw2_revoke_read,mw1_revoke_read
run_test "a QP goes before its windows" among mw2_qp_gone
run_test "zero-based regions" among mr_zero_based,dm_traffic
run_test "regions that change" among mr_rereg_access,mr_rereg_addr,mr_rereg_pd,mr_rereg_all
run_test "teardown leaves nothing" leave_pair
finish
