#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# FLUSH to persistent memory: an NVDIMM, which run.sh --pmem gives the VM, as device DAX. That what is
# there outlives a loss of power is not tested.

. "$(dirname "$0")/../lib/testlib.sh"

DAX=/dev/dax0.0
SKIPS=

# In another mode it can not be pinned for long (fsdax), or is no longer persistent (system-ram)
setup_pmem() {
	modprobe -a nfit nd_pmem dax_pmem device_dax
	until_true 10 test -e /sys/bus/nd/devices/namespace0.0
	ndctl create-namespace --force --reconfig=namespace0.0 --mode=devdax --map=mem
	until_true 10 test -c "$DAX"
}

# A SEND behind a FLUSH of much is not taken before that is done
told() {
	local before
	before=$(counter rx_dropped_backlog svta)
	verify "$1" -P "$DAX" -t pmem_told
	[ "$(counter rx_dropped_backlog svta)" -gt "$before" ]
}

# Nothing is left of it
flushes() {
	verify "$@" -P "$DAX"
	assert_idle svta
	assert_idle svtb
}

same_host() {
	suite_pair "$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" -P "$DAX" -t "$1" -- \
		"$BUILD/tools/svt_verify" -d svta -g "$(gid_index svta v4)" -P "$DAX" -t "$1" 10.0.0.1
}

exec_in_b() {
	exec ip netns exec "${SAME_HOST:-b}" "$@"
}

# The device's memory can be given back: no page of it is pinned any more
released() {
	ndctl disable-namespace namespace0.0
	ndctl enable-namespace namespace0.0
	until_true 10 test -c "$DAX"
}

if [ -z "${SVT_LIST:-}" ] && [ ! -e /sys/bus/acpi/devices/ACPI0012:00 ]; then
	for name in "an NVDIMM becomes device DAX" "FLUSH to persistent memory" "a SEND waits for a FLUSH" \
		"both ends on one host" "its memory is given back"; do
		skip_test "$name" "no NVDIMM"
	done
	finish
fi
setup_pair
run_test "an NVDIMM becomes device DAX" setup_pmem
run_test "FLUSH to persistent memory" flushes v4 -t 'pmem_*'
run_test "a SEND waits for a FLUSH" told v6
SAME_HOST=a
run_test "both ends on one host" same_host pmem_flush,pmem_beside,pmem_told
SAME_HOST=
run_test "its memory is given back" released
run_test "teardown leaves nothing" leave_pair
finish
