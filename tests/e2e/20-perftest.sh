#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Debian's perftest over the wire. Each program with each transport that it has, then the options
# that make a difference to the driver. The figures mean nothing here; that every run ends, with a
# line of results, does. Queues of perftest have 128 entries: a bandwidth run goes around them.

. "$(dirname "$0")/../lib/testlib.sh"

# perftest PROGRAM [OPTION...]: a run between the IPv4 addresses, or those of KIND
perftest() {
	local program=$1 kind=${KIND:-v4}
	shift
	pair "$program" -d svta -x "$(gid_index svta "$kind")" -F "$@" -- \
		"$program" -d svtb -x "$(gid_index svtb "$kind")" -F "$@" 10.0.0.1
	has_results
}

perftest_v6() {
	KIND=v6 perftest "$@"
}

perftest_cm() {
	local program=$1
	shift
	pair "$program" -R -F "$@" -- "$program" -R -F "$@" 10.0.0.1
	has_results
}

# under_pressure COMMAND...: while it runs, others take all the memory that /dev/shm may have, and give it
# back, so that who sends has to look for some
under_pressure() {
	local fill share
	share=$(awk '/^MemTotal:/ { print int($2 / 4096) }' /proc/meminfo)
	trap 'rm -f /dev/shm/fill{1,2}' EXIT
	for fill in /dev/shm/fill{1,2}; do
		until [ -e "$WORK/enough" ]; do
			dd if=/dev/zero of="$fill" bs=1M count="$share" 2>/dev/null || :
			rm -f "$fill"
		done &
	done
	"$@"
	touch "$WORK/enough"
	wait
}

setup_pair
for operation in send write; do
	run_on_each "$operation bandwidth RC" perftest "ib_${operation}_bw" -c RC -n 150
	run_on_each "$operation latency RC" perftest "ib_${operation}_lat" -c RC -n 60
	run_test "$operation bandwidth UC" perftest "ib_${operation}_bw" -c UC -n 150
	run_test "$operation latency UC" perftest "ib_${operation}_lat" -c UC -n 60
done
run_on_each "send bandwidth UD" perftest ib_send_bw -c UD -s 2048 -n 200
run_test "send latency UD" perftest ib_send_lat -c UD -n 60
run_on_each "read bandwidth" perftest ib_read_bw -n 150
run_on_each "read latency" perftest ib_read_lat -n 60
for atomic in CMP_AND_SWAP FETCH_AND_ADD; do
	run_on_each "atomic bandwidth $atomic" perftest ib_atomic_bw -A $atomic -n 150
	run_test "atomic latency $atomic" perftest ib_atomic_lat -A $atomic -n 60
done
for program in ib_send_bw ib_send_lat ib_read_bw ib_read_lat; do
	run_test "$program by events" perftest $program -e -n 100
done
for program in ib_send_bw ib_write_bw ib_read_bw; do
	run_test "$program with 16 QPs" perftest $program -q 16 -n 40
	run_test "$program both ways" perftest $program -b -n 150
	run_test "$program over IPv6" perftest_v6 $program -n 150
	run_on_each "$program connected by rdmacm" perftest_cm $program -n 150
done
run_test "ib_send_bw with an SRQ" perftest ib_send_bw --use-srq -n 150
run_test "ib_send_bw posting lists" perftest ib_send_bw -l 8 -n 160
run_test "ib_send_bw with inline data" perftest ib_send_bw -I 256 -s 256 -n 200
run_test "ib_write_bw by the old post send interface" \
	perftest ib_write_bw --use_old_post_send -n 150
# A real-time kernel preempts who has BH off, and an allocation there may sleep: not with preemption off.
# In check-full that goes on for an hour, or SVT_PRESSURE seconds
if [[ $SVT_KERNEL = *-rt* ]]; then
	seconds=$(choice 0 "${SVT_PRESSURE:-3600}")
	PAIR_LIMIT=$((100 + seconds)) TEST_LIMIT=$((150 + seconds))
	run_on_each "writes both ways while memory is short" under_pressure \
		perftest ib_write_bw -b -q 8 "$(choice --iters=1500 "--duration=$seconds")"
else
	run_test "writes both ways while memory is short" \
		under_pressure perftest ib_write_bw -b -q 8 -n 100
fi
PAIR_LIMIT=100 TEST_LIMIT=150
for mtu in 1024 2048 4096; do
	run_test "ib_send_bw with path MTU $mtu" perftest ib_send_bw -m $mtu -n 150
done
TEST_LIMIT=300 PAIR_LIMIT=280
for program in $(choice ib_send_bw "ib_send_bw ib_write_bw ib_read_bw ib_send_lat"); do
	run_test "$program all sizes" perftest "$program" -a -n 5
done
run_on_each "teardown leaves nothing" leave_pair
finish
