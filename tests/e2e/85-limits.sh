#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The limits that a device tells: what is beyond those of queues, and that there are more objects than
# 16 bits count, which is as far as memory reaches here. How memory ends them is 86-accounts.sh, how
# their numbers do is svt-limits of KUnit. And what memory it takes: one process has QPs on both
# devices, so that it can measure all of it.

. "$(dirname "$0")/../lib/testlib.sh"

limits() {
	suite "$BUILD/tools/svt_limits" "$@"
}

has_attribute() {
	[ "$(ibv_devinfo -v -d svta | sed -n "s/^[[:space:]]*$1:[[:space:]]*//p")" = "$2" ]
}

limits_are_told() {
	has_attribute max_qp 8388608
	has_attribute max_cq 16777216
	has_attribute max_srq 16777215
	has_attribute max_mr 8388608
	has_attribute max_mw 4194304
	has_attribute max_pd 1073741824
	has_attribute max_ah 1073741824
	has_attribute max_mcast_grp 16777216
	has_attribute max_qp_wr 32768
	has_attribute max_srq_wr 32768
}

nothing_is_left() {
	local areas
	areas=$(vmalloc_of_svt)
	"$@"
	assert_idle svta
	assert_idle svtb
	[ "$(vmalloc_of_svt)" = "$areas" ]
}

# Each ring is an area of the process
setup_limits() {
	sysctl -qw vm.max_map_count=1000000
	setup_pair
}

setup_limits
run_test "limits are told" limits_are_told
run_test "10 000 connected QPs" nothing_is_left limits -d svta -d svtb qps
run_test "queues of 2^15 requests, and none deeper" nothing_is_left limits -d svta depth
TEST_LIMIT=900
for kind in pd ah cq srq qp mw; do
	run_test "70 000 ${kind^^}s" nothing_is_left limits -d svta -n 70000 "fill_$kind"
done
[ -z "${SVT_FULL:-}" ] || run_test "a million MRs" nothing_is_left limits -d svta -n 1050000 fill_mr
run_test "teardown leaves nothing" teardown_pair
finish
