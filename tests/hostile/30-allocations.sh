#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Every allocation of every verb fails, one after the other, by svt_sweep. A kernel without fault
# injection (all of Debian's) runs the steps only, without a fault.

. "$(dirname "$0")/../lib/testlib.sh"

FAILSLAB=/sys/kernel/debug/failslab
PAGES=/sys/kernel/debug/fail_page_alloc

# ib_core says so when a device could not be added, kmemleak when it has to look at all of an object,
# and the tracker of references when it has no memory, which is what is meant to happen
SPLAT=${SPLAT/|infiniband.*Couldn/} SPLAT=${SPLAT/|leak|/|memory leak|}
SPLAT=${SPLAT/|refcount|/|refcount([^ ]| [^t])|}

if [ -e "$FAILSLAB/require-start" ] && [ -d "$PAGES" ] && [ -e /proc/thread-self/fail-nth ]; then
	faults=1
else
	faults=
	echo "skipped: faults, for this kernel has no fault injection"
fi

# debugfs is where the VM mounted it: `ip netns exec` would hide it behind another /sys
sweep() {
	local options=()
	[ -n "$faults" ] || options=(--plain)
	suite nsenter --net=/run/netns/a "$BUILD/tools/svt_sweep" -d svta -p svtb -n spare0 \
		-r "$(amount 10 200)" -H "$(amount 16 128)" -e 20 "${options[@]}" "$@"
}

setup_spare() {
	setup_pair
	ip -n a link add spare0 type dummy
	ip -n a link set spare0 up
	echo setup_spare >/run/svt/pair
}

# Where the modules are, and what they need but each other: nothing of svt is loaded
sweep_modules() {
	local options=() module file
	[ -n "$faults" ] || options=(--plain)
	for module in svt svt_roce svt_loop; do
		file=$(modinfo -n "$module")
		for module in $(modinfo -F depends "$module" | tr , ' '); do
			[[ $module == svt* ]] || modprobe "$module"
		done
	done
	suite "$BUILD/tools/svt_sweep" -M "$(dirname "$file")" "${options[@]}"
}

# faults_in_svt PERCENT: what svt and svt_roce allocate fails so often, in any context
faults_in_svt() {
	local directory
	for directory in "$FAILSLAB" "$PAGES"; do
		echo "$first" >"$directory/require-start"
		echo "$last" >"$directory/require-end"
		echo -1 >"$directory/times"
		echo "$1" >"$directory/probability"
	done
}

# Sets first and last, which the code of svt and svt_roce lies between
find_svt() {
	local addresses
	mapfile -t addresses < <(awk '$2 ~ /[tT]/ && $4 ~ /^\[svt(_roce)?\]$/ { print "0x" $1 }' \
		/proc/kallsyms | sort)
	[ ${#addresses[@]} -gt 1 ] || die "/proc/kallsyms does not say where svt is"
	first=${addresses[0]} last=${addresses[-1]}
}

port_state() {
	[[ "$(in_a rdma link show svta/1)" == *"state $1"* ]]
}

active_mtu() {
	[[ "$(in_a ibv_devinfo -d svta)" =~ active_mtu:[[:space:]]*$1 ]]
}

# The device follows its netdev without memory of its own
events_need_no_memory() {
	local first='' last=''
	find_svt
	faults_in_svt 100
	ip -n a link set veth0 mtu 1500
	until_true 10 active_mtu 1024
	ip -n a link set veth0 mtu "$PAIR_MTU"
	until_true 10 active_mtu 4096
	ip -n a link set veth0 down
	until_true 10 port_state DOWN
	ip -n a link set veth0 up
	until_true 10 port_state ACTIVE
	ip -n a addr add 10.1.0.1/24 dev veth0
	until_true 10 grep -q ffff:0a01:0001 -r /sys/class/infiniband/svta/ports/1/gids
	ip -n a addr del 10.1.0.1/24 dev veth0
	until_true 10 eval '! grep -q ffff:0a01:0001 -r /sys/class/infiniband/svta/ports/1/gids'
	faults_in_svt 0
	ip -n a addr add fd00::1/64 dev veth0 nodad
	gid_index svta v6
	pair ibv_rc_pingpong -d svta -g "$(gid_index svta v4)" -n 20 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -n 20 10.0.0.1
}

setup_spare
TEST_LIMIT=1200
run_test "verbs" sweep -t '[!ln]*'
[ -z "$faults" ] || run_test "events of the netdev" sweep -t 'netdev*'
[ -z "$faults" ] || run_test "events need no memory" events_need_no_memory
# Too slow to fail anything there each time: ib_core makes thousands of files for a device
if [ -n "${SVT_FULL:-}" ]; then
	run_test "links" sweep -t 'link*'
else
	run_test "links" sweep --plain -t 'link*'
fi
run_test "teardown leaves nothing" teardown_pair
PAIR_TYPE=svt_loop
setup_spare
run_test "traffic over svt_loop" sweep -t 'traffic*'
run_test "teardown of svt_loop leaves nothing" teardown_pair
run_test "modules" sweep_modules
finish
