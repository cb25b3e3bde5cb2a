#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# svt and rxe, the kernel's other soft RoCE, on one wire: svt in namespace a, rxe in the first
# namespace, where it has to stay. Every operation both ways; what goes over the wire is captured
# and decoded by tshark.

. "$(dirname "$0")/../lib/testlib.sh"

setup_mixed() {
	take_left
	ip netns add a
	ip link add veth0 netns a type veth peer name veth0
	configure_side a 1
	ip link set veth0 mtu "$PAIR_MTU" up
	ip addr add 10.0.0.2/24 dev veth0
	ip addr add fd00::2/64 dev veth0 nodad
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev veth0
	add_device svta
	until_true 10 gid_of_kind rxe0 v4 >/dev/null
	echo setup_mixed >/run/svt/pair
}

teardown_mixed() {
	rm -f /run/svt/pair
	assert_idle svta
	in_a rdma link delete svta
	rdma link delete rxe0
	ip netns delete a
	until_true 10 device_gone svta
	until_true 10 namespace_gone a
	unload
}

# The peer of svt is at home in the first namespace.
in_b() {
	"$@"
}

exec_in_b() {
	exec "$@"
}

# both_ways FUNCTION ARGUMENT...: svt serves rxe, then rxe serves svt
PAIR=pair
rxe_to_svt() {
	$PAIR "$1" -d svta "$2" "$(gid_index svta "$KIND")" "${@:3}" -- \
		"$1" -d rxe0 "$2" "$(gid_index rxe0 "$KIND")" "${@:3}" 10.0.0.1
}

svt_to_rxe() {
	PAIR_SERVER=b $PAIR "$1" -d rxe0 "$2" "$(gid_index rxe0 "$KIND")" "${@:3}" -- \
		"$1" -d svta "$2" "$(gid_index svta "$KIND")" "${@:3}" 10.0.0.2
}

KIND=v4
both_ways() {
	rxe_to_svt "$@"
	svt_to_rxe "$@"
}

both_ways_v6() {
	KIND=v6 both_ways "$@"
}

captured_packets_decode() {
	start_capture a -i veth0 -w "$WORK/wire.pcap" -U udp port 4791
	both_ways ib_send_bw -x -F -n 20 -s 10000
	both_ways ib_write_bw -x -F -n 20 -s 10000
	both_ways ib_read_bw -x -F -n 20 -s 10000
	both_ways ib_atomic_bw -x -F -n 20
	both_ways ibv_ud_pingpong -g -e -n 20
	sleep 1
	stop_capture
	tshark -r "$WORK/wire.pcap" -T fields -E occurrence=f -e frame.protocols \
		-e infiniband.bth.opcode -e _ws.malformed >"$WORK/decoded"
	cut -f 2 "$WORK/decoded" | sort | uniq -c
	[ "$(grep -c infiniband "$WORK/decoded")" -gt 300 ]
	fails grep -vP '^[^\t]*:infiniband[^\t]*\t\d+\t$' "$WORK/decoded"
}

# Of the responses of rxe some are lost: it begins a repeat in the middle by a MIDDLE one. None is of
# no bytes: newer rxe drop a repeat of those (svt-conform: replay_nothing).
reads_with_loss() {
	local holes
	holes=$(counter implied_nak_seq_err svta)
	tc qdisc replace dev veth0 root netem loss 2% limit 10000
	SKIPS='' PAIR=suite_pair svt_to_rxe "$BUILD/tools/svt_verify" -g -t rc_read_sge
	svt_to_rxe ib_read_bw -x -F -n 100
	tc qdisc delete dev veth0 root
	[ "$(counter implied_nak_seq_err svta)" -gt "$holes" ]
}

# rxe asks, svt answers. The other way rxe takes the packets for damaged: it has an ICRC of its own.
flushes() {
	SKIPS='' PAIR=suite_pair rxe_to_svt "$BUILD/tools/svt_verify" -g -t 'wr_flush*'
}

# verify_both_ways TESTS: what rxe has since 6.12
verify_both_ways() {
	local way
	for way in rxe_to_svt svt_to_rxe; do
		SKIPS='' PAIR=suite_pair $way "$BUILD/tools/svt_verify" -g -t "$1"
	done
}

# svt is refused where rxe has the port, which goes on; a netdev that svt held could not be deleted
port_of_rxe() {
	ip link add cable0 type veth peer name cable1
	fails_with 'Address already in use' rdma link add svtc type svt netdev cable0
	dmesg | grep 'cable0: svt: UDP port 4791 is in use in this network namespace'
	fails rdma link show svtc/1
	ip link delete cable0
	both_ways ibv_rc_pingpong -g -e -n 60
}

# Older ones have the port as long as their module is there
port_after_rxe() {
	rdma link delete rxe0
	modprobe -r rdma_rxe
	rdma link add svtc type svt netdev veth0
	gid_index svtc v4
	pair ibv_rc_pingpong -e -d svta -g "$(gid_index svta v4)" -n 60 -- \
		ibv_rc_pingpong -e -d svtc -g "$(gid_index svtc v4)" -n 60 10.0.0.1
	rdma link delete svtc
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev veth0
	until_true 10 gid_of_kind rxe0 v4
}

setup_mixed
run_on_each "rc pingpong with rxe" both_ways ibv_rc_pingpong -g -n 60
run_on_each "ud pingpong with rxe" both_ways ibv_ud_pingpong -g -e -n 60
run_test "uc pingpong with rxe" both_ways ibv_uc_pingpong -g -e -n 60
run_test "rc pingpong with rxe over IPv6" both_ways_v6 ibv_rc_pingpong -g -e -n 60
run_test "rc pingpong with rxe, contents checked" both_ways ibv_rc_pingpong -g -e -n 100 -c -s 30001
run_on_each "send bandwidth with rxe" both_ways ib_send_bw -x -F -n 150
run_on_each "read bandwidth with rxe" both_ways ib_read_bw -x -F -n 150
run_test "reads from rxe with 2 % loss" reads_with_loss
run_test "write bandwidth with rxe" both_ways ib_write_bw -x -F -n 150
for operation in send write read; do
	run_test "$operation latency with rxe" both_ways ib_${operation}_lat -x -F -n 100
done
for atomic in CMP_AND_SWAP FETCH_AND_ADD; do
	run_test "atomic $atomic with rxe" both_ways ib_atomic_bw -x -F -n 150 -A $atomic
done
case $(uname -r) in
6.1.*)
	skip_on_each "ATOMIC WRITE with rxe" "this kernel's has none"
	skip_on_each "FLUSH of rxe" "this kernel's has none"
	;;
*)
	run_on_each "ATOMIC WRITE with rxe" verify_both_ways 'wr_atomic_write*'
	run_on_each "FLUSH of rxe" flushes
	;;
esac
run_test "send bandwidth UC with rxe" both_ways ib_send_bw -x -F -n 150 -c UC
run_test "write bandwidth UC with rxe" both_ways ib_write_bw -x -F -n 150 -c UC
run_test "send bandwidth UD with rxe" both_ways ib_send_bw -x -F -n 150 -c UD -s 2048
run_on_each "rping with rxe" pair rping -s -C 20 -V -a 10.0.0.1 -- rping -c -C 20 -V -a 10.0.0.1
run_on_each "where rxe has the port svt says so" port_of_rxe
run_on_each "svt takes the port when rxe has gone" port_after_rxe
TEST_LIMIT=400
run_test "captured packets decode in tshark" captured_packets_decode
run_on_each "teardown leaves nothing" teardown_mixed
finish
