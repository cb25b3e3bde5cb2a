#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A bad wire: netem at both ends of the veth loses, repeats, reorders, spoils and delays. Every byte
# has to be right and every run has to end in time: recovery runs at the speed of the round trip.

. "$(dirname "$0")/../lib/testlib.sh"

TESTS=rc_send,rc_send_imm,rc_send_inv,rc_write,rc_write_imm,rc_read,rc_mix,rc_cas,rc_fadd,rc_fence
TESTS+=,rc_psn_wrap,rc_rd_atomic_n,srq_data,uc_stream_send,uc_stream_write,ud_stream

# impaired NETEM... -- COMMAND...: both directions
impaired() {
	local options=()
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	in_a tc qdisc replace dev veth0 root netem "${options[@]}"
	in_b tc qdisc replace dev veth0 root netem "${options[@]}"
	"$@"
	in_a tc qdisc del dev veth0 root
	in_b tc qdisc del dev veth0 root
}

pingpong() {
	pair ibv_rc_pingpong -e -d svta -g "$(gid_index svta v4)" -c -s 20000 "$@" -- \
		ibv_rc_pingpong -e -d svtb -g "$(gid_index svtb v4)" -c -s 20000 "$@" 10.0.0.1
}

bandwidth() {
	pair ib_send_bw -d svta -x "$(gid_index svta v4)" -F -n 100 -e -- \
		ib_send_bw -d svtb -x "$(gid_index svtb v4)" -F -n 100 -e 10.0.0.1
	pair ib_read_bw -d svta -x "$(gid_index svta v4)" -F -n 100 -e -- \
		ib_read_bw -d svtb -x "$(gid_index svtb v4)" -F -n 100 -e 10.0.0.1
}

# Not by pingpong: its sides do not wait for each other at the end, and the last acknowledgment of
# the one that is done first may be among the lost.
wire() {
	impaired limit 5000 "$@" -- eval 'verify v4 -u -t "$TESTS" && bandwidth'
}

# total COUNTER: of both devices
total() {
	local a b
	read -r a <"/sys/class/infiniband/svta/ports/1/hw_counters/$1"
	read -r b <"/sys/class/infiniband/svtb/ports/1/hw_counters/$1"
	echo $((a + b))
}

# wire_that COUNTER NETEM...: a wire whose fault is one that svt counts
wire_that() {
	local before
	before=$(total "$1")
	wire "${@:2}"
	echo "$1: $(($(total "$1") - before))"
	[ "$(total "$1")" -gt "$before" ]
}

# In packets that the peer merges with what is whole. A netem that corrupts cuts trains apart before it
# queues them, and with "reorder" puts their packets in front of the queue: the last, for which the
# sender waits, leaves first, and what is behind grows until there is no memory.
faults_when_merged() {
	like_nics wire loss 1% duplicate 1% corrupt 1%
}

# A queue of ten packets at the sender: what it drops is lost, and no QP dies of it
short_queue() {
	in_a tc qdisc replace dev veth0 root pfifo limit 10
	in_b tc qdisc replace dev veth0 root pfifo limit 10
	bandwidth
	in_a tc qdisc del dev veth0 root
	in_b tc qdisc del dev veth0 root
}

# Each CPU has a transmit queue of its own, and that of the first is slow: who just goes on sending
# from the other one overtakes himself, and UC does not forgive that.
slow_cpu() {
	local cpu
	in_a ethtool -L veth0 rx 2
	in_b ethtool -L veth0 tx 2
	for cpu in 0 1; do
		in_b sh -c "echo $((1 << cpu)) >/sys/class/net/veth0/queues/tx-$cpu/xps_cpus"
	done
	in_b tc qdisc replace dev veth0 root handle 1: mq
	in_b tc qdisc replace dev veth0 parent 1:1 tbf rate 20mbit burst 10kb limit 1mb
	verify v4 -t uc_roam
	in_b tc qdisc del dev veth0 root
	in_b ethtool -L veth0 tx 1
	in_a ethtool -L veth0 rx 1
}

REPEATS='retries_nak|local_ack_timeout_err|implied_nak_seq_err'
retries_were_needed() {
	local retries
	retries=$(in_b rdma statistic show link svtb/1 | tr ' ' '\n' | grep -A1 -xE "$REPEATS" |
		grep -c '^[1-9]' || :)
	[ "$retries" -gt 0 ]
}

setup_pair
TEST_LIMIT=300 PAIR_LIMIT=280
run_test "loss of 1 %" wire loss 1%
run_test "loss of 5 %" wire loss 5%
run_test "duplication of 5 %" wire_that duplicate_request duplicate 5%
run_test "reordering of 5 %" wire delay 1ms reorder 95% 50%
run_test "corruption of 1 %" wire_that rx_dropped_backend corrupt 1%
run_test "loss, duplication and corruption of 1 %, in packets that GRO merges" faults_when_merged
run_test "delay of 2 ms" impaired limit 5000 delay 2ms -- pingpong -n 200
run_test "all packets out of order" impaired limit 5000 delay 2ms 1ms -- pingpong -n 40
run_test "a queue of ten packets" short_queue
if [ "$(nproc)" = 1 ]; then
	skip_test "a sender that moves between CPUs" "one processor"
else
	run_test "a sender that moves between CPUs" slow_cpu
fi
run_test "packets were repeated" retries_were_needed
run_test "teardown leaves nothing" teardown_pair
finish
