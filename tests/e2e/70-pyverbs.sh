#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# rdma-core's own test suite on an svt device: no failure, no error, and no test skipped but those of
# the table in Documentation/features.rst, each with its reason. The device is on a NIC of the VM, not on a veth:
# tests of rdmacm look for the netdev behind a device's parent, which veth has not.

. "$(dirname "$0")/../lib/testlib.sh"

# nic: prints its name, when it is in the first namespace
nic() {
	local device
	for device in /sys/class/net/*/device; do
		[ ! -e "$device" ] || basename "${device%/device}"
	done | grep .
}

# The NIC becomes veth0 of namespace a, where a pair would have its cable
setup_nic() {
	take_left
	modprobe virtio_net
	until_true 10 nic >/dev/null
	add_namespace a
	ip link set "$(nic)" down
	ip link set "$(nic)" netns a name veth0
	configure_side a 1
	add_device svta
	echo setup_nic >/run/svt/pair
}

teardown_nic() {
	rm -f /run/svt/pair
	assert_idle svta
	in_a rdma link delete svta
	until_true 10 device_gone svta
	ip -n a link set veth0 down
	ip -n a link set veth0 netns 1 name eth0
	ip netns delete a
	until_true 10 namespace_gone a
	unload
}

# results LOG: a line "ok|skipped|FAIL|ERROR MODULE.CLASS.TEST" for each test. A test that has a
# description has its result on the line of that, behind the one of its name.
results() {
	awk 'match($0, /\(tests\.[A-Za-z0-9_.]+\)/) { name = substr($0, RSTART + 7, RLENGTH - 8) }
		match($0, /(\.\.\. |^)(ok|skipped|FAIL|ERROR)( |$)/) && name != "" {
			split(substr($0, RSTART), word, " ")
			print word[word[1] == "..." ? 2 : 1], name
			name = ""
		}' "$1"
}

suite() {
	cp -r /usr/share/doc/rdma-core/tests "$WORK/tests"
	find "$WORK/tests" -name '*.gz' -exec gunzip {} +
	# The one test that takes a device without what it needs for a failure of that
	sed -i 's/^    def test_rss_traffic/    @u.skip_unsupported\n&/' "$WORK/tests/test_rss_traffic.py"
	# Python 3.14 starts processes by sending them what they need, which objects of pyverbs refuse;
	# the other tests ask for fork() themselves
	sed -i 's/^from multiprocessing import Process, Queue$/from multiprocessing import get_context\n&/
		s/(Process(/(get_context("fork").Process(/' "$WORK/tests/test_device.py"
	in_a bash -c 'cd "$1" && exec timeout "$2" \
		/usr/bin/python3 tests/run_tests.py --dev svta --gid "$3" -v' \
		- "$WORK" "$(scaled 500)" "$(gid_index svta v4)" >"$WORK/log" 2>&1 || :
	results "$WORK/log" >/run/svt/pyverbs
	grep -E '^(FAIL|ERROR):' -A 16 "$WORK/log" | head -n 50 || :
	tail -n 4 "$WORK/log"
	echo "ok: $(grep -c ^ok /run/svt/pyverbs)"
	grep -qE '^OK' "$WORK/log"
	[ "$(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$WORK/log")" = "$(wc -l </run/svt/pyverbs)" ]
}

# release: of rdma-core, whose tests these are
release() {
	readlink -f "$(libibverbs_here)" | cut -d. -f5
}

# expected RELEASE: a line "PATTERN NUMBER" for each row of that table, of the column that is headed
# RELEASE or "rdma-core RELEASE"
expected() {
	sed -n '/^ *skipped test of pyverbs |/,/^$/p' "$TOP/Documentation/features.rst" |
		awk -F ' *[|] *' -v release="$1" '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ "^(rdma-core )?" release "$") column = i }
			column && gsub("[ `]", "", $1) && NR > 1 { print $1, $column }'
}

# Each skip counts for the first row that names it
skips_are_those_of_the_table() {
	local pattern count name found release
	release=$(release)
	echo "rdma-core $release"
	grep ^skipped /run/svt/pyverbs | cut -d' ' -f2 | sort >"$WORK/left"
	while read -r pattern count; do
		found=0
		: >"$WORK/others"
		while read -r name; do
			# shellcheck disable=SC2053 # a pattern
			if [[ $name == $pattern ]]; then
				found=$((found + 1))
			else
				echo "$name" >>"$WORK/others"
			fi
		done <"$WORK/left"
		mv "$WORK/others" "$WORK/left"
		[ "$found" = "$count" ] || echo "$pattern: $found are skipped, features.rst says $count"
	done < <(expected "$release") >"$WORK/wrong"
	sed 's/$/: is skipped, features.rst has no row for it/' "$WORK/left" >>"$WORK/wrong"
	cat "$WORK/wrong"
	[ -s /run/svt/pyverbs ]
	[ ! -s "$WORK/wrong" ]
}

setup_nic
sysctl -qw vm.nr_hugepages=32
TEST_LIMIT=600
run_test "pyverbs suite" suite
run_test "what the suite skips is what features.rst lists" skips_are_those_of_the_table
run_test "teardown leaves nothing" teardown_nic
finish
