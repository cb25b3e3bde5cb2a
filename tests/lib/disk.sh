# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What the tests of disks over RDMA have in common, for testlib.sh: the target at wire0 (svt0), the
# initiator at wire1 (svt1), both of the kernel.
#
# A file has functions for its kind of disk:
#   disk                         prints the block device, if there is one
#   connect_disk                 begins what makes it, and disconnect_disk what ends it
#   live                         the initiator is connected
#   target_start, target_stop    what others can connect to comes, and goes with who is connected
#   device_returned DEVICE       what its user has to do when one is there again
# Not all clients of the kernel wait for a target that went: GIVES_UP is set where I/O fails then.

. "$(dirname "${BASH_SOURCE[0]}")/wire.sh"
. "$(dirname "${BASH_SOURCE[0]}")/client.sh"

TEST_LIMIT=240

no_disk() {
	! disk >/dev/null
}

not_live() {
	! live
}

# connect [OPTION...]: prints the disk; the options are those of connect_disk
connect() {
	connect_disk "$@" >&2
	until_true 20 disk || die "no disk"
}

disconnect() {
	disconnect_disk
	until_true 20 no_disk || die "the disk is still there"
}

use_disk() {
	local disk
	disk=$(connect "$@")
	copy_and_compare "$disk"
	verify_file "$disk" --size=16M
	disconnect
}

# Both ends of the wire carried it, and no short cut was taken
over_the_wire() {
	local before
	before=$(wire_counter svt1 rx_bytes)
	use_disk
	[ "$(wire_counter svt1 rx_bytes)" -gt $((before + 8000000)) ] || die "svt1 received little"
	[ "$(wire_counter svt1 tx_same_host)" = 0 ] || die "there was a short cut"
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

# miss WHAT: until the initiator does, and come_back: until it is connected again, and the disk as good as
# before
miss() {
	until_true 60 not_live || die "nobody misses $1"
}

come_back() {
	until_true 90 live || die "it does not come back"
	if [ -z "${GIVES_UP:-}" ]; then
		stop_disk_io
	else
		io_failed
		copy_and_compare "$DISK"
		disconnect
	fi
}

target_restarts_under_io() {
	start_disk_io
	target_stop
	miss "the target"
	target_start
	come_back
}

link_goes_under_io() {
	start_disk_io
	ip link set wire1 down
	miss "the link"
	wire1_up
	come_back
}

# delete_device DEVICE: under its user
delete_device() {
	rdma link delete "$1"
	until_true 60 device_gone "$1" || die "$1 is still there"
}

# The disk goes with the device of its initiator
initiator_device_goes_under_io() {
	start_disk_io
	delete_device svt1
	io_failed
	until_true 20 no_disk || die "the disk is still there"
	wire_device svt1 svt wire1
	use_disk
}

# device_returns_under_io DEVICE NETDEV: the disk outlives the device
device_returns_under_io() {
	start_disk_io
	delete_device "$1"
	miss "$1"
	wire_device "$1" svt "$2"
	device_returned "$1"
	come_back
}

# disk_setup COMMAND...: the wire and its devices, then COMMANDs
disk_setup() {
	local command
	wire_setup
	wire_device svt0 svt wire0
	wire_device svt1 svt wire1
	for command in "$@"; do
		"$command"
	done
	echo setup >/run/svt/pair
}

disk_teardown() {
	local command
	rm -f /run/svt/pair
	for command in "$@"; do
		"$command"
	done
	wire_teardown svt0 svt1
}
