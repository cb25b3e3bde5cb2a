#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Contents and completions of every operation, by a program of the project's own, and the provider.

. "$(dirname "$0")/../lib/testlib.sh"

# Cases that wait for an option; whatever else could not run has to have its reason here.
KNOWN_SKIPS='^skip (large_2g_(write|read): only with -L|wire_[a-z_0-9]+: only with -x|dmabuf_[a-z]+: no /)'
# FLUSH came to the verbs with 6.3
[[ $(uname -r) != 6.1.* ]] || KNOWN_SKIPS+='|^skip wr_flush[a-z_]*: the device has no FLUSH'
# Huge pages and memory that is hidden from the kernel are of other architectures
! is_uml "$SVT_KERNEL" || KNOWN_SKIPS+='|^skip (mr_huge|odp_secret): '

# complete KIND [OPTION...]: nothing is skipped but what is known
complete() {
	verify "$@"
	grep '^skip' "$WORK/client" | grep -vE "$KNOWN_SKIPS" && return 1
	grep -E '^[0-9]+ passed, 0 failed' "$WORK/client"
}

# What of the provider needs a device, without a peer
provider() {
	in_a "$BUILD/provider/tests/device-test" svta "$(gid_index svta v4)"
}

setup_pair
sysctl -qw vm.nr_hugepages=32
TEST_LIMIT=400 PAIR_LIMIT=380
is_uml "$SVT_KERNEL" || run_on_each "a region in huge pages" complete v4 -t mr_huge
run_test "every operation over IPv4" complete v4
run_test "every operation over IPv6, path MTU 1024" \
	complete v6 -m 1024 -t rc_send,rc_write,rc_read,uc_send,ud_send,srq_data
run_test "provider on a device" provider
run_on_each "teardown leaves nothing" leave_pair
finish
