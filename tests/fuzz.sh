#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs the programs of tests/fuzz. Usage: fuzz.sh [--runs N] [--seed N] [NAME...]
# An input that breaks something is kept in build/fuzz, and the command that runs it again is printed.
# Results are KTAP; the last line is "N passed, N failed".

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"

runs=1000000 seed=
while [[ ${1:-} == --* ]]; do
	[ $# -ge 2 ] || die "$1 needs a value"
	[[ $2 =~ ^[0-9]+$ ]] || die "$1 needs a number, not '$2'"
	case $1 in
	--runs) runs=$2 ;;
	--seed) seed=$2 ;;
	*) die "unknown option '$1'" ;;
	esac
	shift 2
done
# 0 means a seed of its own to libFuzzer, which it would not need to tell
[ "${seed:-0}" != 0 ] || seed=$((SRANDOM % 1000000 + 1))

dir=$BUILD/fuzz
make -s -C "$TOP/tests/fuzz" BUILD="$dir"
[ $# -gt 0 ] || set -- "$TOP"/tests/fuzz/*.c

passed=0 failed=0
printf '%s\n' "KTAP version 1" "1..$#"
for name; do
	name=$(basename "$name" .c)
	[ -x "$dir/$name" ] || die "nothing is called $name: see tests/fuzz"
	if "$dir/$name" -runs="$runs" -seed="$seed" -max_len=96 -rss_limit_mb=1024 \
		-artifact_prefix="$dir/$name-" >"$dir/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) $name # $runs inputs, seed $seed"
	else
		tail -n 40 "$dir/$name.log" | sed 's/^/# /'
		failed=$((failed + 1))
		echo "# again: $dir/$name $(
			sed -n 's/.*Test unit written to //p' "$dir/$name.log" | tail -n 1)"
		echo "not ok $((passed + failed)) $name # seed $seed"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
