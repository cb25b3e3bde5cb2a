#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Memory that is paged on demand: what programs see of it, over the wire and within a host, and what
# an administrator does. rdma-core's own tests of it run in 70-pyverbs.

. "$(dirname "$0")/../lib/testlib.sh"

SKIPS=
SOME='odp_traffic,odp_atomic,odp_unmapped,odp_copied,odp_forks,odp_implicit_traffic'

capabilities() {
	in_a ibv_devinfo -v -d svta >"$WORK/info"
	sed -n '/general_odp_caps/,/^$/p' "$WORK/info"
	for cap in ODP_SUPPORT ODP_SUPPORT_IMPLICIT SUPPORT_SEND SUPPORT_RECV SUPPORT_WRITE \
		SUPPORT_READ SUPPORT_ATOMIC SUPPORT_SRQ; do
		grep -qw "$cap" "$WORK/info"
	done
	# FLUSH and ATOMIC WRITE, which only newer programs know by name; Linux 6.1 has no FLUSH
	grep -qE 'SUPPORT_ATOMIC_WRITE|Unknown flags: 0x[C8]0$' "$WORK/info"
}

# Pages were waited for at both ends
paged() {
	local before
	before=$(counter page_faults)
	verify "$@"
	[ "$(counter page_faults)" -gt "$before" ]
}

same_host() {
	suite_pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" -t "$SOME" -- \
		"$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" -t "$SOME" 10.0.0.1
}

with_other_programs() {
	local index
	index=$(gid_index svta v4)
	pair ibv_rc_pingpong -d svta -g "$index" -o -n 50 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -o -n 50 10.0.0.1
	pair ibv_rc_pingpong -d svta -g "$index" -e -o -P -c -n 50 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -e -o -P -c -n 50 10.0.0.1
	pair ibv_srq_pingpong -e -d svta -g "$index" -o -n 50 -- \
		ibv_srq_pingpong -e -d svtb -g "$(gid_index svtb v4)" -o -n 50 10.0.0.1
}

# A process that waits for a peer has registered its buffer
counters_of_regions() {
	local server
	start_in a "$WORK/server" ibv_rc_pingpong -d svta -g "$(gid_index svta v4)" -o
	server=$!
	(wait_listening "$server")
	in_a rdma statistic show mr link svta/1 >"$WORK/statistic" ||
		in_a rdma statistic show mr >"$WORK/statistic"
	cat "$WORK/statistic"
	grep -q page_faults "$WORK/statistic"
	grep -q page_invalidations "$WORK/statistic"
	kill "$server"
	wait "$server" || :
	assert_idle svta
}

exec_in_b() {
	exec ip netns exec "${SAME_HOST:-b}" "$@"
}

setup_pair
run_test "what the device says that it pages" capabilities
run_on_each "pages that are not there, that leave, that are copied" paged v4 -t \
	odp_traffic,odp_atomic,odp_unmapped,odp_readonly,odp_copied,odp_forks,odp_advice
run_test "all of the address space" paged v6 -t \
	odp_implicit_traffic,odp_implicit_atomic,odp_implicit_unmapped,odp_implicit_forks,odp_implicit_advice
run_test "UC and UD send it" paged v4 -t odp_uc,odp_ud
is_uml "$SVT_KERNEL" || run_on_each "memory that the kernel itself can not reach" verify v4 -t odp_secret
SAME_HOST=a
run_test "both ends on one host" same_host
SAME_HOST=
run_test "rdma-core's examples" with_other_programs
run_test "counters of single regions" counters_of_regions
# The one region that is paged is svta's
run_test "what advice, faults and invalidations count" verify v4 -t odp_counts
run_on_each "teardown leaves nothing" leave_pair
finish
