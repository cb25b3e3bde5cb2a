#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What depends on how long things take: the system calls that posting and polling make in bandwidth
# runs of 10 000 posts, and acknowledgments that wait for an answer. Runs in a VM booted with
# --icount, whose time passes by instructions: how often a poster finds the kernel asleep, or an
# answer comes in time, then does not depend on what else the machine does.

. "$(dirname "$0")/lib/testlib.sh"

COUNT=$BUILD/tools/svt_postcount

# few_system_calls OPTION...: at most 5 for 100 posts, none to poll, none to post receives
few_system_calls() {
	local limits=(--max-post-percent 5 --max-poll 0 --max-recv 0)
	pair "$COUNT" -d svta -g "$(gid_index svta v4)" "${limits[@]}" "$@" -- \
		"$COUNT" -d svtb -g "$(gid_index svtb v4)" "${limits[@]}" "$@" 10.0.0.1
}

# Few are late: those of the first messages, and when another program of the VM had its turn
acknowledgments_are_carried() {
	local before
	before=$(counter acks_carried)
	pair ib_send_lat -e -F -n 500 -s 64 -d svta -x "$(gid_index svta v4)" -- \
		ib_send_lat -e -F -n 500 -s 64 -d svtb -x "$(gid_index svtb v4)" 10.0.0.1
	[ $(($(counter acks_carried) - before)) -ge 450 ]
}

setup_pair
TEST_LIMIT=400 PAIR_LIMIT=380
run_test "10 000 SENDs of 64 KiB" few_system_calls
run_test "10 000 WRITEs of 64 KiB" few_system_calls -w
run_test "10 000 SENDs of 2 KiB by ibv_wr_*, every 16th signalled" few_system_calls -s 2048 -x -S 16
run_test "answers take the acknowledgments of 500 requests along" acknowledgments_are_carried
run_test "teardown leaves nothing" teardown_pair
finish
