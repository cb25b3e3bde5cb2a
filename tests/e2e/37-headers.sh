#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What a program asks of its path, as it stands in the headers on the wire: traffic class, flow
# label, and the UDP source port, by which switches spread flows; and the hop limit, which ib_core
# takes from the route.

. "$(dirname "$0")/../lib/testlib.sh"

LIB=$(dirname "$0")/../lib

# decode FIELD...: of each packet of a QP proper, in a line: number of the destination QP, FIELDs
decode() {
	local field fields=()
	for field; do
		fields+=(-e "$field")
	done
	tshark -r "$WORK/wire.pcap" -Y 'infiniband.bth.destqp > 1' -T fields -E occurrence=f \
		-E separator=' ' -e infiniband.bth.destqp "${fields[@]}"
}

decode_kind() {
	case $1 in
	v4) decode ip.dsfield ip.ttl ip.version udp.srcport ;;
	v6) decode ipv6.tclass ipv6.hlim ipv6.flow udp.srcport ;;
	esac
}

# numbers: each word of the input as a decimal number
numbers() {
	local line word
	while read -r line; do
		for word in $line; do
			printf '%d ' "$word"
		done
		echo
	done
}

send_all() {
	local gid
	gid=$(</sys/class/infiniband/svtb/ports/1/gids/"$(gid_index svtb "$1")")
	in_a /usr/bin/python3 "$LIB/headers.py" svta "$(gid_index svta "$1")" "$gid" \
		>"$WORK/expected"
}

# Packets are repeated, as there is nobody to acknowledge them: each one counts
headers_are_as_asked() {
	local kind=$1 qpn class label port line seen=0
	ip -n a route replace "${@:3}" dev veth0 hoplimit 33
	# Of the packets that wait for an address to be resolved only the last few are kept
	ip -n a neigh replace "$2" lladdr "$(in_b cat /sys/class/net/veth0/address)" dev veth0
	capture send_all "$kind"
	decode_kind "$kind" | numbers | sort -u >"$WORK/seen"
	show_file "$WORK/expected"
	show_file "$WORK/seen"
	while read -r qpn class label port; do
		[ "$kind" = v6 ] || label=4
		[ "$port" != 0 ] || port='(49[1-9][0-9]{2}|5[0-9]{4}|6[0-9]{4})'
		line="^$qpn $class 33 $label $port \$"
		[ "$(grep -c "^$qpn " "$WORK/seen")" = 1 ]
		grep -E "$line" "$WORK/seen"
		seen=$((seen + 1))
	done <"$WORK/expected"
	[ "$seen" = 16 ]
	[ "$(wc -l <"$WORK/seen")" = 16 ]
}

bandwidth() {
	pair ib_write_bw -F -d svta -x "$(gid_index svta v4)" "$@" -- \
		ib_write_bw -F -d svtb -x "$(gid_index svtb v4)" "$@" 10.0.0.1
}

# Answers are of the same class
class_of_perftest() {
	capture bandwidth -n 20 --tclass=104
	decode ip.src ip.dsfield >"$WORK/seen"
	cut -d ' ' -f 2- "$WORK/seen" | sort | uniq -c
	grep -q '10.0.0.1 0x68$' "$WORK/seen"
	grep -q '10.0.0.2 0x68$' "$WORK/seen"
	fails grep -v ' 0x68$' "$WORK/seen"
}

# Only the client sets it: the server has it from the request. All of it is in the capture: QP 1, too
class_of_rdmacm() {
	capture pair ucmatose -b "$2" ${3:+-f "$3"} -- ucmatose ${3:+-f "$3"} -s "$2" -t 160
	decode "$1" | numbers | cut -d ' ' -f 2 | sort | uniq -c >"$WORK/seen"
	cat "$WORK/seen"
	[ "$(sed 's/^ *[0-9]* //' "$WORK/seen")" = 160 ]
}

flows_are_spread() {
	capture bandwidth -n 20 -q 8
	decode udp.srcport | sort -u >"$WORK/seen"
	cat "$WORK/seen"
	# One for each QP of either side, and hardly any two alike
	[ "$(wc -l <"$WORK/seen")" = 16 ]
	[ "$(cut -d ' ' -f 2 "$WORK/seen" | sort -u | wc -l)" -gt 4 ]
	fails grep -vE ' (49[1-9][0-9]{2}|5[0-9]{4}|6[0-9]{4})$' "$WORK/seen"
}

setup_pair
run_test "IPv4: class and UDP port are as asked, the hop limit is the route's" \
	headers_are_as_asked v4 10.0.0.2 10.0.0.0/24
run_test "IPv6: class, flow label and UDP port are as asked, the hop limit is the route's" \
	headers_are_as_asked v6 fd00::2 fd00::/64 metric 256
run_test "traffic class of perftest" class_of_perftest
run_test "type of service of rdma_cm, IPv4" class_of_rdmacm ip.dsfield 10.0.0.1
run_test "type of service of rdma_cm, IPv6" class_of_rdmacm ipv6.tclass fd00::1 ipv6
run_test "UDP ports differ from QP to QP" flows_are_spread
run_test "teardown leaves nothing" teardown_pair
finish
