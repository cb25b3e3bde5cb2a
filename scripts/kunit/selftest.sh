#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Shows that scripts/kunit.sh passes what is good and reports each kind of failure.

set -euo pipefail

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"
export BUILD=$BUILD/kunit-selftest
output=$BUILD/output
passed=0
failed=0

kunit() {
	"$TOP/scripts/kunit.sh" --source "$TOP/scripts/kunit/selftest" "$@" >"$output" 2>&1
}

verdict() {
	if [[ $1 = ok ]]; then
		echo "ok: $2"
		passed=$((passed + 1))
	else
		echo "FAILED: $2"
		sed 's/^/    /' "$output"
		failed=$((failed + 1))
	fi
}

# passes WHAT LAST-LINE ARGUMENT...
passes() {
	local what=$1 last=$2
	shift 2

	if kunit "$@" && [[ $(tail -n 1 "$output") = "$last" ]]; then
		verdict ok "$what"
	else
		verdict bad "$what does not pass"
	fi
}

# reports WHAT PATTERN ARGUMENT...: it fails, says so in the last line, and says why
reports() {
	local what=$1 pattern=$2
	shift 2

	if kunit "$@"; then
		verdict bad "$what passes"
	elif ! tail -n 1 "$output" | grep -Eq '^[0-9]+ passed, [1-9][0-9]* failed$'; then
		verdict bad "$what: the last line is no verdict"
	elif ! grep -Eq "$pattern" "$output"; then
		verdict bad "$what is not named"
	else
		verdict ok "$what is reported"
	fi
}

bug() {
	local case=$1
	shift

	reports "$@" --module bugs --filter "bugs.$case"
}

mkdir -p "$BUILD"
passes "a good module" "3 passed, 0 failed" --module good
passes "one suite of two" "2 passed, 0 failed" --module good --filter param
reports "a filter that nothing matches" "no suite ran" --module good --filter nothing
reports "a module without suites" "no suite ran" --module empty
reports "a module that does not load" "refused.ko: .*No such device" --module refused
reports "a module that does not exist" "no module to load" --module absent
bug fails "a failed expectation" "FAILED: bugs.fails"
bug skips "a skipped case" "skipped: no reason"
bug overruns "an overrun" "BUG: KASAN: slab-out-of-bounds in overruns"
bug inverts "a lock inversion" "WARNING: possible circular locking"
bug sleeps "a sleep in atomic context" "BUG: (scheduling while atomic|sleeping function)"
bug leaks "a leak" "leaks[+]0x[0-9a-f]+ .bugs."
bug warns "a warning" "WARNING: .*bugs.c:"
bug shifts "undefined behaviour" "UBSAN: shift-out-of-bounds"
bug peeks "an RCU access without the lock" "WARNING: suspicious RCU usage"
bug frees_timer "a freed timer" "ODEBUG: free active"
bug stays "a module that cannot be removed" "rmmod bugs: .*in use"
bug panics "a panic" "Kernel panic"
bug faults "a wild pointer" "did not finish|KASAN"
bug quits "an early end with forged results" "did not finish"
bug hangs "an endless loop" "exit status timeout" --timeout 20
echo "$passed passed, $failed failed"
((failed == 0))
