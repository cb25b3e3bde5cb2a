#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# SMB Direct: the kernel's server (ksmbd) and its client (cifs), with trees of files and fio's
# verification, between two svt devices. Both ends know the first network namespace only. What is
# taken away under I/O is missed, and found again.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/../lib/wire.sh"
. "$(dirname "$0")/../lib/client.sh"

STORE=/run/svt/share
MNT=/run/svt/mnt
CONF=/run/svt/ksmbd.conf
USERS=/run/svt/ksmbd.users
TEST_LIMIT=240
# SMB Direct's server has the port of SMB
PORT=445
PASSWORD=secret

write_config() {
	mkdir -p $STORE $MNT
	mountpoint -q $STORE || mount -t tmpfs -o size=64M share $STORE
	cat >$CONF <<-END
		[global]
		netbios name = svt
		[share]
		path = $STORE
		read only = no
		force user = root
	END
	: >$USERS
	ksmbd.adduser -c $CONF -i $USERS -a root -p $PASSWORD
}

server_start() {
	ksmbd.mountd -c $CONF -u $USERS
	until_true 20 server_listens || die "the server does not listen"
}

# rdma_cm tells of its listeners, with their ports
server_listens() {
	rdma resource show cm_id 2>/dev/null | grep -q "LISTEN.*:$PORT\b"
}

server_stop() {
	ksmbd.control -s
	until_true 20 no_mountd || die "ksmbd.mountd does not end"
}

no_mountd() {
	! pgrep -f ksmbd.mountd >/dev/null
}

server_setup() {
	modprobe -a ksmbd cifs
	write_config
	server_start
}

server_teardown() {
	server_stop
	until_true 30 modprobe -qr cifs || die "cifs does not go: $(lsmod | grep cifs; modprobe -r cifs 2>&1)"
	until_true 30 modprobe -qr ksmbd || die "ksmbd does not go: $(lsmod | grep ksmbd; modprobe -r ksmbd 2>&1)"
	umount $STORE
}

# mount_smb [OPTIONS]: caches none
mount_smb() {
	mount -t cifs //10.0.1.1/share $MNT -o \
		"rdma,vers=3.1.1,username=root,password=$PASSWORD,cache=none,echo_interval=1${1:+,$1}"
}

# A tree of files, the mount gone in between, so no cache knows them
use_mount() {
	local tree=$TOP/drivers/svt/verbs
	mount_smb "$@"
	rm -rf $MNT/tree
	cp -r "$tree" $MNT/tree
	umount $MNT
	mount_smb "$@"
	diff -r "$tree" $MNT/tree
	truncate -s 8M $MNT/file
	verify_file $MNT/file --size=8M
	umount $MNT
	diff -r "$tree" $STORE/tree
}

over_rdma() {
	local before
	before=$(wire_counter svt1 rx_bytes)
	use_mount "$@"
	[ "$(wire_counter svt1 rx_bytes)" -gt $((before + 4000000)) ] || die "svt1 received little"
	[ "$(wire_counter svt1 tx_same_host)" = 0 ] || die "there was a short cut"
}

refusals() {
	PASSWORD=wrong fails_with 'mount error\(13\): Permission denied' mount_smb
	server_stop
	fails_with 'mount error' mount_smb
	server_start
	fails mountpoint $MNT
}

start_smb_io() {
	mount_smb "$@"
	truncate -s 8M $MNT/file
	start_io $MNT/file
}

# Nobody is left to hear how it ended, and nothing holds the mount
killed_under_io() {
	start_smb_io
	kill_io
	until_true 20 umount $MNT
	use_mount
}

# works_again: the mount is as good as before
works_again() {
	dd if=/dev/zero of=$MNT/again bs=4k count=1 2>/dev/null
}

# come_back: what was under way may have failed, which fio was told then
come_back() {
	until_true 90 works_again || die "it does not come back"
	touch "$WORK/enough"
	wait "$IO" || cat "$WORK/fio"
	verify_file $MNT/file --size=4M
	umount $MNT
}

server_restarts_under_io() {
	start_smb_io
	server_stop
	server_start
	come_back
}

link_goes_under_io() {
	start_smb_io
	ip link set wire1 down
	nap 3
	wire1_up
	come_back
}

# device_goes_under_io DEVICE NETDEV
device_goes_under_io() {
	start_smb_io
	rdma link delete "$1"
	until_true 60 device_gone "$1" || die "$1 is still there"
	wire_device "$1" svt "$2"
	come_back
}

# After a failed test, too, of which all may be left
clean_up() {
	pkill -9 -x fio
	umount -fl $MNT
	ksmbd.control -s
	umount $STORE
} >/dev/null 2>&1

setup() {
	clean_up
	wire_setup
	wire_device svt0 svt wire0
	wire_device svt1 svt wire1
	wire_unbound
	server_setup
	echo setup >/run/svt/pair
}

teardown() {
	rm -f /run/svt/pair
	server_teardown
	wire_teardown svt0 svt1
}

setup
run_test "files, compared" over_rdma
run_test "files by small messages, compared" over_rdma rsize=4096,wsize=4096
run_test "what is not there is refused" refusals
run_test "the program is killed under I/O" killed_under_io
run_test "the server restarts under I/O" server_restarts_under_io
run_test "the link goes and comes back under I/O" link_goes_under_io
run_test "the client's device goes and comes back under I/O" device_goes_under_io svt1 wire1
run_test "the server's device goes and comes back under I/O" device_goes_under_io svt0 wire0
run_test "teardown leaves nothing" teardown
finish
