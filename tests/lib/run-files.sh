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

run_file() {
	local name=$1 limit
	limit=$(sed -n 's/^# Limit: \([0-9]*\) s.*/\1/p' "$2" | head -n 1)
	limit=$(scaled "${limit:-300}")
	timeout -k 5 "$limit" bash "$2"
	case $? in
	0) ;;
	124 | 137)
		echo "FAIL $name did not end within $limit s"
		echo "fail $name: did not end within $limit s" >"$SVT_RESULTS"
		status=1
		;;
	*) status=1 ;;
	esac
	rm -f /run/svt/pair
	recover_pair
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
for file in "$@"; do
	name=$(basename "$file" .sh)
	echo "-- $name"
	echo "begin $name" >"$SVT_RESULTS"
	run_file "$name" "$file"
	echo "end $name" >"$SVT_RESULTS"
done

# Messages that a file expects are not the checkers'
read_dmesg
: >"$KMSG"
TEST_FILE=checkers SVT_ONLY=''
[ ! -e /proc/lockdep_stats ] || run_test "lockdep is on" lockdep_is_on
[ ! -e $LEAKS ] || run_test "nothing leaked" nothing_leaked
[ ! -e $KCSAN ] || find_race
[ -z "${SVT_COVERED:-}" ] || run_test "counters" save_counters
[ "$failed" = 0 ] || status=1
exit "$status"
