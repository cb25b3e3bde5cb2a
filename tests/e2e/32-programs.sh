#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Programs that know nothing of RDMA, over sockets of librdmacm (librspreload); connections by the
# hundred; and those of rdma-core and infiniband-diags that look at a device.

. "$(dirname "$0")/../lib/testlib.sh"

PRELOAD=(env "LD_PRELOAD=$(echo /usr/lib/*/rsocket/librspreload.so)")
NETCAT="${PRELOAD[*]} nc.traditional"

# against_server COMMAND... -- CLIENT...: of a server that is one until it is killed. It is not asked
# to end: librdmacm's threads may wait for each other for ever then, over rxe as well.
against_server() {
	local command=() server
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	start_in a "$WORK/server" "${command[@]}"
	server=$!
	(wait_listening "$server")
	in_b "${@:2}" >"$WORK/client" 2>&1 || die "$(<"$WORK/client")"
	kill -9 "$server"
	wait "$server" || :
	show_file "$WORK/server"
	show_file "$WORK/client"
}

many_connections() {
	against_server cmtime -b "$1" -- cmtime -s "$1" -c 100
	grep -E '^connect *:' "$WORK/client"
	grep -E '^disconnect *:' "$WORK/client"
}

# went_over_svt BYTES COMMAND...: what it sends from side b is in packets of svt
went_over_svt() {
	local before
	before=$(counter tx_bytes)
	"${@:2}"
	[ "$(counter tx_bytes)" -ge $((before + $1)) ]
}

streams() {
	against_server "${PRELOAD[@]}" iperf -s -B 10.0.0.1 -- \
		"${PRELOAD[@]}" iperf -c 10.0.0.1 -P "$1" -n 2M
	[ "$(grep -c ' 2\.00 MBytes' "$WORK/client")" = "$1" ]
}

copied_by_netcat() {
	pair sh -c "exec $NETCAT -l -s 10.0.0.1 -p 5001 >'$WORK/copy'" -- \
		sh -c "exec $NETCAT -q 1 10.0.0.1 5001 <'$WORK/file'"
	cmp "$WORK/file" "$WORK/copy"
}

netcat_copies() {
	head -c 1000000 /dev/urandom >"$WORK/file"
	went_over_svt 1000000 copied_by_netcat
}

ssh_copies() {
	in_b "${PRELOAD[@]}" dbclient -y -y -i "$WORK/id" -p 5022 root@10.0.0.1 \
		"tee '$WORK/there'" <"$WORK/file" >"$WORK/back"
}

is_listening() {
	[[ $(rdma resource show cm_id) == *LISTEN* ]]
}

# The client's socket is of librdmacm; the server gets what netcat receives, for the session's
# process, which it forks, would close the connection of both.
session_of_ssh() {
	local server
	dropbearkey -t ed25519 -f "$WORK/host"
	dropbearkey -t ed25519 -f "$WORK/id" | grep '^ssh-ed25519' >"$WORK/key"
	mkdir -p ~root/.ssh
	cp "$WORK/key" ~root/.ssh/authorized_keys
	head -c 300000 /dev/urandom >"$WORK/file"
	start_in a "$WORK/server" socat EXEC:"dropbear -i -r $WORK/host" \
		EXEC:"$NETCAT -l -s 10.0.0.1 -p 5022"
	server=$!
	until_true 20 is_listening || die "nobody listens: $(<"$WORK/server")"
	went_over_svt 300000 ssh_copies
	wait "$server" || :
	cmp "$WORK/file" "$WORK/there"
	cmp "$WORK/file" "$WORK/back"
}

devinfo() {
	ibv_devinfo -v -d svta >"$WORK/devinfo"
	cat "$WORK/devinfo"
	grep -qE 'link_layer:[[:space:]]*Ethernet' "$WORK/devinfo"
	grep -qE 'state:[[:space:]]*PORT_ACTIVE \(4\)' "$WORK/devinfo"
	grep -qE 'transport:[[:space:]]*InfiniBand \(0\)' "$WORK/devinfo"
	grep -qE '::ffff:10.0.0.1, RoCE v2' "$WORK/devinfo"
}

# It asks by ib_umad
ibstat_shows_it() {
	modprobe ib_umad
	until_true 10 eval "ibstat svta >$WORK/ibstat"
	cat "$WORK/ibstat"
	grep -qF 'State: Active' "$WORK/ibstat"
	grep -qF 'Physical state: LinkUp' "$WORK/ibstat"
	grep -qF 'Link layer: Ethernet' "$WORK/ibstat"
	ibstatus svta | grep -E 'link_layer:[[:space:]]*Ethernet'
	modprobe -r ib_umad
}

# They talk to the subnet manager and the switches of InfiniBand, which RoCE does not have
subnet_tools_refuse() {
	local tool
	modprobe ib_umad
	until_true 10 test -e /dev/infiniband/umad0
	for tool in ibaddr ibnetdiscover perfquery sminfo saquery; do
		fails "$tool" -C svta >"$WORK/$tool" 2>&1
		grep -E "[Oo]pen .*(svta|port)|No SM/SA found" "$WORK/$tool"
	done
	modprobe -r ib_umad
}

has_event() {
	grep -q "event_type $1" "$WORK/events"
}

events_of_the_port() {
	local watch
	start_in a "$WORK/events" ibv_asyncwatch -d svta
	watch=$!
	until_true 10 grep -q 'async event FD' "$WORK/events"
	ip -n a link set veth0 down
	until_true 10 has_event IBV_EVENT_PORT_ERR
	ip -n a link set veth0 up
	until_true 10 has_event IBV_EVENT_PORT_ACTIVE
	kill "$watch"
	wait "$watch" || :
	cat "$WORK/events"
	ip -n a addr add fd00::1/64 dev veth0 nodad
	gid_index svta v6
}

setup_pair
run_test "cmtime, 100 connections, IPv4" many_connections 10.0.0.1
run_test "cmtime, 100 connections, IPv6" many_connections fd00::1
run_test "iperf over librspreload" went_over_svt 2097152 streams 1
run_test "iperf over librspreload, 4 streams" went_over_svt 8388608 streams 4
run_test "netcat over librspreload" netcat_copies
run_test "a session of ssh over librspreload" session_of_ssh
run_test "ibv_devinfo" devinfo
run_test "ibstat and ibstatus" ibstat_shows_it
run_test "tools for subnets of InfiniBand refuse" subnet_tools_refuse
run_test "ibv_asyncwatch" events_of_the_port
run_test "teardown leaves nothing" teardown_pair
finish
