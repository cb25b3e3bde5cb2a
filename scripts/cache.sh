# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# What is made once and kept outside of the tree, below cache_root, under names with a checksum of what
# it is made by: test kernels, roots of other suites, the kernel's checkers. To be sourced after lib.sh.

cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/svt

# hold_lock FILE: one at a time.  The lock ends with the (sub)shell that called this.
hold_lock() {
	local fd

	mkdir -p "$(dirname "$1")"
	exec {fd}>"$1"
	if ! flock -n "$fd"; then
		echo "waiting for the process that holds $1" >&2
		flock "$fd"
	fi
}

# use_kept DIRECTORY: it is used now. Those whose names begin as its own, up to a hyphen, and that nobody
# used for 30 days go, with their logs and locks. What is being made has the time of what is unpacked.
use_kept() {
	local kind=${1##*/}
	touch "$1"
	find "$cache_root" -mindepth 1 -maxdepth 1 -name "${kind%%-*}-*" ! -name '*.unfinished' \
		! -name '*.building' -mtime +30 -exec rm -rf --one-file-system {} +
}
