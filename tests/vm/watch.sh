# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Ends a machine that shows no sign of life. To be sourced behind scripts/lib.sh.

# watch_life PROCESS SECONDS FILE...: ends the process when none of the files was written for so long, times
# SVT_TIME_SCALE. It looks every five seconds, and counts looks, not the time: a machine that stands still
# with the host has not hung.
watch_life() {
	local looks=0 most seen='' now
	most=$(($(scaled "$2") / 5))
	while kill -0 "$1"; do
		sleep 5
		now=$(stat -c %Y "${@:3}" | sort -n | tail -n 1)
		looks=$((now == ${seen:-0} ? looks + 1 : 0))
		seen=$now
		[ "$looks" -lt "$most" ] || kill "$1"
	done
} 2>/dev/null
