#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What `make bench` measures, in a VM whose time is instructions: svt, rxe and TCP, one after the
# other, each over a veth of the same kind. svt and TCP have their ends in the namespaces a and b.
# rxe works in the first namespace only: there a rule sends what goes from one end to the other over
# the wire. Each measurement is a test, and adds a line "MEASURE,SIZE,UNIT,SYSTEM,VALUE" to
# values.csv, a profile lines "MEASURE,LAYER,INSTRUCTIONS" to layers.csv, or
# "MEASURE,TASK,INSTRUCTIONS" to tasks.csv. A figure counts when both ends did the work
# (evidence.sh): in front of it, and instead of it when it does not, is a line with the reason as
# VALUE.
#
# One processor has to be shared: programs wait for events where they can. Who polls keeps it from
# the kernel's threads for its time slice; there is no latency of polling to be measured on it.

. "$(dirname "$0")/../lib/testlib.sh"
. "$(dirname "$0")/figures.sh"
. "$(dirname "$0")/evidence.sh"

OUT=/run/svt/files
FILE=$OUT/values.csv
LAYERS=$OUT/layers.csv
TASKS=$OUT/tasks.csv
SYSTEM=svt
# Samples for a profile: one each so many instructions
PERIOD=100000
TEST_LIMIT=150 PAIR_LIMIT=120

# ---- the wires ---------------------------------------------------------------------------

rxe_end() {
	ip link set "$1" mtu "$PAIR_MTU" up
	ip addr add "$2/32" dev "$1"
	sysctl -qw "net.ipv4.conf.$1.accept_local=1" "net.ipv4.conf.$1.rp_filter=0"
	ip route add "$3" dev "$1" src "$2" table "$4"
	ip rule add pref 10 iif lo from "$2" to "$3" lookup "$4"
	# rdma_cm asks for the way back by the netdev that a request came to
	ip rule add pref 11 oif "$1" lookup "$4"
	rdma link add "$5" type rxe netdev "$1"
	NETDEV[$5]=$1
}

setup_rxe() {
	sysctl -qw net.ipv4.conf.all.rp_filter=0
	# Rules are asked before the table of local addresses
	ip rule add pref 100 lookup local
	ip rule del pref 0
	modprobe rdma_rxe
	ip link add wire0 type veth peer name wire1
	rxe_end wire0 10.0.1.1 10.0.1.2 101 rxea
	rxe_end wire1 10.0.1.2 10.0.1.1 102 rxeb
	gid_index rxea v4
	gid_index rxeb v4
}

# An end of each kind on one wire, the one of svt in a namespace
setup_mixed() {
	ip link add mixed0 type veth peer name mixed0 netns b
	ip link set mixed0 mtu "$PAIR_MTU" up
	ip addr add 10.0.3.1/24 dev mixed0
	ip -n b link set mixed0 mtu "$PAIR_MTU" up
	ip -n b addr add 10.0.3.2/24 dev mixed0
	rdma link add rxem type rxe netdev mixed0
	in_b rdma link add svtm type svt netdev mixed0
	gid_index rxem v4
	gid_index svtm v4
	NETDEV[rxem]=mixed0 NETDEV[svtm]=mixed0
}

setup_svt() {
	setup_pair
	NETDEV[svta]=veth0 NETDEV[svtb]=veth0
}

in_ns_of() {
	case $1 in
	svta) in_a "${@:2}" ;;
	svtb | svtm) in_b "${@:2}" ;;
	*) "${@:2}" ;;
	esac
}

# between NAME COMMAND...: what pair starts are the two ends of a system: SERVER and CLIENT are the
# devices, HOST the server's address.
between() {
	case $1 in
	svt) SERVER=svta CLIENT=svtb HOST=10.0.0.1 ;;
	"one host") SERVER=svta CLIENT=svta HOST=10.0.0.1 ;;
	rxe) SERVER=rxea CLIENT=rxeb HOST=10.0.1.1 ;;
	"svt to rxe") SERVER=rxem CLIENT=svtm HOST=10.0.3.1 ;;
	"rxe to svt") SERVER=svtm CLIENT=rxem HOST=10.0.3.2 ;;
	esac
	"${@:2}"
}

exec_at() {
	case $1 in
	svta) exec ip netns exec a "${@:2}" ;;
	svtb | svtm) exec ip netns exec b "${@:2}" ;;
	*) exec "${@:2}" ;;
	esac
}

exec_in_a() {
	exec_at "$SERVER" "$@"
}

exec_in_b() {
	exec_at "$CLIENT" "$@"
}

# ---- what is written down ----------------------------------------------------------------

# claim MEASURE SIZE UNIT: a row that has no figure until `record` gives it one
claim() {
	ROWS+=("$1,$2,$3")
	echo "$1,$2,$3,$SYSTEM,it did not end" >>"$FILE"
}
ROWS=()

# unproven WHY: none of the rows claimed in this measurement has a figure
unproven() {
	local row
	for row in "${ROWS[@]}"; do
		echo "$row,$SYSTEM,${1//,/;}" >>"$FILE"
	done
	die "not proven: $1"
}

# record MEASURE SIZE UNIT VALUE: fails when VALUE is no number
record() {
	[[ $4 =~ ^[0-9]+(\.[0-9]+)?$ ]] || unproven "no figure in the output: '$4'"
	echo "$1,$2,$3,$SYSTEM,$4" | tee -a "$FILE"
}

# ---- verbs -------------------------------------------------------------------------------

# perftest PROGRAM [OPTION...]
perftest() {
	pair "$1" -d "$SERVER" -x "$(gid_index "$SERVER" v4)" -F -m 4096 "${@:2}" -- \
		"$1" -d "$CLIENT" -x "$(gid_index "$CLIENT" v4)" -F -m 4096 "${@:2}" "$HOST"
}

# option_of NAME DEFAULT OPTION...: its value
option_of() {
	local name=$1 value=$2
	while [ $# -gt 3 ]; do
		shift
		[ "$2" != "$name" ] || value=$3
	done
	echo "$value"
}

# proven PROGRAM SIZE COUNT [OPTION...]: perftest with COUNT messages on each QP, which were sent
# and received
proven() {
	observed perftest "$1" -s "$2" -n "$3" "${@:4}"
	did_perftest "$1" $(($3 * $(option_of -q 1 "$@"))) "$2"
}

# bandwidth MEASURE SIZE COUNT PROGRAM [OPTION...]
bandwidth() {
	claim "$1" "$2" MB/s
	proven "$4" "$2" "$3" -N "${@:5}"
	record "$1" "$2" MB/s "$(perftest_figure 4 <"$WORK/client")"
}

# rate MEASURE SIZE COUNT PROGRAM [OPTION...]: messages a second
rate() {
	claim "$1" "$2" 1/s
	proven "$4" "$2" "$3" -N "${@:5}"
	record "$1" "$2" 1/s "$(perftest_rate <"$WORK/client")"
}

# latency MEASURE SIZE PROGRAM [OPTION...]: of one way
latency() {
	claim "$1" "$2" us
	proven "$3" "$2" 500 "${@:4}"
	record "$1" "$2" us "$(perftest_figure 5 <"$WORK/client")"
}

count_for() {
	case $1 in
	64) echo 6000 ;;
	4096) echo 3000 ;;
	65536) echo 2000 ;;
	*) echo 150 ;;
	esac
}

measure_bandwidth() {
	local size operation events
	for size in 4096 65536 1048576; do
		for operation in send write read; do
			events=-e
			[ $operation != write ] || events=
			run_test "$SYSTEM: $operation of $size bytes" bandwidth $operation $size \
				"$(count_for $size)" ib_${operation}_bw $events
		done
	done
}

measure_rate() {
	local qps
	for qps in 1 16 64; do
		# ib_send_bw of perftest 4.5 waits for an event that came when more than 16 QPs end at once
		[ $qps = 64 ] || run_test "$SYSTEM: 64-byte SENDs, $qps QPs" \
			rate "send $qps QP" 64 $((12800 / qps)) ib_send_bw -e -q $qps
		run_test "$SYSTEM: 64-byte WRITEs, $qps QPs" \
			rate "write $qps QP" 64 $((12800 / qps)) ib_write_bw -q $qps
	done
	run_test "$SYSTEM: 4-KiB READs" rate "read rate" 4096 3000 ib_read_bw -e
	run_test "$SYSTEM: FETCH_AND_ADD" rate "fetch and add" 8 3000 ib_atomic_bw -A FETCH_AND_ADD
	run_test "$SYSTEM: UD SENDs" rate "UD send" 64 6000 ib_send_bw -e -c UD
}

measure_latency() {
	local size
	for size in 2 64 4096; do
		run_test "$SYSTEM: latency of $size bytes" \
			"${ATTEMPT:-latency}" "send latency" $size ib_send_lat -e
	done
	run_test "$SYSTEM: latency of FETCH_AND_ADD" "${ATTEMPT:-latency}" "fetch and add latency" 8 \
		ib_atomic_lat -A FETCH_AND_ADD
}

# rxe fills its CQ and stops in event mode on one processor; that is a result too
attempt_latency() {
	# The host works for the time that the guest idles: 250 s of it
	(SVT_TIME_SCALE=50 PAIR_LIMIT=5 latency "$@") && return
	(
		claim "$1" "$2" us
		unproven "$(dmesg | grep -om 1 "queue full" || echo it did not end)"
	) || :
}

# ---- a flood beside it -------------------------------------------------------------------

verbs_flood() {
	local options=(-s 65536 -n 1000000 -N -e -F -m 4096 -p 19000)
	(exec_at "$SERVER" ib_send_bw -d "$SERVER" -x "$(gid_index "$SERVER" v4)" "${options[@]}") &
	sleep 1
	exec_at "$CLIENT" ib_send_bw -d "$CLIENT" -x "$(gid_index "$CLIENT" v4)" "${options[@]}" \
		"$HOST"
}

tcp_flood() {
	(exec_in_a iperf3 -s -1 -p 19000) &
	sleep 1
	exec_in_b iperf3 -c "$HOST" -p 19000 -l 65536 -t 1000
}

# beside PROGRAM FLOOD COMMAND...: while FLOOD keeps PROGRAM busy, or alone when FLOOD is "nothing"
beside() {
	if [ "$2" != nothing ]; then
		"$2" >/dev/null 2>&1 &
		# Not by the scaled nap: this time has to be worked off
		sleep 3
	fi
	"${@:3}"
	[ "$2" != nothing ] || return 0
	pgrep -x "$1" >/dev/null || unproven "the flood ended before"
	at_least client "wire tx_bytes" $FLOOD_BYTES
	at_least server "wire rx_bytes" $FLOOD_BYTES
	pkill -x "$1"
	wait
}
# Of the flood, while the messages go beside it; those are less than a hundredth of that
FLOOD_BYTES=10000000

# Average and 99th percentile, of one way
verbs_tail() {
	claim "latency beside $1" 64 us
	claim "99 % latency beside $1" 64 us
	proven ib_send_lat 64 1000 -e
	record "latency beside $1" 64 us "$(perftest_figure 6 <"$WORK/client")"
	record "99 % latency beside $1" 64 us "$(perftest_figure 8 <"$WORK/client")"
}

sockperf_pair() {
	local server
	in_a sockperf sr --tcp -i 10.0.0.1 &
	server=$!
	sleep 1
	in_b sockperf pp --tcp -i 10.0.0.1 -m 64 -t 1 --no-rdtsc >"$WORK/client"
	pkill -x sockperf
	wait $server || :
}

tcp_tail() {
	local sent
	claim "latency beside $1" 64 us
	claim "99 % latency beside $1" 64 us
	observed sockperf_pair
	sent=$(sockperf_count Sent <"$WORK/client")
	[ "${sent:-0}" -ge 500 ] || unproven "sockperf sent ${sent:-no} messages"
	[ "$(sockperf_count Received <"$WORK/client")" = "$sent" ] ||
		unproven "not all of $sent messages came back"
	did_exchange "$sent"
	record "latency beside $1" 64 us "$(sockperf_average <"$WORK/client")"
	record "99 % latency beside $1" 64 us "$(sockperf_percentile 99 <"$WORK/client")"
}

measure_tail() {
	run_test "svt: latency alone" beside ib_send_bw nothing verbs_tail nothing
	run_test "svt: latency beside a flood" beside ib_send_bw verbs_flood verbs_tail "a flood"
	SYSTEM=tcp
	run_test "TCP: latency alone" beside iperf3 nothing tcp_tail nothing
	run_test "TCP: latency beside a flood" beside iperf3 tcp_flood tcp_tail "a flood"
	SYSTEM=svt
}

cmtime_pair() {
	local server
	(exec_in_a cmtime -b "$HOST" -c 200) >"$WORK/server" 2>&1 &
	server=$!
	sleep 1
	(exec_in_b timeout 30 cmtime -b "${HOST%1}2" -s "$HOST" -c 200) >"$WORK/client" 2>&1
	# It waits for more
	pkill cmtime
	wait $server || :
}

connections() {
	claim "connections" 0 1/s
	observed cmtime_pair
	did_connect 200
	record "connections" 0 1/s "$(awk '/^create qp +:|^connect +:/ { sum += $(NF - 3) }
		END { if (sum) printf "%d", 200 * 1000 / sum }' "$WORK/client")"
}

measure_verbs() {
	measure_bandwidth
	measure_rate
	measure_latency
	measure_loss
}

# What no other system is compared with
calls() {
	local tool=$BUILD/tools/svt_postcount
	claim "calls per post of $1" "${3:-65536}" calls
	observed pair "$tool" -d "$SERVER" -g "$(gid_index "$SERVER" v4)" "${@:2}" -- \
		"$tool" -d "$CLIENT" -g "$(gid_index "$CLIENT" v4)" "${@:2}" "$HOST"
	did_carry client server $((10000 * ${3:-65536})) 10000
	did_not_fail
	record "calls per post of $1" "${3:-65536}" calls \
		"$(sed -n 's/^post \([0-9]*\) calls in \([0-9]*\) .*/\1 \2/p' "$WORK/client" |
			awk '{ printf "%.4f", $1 / $2 }')"
}

slab() {
	awk '/^SUnreclaim|^KernelStack|^Percpu/ { sum += $2 } END { print sum }' /proc/meminfo
}

# qps_open NUMBER: unreclaimable KiB of the kernel while so many QPs on each side are connected
qps_open() {
	perftest ib_write_bw -s 64 -n 5000000 -t 1 -Q 1 -q "$1" >/dev/null 2>&1 &
	# Not by the scaled nap: the programs are busy, so this time has to be worked off
	sleep 5
	are_connected "$1" || unproven "not all of $1 QPs are connected"
	slab
	pkill -x ib_write_bw
	wait
}

# are_connected NUMBER: QPs of each end; one that only responds stays in RTR
are_connected() {
	local device
	for device in "$SERVER" "$CLIENT"; do
		[ "$(rdma resource show qp link "$device/1" | grep -cE 'type RC state RT[RS]')" = "$1" ] ||
			return
	done
}

memory() {
	local few many
	claim "memory of a QP" 0 bytes
	few=$(qps_open 8)
	many=$(qps_open 264)
	echo "$few KiB for 8 QPs on each side, $many KiB for 264"
	record "memory of a QP" 0 bytes $(((many - few) * 1024 / 512))
}

measure_alone() {
	run_test "svt: system calls, SENDs of 64 KiB" calls SEND -s 65536
	run_test "svt: system calls, WRITEs of 64 KiB" calls WRITE -s 65536 -w
	run_test "svt: system calls, SENDs of 2 KiB, every 16th signalled" calls "SEND 2 KiB" \
		-s 2048 -x -S 16
	run_test "svt: memory of a connected QP" memory
}

# ---- where the instructions go -----------------------------------------------------------

# recorded COUNT PROGRAM [OPTION...]: perf.data of a run of so many messages, on QPS QPs, with
# callers when CALLERS is -g
recorded() {
	local data=$WORK/perf.data each=$(($1 / ${QPS:-1}))
	observed pair "$2" -d "$SERVER" -x "$(gid_index "$SERVER" v4)" -F -m 4096 -n $each "${@:3}" -- \
		perf record -q -a ${CALLERS:-} -e cpu-clock -F $((1000000000 / PERIOD)) -o "$data" \
		"$2" -d "$CLIENT" -x "$(gid_index "$CLIENT" v4)" -F -m 4096 -n $each "${@:3}" "$HOST"
	did_perftest "$2" "$1" "$(option_of -s 8 "${@:3}")"
}

# sampled COUNT PROGRAM [OPTION...]: the report of a run
sampled() {
	recorded "$@"
	perf report -i "$WORK/perf.data" --stdio --sort dso,symbol -F sample,dso,symbol -g none \
		>"$WORK/report.$1" 2>/dev/null
}

# profile MEASURE SHORT LONG PROGRAM [OPTION...]: the difference is that of LONG - SHORT messages
profile() {
	sampled "$2" "${@:4}"
	sampled "$3" "${@:4}"
	cat /proc/kallsyms >"$WORK/kallsyms"
	python3 "$(dirname "$0")/layers.py" "$1" $PERIOD "$2" "$3" "$WORK" | tee -a "$LAYERS"
}

# scripted COUNT: each sample of perf.data with who ran, and all callers
scripted() {
	perf script -i "$WORK/perf.data" -F comm,pid,ip,sym >"$WORK/script.$1" 2>/dev/null
}

# tasks MEASURE SHORT LONG PROGRAM [OPTION...]: who runs the instructions
tasks() {
	local CALLERS=-g
	recorded "$2" "${@:4}"
	scripted "$2"
	recorded "$3" "${@:4}"
	scripted "$3"
	python3 "$(dirname "$0")/tasks.py" "$1" $PERIOD "$2" "$3" "$WORK" | tee -a "$TASKS"
}

measure_tasks() {
	if [ "$SYSTEM" = rxe ]; then
		run_test "rxe: tasks of SENDs of 64 bytes" \
			tasks "rxe send 64" 2000 12000 ib_send_bw -s 64 -N -e
		run_test "rxe: tasks of SENDs of 64 KiB" \
			tasks "rxe send 65536" 100 600 ib_send_bw -s 65536 -N -e
		return
	fi
	run_test "svt: tasks of SENDs of 64 bytes" \
		tasks "svt send 64" 10000 60000 ib_send_bw -s 64 -N -e
	run_test "svt: tasks of SENDs of 64 KiB" \
		tasks "svt send 65536" 300 2300 ib_send_bw -s 65536 -N -e
	run_test "svt: tasks of READs of 64 KiB" \
		tasks "svt read 65536" 300 2300 ib_read_bw -s 65536 -N -e
}

measure_layers() {
	echo 0 >/proc/sys/kernel/kptr_restrict
	echo -1 >/proc/sys/kernel/perf_event_paranoid
	run_test "$SYSTEM: layers of SENDs of 64 bytes" \
		profile "$SYSTEM send 64" 10000 110000 ib_send_bw -s 64 -N -e
	run_test "$SYSTEM: layers of SENDs of 64 KiB" \
		profile "$SYSTEM send 65536" 300 2300 ib_send_bw -s 65536 -N -e
	[ "$SYSTEM" = svt ] || return 0
	run_test "svt: layers of READs of 4 KiB" \
		profile "svt read 4096" 2000 12000 ib_read_bw -s 4096 -N -e
	run_test "svt: layers of a round trip of 64 bytes" \
		profile "svt round trip 64" 500 5500 ib_send_lat -s 64 -e
	run_test "svt: layers of WRITEs of 64 KiB" \
		profile "svt write 65536" 300 2300 ib_write_bw -s 65536 -N
	run_test "svt: layers of WRITEs of 64 bytes" \
		profile "svt write 64" 12800 128000 ib_write_bw -s 64 -N
	QPS=64 run_test "svt: layers of WRITEs of 64 bytes on 64 QPs" \
		profile "svt write 64 on 64 QPs" 12800 128000 ib_write_bw -s 64 -N -q 64
	run_test "svt: layers of FETCH_AND_ADD" \
		profile "svt fetch and add 8" 2000 12000 ib_atomic_bw -A FETCH_AND_ADD -N
}

measure_same_host() {
	local operation
	for operation in send write read; do
		run_test "svt: $operation on one host" \
			bandwidth "same host $operation" 65536 2000 ib_${operation}_bw
	done
	run_test "svt: layers of WRITEs of 64 KiB on one host" \
		profile "svt same host write 65536" 300 3300 ib_write_bw -s 65536 -N
}

# To a peer, and from it, that knows nothing of trains
measure_mixed() {
	local operation events
	for operation in send write read; do
		events=-e
		[ $operation != write ] || events=
		run_test "$2, $operation" bandwidth "$1 $operation" 65536 600 ib_${operation}_bw $events
	done
}

# ---- a wire that loses -------------------------------------------------------------------

# lossy PERCENT COMMAND...: both ways
lossy() {
	if [ "$SYSTEM" = rxe ]; then
		netem wire0 "$1"
		netem wire1 "$1"
	else
		in_a bash -c "$(declare -f netem); netem veth0 $1"
		in_b bash -c "$(declare -f netem); netem veth0 $1"
	fi
	"${@:2}"
	if [ "$SYSTEM" = rxe ]; then
		tc qdisc del dev wire0 root
		tc qdisc del dev wire1 root
	else
		in_a tc qdisc del dev veth0 root
		in_b tc qdisc del dev veth0 root
	fi
}

netem() {
	tc qdisc replace dev "$1" root netem limit 100000 loss "$2%"
}

messages_for() {
	case $1 in
	0.1) echo 4000 ;;
	1) echo 4000 ;;
	*) echo 1500 ;;
	esac
}

measure_loss() {
	local loss operation
	for loss in 0.1 1 5; do
		for operation in send read; do
			run_test "$SYSTEM: $operation, $loss % lost" lossy $loss \
				bandwidth "$operation $loss % lost" 65536 \
				"$(messages_for $loss)" ib_${operation}_bw -e
		done
	done
}

# ---- a wire like a NIC's -----------------------------------------------------------------

# nics off|on: the netdevs of both ends hand on one packet at a time, and merge what comes; or not
nics() {
	local device gro=on
	[ "$1" = off ] || gro=off
	for device in "$SERVER" "$CLIENT"; do
		# shellcheck disable=SC2046 # words
		in_ns_of "$device" ethtool -K "${NETDEV[$device]}" $(nic_features "$1" $gro)
	done
}

# merged MEASURE SIZE COUNT PROGRAM [OPTION...]: how many packets share an skb that is received
merged() {
	local packets
	claim "$1" "$2" packets
	proven "$4" "$2" "$3" -N "${@:5}"
	moved server hw_counters/rx_packets
	packets=$MOVED
	at_least server hw_counters/rx_trains 1
	record "$1" "$2" packets "$(awk -v p="$packets" -v t=$MOVED 'BEGIN { printf "%.1f", p / t }')"
}

measure_nic() {
	nics off
	run_test "$SYSTEM: send of 65536 bytes, NIC" bandwidth "NIC send" 65536 2000 ib_send_bw -e
	run_test "$SYSTEM: read of 65536 bytes, NIC" bandwidth "NIC read" 65536 2000 ib_read_bw -e
	run_test "$SYSTEM: 64-byte SENDs, 1 QP, NIC" rate "NIC send 1 QP" 64 12800 ib_send_bw -e -q 1
	if [ "$SYSTEM" = svt ]; then
		run_test "svt: packets of 65536 bytes merged" \
			merged "NIC send merged" 65536 300 ib_send_bw -e
		run_test "svt: packets of 64 bytes merged" merged "NIC send merged" 64 6000 ib_send_bw -e
		run_test "svt: layers of SENDs of 64 KiB, NIC" \
			profile "svt NIC send 65536" 300 2300 ib_send_bw -s 65536 -N -e
	fi
	nics on
}

measure_tcp_nic() {
	nics off
	run_test "TCP: 65536 bytes, NIC" tcp_bandwidth 65536 100M "NIC send"
	nics on
}

# ---- TCP ---------------------------------------------------------------------------------

tcp_bandwidth() {
	local size=$1 bytes=$2
	claim "${3:-send}" "$size" MB/s
	observed pair iperf3 -s -1 -J -- iperf3 -c 10.0.0.1 -l "$size" -n "$bytes" -J
	did_iperf "$(numfmt --from=iec "$bytes")"
	record "${3:-send}" "$size" MB/s "$(iperf_figure <"$WORK/client")"
}

tcp_latency() {
	local figure
	claim "send latency" "$1" us
	observed pair qperf -- qperf -t 1 -m "$1" --use_bits_per_sec 10.0.0.1 tcp_lat quit
	figure=$(qperf_figure <"$WORK/client")
	# For a second; half as many is certain
	did_exchange "$(awk -v us="${figure:-1}" 'BEGIN { printf "%d", 1000000 / (2 * us) / 2 }')"
	record "send latency" "$1" us "$figure"
}

# recorded_tcp COUNT: the same of COUNT messages of 64 KiB
recorded_tcp() {
	observed pair iperf3 -s -1 -J -- \
		perf record -q -a -g -e cpu-clock -F $((1000000000 / PERIOD)) -o "$WORK/perf.data" \
		iperf3 -c 10.0.0.1 -l 65536 -n $(($1 * 65536)) -J
	did_iperf $(($1 * 65536))
	scripted "$1"
}

tcp_tasks() {
	recorded_tcp 300
	recorded_tcp 2300
	python3 "$(dirname "$0")/tasks.py" "tcp send 65536" $PERIOD 300 2300 "$WORK" | tee -a "$TASKS"
}

measure_tcp() {
	local size loss
	for size in 4096 65536 1048576; do
		run_test "TCP: $size bytes" tcp_bandwidth $size 100M
	done
	for size in 2 64 4096; do
		run_test "TCP: latency of $size bytes" tcp_latency $size
	done
	run_test "TCP: tasks of 64 KiB" tcp_tasks
	for loss in 0.1 1 5; do
		run_test "TCP: $loss % lost" lossy $loss \
			tcp_bandwidth 65536 "$(messages_for $loss)00K" "send $loss % lost"
	done
}

# The files that a measurement needs are read before: while the guest waits for one its clock leaps
warm() {
	local program
	for program in ib_{send,write,read,atomic}_{bw,lat} perf iperf3 qperf sockperf python3 rdma \
		tc cmtime ethtool; do
		program=$(command -v $program) || continue
		cat "$program" $(ldd "$program" | grep -o '/[^ ]*') >/dev/null
	done
}

mkdir -p "$OUT"
warm
# Waiting for a disk takes as long as it likes here
echo 0 >/proc/sys/kernel/hung_task_timeout_secs
setup_svt
setup_rxe
setup_mixed
for device in "${!NETDEV[@]}"; do
	# What was counted is read, not what was a moment ago
	echo 0 >"/sys/class/infiniband/$device/ports/1/hw_counters/lifespan"
done
between svt measure_verbs
between svt measure_tail
between svt run_test "svt: connections" connections
between svt measure_alone
between svt measure_layers
between svt measure_tasks
between svt measure_nic
between "one host" measure_same_host
between "svt to rxe" measure_mixed "to rxe" "svt to rxe"
between "rxe to svt" measure_mixed "from rxe" "rxe to svt"
between "svt to rxe" run_test "svt to rxe: layers of WRITEs of 64 KiB" \
	profile "svt to rxe write 65536" 300 1300 ib_write_bw -s 65536 -N
SYSTEM=rxe
between rxe measure_mixed "to rxe" "rxe to rxe"
between rxe measure_mixed "from rxe" "rxe from rxe"
between rxe measure_layers
between rxe measure_tasks
between rxe measure_nic
between rxe run_test "rxe: connections" connections
ATTEMPT=attempt_latency between rxe measure_verbs
SYSTEM=tcp
between svt measure_tcp
between svt measure_tcp_nic
finish
