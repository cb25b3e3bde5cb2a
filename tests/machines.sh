#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Which machines drivers/Kbuild takes, and what it says of others, asked by make without a kernel.
# Usage: machines.sh. Results are KTAP; the last line is "N passed, N failed".

set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../scripts/lib.sh
. "$(dirname "$0")/../scripts/lib.sh"

REFUSED='\*\*\* svt needs a processor of 64 bits, whose caches do not alias; this kernel is for another\.'

passed=0 failed=0

# ask VARIABLE=VALUE...: of the configuration of a kernel
ask() {
	env -u MAKEFLAGS make --eval='probe: ; @echo taken' -f "$TOP/drivers/Kbuild" obj=drivers \
		CONFIG_MODULES=y "$@" probe 2>&1 || :
}

# expect NAME ANSWER VARIABLE=VALUE...
expect() {
	local answer result=ok
	answer=$(ask "${@:3}")
	if grep -q "$2" <<<"$answer"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1)) result="not ok"
		echo "# $answer"
	fi
	echo "$result $((passed + failed)) $1"
}

printf '%s\n' "KTAP version 1" "1..3"
expect "64 bits are taken" '^taken$' CONFIG_64BIT=y
expect "32 bits are refused" "$REFUSED" CONFIG_64BIT=
expect "caches that alias are refused" "$REFUSED" CONFIG_64BIT=y CONFIG_ARCH_HAS_CPU_CACHE_ALIASING=y
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
