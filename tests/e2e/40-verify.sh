#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Contents and completions of every operation, by a program of the project's own, and the provider.

. "$(dirname "$0")/../lib/testlib.sh"

# Cases that wait for an option; whatever else could not run has to have its reason here.
SKIPS='^(large_2g_(write|read) # SKIP only with -L|wire_[a-z_0-9]+ # SKIP only with -x|dmabuf_[a-z]+ # SKIP no /|'
SKIPS+='pmem_[a-z]+ # SKIP only with -P)'
# FLUSH came to the verbs with 6.3
[[ $(uname -r) != 6.1.* ]] || SKIPS+='|^wr_flush[a-z_]* # SKIP the device has no FLUSH'
# Huge pages and memory that is hidden from the kernel are of other architectures
! is_uml "$SVT_KERNEL" || SKIPS+='|^(mr_huge|odp_secret) # SKIP '

# What of the provider needs a device, without a peer
provider() {
	in_a "$BUILD/provider/tests/device-test" svta "$(gid_index svta v4)"
}

setup_pair
sysctl -qw vm.nr_hugepages=32
TEST_LIMIT=400 PAIR_LIMIT=380
is_uml "$SVT_KERNEL" || run_on_each "a region in huge pages" verify v4 -t mr_huge
run_test "every operation over IPv4" verify v4
run_test "every operation over IPv6, path MTU 1024" \
	verify v6 -m 1024 -t rc_send,rc_write,rc_read,uc_send,ud_send,srq_data
run_test "provider on a device" provider
run_on_each "teardown leaves nothing" leave_pair
finish
