#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the administrator of a host forbids: routes that refuse. It holds for RoCE as
# for any UDP, at whichever end it is, and ends with the policy.

. "$(dirname "$0")/../lib/testlib.sh"

# writes KIND: whether a message gets through. Tries are short, where it does not. What the programs
# have to say to each other goes between other addresses
writes() {
	local kind=$1
	pair ib_write_bw -d svta -x "$(gid_index svta "$kind")" -F -u 10 -n 5 -s 64 -- \
		ib_write_bw -d svtb -x "$(gid_index svtb "$kind")" -F -u 10 -n 5 -s 64 10.9.0.1
}

# other_addresses replace|delete: of both sides
other_addresses() {
	ip -n a addr "$1" 10.9.0.1/24 dev veth0
	ip -n b addr "$1" 10.9.0.2/24 dev veth0
}

# besides COMMAND...: with the other addresses there
besides() {
	other_addresses replace
	"$@"
	other_addresses delete
}

# start_writes KIND: without an end, in the background
start_writes() {
	local kind=$1 options=(-F -u 10 -s 64 --run_infinitely -D 5)
	exec_in_a ib_write_bw -d svta -x "$(gid_index svta "$kind")" "${options[@]}" >"$WORK/server" 2>&1 &
	wait_listening $!
	in_b ib_write_bw -d svtb -x "$(gid_index svtb "$kind")" "${options[@]}" 10.9.0.1 \
		>"$WORK/client" 2>&1 &
	client=$!
	until_true 15 traffic_flows
}

# route_refuses KIND TYPE PEER: a route of the requester to its peer. It ends as on a dead wire: status 12,
# retries exceeded
route_refuses() {
	local kind=$1 type=$2 peer=$3 before
	start_writes "$kind"
	before=$(counter tx_dropped)
	ip -n b route add "$type" "$peer"
	fails wait "$client"
	cat "$WORK/client"
	grep -E 'Failed status 12\b' "$WORK/client"
	[ "$(counter tx_dropped)" -gt "$before" ]
	pkill ib_write_bw || :
	ip -n b route delete "$type" "$peer"
	writes "$kind"
}

setup_pair
for kind in v4 v6; do
	peer=10.0.0.1
	[ $kind = v4 ] || peer=fd00::1
	for type in blackhole unreachable prohibit; do
		run_test "$type route, $kind" besides route_refuses $kind $type $peer
	done
done
run_test "teardown leaves nothing" leave_pair
finish
