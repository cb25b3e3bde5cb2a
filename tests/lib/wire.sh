# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two ends of a wire in the first network namespace, for testlib.sh: some of the kernel's clients of
# verbs know no other. wire0 and wire1 are a veth pair with 10.0.1.1 and 10.0.1.2; rules
# send what goes from one end to the other over it, as between two hosts.

# Rules are asked before the table of local addresses. rxe, loaded, has the UDP port of this namespace.
wire_setup() {
	take_left
	[ ! -d /sys/module/rdma_rxe ] || modprobe -r rdma_rxe
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	ip rule add pref 100 lookup local
	ip rule del pref 0
	ip link add wire0 type veth peer name wire1
	wire_end wire0 10.0.1.1 10.0.1.2 101
	wire_end wire1 10.0.1.2 10.0.1.1 102
	wire_know wire0 wire1 10.0.1.2
	wire_know wire1 wire0 10.0.1.1
}

# wire_end NETDEV ADDRESS PEER TABLE: what is sent, and what rdma_cm asks of the netdev on which a
# request came, goes by TABLE; what is received does not
wire_end() {
	ip link set "$1" mtu "$PAIR_MTU" up
	ip addr add "$2/32" dev "$1"
	sysctl -qw "net.ipv4.conf.$1.accept_local=1" "net.ipv4.conf.$1.rp_filter=0"
	ip route add "$3" dev "$1" src "$2" table "$4"
	ip rule add pref 10 iif lo from "$2" to "$3" lookup "$4"
	ip rule add pref 10 oif "$1" lookup "$4"
}

# wire_know NETDEV PEER ADDRESS: how to reach it. rdma_cm asks for the peer's MAC, and begins to listen to
# the answer a moment later; on a veth the answer is there sooner, and it waits for its time limit, which
# is longer than some clients wait.
wire_know() {
	ip neigh replace "$3" lladdr "$(<"/sys/class/net/$2/address")" dev "$1" nud permanent
}

# wire1_up: behind `ip link set wire1 down`, which took its route and what it knew
wire1_up() {
	ip link set wire1 up
	ip route replace 10.0.1.1 dev wire1 src 10.0.1.2 table 102
	wire_know wire1 wire0 10.0.1.1
}

# wire_unbound: what asks for no source address, and goes to wire0's, takes the wire from wire1
wire_unbound() {
	ip rule add pref 11 iif lo to 10.0.1.1 lookup 102
}

# wire_device NAME TYPE NETDEV: a device at an end, once it has its GID
wire_device() {
	rdma link add "$1" type "$2" netdev "$3" || die "no device $1"
	gid_index "$1" v4 >/dev/null
}

wire_teardown() {
	local device
	for device in "$@"; do
		[ ! -e "/sys/class/infiniband/$device" ] || rdma link delete "$device"
		until_true 10 device_gone "$device" || die "$device is still there"
	done
	ip link del wire0 2>/dev/null || :
	while ip rule del pref 10 2>/dev/null; do :; done
	ip rule del pref 11 2>/dev/null || :
	ip rule add pref 0 lookup local
	ip rule del pref 100
	unload
}

# wire_counter DEVICE NAME: as `rdma statistic` has it
wire_counter() {
	rdma statistic show link "$1/1" | value_of "$2"
}
