#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdma-core's own test suite on an svt device: no failure, no error, and more tests that pass than
# rxe has (86).
# Limit: 1200 s

. "$(dirname "$0")/../lib/testlib.sh"

suite() {
	cp -r /usr/share/doc/rdma-core/tests "$WORK/tests"
	find "$WORK/tests" -name '*.gz' -exec gunzip {} +
	in_a bash -c 'cd "$1" && exec timeout "$2" \
		/usr/bin/python3 tests/run_tests.py --dev svta --gid "$3" -v' \
		- "$WORK" "$(scaled 500)" "$(gid_index svta v4)" >"$WORK/log" 2>&1 || :
	grep -E '\.\.\. (FAIL|ERROR)' "$WORK/log" || :
	grep -E '^(FAIL|ERROR):' -A 12 "$WORK/log" | head -n 150 || :
	tail -n 4 "$WORK/log"
	echo "ok: $(grep -cE '\.\.\. ok' "$WORK/log")"
	grep -qE '^OK' "$WORK/log"
	[ "$(grep -cE '\.\.\. ok' "$WORK/log")" -gt 86 ]
}

setup_pair
TEST_LIMIT=600
run_test "pyverbs suite" suite
run_test "teardown leaves nothing" teardown_pair
finish
