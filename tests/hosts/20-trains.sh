#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Between two VMs each packet crosses alone, for QEMU's wire takes no more, and virtio-net, a driver
# with interrupts and NAPI as those of NICs, has GRO merge what comes. The time here is that of an
# emulated machine: MB/s are shown and not judged.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/hosts.sh"
. "$(dirname "$0")/../bench/figures.sh"

MESSAGES=$(amount 200 2000)
declare -A ADDRESS=([here]=$HERE [peer]=$PEER)

# both_sides PROGRAM [OPTION...]: its server in the peer, its client here; $WORK/server, $WORK/client
both_sides() {
	local server
	in_peer "$@" -d svt0 >"$WORK/server" &
	server=$!
	until_true 20 in_peer pgrep -f "^$1 " >/dev/null
	until_true 20 client "$@"
	wait $server
	cat "$WORK/server" "$WORK/client"
}

# It is there before it listens
client() {
	"$@" -d svt0 $PEER >"$WORK/client"
}

perftest() {
	both_sides "$1" -x "$(hosts_gid here)" -F -s 65536 -n "$MESSAGES" "${@:2}"
}

# grown SIDE COUNTER BEFORE
grown() {
	echo $(($(hosts_counter "$1" "$2") - $3))
}

# throughput FROM TO PROGRAM: what FROM sent has arrived at TO, in fewer skbs than packets
throughput() {
	local sent packets trains bytes=$((MESSAGES * 65536))
	sent=$(hosts_counter "$1" tx_bytes)
	packets=$(hosts_counter "$2" rx_packets) trains=$(hosts_counter "$2" rx_trains)
	perftest "$3"
	sent=$(grown "$1" tx_bytes "$sent")
	packets=$(grown "$2" rx_packets "$packets") trains=$(grown "$2" rx_trains "$trains")
	echo "$3: $(perftest_figure 4 <"$WORK/client") MB/s, $packets packets in $trains trains" |
		tee /dev/kmsg
	[ "$sent" -ge $bytes ] || die "$1 sent $sent bytes of $bytes"
	[ "$packets" -ge $((MESSAGES * 16)) ] || die "$2 received $packets packets"
	[ "$trains" -le $((packets / 2)) ] || die "packets came one by one"
}

contents() {
	both_sides "$BUILD/tools/svt_verify" -g "$(hosts_gid here)" \
		-t rc_send,rc_write,rc_read,rc_mix,rc_fadd,srq_data,uc_stream_send,ud_stream
}

setup() {
	local side
	for side in here peer; do
		hosts_configure $side "${ADDRESS[$side]}"
		[[ $(in_$side ethtool -k eth1) == *"generic-receive-offload: on"* ]] ||
			die "no GRO: $side"
	done
	[ "$(hosts_gid here)" = "$(hosts_gid peer)" ] || die "the GIDs differ in their index"
}

setup
run_test "SENDs, merged where they arrive" throughput here peer ib_send_bw
run_test "READs, merged where they arrive" throughput peer here ib_read_bw
run_test "streams, each byte" contents
run_test "teardown leaves nothing" hosts_teardown
finish
