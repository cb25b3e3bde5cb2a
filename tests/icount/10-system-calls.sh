#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The system calls that posting and polling make in bandwidth runs of 10 000 posts. How often a
# poster finds the kernel asleep depends on time, which here passes by instructions.

. "$(dirname "$0")/../lib/testlib.sh"

COUNT=$BUILD/tools/svt_postcount

# few_system_calls OPTION...: at most 5 for 100 posts, none to poll, none to post receives
few_system_calls() {
	local limits=(--max-post-percent 5 --max-poll 0 --max-recv 0)
	pair "$COUNT" -d svta -g "$(gid_index svta v4)" "${limits[@]}" "$@" -- \
		"$COUNT" -d svtb -g "$(gid_index svtb v4)" "${limits[@]}" "$@" 10.0.0.1
}

setup_pair
TEST_LIMIT=400 PAIR_LIMIT=380
run_test "10 000 SENDs of 64 KiB" few_system_calls
run_test "10 000 WRITEs of 64 KiB" few_system_calls -w
run_test "10 000 SENDs of 2 KiB by ibv_wr_*, every 16th signalled" few_system_calls -s 2048 -x -S 16
run_test "teardown leaves nothing" teardown_pair
finish
