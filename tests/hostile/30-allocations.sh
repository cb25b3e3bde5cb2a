#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Every allocation of every verb fails, one after the other, by svt_sweep. A kernel without fault
# injection (all of Debian's) runs the steps only, without a fault.
# Limit: 3000 s

. "$(dirname "$0")/../lib/testlib.sh"

FAILSLAB=/sys/kernel/debug/failslab
PAGES=/sys/kernel/debug/fail_page_alloc

# ib_core says so when a device could not be added, and kmemleak when it has to look at all of an
# object, which is what is meant to happen
SPLAT=${SPLAT/|infiniband.*Couldn/} SPLAT=${SPLAT/|leak|/|memory leak|}

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
	nsenter --net=/run/netns/a "$BUILD/tools/svt_sweep" -d svta -p svtb -n spare0 \
		${SVT_SEED:+-s "$SVT_SEED"} -r "$(amount 10 200)" -H "$(amount 16 128)" \
		"${options[@]}" "$@"
}

setup_spare() {
	setup_pair
	ip -n a link add spare0 type dummy
	ip -n a link set spare0 up
	echo setup_spare >/run/svt/pair
}

# Where the modules are, and what they need but each other: nothing of svt is loaded
sweep_modules() {
	local module file
	for module in svt svt_roce svt_loop; do
		file=$(modinfo -n "$module")
		for module in $(modinfo -F depends "$module" | tr , ' '); do
			[[ $module == svt* ]] || modprobe "$module"
		done
	done
	"$BUILD/tools/svt_sweep" -M "$(dirname "$file")" --plain
}

setup_spare
TEST_LIMIT=1200
run_test "verbs" sweep -t '[!ln]*'
[ -z "$faults" ] || run_test "events of the netdev" sweep -t 'netdev*'
run_test "links" sweep --plain -t 'link*'
run_test "teardown leaves nothing" teardown_pair
run_test "modules" sweep_modules
finish
