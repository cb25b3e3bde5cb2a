#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets that share an skb on their way through the host. Where the netdev does not take them
# together, as a NIC without offload, each has to be a packet of its own with all that a peer
# checks; a peer that gets them one by one, and one that sends them so, lose nothing.

. "$(dirname "$0")/../lib/testlib.sh"

LIB=$(dirname "$0")/../lib

# offload SIDE on|off: whether the netdev takes packets together
offload() {
	ip netns exec "$1" ethtool -K veth0 tx-udp-segmentation "$2"
}

traffic() {
	local kind=$1 program
	for program in ib_send_bw ib_write_bw ib_read_bw ib_atomic_bw; do
		perftest "$program" "$kind" -n 20
	done
	perftest ib_send_bw "$kind" -n 20 -c UC
	perftest ib_send_bw "$kind" -n 20 -c UD -s 1000
}

perftest() {
	local program=$1 kind=$2
	shift 2
	# READ responses and data of odd length
	[ "$program" = ib_atomic_bw ] || [[ "$*" == *-s* ]] || set -- "$@" -s 65001
	pair "$program" -F -d svta -x "$(gid_index svta "$kind")" "$@" -- \
		"$program" -F -d svtb -x "$(gid_index svtb "$kind")" "$@" 10.0.0.1
}

each_segment_is_a_packet() {
	offload a off
	offload b off
	capture traffic "$1"
	python3 "$LIB/packets.py" "$WORK/wire.pcap" "$PAIR_MTU"
	offload a on
	offload b on
}

# What b sends: PACKETS in TRAINS
count_sent() {
	PACKETS=$(($(counter tx_packets) - PACKETS))
	TRAINS=$(($(counter tx_trains) - TRAINS))
}

# received_together TRACE: how many of those that arrived were of five packets and more
received_together() {
	sed -n 's/.*svt_train_rx: .*length=\([0-9]*\) stride=\([0-9]*\)$/\1 \2/p' "$1" |
		awk '$1 > 4 * $2' | wc -l
}

# 20 messages of 16 packets each
packets_travel_together() {
	local tracing=/sys/kernel/tracing seen
	PACKETS=0 TRAINS=0
	count_sent
	echo 1 >"$tracing/events/svt/svt_train_rx/enable"
	capture perftest ib_send_bw v4 -n 20
	echo 0 >"$tracing/events/svt/svt_train_rx/enable"
	cp "$tracing/trace" "$WORK/trace"
	: >"$tracing/trace"
	count_sent
	python3 "$LIB/packets.py" "$WORK/wire.pcap" 65535 >"$WORK/packets" || :
	cat "$WORK/packets"
	seen=$(sed -n 's/ packets.*//p' "$WORK/packets")
	echo "$PACKETS packets in $TRAINS trains"
	[ "$PACKETS" -ge 320 ]
	[ "$TRAINS" -ge 20 ] && [ "$TRAINS" -lt $((PACKETS / 3)) ]
	[ "$seen" -ge 20 ] && [ "$seen" -lt 200 ]
	[ "$(received_together "$WORK/trace")" -ge 10 ]
}

packets_travel_alone() {
	ip -n b link set veth0 gso_max_segs 1
	capture perftest ib_send_bw v4 -n 20
	ip -n b link set veth0 gso_max_segs 65535
	python3 "$LIB/packets.py" "$WORK/wire.pcap" "$PAIR_MTU"
}

contents_without_offload() {
	offload "$1" off
	verify v4
	offload "$1" on
}

setup_pair
run_on_each "packets travel together" packets_travel_together
run_test "packets travel alone with gso_max_segs 1" packets_travel_alone
run_test "each segment is a packet, IPv4" each_segment_is_a_packet v4
run_test "each segment is a packet, IPv6" each_segment_is_a_packet v6
TEST_LIMIT=300 PAIR_LIMIT=280
run_test "every operation, a sends packets alone" contents_without_offload a
run_test "every operation, b sends packets alone" contents_without_offload b
run_on_each "teardown leaves nothing" leave_pair
finish
