#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A GID belongs to a netdev in a namespace. Containers (namespaces "pod" and "other") have netdevs that
# stand on the one of svta, and so GIDs of svta: these work there, and nowhere else. A namespace that
# ends takes with it what used it. What comes beside a GID, on another VLAN say, does not get in.

. "$(dirname "$0")/../lib/testlib.sh"

GIDS=$TOP/tests/lib/gids.py
TESTS=rc_send,rc_write,rc_read,rc_fadd,uc_send,ud_send
TEST_LIMIT=200

# Who is server of `pair`
SERVER=a
exec_in_a() {
	exec ip netns exec "$SERVER" "$@"
}

# make_KIND NAMESPACE: the netdev net0 there, on veth0 of a

make_macvlan() {
	ip -n a link add link veth0 name net0 type macvlan mode bridge
	ip -n a link set net0 netns "$1"
}

make_ipvlan() {
	ip -n a link add link veth0 name net0 type ipvlan mode l2
	ip -n a link set net0 netns "$1"
}

# make_vlan NAMESPACE [ID]
make_vlan() {
	ip -n a link add link veth0 name net0 type vlan id "${2:-7}"
	ip -n a link set net0 netns "$1"
}

# make_pod NAMESPACE NUMBER KIND [ARGUMENT...]: one with 10.0.7.NUMBER and fd07::NUMBER
make_pod() {
	local namespace=$1 number=$2
	ip netns add "$namespace"
	ip netns exec "$namespace" sysctl -qw net.ipv6.conf.{default,all}.accept_dad=0
	"make_$3" "$namespace" "${@:4}"
	ip -n "$namespace" link set lo up
	ip -n "$namespace" link set net0 up
	ip -n "$namespace" addr add "10.0.7.$number/24" dev net0
	ip -n "$namespace" addr add "fd07::$number/64" dev net0 nodad
	# Whoever had these addresses before had another MAC address
	ip -n b neigh flush all
}

# peer_on NETDEV: b's addresses in the network of the containers are on it
peer_on() {
	ip -n b -4 addr flush to 10.0.7.0/24
	ip -n b -6 addr flush to fd07::/64
	ip -n b addr replace 10.0.7.2/24 dev "$1"
	ip -n b addr replace fd07::2/64 dev "$1" nodad
}

end_pod() {
	ip netns delete "$1"
	until_true 10 no_gid svta "$(mapped "10.0.7.$2")"
}

# mapped ADDRESS: the GID of an IPv4 address, as sysfs has it
mapped() {
	# shellcheck disable=SC2046 # numbers
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' $(tr . ' ' <<<"$1")
}

# six NUMBER: that of fd07::NUMBER
six() {
	printf 'fd07:0000:0000:0000:0000:0000:0000:%04x' "$1"
}

no_gid() {
	! gid_of_kind "$@" >/dev/null
}

# verified GID-OF-POD GID-OF-PEER
verified() {
	suite_pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta "$1")" -t "$TESTS" -- \
		"$BUILD/tools/svt_verify" -d svtb -g "$(gid_index svtb "$2")" -t "$TESTS" 10.0.7.1
}

# A container's QPs, those of rdma_cm, and a group
traffic_of_pod() {
	local SERVER=pod
	verified "$(mapped 10.0.7.1)" "$(mapped 10.0.7.2)"
	verified "$(six 1)" "$(six 2)"
	pair rping -s -C 10 -V -a 10.0.7.1 -- rping -c -C 10 -V -a 10.0.7.1
	pair rping -s -C 10 -V -a fd07::1 -- rping -c -C 10 -V -a fd07::1
	group_reaches_pod
}

group_reaches_pod() {
	local SERVER=pod receiver
	start_in a "$WORK/receiver" "$BUILD/tools/svt_group" svta "$(gid_index svta "$(mapped 10.0.7.1)")" \
		::ffff:239.1.2.3 receive 8
	receiver=$!
	until_true 60 grep -q attached "$WORK/receiver" || die "$(<"$WORK/receiver")"
	in_b "$BUILD/tools/svt_group" svtb "$(gid_index svtb "$(mapped 10.0.7.2)")" ::ffff:239.1.2.3 send 8
	wait $receiver || die "$(<"$WORK/receiver")"
	[[ $(ip -n pod maddr show dev net0) != *239.1.2.3* ]]
}

# in_container KIND: and afterwards nothing is left of it
in_container() {
	local netdev=veth0
	if [ "$1" = vlan ]; then
		netdev=net0
		ip -n b link add link veth0 name net0 type vlan id 7
		ip -n b link set net0 up
	fi
	peer_on "$netdev"
	make_pod pod 1 "$1"
	traffic_of_pod
	end_pod pod 1
	[ "$netdev" = veth0 ] || ip -n b link delete net0
}

# may_use NAMESPACE GID PEER: what becomes of an address handle and an RC QP; 0, or errno
may_use() {
	ip netns exec "$1" python3 "$GIDS" use svta "$(gid_index svta "$2")" "$3"
}

# Neither may a container use its host's, nor the host a container's: both get EPERM
each_has_its_own() {
	peer_on veth0
	make_pod pod 1 macvlan
	[ "$(may_use pod "$(mapped 10.0.7.1)" "$(mapped 10.0.7.2)")" = "0 0" ]
	[ "$(may_use a "$(mapped 10.0.0.1)" "$(mapped 10.0.0.2)")" = "0 0" ]
	[ "$(may_use a "$(mapped 10.0.7.1)" "$(mapped 10.0.7.2)")" = "1 1" ]
	[ "$(may_use pod "$(mapped 10.0.0.1)" "$(mapped 10.0.0.2)")" = "1 1" ]
	end_pod pod 1
}

# start_listener NAMESPACE GID-INDEX: a UD QP; its number is in $WORK/listener
start_listener() {
	local SERVER=$1
	start_in a "$WORK/listener" python3 "$GIDS" listen svta "$2"
	listener=$!
	until_true 20 grep -q . "$WORK/listener"
}

stop_listener() {
	kill "$listener"
	wait "$listener" || :
}

heard() {
	grep -c 'got one, status 0' "$WORK/listener" || :
}

hears() {
	[ "$(heard)" -ge "$1" ]
}

# speak GID-INDEX: b, to the listener
speak() {
	in_b python3 "$GIDS" send svtb "$1" "$(mapped 10.0.7.1)" "$(head -n 1 "$WORK/listener")"
}

dropped() {
	local name sum=0
	for name in rx_dropped_backend rx_dropped_address; do
		sum=$((sum + $(counter $name svta)))
	done
	echo $sum
}

drops_more() {
	[ "$(dropped)" -ge "$1" ]
}

# make_vlans: VLANs 10 and 20 at b, its address on both
make_vlans() {
	local id
	for id in 10 20; do
		ip -n b link add link veth0 name vlan$id type vlan id $id
		ip -n b link set vlan$id up
		ip -n b addr add 10.0.7.2/32 dev vlan$id
		ip -n b neigh replace 10.0.7.1 dev vlan$id nud permanent \
			lladdr "$(ip netns exec a cat /sys/class/net/veth0/address)"
	done
}

delete_vlans() {
	ip -n b link delete vlan10
	ip -n b link delete vlan20
}

# speak_on ID: by this VLAN
speak_on() {
	ip -n b route replace 10.0.7.1/32 dev "vlan$1"
	speak "$(gid_index svtb "$(mapped 10.0.7.2)" "vlan$1")"
}

# unheard_on ID: what b says there is for the same address, and is not heard
unheard_on() {
	local before drops
	before=$(heard) drops=$(dropped)
	speak_on "$1"
	until_true 10 drops_more $((drops + 3)) || die "of $drops drops there are $(dropped)"
	[ "$(heard)" = "$before" ]
}

# The address is on VLAN 10 only, and a host takes what comes for it on VLAN 20 too
vlans_are_apart() {
	local id
	for id in 10 20; do
		ip -n a link add link veth0 name vlan$id type vlan id $id
		ip -n a link set vlan$id up
		ip netns exec a sysctl -qw net.ipv4.conf.vlan$id.rp_filter=0
	done
	ip netns exec a sysctl -qw net.ipv4.conf.all.rp_filter=0
	ip -n a addr add 10.0.7.1/24 dev vlan10
	make_vlans
	start_listener a "$(gid_index svta "$(mapped 10.0.7.1)" vlan10)"
	unheard_on 20
	speak_on 10
	until_true 10 hears 3
	stop_listener
	delete_vlans
	ip -n a link delete vlan10
	ip -n a link delete vlan20
}

# Two containers have one address, each on a VLAN of its own
same_address_twice() {
	make_pod pod 1 vlan 10
	make_pod other 1 vlan 20
	make_vlans
	until_true 10 two_gids
	start_listener pod "$(gid_in_namespace pod)"
	unheard_on 20
	speak_on 10
	until_true 10 hears 3
	stop_listener
	delete_vlans
	ip netns delete other
	end_pod pod 1
}

two_gids() {
	[ "$(grep -lx "$(mapped 10.0.7.1)" /sys/class/infiniband/svta/ports/1/gids/* 2>/dev/null | wc -l)" = 2 ]
}

# gid_in_namespace NAMESPACE: of those of that address, the one that it may use
gid_in_namespace() {
	local file
	for file in $(grep -lx "$(mapped 10.0.7.1)" /sys/class/infiniband/svta/ports/1/gids/*); do
		if [ "$(ip netns exec "$1" python3 "$GIDS" use svta "${file##*/}" "$(mapped 10.0.7.2)")" = \
			"0 0" ]; then
			echo "${file##*/}"
			return
		fi
	done
	return 1
}

# A process that left the namespace keeps its QPs there, until that ends
qps_end_with_their_namespace() {
	local SERVER=pod process
	peer_on veth0
	make_pod pod 1 macvlan
	start_in a "$WORK/outlive" python3 "$GIDS" outlive svta "$(gid_index svta "$(mapped 10.0.7.1)")" \
		"$(mapped 10.0.7.2)"
	process=$!
	until_true 20 grep -q left "$WORK/outlive" || die "$(<"$WORK/outlive")"
	end_pod pod 1
	wait $process || die "$(<"$WORK/outlive")"
	grep -q 'in error' "$WORK/outlive"
}

namespace_ends_in_traffic() {
	local SERVER=pod round process
	peer_on veth0
	for round in 1 2 3; do
		make_pod pod 1 macvlan
		verify_in_background
		sleep 0.$round
		for process in $(ip netns pids pod); do
			kill -9 "$process" || :
		done
		end_pod pod 1
		wait "$traffic" || :
	done
}

verify_in_background() {
	(pair ib_write_bw -d svta -x "$(gid_index svta "$(mapped 10.0.7.1)")" -F --run_infinitely -- \
		ib_write_bw -d svtb -x "$(gid_index svtb "$(mapped 10.0.7.2)")" -F --run_infinitely 10.0.7.1) \
		>"$WORK/traffic" 2>&1 &
	traffic=$!
	until_true 20 traffic_flows || die "$(<"$WORK/traffic")"
}

setup() {
	local namespace
	for namespace in pod other; do
		[ ! -e /run/netns/$namespace ] || ip netns delete $namespace
	done
	setup_pair
	echo setup >/run/svt/pair
}

setup
run_on_each "a container with a macvlan" in_container macvlan
for kind in ipvlan vlan; do
	run_test "a container with a $kind" in_container $kind
done
run_test "a process uses no GID of another namespace" each_has_its_own
run_test "a VLAN does not hear another" vlans_are_apart
run_test "an address in two namespaces is two" same_address_twice
run_test "QPs end with the namespace that they live in" qps_end_with_their_namespace
run_test "a namespace ends in traffic" namespace_ends_in_traffic
run_on_each "teardown leaves nothing" teardown_pair
finish
