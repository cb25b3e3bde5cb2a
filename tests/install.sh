#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make install` and `make uninstall` on a machine that knows nothing of svt: runs in a VM booted
# with --bare.

. "$(dirname "$0")/lib/testlib.sh"
cd "$(dirname "$0")/.." || exit

TEST_LIMIT=400

is_unknown() {
	! modprobe -qn svt_roce && ! ls /etc/libibverbs.d/svt.driver 2>/dev/null
}

install_here() {
	is_unknown || die "svt is installed already"
	make install KERNEL="$(uname -r)"
	modprobe -n svt_roce
	modprobe -n svt_loop
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

uninstall_here() {
	make uninstall KERNEL="$(uname -r)"
	is_unknown || die "something of svt is left"
	found=$(find /etc/libibverbs.d /usr/lib/*/libibverbs "/lib/modules/$(uname -r)/updates" \
		-name '*svt*' 2>/dev/null || :)
	[ -z "$found" ] || die "left: $found"
}

run_test "make install" install_here
run_test "rdma link add loads the module, libibverbs the provider" use_it
run_test "make uninstall" uninstall_here
finish
