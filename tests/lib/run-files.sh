#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs test files one after the other in the guest, each with a time limit. Usage: run-files.sh
# FILE... Reports "begin FILE" and "end FILE" around each, so that the host knows which one killed
# the machine. In a kernel with checkers, their verdict comes last.

set -uo pipefail
. "$(dirname "$0")/testlib.sh"
trap - EXIT

LEAKS=/sys/kernel/debug/kmemleak
KCSAN=/sys/kernel/debug/kcsan

# kill_when_stuck PROCESS: of a file that gives no sign of progress for as long as it was allowed to.
# Seconds in which this machine ran are counted: one that stands still has not hung.
kill_when_stuck() {
	local waited=0 limit seen='' sign=''
	while nap 1 && kill -0 "$1"; do
		read -r limit sign <"$PROGRESS"
		[ "$sign" = "$seen" ] || waited=0
		seen=$sign
		waited=$((waited + 1))
		[ "$waited" -gt $((limit + $(scaled 60))) ] || continue
		touch /run/svt/stuck
		kill -9 -- "-$1"
	done
} 2>/dev/null

# Hundredths of a second in which all processors together had nothing to do
idle_time() {
	local idle wait
	read -r _ _ _ _ idle wait _ </proc/stat
	echo $(((idle + wait) / $(nproc)))
}

# run_file NAME FILE: its results, and how long it took, what of that were tests, and what was waiting
run_file() {
	local job watch started idle total result=ok
	started=$(milliseconds) idle=$(idle_time)
	allow "$BETWEEN_TESTS"
	rm -f /run/svt/stuck
	echo 0 >/run/svt/tests_ms
	ktap "    KTAP version 1" "    # Subtest: $1"
	set -m
	KTAP_INDENT="$KTAP_INDENT    " bash "$2" &
	job=$!
	set +m
	kill_when_stuck "$job" &
	watch=$!
	wait "$job" || status=1 result="not ok"
	kill "$watch" 2>/dev/null
	wait "$watch" 2>/dev/null
	if [ -e /run/svt/stuck ]; then
		ktap "    not ok 0 no progress"
		echo "fail $1: no progress" >>"$SVT_RESULTS"
	fi
	total=$(($(milliseconds) - started)) idle=$((10 * ($(idle_time) - idle)))
	number=$((number + 1))
	ktap "$result $number $1 # $(in_seconds $total)"
	echo "time $1 $total $(</run/svt/tests_ms) $idle" >>"$SVT_RESULTS"
	rm -f /run/svt/pair
	[ -e /run/svt/left ] || [ -n "${SVT_LIST:-}" ] || recover_pair
}

# The kernel's own limits switch it off as well as a report
lockdep_is_on() {
	grep 'debug_locks: *1$' /proc/lockdep_stats
}

# An object counts as leaked when two scans found nobody who points to it and it is older than 5
# seconds; one that changed since the last scan is spared by one. Caches are most of what a scan has
# to look at.
nothing_leaked() {
	echo 3 >/proc/sys/vm/drop_caches
	echo scan >$LEAKS
	sleep 6
	echo scan >$LEAKS
	echo scan >$LEAKS
	cat $LEAKS
	[ "$(wc -c <$LEAKS)" = 0 ]
}

two_that_race() {
	echo x >/sys/kernel/debug/svt_test/race &
	echo x >/sys/kernel/debug/svt_test/race
	wait
}

# What the harness said of two that race: "no race" means something only where one is seen
is_reported() {
	echo "$1"
	grep 'BUG: KCSAN: data-race in kt_race_write' <<<"$1"
}

find_race() {
	local said
	load_test_client
	said=$(SVT_RESULTS=/dev/null run_test "two that race" two_that_race)
	rmmod svt_test
	run_test "a data race is reported" is_reported "$said"
}

# Files there have no size: tar would take none of their content.
save_counters() {
	local file
	cd /sys/kernel/debug/gcov || die "this kernel has no gcov"
	find "./$SVT_COVERED" -name '*.gcda' | while read -r file; do
		mkdir -p "/run/svt/files/${file%/*}"
		cat "$file" >"/run/svt/files/$file"
	done
}

status=0
# Without it each file takes down what it set up
[ -n "${SVT_FULL:-}" ] || export SVT_KEEP_PAIR=1
ktap "KTAP version 1"
tell_machine
echo "time boot $(awk '{ printf "%d", 1000 * $1 }' /proc/uptime) 0 0" >>"$SVT_RESULTS"
for file in "$@"; do
	name=$(basename "$file" .sh)
	echo "begin $name" >>"$SVT_RESULTS"
	run_file "$name" "$file"
	echo "end $name" >>"$SVT_RESULTS"
done

# Messages that a file expects are not the checkers'
read_dmesg
: >"$KMSG"
TEST_FILE=checkers SVT_ONLY='' SVT_EACH=''
[ ! -e /run/svt/left ] || run_test "teardown of the last pair leaves nothing" take_left
[ ! -e /proc/lockdep_stats ] || run_test "lockdep is on" lockdep_is_on
[ ! -e $LEAKS ] || run_test "nothing leaked" nothing_leaked
[ ! -e $KCSAN ] || find_race
[ -z "${SVT_COVERED:-}" ] || run_test "counters" save_counters
[ "$failed" = 0 ] || status=1
exit "$status"
