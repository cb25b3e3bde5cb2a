#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make bench`: svt, rxe and TCP in one boot of each kernel, with instructions as time. Usage:
# bench.sh [--only PATTERN] [KERNEL...]
# PATTERN is an extended regular expression for "e2e/guest/MEASUREMENT"; the tables are kept only
# without one, and when each measurement gave its figure. The last line is "N passed, N failed":
# measurements that gave a figure, which is one of work that both ends did. Those that did not are
# named above it, with the reason. Which targets they reach is said there, and does not count.

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
cd "$TOP"

OUT=$BUILD/bench
KEPT=Documentation/bench
passed=0 failed=0 only=
if [ "${1:-}" = --only ]; then
	only=${2:?bench.sh: --only needs a pattern}
	shift 2
fi
[ $# -gt 0 ] || set -- "${SERIES[@]}"

# While the guest waits for a file its clock leaps to whatever timer is next: a limit has to be out of
# reach. Who hangs gets there in no time.
export SVT_TIME_SCALE=1000 SVT_ONLY=$only

# bench KERNEL: its table
bench() {
	local out=$OUT/$1 kept=$KEPT/$1 version
	version=$(kernel_version "$1" image)
	scripts/build-modules.sh "$version" >"$OUT/make.log" 2>&1 || die "see $OUT/make.log"
	rm -rf "$out"
	tests/vm/run.sh --kernel "$version" --icount --leap --timeout 300 --files "$out" \
		--results "$out.results" -- tests/bench/guest.sh 2>&1 | sed -u "s/^/    /" ||
		kept=$out/incomplete
	[ -z "$only" ] || { cat "$out/values.csv"; return; }
	# Debian's, which has matplotlib
	/usr/bin/python3 tests/bench/report.py --kernel "$version" "$out" "$kept"
}

count() {
	{ grep -Hc "^$1 " "$OUT"/*.results || :; } | awk -F: '{ sum += $2 } END { print sum + 0 }'
}

mkdir -p "$OUT"
rm -f "$OUT"/*.results
scripts/install-deps.sh bench
make provider tools >"$OUT/make.log" 2>&1 || die "the build failed: see $OUT/make.log"
for kernel; do
	echo "== $kernel"
	bench "$kernel"
done
[ -n "$only" ] || python3 tests/bench/picture.py $KEPT/6.12.csv >$KEPT/overview.svg
passed=$(count pass) failed=$(count fail)
[ $((passed + failed)) -gt 0 ] || failed=1
sed -n 's/^fail [^:]*: /no figure: /p; s/^why /    /p' "$OUT"/*.results
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
