# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts in one guest, for testlib.sh: network namespaces a and b joined by a veth pair, veth0 in
# each, with 10.0.0.1 and fd00::1 in a, 10.0.0.2 and fd00::2 in b, an svt device in each: svta and
# svtb.
#
# PAIR_MTU (4200) is the MTU of the veth; PAIR_MODE (shared) is the RDMA subsystem's namespace mode;
# PAIR_TYPE (svt) is what to `rdma link add`.
# PAIR_LIMIT (100) is how many seconds a pair of programs may take, times SVT_TIME_SCALE.
# PAIR_HOST (10.0.0.1) is where `verify` finds its server.
# PAIR_SERVER (a) is the side of the server of `pair`.

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

PAIR_MTU=${PAIR_MTU:-4200}
PAIR_MODE=${PAIR_MODE:-shared}
PAIR_TYPE=${PAIR_TYPE:-svt}
PAIR_LIMIT=${PAIR_LIMIT:-100}
PAIR_HOST=${PAIR_HOST:-10.0.0.1}
PAIR_SERVER=${PAIR_SERVER:-a}

# nap [SECONDS]: a sleep, a short one unless said, without starting a program.
nap() {
	read -rt "${1:-0.05}" <>"$NAP" || :
}
NAP=/run/svt/nap
[ -p "$NAP" ] || mkfifo "$NAP"

# until_true SECONDS COMMAND...: polls; fails when COMMAND has not succeeded in time.
until_true() {
	local end=$((SECONDS + $(scaled "$1")))
	shift
	while ! "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		nap
	done
}

in_a() {
	ip netns exec a "$@"
}

in_b() {
	ip netns exec b "$@"
}

# exec_in_a COMMAND...: in the background; $! is the process of COMMAND then, not of a shell.
exec_in_a() {
	exec ip netns exec a "$@"
}

exec_in_b() {
	exec ip netns exec b "$@"
}

# ends_are_here: both sides are in the first namespace
ends_are_here() {
	in_a() {
		"$@"
	}
	in_b() {
		"$@"
	}
	exec_in_a() {
		exec "$@"
	}
	exec_in_b() {
		exec "$@"
	}
}

# Runs a command as a user without capabilities
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)

# exec_in_cgroup DIRECTORY COMMAND...: before it enters a network namespace, which has a /sys of its own
exec_in_cgroup() {
	echo "$BASHPID" >"$1/cgroup.procs"
	exec "${@:2}"
}

# in_ns_of DEVICE COMMAND...: svta is at home in a, svtb in b, any other in the first namespace.
in_ns_of() {
	local device=$1
	shift
	case $device in
	svta) in_a "$@" ;;
	svtb) in_b "$@" ;;
	*) "$@" ;;
	esac
}

configure_side() {
	local side=$1 number=$2
	ip -n "$side" link set lo up
	ip -n "$side" link set veth0 mtu "$PAIR_MTU" up
	ip -n "$side" addr add "10.0.0.$number/24" dev veth0
	ip -n "$side" addr add "fd00::$number/64" dev veth0 nodad
}

# add_namespace NAME: where an address can be used at once, and which goes when it is deleted. TCP repeats
# the last words of a killed program, to a peer that may have gone as well, and keeps the namespace for
# minutes unless tcp_orphan_retries is set.
add_namespace() {
	ip netns add "$1"
	ip netns exec "$1" sysctl -qw net.ipv6.conf.{default,all}.accept_dad=0 \
		net.ipv4.tcp_orphan_retries=1
}

# setup_net: the two namespaces and the wire, no device.
setup_net() {
	take_left
	add_namespace a
	add_namespace b
	ip -n a link add veth0 type veth peer name veth0 netns b
	configure_side a 1
	configure_side b 2
}

# add_device DEVICE [NETDEV]: svta or svtb, on veth0 of its side unless said.
add_device() {
	in_ns_of "$1" rdma link add "$1" type "$PAIR_TYPE" netdev "${2:-veth0}" ||
		die "no device $1"
	until_true 10 gid_at_home "$1" v4 >/dev/null || die "$1 got no IPv4 GID"
	in_ns_of "$1" rdma resource show "$1" >"/run/svt/idle-$1"
}

setup_pair() {
	! is_left || return 0
	take_left
	[ "$PAIR_MODE" = "$(rdma_mode)" ] || set_rdma_mode "$PAIR_MODE"
	setup_net
	add_device svta
	add_device svtb
	echo setup_pair >/run/svt/pair
}

# What a pair is like, for who would take over that of another file
pair_kind() {
	echo "$PAIR_TYPE $PAIR_MODE $PAIR_MTU"
}

# is_left: a pair like ours is there
is_left() {
	[ -e /run/svt/left ] && [ "$(</run/svt/left)" = "$(pair_kind)" ] || return
	rm /run/svt/left
	echo setup_pair >/run/svt/pair
}

# take_left: whatever pair is there goes
take_left() {
	[ -e /run/svt/left ] || return 0
	rm /run/svt/left
	teardown_pair
}

# leave_pair: at the end of a file. Nothing of it is left, but for the pair itself, which is for the
# next file that wants one like it: where a machine runs many files (SVT_KEEP_PAIR is set), it is taken
# down after the last one.
leave_pair() {
	local side
	if [ -z "${SVT_KEEP_PAIR:-}" ]; then
		teardown_pair
		return
	fi
	for side in a b; do
		assert_idle "svt$side"
		[ -z "$(ip netns pids "$side")" ] || die "processes are left in $side"
		[[ $(ip -n "$side" link show veth0) == *"mtu $PAIR_MTU qdisc noqueue state UP"* ]] ||
			die "veth0 of $side is not as it was: $(ip -n "$side" link show veth0)"
	done
	rm -f /run/svt/pair
	pair_kind >/run/svt/left
}

# set_rdma_mode shared|exclusive: EBUSY as long as there is another namespace, and the kernel takes
# down one whose name is gone when it gets to it.
set_rdma_mode() {
	until_true 20 rdma system set netns "$1" 2>/dev/null ||
		die "a network namespace is left: the RDMA subsystem's mode cannot be $1"
}

rdma_mode() {
	rdma system show | sed -n 's/.*netns \([a-z]*\).*/\1/p'
}

# The line of counts ("svta: pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0 srq 0") is again what it was at the
# start.
is_idle() {
	[ "$(in_ns_of "$1" rdma resource show "$1" | counts)" = "$(counts <"/run/svt/idle-$1")" ]
}

counts() {
	sed 's/^[0-9]*: *//; s/ *$//'
}

# assert_idle DEVICE: no verbs object of a program is left; kill -9 may need a moment.
assert_idle() {
	until_true 10 is_idle "$1" && return
	in_ns_of "$1" rdma resource show "$1"
	for object in qp cq mr pd cm_id ctx srq; do
		in_ns_of "$1" rdma resource show "$object"
	done
	die "$1 has objects left"
}

# has_results: the client of a pair, one of perftest's, printed a line of them. Where no clock of the
# processor can be measured, as in User-Mode Linux, rates and times are said to be infinite.
has_results() {
	grep -qE '^ *[0-9]+ +[0-9]+ +([0-9.]+|inf)' "$WORK/client"
}

# start_capture NAMESPACE OPTION...: tcpdump, in the background, which sees what comes from now on. Its
# process is in $capture, its messages are in $WORK/tcpdump.
start_capture() {
	# A process in the background empties the file when it gets to it: until then the last one's
	# messages would be taken for those of this one
	: >"$WORK/tcpdump"
	ip netns exec "$1" tcpdump "${@:2}" 2>"$WORK/tcpdump" &
	capture=$!
	until_true 10 grep -q listening "$WORK/tcpdump"
}

stop_capture() {
	kill "$capture"
	wait "$capture"
}

# capture COMMAND...: what RoCE packets b got and sent while it runs is in $WORK/wire.pcap
capture() {
	start_capture b -i veth0 -w "$WORK/wire.pcap" -s 0 -B 65536 -U udp port 4791
	"$@"
	nap 1
	stop_capture
	grep -q '^0 packets dropped' "$WORK/tcpdump"
}

# like_nics COMMAND...: while it runs each packet crosses alone, and GRO merges what comes
like_nics() {
	set_nics off on
	"$@"
	set_nics on off
}

# set_nics OFFLOAD GRO
set_nics() {
	local side
	for side in a b; do
		# shellcheck disable=SC2046 # words
		ip netns exec $side ethtool -K veth0 $(nic_features "$@")
	done
}

# nic_features OFFLOAD GRO: for ethtool -K; off and on are those of a NIC without segmentation
nic_features() {
	echo "gso $1 tso $1 tx-udp-segmentation $1 gro $2"
}

# value_of NAME: the word behind it, of input with names and values
value_of() {
	tr ' ' '\n' | grep -A1 "^$1\$" | tail -n 1
}

# one_line_each: of what `rdma -dd resource show` prints; some iproute2 begin a line for what is the
# driver's
one_line_each() {
	sed -z 's/\n  */ /g'
}

# counter NAME [DEVICE]: of svtb unless said, as `rdma statistic` has it.
counter() {
	local device=${2:-svtb}
	in_ns_of "$device" rdma statistic show link "$device/1" | value_of "$1"
}

# traffic_flows: whether side b sends
traffic_flows() {
	local before
	before=$(counter tx_packets) || return 1
	nap 0.2
	[ "$(counter tx_packets)" -gt "$((before + 20))" ]
}

# went_over_svt BYTES COMMAND...: what it sends from side b is in packets of svt
went_over_svt() {
	local before
	before=$(counter tx_bytes)
	"${@:2}"
	[ "$(counter tx_bytes)" -ge $((before + $1)) ]
}

# vmalloc_of_svt: how many areas of vmalloc svt's modules have; each ring is one.
vmalloc_of_svt() {
	grep -c '\[svt' /proc/vmallocinfo || :
}

# memory_used: kB that the kernel has for itself. What was freed after a grace period is free then,
# and caches are empty.
memory_used() {
	local field kb sum=0
	sync
	for _ in 1 2 3; do
		echo 3 >/proc/sys/vm/drop_caches
		sleep 0.3
	done
	while read -r field kb _; do
		case $field in SUnreclaim: | Percpu: | VmallocUsed: | KernelStack: | PageTables:)
			sum=$((sum + kb)) ;;
		esac
	done </proc/meminfo
	echo "$sum"
}

device_gone() {
	[ ! -e "/sys/class/infiniband/$1" ] && ! rdma dev show "$1" >/dev/null 2>&1
}

namespace_gone() {
	[ ! -e "/run/netns/$1" ]
}

# load_test_client: the kernel module svt_test, which is not installed, for only tests use it
load_test_client() {
	modprobe ib_core
	insmod "$BUILD/$SVT_KERNEL/drivers/svt_test/svt_test.ko"
}

# Unloading fails while anything of the module is in use; what frees it may be still under way.
unload() {
	local module
	for module in svt_roce svt_loop svt; do
		[ -d "/sys/module/$module" ] || continue
		until_true 10 modprobe -qr "$module" || die "$module cannot be unloaded"
	done
}

# teardown_pair: everything must go, and nothing may be left.
teardown_pair() {
	local side
	rm -f /run/svt/pair
	for side in a b; do
		assert_idle "svt$side"
		in_ns_of "svt$side" rdma link delete "svt$side"
	done
	for side in a b; do
		ip netns delete "$side"
		until_true 10 device_gone "svt$side" || die "svt$side is still there"
		until_true 10 namespace_gone "$side" || die "namespace $side is still there"
	done
	unload
}

# recover_pair: after a failed test. Takes down what is there, asserts nothing, and calls the
# function that set it up, if any: /run/svt/pair has its name.
recover_pair() {
	local setup= device
	[ ! -e /run/svt/pair ] || setup=$(</run/svt/pair)
	rm -f /run/svt/left
	{
		for device in $(ip netns pids a; ip netns pids b); do
			kill -9 "$device"
		done
		for device in svta svtb rxe0; do
			in_ns_of "$device" rdma link delete "$device"
		done
		ip netns delete a
		ip netns delete b
		ip link delete veth0
		until_true 5 device_gone svta
		until_true 5 device_gone svtb
		( unload )
		rm -f /run/svt/pair
	} >/dev/null 2>&1
	if [ -n "$setup" ]; then
		( set -e && "$setup" ) || echo "    $setup failed"
	fi
}

# gid_of_kind DEVICE v4|v6|ll|GID [NETDEV]: prints the index of the first such RoCE v2 GID, on that netdev,
# now; fails when there is none. Reads without starting a program.
gid_of_kind() {
	local pattern port=/sys/class/infiniband/$1/ports/1 index gid type netdev
	case $2 in
	v4) pattern='0000:0000:0000:0000:0000:ffff:' ;;
	ll) pattern='fe80:' ;;
	v6) pattern='fd' ;;
	*:*) pattern=$2 ;;
	*) die "gid_index: kind '$2' is not v4, v6 or ll" ;;
	esac
	for ((index = 0; index < 64; index++)); do
		read -r gid 2>/dev/null <"$port/gids/$index" || return
		[[ $gid == "$pattern"* ]] || continue
		read -r type 2>/dev/null <"$port/gid_attrs/types/$index" || continue
		[[ $type == RoCE* ]] || continue
		if [ -n "${3:-}" ]; then
			read -r netdev 2>/dev/null <"$port/gid_attrs/ndevs/$index" || continue
			[ "$netdev" = "$3" ] || continue
		fi
		echo "$index"
		return
	done
	return 1
}

# The same where the device is at home: in exclusive mode it is seen there only.
gid_at_home() {
	if [ -d "/sys/class/infiniband/$1" ]; then
		gid_of_kind "$@"
	else
		in_ns_of "$1" bash -c "$(declare -f gid_of_kind); gid_of_kind $*"
	fi
}

# gid_index DEVICE v4|v6|ll|GID [NETDEV]: the same, but waits for it: the GID table follows addresses with a
# delay.
gid_index() {
	until_true 10 gid_at_home "$@" || die "$1 has no $2 GID of type RoCE v2"
}

# node_of DEVICE: the node that programs open
node_of() {
	local file
	file=$(grep -lx "$1" /sys/class/infiniband_verbs/uverbs*/ibdev)
	file=${file%/ibdev}
	echo "/dev/infiniband/${file##*/}"
}

# beside_rxe COMMAND...: while there is a device rxe0 of rxe
beside_rxe() {
	ip link add cable0 type veth peer name cable1
	ip link set cable0 up
	modprobe rdma_rxe
	rdma link add rxe0 type rxe netdev cable0
	"$@"
	rdma link delete rxe0
	ip link delete cable0
	modprobe -r rdma_rxe
}

# has_open PROCESS FILE
has_open() {
	local descriptor
	for descriptor in "/proc/$1/fd"/*; do
		[[ ! $descriptor -ef $2 ]] || return 0
	done
	return 1
}

# is_listened PROCESS: somebody listens in its network namespace, or for connections of RDMA. The kernel says
# LISTEN of those a moment before a device takes them: a nap later it does.
is_listened() {
	local tcp='' tcp6=''
	# Unlike $(<FILE), this survives a process that is gone.
	read -rd '' tcp <"/proc/$1/net/tcp" || :
	read -rd '' tcp6 <"/proc/$1/net/tcp6" || :
	[[ "$tcp $tcp6" != *" 0A "* ]] || return 0
	has_open "$1" /dev/infiniband/rdma_cm && [[ $(rdma resource show cm_id) == *LISTEN* ]] && nap
} 2>/dev/null

# wait_listening PROCESS: until somebody listens, where the process of exec_in_a is.
wait_listening() {
	local end=$((SECONDS + $(scaled 10)))
	while kill -0 "$1" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do
		! is_listened "$1" || return 0
		nap
	done
	kill -0 "$1" 2>/dev/null || die "the server ended before it listened"
	echo "the server was not seen to listen; the client starts all the same"
}

# show_file FILE: its last lines, under its name.
show_file() {
	local lines first
	mapfile -t lines <"$1"
	first=$((${#lines[@]} > 200 ? ${#lines[@]} - 200 : 0))
	echo "==> $1 <=="
	[ ${#lines[@]} = 0 ] || printf '%s\n' "${lines[@]:first}"
}

# What makes stdio write line by line, so that a program which is killed has said all. Asked for
# once: programs are slow to start here.
mapfile -t LINE_BUFFERED < <(stdbuf -oL env | grep -E '^(LD_PRELOAD|_STDBUF_O)=')

# start_in SIDE OUTPUT COMMAND...: in the background, $! is its process
start_in() {
	local side=$1 output=$2
	shift 2
	# As in start_capture
	: >"$output"
	(
		export "${LINE_BUFFERED[@]}"
		"exec_in_$side" "$@"
	) >"$output" 2>&1 </dev/null 9<&- &
}

# What the devices counted, and where the hosts take each other to be
show_wire() {
	local side
	for side in a b; do
		echo "==> svt$side <=="
		"in_$side" rdma statistic show link "svt$side/1" | xargs -n 2 | grep -v ' 0$'
		"in_$side" ip neigh
	done 2>&1 || :
}

# stop_after SECONDS PROCESS...
stop_after() {
	local limit=$1
	shift
	nap "$limit"
	echo "stopped: the time limit of the pair is $limit s"
	kill "$@" || :
	nap 2
	kill -9 "$@" || :
} 2>/dev/null

# pair SERVER [ARGUMENT...] -- CLIENT [ARGUMENT...]: the client on the other side when the server
# listens. Fails when either fails or takes too long. Their output is in $WORK/server and
# $WORK/client, and in the test's output. With PAIR_READY set to a command, that command tells when
# the server is ready, instead of a listening socket.
pair() {
	local server=() other=b watch client status=0 server_status=0
	while [ "$1" != -- ]; do
		server+=("$1")
		shift
	done
	shift
	[ "$PAIR_SERVER" = a ] || other=a
	echo "server: ${server[*]}"
	echo "client: $*"
	: >"$WORK/client"
	start_in "$PAIR_SERVER" "$WORK/server" "${server[@]}"
	server=$!
	if [ -n "${PAIR_READY:-}" ]; then
		until_true 10 eval "$PAIR_READY" || { echo "the server is not ready"; status=1; }
	else
		(wait_listening "$server") || status=1
	fi
	if [ "$status" = 0 ]; then
		start_in "$other" "$WORK/client" "$@"
		client=$!
		stop_after "$(scaled "$PAIR_LIMIT")" "$client" "$server" &
		watch=$!
		wait "$client" || status=$?
	fi
	if [ "$status" != 0 ]; then
		sleep 1
		kill "$server" 2>/dev/null || :
	fi
	wait "$server" || server_status=$?
	[ -z "${watch:-}" ] || kill "$watch" 2>/dev/null || :
	show_file "$WORK/server"
	show_file "$WORK/client"
	[ "$status $server_status" = "0 0" ] && return
	echo "status of client: $status, of server: $server_status"
	show_wire
	return 1
}
