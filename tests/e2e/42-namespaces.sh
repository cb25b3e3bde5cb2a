#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# A GID belongs to a netdev in a namespace. Containers (namespaces "pod" and "other") have netdevs that
# stand on the one of svta, and so GIDs of svta: these work there, and nowhere else. A namespace that
# ends takes with it what used it. What comes beside a GID, on another VLAN say, does not get in.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/qps.sh"

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
	add_namespace "$namespace"
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

# pod_receives COUNT: datagrams to the group; sets receiver
pod_receives() {
	local SERVER=pod
	start_in a "$WORK/receiver" "$BUILD/tools/svt_group" svta "$(gid_index svta "$(mapped 10.0.7.1)")" \
		::ffff:239.1.2.3 receive "$1"
	receiver=$!
	until_true 60 grep -q attached "$WORK/receiver" || die "$(<"$WORK/receiver")"
}

is_in_group() {
	[[ $(ip -n pod maddr show dev net0) == *239.1.2.3* ]]
}

group_reaches_pod() {
	local receiver
	pod_receives 8
	in_b "$BUILD/tools/svt_group" svtb "$(gid_index svtb "$(mapped 10.0.7.2)")" ::ffff:239.1.2.3 send 8
	wait $receiver || die "$(<"$WORK/receiver")"
	fails is_in_group
}

# Another netdev has its index by then, and a socket is in that group there
group_of_a_netdev_that_went() {
	local index receiver
	make_pod pod 1 macvlan
	index=$(ip netns exec pod cat /sys/class/net/net0/ifindex)
	pod_receives 1
	is_in_group
	ip -n pod link delete net0
	ip -n pod link add net0 index "$index" type dummy
	ip -n pod addr add 10.0.8.1/24 dev net0
	ip -n pod link set net0 up
	ip netns exec pod socat -u UDP-RECV:5000,ip-add-membership=239.1.2.3:10.0.8.1 - &
	until_true 20 is_in_group
	kill $receiver
	wait $receiver || :
	is_in_group
	kill $!
	end_pod pod 1
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

# start_listener NAMESPACE GID-INDEX [DEVICE]: a UD QP; its number is in $WORK/listener
start_listener() {
	local SERVER=$1
	start_in a "$WORK/listener" python3 "$GIDS" listen "${3:-svta}" "$2"
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

# add_vlan SIDE ID
add_vlan() {
	ip -n "$1" link add link veth0 name "vlan$2" type vlan id "$2"
	ip -n "$1" link set "vlan$2" up
}

# make_vlans: VLANs 10 and 20 at b, its address on both
make_vlans() {
	local id
	for id in 10 20; do
		add_vlan b $id
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
		add_vlan a $id
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

# Each VLAN is in a VRF, and the address is on both
make_vrfs() {
	local id
	for id in 10 20; do
		ip -n a link add vrf$id type vrf table $id
		ip -n a link set vrf$id up
		add_vlan a $id
		ip -n a link set vlan$id master vrf$id
		ip -n a addr add 10.0.7.1/24 dev vlan$id
	done
	ip netns exec a sysctl -qw net.ipv4.udp_l3mdev_accept=1
}

delete_vrfs() {
	local id
	for id in 10 20; do
		ip -n a link delete vlan$id
		ip -n a link delete vrf$id
	done
	ip netns exec a sysctl -qw net.ipv4.udp_l3mdev_accept=0
}

# on_vlan NAME DEVICE ID ADDRESS: a QP there
on_vlan() {
	open_qp "$1" "$2" "$(gid_index "$2" "$(mapped "$4")" "vlan$3")" rc "exec_in_${2#svt}"
}

# A QP lives in one VRF. What comes to its address in the other is not for it, though all numbers are right
vrfs_are_apart() {
	local dropped
	modprobe vrf
	make_vrfs
	make_vlans
	on_vlan here svta 10 10.0.7.1
	on_vlan peer svtb 10 10.0.7.2
	on_vlan stranger svtb 20 10.0.7.2
	connect_qp here 10.0.7.2 peer
	connect_qp stranger 10.0.7.1 here
	connect_qp peer 10.0.7.1 here
	dropped=$(counter rx_dropped_address svta)
	tell stranger send strange
	says stranger "transport retry counter exceeded"
	[ "$(counter rx_dropped_address svta)" -gt "$dropped" ]
	tell peer send real
	says here "got real"
	says peer sent
	fails grep strange "$WORK/here"
	delete_vlans
	delete_vrfs
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

# A client of the connection manager gets to the listener on its VLAN
requests_on_one_address() {
	local id namespace server
	make_pod pod 1 vlan 10
	make_pod other 1 vlan 20
	make_vlans
	until_true 10 two_gids
	for namespace in other pod; do
		[ $namespace = pod ] && id=10 || id=20
		ip netns exec $namespace rping -s -C 1 -a 10.0.7.1 >"$WORK/server" 2>&1 &
		server=$!
		until_true 20 is_listened $server || die "$(<"$WORK/server")"
		ip -n b route replace 10.0.7.1/32 dev vlan$id
		in_b timeout "$(scaled 30)" rping -c -C 1 -a 10.0.7.1 || die "nobody answers on VLAN $id"
		wait $server || die "$(<"$WORK/server")"
	done
	delete_vlans
	ip netns delete other
	end_pod pod 1
}

# make_device ADDRESS: svtp, in the container, on a netdev of its own with that address
make_device() {
	ip -n pod link add dm0 type veth peer name dm1
	ip -n pod link set dm0 up
	ip -n pod link set dm1 up
	ip -n pod addr add "$1/32" dev dm0
	ip netns exec pod rdma link add svtp type svt netdev dm0
}

delete_device() {
	ip netns exec pod rdma link delete svtp
	until_true 10 device_gone svtp
}

# open_in_pod NAME DEVICE GID: a QP of the container
open_in_pod() {
	local SERVER=pod
	open_qp "$1" "$2" "$(gid_index "$2" "$3")" rc exec_in_a
}

# connect_qp NAME ADDRESS OTHER [NETDEV]: on that netdev of the container ib_core asks for a MAC address, which
# nobody answers, though none is needed
connect_qp() {
	[ -z "${4:-}" ] || ip -n pod neigh replace "$2" lladdr 02:00:00:00:00:01 dev "$4" nud permanent
	connect_to "$1" "::ffff:$2" "$3"
	says "$1" connected
}

# The container has the addresses of both ends, and speaks to the QP of its host on its own device
same_addresses_on_one_host() {
	local SERVER=a
	ip netns add pod
	ip -n pod link set lo up
	make_macvlan pod
	ip -n pod link set net0 up
	ip -n pod addr add 10.0.0.1/32 dev net0
	make_device 10.0.0.2
	open_qp victim svta "$(gid_index svta v4)" rc exec_in_a
	open_in_pod thief svtp "$(mapped 10.0.0.2)"
	connect_qp victim 10.0.0.2 thief
	connect_qp thief 10.0.0.1 victim dm0
	tell thief send across
	says thief "transport retry counter exceeded"
	fails grep got "$WORK/victim"
	kill_processes
	delete_device
	ip netns delete pod
	until_true 10 namespace_gone pod
}

# In one namespace they are on one host, whosever the devices are
two_devices_in_a_container() {
	peer_on veth0
	make_pod pod 1 macvlan
	make_device 10.8.0.1
	open_in_pod here svta "$(mapped 10.0.7.1)"
	open_in_pod there svtp "$(mapped 10.8.0.1)"
	connect_qp here 10.8.0.1 there net0
	connect_qp there 10.0.7.1 here dm0
	tell here send hello
	says there "got hello"
	kill_processes
	delete_device
	end_pod pod 1
}

# That of the netdev goes first where the GID is one of both
device_on_the_netdev_of_a_container() {
	peer_on veth0
	make_pod pod 1 macvlan
	ip netns exec pod rdma link add svtp type svt netdev net0
	start_listener pod "$(gid_index svtp "$(mapped 10.0.7.1)")" svtp
	speak "$(gid_index svtb "$(mapped 10.0.7.2)")"
	until_true 10 hears 3
	stop_listener
	delete_device
	end_pod pod 1
}

# gids_of PATTERN: how many svta has
gids_of() {
	cat /sys/class/infiniband/svta/ports/1/gids/* 2>/dev/null | grep -c "$1" || :
}

# addresses add|delete PREFIX COUNT: of the container
addresses() {
	local i
	for ((i = 0; i < $3; i++)); do
		printf 'addr %s %s::%x/128 dev net0\n' "$1" "$2" $i
	done | ip -n pod -batch -
}

# GIDs that went, but are held by address handles, are in the table still
held_gids_are_of_its_part() {
	local SERVER=pod
	peer_on veth0
	make_pod pod 1 macvlan
	addresses add fd08 28
	until_true 30 eval '[ "$(gids_of ^fd08)" = 28 ]'
	start_in a "$WORK/held" python3 "$GIDS" hold svta fd08 "$(six 2)"
	until_true 60 grep -qx 28 "$WORK/held" || die "$(<"$WORK/held")"
	addresses delete fd08 28
	until_true 30 eval '[ "$(gids_of ^fd08)" = 0 ]'
	addresses add fd09 100
	ip -n a addr add 10.0.0.99/24 dev veth0
	until_true 10 eval '[ "$(gids_of "$(mapped 10.0.0.99)")" = 1 ]'
	[ "$(gids_of ^fd09)" -le 4 ]
	ip -n a addr delete 10.0.0.99/24 dev veth0
	kill_processes
	end_pod pod 1
}

ZEROS=:0000:0000:0000:0000:0000:0000:0000

# Of many addresses, with room for others'; and a place that is free again is for the next
container_has_its_part() {
	make_pod pod 1 macvlan
	addresses add fd08 100
	until_true 30 eval '[ "$(gids_of ^fd08)" -ge 28 ]'
	ip -n a addr add 10.0.0.99/24 dev veth0
	until_true 10 eval '[ "$(gids_of "$(mapped 10.0.0.99)")" = 1 ]'
	[ "$(gids_of ^fd08)" -le 32 ]
	ip -n pod addr delete fd08::/128 dev net0
	until_true 10 eval '[ "$(gids_of "^fd08$ZEROS")" = 0 ]'
	ip -n pod addr add fd09::/128 dev net0
	until_true 10 eval '[ "$(gids_of "^fd09$ZEROS")" = 1 ]'
	ip -n a addr delete 10.0.0.99/24 dev veth0
	end_pod pod 1
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

# kill_processes: those in the container
kill_processes() {
	local process
	for process in $(ip netns pids pod); do
		kill -9 "$process" || :
	done
}

namespace_ends_in_traffic() {
	local SERVER=pod round
	peer_on veth0
	for round in 1 2 3; do
		make_pod pod 1 macvlan
		verify_in_background
		sleep 0.$round
		kill_processes
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

# There the host's programs see it in the table, and can not use it: it is EINVAL, as of one that is gone
gid_in_exclusive_mode() {
	local index
	PAIR_MODE=exclusive setup_pair
	peer_on veth0
	make_pod pod 1 macvlan
	until_true 10 eval 'in_a grep -qlx "$(mapped 10.0.7.1)" -r /sys/class/infiniband/svta/ports/1/gids'
	index=$(in_a grep -lx "$(mapped 10.0.7.1)" -r /sys/class/infiniband/svta/ports/1/gids)
	[ "$(in_a python3 "$GIDS" use svta "${index##*/}" "$(mapped 10.0.7.2)")" = "22 22" ]
	ip netns delete pod
	until_true 10 namespace_gone pod
	teardown_pair
	set_rdma_mode shared
}

# gid_there GID: of the device that was moved to pod
gid_there() {
	ip netns exec pod bash -c "$(declare -f gid_of_kind); gid_of_kind svta $1"
}

# The netdev stays, and what is above it was in the container before the device. Either's addresses do
device_moves_to_a_container() {
	local SERVER=pod index program
	PAIR_MODE=exclusive setup_pair
	peer_on veth0
	make_pod pod 1 macvlan
	index=$(gid_index svta "$(mapped 10.0.7.1)")
	ip netns exec a rdma dev set svta netns pod
	until_true 10 gid_there "$(mapped 10.0.7.1)"
	for program in rc uc ud; do
		pair ibv_${program}_pingpong -d svta -g "$(gid_there "$(mapped 10.0.7.1)")" -n 20 -- \
			ibv_${program}_pingpong -d svtb -g "$(gid_index svtb "$(mapped 10.0.7.2)")" -n 20 10.0.7.1
	done
	ip netns exec pod rdma dev set svta netns a
	until_true 10 ip netns exec a rdma dev show svta
	[ "$(in_a python3 "$GIDS" use svta "$index" "$(mapped 10.0.7.2)")" = "22 22" ]
	ip netns delete pod
	until_true 10 namespace_gone pod
	teardown_pair
	set_rdma_mode shared
}

# No namespace either: as long as there is one, the mode can not be set
nothing_is_left() {
	teardown_pair
	set_rdma_mode exclusive
	set_rdma_mode shared
}

setup() {
	local namespace
	for namespace in pod other; do
		[ ! -e /run/netns/$namespace ] || ip netns delete $namespace
	done
	setup_pair
	echo setup >/run/svt/pair
}

run_test "exclusive mode: no GID of another namespace" gid_in_exclusive_mode
run_on_each "exclusive mode: a device moves to a container" device_moves_to_a_container
setup
run_on_each "a container with a macvlan" in_container macvlan
for kind in ipvlan vlan; do
	run_test "a container with a $kind" in_container $kind
done
run_test "a group of a netdev that went" group_of_a_netdev_that_went
run_test "a process uses no GID of another namespace" each_has_its_own
run_test "a VLAN does not hear another" vlans_are_apart
# Kernels that are made for tests have no VRF
is_made "$SVT_KERNEL" || run_on_each "a VRF does not hear another" vrfs_are_apart
run_test "an address in two namespaces is two" same_address_twice
run_test "requests to an address in two namespaces" requests_on_one_address
run_test "the addresses of both ends in a container" same_addresses_on_one_host
run_test "two devices in a container" two_devices_in_a_container
run_test "a device on the netdev of a container" device_on_the_netdev_of_a_container
run_test "a container has its part of the GIDs" container_has_its_part
run_test "GIDs that are held are of its part" held_gids_are_of_its_part
run_test "QPs end with the namespace that they live in" qps_end_with_their_namespace
run_test "a namespace ends in traffic" namespace_ends_in_traffic
run_on_each "teardown leaves nothing" nothing_is_left
finish
