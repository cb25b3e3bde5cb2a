#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Raw packet QPs: Ethernet frames of programs, and the flow rules by which they get some. perftest's
# programs first, then svt_raw against sockets of Linux, for what they have not.

. "$(dirname "$0")/../lib/testlib.sh"

RAW=$BUILD/tools/svt_raw

mac_of() {
	ip -n "$1" -o link show veth0 | sed 's/.*ether \([0-9a-f:]*\).*/\1/'
}

# The program on svta has posted its receives
ready() {
	local posted
	posted=$(in_a rdma -dd resource show qp link svta/1 | one_line_each |
		sed -nE 's/.*RAW_PACKET.*rq_posted ([0-9]+).*/\1/p')
	[ "${posted:-0}" -ge 100 ]
}

# raw_perftest PROGRAM [OPTION...]: each has a rule for its own address
raw_perftest() {
	local program=$1
	shift
	PAIR_READY=ready pair "$program" -d svta --server -B "$(mac_of a)" -E "$(mac_of b)" -F "$@" -- \
		"$program" -d svtb --client -B "$(mac_of b)" -E "$(mac_of a)" -F "$@"
	has_results
}

udp_perftest() {
	raw_perftest "$1" -J 10.0.0.1 -j 10.0.0.2 -K 5678 -k 1234 "${@:2}"
}

rate_of_rules() {
	in_a raw_ethernet_fs_rate -d svta --server -B "$(mac_of a)" -E "$(mac_of b)" -F -J 10.0.0.1 \
		-j 10.0.0.2 -K 5678 -k 1234 -n 200
}

# start_receiver COUNT RULE...: svt_raw on svta; its frames go to $WORK/frames
start_receiver() {
	start_in a "$WORK/frames" "$RAW" svta receive "$@"
	receiver=$!
	until_true 20 grep -q ready "$WORK/frames"
}

# wait_frames: until it has all; they are in $WORK/got then
wait_frames() {
	wait "$receiver"
	grep -v ready "$WORK/frames" | tee "$WORK/got"
}

stop_receiver() {
	kill "$receiver"
	wait "$receiver" || :
}

hex_mac() {
	mac_of "$1" | tr -d :
}

# A frame of UDP from b to a, to port 5678, both of its checksums 0
udp_frame() {
	echo "$(hex_mac a)$(hex_mac b)08004500002400010000401100000a0000020a000001$(
		)04d2162e001000003132333435363738"
}

# folded HEX: the sum of its words, as RFC 1071 has it
folded() {
	python3 -c '
import sys
bytes = bytes.fromhex(sys.argv[1])
total = sum(int.from_bytes(bytes[i:i + 2], "big") for i in range(0, len(bytes), 2))
while total >> 16:
    total = (total & 0xffff) + (total >> 16)
print(hex(total))' "$1"
}

# The frame as it is, to a packet socket of Linux; then with its sums computed, to a raw packet QP
sent_as_it_is() {
	start_capture a -i veth0 -xx -c 1 -n --immediate-mode udp port 5678 >"$WORK/dump"
	in_b "$RAW" svtb send "$(udp_frame)"
	until_true 20 grep -q 0x0030 "$WORK/dump"
	cat "$WORK/dump"
	[ "$(grep 0x "$WORK/dump" | cut -d: -f2 | tr -d ' \n')" = "$(udp_frame)" ]
}

checksums_are_computed() {
	local got
	start_receiver 3 "dst=$(mac_of a)" type=0x0800
	in_b "$RAW" svtb send inline "$(udp_frame)" checksum "$(udp_frame)" "$(udp_frame)8765432100"
	wait_frames
	[ "$(sed -n 1p "$WORK/got")" = "50 - $(udp_frame)" ]
	got=$(sed -n '2s/^50 ok //p' "$WORK/got")
	[ "$(folded "${got:28:40}")" = 0xffff ]
	# UDP's: the pseudo header has the addresses, the protocol and the length
	[ "$(folded "${got:52:16}00110010${got:68}")" = 0xffff ]
	# Padding is in no sum, and goes as it is. No netdev has looked at this one
	[ "$(sed -n '3s/^55 - //p' "$WORK/got")" = "${got}8765432100" ]
}

# A QP whose receives are those of an SRQ: frames of three lengths
frames_of_an_srq() {
	start_in a "$WORK/frames" "$RAW" svta shared receive 3 "dst=$(mac_of a)" type=0x0800
	receiver=$!
	until_true 20 grep -q ready "$WORK/frames"
	in_b "$RAW" svtb send "$(udp_frame)" "$(udp_frame)ab" "$(udp_frame)cdef"
	wait_frames
	[ "$(cut -d' ' -f1,3 "$WORK/got")" = "50 $(udp_frame)
51 $(udp_frame)ab
52 $(udp_frame)cdef" ]
}

# Whether a's stack gets what b's sends, and answers
hosts_talk() {
	[[ $(in_b socat -u OPEN:/dev/null TCP:10.0.0.1:1,connect-timeout="$(scaled 2)" 2>&1) == \
		*refused* ]]
}

# Frames that a rule takes do not get to the host, those that a sniffer sees do
taken_and_seen() {
	hosts_talk
	# Among frames that hosts send when they like to, reports of multicast groups for one
	start_receiver 1000 sniffer
	hosts_talk
	until_true 20 grep "$(hex_mac b)0800" "$WORK/frames"
	stop_receiver
	start_receiver 1000 "dst=$(mac_of a)" type=0x0800
	fails hosts_talk
	stop_receiver
	grep "$(hex_mac a)$(hex_mac b)0800" "$WORK/frames"
	hosts_talk
	[[ $(ip -n a -d -o link show veth0) == *"promiscuity 0 "* ]]
}

# What offload keeps together, or leaves to somebody else, is on no wire
wire_frames_of_tcp() {
	local length state listener most=$((PAIR_MTU + 14))
	start_receiver 60 sniffer
	start_in a "$WORK/listener" socat -u TCP-LISTEN:7000,reuseaddr OPEN:/dev/null
	listener=$!
	(wait_listening "$listener")
	dd if=/dev/zero bs=1k count=400 status=none | in_b socat -u STDIN TCP:10.0.0.1:7000
	wait "$listener"
	wait_frames >/dev/null
	cut -c1-40 "$WORK/got"
	while read -r length state _; do
		[ "$length" -le "$most" ]
		[ "$length" -lt 1000 ] || [ "$state" = ok ]
	done <"$WORK/got"
	[ "$(grep -c "^$most " "$WORK/got")" -gt 5 ]
}

tags_are_in_the_frame() {
	ip -n b link add link veth0 name tagged type vlan id 12
	ip -n b link set tagged up
	ip -n b addr add 10.0.12.2/24 dev tagged
	start_receiver 1 vlan=12 type=0x0806
	in_b bash -c 'echo hello >/dev/udp/10.0.12.1/9'
	wait_frames
	grep "ffffffffffff$(hex_mac b)8100000c0806" "$WORK/got"
	start_receiver 1 vlan=12 dst=02:00:00:00:00:07
	in_b "$RAW" svtb send "0200000000070200000000088100a00c88b5$(printf '%092d' 0)"
	wait_frames
	[ "$(<"$WORK/got")" = "64 - 0200000000070200000000088100a00c88b5$(printf '%092d' 0)" ]
	ip -n b link delete tagged
}

ipv6_and_ports() {
	start_receiver 2 ip6=fd00::1 udp=4000
	in_b bash -c 'echo no >/dev/udp/fd00::1/4001; echo one >/dev/udp/fd00::1/4000
		echo two >/dev/udp/fd00::1/4000'
	wait_frames
	grep '^66 ok .*6f6e650a$' "$WORK/got"
	grep '^66 ok .*74776f0a$' "$WORK/got"
}

# ip_frame [FIELD=HEX...]: from nobody to nobody; a FIELD is dst, src, ip4, protocol or port
ip_frame() {
	local dst=020000000007 src=020000000005 ip4=0a090901 protocol=06 port=1388 "$@"
	echo "$dst${src}0800450000280001000040${protocol}00000a090902$ip4$(
		)04d2$port$(printf '%032d' 0)"
}

# differs_in FIELD=HEX RULE...: of two frames that differ in that alone only the second is the rule's
differs_in() {
	local frame
	frame=$(ip_frame)
	start_receiver 1 "${@:2}"
	in_b "$RAW" svtb send "$(ip_frame "$1")" "$frame"
	wait_frames
	[ "$(<"$WORK/got")" = "54 - $frame" ]
}

each_word_of_a_rule_counts() {
	local mac=02:00:00:00:00:07
	differs_in dst=020000000008 dst=$mac
	differs_in src=020000000006 dst=$mac src=02:00:00:00:00:05
	differs_in ip4=0a090903 dst=$mac ip4=10.9.9.1
	differs_in port=1389 dst=$mac tcp=5000
	differs_in protocol=11 dst=$mac tcp=5000
	differs_in port=1389 dst=$mac ip4=10.9.9.1 tcp=5000
	differs_in ip4=0a090903 dst=$mac ip4=10.9.9.1 tcp=5000
}

# What has no Ethernet has no frames
capability_is_told() {
	in_a ibv_devinfo -v -d svta >"$WORK/roce"
	grep 'raw packet caps' -A 4 "$WORK/roce" || :
	grep -E '^[[:space:]]*IP csum offload' "$WORK/roce"
	grep RAW_IP_CSUM "$WORK/roce"
	in_b rdma link delete svtb
	until_true 10 device_gone svtb
	in_b rdma link add svtb type svt_loop netdev veth0
	until_true 10 gid_of_kind svtb v4 >/dev/null
	in_b ibv_devinfo -v -d svtb >"$WORK/loop"
	grep -E 'hca_id:[[:space:]]*svtb' "$WORK/loop"
	grep -E 'max_qp:' "$WORK/loop"
	fails grep -E 'IP csum offload|RAW_IP_CSUM' "$WORK/loop"
	in_b rdma link delete svtb
	until_true 10 device_gone svtb
	add_device svtb
}

lengths_that_no_frame_has() {
	local length
	for length in 0 1 13 $((PAIR_MTU + 15)) 16000; do
		fails in_b "$RAW" svtb zeros "$length" >"$WORK/status"
		cat "$WORK/status"
		grep -q 'local length error' "$WORK/status"
	done
	for length in 14 60 $((PAIR_MTU + 14)); do
		in_b "$RAW" svtb zeros "$length"
	done
	# Its tag makes it longer
	in_b "$RAW" svtb send "0200000000070200000000088100000c88b5$(printf '%08400d' 0)"
}

# Frames to nobody's address with headers that code looks into, right ones and wrong ones, cut off
# anywhere
any_frames() {
	python3 -c '
import random
random.seed(int(__import__("sys").argv[1]))
pick, some = random.choice, random.randbytes

def word(*choices):
    return pick([*(c.to_bytes(2, "big") for c in choices), some(2)])

def ipv4(length):
    return (pick([b"\x45", b"\x45", b"\x46", b"\x4f", b"\x40", some(1)]) + some(1) +
            word(length, length, max(length - 9, 0), 0) + some(2) + word(0, 0x4000, 0x2000) + some(1) +
            pick([b"\x06", b"\x11", b"\x84", some(1)]) + some(10))

def ipv6(length):
    return (pick([b"\x60", some(1)]) + some(3) + word(length - 40, length - 45, 0) +
            pick([b"\x06", b"\x11", b"\x00", b"\x2c", some(1)]) + some(33))

for _ in range(200):
    tag = pick([b"", b"", b"\x81\x00" + some(2), b"\x88\xa8" + some(2)])
    length = random.randrange(20 + len(tag), 400)
    rest = length - 14 - len(tag)
    frame = b"\2\0\0\0\0\7\2\0\0\0\0\5" + tag
    frame += pick([b"\x08\0" + ipv4(rest), b"\x86\xdd" + ipv6(max(rest, 45)), some(2)])
    print((frame + some(400))[:length].hex())' "$1"
}

any_frames_are_sent() {
	local seed=$SRANDOM
	echo "seed $seed"
	any_frames "$seed" >"$WORK/any"
	xargs ip netns exec "$1" "$RAW" "$2" send "${@:3}" <"$WORK/any" >"$WORK/status"
	[ "$(grep -c '^success$' "$WORK/status")" = 200 ]
}

# Over the wire, and back to the device that sends them
any_frames_arrive() {
	start_receiver 200 dst=02:00:00:00:00:07
	any_frames_are_sent b svtb
	wait_frames >/dev/null
	cut -d' ' -f3 "$WORK/got" | cmp - "$WORK/any"
	start_receiver 200 dst=02:00:00:00:00:07
	any_frames_are_sent a svta checksum
	wait_frames >/dev/null
	[ "$(cut -d' ' -f1 "$WORK/got")" = "$(awk '{ print length($0) / 2 }' "$WORK/any")" ]
}

refused_to() {
	fails in_b "$@" "$RAW" -d svtb 2>"$WORK/refused"
	cat "$WORK/refused"
	grep -q 'create QP: Operation not permitted' "$WORK/refused"
}

without_the_capability() {
	refused_to setpriv --bounding-set -net_raw --inh-caps -net_raw
	# Root of a user namespace has the capability there, and not where the devices are
	refused_to unshare --user --map-root-user
}

rules_of_a_killed_program_go() {
	start_receiver 1000 "dst=$(mac_of a)"
	kill -9 "$receiver"
	wait "$receiver" || :
	assert_idle svta
	hosts_talk
}

device_goes_with_its_rules() {
	start_receiver 1000 "dst=$(mac_of a)"
	in_a rdma link delete svta
	until_true 10 device_gone svta
	hosts_talk
	stop_receiver
	add_device svta
}

# A kernel without ingress hooks of netfilter
rules_are_refused() {
	local status=0
	in_a "$RAW" svta receive 1 sniffer || status=$?
	[ "$status" = 95 ]
}

with_rules() {
	run_test "raw_ethernet_bw" raw_perftest raw_ethernet_bw -n 300 -s 1500
	run_test "raw_ethernet_lat" raw_perftest raw_ethernet_lat -n 100
	run_test "raw_ethernet_bw by rules for UDP" udp_perftest raw_ethernet_bw -n 300 -s 1500
	run_test "raw_ethernet_bw to a promiscuous receiver" raw_perftest raw_ethernet_bw \
		--promiscuous -n 300
	run_test "raw_ethernet_fs_rate" rate_of_rules
	run_test "checksums are computed" checksums_are_computed
	run_test "frames of any content arrive" any_frames_arrive
	run_test "frames arrive by an SRQ" frames_of_an_srq
	run_on_each "rules take frames from the host, sniffers do not" taken_and_seen
	run_test "frames of TCP are those of the wire" wire_frames_of_tcp
	run_test "VLAN tags are in the frame" tags_are_in_the_frame
	run_test "rules for IPv6 and ports" ipv6_and_ports
	run_test "each word of a rule counts" each_word_of_a_rule_counts
	run_test "errnos of rules" suite in_a "$RAW" -d svta
	run_test "the rules of a killed program go" rules_of_a_killed_program_go
	run_test "a device goes with its rules" device_goes_with_its_rules
}

setup_pair
run_test "a frame is sent as it is" sent_as_it_is
run_test "lengths that no frame has" lengths_that_no_frame_has
run_test "frames of any content are sent" any_frames_are_sent b svtb checksum
run_test "a device with Ethernet tells that it computes checksums" capability_is_told
run_test "without CAP_NET_RAW" without_the_capability
# Of all kernels one has no ingress hooks
case $(uname -r) in
*-svt-kcsan)
	run_test "without ingress hooks there are no rules" rules_are_refused
	skip_test "rules" "no ingress hooks"
	;;
*) with_rules ;;
esac
run_on_each "teardown leaves nothing" teardown_pair
finish
