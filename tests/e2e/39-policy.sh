#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the administrator of a host forbids: routes that refuse, IPsec policies, filters of control groups.
# It holds for RoCE as for any UDP, at whichever end it is, and ends with the policy.

. "$(dirname "$0")/../lib/testlib.sh"

# writes KIND: whether a message gets through. Tries are short, where it does not. The TCP connection of
# the two programs is between control addresses, which no route or policy here is for
writes() {
	local kind=$1
	pair ib_write_bw -d svta -x "$(gid_index svta "$kind")" -F -u 10 -n 5 -s 64 -- \
		ib_write_bw -d svtb -x "$(gid_index svtb "$kind")" -F -u 10 -n 5 -s 64 10.9.0.1
}

# control_addresses replace|delete: at both sides
control_addresses() {
	ip -n a addr "$1" 10.9.0.1/24 dev veth0
	ip -n b addr "$1" 10.9.0.2/24 dev veth0
}

# with_control_addresses COMMAND...: while these are there
with_control_addresses() {
	control_addresses replace
	"$@"
	control_addresses delete
}

# Nothing gets through, and what says so grows
refused() {
	local kind=$1 before
	shift
	before=$("$@")
	fails writes "$kind"
	[ "$("$@")" -gt "$before" ]
}

# count_of NAMESPACE NAME: of the statistics of IPsec there
count_of() {
	ip netns exec "$1" awk -v name="$2" '$1 == name { print $2 }' /proc/net/xfrm_stat
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

stop_writes() {
	kill -0 "$client" || { cat "$WORK/client"; die "the writes ended"; }
	pkill ib_write_bw
	wait "$client" || :
}

# Who is on the same wire needs no route
no_route_is_a_neighbour() {
	local route
	route=$(ip -n b route show 10.0.0.0/24)
	start_writes v4
	ip -n b route delete 10.0.0.0/24
	until_true 15 traffic_flows
	# shellcheck disable=SC2086 # words
	ip -n b route add $route
	stop_writes
}

# group_is_reached KIND GID: though what has no other route is refused
group_is_reached() {
	local kind=$1 gid=$2 receiver
	ip -n b route add unreachable default
	start_in a "$WORK/receiver" "$BUILD/tools/svt_group" svta "$(gid_index svta "$kind")" "$gid" \
		receive 8
	receiver=$!
	until_true 60 grep -q attached "$WORK/receiver" || die "$(<"$WORK/receiver")"
	in_b "$BUILD/tools/svt_group" svtb "$(gid_index svtb "$kind")" "$gid" send 8
	wait $receiver || die "$(<"$WORK/receiver")"
	ip -n b route delete unreachable default
}

# policy KIND SIDE add|delete in|out [ACTION...]: for what the requester sends
policy() {
	local kind=$1 side=$2 from=10.0.0.2/32 to=10.0.0.1/32
	if [ "$kind" = v6 ]; then
		from=fd00::2/128 to=fd00::1/128
	fi
	ip -n "$side" xfrm policy "$3" src $from dst $to proto udp dport 4791 dir "$4" "${@:5}"
}

policy_at_the_receiver_refuses() {
	local kind=$1
	policy "$kind" a add in action block
	refused "$kind" count_of a XfrmInPolBlock
	policy "$kind" a delete in
	writes "$kind"
}

# Who wants it encrypted does not take it plain
policy_at_the_receiver_wants_esp() {
	local kind=$1
	policy "$kind" a add in tmpl proto esp mode transport
	refused "$kind" count_of a XfrmInTmplMismatch
	policy "$kind" a delete in
	writes "$kind"
}

policy_at_the_sender_refuses() {
	local kind=$1
	policy "$kind" b add out action block
	refused "$kind" count_of b XfrmOutPolBlock
	policy "$kind" b delete out
	writes "$kind"
}

GROUP=/sys/fs/cgroup/refused
FILTER=$TOP/tests/lib/filter.py

# make_group ingress|egress: it refuses UDP over IPv4
make_group() {
	mkdir -p $GROUP
	python3 "$FILTER" $GROUP "$1"
}

# A client of `pair` is in the group that GROUP_OF_B names, if it is set; RUN_IN_B is what runs it
RUN_IN_B=()
exec_in_b() {
	local run=(ip netns exec b "${RUN_IN_B[@]}" "$@")
	[ -z "${GROUP_OF_B:-}" ] || exec_in_cgroup "$GROUP_OF_B" "${run[@]}"
	exec "${run[@]}"
}

# The rule is of the requester's host, and for the user who made the QP
rule_for_a_user() {
	local kind=$1 rule=(to "$2" uidrange 65534-65534 prohibit) RUN_IN_B=("${NOBODY[@]}")
	ip -n b "-${kind#v}" rule add "${rule[@]}"
	fails writes "$kind"
	grep -E 'Failed status 12\b' "$WORK/client"
	RUN_IN_B=()
	writes "$kind"
	ip -n b "-${kind#v}" rule delete "${rule[@]}"
	RUN_IN_B=("${NOBODY[@]}")
	writes "$kind"
}

# Who makes a QP is asked for what that sends
group_of_the_sender_refuses() {
	local before GROUP_OF_B
	make_group egress
	before=$(counter tx_dropped)
	GROUP_OF_B=$GROUP
	fails writes v4
	GROUP_OF_B=
	grep -E 'Failed status 12\b' "$WORK/client"
	[ "$(counter tx_dropped)" -gt "$before" ]
	until_true 10 rmdir $GROUP
	writes v4
}

# Who makes a device is asked for what comes
group_of_the_receiver_refuses() {
	make_group ingress
	in_a rdma link delete svta
	(exec_in_cgroup $GROUP ip netns exec a rdma link add svta type svt netdev veth0)
	gid_index svta v4
	refused v4 counter rx_dropped_backend svta
	in_a rdma link delete svta
	add_device svta
	until_true 10 rmdir $GROUP
	writes v4
}

setup_pair
for kind in v4 v6; do
	peer=10.0.0.1
	[ $kind = v4 ] || peer=fd00::1
	for type in blackhole unreachable prohibit; do
		run_test "$type route, $kind" with_control_addresses route_refuses $kind $type $peer
	done
	run_test "a rule for a user, $kind" with_control_addresses rule_for_a_user $kind $peer
done
run_test "no route, v4" with_control_addresses no_route_is_a_neighbour
run_test "a group, whatever is refused, v4" group_is_reached v4 ::ffff:239.1.2.3
# Kernels that are made for tests have no IPsec, and no filters of control groups
if ! is_made "$SVT_KERNEL"; then
	run_on_each "a control group that refuses what goes" \
		with_control_addresses group_of_the_sender_refuses
	run_test "a control group that refuses what comes" \
		with_control_addresses group_of_the_receiver_refuses
	run_on_each "IPsec policy that blocks what comes, v4" \
		with_control_addresses policy_at_the_receiver_refuses v4
	run_test "IPsec policy that blocks what comes, v6" \
		with_control_addresses policy_at_the_receiver_refuses v6
	run_test "IPsec policy that wants ESP, v4" \
		with_control_addresses policy_at_the_receiver_wants_esp v4
	run_on_each "IPsec policy that wants ESP, v6" \
		with_control_addresses policy_at_the_receiver_wants_esp v6
	run_test "IPsec policy that blocks what goes, v4" \
		with_control_addresses policy_at_the_sender_refuses v4
	run_test "IPsec policy that blocks what goes, v6" \
		with_control_addresses policy_at_the_sender_refuses v6
fi
run_on_each "teardown leaves nothing" leave_pair
finish
