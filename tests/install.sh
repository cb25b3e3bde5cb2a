#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make install` and `make uninstall` on a machine that knows nothing of svt: runs in a VM booted
# with --bare.

. "$(dirname "$0")/lib/testlib.sh"
cd "$(dirname "$0")/.." || exit

TEST_LIMIT=400

is_unknown() {
	! modprobe -qn svt_roce && ! ls /etc/libibverbs.d/svt.driver /usr/lib/svt 2>/dev/null
}

install_here() {
	is_unknown || die "svt is installed already"
	make install KERNEL="$(uname -r)"
	modprobe -n svt_roce
	modprobe -n svt_loop
	[ "$(modinfo -F version svt)" = "$(<VERSION)" ]
}

use_it() {
	ip link add veth0 type veth peer name veth1
	ip link set veth0 up
	ip link set veth1 up
	ip addr add 10.0.0.1/24 dev veth0
	rdma link add svt0 type svt netdev veth0
	ibv_devices | tee /dev/stderr | grep -w svt0 >/dev/null
	ibv_devinfo -d svt0 | tee /dev/stderr | grep PORT_ACTIVE >/dev/null
	rdma link delete svt0
	modprobe -r svt_roce
}

# tell_of DEVICE: what others read of it is there
tell_of() {
	/usr/lib/svt/svt-cdi /run/cdi/svt.json
	grep "\"name\": \"$1\"" /run/cdi/svt.json
	/usr/lib/svt/svt-metrics | grep "^svt_rx_packets_total{device=\"$1\",port=\"1\"} "
}

# As svt@.service does, where systemd runs
keep_it() {
	local tool=/usr/lib/svt/svt-device
	$tool add veth0
	ibv_devinfo -d svt_veth0 | grep PORT_ACTIVE
	tell_of svt_veth0
	fails_with "^svt: no netdev 'veth7' in this network namespace: see 'ip link'$" $tool add veth7
	echo 'veth* name=svt_veth0' >/etc/rdma/svt.conf
	fails_with '^svt: no device on veth1: there is another by the name svt_veth0; ' $tool add veth1
	ip link set veth0 down
	ip link set veth0 name veth9
	$tool remove veth0
	is_empty /sys/class/infiniband
	$tool remove veth0
	modprobe -r svt_roce
}

uninstall_here() {
	make uninstall KERNEL="$(uname -r)"
	is_unknown || die "something of svt is left"
	found=$(find /etc/libibverbs.d /etc/rdma /usr/lib/{*/libibverbs,systemd,udev,svt} /usr/share/man \
		"/lib/modules/$(uname -r)/updates" -name '*svt*' 2>/dev/null || :)
	[ "$found" = /etc/rdma/svt.conf ] || die "left: $found"
}

run_test "make install" install_here
run_test "rdma link add loads the module, libibverbs the provider" use_it
run_test "svt-device makes a device, and takes it away by another name" keep_it
run_test "make uninstall, which leaves a configuration that was changed" uninstall_here
finish
