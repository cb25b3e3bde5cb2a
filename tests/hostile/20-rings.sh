#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# User space that writes what it likes into its rings and passes what it likes to the kernel. It may
# break its own queues, and nothing else: svt_rings has a sentinel of its own beside it, and
# svt_verify runs between the same devices all the while. Both ends of the wire are in the first namespace:
# a process, of anybody, uses no GID of another one.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/wire.sh"

RINGS=$BUILD/tools/svt_rings
PAIR_HOST=10.0.1.1

ends_are_here

setup() {
	[ ! -e /sys/class/net/wire0 ] || wire_teardown svta svtb
	wire_setup
	add_device svta wire0
	add_device svtb wire1
	echo setup >/run/svt/pair
}

teardown() {
	assert_idle svta
	assert_idle svtb
	rm -f /run/svt/pair
	wire_teardown svta svtb
}

# ring_case NAME [OPTION...]: on one device, and between the two
ring_case() {
	suite in_b "$RINGS" -d svtb "$@"
	suite in_b "$RINGS" -d svtb -d svta "$@"
}

# What the victims run: every byte and every completion is checked
verify_beside() {
	verify v4 -u -t 'rc_send,rc_write,rc_read,uc_send,ud_send' >"$WORK/verify" 2>&1 ||
		{ cat "$WORK/verify"; return 1; }
}

# start_attack OPERATIONS [COMMAND...]: with priority, as in 10-packets
start_attack() {
	in_b nice -n -10 "${@:2}" "$RINGS" -d svtb -d svta -n "$1" attack >"$WORK/attack" 2>&1 &
	attack=$!
}

# attack OPERATIONS [COMMAND...]: by svt_rings, started by COMMAND
attack() {
	local runs=0 status=0
	start_attack "$@"
	while kill -0 "$attack" 2>/dev/null; do
		verify_beside
		runs=$((runs + 1))
	done
	wait "$attack" || status=$?
	cat "$WORK/attack"
	echo "svt_verify ran $runs times beside it"
	ktap_settle "$status" "$WORK/attack" "svt_rings attack"
	[ "$runs" -gt 0 ]
}

# Of a machine that died the log is all that is left, with the seed that killed it
attack_on_record() {
	attack "$@"
	dmesg | grep "svt_rings -s $(sed -n 's/^# seed //p' "$WORK/attack")\$"
}

# No capability is needed to open a device
as_nobody() {
	attack "$1" "${NOBODY[@]}" --bounding-set -all
}

deleted_under_attack() {
	start_attack 1000000
	until_true 20 eval '[ "$(rdma resource show qp link svtb/1 | wc -l)" -gt 4 ]'
	sleep 1
	in_b rdma link delete svtb
	until_true 20 device_gone svtb
	wait "$attack" || :
	assert_idle svta
	add_device svtb wire1
	verify_beside
}

pages_pinned() {
	awk '/^nr_foll_pin_acquired / { n += $2 } /^nr_foll_pin_released / { n -= $2 }
		END { print n }' /proc/vmstat
}

came_back() {
	[ "$(pages_pinned)" = "$pinned" ] && [ "$(vmalloc_of_svt)" = "$mapped" ] &&
		[ "$(memory_used)" -lt $((memory + 16 * 1024)) ]
}

# The first attack fills caches that stay
memory_comes_back() {
	local memory pinned mapped
	suite in_b "$RINGS" -d svtb -d svta -n 2000 attack
	memory=$(memory_used) pinned=$(pages_pinned) mapped=$(vmalloc_of_svt)
	suite in_b "$RINGS" -d svtb -d svta -n "$(amount 4000 40000)" attack
	until_true 10 came_back && return
	echo "memory: $memory kB before, $(memory_used) after"
	echo "pinned pages: $pinned, $(pages_pinned); rings: $mapped, $(vmalloc_of_svt)"
	return 1
}

setup
run_test "a send request with a fault ends its own QP only" ring_case spoiled_requests
run_test "FLUSH behind a WRITE, where there is a right to it" ring_case flush
run_test "a QP with num_sge out of range" ring_case num_sge
run_test "a receive with a fault ends its own QP only" ring_case receives
run_test "a QP with an index out of range: send queue" ring_case send_index
run_test "a QP with an index out of range: receive queues" ring_case receive_index
run_test "a CQ with an index out of range" ring_case cq_index
run_test "a user-writable ring read twice: heap overflow" \
	ring_case read_twice -n "$(amount 300 10000)"
run_test "a ring is mapped as it is meant to be, or not" ring_case mappings
run_test "doorbells of QPs that are gone, or not ready" ring_case doorbells
run_test "rings survive a fork, and the one who forked" ring_case fork
run_test "commands with lengths from nothing to too much" ring_case lengths
run_test "answers are zero behind what svt says" ring_case answers
run_test "answers that cannot be written leave nothing behind" ring_case unwritten
TEST_LIMIT=$(choice 150 1200)
run_test "rings and commands full of garbage, beside traffic" \
	attack_on_record "$(amount 30000 700000)"
run_test "the same as a user without privileges" as_nobody "$(amount 20000 300000)"
run_test "a device deleted under attack" deleted_under_attack
run_test "memory comes back" memory_comes_back
run_test "teardown leaves nothing" teardown
finish
