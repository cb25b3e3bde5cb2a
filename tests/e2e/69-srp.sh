#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# SRP: the kernel's initiator (ib_srp) and its target of LIO (ib_srpt), by rdma_cm, with a filesystem and
# fio's verification above them, between two svt devices. Both ends know the first network namespace
# only. What is taken away under I/O is missed, and found again.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/disk.sh"

CONFIG=/sys/kernel/config/target
DISK_OF_TARGET=$CONFIG/core/iblock_0/disk
PORT=5555
# ib_srpt calls an initiator that comes by rdma_cm by the address that it came to
ACL=acls/10.0.1.1

# TARGET: what LIO calls the port of svt0, by the lower half of its first GID
name_target() {
	local gid
	gid=$(</sys/class/infiniband/svt0/ports/1/gids/0)
	NAME=${gid#*:*:*:*:}
	TARGET=$CONFIG/srpt/$NAME/$NAME
}

export_disk() {
	name_target
	mkdir -p "$TARGET/lun/lun_0" "$TARGET/$ACL/lun_0"
	ln -s "$DISK_OF_TARGET" "$TARGET/lun/lun_0/disk"
	ln -s "$TARGET/lun/lun_0" "$TARGET/$ACL/lun_0/disk"
	target_start
}

unexport_disk() {
	target_stop
	rm -f "$TARGET/$ACL/lun_0/disk" "$TARGET/lun/lun_0/disk"
	rmdir "$TARGET/$ACL/lun_0" "$TARGET/$ACL" "$TARGET/lun/lun_0" "$TARGET" \
		"${TARGET%/*}"
}

target_setup() {
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	modprobe brd rd_nr=1 rd_size=65536
	modprobe -a target_core_mod ib_srpt sd_mod
	modprobe ib_srp reconnect_delay=2 fast_io_fail_tmo=off dev_loss_tmo=600
	mkdir -p "$DISK_OF_TARGET" $CONFIG/srpt
	echo udev_path=/dev/ram0 >"$DISK_OF_TARGET/control"
	echo 1 >"$DISK_OF_TARGET/enable"
	echo $PORT >$CONFIG/srpt/discovery_auth/rdma_cm_port
	export_disk
}

target_start() {
	echo 1 >"$TARGET/enable"
}

target_stop() {
	echo 0 >"$TARGET/enable"
}

target_teardown() {
	modprobe -r ib_srp
	unexport_disk
	rmdir $CONFIG/srpt "$DISK_OF_TARGET" "${DISK_OF_TARGET%/*}"
	modprobe -r ib_srpt
	modprobe -r brd
}

# The target goes with the device that it is of, and so does what LIO has of it
device_returned() {
	if [ "$1" = svt0 ]; then
		unexport_disk
		export_disk
	fi
}

# login PORT [OPTION]: by the GUID that the target has of the first device that it saw
login() {
	local guid
	guid=$(</sys/module/ib_srpt/parameters/srpt_service_guid)
	guid=${guid#0x}
	echo "id_ext=$guid,ioc_guid=$guid,dest=10.0.1.1:$1,src=10.0.1.2${2:+,$2}" \
		>/sys/class/infiniband_srp/srp-svt1-1/add_target
}

connect_disk() {
	login $PORT "$@"
}

# The session's block device, once it is there
disk() {
	local name
	for name in /sys/class/srp_remote_ports/port-*/device/../target*/*/block/sd*; do
		[ -b "/dev/${name##*/}" ] && echo "/dev/${name##*/}" && return
	done
	return 1
}

disconnect_disk() {
	local port
	for port in /sys/class/srp_remote_ports/port-*; do
		echo 1 >"$port/delete"
	done
}

# live: the initiator is logged in
live() {
	local state
	state=$(cat /sys/class/srp_remote_ports/port-*/state 2>/dev/null)
	[ "$state" = running ]
}

refusals() {
	fails_with 'Connection (reset by peer|refused)' login 5556
	target_stop
	fails_with 'Connection (reset by peer|refused)' login $PORT
	target_start
	no_disk
}

# Data within the request, and a region of its own for each, instead of one for all
in_the_request() {
	local before
	before=$(wire_counter svt1 rx_bytes)
	echo 0 >/sys/module/ib_srp/parameters/use_imm_data
	use_disk
	echo 1 >/sys/module/ib_srp/parameters/use_imm_data
	[ "$(wire_counter svt1 rx_bytes)" -gt $((before + 8000000)) ] || die "svt1 received little"
}

# After a failed test, too, of which all may be left
setup() {
	if [ -d $CONFIG/srpt ]; then
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
run_test "the same without data in requests" in_the_request
run_test "what is not there is refused" refusals
run_test "logout under I/O, and login again" disconnect_under_io
run_test "the program is killed under I/O" killed_under_io
run_test "the target restarts under I/O" target_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the initiator's device goes under I/O" initiator_device_goes_under_io
run_test "the target's device goes and comes back under I/O" device_returns_under_io svt0 wire0
run_test "teardown leaves nothing" teardown
finish
