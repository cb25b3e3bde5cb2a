#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Nobody speaks for another: what a process without capabilities sends from the host of a QP's peer, or
# from its own, is not taken for the peer's. A BTH does not name the QP that sends; the host does not let
# it out, or does not connect the QP. And who is not to be hit by that.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/qps.sh"

# address SIDE KIND, gid SIDE KIND
address() {
	local number=1
	[ "$1" = a ] || number=2
	[ "$2" = v4 ] && echo "10.0.0.$number" || echo "fd00::$number"
}

gid() {
	[ "$2" = v6 ] || echo -n ::ffff:
	address "$1" "$2"
}

# open_at NAME SIDE KIND TYPE [COMMAND...]: a QP in SIDE, run by COMMAND
open_at() {
	open_qp "$1" "svt$2" "$(gid_index "svt$2" "$3")" "$4" "exec_in_$2" "${@:5}"
}

# connect_qp NAME SIDE KIND OTHER: the QP NAME to the QP OTHER, which is in SIDE
connect_qp() {
	connect_to "$1" "$(gid "$2" "$3")" "$4"
}

# open_pair KIND TYPE [COMMAND...]: QPs that are connected: the victim in a, its peer in b, run by COMMAND
open_pair() {
	open_at victim a "$1" "$2"
	open_at peer b "$1" "$2" "${@:3}"
	connect_qp victim b "$1" peer
	says victim connected
	connect_qp peer a "$1" victim
	says peer connected
}

# The next message that the victim gets is its peer's
only_the_peer_is_heard() {
	tell peer send real
	says victim "got real"
	says peer sent
	fails grep forged "$WORK/victim"
	cat "$WORK/victim"
}

# grew COUNTER DEVICE BEFORE
grew() {
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# forge KIND SIDE SHAPE [FROM]: a datagram from SIDE in the name of the peer, by a user without capabilities
forge() {
	"in_$2" "${NOBODY[@]}" "$FORGERY" udp "${4:-$(address "$2" "$1")}" "$(address b "$1")" \
		"$(address a "$1")" "$(qpn_of victim)" 0 "$3"
}

# refused SIDE COMMAND...: it fails for want of a privilege, and is counted
refused() {
	local side=$1 before
	before=$(counter tx_forged "svt$side")
	fails_with 'sendto: Operation not permitted' "${@:2}"
	until_true 10 grew tx_forged "svt$side" "$before"
}

datagrams_of_a_user() {
	local kind=$1 shape
	open_pair "$kind" rc
	for shape in plain segments fragments; do
		refused b forge "$kind" b $shape
	done
	only_the_peer_is_heard
}

# By way of another host, whose address the look finds in place of the peer's
datagrams_with_a_route() {
	open_pair v6 rc
	refused b forge v6 b routed
	only_the_peer_is_heard
}

# Over IPv6 a process may send from an address that its host has not
datagrams_of_a_neighbour() {
	open_pair v6 rc
	refused a forge v6 a plain "$(address b v6)"
	only_the_peer_is_heard
}

# The peer is on the host of the victim
datagrams_on_one_host() {
	open_at victim a v4 rc
	open_at peer a v4 rc
	connect_qp victim a v4 peer
	says victim connected
	connect_qp peer a v4 victim
	says peer connected
	refused a in_a "${NOBODY[@]}" "$FORGERY" udp 10.0.0.1 10.0.0.1 10.0.0.1 "$(qpn_of victim)" 0 plain
	only_the_peer_is_heard
}

qp_of_another_user() {
	local kind=$1 type=$2
	open_pair "$kind" "$type"
	open_at thief b "$kind" "$type" "${NOBODY[@]}"
	connect_qp thief a "$kind" victim
	says thief "connect: Address already in use"
	only_the_peer_is_heard
	tell peer reset
	says peer reset
	tell thief reset
	connect_qp thief a "$kind" victim
	says thief connected
}

# It has all capabilities in namespaces that it makes for itself, where it sees the devices; but no GID is in
# a network namespace of its making, and the one that it comes from is not its own
qp_of_a_root_of_its_own() {
	open_pair v4 rc
	open_at away b v4 rc "${NOBODY[@]}" unshare --user --map-root-user --net
	connect_qp away a v4 victim
	says away "connect: Operation not permitted"
	open_at thief b v4 rc "${NOBODY[@]}" unshare --user --map-root-user
	connect_qp thief a v4 victim
	says thief "connect: Address already in use"
	only_the_peer_is_heard
}

# Its owner is who connects it; ib_core has all of these as its own
xrc_target_of_another_user() {
	open_at victim a v4 rc
	open_at target b v4 xrc "${NOBODY[@]}"
	connect_qp target a v4 victim
	says target connected
	open_at thief b v4 xrc setpriv --reuid 65533 --regid 65533 --clear-groups
	connect_qp thief a v4 victim
	says thief "connect: Address already in use"
	open_at again b v4 xrc "${NOBODY[@]}"
	connect_qp again a v4 victim
	says again connected
}

# A program that was started again while its old QP is still there; and who may send anything
qps_of_one_user() {
	open_pair v4 rc "${NOBODY[@]}"
	open_at again b v4 rc "${NOBODY[@]}"
	connect_qp again a v4 victim
	says again connected
	open_at root b v4 rc
	connect_qp root a v4 victim
	says root connected
}

datagrams_of_the_privileged() {
	local kind=$1
	open_pair "$kind" rc
	in_b "$FORGERY" udp "$(address b "$kind")" "$(address b "$kind")" "$(address a "$kind")" \
		"$(qpn_of victim)" 0 plain
	says victim "got forged"
}

# open_third: a namespace c, behind b: c0 there, and 10.9.1.2 and fd09::2
open_third() {
	[ ! -e /run/netns/c ] || close_third
	ip netns add c
	ip -n b link add c0 type veth peer name c0 netns c
	ip -n b addr add 10.9.1.1/24 dev c0
	ip -n b addr add fd09::1/64 dev c0 nodad
	ip -n c addr add 10.9.1.2/24 dev c0
	ip -n c addr add fd09::2/64 dev c0 nodad
	ip -n b link set c0 up
	ip -n c link set c0 up
	ip -n c route add default via 10.9.1.1
	ip -n c -6 route add default via fd09::1
}

in_c() {
	ip netns exec c "$@"
}

close_third() {
	ip netns delete c
	until_true 10 namespace_gone c
	until_true 10 eval '! ip -n b link show c0 2>/dev/null'
}

# with_third COMMAND...
with_third() {
	open_third
	"$@"
	close_third
}

third_address() {
	[ "$1" = v4 ] && echo 10.9.1.2 || echo fd09::2
}

forwards() {
	ip netns exec b sysctl -qw net.ipv4.ip_forward="$1" net.ipv6.conf.all.forwarding="$1"
}

# The client of a server on b has the port, and is no peer. Nothing of the datagram matters
server_answers_a_client() {
	local kind=$1 receiver from to
	from=$(address b "$kind")
	to=$(third_address "$kind")
	open_pair "$kind" rc
	ip netns exec c socat -u "UDP${kind#v}-RECV:4791" "OPEN:$WORK/answer,creat" &
	receiver=$!
	until_true 10 eval 'grep -q ":12B7 " "/proc/$receiver/net/udp" "/proc/$receiver/net/udp6"'
	in_b "${NOBODY[@]}" "$FORGERY" udp "$from" "$from" "$to" 1 0 plain
	until_true 10 grep -qs forged "$WORK/answer"
	kill "$receiver"
	only_the_peer_is_heard
}

# With its own address it gets to the victim, who knows that it is not its peer's
forwarded_datagrams() {
	local kind=$1 before from
	from=$(third_address "$kind")
	open_pair "$kind" rc
	before=$(counter rx_dropped_address svta)
	forwards 1
	in_c "${NOBODY[@]}" "$FORGERY" udp "$from" "$from" "$(address a "$kind")" "$(qpn_of victim)" 0 plain
	until_true 10 grew rx_dropped_address svta "$before"
	forwards 0
	only_the_peer_is_heard
}

# What a container sends leaves with the address of its host
translated_datagrams() {
	local kind=$1 before tables=iptables
	[ "$kind" = v4 ] || tables=ip6tables
	open_pair "$kind" rc
	before=$(counter tx_forged svtb)
	in_b "$tables" -t nat -A POSTROUTING -o veth0 -j MASQUERADE
	forwards 1
	in_c "${NOBODY[@]}" "$FORGERY" udp "$(third_address "$kind")" "$(address b "$kind")" \
		"$(address a "$kind")" "$(qpn_of victim)" 0 plain
	until_true 10 grew tx_forged svtb "$before"
	forwards 0
	in_b "$tables" -t nat -F
	only_the_peer_is_heard
}

# What the kernel sends for a process from a socket of its own. c calls the server of the process, in the
# name of a; the server acknowledges that, and answers. The answer would take the PSN of the next message
answers_of_rxrpc() {
	local before
	modprobe rxrpc
	open_pair v4 rc
	before=$(counter tx_forged svtb)
	exec_in_b "${NOBODY[@]}" "$FORGERY" rxrpc 10.0.0.2 10.0.0.1 "$(qpn_of victim)" >"$WORK/server" 2>&1 &
	says server listens
	in_c "$FORGERY" call 10.0.0.2 10.0.0.1 "$(qpn_of victim)"
	says server answered
	until_true 20 grew tx_forged svtb $((before + 1)) || die "$(<"$WORK/server")"
	kill $!
	only_the_peer_is_heard
}

# translated COMMAND...: two packets of the QP "thief" to an address that is nobody's, which b makes that of
# the victim by COMMAND FROM TO. Between two namespaces of a host packets that were built together are
# looked at for their addresses only
translated() {
	local before
	before=$(counter rx_dropped_backend svta)
	ip -n b neigh replace 10.0.0.9 lladdr "$(in_a cat /sys/class/net/veth0/address)" dev veth0 \
		nud permanent
	connect_to thief ::ffff:10.0.0.9 victim
	says thief connected
	"$@" 10.0.0.9 10.0.0.1
	tell thief send "$(printf 'forged%.0s' {1..200})"
	says thief "transport retry counter exceeded"
	translated_no_more
	grew rx_dropped_backend svta "$before"
	only_the_peer_is_heard
}

# translate_by CHAIN FROM TO
translate_by() {
	in_b iptables -t nat -A "$1" -d "$2" -j DNAT --to-destination "$3"
}

# translate_frames FROM TO: without a connection to remember, and behind all hooks
translate_frames() {
	tc -n b qdisc add dev veth0 clsact
	tc -n b filter add dev veth0 egress protocol ip matchall action nat ingress "$1/32" "$2"
}

translated_no_more() {
	in_b iptables -t nat -F
	tc -n b qdisc delete dev veth0 clsact 2>/dev/null || :
}

translated_on_the_host_of_the_qp() {
	open_pair v4 rc
	open_at thief b v4 rc "${NOBODY[@]}"
	translated "$@"
}

exec_in_c() {
	exec ip netns exec c "$@"
}

# open_in_c NAME [COMMAND...]
open_in_c() {
	open_qp "$1" svtc "$(gid_index svtc v4)" rc exec_in_c "${@:2}"
}

# b is a router between the victim and the two in c
translated_on_the_way() {
	in_c ip link set lo up
	in_c rdma link add svtc type "$PAIR_TYPE" netdev c0
	ip -n a route add 10.9.1.0/24 via 10.0.0.2
	forwards 1
	open_at victim a v4 rc
	open_in_c peer
	connect_to victim ::ffff:10.9.1.2 peer
	says victim connected
	connect_to peer ::ffff:10.0.0.1 victim
	says peer connected
	open_in_c thief "${NOBODY[@]}"
	translated translate_by PREROUTING
	forwards 0
	ip -n a route delete 10.9.1.0/24
	# They would keep the namespace
	# shellcheck disable=SC2046 # numbers
	kill $(ip netns pids c)
	in_c rdma link delete svtc
}

setup_pair
run_on_each "datagrams of another user, v4" datagrams_of_a_user v4
run_test "datagrams of another user, v6" datagrams_of_a_user v6
run_test "datagrams of another user with a routing header" datagrams_with_a_route
for kind in v4 v6; do
	run_test "datagrams of who has CAP_NET_RAW, $kind" datagrams_of_the_privileged $kind
	run_test "a server's answers to port 4791, $kind" with_third server_answers_a_client $kind
	run_test "forwarded datagrams, $kind" with_third forwarded_datagrams $kind
done
run_test "datagrams from the victim's own host" datagrams_of_a_neighbour
run_test "datagrams on one host" datagrams_on_one_host
run_test "a QP of another user, RC" qp_of_another_user v4 rc
run_test "a QP of another user, UC" qp_of_another_user v6 uc
run_test "an XRC target QP of another user" xrc_target_of_another_user
run_test "a QP of a root of its own making" qp_of_a_root_of_its_own
run_test "QPs of one user, and of root" qps_of_one_user
# Kernels that are made for tests translate no addresses, and Debian 12 may be without iptables
if [[ $SVT_KERNEL == @(trixie|sid)/* ]]; then
	run_on_each "datagrams with a translated address, v4" with_third translated_datagrams v4
	run_test "datagrams with a translated address, v6" with_third translated_datagrams v6
	run_test "packets of a QP with a translated address, output" \
		translated_on_the_host_of_the_qp translate_by OUTPUT
	run_test "packets of a QP with a translated address, frames" \
		translated_on_the_host_of_the_qp translate_frames
	run_test "packets of a QP that a router translates" with_third translated_on_the_way
	run_test "answers of AF_RXRPC" with_third answers_of_rxrpc
fi
run_on_each "teardown leaves nothing" leave_pair
finish
