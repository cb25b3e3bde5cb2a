#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Extended reliable connections: many processes behind one QP, each with an SRQ of its own; and other
# objects of one process that another one uses.

. "$(dirname "$0")/../lib/testlib.sh"

# xrc_pingpong KIND [OPTION...]: both ends with the same options, addresses of KIND (v4, v6)
xrc_pingpong() {
	local kind=$1
	shift
	pair ibv_xsrq_pingpong -d svta -g "$(gid_index svta "$kind")" -n 100 "$@" -- \
		ibv_xsrq_pingpong -d svtb -g "$(gid_index svtb "$kind")" -n 100 "$@" 10.0.0.1
	grep -q success "$WORK/client"
}

# One server and two clients: each of the three sends to the others by their SRQs' numbers
three_processes() {
	local server first
	start_in a "$WORK/server" ibv_xsrq_pingpong -e -d svta -g "$(gid_index svta v4)" -n 100 -c 2
	server=$!
	(wait_listening "$server")
	start_in b "$WORK/first" ibv_xsrq_pingpong -e -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.0.1
	first=$!
	in_b ibv_xsrq_pingpong -e -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.0.1
	wait "$first"
	wait "$server"
	assert_idle svta
	assert_idle svtb
}

# A server that waits for its second client has QPs of both kinds, an SRQ and a domain
killed_processes() {
	local server client
	start_in a "$WORK/server" ibv_xsrq_pingpong -d svta -g "$(gid_index svta v4)" -c 2
	server=$!
	(wait_listening "$server")
	start_in b "$WORK/client" ibv_xsrq_pingpong -d svtb -g "$(gid_index svtb v4)" 10.0.0.1
	client=$!
	until_true 30 is_busy svta
	until_true 30 is_busy svtb
	kill -9 "$server" "$client"
	wait "$server" || :
	wait "$client" || :
	assert_idle svta
	assert_idle svtb
}

# handed_over KIND: by one process to another
handed_over() {
	suite in_a "$BUILD/tools/svt_handover" -d svta "$1"
	assert_idle svta
}

is_busy() {
	in_ns_of "$1" rdma resource show srq dev "$1" | grep srqn
}

setup_pair
run_test "XRC pingpong" xrc_pingpong v4
run_test "XRC pingpong by events" xrc_pingpong v4 -e
run_test "XRC pingpong over IPv6" xrc_pingpong v6 -e
run_test "XRC pingpong of a server and two clients" three_processes
run_test "XRC pingpong whose processes are killed" killed_processes
run_test "an XRC TGT QP outlives the process that made it" handed_over xrc
run_test "PD and region in another process" handed_over import
run_test "teardown leaves nothing" leave_pair
finish
