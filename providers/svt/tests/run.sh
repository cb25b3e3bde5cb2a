#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs programs of tests, and shows their results as one KTAP. Usage: run.sh [--or-none] PROGRAM...
# T is a pattern for the names of those to run. A program that ends before its last test, or in
# error without a test that failed, counts as a failure. What failed is named again at the end; the
# last line is "N passed, N failed". If no test matches T it is an error, except with --or-none.

set -euo pipefail
. "$(dirname "$0")/../../../scripts/lib.sh"

# A wake-up that is lost would otherwise be waited for until the end of time
LIMIT=$(scaled 120)

# run PROGRAM: its results
run() {
	local status=0 planned ran failed
	timeout "$LIMIT" "$1" ${T:+"$T"} >"$1.tap" || status=$?
	planned=$(sed -n 's/^1\.\.//p' "$1.tap")
	ran=$(grep -cE '^(not )?ok ' "$1.tap") || :
	failed=$(grep -c '^not ok ' "$1.tap") || :
	sed -E '/^1\.\.|^# (not )?ok - /d; /^(not )?ok |^#/!s/^/# /' "$1.tap"
	[ "$ran" = "$planned" ] && [ $((!status)) = $((!failed)) ] ||
		echo "not ok 0 - ${1##*/}: ended with status $status after $ran of ${planned:-its} tests"
}

least=1
if [ "$1" = --or-none ]; then
	least=0
	shift
fi
results=$(for program; do run "$program"; done)
passed=$(grep -c '^ok ' <<<"$results") || :
failed=$(grep -c '^not ok ' <<<"$results") || :
[ $((passed + failed)) -ge "$least" ] || die "no test is called '${T:-}'"
printf 'KTAP version 1\n1..%d\n' $((passed + failed))
awk '/^(not )?ok / { sub(/[0-9]+/, ++number) } 1' <<<"$results"
sed -n 's/^not ok [0-9]* - /failed: /p' <<<"$results"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
