#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Ends of all kinds while traffic runs: kill -9, deletion of the device, of the link, of the
# namespace; modules unloaded and loaded again. Nothing may be left, and nothing may hang.

. "$(dirname "$0")/../lib/testlib.sh"

# An endless bandwidth run between the two sides, in the background
start_traffic() {
	exec_in_a ib_send_bw -d svta -x "$(gid_index svta v4)" -F --run_infinitely -D 5 \
		>"$WORK/server" 2>&1 &
	wait_listening $!
	in_b ib_send_bw -d svtb -x "$(gid_index svtb v4)" -F --run_infinitely -D 5 10.0.0.1 \
		>"$WORK/client" 2>&1 &
	client=$!
	until_true 15 traffic_flows
}

kill_all() {
	pkill -9 ib_send_bw && return
	cat "$WORK/server" "$WORK/client"
	die "the traffic ended by itself"
}

kill_9() {
	local i
	for i in 1 2 3; do
		start_traffic
		kill_all
		wait
		assert_idle svta
		assert_idle svtb
	done
}

# What the receiver had goes at once. The sender is told that its retries are exceeded, which is
# status 12, and ends by itself.
kill_9_of_the_receiver() {
	local status=0
	start_traffic
	pkill -9 -x -f 'ib_send_bw -d svta .*'
	assert_idle svta
	wait "$client" || status=$?
	cat "$WORK/client"
	[ "$status" != 0 ] && [ "$status" -lt 128 ]
	grep -E 'Failed status 12\b' "$WORK/client"
	wait
	assert_idle svtb
}

# Who only receives waits on
kill_9_of_the_sender() {
	start_traffic
	pkill -9 -x -f 'ib_send_bw -d svtb .*'
	assert_idle svtb
	[ "$(in_a rdma resource show qp link svta/1 | grep -c ib_send_bw)" = 1 ]
	kill_all
	wait
	assert_idle svta
}

delete_device_under_traffic() {
	start_traffic
	in_b rdma link delete svtb
	until_true 20 device_gone svtb
	pkill -9 ib_send_bw || :
	wait
	assert_idle svta
	add_device svtb
}

delete_netdev_under_traffic() {
	start_traffic
	ip -n a link delete veth0
	until_true 20 device_gone svta
	until_true 20 device_gone svtb
	pkill -9 ib_send_bw || :
	wait
	ip netns delete a
	ip netns delete b
	until_true 20 namespace_gone a
	until_true 20 namespace_gone b
	unload
	rm -f /run/svt/pair
	setup_pair
}

unload_and_load_again() {
	local i
	for i in 1 2 3; do
		teardown_pair
		setup_pair
	done
	pair ibv_rc_pingpong -d svta -g "$(gid_index svta v4)" -n 100 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.0.1
}

# One that is waiting for its client has a QP
rings_are_seen() {
	local server
	start_in a "$WORK/server" ibv_rc_pingpong -d svta -g "$(gid_index svta v4)"
	server=$!
	(wait_listening "$server")
	[ "$(vmalloc_of_svt)" -gt "$before" ]
	kill "$server"
	wait "$server" || :
}

memory_comes_back() {
	local before i
	# The first rounds fill caches that stay
	for i in 1 2; do
		pair ib_send_bw -d svta -x "$(gid_index svta v4)" -F -n 20 -q 16 -- \
			ib_send_bw -d svtb -x "$(gid_index svtb v4)" -F -n 20 -q 16 10.0.0.1 >/dev/null
	done
	before=$(vmalloc_of_svt)
	rings_are_seen
	for i in 1 2; do
		pair ib_send_bw -d svta -x "$(gid_index svta v4)" -F -n 20 -q 16 -- \
			ib_send_bw -d svtb -x "$(gid_index svtb v4)" -F -n 20 -q 16 10.0.0.1 >/dev/null
	done
	until_true 10 eval '[ "$(vmalloc_of_svt)" -le '"$before"' ]'
}

setup_pair
run_test "kill -9 under traffic leaves nothing" kill_9
run_test "kill -9 of the receiver fails the sender" kill_9_of_the_receiver
run_test "kill -9 of the sender leaves nothing" kill_9_of_the_sender
run_on_each "device deleted under traffic" delete_device_under_traffic
run_on_each "netdev deleted under traffic" delete_netdev_under_traffic
run_test "rings are given back" memory_comes_back
TEST_LIMIT=400
run_test "unload and load again, three times" unload_and_load_again
run_on_each "teardown leaves nothing" teardown_pair
finish
