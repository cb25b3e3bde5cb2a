#!/bin/sh
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# First process of the User-Mode Linux guest that scripts/kunit.sh boots.  The root is
# the host's, read-only; suites.sh does what the guest is for, with the directory
# $SVT_RUN of the host (from the kernel command line).

PATH=/usr/sbin:/usr/bin:/sbin:/bin
export PATH
out=/run/out

power_off() {
	sync
	exec perl -e 'syscall(169, 0xfee1dead, 672274793, 0x4321fedc, 0)'
}

mount_all() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t debugfs debugfs /sys/kernel/debug
	mount -t devtmpfs devtmpfs /dev
	mount -t tmpfs tmpfs /run
	mkdir "$out"
	mount -t hostfs out "$out" -o "$SVT_RUN" ||
		mount -t hostfs out "$out" -o "hostfs=$SVT_RUN" || power_off
	mount --bind "$SVT_MODULES" /lib/modules
}

mount_all
SVT_LOAD=$out/load "${0%/*}/suites.sh" "$out"
power_off
