#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Who makes it pays: a process without any right makes objects of a kind until its control group
# refuses it, which it has to do, and without a kill. Others connect and move data meanwhile.

. "$(dirname "$0")/../lib/testlib.sh"

CGROUP=/sys/fs/cgroup/svt-nobody
# More objects than a table of 16 bits has numbers, and than fit into the control group
MANY=200000

# as_nobody MEMORY COMMAND...: on side a, as a user without rights, in a control group of its own
as_nobody() {
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	[ ! -d "$CGROUP" ] || until_true 10 rmdir "$CGROUP" 2>/dev/null
	mkdir "$CGROUP"
	echo "$1" >"$CGROUP/memory.max"
	[ ! -e "$CGROUP/memory.swap.max" ] || echo 0 >"$CGROUP/memory.swap.max"
	shift
	(
		exec_in_cgroup "$CGROUP" ip netns exec a "${NOBODY[@]}" "$@"
	)
}

end_nobody() {
	cat "$CGROUP/memory.events"
	grep -qx 'oom_kill 0' "$CGROUP/memory.events"
	until_true 10 rmdir "$CGROUP" 2>/dev/null
	echo -memory >/sys/fs/cgroup/cgroup.subtree_control
}

limits_of_nobody() {
	as_nobody "$1" env "${LINE_BUFFERED[@]}" "$BUILD/tools/svt_limits" -d svta "${@:2}"
}

is_full() {
	grep -q 'then:' "$WORK/suite" || ! kill -0 "$1"
}

# fills KIND MEMORY
fills() {
	local status=0 nobody hold
	mkfifo "$WORK/hold"
	limits_of_nobody "$2" -r -n "$MANY" "fill_$1" >"$WORK/suite" 2>&1 <"$WORK/hold" &
	nobody=$!
	exec {hold}>"$WORK/hold"
	until_true 100 is_full "$nobody"
	cat "$WORK/suite"
	pair rping -s -C 5 -V -a 10.0.0.1 -- rping -c -C 5 -V -a 10.0.0.1
	exec {hold}>&-
	wait "$nobody" || status=$?
	ktap_settle "$status" "$WORK/suite" "fill_$1"
	fails grep -qx 'max 0' "$CGROUP/memory.events"
	end_nobody
	assert_idle svta
}

# As much as is asked for at once, and more than there is memory to keep
advice() {
	suite limits_of_nobody 24M -n 400 advice
	end_nobody
	assert_idle svta
}

setup_pair
run_test "address handles" fills ah 16M
run_test "protection domains" fills pd 16M
run_test "XRC domains" fills xrcd 16M
run_test "windows" fills mw 16M
run_test "regions" fills mr 16M
run_test "regions that are paged on demand" fills odp 16M
run_test "CQs" fills cq 16M
run_test "CQs of a million entries" fills largest_cq 100M
run_test "SRQs" fills srq 16M
run_test "QPs" fills qp 16M
run_test "device memory" fills dm 16M
run_test "multicast groups" fills group 14M
run_test "advice that nobody waits for" advice
run_test "teardown leaves nothing" leave_pair
finish
