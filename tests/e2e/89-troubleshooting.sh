#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Documentation/troubleshooting.rst: what it says of a symptom is what is seen, and what it says to do
# helps. Lines and commands are those of the page: what is not there, to the letter, fails the test. There
# the device is svt0 and its netdev eth0.

. "$(dirname "$0")/../lib/testlib.sh"

PAGE=$TOP/Documentation/troubleshooting.rst
# The netdev of `cure` that is eth0 on the page
NETDEV=veth0

# page_has LINE: of a literal block, with or without a remark behind it
page_has() {
	sed -n 's/^\t\t*//; T; s/  *# .*//; p' "$PAGE" | grep -qxF -- "$1" || die "the page does not say: $1"
}

# block_of LINE: the literal block that begins with it
block_of() {
	page_has "$1"
	awk -v first="$1" '/^\t/ { line = substr($0, 2) } !/^\t/ { on = 0; next }
		line == first { on = 1 } on { print line }' "$PAGE"
}

# as_page: what is printed, with the names of the page
as_page() {
	sed -E 's/\bsvt[a-d]\b/svt0/g; s/\b(veth|cable)([01])\b/eth\2/g' | one_blank
}

one_blank() {
	sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//'
}

# says FILE LINE...: as the page has them, where … stands for anything
says() {
	local line pattern
	for line in "${@:2}"; do
		page_has "$line"
		pattern=$(one_blank <<<"$line" | sed 's/[][\.*^$+?(){}|]/\\&/g; s/…/.*/g')
		as_page <"$1" | grep -E -- "$pattern" || { cat "$1"; die "not said: $line"; }
	done
}

kernel_says() {
	dmesg >"$WORK/dmesg"
	says "$WORK/dmesg" "$@"
}

in_here() {
	"$@"
}

# cure SIDE COMMAND: what the page says to do, on side a or b or in the first namespace, `here`
cure() {
	local command=${2//eth0/$NETDEV}
	page_has "$2"
	[ "$1" = here ] || command=${command//svt0/svt$1}
	echo "$1: $command"
	"in_$1" bash -euc "$command"
}

# pingpong [OPTION...]: as the page has it, and options of both sides beside
pingpong() {
	page_has "ibv_rc_pingpong -d svt0 -g 1"
	page_has "ibv_rc_pingpong -d svt0 -g 1 10.0.0.1"
	pair ibv_rc_pingpong -d svta -g 1 -e -n 20 "$@" -- \
		ibv_rc_pingpong -d svtb -g 1 -e -n 20 "$@" 10.0.0.1
}

# A netdev and its peer, in the first namespace
cable_here() {
	ip link add veth0 type veth peer name veth1
	ip link set veth0 up
	ip link set veth1 up
	dmesg -C
}

no_cable_here() {
	ip link delete veth0
	until_true 10 device_gone svt0
}

add_is_refused() {
	fails rdma link add "$@" 2>"$WORK/error"
}

two_hosts_by_hand() {
	block_of "ip netns add a; ip netns add b" >"$WORK/block"
	[ "$(wc -l <"$WORK/block")" -gt 6 ]
	bash -eux "$WORK/block" | tee "$WORK/out"
	[ "$(grep -c '1000 iters' "$WORK/out")" -ge 1 ]
	ip netns delete a
	ip netns delete b
	until_true 10 device_gone svta
	until_true 10 device_gone svtb
	until_true 10 namespace_gone a
}

no_device() {
	[ -z "$(rdma link)" ]
	fails ibv_devinfo 2>"$WORK/error"
	says "$WORK/error" "No IB devices found"
	cable_here
	cure here "rdma link add svt0 type svt netdev eth0"
	ibv_devinfo -d svt0
	no_cable_here
}

# The folder of our modules, which `make install` and the VM put there
no_module() {
	where=/lib/modules/$(uname -r)/updates
	cable_here
	unload
	busybox mount -t tmpfs none "$where"
	trap 'busybox umount "$where"; depmod -a' EXIT
	depmod -a
	add_is_refused svt0 type svt netdev veth0
	says "$WORK/error" "error: Invalid argument"
	page_has "modprobe svt_roce"
	fails modprobe svt_roce 2>"$WORK/error"
	says "$WORK/error" "modprobe: FATAL: Module svt_roce not found in directory /lib/modules/…"
	busybox umount "$where"
	trap - EXIT
	cure here "depmod -a"
	cure here "rdma link add svt0 type svt netdev eth0"
	no_cable_here
}

wrong_netdev() {
	cable_here
	ip link add link veth0 name veth0.9 type vlan id 9
	add_is_refused svt0 type svt netdev veth0.9
	says "$WORK/error" "error: Operation not supported"
	kernel_says "eth0.9: svt: add the device to the netdev below: it serves its VLANs"
	modprobe tun
	ip tuntap add tun9 mode tun
	add_is_refused svt0 type svt netdev tun9
	ip link delete tun9
	says "$WORK/error" "error: Operation not supported"
	kernel_says "tun9: svt: neither Ethernet nor loopback"
	add_is_refused svt0 type svt netdev nosuch0
	says "$WORK/error" "error: No such device"
	no_cable_here
}

port_is_taken() {
	local line="eth0: svt: UDP port 4791 is in use in this network namespace: unload rdma_rxe, or end the"
	cable_here
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev veth1
	add_is_refused svt0 type svt netdev veth0
	says "$WORK/error" "error: Address already in use"
	kernel_says "$line program that ss -nulp shows"
	cure here "ss -nulp sport = 4791" | grep :4791
	cure here "modprobe -r rdma_rxe"
	cure here "rdma link add svt0 type svt netdev eth0"
	no_cable_here
}

there_is_one_already() {
	cable_here
	rdma link add svt0 type svt netdev veth0
	add_is_refused svt1 type svt netdev veth0
	says "$WORK/error" "error: File exists"
	kernel_says "eth0: svt: it has a device already, which rdma link shows"
	add_is_refused svt0 type svt netdev veth1
	says "$WORK/error" "error: File exists"
	kernel_says "eth1: svt: another RDMA device has that name"
	no_cable_here
}

# With IPv6 a netdev has an address as soon as it is up
no_address() {
	cable_here
	sysctl -qw net.ipv6.conf.veth0.disable_ipv6=1
	rdma link add svt0 type svt netdev veth0
	kernel_says "eth0: svt: it has no IP address yet: until it has, nobody can reach svt0"
	fails gid_of_kind svt0 v4
	cure here "ip addr add 10.0.0.1/24 dev eth0"
	gid_index svt0 v4
	no_cable_here
}

exclusive_mode() {
	cable_here
	set_rdma_mode exclusive
	rdma system >"$WORK/system"
	says "$WORK/system" "netns exclusive …"
	rdma link add svt0 type svt netdev veth0
	ip netns add blue
	trap 'ip netns delete blue' EXIT
	ip netns exec blue ibv_devices >"$WORK/devices"
	fails grep svt0 "$WORK/devices"
	cure here "rdma dev set svt0 netns blue"
	ip netns exec blue ibv_devices | grep svt0
	ip netns exec blue rdma link delete svt0
	trap - EXIT
	ip netns delete blue
	no_cable_here
	set_rdma_mode shared
}

# What has $WORK/infiniband for /dev/infiniband
# shellcheck disable=SC2016 # for the shell there
CONTAINER=(unshare -m sh -euc 'busybox mount -o bind "$0" /dev/infiniband; exec "$@"' "$WORK/infiniband")

# What the servers of pairs run in
IN_A=()
exec_in_a() {
	exec ip netns exec a "${IN_A[@]}" "$@"
}

container_without_devices() {
	local verbs IN_A=("${CONTAINER[@]}")
	mkdir "$WORK/infiniband"
	fails in_a "${CONTAINER[@]}" ibv_devinfo 2>"$WORK/error"
	says "$WORK/error" "No IB devices found"
	page_has "--device=/dev/infiniband/uverbs0 --device=/dev/infiniband/rdma_cm --ulimit memlock=-1"
	verbs=$(grep -lx svta /sys/class/infiniband_verbs/*/ibdev)
	verbs=${verbs%/ibdev}
	cp -a "/dev/infiniband/${verbs##*/}" /dev/infiniband/rdma_cm "$WORK/infiniband"
	in_a "${CONTAINER[@]}" ibv_devinfo -d svta
	PAIR_READY='[[ "$(in_a rdma resource show cm_id)" == *LISTEN* ]]' \
		pair rping -s -C 5 -V -a 10.0.0.1 -- rping -c -C 5 -V -a 10.0.0.1
}

no_server() {
	fails in_b ibv_rc_pingpong -d svtb -g 1 10.0.0.1 2>"$WORK/error"
	says "$WORK/error" "Couldn't connect to 10.0.0.1:18515"
	pingpong
}

no_gid() {
	local line="GID[  1]:		::ffff:10.0.0.1, RoCE v2"
	fails pair ibv_rc_pingpong -d svta -- ibv_rc_pingpong -d svtb 10.0.0.1
	says "$WORK/server" "Failed to modify QP to RTR" "Couldn't connect to remote QP"
	cure a "ibv_devinfo -v -d svt0 | grep GID" >"$WORK/gids"
	says "$WORK/gids" "GID[  0]:		fe80::…, RoCE v2" "$line"
	pingpong
}

gid_beyond_the_table() {
	fails in_a ibv_rc_pingpong -d svta -g 99999 2>"$WORK/error"
	says "$WORK/error" "can't read sgid of index …"
}

gids_of_two_kinds() {
	fails pair ibv_rc_pingpong -d svta -g 1 -- ibv_rc_pingpong -d svtb -g 0 10.0.0.1
	pingpong
}

# mtu_of_both MTU: and the device knows
mtu_of_both() {
	local side
	for side in a b; do
		ip -n "$side" link set veth0 mtu "$1"
	done
}

small_mtu() {
	mtu_of_both 1500
	cure a "ibv_devinfo -d svt0 | grep active_mtu" >"$WORK/mtu"
	says "$WORK/mtu" "active_mtu:		1024 (3)"
	fails pingpong -m 4096
	says "$WORK/server" "Failed to modify QP to RTR"
	pair ib_write_bw -F -d svta -x 1 -n 5 -m 4096 -- ib_write_bw -F -d svtb -x 1 -n 5 -m 4096 10.0.0.1
	says "$WORK/client" "Requested mtu is higher than active mtu" "Changing to active mtu - 3"
	cure a "ip link set eth0 mtu 4200"
	cure b "ip link set eth0 mtu 4200"
	pingpong -m 4096
}

# A switch between cable0 of a and of b, whose frames are smaller than theirs. A veth hands on what is to be
# segmented, whatever its length: nothing here is
switch_of_1500() {
	local side number=1
	add_namespace switch
	ip -n switch link add switch type bridge forward_delay 0
	ip -n switch link set switch up
	for side in a b; do
		ip -n $side link add cable0 mtu 4200 type veth peer name port$side netns switch
		ip -n switch link set port$side master switch up
		ip -n $side link set cable0 up
		ip -n $side addr add 10.0.9.$number/24 dev cable0
		number=$((number + 1))
	done
	in_a rdma link add svtc type svt netdev cable0
	in_b rdma link add svtd type svt netdev cable0
	gid_index svtc v4
	gid_index svtd v4
}

# over_the_switch [OPTION...]: messages of a packet each
over_the_switch() {
	pair ibv_rc_pingpong -d svtc -g "$(gid_index svtc v4)" -n 2 "$@" -- \
		ibv_rc_pingpong -d svtd -g "$(gid_index svtd v4)" -n 2 "$@" 10.0.9.1
}

small_frames_between() {
	local NETDEV=cable0 command="ping -c 1 -W 2 -s 4158 10.0.0.1"
	switch_of_1500
	over_the_switch -m 4096 -s 512
	fails over_the_switch -m 4096 -s 4096
	says "$WORK/client" "Failed status transport retry counter exceeded (12) for wr_id …"
	page_has "$command"
	command="busybox ${command/10.0.0.1/10.0.9.1}"
	# shellcheck disable=SC2086 # words
	fails in_b $command
	over_the_switch -m 1024 -s 1024
	cure a "ip link set eth0 mtu 1500"
	cure b "ip link set eth0 mtu 1500"
	pair rping -s -C 2 -V -S 4096 -a 10.0.9.1 -- rping -c -C 2 -V -S 4096 -a 10.0.9.1
	ip -n a link delete cable0
	ip -n b link delete cable0
	until_true 10 device_gone svtc
	until_true 10 device_gone svtd
	ip netns delete switch
}

# flood: of WRITEs, without an end; sets server and client
flood() {
	local options=(-F -x 1 -u 10 -s 64 --run_infinitely -D 5)
	start_in a "$WORK/server" ib_write_bw -d svta "${options[@]}"
	server=$!
	wait_listening "$server"
	start_in b "$WORK/client" ib_write_bw -d svtb "${options[@]}" 10.0.0.1
	client=$!
	until_true 15 traffic_flows
}

# flood_fails: the client, and says so
flood_fails() {
	fails wait "$client"
	says "$WORK/client" "Failed status 12: wr_id …"
	kill -9 "$server" 2>/dev/null || :
	wait "$server" || :
}

peer_has_ended() {
	local before
	flood
	before=$(counter rx_dropped_no_qp svta)
	kill -9 "$server"
	flood_fails
	[ "$(counter rx_dropped_no_qp svta)" -gt "$before" ]
	pingpong
}

device_of_the_peer_is_gone() {
	local command="tcpdump -ni eth0 icmp"
	page_has "$command"
	command=${command//eth0/veth0}
	flood
	# shellcheck disable=SC2086 # words
	start_capture b ${command#tcpdump } -l -c 1 >"$WORK/icmp"
	in_a rdma link delete svta
	flood_fails
	wait "$capture"
	says "$WORK/icmp" "… ICMP 10.0.0.1 udp port 4791 unreachable, …"
	add_device svta
	pingpong
}

# tries_in_vain: the client is not answered, though its packets come; the page tells how to see that
tries_in_vain() {
	local capture before command="tcpdump -ni eth0 -c 1 udp port 4791"
	page_has "$command"
	page_has "rdma statistic show link svt0/1"
	command=${command//eth0/veth0}
	before=$(counter rx_packets svta)
	# shellcheck disable=SC2086 # words
	start_capture a ${command#tcpdump }
	fails pingpong
	says "$WORK/client" "Failed status transport retry counter exceeded (12) for wr_id …"
	wait "$capture"
	[ "$(counter rx_packets svta)" = "$before" ]
}

# As a filter of the netdev drops it, so does a firewall; where there is one of those, it is next
dropped_by_tc() {
	in_a tc qdisc add dev veth0 clsact
	in_a tc filter add dev veth0 ingress protocol ip flower ip_proto udp dst_port 4791 action drop
	tries_in_vain
	cure a "tc filter delete dev eth0 ingress"
	pingpong
	in_a tc qdisc delete dev veth0 clsact
}

dropped_by_nft() {
	in_a nft -f - <<-'END'
		table inet filter {
			chain input {
				type filter hook input priority 0; policy drop
				iif lo accept
				meta l4proto { tcp, icmp, ipv6-icmp } accept
			}
		}
	END
	tries_in_vain
	cure a "nft insert rule inet filter input udp dport 4791 accept"
	pingpong
	in_a nft delete table inet filter
}

dropped_by_iptables() {
	in_a iptables -P INPUT DROP
	in_a iptables -A INPUT ! -p udp -j ACCEPT
	tries_in_vain
	cure a "iptables -I INPUT -p udp --dport 4791 -j ACCEPT"
	pingpong
	in_a iptables -F
	in_a iptables -P INPUT ACCEPT
}

no_receive() {
	local before
	before=$(counter rnr_retry_exceeded svta)
	in_a "$TOP/tests/lib/rnr.py" svta 1 0 >"$WORK/status"
	says "$WORK/status" "RNR retry counter exceeded"
	[ "$(counter rnr_retry_exceeded svta)" -gt "$before" ]
	grep -q ' 7: without an end' "$PAGE"
	[ "$(in_a "$TOP/tests/lib/rnr.py" svta 1 7)" = success ]
}

# locks KIB COMMAND...: a pair whose server is a user's who may lock so much
# shellcheck disable=SC2016 # for the shell there
locks() {
	local IN_A=(sh -euc 'ulimit -l "$0"; exec "$@"' "$1" "${NOBODY[@]}")
	"${@:2}"
}

locked_memory() {
	local writes=(-F -x 1 -n 5 -s 65536)
	fails locks 16 pingpong -s 65536
	says "$WORK/server" "libibverbs: Warning: RLIMIT_MEMLOCK is … bytes." "Couldn't register MR"
	fails locks 64 pair ib_write_bw -d svta "${writes[@]}" -- ib_write_bw -d svtb "${writes[@]}" 10.0.0.1
	says "$WORK/server" "Couldn't allocate MR"
	page_has "ulimit -l unlimited"
	locks unlimited pingpong -s 65536
}

# asks HOST: a client of rdma_cm, without a server
asks() {
	fails in_b rping -c -C 1 -a "$1" >"$WORK/rping" 2>&1
}

no_route_of_a_device() {
	in_b rdma link delete svtb
	until_true 10 device_gone svtb
	asks 10.0.0.1
	says "$WORK/rping" "cma event RDMA_CM_EVENT_ADDR_ERROR, error -19"
	add_device svtb
	pair rping -s -C 5 -V -a 10.0.0.1 -- rping -c -C 5 -V -a 10.0.0.1
}

nobody_there() {
	asks 10.0.0.77
	says "$WORK/rping" "cma event RDMA_CM_EVENT_ADDR_ERROR, error -110"
}

nobody_listens() {
	asks 10.0.0.1
	says "$WORK/rping" "cma event RDMA_CM_EVENT_REJECTED, error 8"
}

# grew COUNTER DEVICE COMMAND...: by how much
grew() {
	local before
	before=$(counter "$1" "$2")
	"${@:3}" >&2
	echo $(($(counter "$1" "$2") - before))
}

# 20 messages of 64 KiB each way
packets_of_a_small_mtu() {
	local large small
	large=$(grew tx_packets svtb pingpong -m 4096 -s 65536 -n 20)
	small=$(grew tx_packets svtb pingpong -m 1024 -s 65536 -n 20)
	echo "packets: $large and $small"
	[ "$large" -ge $((20 * 16)) ] && [ "$large" -lt $((20 * 32)) ]
	[ "$small" -ge $((20 * 64)) ]
}

# Alone is each packet in an skb of its own
packets_come_alone() {
	local alone merged
	set_nics off off
	alone=$(grew rx_trains svta pingpong -m 4096 -s 65536 -n 20)
	cure a "ethtool -k eth0 | grep -E 'segmentation|generic-receive'" | grep 'receive-offload: off'
	cure a "ethtool -K eth0 gro on gso on tx-udp-segmentation on"
	cure b "ethtool -K eth0 gro on gso on tx-udp-segmentation on"
	merged=$(grew rx_trains svta pingpong -m 4096 -s 65536 -n 20)
	echo "skbs: $alone and $merged"
	[ "$alone" -ge $((20 * 16)) ]
	[ "$merged" -lt $((alone / 2)) ]
	set_nics on off
}

same_host_is_off() {
	exec_in_b() {
		exec_in_a "$@"
	}
	to_itself() {
		pair ibv_rc_pingpong -e -n 20 -d svta -g 1 -- ibv_rc_pingpong -e -n 20 -d svta -g 1 10.0.0.1
	}
	echo 0 >/sys/class/infiniband/svta/same_host
	[ "$(cure a "cat /sys/class/infiniband/svt0/same_host" | tail -n 1)" = 0 ]
	[ "$(grew tx_same_host svta to_itself)" = 0 ]
	cure a "echo 1 >/sys/class/infiniband/svt0/same_host"
	[ "$(grew tx_same_host svta to_itself)" -ge 40 ]
}

# What netem loses is a whole train. But it cuts one apart to spoil a packet of it, which is lost then
packets_are_lost() {
	local lost
	in_b tc qdisc add dev veth0 root netem corrupt 10%
	lost=$(grew packet_seq_err svtb pingpong -m 1024 -s 65536 -n 200)
	in_b tc qdisc delete dev veth0 root
	echo "NAKs: $lost"
	[ "$lost" -gt 0 ]
	[ "$(grew packet_seq_err svtb pingpong -m 1024 -s 65536 -n 20)" = 0 ]
}

# run_long NAME FUNCTION: with waits of seconds, not in kernels that are made for tests
run_long() {
	is_made "$SVT_KERNEL" || run_test "$@"
}

take_left
run_test "two hosts on one machine, as the page makes them" two_hosts_by_hand
run_test "no device" no_device
run_test "no module" no_module
run_test "a VLAN, a TUN device, no netdev" wrong_netdev
run_test "rxe has the port" port_is_taken
run_test "there is a device already" there_is_one_already
run_test "no address" no_address
run_test "exclusive mode, another namespace" exclusive_mode
setup_pair
run_test "a container without /dev/infiniband" container_without_devices
run_test "no server" no_server
run_test "no GID is named" no_gid
run_test "a GID beyond the table" gid_beyond_the_table
run_long "GIDs of two kinds" gids_of_two_kinds
run_test "a small MTU" small_mtu
run_long "smaller frames between" small_frames_between
run_long "the peer has ended" peer_has_ended
run_long "the device of the peer is gone" device_of_the_peer_is_gone
run_long "a filter drops port 4791" dropped_by_tc
# Kernels that are made for tests have no firewall, and a root may have but one that sets it up
if ! is_made "$SVT_KERNEL"; then
	for tool in nft iptables; do
		command -v $tool >/dev/null || continue
		run_test "$tool drops port 4791" dropped_by_$tool
	done
fi
run_test "no receive is posted" no_receive
run_long "memory that may not be locked" locked_memory
run_test "rdma_cm: no device on the route" no_route_of_a_device
run_test "rdma_cm: nobody has the address" nobody_there
run_test "rdma_cm: nobody listens" nobody_listens
run_test "slow: packets of a small MTU" packets_of_a_small_mtu
run_test "slow: packets come alone" packets_come_alone
run_test "slow: through the network stack on one host" same_host_is_off
run_test "slow: packets are lost" packets_are_lost
run_test "teardown leaves nothing" teardown_pair
finish
