#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Both ends on one host, in one namespace: data goes from memory to memory, and everything else is
# as over a wire. As long as somebody captures packets there are some.

. "$(dirname "$0")/../lib/testlib.sh"

RC='rc_send,rc_send_imm,rc_send_inv,rc_write,rc_write_imm,rc_read,rc_mix,rc_cas,rc_fadd,rc_fence,srq_data'

exec_in_b() {
	exec ip netns exec a "$@"
}

# same_host [OPTION...]: svt_verify between two QPs of svta
same_host() {
	suite_pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" "$@" -- \
		"$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" "$@" 10.0.0.1
}

# count COUNTER: of svta
count() {
	counter "$1" svta
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

capture_loopback() {
	start_capture a -U -s 128 -i lo -w "$WORK/lo.pcap" udp port 4791
}

# Who captures packets sees them. How many of them tcpdump is in time to write is another matter; the
# filter of lo sees each twice, as it goes and as it comes.
captured() {
	local copies
	capture_loopback
	copies=$(count tx_same_host)
	same_host "$@"
	stop_capture
	[ "$(count tx_same_host)" = "$copies" ]
	[ "$(awk '/received by filter/ { print $1 }' "$WORK/tcpdump")" -gt 2000 ]
}

captured_bytes() {
	stat -c %s "$WORK/lo.pcap"
}

captured_beyond() {
	[ "$(captured_bytes)" -gt "$1" ]
}

copied_beyond() {
	[ "$(count tx_same_host)" -gt "$1" ]
}

# Packets come, and nothing is copied meanwhile. Right behind the start something still may be.
all_are_packets() {
	local copies
	copies=$(count tx_same_host)
	until_true 10 captured_beyond $(($(captured_bytes) + 20000))
	[ "$(count tx_same_host)" = "$copies" ]
}

# In the middle of traffic, which is copied before and behind
captured_now_and_then() {
	local traffic round
	same_host -t rc_soak -x "$WORK/cue" >"$WORK/traffic" 2>&1 &
	traffic=$!
	for ((round = 0; round < 5; round++)); do
		until_true 30 copied_beyond $(($(count tx_same_host) + 100)) ||
			die "nothing is copied: $(<"$WORK/traffic")"
		capture_loopback
		until_true 30 all_are_packets || die "tcpdump does not see all"
		stop_capture
	done
	echo done >"$WORK/cue"
	wait "$traffic" || { cat "$WORK/traffic"; return 1; }
}

lo_sent() {
	in_a cat /sys/class/net/lo/statistics/tx_bytes
}

# The administrator wants packets, which a firewall sees, say; nobody else is asked
switched_off() {
	local switch=/sys/class/infiniband/svta/same_host copies sent
	fails setpriv --bounding-set -net_admin --inh-caps -net_admin sh -c "echo 0 >$switch"
	fails sh -c "echo perhaps >$switch"
	[ "$(<$switch)" = 1 ]
	echo 0 >$switch
	copies=$(count tx_same_host) sent=$(lo_sent)
	same_host -t rc_send,rc_write,rc_read
	[ "$(count tx_same_host)" = "$copies" ]
	[ "$(lo_sent)" -gt $((sent + 1000000)) ]
	echo 1 >$switch
	copied -t rc_send,rc_write,rc_read
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
run_test "values that are written at once" same_host -t '*_atomic_write*'
run_test "every operation" same_host
run_test "bandwidth" bandwidth -s 65536
run_test "bandwidth, 16 QPs" bandwidth -s 4096 -q 16
run_test "tcpdump sees packets" captured -t rc_send,rc_write,rc_read
run_test "packets where the administrator wants them" switched_off
run_test "tcpdump comes and goes in traffic" captured_now_and_then
run_test "teardown leaves nothing" leave_pair
finish
