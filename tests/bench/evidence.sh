# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash
# Whether both ends of a measurement did its work, by what the system counts: devices, the
# connection manager, netdevs. `observed` reads that before and after. What is missing then goes to
# `unproven WHY`, which has to end the measurement.
#
# SERVER and CLIENT are the devices of the two ends; NETDEV says, by device, which netdev it is on.

declare -A BEFORE=() AFTER=() NETDEV=()
ENDS=(client server)

# Counters of svt and of rxe that stand still when all goes well
FAILURES=({retry,rnr_retry}_exceeded {local,remote}_errors cq_overruns)
FAILURES+=(retry_exceeded_err retry_rnr_exceeded_err)

# count_device ARRAY END DEVICE
count_device() {
	local -n counts=$1
	local port=/sys/class/infiniband/$3/ports/1 file value
	for file in "$port"/hw_counters/* "$port"/cm_[rt]x_msgs/*; do
		read -r value <"$file" || continue
		counts["$2 ${file#"$port"/}"]=$value
	done 2>/dev/null
}

# count_wire ARRAY END DEVICE
count_wire() {
	local -n counts=$1
	local name words
	while read -r name words; do
		[ "$name" = "${NETDEV[$3]}:" ] || continue
		read -ra words <<<"$words"
		counts["$2 wire rx_bytes"]=${words[0]} counts["$2 wire rx_packets"]=${words[1]}
		counts["$2 wire tx_bytes"]=${words[8]} counts["$2 wire tx_packets"]=${words[9]}
	done < <(in_ns_of "$3" cat /proc/net/dev)
}

# count_ends ARRAY
count_ends() {
	local end device
	for end in "${ENDS[@]}"; do
		device=$CLIENT
		[ $end = client ] || device=$SERVER
		count_device "$1" $end "$device"
		count_wire "$1" $end "$device"
	done
}

# observed COMMAND...
observed() {
	count_ends BEFORE
	"$@"
	count_ends AFTER
}

# is_counted END COUNTER
is_counted() {
	[ -n "${AFTER["$1 $2"]:-}" ]
}

# moved END COUNTER: by how much, in MOVED
moved() {
	is_counted "$1" "$2" || unproven "nothing counts $2 of the $1"
	MOVED=$((${AFTER["$1 $2"]} - ${BEFORE["$1 $2"]:-0}))
}

# at_least END COUNTER NUMBER
at_least() {
	moved "$1" "$2"
	[ $MOVED -ge "$3" ] || unproven "$2 of the $1 went up by $MOVED where $3 were due"
}

# at_rest END COUNTER
at_rest() {
	moved "$1" "$2"
	[ $MOVED = 0 ] || unproven "$2 of the $1 went up by $MOVED"
}

# did_carry FROM TO BYTES PACKETS: of one host there is no wire
did_carry() {
	if [ "$CLIENT" != "$SERVER" ]; then
		at_least "$1" "wire tx_bytes" "$3"
		at_least "$2" "wire rx_bytes" "$3"
	fi
	did_count "$1" sent_pkts tx "$3" "$4"
	did_count "$2" rcvd_pkts rx "$3" "$4"
}

# did_count END NAME tx|rx BYTES PACKETS: by the counter NAME of rxe, which has none of bytes, or svt's
did_count() {
	if is_counted "$1" "hw_counters/$2"; then
		at_least "$1" "hw_counters/$2" "$5"
	else
		at_least "$1" "hw_counters/$3_packets" "$5"
		at_least "$1" "hw_counters/$3_bytes" "$4"
	fi
}

did_not_fail() {
	local end counter
	for end in "${ENDS[@]}"; do
		for counter in "${FAILURES[@]}"; do
			! is_counted $end "hw_counters/$counter" || at_rest $end "hw_counters/$counter"
		done
	done
}

# complained FILE: what a program said that has failed, which may not show in its status
complained() {
	grep -m 1 -iE 'error|fail|unable|could ?n.t|not complete|timed out' "$1"
}

# did_print END MESSAGES: in the output of perftest, which need not say how many on a side that only
# lends its memory
did_print() {
	local count said
	! said=$(complained "$WORK/$1") || unproven "the $1 says: $said"
	count=$(perftest_figure 2 <"$WORK/$1")
	[ -n "$count" ] || [ "$1" != client ] || unproven "the client prints no figures"
	[ "${count:-$2}" = "$2" ] || unproven "the $1 did $count messages of $2"
}

# did_perftest PROGRAM MESSAGES BYTES: in packets of 4096 bytes
did_perftest() {
	local packets=$(($2 * (($3 + 4095) / 4096))) bytes=$(($2 * $3))
	did_print client "$2"
	did_print server "$2"
	case $1 in
	ib_send_bw | ib_write_bw) did_carry client server $bytes $packets ;;
	ib_read_bw) did_carry server client $bytes $packets ;;
	*)
		did_carry client server $bytes $packets
		did_carry server client $bytes $packets
		;;
	esac
	did_not_fail
}

# did_connect NUMBER: each connection has its three messages at both ends, and none is refused
did_connect() {
	local counter end said
	for end in "${ENDS[@]}"; do
		! said=$(complained "$WORK/$end") || unproven "the $end says: $said"
		for counter in rx tx; do
			at_rest $end cm_${counter}_msgs/rej
		done
	done
	for counter in req rtu; do
		at_least client cm_tx_msgs/$counter "$1"
		at_least server cm_rx_msgs/$counter "$1"
	done
	at_least server cm_tx_msgs/rep "$1"
	at_least client cm_rx_msgs/rep "$1"
}

# did_exchange PACKETS: of TCP, to and fro
did_exchange() {
	local end
	for end in "${ENDS[@]}"; do
		at_least $end "wire tx_packets" "$1"
		at_least $end "wire rx_packets" "$1"
	done
}

# did_iperf BYTES: from the client to the server; both wrote JSON. What is under way when the client
# has sent all is not read any more, nor is it in the figure
did_iperf() {
	local end got least=$(($1 / 10 * 9))
	for end in "${ENDS[@]}"; do
		got=$(iperf_bytes <"$WORK/$end")
		[ "${got:-0}" -ge $least ] || unproven "the $end of iperf3 says ${got:-no} bytes of $1"
	done
	at_least client "wire tx_bytes" $least
	at_least server "wire rx_bytes" $least
}
