#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The device as an administrator sees it: adding, deleting, link state, MTU, rename, namespaces,
# module use.

. "$(dirname "$0")/../lib/testlib.sh"

port_state() {
	[[ "$(in_a rdma link show "$1/1")" == *"state $2"* ]]
}

active_mtu() {
	[[ "$(in_a ibv_devinfo -d svta)" =~ active_mtu:[[:space:]]*$1 ]]
}

pingpong() {
	pair ibv_rc_pingpong -e -d svta -g "$(gid_index svta v4)" -n 100 -- \
		ibv_rc_pingpong -e -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.0.1
}

adding_twice_is_refused() {
	fails_with 'File exists' in_a rdma link add svtc type svt netdev veth0
	fails_with 'File exists' in_a rdma link add svta type svt netdev veth0
	dmesg | grep 'veth0: svt: it has a device already'
}

adding_by_a_name_that_is_taken_is_refused() {
	ip -n a link add cable0 type veth peer name cable1
	fails_with 'File exists' in_a rdma link add svta type svt netdev cable0
	ip -n a link delete cable0
	dmesg | grep 'cable0: svt: another RDMA device has that name'
}

# said DEVICE COUNT: so often, that nobody can reach it yet
said() {
	[ "$(dmesg | grep -c "cable0: svt: it has no IP address yet: until it has, nobody can reach $1\$")" = "$2" ]
}

no_address_is_said() {
	ip -n a link add cable0 type veth peer name cable1
	in_a rdma link add svtc type svt netdev cable0
	said svtc 1
	in_a rdma link delete svtc
	until_true 10 device_gone svtc
	ip -n a addr add 10.9.0.1/24 dev cable0
	in_a rdma link add svtc type svt netdev cable0
	said svtc 1
	ip -n a link delete cable0
	until_true 10 device_gone svtc
}

adding_on_nothing_is_refused() {
	fails_with 'No such device' in_a rdma link add svtc type svt netdev nosuch0
}

# It is the device below that has the addresses of a VLAN
adding_on_a_vlan_is_refused() {
	ip -n a link add link veth0 name veth0.9 type vlan id 9
	fails in_a rdma link add svtc type svt netdev veth0.9 2>"$WORK/error"
	ip -n a link delete veth0.9
	grep -q 'not supported' "$WORK/error"
	dmesg | grep 'veth0.9: svt: add the device to the netdev below'
}

# No Ethernet header: rdma_cm would not take such a netdev for the device's, nor ib_core a later address
adding_without_ethernet_is_refused() {
	modprobe tun
	ip -n a tuntap add tun9 mode tun
	fails in_a rdma link add svt9 type svt netdev tun9 2>"$WORK/error"
	ip -n a link delete tun9
	grep -q 'not supported' "$WORK/error"
	dmesg | grep 'tun9: svt: neither Ethernet nor loopback'
}

port_follows_link() {
	until_true 10 port_state svta ACTIVE
	ip -n a link set veth0 down
	until_true 10 port_state svta DOWN
	ip -n a link set veth0 up
	until_true 10 port_state svta ACTIVE
	ip -n a addr add fd00::1/64 dev veth0 nodad || :
	gid_index svta v6
}

# has_events NAME COUNT: so many and no more
has_events() {
	[ "$(grep -c "event_type $1" "$WORK/events")" = "$2" ]
}

# Newer kernels tell of the port as well, unless the driver says that it does. What the first round
# has twice shows in the second
port_events_come_once() {
	local watch round
	start_in a "$WORK/events" ibv_asyncwatch -d svta
	watch=$!
	until_true 10 grep -q 'async event FD' "$WORK/events"
	for round in 1 2; do
		ip -n a link set veth0 down
		until_true 10 has_events IBV_EVENT_PORT_ERR $round
		ip -n a link set veth0 up
		until_true 10 has_events IBV_EVENT_PORT_ACTIVE $round
	done
	kill "$watch"
	wait "$watch" || :
	cat "$WORK/events"
	ip -n a addr add fd00::1/64 dev veth0 nodad
	gid_index svta v6
}

mtu_follows_netdev() {
	until_true 10 active_mtu 4096
	ip -n a link set veth0 mtu 1500
	until_true 10 active_mtu 1024
	ip -n a link set veth0 mtu 4200
	until_true 10 active_mtu 4096
}

netdev_rename() {
	ip -n a link set veth0 down
	ip -n a link set veth0 name cable0
	ip -n a link set cable0 up
	until_true 10 port_state svta ACTIVE
	in_a rdma link show svta/1 | grep cable0
	ip -n a link set cable0 down
	ip -n a link set cable0 name veth0
	ip -n a link set veth0 up
	until_true 10 port_state svta ACTIVE
}

device_rename() {
	in_a rdma dev set svta name svtz
	in_a rdma link show svtz/1
	in_a rdma dev set svtz name svta
	in_a rdma link show svta/1
}

# udev's rule for stable names leaves alone what somebody named
name_is_said_to_be_given() {
	local giver
	giver=$(in_a "$TOP/tests/lib/assigned.py" svta)
	case $(uname -r) in
	6.1.*) [ "$giver" = unknown ] ;;
	*) [ "$giver" = user ] ;;
	esac
}

guid_of_loopback() {
	"in_$1" rdma link add "svtlo$1" type svt netdev lo
	"in_$1" cat "/sys/class/infiniband/svtlo$1/node_guid"
	"in_$1" rdma link delete "svtlo$1"
}

# All have the same address of zeros
loopback_has_guid() {
	[ "$(in_a cat /sys/class/net/lo/address)" = 00:00:00:00:00:00 ]
	guid_of_loopback a >"$WORK/guids"
	guid_of_loopback b >>"$WORK/guids"
	cat "$WORK/guids"
	[ "$(grep -Ec '^([0-9a-f]{4}:){3}[0-9a-f]{4}$' "$WORK/guids")" = 2 ]
	[ "$(sort -u "$WORK/guids" | wc -l)" = 2 ]
}

gids_follow_addresses() {
	local before
	before=$(in_a cat /sys/class/infiniband/svta/ports/1/gids/* | grep -c ffff:0a01:0001 || :)
	[ "$before" = 0 ]
	ip -n a addr add 10.1.0.1/24 dev veth0
	until_true 10 in_a grep -q ffff:0a01:0001 -r /sys/class/infiniband/svta/ports/1/gids
	ip -n a addr del 10.1.0.1/24 dev veth0
	until_true 10 eval '! in_a grep -q ffff:0a01:0001 -r /sys/class/infiniband/svta/ports/1/gids'
}

module_in_use_stays() {
	fails modprobe -r svt
	[ -d /sys/module/svt ]
}

# ib_core would take the device away from the program
module_of_an_open_device_stays() {
	local watcher
	ibv_asyncwatch -d svta >"$WORK/events" 2>&1 &
	watcher=$!
	until_true 10 grep -q svta "$WORK/events"
	fails modprobe -r svt_roce
	in_a rdma dev show svta
	kill "$watcher"
	wait || :
	[ "$(</sys/module/svt_roce/refcnt)" = 0 ]
	fails grep -v svta "$WORK/events"
}

# Each of the 100 rounds has a packet of either side, and acknowledgments may go with it
counters_are_listed() {
	pingpong
	in_a rdma statistic show link svta/1 >"$WORK/counters"
	cat "$WORK/counters"
	grep -E ' tx_packets [1-9][0-9]{2,} ' "$WORK/counters"
	grep -E ' tx_bytes [1-9][0-9]{5,} ' "$WORK/counters"
	grep -E ' rx_packets [1-9][0-9]{2,} ' "$WORK/counters"
	grep -E ' rx_bytes [1-9][0-9]{5,} ' "$WORK/counters"
	grep ' rx_dropped_malformed 0 ' "$WORK/counters"
	grep ' rx_dropped_qkey 0 ' "$WORK/counters"
}

# port_counter NAME: of svta, as monitors read it
port_counter() {
	cat "/sys/class/infiniband/svta/ports/1/$1"
}

# Those that InfiniBand has are the device's own; data is in words of four bytes
port_counters_are_in_sysfs() {
	pingpong
	[ "$(port_counter counters/port_xmit_packets)" -ge 100 ]
	[ "$(port_counter counters/port_xmit_packets)" = "$(port_counter hw_counters/tx_packets)" ]
	[ "$(port_counter counters/port_rcv_packets)" = "$(port_counter hw_counters/rx_packets)" ]
	[ "$(port_counter counters/port_xmit_data)" = $(($(port_counter hw_counters/tx_bytes) / 4)) ]
	[ "$(port_counter counters/port_rcv_data)" = $(($(port_counter hw_counters/rx_bytes) / 4)) ]
	[ "$(port_counter counters/port_rcv_errors)" = 0 ]
	[ "$(port_counter counters/port_xmit_discards)" = 0 ]
}

# Of QP 1, and of a pingpong that waits for its client: 4096 bytes, and queues for 500 receives and
# one send, rounded up
resources_are_listed() {
	local server object
	start_in a "$WORK/server" ibv_rc_pingpong -d svta -g "$(gid_index svta v4)"
	server=$!
	(wait_listening "$server")
	in_a rdma -dd resource show qp link svta/1 | one_line_each >"$WORK/qp"
	for object in cq mr pd; do
		in_a rdma -dd resource show $object dev svta | one_line_each >"$WORK/$object"
	done
	kill "$server"
	wait "$server" || :
	cat "$WORK"/{qp,cq,mr,pd}
	grep -E 'lqpn 1 type GSI state RTS .*sq_entries [1-9]' "$WORK/qp"
	grep -E 'type RC state INIT .*comm ibv_rc_pingpong .*sq_entries 1 .*rq_posted 500 ' "$WORK/qp"
	grep -E 'cqe 512 .*comm ibv_rc_pingpong .*entries 512 .*producer 0 ' "$WORK/cq"
	grep -E 'mrlen 4096 .*comm ibv_rc_pingpong .*windows 0 ' "$WORK/mr"
	grep 'comm ibv_rc_pingpong' "$WORK/pd"
}

# Of what b sends a part is lost, but not that by which the programs find each other
lose_roce() {
	in_b tc qdisc replace dev veth0 root handle 1: prio priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
	in_b tc qdisc add dev veth0 parent 1:1 netem loss "$1"
	in_b tc filter add dev veth0 parent 1: protocol ip flower ip_proto udp dst_port 4791 \
		classid 1:1
}

events_are_traced() {
	local tracing=/sys/kernel/tracing event
	echo 1 >"$tracing/events/svt/enable"
	lose_roce 20%
	pair ib_send_bw -d svta -x "$(gid_index svta v4)" -F -n 50 -- \
		ib_send_bw -d svtb -x "$(gid_index svtb v4)" -F -n 50 10.0.0.1
	in_b tc qdisc del dev veth0 root
	echo 0 >"$tracing/events/svt/enable"
	cp "$tracing/trace" "$WORK/trace"
	: >"$tracing/trace"
	for event in 'qp_state: .* 2 -> 3' 'train_tx: .* packets=[1-9][0-9]* .* result=0' \
		'train_rx: .* length=[1-9]' 'packet_rx: .* payload=[1-9]' \
		'drop: .* reason=out_of_sequence' 'retry: .* reason=retries_nak'; do
		grep -m 1 "svt_$event" "$WORK/trace"
	done
}

delete_and_add_again() {
	for _ in 1 2 3; do
		in_a rdma link delete svta
		until_true 10 device_gone svta
		add_device svta
	done
}

# On new kernels a dummy has a lock of its own, as many NICs have. It is held when svt hears of its
# events: who takes it again holds RTNL for ever.
netdev_with_a_lock() {
	ip -n a link add dummy0 up type dummy
	in_a rdma link add svtc type svt netdev dummy0
	ip -n a link set dummy0 down
	ip -n a link set dummy0 up mtu 1400
	ip -n a link delete dummy0
	until_true 10 device_gone svtc
}

netdev_deletion_removes_devices() {
	ip -n a link delete veth0
	until_true 10 device_gone svta
	until_true 10 device_gone svtb
	ip netns delete a
	ip netns delete b
	until_true 10 namespace_gone a
	unload
	rm -f /run/svt/pair
}

namespace_deletion_removes_device() {
	setup_pair
	ip netns delete a
	until_true 10 device_gone svta
	until_true 10 namespace_gone a
	ip netns delete b
	until_true 10 device_gone svtb
	unload
	rm -f /run/svt/pair
}

exclusive_mode_hides_the_other_device() {
	PAIR_MODE=exclusive setup_pair
	in_a rdma dev show svta
	fails in_a rdma dev show svtb
	in_a ibv_devices >"$WORK/devices"
	grep svta "$WORK/devices"
	fails grep svtb "$WORK/devices"
	pingpong
}

# own_gid DEVICE: of one in b, whatever its name
own_gid() {
	in_b bash -c "$(declare -f gid_of_kind); gid_of_kind $1 v4"
}

# Both sides have an svta: they are two devices everywhere
svta_and_svta() {
	[ "$(in_a cat /sys/class/infiniband/svta/node_guid)" != \
		"$(in_b cat /sys/class/infiniband/svta/node_guid)" ]
	pair ibv_rc_pingpong -e -d svta -g "$(gid_index svta v4)" -n 100 -- \
		ibv_rc_pingpong -e -d svta -g "$(own_gid svta)" -n 100 10.0.0.1
	in_b rdma statistic show link svta/1 >"$WORK/counters"
	grep -E ' rx_packets [1-9][0-9]{2,} ' "$WORK/counters"
	fails_with 'File exists' in_a rdma dev set svta netns b
	in_b rdma link delete svta
	in_a rdma dev show svta
}

# Newer kernels have a name once in each namespace, older ones once
name_in_two_namespaces() {
	in_b rdma link delete svtb
	if modinfo -F parm ib_core | grep 'unique per net namespace'; then
		in_b rdma link add svta type svt netdev veth0
		until_true 10 own_gid svta
		svta_and_svta
	else
		fails_with 'File exists' in_b rdma link add svta type svt netdev veth0
	fi
	add_device svtb
	pingpong
}

# The program loses the device, and its objects, wherever it waits
open_device_moves() {
	local watch server
	start_in a "$WORK/events" ibv_asyncwatch -d svta
	watch=$!
	start_in a "$WORK/server" ibv_rc_pingpong -d svta -e -g "$(gid_index svta v4)"
	server=$!
	until_true 10 grep -q 'async event FD' "$WORK/events"
	(wait_listening "$server")
	[ "$(in_a rdma resource show qp link svta/1 | grep -c ibv_rc_pingpong)" = 1 ]
	in_a rdma dev set svta netns b
	until_true 10 grep -q IBV_EVENT_DEVICE_FATAL "$WORK/events"
	[ "$(in_b rdma resource show svta | counts)" = "$(counts </run/svt/idle-svta)" ]
	kill "$watch" 2>/dev/null || :
	wait "$watch" || :
	kill "$server"
	wait "$server" || :
	in_b rdma dev set svta netns a
	until_true 10 in_a rdma dev show svta
	pingpong
}

# svta's netdev stays where it is: the packets still go over the wire
device_moves_to_another_namespace() {
	local gid
	gid=$(gid_index svta v4)
	in_a rdma dev set svta netns b
	until_true 10 in_b rdma dev show svta
	fails in_a rdma dev show svta
	ip netns exec b ibv_rc_pingpong -e -d svta -g "$gid" -n 100 >"$WORK/server" 2>&1 &
	until_true 10 eval 'in_b grep -q " 0A " /proc/net/tcp /proc/net/tcp6'
	in_b ibv_rc_pingpong -e -d svtb -g "$(gid_index svtb v4)" -n 100 127.0.0.1
	wait %%
	cat "$WORK/server"
	in_b rdma dev set svta netns a
	until_true 10 in_a rdma dev show svta
	pingpong
	teardown_pair
	set_rdma_mode shared
}

set_up_quietly() {
	setup_pair
}

setup_pair
run_test "adding a device twice is refused" adding_twice_is_refused
run_test "adding a device by a name that is taken is refused" adding_by_a_name_that_is_taken_is_refused
run_on_each "that a device has no address yet is said" no_address_is_said
run_test "adding a device on no netdev is refused" adding_on_nothing_is_refused
run_test "adding a device on a VLAN is refused" adding_on_a_vlan_is_refused
run_test "adding a device on a netdev without Ethernet is refused" adding_without_ethernet_is_refused
run_on_each "port state follows the link" port_follows_link
run_on_each "events of the port come once" port_events_come_once
run_on_each "active MTU follows the netdev" mtu_follows_netdev
run_test "netdev may be renamed" netdev_rename
run_test "device may be renamed" device_rename
run_on_each "the name of a device is said to be the administrator's" name_is_said_to_be_given
run_test "a device on loopback has a GUID of its own" loopback_has_guid
run_on_each "GIDs follow addresses" gids_follow_addresses
run_on_each "a module in use cannot be unloaded" module_in_use_stays
run_test "the module of a device that a program has open cannot be unloaded" \
	module_of_an_open_device_stays
run_on_each "counters are listed" counters_are_listed
run_on_each "the counters of a port are in sysfs" port_counters_are_in_sysfs
run_on_each "resources are listed" resources_are_listed
run_on_each "events are traced" events_are_traced
run_test "delete and add again" delete_and_add_again
run_on_each "a netdev that has a lock of its own comes and goes" netdev_with_a_lock
run_on_each "deletion of the netdev removes the device" netdev_deletion_removes_devices
run_on_each "deletion of the namespace removes the device" namespace_deletion_removes_device
run_on_each "exclusive mode shows a namespace its own device only" \
	exclusive_mode_hides_the_other_device
run_on_each "exclusive mode: a name in two namespaces" name_in_two_namespaces
run_on_each "exclusive mode lets a device move that programs have open" open_device_moves
run_on_each "exclusive mode lets a device move to another namespace" device_moves_to_another_namespace
run_on_each "set up after all that" set_up_quietly
run_on_each "teardown leaves nothing" teardown_pair
finish
