#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Whether a device keeps the rules of the transport: svt-conform is its peer, at the other end of the wire.
# SVT_CONFORM=svt and SVT_VERBOSE=1 show the table of its results, with SVT_CONFORM=rxe that of the kernel's
# rxe, without the rows that pass. A row that deviates is no verdict then.

. "$(dirname "$0")/../lib/testlib.sh"

CONFORM=$BUILD/tools/svt-conform

# rules KIND: each of svt's rows, over addresses of KIND. Where the program is in the network namespace
# only: the /sys of another one has no counters.
rules() {
	suite nsenter --net=/run/netns/a "$CONFORM" --device svtb --peer-interface veth0 \
		--gid-index "$(gid_index svtb "$1")" --counters
}

# results COMMAND...: its rows, whatever came of them, and their table
results() {
	local status=0
	"$@" --table "$WORK/table" || status=$?
	cat "$WORK/table"
	[ "$status" -le 1 ]
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

# refuses MESSAGE COMMAND...: it cannot begin, for that reason
refuses() {
	local status=0
	"${@:2}" >"$WORK/failure" 2>&1 || status=$?
	cat "$WORK/failure"
	[ "$status" = 2 ]
	grep -qE "$1" "$WORK/failure"
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
	"$CONFORM" --help >"$WORK/help"
	grep -- --peer-interface "$WORK/help"
}

if [ "${SVT_CONFORM:-}" = rxe ]; then
	SPLAT='Kernel panic'
	setup_rxe
	TEST_LIMIT=1500 run_test "results of rxe" results "$CONFORM" --device rxe0 --peer-interface veth1 \
		--deviations
	finish
fi
setup_pair
# Packet sockets of older kernels do not hand over frames of several packets
[[ $(uname -r) != 6.1.* ]] || in_b ethtool -K veth0 tx-udp-segmentation off
if [ "${SVT_CONFORM:-}" = svt ]; then
	run_test "results of svt" results in_a "$CONFORM" --device svtb --peer-interface veth0
else
	run_test "rules of the transport" rules v4
	run_test "rules of the transport over IPv6" rules v6
	run_test "wrong command lines" command_line
fi
run_test "teardown leaves nothing" teardown_pair
finish
