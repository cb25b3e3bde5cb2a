#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Storms: objects, connections, processes, devices, namespaces and modules come and go under
# traffic. Nothing may hang, nothing may be left, and traffic that has no part in it goes on. What
# svt_storm does depends on SVT_SEED, which it prints.

. "$(dirname "$0")/../lib/testlib.sh"

STORM=$BUILD/tools/svt_storm
BOTH=(-d svta -d svtb)
TRACING=/sys/kernel/tracing

# in_mode MODE [OPTION...]: svt_storm between the two devices
in_mode() {
	suite "$STORM" "$1" "${BOTH[@]}" "${@:2}"
}

storm_of_objects() {
	in_mode mix -w 4 -n "$(amount 150 3000)"
}

thousands_of_connections() {
	in_mode many -n "$(amount 2000 10000)"
}

destroy_races_with_timer() {
	in_mode timer -w 2 -n "$(amount 100 2000)"
}

connections_by_rdmacm() {
	suite_pair "$STORM" listen -- "$STORM" connect -w 4 -n "$(amount 25 800)" -a 10.0.0.1
}

kill_at_any_moment() {
	in_mode kill -n "$(amount 4 100)"
	assert_idle svta
	assert_idle svtb
}

# start_calm: traffic that goes on until stop_calm
start_calm() {
	"$STORM" calm "${BOTH[@]}" >"$WORK/calm" 2>&1 &
	calm=$!
	until_true 20 calm_flows
}

calm_flows() {
	kill -0 "$calm" || die "no calm traffic: $(<"$WORK/calm")"
	local before
	before=$(counter tx_packets) || return 1
	nap
	[ "$(counter tx_packets)" -gt "$before" ]
}

# It must have seen no error, nor anything wrong in what it received
stop_calm() {
	local status=0
	kill "$calm"
	wait "$calm" || status=$?
	cat "$WORK/calm"
	ktap_settle "$status" "$WORK/calm" "svt_storm calm"
}

objects_come_and_go() {
	in_mode mix -w 4 -n "$(amount 100 2000)"
	in_mode kill -n "$(amount 2 20)"
}

# QPs of a type share a counter, which goes with the last of them
objects_are_looked_at_as_they_go() {
	in_a rdma statistic qp set link svta/1 auto type on
	looked_at objects_come_and_go
	in_a rdma statistic qp set link svta/1 auto off
}

modules_in_use_stay() {
	local i
	start_calm
	for ((i = 0; i < $(amount 3 50); i++)); do
		fails modprobe -qr svt_roce
		fails rmmod svt_roce 2>/dev/null
		fails rmmod svt 2>/dev/null
	done
	calm_flows
	stop_calm
}

# Others have nothing to do with it
namespaces_come_and_go() {
	start_calm
	suite "$STORM" churn -w 3 -n "$(amount 4 80)"
	stop_calm
	rdma link >"$WORK/links"
	[ "$(grep -c 'svt[ab]/1 ' "$WORK/links")" = 2 ]
	[ "$(wc -l <"$WORK/links")" = 2 ]
}

# start_doomed: the mix, until a device goes; it has to end well then
start_doomed() {
	"$STORM" mix "${BOTH[@]}" -x -n 0 -w 3 >"$WORK/doomed" 2>&1 &
	doomed=$!
	until_true 20 is_busy
}

# Past the set-up: QPs besides those of the mix's calm traffic and QP 1
is_busy() {
	[ "$(in_b rdma resource show qp link svtb | wc -l)" -gt 4 ]
}

wait_doomed() {
	local status=0
	wait "$doomed" || status=$?
	cat "$WORK/doomed"
	ktap_settle "$status" "$WORK/doomed" "svt_storm mix -x"
	grep -q '[12] devices gone, 0 failures' "$WORK/doomed"
}

device_goes_under_a_storm() {
	local i
	for ((i = 0; i < $(amount 1 15); i++)); do
		start_doomed
		in_b rdma link delete svtb
		wait_doomed
		until_true 20 device_gone svtb
		assert_idle svta
		add_device svtb
	done
}

# Both ends of a veth go at once
netdev_goes_under_a_storm() {
	local i
	for ((i = 0; i < $(amount 1 10); i++)); do
		start_doomed
		ip -n a link delete veth0
		wait_doomed
		until_true 20 device_gone svta
		until_true 20 device_gone svtb
		ip netns delete a
		ip netns delete b
		until_true 20 namespace_gone a
		until_true 20 namespace_gone b
		setup_pair
	done
}

# Who unloads does not wait for who deletes, but for its end
unload_races_with_delete() {
	local i
	for ((i = 0; i < $(amount 2 20); i++)); do
		in_a rdma link delete svta &
		in_b rdma link delete svtb &
		modprobe -qr svt_roce || :
		wait
		until_true 20 device_gone svta
		until_true 20 device_gone svtb
		unload
		add_device svta
		add_device svtb
	done
}

# The check of copies to user space takes a lock that is not made for softirqs, see
# svt_region_fill(). Needs a function tracer.
no_lock_of_vmalloc_in_softirq() {
	echo find_vmap_area >"$TRACING/set_ftrace_filter"
	echo 1 >"$TRACING/options/func_stack_trace"
	echo function >"$TRACING/current_tracer"
	in_mode calm -n 20
	verify v4 -t ud_send
	cp "$TRACING/trace" "$WORK/trace"
	echo nop >"$TRACING/current_tracer"
	echo 0 >"$TRACING/options/func_stack_trace"
	echo >"$TRACING/set_ftrace_filter"
	head -n 1 "$WORK/trace"
	fails grep -m 1 -B 8 -A 20 svt_half_skb "$WORK/trace"
}

# The same each time
batch() {
	in_mode mix -s 7 -w 4 -n "$(amount 40 400)"
	in_mode kill -s 7 -n 1
	in_mode timer -s 7 -w 2 -n 32
}

# The first batch fills caches that stay; what leaks grows with each. KASAN keeps what was freed for
# a long time: there kmemleak looks for leaks at the end of all tests.
memory_comes_back() {
	local used=() areas i count
	count=$(amount 3 8)
	batch
	areas=$(vmalloc_of_svt)
	for ((i = 0; i < count; i++)); do
		batch
		used+=("$(memory_used)")
		[ "$(vmalloc_of_svt)" -le "$areas" ]
	done
	echo "kB in use: ${used[*]}"
	[ -e /sys/kernel/debug/kmemleak ] || [ "$((used[count - 1] - used[0]))" -lt 2000 ]
}

setup_pair
TEST_LIMIT=600 PAIR_LIMIT=$(choice 200 580)
run_test "storm of objects under traffic" storm_of_objects
run_test "thousand-connection limits" thousands_of_connections
run_test "destroy races with the timer" destroy_races_with_timer
run_test "connections by rdmacm" connections_by_rdmacm
run_test "kill -9 at any moment" kill_at_any_moment
run_test "objects are looked at as they go" objects_are_looked_at_as_they_go
run_test "modules in use stay" modules_in_use_stay
run_test "namespaces come and go" namespaces_come_and_go
run_test "device deleted under a storm" device_goes_under_a_storm
run_test "netdev deleted under a storm" netdev_goes_under_a_storm
run_test "unload races with delete" unload_races_with_delete
# The debug kernel has no such tracer, but lockdep
if [ -e "$TRACING/set_ftrace_filter" ]; then
	run_test "no lock of vmalloc in softirq" no_lock_of_vmalloc_in_softirq
else
	skip_test "no lock of vmalloc in softirq" "no function tracer"
fi
run_test "memory comes back" memory_comes_back
run_test "teardown leaves nothing" teardown_pair
finish
