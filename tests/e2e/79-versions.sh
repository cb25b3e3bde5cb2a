#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Module, provider and library of different releases: programs find no device of svt, and one line
# says which of them does not fit.

. "$(dirname "$0")/../lib/testlib.sh"

HEADER=include/uapi/rdma/svt-abi.h
NUMBER=$(sed -n 's/^#define SVT_UVERBS_ABI_VERSION[[:space:]]*//p' "$TOP/$HEADER")
INSTALLED=$(find /usr/lib -name 'libsvt-rdmav*.so')

# build_provider NUMBER: one for modules with that ABI, in $WORK/provider. What does not name the
# number is as it was built.
build_provider() {
	local source
	mkdir "$WORK/provider"
	cp "$(provider_of "$SVT_KERNEL")"/{library-facts.h,*.o} "$WORK/provider"
	cp -r "$TOP/include/uapi" "$WORK/uapi"
	sed -i "/^#define SVT_UVERBS_ABI_VERSION/s/[0-9]*$/$1/" "$WORK/uapi/${HEADER#include/uapi/}"
	for source in $(cd "$TOP/providers/svt" && grep -l SVT_UVERBS_ABI_VERSION -- *.c); do
		rm "$WORK/provider/${source%.c}.o"
	done
	make -sC "$TOP/providers/svt" -o "$WORK/provider/library-facts.h" \
		BUILD="$WORK/provider" UAPI="$WORK/uapi"
}

# finds_none STATUS LINES PROGRAM [ARGUMENT...]: after what $WORK/changes does in its mount namespace
# it finds no device, ends so and says these lines, an extended regular expression, and no more.
finds_none() {
	local status=0
	# shellcheck disable=SC2016 # for the shell there
	in_a unshare -m bash -ec '. "$1"; shift; exec "$@"' - "$WORK/changes" "${@:3}" \
		>"$WORK/out" 2>"$WORK/error" || status=$?
	cat "$WORK/out" "$WORK/error"
	echo "status $status"
	[ "$status" = "$1" ]
	[[ "$(<"$WORK/error")" =~ ^$2$ ]]
	fails grep svt "$WORK/out"
}

# programs_find_none LINE: two of these have one of their own to say
programs_find_none() {
	finds_none 0 "$1" ibv_devices
	finds_none 255 "$1"$'\n'"No IB devices found" ibv_devinfo
	finds_none 255 "$1"$'\n'"IB device 'svta' wasn't found" ibv_devinfo -d svta
}

provider_for() {
	build_provider "$1"
	echo "busybox mount -o bind $WORK/provider/${INSTALLED##*/} $INSTALLED" >"$WORK/changes"
	programs_find_none "svt: svt[ab] has ABI $NUMBER, this provider $1: install both from one release"
}

# As when libibverbs was replaced by one with another private ABI
no_provider_for_the_library() {
	local name=${INSTALLED##*/} why="cannot open shared object file: No such file or directory"
	mkdir "$WORK/drivers"
	cp /etc/libibverbs.d/svt.driver "$WORK/drivers"
	printf 'busybox mount %s\n' "-t tmpfs none ${INSTALLED%/*}" \
		"-o bind $WORK/drivers /etc/libibverbs.d" >"$WORK/changes"
	programs_find_none "libibverbs: Warning: couldn't load driver '$name': $name: $why"
}

library_that_knows_no_provider() {
	local none="libibverbs: Warning: no userspace device-specific driver found for svt"
	echo "busybox mount -t tmpfs none /etc/libibverbs.d" >"$WORK/changes"
	finds_none 0 "" ibv_devices
	finds_none 0 "$none[ab]"$'\n'"$none[ab]" env IBV_SHOW_WARNINGS=1 ibv_devices
}

setup_pair
# Where the machine is emulated, so is the compiler
TEST_LIMIT=300
run_test "a provider newer than the module" provider_for $((NUMBER + 1))
run_test "a provider older than the module" provider_for $((NUMBER - 1))
run_test "a library without a provider" no_provider_for_the_library
run_test "a library that was told of no provider" library_that_knows_no_provider
run_test "teardown leaves nothing" leave_pair
finish
