#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The verbs as a client inside the kernel uses them: posting, polling and events between two
# devices, and between one device and itself, by the module svt_test.

. "$(dirname "$0")/../lib/testlib.sh"

CONTROL=/sys/kernel/debug/svt_test

load() {
	load_test_client
	[ -e "$CONTROL/run" ]
}

# cases DEVICE [DEVICE]: all of the module's cases; none may fail or be missing
cases() {
	echo "$*" >"$CONTROL/run"
	suite cat "$CONTROL/result"
	tail -n 1 "$CONTROL/result" | grep -E '^# [1-9][0-9]+ passed, 0 failed$'
}

# refused [DEVICE...]
refused() {
	if echo "$*" >"$CONTROL/run"; then
		die "'$*' was taken"
	fi
}

# An unknown device, too many, none
wrong_names() {
	refused nosuch
	refused svta svtb svta
	refused
}

delete_and_add_device() {
	in_b rdma link delete svtb
	until_true 10 device_gone svtb
	refused svtb
	add_device svtb
	cases svta svtb
}

setup_pair
run_on_each "the client loads" load
run_test "names that are wrong are refused" wrong_names
TEST_LIMIT=400
run_on_each "between two devices" cases svta svtb
run_test "in the other direction" looked_at cases svtb svta
run_test "between a device and itself" cases svta
run_test "a device may go and come back" delete_and_add_device
run_on_each "the client unloads" rmmod svt_test
run_on_each "teardown leaves nothing" leave_pair
finish
