#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Programs that know nothing of RDMA, over sockets of librdmacm (librspreload); connections by the
# hundred; and those of rdma-core and infiniband-diags that look at a device.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/exporter.sh"

PRELOAD=(env "LD_PRELOAD=$(echo /usr/lib/*/rsocket/librspreload.so)")
NETCAT="${PRELOAD[*]} nc.traditional"

# against_server COMMAND... -- CLIENT...: of a server that is one until it is killed, or ends well. It is
# not asked to end: librdmacm's threads may wait for each other for ever then, over rxe as well.
against_server() {
	local command=() server
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	start_in a "$WORK/server" "${command[@]}"
	server=$!
	(wait_listening "$server") || die "$(<"$WORK/server")"
	in_b "${@:2}" >"$WORK/client" 2>&1 || die "$(<"$WORK/client")"
	if kill -9 "$server" 2>/dev/null; then
		wait "$server" || :
	else
		wait "$server" || die "the server failed: $(<"$WORK/server")"
	fi
	show_file "$WORK/server"
	show_file "$WORK/client"
}

many_connections() {
	against_server cmtime -b "$1" -- cmtime -s "$1" -c 100
	grep -E '^(cm )?connect *:? ' "$WORK/client"
	grep -E '^disconnect *:? ' "$WORK/client"
}

# That of rdma-core 56 looks up the address of its control connection among those of IPv4
cmtime_has_ipv6() {
	local server
	start_in a "$WORK/server" cmtime -b fd00::1
	server=$!
	(wait_listening "$server") >/dev/null 2>&1 || :
	kill -9 "$server" 2>/dev/null || :
	wait "$server" 2>/dev/null || :
	! grep -q 'Address family for hostname not supported' "$WORK/server"
}

# Of several streams each is long enough to meet all others: a server of iperf 2.1 that has summed up
# and freed those that ended aborts when one more connects
streams() {
	local size=2
	[ "$1" = 1 ] || size=32
	against_server "${PRELOAD[@]}" iperf -s -B 10.0.0.1 -- \
		"${PRELOAD[@]}" iperf -c 10.0.0.1 -P "$1" -n ${size}M
	[ "$(grep -cE " $size\\.?0* MBytes" "$WORK/client")" = "$1" ]
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

# Each row of the page is a line there
limits_are_those_of_the_page() {
	local name value count=0
	ibv_devinfo -v -d svta | sed -E 's/^[[:space:]]*//; s/:[[:space:]]+/ /' >"$WORK/devinfo"
	while read -r name value; do
		grep -qE "^$name $value( |$)" "$WORK/devinfo" || die "it is not '$name $value': $(grep "^$name " "$WORK/devinfo")"
		count=$((count + 1))
	done < <(sed -nE 's/^ *``([a-z_]+)`` \| ([0-9a-fx]+) \|.*/\1 \2/p' "$TOP/Documentation/limits.rst")
	[ "$count" -gt 15 ]
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
	grep -qF 'CA type: svt' "$WORK/ibstat"
	grep -qF 'State: Active' "$WORK/ibstat"
	grep -qF 'Physical state: LinkUp' "$WORK/ibstat"
	grep -qF 'Link layer: Ethernet' "$WORK/ibstat"
	ibstatus svta | grep -E 'link_layer:[[:space:]]*Ethernet'
	modprobe -r ib_umad
}

# Each program of infiniband-diags: how it is called, its status, and what it says. All but the first
# two want MADs for the subnet manager or for switches, which go by QP 0 or the tables of a subnet:
# RoCE has neither. Some work on files that others of them write.
PORT='-C svta -P 1'
NO_MADS="Failed to open 'svta' port '1'"
NO_FABRIC="can't open MAD port (svta:1)"
DIAGNOSTICS="
ibstat svta|0|State: Active
ibstatus svta|0|Ethernet
check_lft_balance|2|Must specify dump lfts file
dump_fts $PORT|255|$NO_FABRIC
dump_lfts $PORT|0|$NO_FABRIC
dump_mfts $PORT|0|$NO_FABRIC
ibaddr $PORT|255|$NO_MADS
ibcacheedit|255|original cache file not specified
ibccconfig $PORT SwitchCongestionSetting 1 0 0 0 0 0 0 0 0 0|255|$NO_MADS
ibccquery $PORT CongestionInfo 1|255|$NO_MADS
ibfindnodesusing -R $PORT 0x1 1|1|$NO_FABRIC
ibhosts $PORT|255|$NO_FABRIC
ibidsverify -R $PORT|0|$NO_FABRIC
iblinkinfo $PORT|1|Failed to open svta port 1
ibnetdiscover $PORT|255|$NO_FABRIC
ibnodes $PORT|255|$NO_FABRIC
ibping $PORT -c 1 1|0|1 packets transmitted, 0 received
ibportstate $PORT 1 1 query|255|$NO_MADS
ibqueryerrors $PORT|255|Failed to open port; svta:1
ibroute $PORT 1|255|$NO_MADS
ibrouters $PORT|255|$NO_FABRIC
ibswitches $PORT|255|$NO_FABRIC
ibsysstat $PORT 1|255|$NO_MADS
ibtracert $PORT 1 2|255|$NO_MADS
perfquery $PORT|255|$NO_MADS
saquery $PORT|255|No SM/SA found on port
sminfo $PORT|255|$NO_MADS
smpdump $PORT 1 0x11|255|Couldn't register agent for SMPs
smpquery $PORT nodeinfo 1|255|$NO_MADS
vendstat $PORT -N 1|255|failed: classportinfo query
"

# says STATUS MESSAGE COMMAND...: it ends by itself, and so
says() {
	local status=0
	timeout "$(scaled 60)" "${@:3}" >"$WORK/said" 2>&1 </dev/null || status=$?
	[ "$status" = "$1" ] && grep -qF "$2" "$WORK/said" && return
	echo "${*:3}: status $status, and not: $2"
	head -n 5 "$WORK/said"
	return 1
}

diagnostics_are_as_expected() {
	local call status message wrong=0
	modprobe ib_umad
	until_true 10 test -e /dev/infiniband/umad0
	sed 's/[ |].*//; /^$/d' <<<"$DIAGNOSTICS" | sort >"$WORK/known"
	dpkg -L infiniband-diags | sed -n 's|^/usr/sbin/||p' | sort | diff - "$WORK/known"
	while IFS='|' read -r call status message; do
		# shellcheck disable=SC2086 # words
		[ -z "$call" ] || says "$status" "$message" $call || wrong=$((wrong + 1))
	done <<<"$DIAGNOSTICS"
	modprobe -r ib_umad
	[ "$wrong" = 0 ]
}

has_event() {
	grep -q "event_type $1" "$WORK/events"
}

# port_metric NAME: of svta
port_metric() {
	metric "node_infiniband_$1" 'device="svta",port="1"'
}

# shows NAME COUNTER FACTOR: as many units of the counter in ports/1/counters, which has grown
shows() {
	local counter
	counter=$(<"/sys/class/infiniband/svta/ports/1/counters/$2")
	[ "$counter" -gt 0 ] || die "$2 is $counter"
	[ "$(port_metric "$1")" = $((counter * $3)) ] || die "$1 is $(port_metric "$1"), $2 is $counter"
}

exporter_shows_traffic() {
	pair ibv_rc_pingpong -d svta -g 1 -n 100 -- ibv_rc_pingpong -d svtb -g 1 -n 100 10.0.0.1
	export_metrics --collector.infiniband
	grep '^node_infiniband.*svta' "$WORK/metrics"
	shows port_data_transmitted_bytes_total port_xmit_data 4
	shows port_data_received_bytes_total port_rcv_data 4
	shows port_packets_transmitted_total port_xmit_packets 1
	shows port_packets_received_total port_rcv_packets 1
	[ "$(port_metric port_errors_received_total)" = 0 ]
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
if cmtime_has_ipv6; then
	run_test "cmtime, 100 connections, IPv6" many_connections fd00::1
else
	skip_test "cmtime, 100 connections, IPv6" "this one's control connection is of IPv4"
fi
run_test "iperf over librspreload" went_over_svt 2097152 streams 1
run_test "iperf over librspreload, 4 streams" went_over_svt 8388608 streams 4
run_test "netcat over librspreload" netcat_copies
run_test "a session of ssh over librspreload" session_of_ssh
run_test "ibv_devinfo" devinfo
run_test "the limits are those of Documentation/limits.rst" limits_are_those_of_the_page
run_test "ibstat and ibstatus" ibstat_shows_it
run_test "each program of infiniband-diags ends as expected" diagnostics_are_as_expected
run_test "ibv_asyncwatch" events_of_the_port
run_test "node_exporter shows a port's traffic" exporter_shows_traffic
run_test "teardown leaves nothing" leave_pair
finish
