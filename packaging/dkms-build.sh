#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the modules for one kernel, where DKMS has put the sources. Usage: dkms-build.sh VERSION HEADERS,
# and what DKMS adds for make, as LLVM=1.
#
# All of it goes to DKMS's make.log, whose last line tells what went wrong, and what to do.

# What the build takes, and what DKMS copies of it then: it does not notice that a copy is cut short
BUILD_KB=40000
MODULES_KB=4000

die() {
	echo "svt: $*"
	exit 1
}

# need_room DIRECTORY KB
need_room() {
	free=$(df -Pk "$1" | awk 'NR == 2 { print $4 }')
	[ "${free:-0}" -ge "$2" ] ||
		die "$1 has $((free / 1024)) MB left and needs $(($2 / 1024)): make room, then 'dkms autoinstall -k $version'"
}

# build ARGUMENT...: without debug information, which DKMS would strip again
build() {
	make -j"$(nproc)" -C "$headers" M="$PWD" CONFIG_DEBUG_INFO= CONFIG_DEBUG_INFO_BTF_MODULES= \
		modules "$@" 2>&1
}

version=$1 headers=$2
shift 2
need_room "$PWD" "$BUILD_KB"
need_room "/lib/modules/$version" "$MODULES_KB"
if ! build "$@"; then
	need_room "$PWD" "$MODULES_KB"
	# What compat/Kbuild refuses it says in such a line
	refused=$(sed -n 's/^svt: //p' make.log | tail -n 1)
	die "${refused:-the modules do not build for Linux $version: the first error above says why}"
fi
need_room "$PWD" "$MODULES_KB"
