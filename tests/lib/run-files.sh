#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs test files one after the other in the guest, each with a time limit. Usage: run-files.sh
# FILE... Reports "begin FILE" and "end FILE" around each, so that the host knows which one killed
# the machine.

set -uo pipefail
. "$(dirname "$0")/testlib.sh"
trap - EXIT

status=0
for file in "$@"; do
	name=$(basename "$file" .sh)
	limit=$(sed -n 's/^# Limit: \([0-9]*\) s.*/\1/p' "$file" | head -n 1)
	limit=$(scaled "${limit:-300}")
	echo "-- $name"
	echo "begin $name" >"$SVT_RESULTS"
	timeout -k 5 "$limit" bash "$file"
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
	echo "end $name" >"$SVT_RESULTS"
done
exit "$status"
