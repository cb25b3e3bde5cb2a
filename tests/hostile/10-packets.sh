#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Hostile packets from a raw socket, at a device that others use meanwhile: named ones, each with
# all that has to come of it; generated ones; real ones that are sent again. The attacker has an
# address of its own on the wire. It is the peer of QPs that it may break, and of no others.

. "$(dirname "$0")/../lib/testlib.sh"

TRAFFIC=$(choice rc_mix,rc_read,rc_cas,srq_data,uc_stream_write,ud_stream \
	rc_send,rc_write,rc_read,rc_mix,rc_cas,rc_fadd,rc_fence,srq_data,uc_stream_write,ud_stream)
GSO=(gso_train gso_unequal gso_tiny)

# Drops of each kind, and what an RC responder says to requests that it refuses
COUNTERS=(rx_dropped_{backend,malformed,no_qp,state,opcode,address,pkey,qkey,psn,length})
COUNTERS+=(out_of_sequence out_of_buffer duplicate_request naks_sent rnr_naks_sent)

setup() {
	local address
	setup_pair
	for address in 10.0.0.102 fd00::66; do
		ip -n b neigh replace "$address" lladdr 02:00:00:00:00:66 dev veth0 nud permanent
	done
	# The attacker looks at what svta sends, packet by packet
	in_a ethtool -K veth0 tx-udp-segmentation off
	echo setup >/run/svt/pair
}

# With priority over the traffic beside, which on one processor would leave it a sixth of the time
packets() {
	nice -n -10 "$BUILD/tools/svt_packets" "$@"
}

known() {
	suite packets "$@"
}

# Packet sockets can send UDP GSO from 6.2 on: on 6.1 these would not leave the attacker.
other_known() {
	local names
	mapfile -t names < <(packets -l | grep -vE '^gso_')
	known "${names[@]}"
}

# under_traffic MODE [OPTION...]: the attack, and verified traffic from its beginning to its end
under_traffic() {
	local attack rounds=0 status=0
	packets "${@:2}" "$1" >"$WORK/attack" 2>&1 &
	attack=$!
	while [ "$rounds" = 0 ] || kill -0 "$attack" 2>/dev/null; do
		verify v4 -u -s "$((RANDOM + 1))" -t "$TRAFFIC" >"$WORK/traffic" 2>&1 || status=1
		[ "$status" = 0 ] || break
		rounds=$((rounds + 1))
	done
	[ "$status" = 0 ] || tail -n 100 "$WORK/traffic"
	wait "$attack" || status=1
	cat "$WORK/attack"
	echo "$rounds rounds of traffic"
	ktap_settle "$status" "$WORK/attack" "svt_packets $1"
}

# Every packet that was refused has a counter, and each of them had some
generated() {
	local name before after
	in_b rdma statistic show link svtb/1 >"$WORK/before"
	under_traffic attack -n "$1"
	in_b rdma statistic show link svtb/1 >"$WORK/after"
	for name in "${COUNTERS[@]}"; do
		before=$(value_of "$name" <"$WORK/before")
		after=$(value_of "$name" <"$WORK/after")
		echo "$name: $before to $after"
		[ "$after" -gt "$before" ] || die "$name did not go up"
	done
}

# What is chosen depends on the seed alone: targets, shapes, and what is made wrong first.
choices() {
	packets -v -s 7 -n 300 attack >"$WORK/$1.log"
	sed -n 's/^# \([0-9]*: [^:]*\):[^(]*(\([^,)]*\).*/\1, \2/p' "$WORK/$1.log" >"$WORK/$1.all"
	head -n 50 "$WORK/$1.all" >"$WORK/$1"
	[ "$(wc -l <"$WORK/$1")" = 50 ]
}

repeats_by_its_seed() {
	choices first
	choices second
	diff "$WORK/first" "$WORK/second"
	dmesg | grep "svt_packets attack -s 7 "
	head -n 5 "$WORK/first"
}

# with_gro NANOSECONDS COMMAND...: the victim's end merges what belongs together before IP sees it, of
# all that comes within that time. A veth asks GRO only when its other end could not merge either.
with_gro() {
	in_a ethtool -K veth0 tso off
	in_b ethtool -K veth0 gro on
	in_b bash -c "echo $1 >/sys/class/net/veth0/gro_flush_timeout"
	"${@:2}"
	in_b bash -c "echo 0 >/sys/class/net/veth0/gro_flush_timeout"
	in_b ethtool -K veth0 gro off
	in_a ethtool -K veth0 tso on
}

# Each arrives, and fewer skbs than packets
merged_known() {
	local packets trains
	packets=$(counter rx_packets) trains=$(counter rx_trains)
	with_gro 20000000 known merged_icrc merged_qps
	packets=$(($(counter rx_packets) - packets)) trains=$(($(counter rx_trains) - trains))
	echo "$packets packets in $trains trains"
	[ $packets -ge 20 ] && [ $trains -lt $packets ]
}

setup
TEST_LIMIT=$(choice 240 2500) PAIR_LIMIT=200
run_test "48-byte packet with opcode 0xff and no QP" known opcode_ff_no_qp opcode_ff opcode_every
run_test "pad count longer than the packet" known pad_beyond_payload payload_without_pad
run_test "ICRC longer than the packet" known icrc_beyond_packet
run_test "ATOMIC WRITE that is too short" known atomic_short atomic_write_short
run_test "iova + length that wraps" known address_wraps length_beyond_limit region_edges
run_test "other named packets" other_known
if [[ $(uname -r) == 6.1.* ]]; then
	skip_test "GSO frames" "packet sockets of this kernel refuse them"
else
	run_test "GSO frames" known "${GSO[@]}"
fi
run_test "an attack repeats by its seed" repeats_by_its_seed
run_test "generated packets under traffic" generated "$(amount 30000 1000000)"
run_test "each packet twice at the same time" under_traffic attack -e -n "$(amount 8000 50000)"
run_test "packets of the wire sent again" under_traffic replay -n "$(amount 8000 40000)"
run_test "named packets that GRO merges" merged_known
run_test "packets that GRO merges" with_gro 200000 under_traffic attack -e -n "$(amount 5000 20000)"
run_test "teardown leaves nothing" teardown_pair
finish
