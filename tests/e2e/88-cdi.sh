#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# packaging/svt-cdi, by which container engines get to know the devices. What podman makes of it is in
# tests/containers/10-podman.sh.

. "$(dirname "$0")/../lib/testlib.sh"

CDI=$TOP/packaging/svt-cdi

# nodes_of FILE: lines "DEVICE NODE NODE..."; the file has to be of the form that CDI 0.5.0 has
nodes_of() {
	python3 - "$1" <<-'END'
		import json, sys
		spec = json.load(open(sys.argv[1]))
		assert set(spec) == {"cdiVersion", "kind", "devices"}, spec
		assert (spec["cdiVersion"], spec["kind"]) == ("0.5.0", "svt/rdma"), spec
		for device in spec["devices"]:
		    assert set(device) == {"name", "containerEdits"}, device
		    assert set(device["containerEdits"]) == {"deviceNodes"}, device
		    nodes = device["containerEdits"]["deviceNodes"]
		    for node in nodes:
		        assert set(node) == {"path", "permissions"} and node["permissions"] == "rw", node
		    print(device["name"], *(node["path"] for node in nodes))
	END
}

devices_and_all() {
	local cm=/dev/infiniband/rdma_cm a b
	a=$(node_of svta) b=$(node_of svtb)
	"$CDI" >"$WORK/svt.json"
	cat "$WORK/svt.json"
	nodes_of "$WORK/svt.json" >"$WORK/nodes"
	diff "$WORK/nodes" - <<-END
		svta $a $cm
		svtb $b $cm
		all $a $b $cm
	END
	[ -c "$a" ] && [ -c "$b" ] && [ -c $cm ]
}

others_are_left_out() {
	beside_rxe "$CDI" >"$WORK/svt.json"
	[ "$(nodes_of "$WORK/svt.json" | cut -d ' ' -f 1 | xargs)" = "svta svtb all" ]
}

file_is_replaced() {
	mkdir "$WORK/cdi"
	echo old >"$WORK/cdi/svt.json"
	"$CDI" "$WORK/cdi/svt.json"
	[ "$(nodes_of "$WORK/cdi/svt.json" | wc -l)" = 3 ]
	[ "$(stat -c %a "$WORK/cdi/svt.json")" = 644 ]
	[ "$(ls -A "$WORK/cdi")" = svt.json ]
	"$CDI" "$WORK/new/directory/svt.json"
	cmp "$WORK/cdi/svt.json" "$WORK/new/directory/svt.json"
}

# refuses NAME WHY: to call a device that
refuses() {
	in_a rdma dev set svta name "$1"
	fails_with "^svt-cdi: the name '$1' $2: give it another by 'rdma dev set $1 name NAME'$" \
		"$CDI" "$WORK/svt.json"
	in_a rdma dev set "$1" name svta
}

names_that_cdi_does_not_take() {
	echo old >"$WORK/svt.json"
	refuses all "means all devices"
	refuses svt_ "does not begin and end with a letter or digit"
	refuses 'svt@0' "has more than letters, digits and _ - . : in it"
	[ "$(<"$WORK/svt.json")" = old ]
	in_a rdma dev set svta name 0svt
	"$CDI" | grep '"name": "0svt"'
	in_a rdma dev set 0svt name svta
}

# hiding FILE COMMAND...: it is not there
hiding() {
	local status=0
	mv "$1" "$1.hidden"
	"${@:2}" || status=$?
	mv "$1.hidden" "$1"
	return "$status"
}

errors_are_lines() {
	local node
	node=$(node_of svta)
	fails_with '^svt-cdi: usage: svt-cdi \[FILE\], in /run/cdi or /etc/cdi$' "$CDI" a.json b.json
	fails_with "^svt-cdi: '.*/svt' does not end with .json, so nobody would read it$" "$CDI" "$WORK/svt"
	fails_with '^svt-cdi: cannot write to /proc/cdi$' "$CDI" /proc/cdi/svt.json
	hiding /dev/infiniband/rdma_cm fails_with \
		"^svt-cdi: there is no /dev/infiniband/rdma_cm: run 'modprobe rdma_ucm'$" "$CDI"
	hiding "$node" fails_with "^svt-cdi: there is no $node, which udev makes$" "$CDI"
}

# In exclusive mode as well, where others have devices
without_devices() {
	teardown_pair
	PAIR_MODE=exclusive setup_pair
	[ "$(in_a "$CDI" | grep -c '"name"')" = 2 ]
	fails_with "^svt-cdi: there is no device of svt in this network namespace: see 'rdma link'$" "$CDI"
	teardown_pair
	set_rdma_mode shared
}

setup_pair
run_test "each device, and all of them" devices_and_all
run_test "devices of others are left out" others_are_left_out
run_test "a file is replaced" file_is_replaced
run_test "names that CDI does not take" names_that_cdi_does_not_take
run_test "errors are said in a line" errors_are_lines
run_test "without a device, and with those of one namespace" without_devices
finish
