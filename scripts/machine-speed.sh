#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Prints how many times as long as the machine that limits and budgets are for this one takes for a
# piece of work, on two processors at once: 1.00 is as fast. What else runs here counts.

set -euo pipefail

# Milliseconds of that machine, two cores of an AMD EPYC that did nothing else
REFERENCE=650

work() {
	local i x=1
	for ((i = 0; i < 250000; i++)); do
		x=$(((x * 31 + i) % 65521))
	done
}

started=${EPOCHREALTIME/[.,]/}
work &
work
wait
took=$((${EPOCHREALTIME/[.,]/} - started))
awk -v took="$took" -v reference="$REFERENCE" \
	'BEGIN { printf "%.2f\n", took / 1000 / reference }'
