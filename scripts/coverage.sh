#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which lines and branches of drivers/ the tests run: a table per file, and the verdict of
# scripts/coverage/verdict.py. Usage: coverage.sh [--kunit] [FILE...]
#   --kunit  the KUnit suites only
# Without it the end-to-end tests run as well, hostile packets and allocations that fail among them
# (or those of FILE...), in the debug kernel.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

out=$BUILD/coverage
reports=() failed=

# count_lines NAME KERNEL DIR: the modules were built in DIR, and their counters are there. gcov
# runs in the kernel's tree, where it finds the headers that were compiled in.
count_lines() {
	gcovr --root "$3" --object-directory "$2" --filter '.*drivers/' --json "$out/$1.json" "$3" \
		>"$out/gcovr.log" 2>&1 || { tail -n 20 "$out/gcovr.log" >&2; die "gcovr failed"; }
	reports+=(--add-tracefile "$out/$1.json")
}

# place_counters FROM DIR: in the place of those of an earlier run
place_counters() {
	find "$2/drivers" -name '*.gcda' -delete
	cp -r "$1/." "$2"
}

# The modules are built apart from those that other tests use.
run_kunit() {
	BUILD=$out scripts/kunit.sh --coverage || die "the suites have to pass first"
	place_counters "$out/um-debug/kunit/gcov" "$out/um-debug"
	count_lines kunit "$(scripts/kernel.sh um-debug)" "$out/um-debug"
}

run_e2e() {
	BUILD=$out scripts/build-modules.sh --coverage debug
	make --no-print-directory BUILD="$out" provider tools
	rm -rf "$out/files"
	BUILD=$out tests/e2e.sh --kernel debug --files "$out/files" "$@" || failed=1
	place_counters "$out/files/$out/debug" "$out/debug"
	count_lines e2e "$(scripts/kernel.sh debug)" "$out/debug"
}

report() {
	rm -rf "$out/html"
	mkdir "$out/html"
	gcovr --root "$TOP" "${reports[@]}" --exclude '.*/tests/.*' --exclude '.*/svt_test/.*' \
		--txt "$out/lines.txt" --html-details "$out/html/index.html" \
		--json "$out/all.json" --print-summary >"$out/summary.txt"
	cut -c1-100 "$out/lines.txt"
	grep -E '^(lines|branches)' "$out/summary.txt"
	say "coverage: all lines are in $out/html/index.html"
}

kunit_only=
[ "${1:-}" != --kunit ] || kunit_only=1
cd "$TOP"
[ $# -gt 0 ] || set -- tests/e2e/[0-9]*.sh tests/hostile/{10,30}-*.sh
scripts/install-deps.sh coverage
mkdir -p "$out"
run_kunit
[ -n "$kunit_only" ] || run_e2e "$@"
report
# An hour of counters is worth its table; but lines that a failed test ran are not tested
if [ -n "$failed" ]; then
	echo "FAIL the tests have to pass first"
	echo "0 passed, 1 failed"
	exit 1
fi
[ -n "$kunit_only" ] || python3 scripts/coverage/verdict.py "$out/all.json"
