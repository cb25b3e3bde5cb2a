#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Packets that share an skb on their way through the host. Where the netdev does not take them
# together, as a NIC without offload, each has to be a packet of its own with all that a peer
# checks; a peer that gets them one by one, and one that sends them so, lose nothing. GRO puts
# together again what comes one by one, as from a NIC.

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

# Each operation of RC, UC and UD; the debug kernel runs all that svt_verify can do
contents_without_offload() {
	local operations='rc_[!s]*,rc_send*,uc_*,ud_*,srq_*,wr_*,large_*'
	offload "$1" off
	verify v4 -t "$(choice "$operations" '*')"
	offload "$1" on
}

counter_of_a() {
	in_a rdma statistic show link svta/1 | value_of "$1"
}

# count_merged COMMAND...: PACKETS that a gets while it runs, in TRAINS
count_merged() {
	PACKETS=$(counter_of_a rx_packets) TRAINS=$(counter_of_a rx_trains)
	like_nics "$@"
	PACKETS=$(($(counter_of_a rx_packets) - PACKETS))
	TRAINS=$(($(counter_of_a rx_trains) - TRAINS))
	echo "a got $PACKETS packets in $TRAINS trains"
}

# capture_apart COMMAND...: the acknowledgments that b gets are not merged before they are captured
capture_apart() {
	in_b ethtool -K veth0 gro off
	capture "$@"
}

# 20 messages of 16 packets each; on the wire each packet is alone
packets_are_merged() {
	count_merged capture_apart perftest ib_send_bw "$1" -n 20
	python3 "$LIB/packets.py" "$WORK/wire.pcap" "$PAIR_MTU"
	[ "$PACKETS" -ge 320 ] && [ "$TRAINS" -lt $((PACKETS / 3)) ]
}

STREAMS=rc_send,rc_write,rc_read,rc_mix,rc_fadd,rc_psn_wrap,srq_data,uc_stream_send,uc_stream_write
STREAMS+=,ud_stream

contents_when_merged() {
	count_merged verify "$1" -t $STREAMS
	[ "$TRAINS" -lt $((PACKETS * 2 / 3)) ]
}

setup_pair
run_on_each "packets travel together" packets_travel_together
run_test "packets travel alone with gso_max_segs 1" packets_travel_alone
run_test "each segment is a packet, IPv4" each_segment_is_a_packet v4
run_test "each segment is a packet, IPv6" each_segment_is_a_packet v6
run_on_each "packets that come one by one are merged, IPv4" packets_are_merged v4
run_test "packets that come one by one are merged, IPv6" packets_are_merged v6
TEST_LIMIT=300 PAIR_LIMIT=280
run_test "every operation, a sends packets alone" contents_without_offload a
run_test "every operation, b sends packets alone" contents_without_offload b
run_test "streams of merged packets, IPv4" contents_when_merged v4
run_test "streams of merged packets, IPv6" contents_when_merged v6
run_on_each "teardown leaves nothing" leave_pair
finish
