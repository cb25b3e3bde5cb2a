#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Counters of the ports agree with each other; what an administrator can do to single queue pairs:
# counters of their own.

. "$(dirname "$0")/../lib/testlib.sh"

# statistic WHAT NAME: the value of counter NAME in `rdma statistic WHAT show` of svta's port; of
# the first counter, where there are several
statistic() {
	in_a rdma statistic ${1:+"$1"} show link svta/1 | tr ' ' '\n' | grep -A1 "^$2\$" |
		sed -n '/^[0-9]/{p;q}'
}

grows_beyond() {
	local value
	value=$(statistic "$1" "$2")
	[ "${value:-0}" -gt "$3" ]
}

# of DEVICE COUNTER: the port's
of() {
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

# remember: all that is compared, from which it is counted from now on
remember() {
	local device counter
	for device in svta svtb; do
		for counter in {tx,rx}_{packets,bytes} retries_nak {local_ack_timeout,implied_nak_seq}_err; do
			BEFORE[$device-$counter]=$(of $device $counter)
		done
	done
}
declare -A BEFORE

# since DEVICE COUNTER
since() {
	echo $(($(of "$1" "$2") - BEFORE[$1-$2]))
}

# all_arrived FROM TO
all_arrived() {
	[ "$(since "$1" tx_packets)" = "$(since "$2" rx_packets)" ] &&
		[ "$(since "$1" tx_bytes)" = "$(since "$2" rx_bytes)" ]
}

retries() {
	echo $(($(since svtb local_ack_timeout_err) + $(since svtb retries_nak) +
		$(since svtb implied_nak_seq_err)))
}

# 200 WRITEs of 10000 bytes, each three packets with 12 bytes of header, the first with 16 more; the
# rest goes by TCP. When both sides end all is acknowledged.
what_one_sends_the_other_receives() {
	remember
	pair ib_write_bw -F -d svta -x "$(gid_index svta v4)" -n 200 -s 10000 -- \
		ib_write_bw -F -d svtb -x "$(gid_index svtb v4)" -n 200 -s 10000 10.0.0.1
	echo "b sent $(since svtb tx_packets) packets, $(since svtb tx_bytes) bytes"
	echo "a sent $(since svta tx_packets) packets, $(since svta tx_bytes) bytes"
	until_true 10 all_arrived svtb svta
	until_true 10 all_arrived svta svtb
	[ "$(since svtb tx_packets)" -ge 600 ]
	[ "$(since svta tx_packets)" -ge 1 ]
	# A machine that is slow may repeat what arrived
	[ "$(retries)" != 0 ] || [ "$(since svtb tx_packets)" = 600 ]
	[ "$(retries)" != 0 ] || [ "$(since svtb tx_bytes)" = $((200 * (10000 + 3 * 12 + 16))) ]
}

# start_server: a pingpong on svta that waits for its client, and goes on with it until stopped
start_server() {
	start_in a "$WORK/server" ibv_rc_pingpong -d svta -g "$(gid_index svta v4)" -n 1000000000
	server=$!
	(wait_listening "$server")
}

start_client() {
	start_in b "$WORK/client" ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -n 1000000000 \
		10.0.0.1
	client=$!
}

stop_both() {
	kill "$client" "$server"
	wait "$client" "$server" || :
	assert_idle svta
	assert_idle svtb
}

# The number of the QP of a pingpong on svta
pingpong_qp() {
	in_a rdma resource show qp link svta/1 | grep pingpong | sed 's/.*lqpn \([0-9]*\).*/\1/'
}

# No counter of a QP is left
no_counters() {
	in_a rdma statistic qp show link svta/1 >"$WORK/left"
	[ ! -s "$WORK/left" ]
}

bound_by_hand() {
	local qp before
	start_server
	qp=$(pingpong_qp)
	in_a rdma statistic qp bind link svta/1 lqpn "$qp"
	in_a rdma -d statistic qp show link svta/1 >"$WORK/bound"
	cat "$WORK/bound"
	grep 'cntn 1 ' "$WORK/bound"
	grep "<$qp>" "$WORK/bound"
	# Others do not count there, but all do for the port
	before=$(statistic "" rx_packets)
	verify v4 -t cq_notify
	[ "$(statistic qp rx_packets)" = 0 ]
	[ "$(statistic "" rx_packets)" -gt "$before" ]

	fails in_a rdma statistic qp bind link svta/1 lqpn "$qp"
	fails in_a rdma statistic qp set link svta/1 auto type on
	start_client
	until_true 30 grows_beyond qp rx_packets 200
	[ "$(statistic "" rx_packets)" -gt $((before + 200)) ]
	in_a rdma statistic qp unbind link svta/1 cntn 1
	no_counters
	# What it counted stays the port's
	[ "$(statistic "" rx_packets)" -gt $((before + 200)) ]
	stop_both
}

bound_by_type() {
	local before
	in_a rdma statistic qp set link svta/1 auto type on
	start_server
	start_client
	until_true 30 grows_beyond qp tx_packets 200
	in_a rdma statistic qp show link svta/1 | grep -i 'type RC'
	before=$(statistic "" tx_packets)
	stop_both
	no_counters
	[ "$(statistic "" tx_packets)" -ge "$before" ]
	in_a rdma statistic qp set link svta/1 auto off
}

device_goes_with_counters() {
	in_a rdma statistic qp set link svta/1 auto type on
	start_server
	start_client
	until_true 30 grows_beyond qp tx_packets 200
	in_a rdma link delete svta
	until_true 10 device_gone svta
	kill "$client" "$server" 2>/dev/null || :
	wait "$client" "$server" || :
	assert_idle svtb
	add_device svta
}

setup_pair
run_test "what one port sends the other receives" what_one_sends_the_other_receives
run_on_each "counters of a QP, bound by hand" bound_by_hand
run_test "counters of all QPs of a type" bound_by_type
run_test "a device is deleted while QPs count for themselves" device_goes_with_counters
run_on_each "teardown leaves nothing" leave_pair
finish
