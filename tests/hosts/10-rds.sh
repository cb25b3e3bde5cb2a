#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# RDS over RDMA between two VMs: messages, and RDMA into and out of the asker's memory, each byte
# compared. What is taken away under traffic is missed, and found again.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/hosts.sh"

RDS=$BUILD/tools/svt_rds
PORT=4000
# More than a test has time for
ENDLESS=4000000000
declare -A ADDRESS=([here]=$HERE [peer]=$PEER) OTHER=([here]=peer [peer]=here)

server_start() {
	"in_$1" "$RDS" serve "${ADDRESS[$1]}" $PORT >"$WORK/server" 2>&1 &
	SERVER=$!
	until_true 20 grep -q ready "$WORK/server" || die "no server: $(<"$WORK/server")"
}

# kill_at SIDE SIGNAL serve|ask
kill_at() {
	"in_$1" pkill "-$2" -f "^$RDS $3"
}

server_kill() {
	kill_at "$1" KILL serve
	wait $SERVER || :
	cat "$WORK/server"
}

# ask SIDE message|write|read COUNT BYTES
ask() {
	"in_$1" "$RDS" ask "${ADDRESS[$1]}" "${ADDRESS[${OTHER[$1]}]}" $PORT "${@:2}"
}

# rds_counter SIDE NAME
rds_counter() {
	"in_$1" "$RDS" counters | sed -n "s/^$2 //p"
}

# is_connected SIDE: by the GIDs that the svt devices have
is_connected() {
	local here=${ADDRESS[$1]} there=${ADDRESS[${OTHER[$1]}]}
	"in_$1" "$RDS" connections | grep -xF "$here $there ::ffff:$here ::ffff:$there"
}

is_not_connected() {
	! is_connected "$1" >/dev/null
}

pingpong() {
	local server
	in_peer ibv_rc_pingpong -d svt0 -g "$(hosts_gid peer)" -n 200 &
	server=$!
	until_true 20 in_peer pgrep -x ibv_rc_pingpong
	until_true 20 ibv_rc_pingpong -d svt0 -g "$(hosts_gid here)" -n 200 $PEER
	wait $server
}

pings() {
	"$RDS" ping $HERE $PEER 100
	in_peer "$RDS" ping $PEER $HERE 100
	is_connected here
	is_connected peer
	fails in_here [ -d /sys/module/rds_tcp ]
	fails in_peer [ -d /sys/module/rds_tcp ]
}

# each_size SIDE KIND MOST: it was svt that carried them
each_size() {
	local before after other=${OTHER[$1]}
	server_start "$other"
	before=$(hosts_counter here rx_bytes),$(hosts_counter peer rx_bytes)
	ask "$1" "$2" 50 1
	ask "$1" "$2" 50 4096
	ask "$1" "$2" "$(amount 50 500)" 20000
	ask "$1" "$2" 10 "$3"
	after=$(hosts_counter here rx_bytes),$(hosts_counter peer rx_bytes)
	echo "rx_bytes of here and peer: $before, then $after"
	RECEIVED_HERE=$((${after%,*} - ${before%,*})) RECEIVED_PEER=$((${after#*,} - ${before#*,}))
	is_connected here
	server_kill "$other"
}

LEAST=11000000
messages() {
	each_size "$1" message 1048552
	[ $RECEIVED_HERE -gt $LEAST ] || die "svt0 received little here"
	[ $RECEIVED_PEER -gt $LEAST ] || die "svt0 received little at the peer"
}

# by_rdma write|read: the data go one way only
by_rdma() {
	local used
	used=$(rds_counter here ib_rdma_mr_1m_used)
	each_size here "$1" 1048576
	if [ "$1" = write ]; then
		[ $RECEIVED_HERE -gt $LEAST ] || die "svt0 received little here"
		[ $RECEIVED_PEER -lt $LEAST ] || die "svt0 received much at the peer"
	else
		[ $RECEIVED_PEER -gt $LEAST ] || die "svt0 received little at the peer"
		[ $RECEIVED_HERE -lt $LEAST ] || die "svt0 received much here"
	fi
	[ "$(rds_counter here ib_rdma_mr_1m_used)" -gt "$used" ] || die "no region was used"
}

many_at_once() {
	local kind asker askers=()
	server_start peer
	for kind in message write read message write read; do
		ask here "$kind" "$(amount 30 300)" 50000 &
		askers+=($!)
	done
	for asker in "${askers[@]}"; do
		wait "$asker"
	done
	server_kill peer
}

# start_asking KIND: until stop_asking
start_asking() {
	local before
	server_start peer
	before=$(hosts_counter peer rx_packets)
	"$RDS" ask $HERE $PEER $PORT "$1" $ENDLESS 20000 >"$WORK/asker" 2>&1 &
	ASKER=$!
	until_true 30 under_way "$before" || die "no traffic: $(<"$WORK/asker")"
}

under_way() {
	[ "$(hosts_counter peer rx_packets)" -gt $(($1 + 100)) ]
}

# Each question has had its answer then, the last one after all that has happened
stop_asking() {
	local status=0
	kill $ASKER
	wait $ASKER || status=$?
	cat "$WORK/asker"
	[ $status = 0 ] || die "asking failed"
	is_connected here
}

client_killed() {
	start_asking "$1"
	kill_at here KILL ask
	wait $ASKER || :
	ask here "$1" 100 20000
	server_kill peer
}

server_killed() {
	start_asking "$1"
	server_kill peer
	nap 1
	server_start peer
	stop_asking
	server_kill peer
}

# reconnects KIND COMMAND...: under traffic; there is another connection then
reconnects() {
	local resets
	start_asking "$1"
	resets=$(rds_counter here conn_reset)
	"${@:2}"
	stop_asking
	[ "$(rds_counter here conn_reset)" -gt "$resets" ] || die "the connection was never lost"
	ask here read 20 20000
	server_kill peer
}

device_goes() {
	hosts_delete_device "$1"
	until_true 60 is_not_connected "${OTHER[$1]}" || die "nobody misses the device"
	hosts_add_device "$1"
}

link_goes() {
	in_peer ip link set eth1 down
	until_true 60 is_not_connected here || die "nobody misses the link"
	in_peer ip link set eth1 up
}

# After a failed test, too, of which all may be left
clean_up() {
	local side
	pkill -9 -x svt_rds
	for side in here peer; do
		in_$side modprobe -qr rds_rdma
		in_$side rdma link delete svt0
		in_$side ip addr flush dev eth1
	done
} >/dev/null 2>&1

setup() {
	local side
	clean_up
	for side in here peer; do
		hosts_configure $side "${ADDRESS[$side]}"
		in_$side modprobe rds_rdma
	done
	echo setup >/run/svt/pair
}

# A connection of RDS is there until its module goes
teardown() {
	local side
	rm -f /run/svt/pair
	for side in here peer; do
		until_true 30 in_$side modprobe -qr rds_rdma || die "rds does not go: $side"
		fails in_$side [ -d /sys/module/rds ]
	done
	hosts_teardown
}

setup
run_test "RC pingpong between hosts" pingpong
run_test "pings that the kernel returns" pings
run_test "messages, compared" messages here
run_test "messages the other way, compared" messages peer
run_test "answers by RDMA WRITE, compared" by_rdma write
run_test "answers by RDMA READ, compared" by_rdma read
run_test "many clients at once" many_at_once
run_test "the client is killed under messages" client_killed message
run_test "the client is killed under RDMA" client_killed write
run_test "the server is killed under messages" server_killed message
run_test "the server is killed under RDMA" server_killed write
run_test "the link goes and comes back under messages" reconnects message link_goes
run_test "the link goes and comes back under RDMA" reconnects write link_goes
# Without RDMA: see Documentation/testing.rst, "What is skipped"
run_test "the client's device goes and comes back" reconnects message device_goes here
run_test "the server's device goes and comes back" reconnects message device_goes peer
run_test "teardown leaves nothing" teardown
finish
