#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Puts the kernel's own tests of RDMA, tools/testing/selftests/rdma, into build/selftests: those that
# belong to the newest kernel of a root. Usage: selftests.sh SUITE
#
# They are in the package of that kernel's source, which is large; what is taken from it is kept where
# the roots are.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"

PARTS=(rdma kselftest/ktap_helpers.sh)

# download: the package into the directory in which this runs. The root's lists may be of yesterday
download() {
	# shellcheck disable=SC2016 # for the shell there
	"$TOP/scripts/in-root.sh" "$suite" sh -c \
		'apt-get download -qq "$1" || { apt-get update -qq && apt-get download -qq "$1"; }' - "$1"
}

unpack() {
	local file=("$1"/*.deb)
	dpkg-deb --fsys-tarfile "${file[0]}" | tar -xO --wildcards '*/linux-source-*.tar.xz' |
		tar -xJ -C "$1" --strip-components=4 --wildcards \
			"${PARTS[@]/#/linux-source-*/tools/testing/selftests/}"
}

fetch() {
	local place
	# The root sees nothing but the tree and what is built of it
	mkdir -p "$BUILD"
	place=$(mktemp -d "$BUILD/selftests.XXXXXX")
	(cd "$place" && download "linux-source-$(cut -d. -f1,2 <<<"$version")")
	unpack "$place"
	rm "$place"/*.deb
	mkdir -p "$cache_root"
	rm -rf "$kept.unfinished"
	mv "$place" "$kept.unfinished"
	mv "$kept.unfinished" "$kept"
}

suite=${1:?usage: selftests.sh SUITE}
version=$(kernel_version "$suite/newest" image)
version=${version##*/}
kept=$cache_root/selftests-$version
(
	hold_lock "$kept.lock"
	[ -d "$kept" ] || fetch
)
use_kept "$kept"
rm -rf "$BUILD/selftests"
cp -r "$kept" "$BUILD/selftests"
