#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Whether a device keeps the rules of the transport: svt-conform is its peer, at the other end of the wire.
# With SVT_CONFORM=rxe the device is the kernel's rxe, whose rows are results and no verdict. With
# SVT_VERBOSE=1 the results are shown as a table as well.

. "$(dirname "$0")/../lib/testlib.sh"

CONFORM=$BUILD/tools/svt-conform

show_table() {
	[ -z "${SVT_VERBOSE:-}" ] || cat "$WORK/table"
}

# rules KIND: each of svt's rows, over addresses of KIND
rules() {
	local status=0
	suite in_a "$CONFORM" --device svtb --peer-interface veth0 --gid-index "$(gid_index svtb "$1")" \
		--table "$WORK/table" || status=$?
	show_table
	return "$status"
}

# rxe is in the first namespace, and so is the other end of its wire
setup_rxe() {
	take_left
	ip link add veth0 type veth peer name veth1
	ip link set veth1 mtu "$PAIR_MTU" up
	ip link set veth0 mtu "$PAIR_MTU" up
	ip addr add 10.0.0.2/24 dev veth0
	# It warns of a peer that does wrong
	sysctl -qw kernel.panic_on_warn=0
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev veth0
	until_true 10 gid_of_kind rxe0 v4 >/dev/null
}

rules_of_rxe() {
	local status=0
	"$CONFORM" --device rxe0 --peer-interface veth1 --gid-index "$(gid_index rxe0 v4)" \
		--table "$WORK/table" || status=$?
	show_table
	[ "$status" -le 1 ]
}

refuses() {
	local status=0
	fails_with "$1" "${@:2}"
	"${@:2}" 2>/dev/null || status=$?
	[ "$status" = 2 ]
}

command_line() {
	refuses usage: "$CONFORM"
	refuses usage: "$CONFORM" --device svtb
	refuses nosuch: "$CONFORM" --device nosuch --peer-interface veth0
	refuses 'no packet sockets on nosuch: No such device' in_a "$CONFORM" --device svtb \
		--peer-interface nosuch
	refuses "'10.0.0' is no address" in_a "$CONFORM" --device svtb --peer-interface veth0 \
		--gid-index "$(gid_index svtb v4)" --peer-address 10.0.0
	refuses 'not the device' in_a "$CONFORM" --device svtb --peer-interface veth0 \
		--gid-index "$(gid_index svtb v4)" --peer-address 10.0.0.2
	refuses 'not at the other end' in_a env SVT_TIME_SCALE=0.1 "$CONFORM" --device svtb \
		--peer-interface lo
	"$CONFORM" --help | grep -q -- --peer-interface
}

if [ "${SVT_CONFORM:-svt}" = rxe ]; then
	SPLAT='Kernel panic'
	setup_rxe
	TEST_LIMIT=600 run_test "rules of the transport, rxe" rules_of_rxe
	finish
fi
setup_pair
run_test "rules of the transport" rules v4
run_test "rules of the transport over IPv6" rules v6
run_test "wrong command lines" command_line
run_test "teardown leaves nothing" teardown_pair
finish
