#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Both ends on one host, in one namespace: data goes from memory to memory, and everything else is
# as over a wire. As long as somebody captures packets there are some.
# Limit: 900 s

. "$(dirname "$0")/../lib/testlib.sh"

RC='rc_send,rc_send_imm,rc_send_inv,rc_write,rc_write_imm,rc_read,rc_mix,rc_cas,rc_fadd,rc_fence,srq_data'

exec_in_b() {
	exec ip netns exec a "$@"
}

# same_host [OPTION...]: svt_verify between two QPs of svta
same_host() {
	pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" "$@" -- \
		"$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" "$@" 10.0.0.1
}

# count COUNTER: of svta
count() {
	in_a rdma statistic show link svta/1 | tr ' ' '\n' | grep -A1 "^$1\$" | tail -n 1
}

# What goes over loopback is what a responder says that nobody asks: hardly anything
copied() {
	local all copies
	all=$(count tx_packets) copies=$(count tx_same_host)
	same_host "$@"
	all=$(($(count tx_packets) - all)) copies=$(($(count tx_same_host) - copies))
	echo "$copies of $all packets were none"
	[ $((100 * copies)) -gt $((98 * all)) ]
}

# Who captures packets sees them
captured() {
	local copies
	in_a tcpdump -U -i lo -w "$WORK/lo.pcap" udp port 4791 2>"$WORK/tcpdump" &
	local capture=$!
	until_true 10 grep -q listening "$WORK/tcpdump"
	copies=$(count tx_same_host)
	same_host "$@"
	kill "$capture"
	wait "$capture" || :
	[ "$(count tx_same_host)" = "$copies" ]
	[ "$(tcpdump -r "$WORK/lo.pcap" 2>/dev/null | wc -l)" -gt 1000 ]
}

# In the middle of traffic
captured_now_and_then() {
	local traffic round
	same_host -t "$RC" >"$WORK/traffic" 2>&1 &
	traffic=$!
	for ((round = 0; round < 10; round++)); do
		in_a timeout 0.3 tcpdump -i lo -w /dev/null >/dev/null 2>&1 || :
		nap
	done
	wait "$traffic" || { cat "$WORK/traffic"; return 1; }
}

bandwidth() {
	local program
	for program in ib_send_bw ib_write_bw ib_read_bw; do
		pair $program -d svta -x "$(gid_index svta v4)" -F -n 100 "$@" -- \
			$program -d svta -x "$(gid_index svta v4)" -F -n 100 "$@" 10.0.0.1
	done
}

setup_pair
TEST_LIMIT=300 PAIR_LIMIT=280
run_test "RC without a packet" copied -t "$RC"
run_test "every operation" same_host
run_test "bandwidth" bandwidth -s 65536
run_test "bandwidth, 16 QPs" bandwidth -s 4096 -q 16
run_test "tcpdump sees packets" captured -t rc_send,rc_write,rc_read
run_test "tcpdump comes and goes in traffic" captured_now_and_then
run_test "teardown leaves nothing" teardown_pair
finish
