#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Tests of svt@.service, of the rule for udev and of what survives a boot. A machine of tests/lib/debian.sh runs
# this at each boot; svt_test=PLAN on the kernel's command line says which tests:
#   once      the device is there, and works
#   alone     all, with a reboot and a power cut
#   pair-1, pair-2  of two machines with a cable between: README's last commands, before and after a reboot
# The file boots-PLAN counts the boots.

# word NAME: its value on the kernel's command line
word() {
	sed "s/.* $1=\([^ ]*\).*/\1/" /proc/cmdline
}

SVT_TIME_SCALE=$(word svt_time_scale)
export SVT_TIME_SCALE
# A test waits for a peer that boots, and longer than until_true does
TEST_LIMIT=400
# The kernel's, as a regular expression: it may have a plus
RELEASE=$(uname -r | sed 's/[.+]/\\&/g')
# Seconds for what udev and systemd do for themselves, and for a peer
LIMIT=120

cd "$(dirname "$0")/.." || exit
mkdir -p /run/svt
. tests/lib/testlib.sh

# There is no pair of namespaces to set up again
recover_pair() {
	:
}

# has DEVICE NETDEV: whether the device is svt's, and on that netdev
has() {
	[ "$(cat "/sys/class/infiniband/$1/hca_type" 2>/dev/null)" = svt ] &&
		rdma link show "$1/1" | grep -q " netdev $2 *$"
}

has_not() {
	[ ! -e "/sys/class/infiniband/$1" ]
}

# is STATE UNIT
is() {
	[ "$(systemctl is-active "$2")" = "$1" ]
}

# refused UNIT PATTERN: it does not start, and says why, in a line of its own that it has not said before
refused() {
	local since
	since=$(date +%s)
	systemctl reset-failed
	fails systemctl start "$1"
	journalctl -o cat -u "$1" --since "@$since" >"$WORK/said"
	cat "$WORK/said"
	grep -E "^svt: $2\$" "$WORK/said"
}

comes_with_enable() {
	systemctl disable --now svt@eth0
	has_not svt_eth0
	systemctl enable --now svt@eth0
	has svt_eth0 eth0
	is active svt@eth0
}

# What rdma-core's rules do for rxe
udev_knows_it() {
	udevadm settle
	udevadm info /sys/class/infiniband/svt_eth0 >"$WORK/said"
	cat "$WORK/said"
	grep -x 'E: ID_RDMA_ROCE=1' "$WORK/said"
	until_true "$LIMIT" is active rdma-load-modules@roce.service
	until_true "$LIMIT" is active rdma-hw.target
}

library_knows_it() {
	ip link set eth0 up
	ip addr replace 10.0.0.1/24 dev eth0
	until_true "$LIMIT" sh -c 'ibv_devinfo -d svt_eth0 | grep -q PORT_ACTIVE'
	ibv_devinfo -d svt_eth0 >"$WORK/info" 2>&1
	cat "$WORK/info"
	fails grep -i warning "$WORK/info"
	ibv_rc_pingpong -d svt_eth0 -g 1 -n 10 &
	until_true "$LIMIT" ibv_rc_pingpong -d svt_eth0 -g 1 -n 10 10.0.0.1
	wait $!
}

# The netdev of eth1 is of a PCI device, so that rdma-core would rename the device
name_stays() {
	rdma link add svt9 type svt netdev eth1
	udevadm settle
	has svt9 eth1
	rdma link delete svt9
	systemctl start svt@eth1
	has svt_eth1 eth1
	systemctl stop svt@eth1
	has_not svt_eth1
}

# A name that has to be escaped, of a netdev that comes late, goes, and comes again
late_netdev() {
	local unit
	unit=svt@$(systemd-escape br-lan)
	systemctl enable "$unit"
	ip link add br-lan type bridge
	until_true "$LIMIT" has svt_br-lan br-lan
	ip link delete br-lan
	until_true "$LIMIT" is inactive "$unit"
	has_not svt_br-lan
	ip link add br-lan type bridge
	until_true "$LIMIT" has svt_br-lan br-lan
	systemctl disable --now "$unit"
	has_not svt_br-lan
	ip link delete br-lan
}

# eth0.10 is not a VLAN here
dotted_name() {
	ip link add eth0.10 type dummy
	systemctl start svt@eth0.10
	has svt_eth0.10 eth0.10
	ip link delete eth0.10
	until_true "$LIMIT" is inactive svt@eth0.10
	has_not svt_eth0.10
}

renamed_netdev() {
	ip link add one type dummy
	systemctl start svt@one
	ip link set one name two
	until_true "$LIMIT" is inactive svt@one
	has_not svt_one
	ip link delete two
}

# A device that is gone already, and one that was there before
stops_and_starts() {
	systemctl start svt@eth1
	rdma link delete svt_eth1
	systemctl stop svt@eth1
	is inactive svt@eth1
	rdma link add mine type svt netdev eth1
	systemctl start svt@eth1
	has mine eth1
	systemctl stop svt@eth1
	has_not mine
}

by_pattern() {
	cat >/etc/udev/rules.d/90-svt-local.rules <<-'END'
		ACTION!="remove", SUBSYSTEM=="net", KERNEL=="en*", \
		  PROGRAM="/usr/bin/systemd-escape --template=svt@.service $name", \
		  ENV{SYSTEMD_WANTS}+="%c"
	END
	udevadm control --reload
	ip link add en-7 type dummy
	until_true "$LIMIT" has svt_en-7 en-7
	ip link add other type dummy
	ip link set other name en8
	until_true "$LIMIT" has svt_en8 en8
	ip link delete en-7
	ip link delete en8
	rm /etc/udev/rules.d/90-svt-local.rules
	udevadm control --reload
}

options() {
	local conf=/etc/rdma/svt.conf
	printf '%s\n' '# eth1 name=no' '' 'eth1	name=svt0 same_host=off # why' 'eth* name=other' >$conf
	systemctl start svt@eth1
	has svt0 eth1
	[ "$(cat /sys/class/infiniband/svt0/same_host)" = 0 ]
	systemctl stop svt@eth1
	echo 'eth? nmae=svt0' >$conf
	refused svt@eth1 "$conf:1: unknown option 'nmae=svt0': there are name=NAME and same_host=on\|off"
	echo 'eth1 same_host=2' >$conf
	refused svt@eth1 "$conf:1: same_host is on or off, not '2'"
	printf '\n%s' 'eth1 name=a/b' >$conf
	refused svt@eth1 "$conf:2: 'a/b' is no name of a device: letters, digits, _ \. -"
	echo 'eth1 name=svt_eth0' >$conf
	refused svt@eth1 "no device on eth1: there is another by the name svt_eth0; give it one in $conf"
	rm $conf
	[ "$(ls /sys/class/infiniband)" = svt_eth0 ]
}

kernel_says_why() {
	ip link add link eth1 name vlan9 type vlan id 9
	refused svt@vlan9 "no device on vlan9: add the device to the netdev below: it serves its VLANs"
	ip link delete vlan9
	systemctl stop svt@eth0
	modprobe rdma_rxe
	refused svt@eth1 "no device on eth1: UDP port 4791 is in use in this network namespace: unload rdma_rxe, .*"
	modprobe -r rdma_rxe
	systemctl start svt@eth0
}

no_module() {
	systemctl stop svt@eth0
	modprobe -r svt_roce
	mount -t tmpfs none "/lib/modules/$(uname -r)/updates"
	trap 'umount "/lib/modules/$(uname -r)/updates"; depmod' EXIT
	depmod
	refused svt@eth1 "there is no svt for Linux $RELEASE: install its headers and run 'dkms autoinstall';.*"
}

# Which no kernel takes back: the last test before the reboot. Nobody enrolled the key of DKMS
unknown_signature() {
	echo 1 >/sys/module/module/parameters/sig_enforce
	refused svt@eth0 "Linux $RELEASE takes only modules with a signature that it knows \(Secure Boot\): run 'mokutil --import /var/lib/dkms/mok.pub', reboot and enrol the key there; see svt\(7\)"
	dmesg | grep 'Loading of module with unavailable key is rejected'
}

device_is_back() {
	until_true "$LIMIT" has svt_eth0 eth0
	until_true "$LIMIT" is active svt@eth0
	[ "$(ls /sys/class/infiniband)" = svt_eth0 ]
}

gone_with_disable() {
	systemctl disable --now svt@eth0
	has_not svt_eth0
}

# Since it booted: run_test looks at what it says during a test
no_complaint() {
	dmesg | grep -v 'svt test: ' | fails grep -E "$SPLAT"
}

versions_are_expected() {
	local version release
	read -r release version <expected
	[ "$(uname -r)" = "$release" ]
	[ "$(modinfo -F version svt)" = "$version" ]
	[ "$(cat /sys/module/svt/version)" = "$version" ]
}

# one_of_two NUMBER: the first is ib_write_bw's server
one_of_two() {
	local command
	ip link set eth0 up
	ip addr replace "10.0.0.$1/24" dev eth0
	until_true "$LIMIT" has svt_eth0 eth0
	command=$(sed -n "$1p" commands)
	command=${command/OTHER/10.0.0.1}
	until_true "$LIMIT" timeout "$(scaled "$LIMIT")" sh -xc "$command"
}

end_it() {
	echo ended
	systemctl --no-block poweroff
}

once() {
	run_test "a device that was enabled is there after a boot" device_is_back
	run_test "udev knows that it is RoCE, and systemd that there is RDMA" udev_knows_it
	run_test "libibverbs has the provider" library_knows_it
	run_test "kernel and modules are those that were installed" versions_are_expected
	run_test "the kernel complained of nothing" no_complaint
	end_it
}

alone_1() {
	run_test "systemctl enable --now makes the device" comes_with_enable
	run_test "udev knows that it is RoCE, and systemd that there is RDMA" udev_knows_it
	run_test "libibverbs has the provider" library_knows_it
	run_test "a name that was given stays" name_stays
	run_test "a late netdev, with a hyphen, that goes and comes again" late_netdev
	run_test "a name with a dot" dotted_name
	run_test "a netdev gets another name" renamed_netdev
	run_test "what is gone already, and what is there already" stops_and_starts
	run_test "by pattern, by a rule of udev" by_pattern
	run_test "options, and errors in them" options
	run_test "the kernel says why not" kernel_says_why
	run_test "no module for this kernel" no_module
	run_test "a signature that the kernel does not know" unknown_signature
	run_test "the kernel complained of nothing" no_complaint
	systemctl --no-block reboot
}

alone_2() {
	run_test "the device is back after a reboot" device_is_back
	run_test "the kernel complained of nothing, boot 2" no_complaint
	sync
	echo b >/proc/sysrq-trigger
}

alone_3() {
	run_test "the device is back after a power cut" device_is_back
	run_test "systemctl disable --now takes it away" gone_with_disable
	run_test "the kernel complained of nothing, boot 3" no_complaint
	end_it
}

# pair_1 NUMBER
pair_1() {
	run_test "ib_write_bw between two machines" one_of_two "$1"
	run_test "the kernel complained of nothing" no_complaint
	systemctl --no-block reboot
}

pair_2() {
	run_test "ib_write_bw between two machines, after a reboot" one_of_two "$1"
	run_test "the kernel complained of nothing, boot 2" no_complaint
	end_it
}

plan=$(word svt_test)
boots=$(($(cat "boots-$plan" 2>/dev/null || echo 0) + 1))
echo "$boots" >"boots-$plan"
case $plan in
once) once ;;
alone) "alone_$boots" ;;
pair-*) "pair_$boots" "${plan#pair-}" ;;
esac
finish
