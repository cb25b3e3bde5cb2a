#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The kernel's own tests of soft RoCE, tools/testing/selftests/rdma, with svt in the place of rxe.
# scripts/selftests.sh puts them into build/selftests.
#
# Their TUN devices, which carry no Ethernet, are TAP devices here.

. "$(dirname "$0")/../lib/testlib.sh"

TESTS=$BUILD/selftests
HERE=/run/svt/selftests

# What they call, and the root of a suite may not have
take_programs() {
	mkdir "$HERE/bin"
	command -v ping || ln -s "$(command -v busybox)" "$HERE/bin/ping"
}

take_scripts() {
	rm -rf "$HERE"
	cp -r "$TESTS" "$HERE"
	sed -i 's/type rxe/type svt/; s/rdma_rxe/svt_roce/; s/mode tun/mode tap/; /^exec >/d' \
		"$HERE"/rdma/*.sh
	take_programs
}

# One that is not tried here would be missed else
each_has_a_test() {
	local script
	for script in "$HERE"/rdma/*.sh; do
		grep -q "^run_test .* ${script##*/}\$" "$TOP/tests/selftests/10-rdma.sh" ||
			die "${script##*/} is not run"
	done
}

# Of what is skipped only this may be: a word that iproute2 has to know
NEEDS_RDMA='move with requested destination name'

script() {
	local status=0
	# Opening /dev/net/tun would load it, where udev makes that
	modprobe tun
	PATH=$HERE/bin:$PATH bash "$HERE/rdma/$1" >"$WORK/output" 2>&1 || status=$?
	cat "$WORK/output"
	[ "$status" = 0 ]
	grep -v "$NEEDS_RDMA.*# SKIP" "$WORK/output" >"$WORK/rest" || :
	fails grep -E '^not ok|SKIP|No such file|Error' "$WORK/rest"
	[ -z "$(rdma dev show)" ]
	unload
}

run_test "the scripts are there, with svt in them" take_scripts
run_test "each script has a test" each_has_a_test
run_test "IPv6 in a namespace" script rxe_ipv6.sh
run_test "names in namespaces" script rxe_netns_names.sh
run_test "rping between namespaces" script rxe_rping_between_netns.sh
run_test "as many bytes received as sent" script rxe_sent_rcvd_bytes.sh
run_test "the port as long as there is a device" script rxe_socket_with_netns.sh
run_test "the netdev goes first" script rxe_test_NETDEV_UNREGISTER.sh
finish
