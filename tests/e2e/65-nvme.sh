#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# NVMe over Fabrics: the kernel's nvme-rdma and nvmet-rdma, with a filesystem and fio's verification
# above them, between two svt devices and on one. What is taken away under I/O is missed, and found
# again. Both live in the first network namespace, as rxe does, which wants UDP port 4791 for itself
# there: so rxe is no peer here.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/disk.sh"

NQN=nqn.2014-08.org.example:svt
NVMET=/sys/kernel/config/nvmet
STORE=/dev/ram0
PORT=$NVMET/ports/1
SUBSYSTEM=$NVMET/subsystems/$NQN

target_setup() {
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	modprobe brd rd_nr=1 rd_size=65536
	modprobe -a nvmet nvmet-rdma nvme-rdma
	mkdir "$SUBSYSTEM" "$SUBSYSTEM/namespaces/1" "$PORT"
	echo 1 >"$SUBSYSTEM/attr_allow_any_host"
	echo "$STORE" >"$SUBSYSTEM/namespaces/1/device_path"
	echo 1 >"$SUBSYSTEM/namespaces/1/enable"
	echo rdma >"$PORT/addr_trtype"
	echo ipv4 >"$PORT/addr_adrfam"
	echo 10.0.1.1 >"$PORT/addr_traddr"
	echo 4420 >"$PORT/addr_trsvcid"
}

target_start() {
	ln -s "$SUBSYSTEM" "$PORT/subsystems/$NQN"
}

target_stop() {
	rm "$PORT/subsystems/$NQN"
}

target_teardown() {
	[ ! -e "$PORT/subsystems/$NQN" ] || target_stop
	rmdir "$PORT"
	echo 0 >"$SUBSYSTEM/namespaces/1/enable"
	rmdir "$SUBSYSTEM/namespaces/1" "$SUBSYSTEM"
	modprobe -r nvme-rdma nvmet-rdma nvmet nvme-fabrics brd
}

# The namespace's block device, once it is there
disk() {
	local name
	for name in /sys/class/nvme-subsystem/*/nvme*n*; do
		[ -b "/dev/${name##*/}" ] && echo "/dev/${name##*/}" && return
	done
	return 1
}

# connect_disk [ADDRESS]: from there
connect_disk() {
	nvme connect -t rdma -a 10.0.1.1 -s 4420 -w "${1:-10.0.1.2}" -n "$NQN" -i 2 -k 2 -c 1 -l 100
	nvme list
}

disconnect_disk() {
	nvme disconnect -n "$NQN"
}

# live: the controller is connected
live() {
	local state
	state=$(cat /sys/class/nvme/nvme*/state 2>/dev/null)
	[ "$state" = live ]
}

# The target listens for as long as the device is there that it listened on first
device_returned() {
	[ "$1" != svt0 ] || { target_stop && target_start; }
}

on_one_device() {
	use_disk 10.0.1.1
	[ "$(wire_counter svt0 tx_same_host)" -gt 1000 ] || die "no short cut was taken"
}

# What is not there, or not allowed, is told
refusals() {
	fails_with 'Input/output error' \
		nvme connect -t rdma -a 10.0.1.1 -s 4420 -w 10.0.1.2 -n "$NQN.other"
	dmesg | grep "Connect Invalid Data Parameter, subsysnqn \"$NQN.other\""
	fails_with 'Connection reset by peer' \
		nvme connect -t rdma -a 10.0.1.1 -s 4421 -w 10.0.1.2 -n "$NQN"
	dmesg | grep 'Connect rejected: status 8 (invalid service ID)'
	no_disk
}

# After a failed test, too, of which all may be left
setup() {
	if [ -d "$SUBSYSTEM" ]; then
		pkill -9 fio
		umount -q "$WORK/mnt"
		nvme disconnect-all
		( teardown )
	fi >/dev/null 2>&1
	disk_setup target_setup target_start
}

teardown() {
	disk_teardown target_teardown
}

setup
run_test "a filesystem and fio's verification over the wire" over_the_wire
run_test "the same on one device, without packets" on_one_device
run_test "what is not there is refused" refusals
run_test "disconnect under I/O, and connect again" disconnect_under_io
run_test "the program is killed under I/O" killed_under_io
run_test "the target restarts under I/O" target_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the initiator's device goes under I/O" initiator_device_goes_under_io
run_test "the target's device goes and comes back under I/O" device_returns_under_io svt0 wire0
run_test "teardown leaves nothing" teardown
finish
