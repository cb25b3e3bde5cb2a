#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The examples of libibverbs over the wire: each transport, polled and by events, each kind of
# address, each path MTU.

. "$(dirname "$0")/../lib/testlib.sh"

# pingpong TYPE KIND [OPTION...]: both ends with the same options, addresses of KIND (v4, v6, ll)
pingpong() {
	local type=$1 kind=$2
	shift 2
	pair "ibv_${type}_pingpong" -d svta -g "$(gid_index svta "$kind")" -n 30 "$@" -- \
		"ibv_${type}_pingpong" -d svtb -g "$(gid_index svtb "$kind")" -n 30 "$@" 10.0.0.1
	grep -q '30 iters' "$WORK/client"
}

setup_pair
for type in rc uc ud; do
	run_on_each "$type pingpong" pingpong "$type" v4
done
run_on_each "srq pingpong" pingpong srq v4
run_on_each "rc pingpong by events" pingpong rc v4 -e
for type in uc ud srq; do
	run_test "$type pingpong by events" pingpong "$type" v4 -e
done
for type in rc uc ud srq; do
	run_test "$type pingpong over IPv6" pingpong "$type" v6
done
run_test "rc pingpong over link-local IPv6" pingpong rc ll
for mtu in 1024 2048 4096; do
	run_test "rc pingpong with path MTU $mtu" pingpong rc v4 -m "$mtu" -s 65537 -c
	run_test "uc pingpong with path MTU $mtu" pingpong uc v4 -m "$mtu" -s 10000
done
run_test "rc pingpong with contents checked" pingpong rc v4 -c
run_test "rc pingpong with completion time stamps" pingpong rc v4 -t
run_test "rc pingpong by the new post send interface" pingpong rc v4 -N
run_on_each "teardown leaves nothing" leave_pair
finish
