#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Every verb with each argument out of its range: the errno that the manual pages of rdma-core name,
# and nothing left behind.

. "$(dirname "$0")/../lib/testlib.sh"

errnos() {
	suite in_a "$BUILD/tools/svt_errnos" -d svta "$@"
}

# The first rounds fill what is kept for the next ones.
nothing_is_left() {
	local before after
	errnos -n 3
	before=$(memory_used)
	errnos -n 20
	after=$(memory_used)
	echo "kB of the kernel: $before before, $after after 20 rounds"
	[ "$after" -lt $((before + 1024)) ]
	assert_idle svta
}

setup_pair
run_test "each argument out of its range" errnos
run_test "no memory is left" nothing_is_left
run_test "teardown leaves nothing" leave_pair
finish
