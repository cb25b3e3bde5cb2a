# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# The test harness of what runs on the host, to be sourced behind scripts/lib.sh: a file calls run_test for
# each of its tests and finish at its end. Results are KTAP; the last line is "N passed, N failed". WORK is
# a directory for its files, which is removed at the end.

passed=0 failed=0
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
echo "KTAP version 1"

# run_test NAME FUNCTION [ARGUMENT...]
run_test() {
	local name=$1 result=ok
	shift
	: >"$WORK/log"
	# In a condition an error would not end it
	(set -e; "$@") >>"$WORK/log" 2>&1 &
	if wait $!; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) result="not ok"
		sed 's/^/# /' "$WORK/log"
	fi
	echo "$result $((passed + failed)) $name"
}

# fails COMMAND...: it has to fail
fails() {
	! "$@" || die "this should have failed: $*"
}

# says STATUS PATTERN COMMAND...: this one line, an extended regular expression, and nothing else
says() {
	local status=0
	"${@:3}" >"$WORK/said" 2>&1 || status=$?
	cat "$WORK/said"
	echo "status $status"
	[ "$status" = "$1" ] && [ "$(wc -l <"$WORK/said")" = 1 ] && grep -qE "^$2\$" "$WORK/said"
}

finish() {
	echo "1..$((passed + failed))"
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
	exit
}
