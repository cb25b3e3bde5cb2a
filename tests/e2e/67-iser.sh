#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# iSER: the kernel's iSCSI target (LIO) and the initiator of open-iscsi, with a filesystem and fio's
# verification above them, between two svt devices. What is taken away under I/O is missed, and found
# again. Both ends of iSER know the first network namespace only.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/disk.sh"

IQN=iqn.2014-08.org.example:svt
CONFIG=/sys/kernel/config/target
DISK_OF_TARGET=$CONFIG/core/iblock_0/disk
TARGET=$CONFIG/iscsi/$IQN/tpgt_1
PORTAL=$TARGET/np/10.0.1.1:3260

target_setup() {
	mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
	modprobe brd rd_nr=1 rd_size=65536
	modprobe -a target_core_mod iscsi_target_mod ib_isert
	mkdir -p "$DISK_OF_TARGET"
	echo udev_path=/dev/ram0 >"$DISK_OF_TARGET/control"
	echo 1 >"$DISK_OF_TARGET/enable"
	mkdir -p "$TARGET/lun/lun_0"
	ln -s "$DISK_OF_TARGET" "$TARGET/lun/lun_0/disk"
	echo 0 >"$TARGET/attrib/authentication"
	echo 1 >"$TARGET/attrib/generate_node_acls"
	echo 0 >"$TARGET/attrib/demo_mode_write_protect"
	portal_open
	target_start
}

portal_open() {
	mkdir -p "$PORTAL"
	echo 1 >"$PORTAL/iser"
}

# The target listens for as long as the device is there that it listened on first
device_returned() {
	if [ "$1" = svt0 ]; then
		rmdir "$PORTAL"
		portal_open
	fi
}

target_start() {
	echo 1 >"$TARGET/enable"
}

target_stop() {
	echo 0 >"$TARGET/enable"
}

target_teardown() {
	target_stop
	rm -f "$TARGET/lun/lun_0/disk"
	rmdir "$TARGET/lun/lun_0" "$PORTAL" "$TARGET" "${TARGET%/*}"
	rmdir "$CONFIG/iscsi" "$DISK_OF_TARGET" "${DISK_OF_TARGET%/*}"
	modprobe -r ib_isert iscsi_target_mod
}

node() {
	iscsiadm -m node -T "$IQN" -p 10.0.1.1:3260 "$@"
}

initiator_setup() {
	modprobe -a sd_mod ib_iser
	iscsid
	node -o new -I iser
	node -o update -n node.session.initial_login_retry_max -v 1
	node -o update -n node.session.timeo.replacement_timeout -v "$(scaled 60)"
	node -o update -n 'node.conn[0].timeo.noop_out_interval' -v 2
	node -o update -n 'node.conn[0].timeo.noop_out_timeout' -v "$(scaled 2)"
}

initiator_teardown() {
	node -o delete
	iscsiadm -k 0
	until_true 10 modprobe -qr ib_iser || die "ib_iser does not go"
}

# The session's block device, once it is there
disk() {
	local name
	for name in /sys/class/iscsi_session/session*/device/target*/*/block/sd*; do
		[ -b "/dev/${name##*/}" ] && echo "/dev/${name##*/}" && return
	done
	return 1
}

connect_disk() {
	node --login
	iscsiadm -m session | tee "$WORK/session"
	grep '^iser: ' "$WORK/session"
}

disconnect_disk() {
	node --logout
}

# live: the initiator is logged in
live() {
	local state
	state=$(cat /sys/class/iscsi_session/session*/state 2>/dev/null)
	[ "$state" = LOGGED_IN ]
}

refusals() {
	fails_with 'Network is unreachable' iscsiadm -m discovery -t sendtargets -p 10.0.1.3 -I iser
	target_stop
	# It is tried again for 15 s, and iscsid tells what the last try met: a connection that was
	# refused (4), a login that was (5), or the end of that time between two (8)
	fails_with 'initiator reported error \([458] - ' node --login
	target_start
	no_disk
}

# requests: how many reads and writes the disk has done
requests() {
	awk '{ print $1 + $5 }' "/sys/block/${DISK##*/}/stat"
}

requests_beyond() {
	[ "$(requests)" -gt "$1" ]
}

no_iscsid() {
	! pgrep -x iscsid
}

# I/O needs no iscsid. The next one takes the session over: it finds a target that went and came back
iscsid_restarts_under_io() {
	start_disk_io
	pkill -9 -x iscsid
	until_true 10 no_iscsid || die "iscsid does not end"
	until_true 20 requests_beyond $(($(requests) + 20)) || die "no I/O without iscsid"
	iscsid
	until_true 60 live || die "iscsid does not log in again"
	target_stop
	until_true 20 not_live || die "nobody misses the target"
	target_start
	until_true 60 live || die "it does not come back"
	stop_disk_io
}

# After a failed test, too, of which all may be left
setup() {
	if [ -d "$TARGET" ]; then
		pkill -9 fio
		umount -q "$WORK/mnt"
		node --logout
		( teardown )
	fi >/dev/null 2>&1
	disk_setup wire_unbound target_setup initiator_setup
}

teardown() {
	disk_teardown initiator_teardown target_teardown
}

setup
run_test "a filesystem and fio's verification over the wire" over_the_wire
run_test "what is not there is refused" refusals
run_test "logout under I/O, and login again" disconnect_under_io
run_test "the program is killed under I/O" killed_under_io
run_test "the target restarts under I/O" target_restarts_under_io
run_test "iscsid is killed and started again under I/O" iscsid_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the initiator's device goes and comes back under I/O" device_returns_under_io svt1 wire1
run_test "the target's device goes and comes back under I/O" \
	device_returns_under_io svt0 wire0
run_test "teardown leaves nothing" teardown
finish
