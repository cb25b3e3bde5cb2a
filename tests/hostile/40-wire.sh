#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Faults on the wire under RC traffic of all operations, both ways, on several QPs. A cell of the
# matrix either completes, each byte right, or fails with the status that the IBTA specification
# names, in the time that retry_cnt and timeout give.
#
# The traffic is a case of svt_verify. What the two sides tell each other goes over a wire of its
# own, which stays good. A step waits for what shows that the one before had its effect: for
# operations that were verified, or for retries that were in vain; none waits for time to pass.
#
# SVT_SEED=N runs the same operations again; what netem throws is another matter.

. "$(dirname "$0")/../lib/testlib.sh"

PAIR_HOST=10.9.0.1
SEED=${SVT_SEED:-$((RANDOM << 15 | RANDOM))}
FAMILY=v4
OPTIONS=-e
# Operations before, between and behind the steps of a cell
SOME=$(amount 300 450)

setup_wire() {
	setup_pair
	ip -n a link add ctl0 type veth peer name ctl0 netns b
	ip -n a addr add 10.9.0.1/24 dev ctl0
	ip -n b addr add 10.9.0.2/24 dev ctl0
	ip -n a link set ctl0 up
	ip -n b link set ctl0 up
	# The first user of these hooks, and the first filter, are patched into the code of the kernel,
	# the last ones out of it. QEMU may run an old copy of a place that is patched, with the
	# breakpoint in it, while packets go through it: "Oops: int3". Here there is always one of each.
	tc -n a qdisc add dev ctl0 clsact
	tc -n a filter add dev ctl0 egress matchall action pass
	echo setup_wire >/run/svt/pair
}

# ---- traffic ----

# start CASE: a case of svt_verify, with OPTIONS, in the background
start() {
	rm -f "$WORK/cue"
	: >"$WORK/client"
	verify "$FAMILY" $OPTIONS -s "$SEED" -x "$WORK/cue" -t "$1" >"$WORK/verdict" 2>&1 &
	program=$!
}

# on FAMILY COMMAND...; with OPTIONS COMMAND...
on() {
	FAMILY=$1 "${@:2}"
}

with() {
	OPTIONS=$1 "${@:2}"
}

# The program's own verdict
finish_program() {
	local status=0
	wait "$program" || status=$?
	cat "$WORK/verdict"
	[ "$status" = 0 ]
}

say() {
	echo "$1" >"$WORK/cue"
}

# await COMMAND...: polls, as long as the program runs
await() {
	local end=$((SECONDS + $(scaled 100)))
	until "$@"; do
		if ! kill -0 "$program" 2>/dev/null || [ "$SECONDS" -ge "$end" ]; then
			show_file "$WORK/server"
			show_file "$WORK/client"
			die "this did not come: $*"
		fi
		nap
	done
}

# heard WORD: the program says that it is there
heard() {
	local line
	while read -r line; do
		[ "$line" != "# at $1" ] || return 0
	done <"$WORK/client"
	return 1
}

has_verified() {
	local word number operations=0
	while read -r _ word number; do
		[ "$word" != operations ] || operations=$number
	done <"$WORK/client"
	echo "$operations" >"$WORK/operations"
	[ "$operations" -ge "$1" ]
}

# traffic NUMBER: so many more operations are done and verified
traffic() {
	local operations
	has_verified 0
	operations=$(<"$WORK/operations")
	await has_verified $((operations + $1))
}

# count DEVICE COUNTER
count() {
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

grew_to() {
	local a b
	read -r a <"/sys/class/infiniband/svta/ports/1/hw_counters/$1"
	read -r b <"/sys/class/infiniband/svtb/ports/1/hw_counters/$1"
	[ $((a + b)) -ge "$2" ]
}

# growth NUMBER COUNTER: of the two devices together, by so many from now
growth() {
	await grew_to "$2" $(($(count svta "$2") + $(count svtb "$2") + $1))
}

# ---- faults: break_FAULT SIDE, mend_FAULT SIDE ----

address_of() {
	case $1 in a) echo 1 ;; b) echo 2 ;; esac
}

break_link() {
	ip -n "$1" link set veth0 down
}

# IPv6 forgets its addresses when the link goes down
mend_link() {
	ip -n "$1" link set veth0 up
	ip -n "$1" addr replace "fd00::$(address_of "$1")/64" dev veth0 nodad
}

break_address() {
	ip -n "$1" addr flush dev veth0 scope global
}

mend_address() {
	ip -n "$1" addr add "10.0.0.$(address_of "$1")/24" dev veth0
	ip -n "$1" addr add "fd00::$(address_of "$1")/64" dev veth0 nodad
}

# IPv4 takes a peer without a route to be on the link of the netdev that is named
break_route() {
	ip -n "$1" route add blackhole fd00::/96
}

mend_route() {
	ip -n "$1" route del blackhole fd00::/96
}

break_loss() {
	tc -n "$1" qdisc add dev veth0 root netem loss 100%
}

mend_loss() {
	tc -n "$1" qdisc del dev veth0 root
}

# What is dropped by the host that sends it: NET_XMIT_DROP
break_output() {
	tc -n "$1" qdisc add dev veth0 clsact
	tc -n "$1" filter add dev veth0 egress matchall action drop
}

mend_output() {
	tc -n "$1" qdisc del dev veth0 clsact
}

break_input() {
	tc -n "$1" qdisc add dev veth0 clsact
	tc -n "$1" filter add dev veth0 ingress matchall action drop
}

mend_input() {
	mend_output "$1"
}

# Of what has more bytes nothing gets through
break_mtu() {
	ip -n "$1" link set veth0 mtu 1400
}

mend_mtu() {
	ip -n "$1" link set veth0 mtu "$PAIR_MTU"
}

# each SIDES FUNCTION
each() {
	local side
	for side in $1; do
		"$2" "$side"
	done
}

# reaches SIDE ADDRESS: it knows the hardware address, having asked for it
reaches() {
	ip netns exec "$1" bash -c "echo >/dev/udp/$2/9" 2>/dev/null || :
	ip -n "$1" neigh show "$2" dev veth0 | grep lladdr
}

# A QP that is connected asks for its peer's hardware address, and ib_core waits a second for the
# answer. Over a bad wire either may be lost; behind a link that came up the kernel may take as long
# until it lets packets through.
introduce() {
	until_true 10 reaches a 10.0.0.2
	until_true 10 reaches b 10.0.0.1
	until_true 10 reaches a fd00::2
	until_true 10 reaches b fd00::1
}

# ---- what a cell is made of ----

# survives FAULT SIDES: while nothing gets through, and afterwards
survives() {
	local round
	start rc_soak
	for ((round = 0; round < $(amount 1 2); round++)); do
		traffic "$SOME"
		each "$2" "break_$1"
		growth 3 local_ack_timeout_err
		each "$2" "mend_$1"
	done
	traffic "$SOME"
	say done
	finish_program
}

# passes STEP...: what goes on while STEP changes the wire.
passes() {
	start rc_soak
	traffic "$SOME"
	"$@"
	traffic "$SOME"
	say done
	finish_program
}

# Enough for packets of the path MTU, at any time
mtu_of_both() {
	local mtu side
	for mtu in "$@"; do
		for side in a b; do
			ip -n "$side" link set veth0 mtu "$mtu"
		done
		traffic "$SOME"
	done
}

other_addresses() {
	local side
	for side in a b; do
		ip -n "$side" addr add 10.0.0.99/24 dev veth0
		ip -n "$side" addr add fd00::99/64 dev veth0 nodad
		traffic "$SOME"
		ip -n "$side" addr del 10.0.0.99/24 dev veth0
		ip -n "$side" addr del fd00::99/64 dev veth0
	done
}

# Also the default GID, which is made of it
hardware_address() {
	ip -n "$1" link set veth0 address "02:00:00:00:00:0$(address_of "$1")"
	ip -n a neigh flush dev veth0
	ip -n b neigh flush dev veth0
}

offloads() {
	local state
	for state in off on; do
		in_a ethtool -K veth0 sg $state tso $state gso $state gro $state
		in_b ethtool -K veth0 tx $state rx $state
		traffic "$SOME"
	done
}

# What waits in a queue is lost with it
queues_come_and_go() {
	local side
	for side in a b a b; do
		tc -n "$side" qdisc replace dev veth0 root netem delay 5ms loss 1%
		traffic "$SOME"
		tc -n "$side" qdisc replace dev veth0 root pfifo limit 10
		traffic "$SOME"
		tc -n "$side" qdisc del dev veth0 root
	done
}

packets_matched() {
	tc -n "$1" -s filter show dev veth0 egress | sed -n 's/.*Sent .* \([0-9]*\) pkt .*/\1/p'
}

# A path does not use a source address that is gone, though there is a route
gone_address() {
	local protocol=ip address=10.0.0.2/24 other=10.0.0.22/24
	if [ "$FAMILY" = v6 ]; then
		protocol=ipv6 address=fd00::2/64 other=fd00::22/64
	fi
	ip netns exec b sysctl -qw net.ipv4.conf.all.promote_secondaries=1
	ip -n b addr add "$other" dev veth0
	ip -n b addr del "$address" dev veth0
	growth 3 local_ack_timeout_err
	tc -n b qdisc add dev veth0 clsact
	tc -n b filter add dev veth0 egress protocol "$protocol" \
		flower ip_proto udp dst_port 4791 action pass
	growth 5 local_ack_timeout_err
	[ "$(packets_matched b)" = 0 ]
	tc -n b qdisc del dev veth0 clsact
	ip -n b addr add "$address" dev veth0
	ip -n b addr del "$other" dev veth0
}

# A local drop is a lost packet and does not kill the QP
local_drop() {
	local before
	before=$(count svtb tx_dropped)
	survives output b
	[ "$(count svtb tx_dropped)" -gt "$before" ]
}

# gives_up CASE FAULT SIDES: QPs end as they have to, and begin anew when the wire is mended
gives_up() {
	local before
	before=$(($(count svta retry_exceeded) + $(count svtb retry_exceeded)))
	start "$1"
	case $1 in
	wire_cut*) await heard ready ;;
	wire_starve*) await heard starving ;;
	*) await eval 'has_verified "$SOME" || heard given_up' ;;
	esac
	each "$3" "break_$2"
	say cut
	await heard given_up
	each "$3" "mend_$2"
	introduce
	say mended
	finish_program
	grew_to retry_exceeded $((before + 1))
}

# queue SIDES QDISC...: from the start to the end
queue() {
	local side
	introduce
	for side in $1; do
		tc -n "$side" qdisc replace dev veth0 root "${@:2}"
	done
	start rc_soak
	traffic $((2 * SOME))
	say done
	finish_program
	for side in $1; do
		tc -n "$side" -s qdisc show dev veth0
		tc -n "$side" qdisc del dev veth0 root
	done
}

netem() {
	queue "$1" netem limit 5000 "${@:2}"
}

# A queue that is full drops what the sender gives it
short_queue() {
	queue "$@" | tee "$WORK/queue"
	fails grep 'dropped 0,' "$WORK/queue"
}

# starves NUMBER: until both have been told so often that the other is not ready
starves() {
	start wire_starve
	await heard starving
	growth "$1" rnr_nak_retry_err
	say feed
	finish_program
}

starves_for_ever() {
	verify "$FAMILY" $OPTIONS -s "$SEED" -t 'wire_starve_?'
}

# ---- the matrix ----

# cell NAME COMMAND...: of each run; more NAME COMMAND...: of long runs in stock kernels only
cell() {
	run_test "$@"
}

more() {
	[ -z "${SVT_FULL:-}" ] || is_checked || cell "$@"
}

setup_wire
echo "seed $SEED"
TEST_LIMIT=300 PAIR_LIMIT=280
ALL=(loss 1% duplicate 1% corrupt 1% delay 2ms 1ms)

cell "loss of 1 %" netem "a b" loss 1%
cell "loss, duplicates, corruption, disorder" on v6 netem "a b" "${ALL[@]}"
cell "a queue of 10 packets" short_queue "a b" netem limit 10 delay "$(scaled 2)ms"
cell "a local drop is a lost packet" local_drop
cell "link down and up" survives link b
cell "address removed and added" on v6 survives address a
cell "no receives for long" starves 20
cell "link down under traffic: given up" gives_up wire_give_up link b
cell "link down before: given up" gives_up wire_cut_0 link a
cell "no receives, then no link: given up" gives_up wire_starve_cut link b
more "no receives ever: given up" starves_for_ever

for sides in a b "a b"; do
	for loss in 0.1 1 5; do
		more "loss of $loss % at $sides" netem "$sides" loss "$loss%"
	done
	more "reordering at $sides" netem "$sides" delay 1ms reorder 95% 50%
	more "duplication at $sides" netem "$sides" duplicate 5%
	more "corruption at $sides" netem "$sides" corrupt 1%
	more "delay at $sides" netem "$sides" delay 10ms
	more "a queue of 10 packets at $sides" queue "$sides" pfifo limit 10
	for fault in link address loss; do
		more "$fault of $sides off and on" survives "$fault" "$sides"
	done
	for fault in link address route output input; do
		more "$fault of $sides off and on, IPv6" on v6 survives "$fault" "$sides"
	done
	for case in give_up give_up_0 give_up_3 give_up_one_way; do
		more "link of $sides off: $case" gives_up "wire_$case" link "$sides"
	done
	for fault in address mtu output; do
		more "$fault of $sides off: given up" gives_up wire_give_up "$fault" "$sides"
	done
	for fault in link address loss; do
		more "$fault of $sides off before: given up" gives_up wire_cut "$fault" "$sides"
	done
	more "route of $sides off before: given up" \
		on v6 gives_up wire_cut_one_way route "$sides"
done
more "loss of 5 %, path MTU 256" with "-e -m 256" netem "a b" loss 5%
more "disorder of all packets" netem "a b" delay 2ms 1ms
more "half of the packets twice" netem "a b" duplicate 50%
more "queues come and go" passes queues_come_and_go
more "MTU grows and shrinks" passes mtu_of_both 9000 4200 65000 4200
more "MTU shrinks to what fits" with "-e -m 1024" passes mtu_of_both 1500 4200 1300 4200
more "other addresses come and go" passes other_addresses
more "hardware address of a" passes hardware_address a
more "hardware address of b" on v6 passes hardware_address b
more "offloads off and on" passes offloads
more "no packet leaves an address that is gone, v4" passes gone_address
more "no packet leaves an address that is gone, v6" on v6 passes gone_address
more "polling, loss of 1 %" with "" netem "a b" loss 1%
run_test "teardown leaves nothing" teardown_pair
finish
