#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Connections made by ib_cm over QP 1: the example programs of librdmacm.

. "$(dirname "$0")/../lib/testlib.sh"

rping_verified() {
	pair rping -s -C 50 -V -S 8000 -a "$1" -- rping -c -C 50 -V -S 8000 -a "$1"
}

multicast() {
	PAIR_READY='[[ "$(in_a ip maddr show dev veth0)" == *239.1.1.7* ]]' \
		pair mckey -m 239.1.1.7 -b 10.0.0.1 -- mckey -m 239.1.1.7 -b 10.0.0.2 -s
}

connect_many() {
	pair ucmatose -c 40 -C 5 -b 10.0.0.1 -- ucmatose -c 40 -C 5 -s 10.0.0.1
}

# The device is on veth0, the addresses are those of a VLAN on it
over_vlan() {
	local side number=1 gids=/sys/class/infiniband
	for side in a b; do
		ip -n "$side" link add link veth0 name veth0.10 type vlan id 10
		ip -n "$side" link set veth0.10 up
		ip -n "$side" addr add "10.0.10.$number/24" dev veth0.10
		number=$((number + 1))
	done
	until_true 10 grep -rq ffff:0a00:0a01 "$gids/svta/ports/1/gids"
	until_true 10 grep -rq ffff:0a00:0a02 "$gids/svtb/ports/1/gids"
	rping_verified 10.0.10.1
	ip -n a link delete veth0.10
	ip -n b link delete veth0.10
}

setup_pair
run_on_each "rping over IPv4" rping_verified 10.0.0.1
run_on_each "rping over IPv6" rping_verified fd00::1
run_on_each "ucmatose" pair ucmatose -b 10.0.0.1 -- ucmatose -s 10.0.0.1
run_test "ucmatose with 40 connections" connect_many
run_on_each "udaddy" pair udaddy -b 10.0.0.1 -- udaddy -s 10.0.0.1
run_on_each "mckey" multicast
run_on_each "rstream" pair rstream -S 4096 -C 200 -b 10.0.0.1 -- rstream -S 4096 -C 200 -s 10.0.0.1
run_test "riostream" \
	pair riostream -S 4096 -C 200 -b 10.0.0.1 -- riostream -S 4096 -C 200 -s 10.0.0.1
run_test "rping over a VLAN" over_vlan
run_on_each "teardown leaves nothing" leave_pair
finish
