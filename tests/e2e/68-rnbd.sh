#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# RNBD over RTRS: the kernel's block device of a cluster, which registers one region again and again
# with what was mapped once (its server), and maps for the next request while the last one's
# registration is queued. A filesystem and fio's verification above, between two svt devices. Both ends
# know the first network namespace only. What is taken away fails I/O, for there is one path; it is
# found again.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/disk.sh"

GIVES_UP=1
SESSION=svt
CONTROL=/sys/class/rnbd-client/ctl
CLIENT=/sys/class/rtrs-client/$SESSION
PATHS=$CLIENT/paths

# A client that comes back wants as many buffers as it had.
target_start() {
	modprobe rtrs-server sess_queue_depth=64
	modprobe rnbd-server
}

target_stop() {
	modprobe -r rnbd-server
}

target_setup() {
	modprobe brd rd_nr=1 rd_size=65536
	modprobe rnbd-client
	target_start
}

target_teardown() {
	until_true 30 modprobe -qr rnbd-client || die "rnbd-client does not go"
	until_true 30 modprobe -qr rnbd-server || die "rnbd-server does not go"
	modprobe -r brd
}

# map DEVICE [OPTION]: what the target calls so. A port has to stand in front of the address. RTRS's
# own choice of a path keeps a list on each CPU, and one that is preempted there fails its request.
map() {
	echo "${2:-} sessname=$SESSION path=ip:10.0.1.2@ip:10.0.1.1 device_path=$1" >$CONTROL/map_device || return
	echo round-robin >$CLIENT/mpath_policy
}

connect_disk() {
	map /dev/ram0 "$@"
}

disk() {
	local name
	for name in /sys/block/rnbd*; do
		[ -b "/dev/${name##*/}" ] && echo "/dev/${name##*/}" && return
	done
	return 1
}

# A session whose name the target still has can not be made again
disconnect_disk() {
	local name
	for name in /sys/block/rnbd*; do
		echo force >"$name/rnbd/unmap_device"
	done
	until_true 20 session_gone || die "the target keeps the session"
}

session_gone() {
	[ ! -e /sys/class/rtrs-server/$SESSION ]
}

# live: the path is connected, and the disk is open at the other end
live() {
	[ "$(cat $PATHS/*/state 2>/dev/null)" = connected ] &&
		[ "$(cat /sys/block/rnbd*/rnbd/state 2>/dev/null)" = open ]
}

# A path whose device went stays closed until it is told to come back
device_returned() {
	local path
	[ "$1" = svt1 ] || return 0
	for path in $PATHS/*; do
		echo 1 >"$path/reconnect"
	done
}

# The server's regions were registered again without a new mapping: each of its buffers has one, and
# there were more writes than these
registered_again() {
	local writes
	DISK=$(connect)
	verify_file "$DISK" --size=16M
	read -r _ _ writes _ < <(cat $PATHS/*/stats/rdma)
	[ "$writes" -gt 64 ] || die "$writes writes"
	disconnect
}

refusals() {
	fails_with 'No such file or directory' map /dev/ram7
	fails_with 'Connection reset by peer' map /dev/ram0 dest_port=1235
	no_disk
	! live
}

# read_only: what is written to it fails, and it is as it was
read_only() {
	local disk sum
	disk=$(connect)
	sum=$(sha256sum <"$disk")
	disconnect
	disk=$(connect access_mode=ro)
	fails_with 'Operation not permitted' dd if=/dev/zero of="$disk" bs=4k count=1 conv=notrunc
	[ "$(sha256sum <"$disk")" = "$sum" ] || die "it is not as it was"
	disconnect
}

# After a failed test, too, of which all may be left
setup() {
	if [ -d $CONTROL ]; then
		pkill -9 fio
		umount -q "$WORK/mnt"
		disconnect_disk
		( teardown )
	fi >/dev/null 2>&1
	disk_setup target_setup
}

teardown() {
	disk_teardown target_teardown
}

setup
run_test "a filesystem and fio's verification over the wire" over_the_wire
run_test "a mapping serves registrations again and again" registered_again
run_test "what is not there is refused" refusals
run_test "a disk that may be read only" read_only
run_test "unmap under I/O, and map again" disconnect_under_io
run_test "the program is killed under I/O" killed_under_io
run_test "the target restarts under I/O" target_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the initiator's device goes and comes back under I/O" device_returns_under_io svt1 wire1
run_test "the target's device goes and comes back under I/O" device_returns_under_io svt0 wire0
run_test "teardown leaves nothing" teardown
finish
