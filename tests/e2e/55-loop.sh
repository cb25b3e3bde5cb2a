#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The other backend, svt_loop: the same programs over a wire in memory, and faults by script. The
# veth only carries what programs tell each other over TCP.

. "$(dirname "$0")/../lib/testlib.sh"

PAIR_TYPE=svt_loop
SCRIPTS=/sys/kernel/debug/svt_loop
RELIABLE=rc_send,rc_send_imm,rc_send_inv,rc_write,rc_write_imm,rc_read,rc_mix,rc_cas,rc_fadd
RELIABLE+=,rc_fence,rc_psn_wrap,srq_data

pingpong() {
	pair "ibv_$1_pingpong" -d svta -g "$(gid_index svta v4)" "${@:2}" -- \
		"ibv_$1_pingpong" -d svtb -g "$(gid_index svtb v4)" "${@:2}" 10.0.0.1
}

# Twenty messages of 8000 bytes: each side sends 160 packets of data, and acknowledgments
faults_by_script() {
	local retries duplicates
	retries=$(counter retries_nak)
	duplicates=$(counter duplicate_request)
	printf 'drop 3\nreorder 20\nduplicate 30\ndelay 40 1000\n' >"$SCRIPTS/svtb/script"
	printf 'duplicate 5\ndrop every 50\n' >"$SCRIPTS/svta/script"
	pingpong rc -c -s 8000 -n 20
	[ "$(counter retries_nak)" -gt "$retries" ]
	[ "$(counter duplicate_request)" -gt "$duplicates" ]
}

# faults DEVICE DROP DUPLICATE REORDER: to every so-manieth packet that it sends
faults() {
	printf 'drop every %d\nduplicate every %d\nreorder every %d\n' "${@:2}" \
		>"$SCRIPTS/$1/script"
}

every_operation_under_faults() {
	# With a thousand packets under way each of these costs as many, and each of them much there
	if is_checked; then
		faults svta 211 89 307
		faults svtb 223 83 311
	else
		faults svta 97 89 31
		faults svtb 101 83 29
	fi
	verify v4 -u -t "$RELIABLE"
	: >"$SCRIPTS/svta/script"
	: >"$SCRIPTS/svtb/script"
}

refused_by_script() {
	fails eval "echo '$1' >$SCRIPTS/svta/script" 2>&1 | grep "$2"
}

bad_scripts_are_refused() {
	local line
	for line in drop 'drop 0' 'explode 3' 'drop every' 'delay 3' 'drop 3 4' 'drop -'; do
		refused_by_script "$line" 'Invalid argument'
	done
	for line in $(seq 65); do
		echo "drop $((line + 1000000))"
	done >"$WORK/long"
	fails eval 'cat "$WORK/long" >"$SCRIPTS/svta/script"' 2>&1 | grep 'too long'
	: >"$SCRIPTS/svta/script"
}

# Names are a namespace's then, and debugfs has none: the number is that of `rdma dev`
scripts_in_exclusive_mode() {
	local index
	PAIR_MODE=exclusive setup_pair
	index=$(in_b rdma dev show svtb | sed 's/:.*//')
	printf 'drop 3\n' >"$SCRIPTS/svtb.$index/script"
	pingpong rc -s 8000 -n 20
	[ "$(counter retries_nak)" -gt 0 ]
	teardown_pair
	[ ! -e "$SCRIPTS" ]
	set_rdma_mode shared
}

setup_pair
for type in rc uc ud srq; do
	run_test "$type pingpong" pingpong $type -e -n 50
done
run_test "rping" pair rping -s -C 20 -V -a 10.0.0.1 -- rping -c -C 20 -V -a 10.0.0.1
run_test "faults by script" faults_by_script
run_test "bad scripts are refused" bad_scripts_are_refused
TEST_LIMIT=400 PAIR_LIMIT=380
run_test "every operation" verify v4 \
	-t 'rc_*,uc_*,ud_*,srq_*,mw?_use,err_rkey*,retry*,flush*,ev_*,large_send'
run_test "every operation under faults" every_operation_under_faults
run_test "teardown leaves nothing" teardown_pair
run_test "faults by script in exclusive mode" scripts_in_exclusive_mode
finish
