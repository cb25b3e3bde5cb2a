#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Devices on netdevs that stand on others: bridges, bonds, macvlans, ipvlans, VXLANs, and below
# others: a VLAN, a bond. All get the same traffic, over IPv4 and IPv6, which has to go through them.
# Then multicast through a switch that snoops: only who joined gets it.

. "$(dirname "$0")/../lib/testlib.sh"

PAIR_HOST=10.0.7.1
TESTS=rc_send,rc_write,rc_read,rc_fadd,uc_send,ud_send
TEST_LIMIT=200

# make_KIND SIDE NUMBER [OPTION...]: the netdev net0 there

make_vlan() {
	ip -n "$1" link add link veth0 name net0 type vlan id 7
}

# Of its addresses the host would tell its MAC address on the netdev below, too. What comes by that
# is the host's, but not that of a device on the macvlan.
make_macvlan() {
	ip netns exec "$1" sysctl -qw net.ipv4.conf.all.arp_ignore=1
	ip -n "$1" link add link veth0 name net0 type macvlan mode bridge
}

make_ipvlan() {
	ip -n "$1" link add link veth0 name net0 type ipvlan mode l2
}

make_vxlan() {
	ip -n "$1" link add net0 type vxlan id 7 dev veth0 local "10.0.0.$2" \
		remote "10.0.0.$((3 - $2))" dstport 4789
}

make_bridge() {
	ip -n "$1" link add net0 type bridge forward_delay 0
	ip -n "$1" link set veth0 master net0
}

# Both sides are containers of one host, on one netdev of it
make_container() {
	ip link add link host0 name net0 netns "$1" type macvlan mode bridge
}

make_bond() {
	local port
	ip -n "$1" link add net0 type bond miimon 50 "${@:3}"
	for port in veth0 veth1; do
		ip -n "$1" link set $port down
		ip -n "$1" link set $port master net0
	done
}

# on_netdevs KIND [OPTION...] -- COMMAND...: with devices on net0 of both sides, or on DEVICE_ON
on_netdevs() {
	local make=() side number=1
	while [ "$1" != -- ]; do
		make+=("$1")
		shift
	done
	for side in a b; do
		"make_${make[0]}" $side $number "${make[@]:1}"
		ip -n $side link set net0 up
		ip -n $side addr add 10.0.7.$number/24 dev net0
		ip -n $side addr add fd07::$number/64 dev net0 nodad
		add_device svt$side "${DEVICE_ON:-net0}"
		number=$((number + 1))
	done
	"${@:2}"
	for side in a b; do
		assert_idle svt$side
		in_ns_of svt$side rdma link delete svt$side
		ip -n $side link delete net0
	done
}

# sent_by SIDE NETDEV: bytes
sent_by() {
	ip netns exec "$1" cat "/sys/class/net/$2/statistics/tx_bytes"
}

traffic() {
	local before
	before=$(sent_by b net0)
	verify v4 -t "$TESTS"
	verify v6 -t "$TESTS"
	pair rping -s -C 10 -V -a 10.0.7.1 -- rping -c -C 10 -V -a 10.0.7.1
	pair rping -s -C 10 -V -a fd07::1 -- rping -c -C 10 -V -a fd07::1
	[ "$(sent_by b net0)" -gt $((before + 1000000)) ] || die "net0 sent little"
}

containers() {
	ip link add host0 type dummy
	ip link set host0 mtu "$PAIR_MTU" up
	on_netdevs container -- traffic
	ip link delete host0
}

# bonded OPTION... -- COMMAND...: a second cable, and bonds of both
bonded() {
	local side
	ip -n a link add veth1 type veth peer name veth1 netns b
	for side in a b; do
		ip -n $side link set veth1 mtu "$PAIR_MTU"
	done
	on_netdevs bond "$@"
	for side in a b; do
		ip -n $side link set veth0 up
	done
	ip -n a link delete veth1
}

is_active() {
	[ "$(in_a cat /sys/class/net/net0/bonding/active_slave)" = "$1" ]
}

sent_more() {
	[ "$(sent_by b "$1")" -gt "$2" ]
}

# Each cable in turn is the only one; what is on the other when it goes is lost
failover() {
	local traffic port other
	(verify v4 -x "$WORK/enough" -t rc_soak) >"$WORK/traffic" 2>&1 &
	traffic=$!
	for port in veth1 veth0 veth1 veth0; do
		other=$([ $port = veth0 ] && echo veth1 || echo veth0)
		ip -n a link set $other down
		until_true 10 is_active $port || die "the bond does not use $port"
		until_true 60 sent_more $port $(($(sent_by b $port) + 300000)) ||
			die "nothing over $port: $(<"$WORK/traffic")"
		ip -n a link set $other up
	done
	kill -0 $traffic || die "$(<"$WORK/traffic")"
	echo done >"$WORK/enough"
	wait $traffic || die "$(<"$WORK/traffic")"
}

# A bond that looks at UDP ports spreads the QPs of one pair of hosts
flows_are_spread() {
	local before0 before1
	before0=$(sent_by b veth0) before1=$(sent_by b veth1)
	pair ib_write_bw -F -d svta -x "$(gid_index svta v4)" -q 16 -n 20 -- \
		ib_write_bw -F -d svtb -x "$(gid_index svtb v4)" -q 16 -n 20 10.0.7.1
	sent_more veth0 $((before0 + 1000000)) || die "little over veth0"
	sent_more veth1 $((before1 + 1000000)) || die "little over veth1"
}

# below COMMAND...: the device on veth0, as with a NIC; addresses are those of the netdev above
below() {
	ip -n a addr flush dev veth0
	ip -n b addr flush dev veth0
	DEVICE_ON=veth0 "$@"
}

# switch_setup: veth0 of a, b and c are ports of a switch that asks for members and looks who answers
switch_setup() {
	local side
	ip netns add switch
	ip netns add c
	ip -n switch link add switch type bridge forward_delay 0 mcast_query_response_interval 100
	for side in a b c; do
		ip -n $side link delete veth0 2>/dev/null || :
		ip -n switch link add port_$side type veth peer name veth0 netns $side
		ip -n switch link set port_$side mtu "$PAIR_MTU" master switch up
	done
	ip -n switch link set switch up
	configure_side a 1
	configure_side b 2
	configure_side c 3
	until_true 10 has_address || die "the switch cannot ask"
	ip -n switch link set switch type bridge mcast_snooping 1 mcast_querier 1
	add_device svta
	add_device svtb
}

has_address() {
	[[ $(ip -n switch -6 addr show dev switch scope link -tentative) == *fe80* ]]
}

switch_teardown() {
	local side
	for side in a b; do
		in_ns_of svt$side rdma link delete svt$side
	done
	for side in a b c switch; do
		ip netns delete $side
		until_true 10 namespace_gone $side || die "namespace $side is still there"
	done
	setup_bare
}

# members GROUP: the ports that the switch sends it to
members() {
	bridge -n switch mdb show | sed -n "s/.* port \([a-z_]*\) grp $1 .*/\1/p"
}

has_members() {
	[ "$(members "$1")" = "$2" ]
}

# seen_by_c COMMAND...: how many packets to a group c saw while it ran
seen_by_c() {
	start_capture c -i veth0 -w "$WORK/c.pcap" -U --immediate-mode udp port 4791
	"$@" >&2
	nap 1
	stop_capture
	tcpdump -r "$WORK/c.pcap" 2>/dev/null | wc -l
}

send_to_group() {
	in_b "$BUILD/tools/svt_group" svtb "$(gid_index svtb "$1")" "$2" send 8
}

# The switch asks first and believes then: until it does, it floods
floods_no_more() {
	[ "$(seen_by_c send_to_group "$1" "$2")" = 0 ]
}

# only_members KIND GROUP GID
only_members() {
	local receiver
	until_true 30 floods_no_more "$1" "$3" || die "the switch floods"
	start_in a "$WORK/receiver" "$BUILD/tools/svt_group" svta "$(gid_index svta "$1")" "$3" \
		receive 8
	receiver=$!
	until_true 60 grep -q attached "$WORK/receiver" || die "$(<"$WORK/receiver")"
	until_true 20 has_members "$2" port_a || die "the switch knows no member of $2"
	[ "$(seen_by_c send_to_group "$1" "$3")" = 0 ] || die "c got what it did not join"
	wait $receiver || die "$(<"$WORK/receiver")"
	until_true 60 has_members "$2" "" || die "$2 has members left"
	# c would see them, if the switch did not look
	ip -n switch link set switch type bridge mcast_snooping 0
	[ "$(seen_by_c send_to_group "$1" "$3")" = 8 ] || die "c can see nothing"
	ip -n switch link set switch type bridge mcast_snooping 1
}

setup_bare() {
	if [ -e /run/netns/switch ]; then
		ip netns delete switch
		ip netns delete c
	fi
	ip link delete host0 2>/dev/null || :
	setup_net
	echo setup_bare >/run/svt/pair
}

teardown() {
	add_device svta
	add_device svtb
	teardown_pair
}

setup_bare
run_test "macvlan" on_netdevs macvlan -- traffic
run_test "two containers on a netdev of their host" containers
run_test "ipvlan" on_netdevs ipvlan -- traffic
run_test "VXLAN" on_netdevs vxlan -- traffic
run_test "bridge" on_netdevs bridge -- traffic
run_test "a bond fails over under traffic" bonded mode active-backup -- failover
run_test "a bond spreads QPs over its ports" \
	bonded mode balance-xor xmit_hash_policy layer3+4 -- flows_are_spread
run_test "a VLAN on the netdev of a device" below on_netdevs vlan -- traffic
run_test "a device on a port of a bond" below bonded mode active-backup primary veth0 -- traffic
run_test "a switch that snoops is set up" switch_setup
run_test "IPv4: multicast comes to members only" only_members v4 239.1.2.3 ::ffff:239.1.2.3
run_test "IPv6: multicast comes to members only" only_members v6 ff15::1:2:3 ff15::1:2:3
run_test "the switch goes" switch_teardown
run_test "teardown leaves nothing" teardown
finish
