#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What `make demo` shows, inside the VM: two hosts made of namespaces, a device in each, unmodified
# programs.

set -uo pipefail
. "$(dirname "$0")/lib/testlib.sh"
trap - EXIT

passed=0 failed=0 number=0

# The clock of `make demo` goes on: SVT_CLOCK is what it showed when the VM was started.
step() {
	local now
	now=$((${SVT_CLOCK:-0} + $(cut -d. -f1 /proc/uptime)))
	number=$((number + 1))
	printf '\n[%d:%02d] %d. %s\n' $((now / 60)) $((now % 60)) "$number" "$*"
}

shown() {
	echo "    # $*"
	"$@"
}

# verdict WHAT COMMAND...: counts, and says how it went.
verdict() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "pass demo: $what" >>"$SVT_RESULTS"
		echo "    ok: $what"
	else
		failed=$((failed + 1))
		echo "fail demo: $what" >>"$SVT_RESULTS"
		echo "    FAILED: $what"
		read_dmesg
		show_dmesg
	fi
}

wire() {
	(set -e; setup_net) || return
	ip -n a -br addr show veth0 | sed 's/^/    host a: /'
	ip -n b -br addr show veth0 | sed 's/^/    host b: /'
}

device() {
	local side=$1
	echo "    # rdma link add svt$side type svt netdev veth0     (in namespace $side)"
	(add_device "svt$side") || return
	in_ns_of "svt$side" rdma link show "svt$side/1" | sed 's/^/    /'
}

# between SERVER... -- CLIENT...: the client's output is what a user would look at.
between() {
	local log=/run/svt/demo.log
	echo "    host a: ${*%% -- *}" | sed 's/ -- .*//'
	echo "    host b: $*" | sed 's/host b: .* -- /host b: /'
	if pair "$@" >"$log" 2>&1; then
		sed 's/^/    /' "$WORK/client"
	else
		sed 's/^/    /' "$log"
		return 1
	fi
}

tell_machine
step "Linux $(uname -r): load the modules (rdma link add would load them too)"
verdict "svt, svt_roce and svt_loop are loaded" shown modprobe -a svt_roce svt_loop
step "Two hosts: network namespaces a and b, joined by a veth cable"
verdict "the cable is up" wire
step "An svt device on each end"
verdict "device svta in namespace a" device a
verdict "device svtb in namespace b" device b
gid_a=$(gid_index svta v4) gid_b=$(gid_index svtb v4)

step "ibv_rc_pingpong: 1000 messages of 4096 bytes there and back, contents checked"
verdict "pingpong" between ibv_rc_pingpong -d svta -g "$gid_a" -c -- \
	ibv_rc_pingpong -d svtb -g "$gid_b" -c 10.0.0.1
step "ib_write_bw: RDMA writes of 64 KiB"
verdict "write bandwidth" between ib_write_bw -d svta -x "$gid_a" -n 2000 -F -- \
	ib_write_bw -d svtb -x "$gid_b" -n 2000 -F 10.0.0.1
step "ib_read_lat: RDMA reads of 8 bytes"
verdict "read latency" between ib_read_lat -d svta -x "$gid_a" -s 8 -F -- \
	ib_read_lat -d svtb -x "$gid_b" -s 8 -F 10.0.0.1
step "Take everything down again"
verdict "nothing left: no object, no device, no namespace, no module" eval '(teardown_pair)'

echo
if [ "$failed" = 0 ]; then
	echo "That was unmodified verbs software over svt. A shell there: make vm. All tests: make check."
else
	echo "Not everything worked: see above, and build/demo for the logs."
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
