#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# iSER: the kernel's iSCSI target (LIO) and the initiator of open-iscsi, with a filesystem and fio's
# verification above them, between two svt devices. What is taken away under I/O is missed, and found
# again. Both ends of iSER know the first network namespace only.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/wire.sh"
. "$(dirname "$0")/../lib/client.sh"

IQN=iqn.2014-08.org.example:svt
CONFIG=/sys/kernel/config/target
DISK_OF_TARGET=$CONFIG/core/iblock_0/disk
TARGET=$CONFIG/iscsi/$IQN/tpgt_1
PORTAL=$TARGET/np/10.0.1.1:3260
TEST_LIMIT=240

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
portal_reopen() {
	rmdir "$PORTAL"
	portal_open
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

no_disk() {
	! disk >/dev/null
}

connect() {
	node --login >&2
	until_true 20 disk || die "no disk"
}

disconnect() {
	node --logout
	until_true 20 no_disk || die "the disk is still there"
}

# live: the initiator is logged in
live() {
	local state
	state=$(cat /sys/class/iscsi_session/session*/state 2>/dev/null)
	[ "$state" = LOGGED_IN ]
}

not_live() {
	! live
}

use_disk() {
	local disk
	disk=$(connect)
	iscsiadm -m session | tee "$WORK/session"
	grep '^iser: ' "$WORK/session"
	copy_and_compare "$disk"
	verify_file "$disk" --size=16M
	disconnect
}

over_the_wire() {
	local before
	before=$(wire_counter svt1 rx_bytes)
	use_disk
	[ "$(wire_counter svt1 rx_bytes)" -gt $((before + 8000000)) ] || die "svt1 received little"
	[ "$(wire_counter svt1 tx_same_host)" = 0 ] || die "there was a short cut"
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

start_disk_io() {
	DISK=$(connect)
	start_io "$DISK"
}

stop_disk_io() {
	stop_io
	verify_file "$DISK" --size=4M
	disconnect
}

disconnect_under_io() {
	start_disk_io
	disconnect
	io_failed
	use_disk
}

# Nobody is left to hear how it ended, and the disk is as good as before
killed_under_io() {
	start_disk_io
	kill_io
	live || die "it is not connected any more"
	copy_and_compare "$DISK"
	verify_file "$DISK" --size=4M
	disconnect
}

target_restarts_under_io() {
	start_disk_io
	target_stop
	until_true 20 not_live || die "nobody misses the target"
	target_start
	until_true 60 live || die "it does not come back"
	stop_disk_io
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

link_goes_under_io() {
	start_disk_io
	ip link set wire1 down
	until_true 60 not_live || die "nobody misses the link"
	ip link set wire1 up
	ip route replace 10.0.1.1 dev wire1 src 10.0.1.2 table 102
	until_true 60 live || die "it does not come back"
	stop_disk_io
}

# device_goes_under_io NAME NETDEV [COMMAND]: COMMAND is what its user has to do
device_goes_under_io() {
	start_disk_io
	rdma link delete "$1"
	until_true 60 device_gone "$1" || die "$1 is still there"
	until_true 60 not_live || die "nobody misses it"
	wire_device "$1" svt "$2"
	${3:-:}
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
	wire_setup
	wire_device svt0 svt wire0
	wire_device svt1 svt wire1
	wire_unbound
	target_setup
	initiator_setup
	echo setup >/run/svt/pair
}

teardown() {
	rm -f /run/svt/pair
	initiator_teardown
	target_teardown
	wire_teardown svt0 svt1
}

setup
run_test "a filesystem and fio's verification over the wire" over_the_wire
run_test "what is not there is refused" refusals
run_test "logout under I/O, and login again" disconnect_under_io
run_test "the program is killed under I/O" killed_under_io
run_test "the target restarts under I/O" target_restarts_under_io
run_test "iscsid is killed and started again under I/O" iscsid_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the initiator's device goes and comes back under I/O" device_goes_under_io svt1 wire1
run_test "the target's device goes and comes back under I/O" \
	device_goes_under_io svt0 wire0 portal_reopen
run_test "teardown leaves nothing" teardown
finish
