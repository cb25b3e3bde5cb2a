#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Busy QPs beside each other: each gets its share of what they do together. Which is theirs to share,
# if time passes by instructions: on two processors in QEMU the machine's other work is in it too,
# and one run in ten has a QP beyond the bounds.

. "$(dirname "$0")/../lib/testlib.sh"

# shares OPTION...: from 0.8 to 1.2 of the mean
shares() {
	local tool=$BUILD/tools/svt_share
	pair "$tool" -d svta -g "$(gid_index svta v4)" "$@" -- \
		"$tool" -d svtb -g "$(gid_index svtb v4)" "$@" 10.0.0.1
}

# refused OPTION...: neither side begins when only the client has OPTION
refused() {
	local tool=$BUILD/tools/svt_share
	fails pair "$tool" -d svta -g "$(gid_index svta v4)" -- \
		"$tool" -d svtb -g "$(gid_index svtb v4)" "$@" 10.0.0.1
	grep 'the peer has other options' "$WORK/server"
	grep 'the peer has other options' "$WORK/client"
}

options_differ() {
	refused -s 65
	refused -q 5
}

an_unfair_share_is_a_failure() {
	fails shares -q 4 -n 100 --least 1.1
	grep '^FAIL a QP has no fair share' "$WORK/client"
}

setup_pair
run_test "64 QPs, 64 bytes" shares -n 1000
run_test "64 QPs, 64 KiB" shares -n 20 -s 65536 -D 4
run_test "3 QPs, 4 KiB" shares -q 3 -n 2000 -s 4096
run_test "sides with other options do not begin" options_differ
run_test "an unfair share is a failure" an_unfair_share_is_a_failure
run_test "teardown leaves nothing" teardown_pair
finish
