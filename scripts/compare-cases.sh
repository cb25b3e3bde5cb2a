#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What a change did to the tests: compares two lists of `make cases`. Usage: compare-cases.sh BEFORE
# AFTER
# Prints each pair of case and kernel that was lost or won, and for each kernel how many there were,
# were lost and were won. What only moved from one stage to another is counted. Fails when a case was
# lost on a kernel.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ $# = 2 ] && [ -r "$1" ] && [ -r "$2" ] || die "usage: compare-cases.sh BEFORE AFTER"

LC_ALL=C awk -F '\t' '
	NR == FNR {
		if (!(($1, $2) in before))
			had[$2]++
		before[$1, $2] = before[$1, $2] " " $3
		kernels[$2]
		next
	}
	{
		if (!(($1, $2) in after) && !(($1, $2) in before)) {
			print "won: " $1 ", " $2 ", " $3
			won[$2]++
		}
		after[$1, $2] = after[$1, $2] " " $3
		kernels[$2]
	}
	END {
		for (pair in before) {
			split(pair, part, SUBSEP)
			if (!(pair in after)) {
				print "lost: " part[1] ", " part[2] "," before[pair]
				lost[part[2]]++
				bad = 1
			} else if (before[pair] != after[pair]) {
				moved[part[2]]++
			}
		}
		for (kernel in kernels)
			printf "%s: %d before, %d lost, %d won, %d in other stages\n", kernel,
				had[kernel], lost[kernel], won[kernel], moved[kernel]
		exit bad
	}' "$1" "$2"
