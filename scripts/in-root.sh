#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Runs a command in a root that root.sh makes, with this tree at its place there. Usage: in-root.sh
# SUITE COMMAND... In a root of another architecture make finds that one's compiler. What is kept outside
# of the tree is there too.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/arch.sh"
. "$TOP/scripts/cache.sh"

# enter COMMAND...: called by with_mounts
enter() {
	local directory
	trap 'umount -l "$root/proc" "$root$cache_root" "$root$BUILD" "$root$TOP" 2>/dev/null' EXIT
	for directory in "$TOP" "$BUILD" "$cache_root"; do
		mkdir -p "$directory" "$root$directory"
		mount --bind "$directory" "$root$directory"
	done
	mount -t proc proc "$root/proc"
	# shellcheck disable=SC2016 # for the shell there
	chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}

if [ -n "${SVT_ENTER_ROOT:-}" ]; then
	root=$SVT_ENTER_ROOT
	unset SVT_ENTER_ROOT
	enter "$@"
	exit
fi
[ $# -gt 1 ] || die "usage: in-root.sh SUITE COMMAND..."
root=$("$TOP/scripts/root.sh" "$1")
find_arch "$1"
if [ -n "$arch" ]; then
	export ARCH=$karch CROSS_COMPILE=$triplet- CC=$triplet-gcc STRIP=$triplet-strip
fi
shift
export SVT_ENTER_ROOT=$root
with_mounts "$0" "$@"
