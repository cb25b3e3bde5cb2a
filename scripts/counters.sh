#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Prints the counters of drivers/svt/counters.h as the table that Documentation/counters.rst has.
# With --check it prints where that page differs: "FILE:LINE: TYPE: what is wrong".

set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$TOP"

page=Documentation/counters.rst

table() {
	sed -n '/^#define SVT_COUNTERS/,/[^\\]$/p' drivers/svt/counters.h | tr -d '\t\\\n' |
		sed 's/row(/\n/g' | awk -F '"' '
			BEGIN { line = "=========================  " }
			BEGIN { while (length(line) < 110) line = line "=" }
			BEGIN { print line; printf "%-27s%s\n%s\n", "counter", "counts", line }
			NF > 3 { printf "%-27s%s\n", "``" $2 "``", $4 }
			END { print line }'
}

case ${1:-} in
'') table ;;
--check)
	at=$(grep -n -m 1 '^===.*  ===' "$page" | cut -d : -f 1)
	cmp -s <(table) <(sed -n "$at,/^\$/p" "$page" | sed '$d') ||
		echo "$page:$at: COUNTERS: not the table that scripts/counters.sh prints"
	;;
*) die "usage: counters.sh [--check]" ;;
esac
