# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Two hosts that are two VMs (tests/vm/run-two.sh), for what works in the first network namespace
# only; to be sourced behind testlib.sh. This one is "here", with 10.0.0.1, the other is "peer",
# with 10.0.0.2; the wire is eth1 in each, with the svt device svt0.
#
# What a test starts in the peer does not survive it either, and a complaint of the peer's kernel
# fails the test.

HERE=10.0.0.1 PEER=10.0.0.2
AGENT_MARK=$'\x1e'

in_here() {
	"$@"
}

# in_peer COMMAND...: what it prints, all of it on stdout, and its status
in_peer() {
	local agent line
	exec {agent}<>/dev/tcp/10.9.0.2/7000 || die "the peer does not answer"
	printf '%s\n' "${*@Q}" >&"$agent"
	while IFS= read -r line <&"$agent"; do
		[[ $line != *"$AGENT_MARK"* ]] || break
		printf '%s\n' "$line"
	done
	exec {agent}>&-
	[[ $line == *"$AGENT_MARK"* ]] || die "the peer did not say how it ended: $*"
	printf '%s' "${line%"$AGENT_MARK"*}"
	return "${line##*"$AGENT_MARK"}"
}

[ -z "${SVT_LIST:-}" ] || in_peer() { :; }

peer_answers() {
	( in_peer true ) 2>/dev/null
}

# It boots beside this one, and either may be the first
until_true 60 peer_answers || die "the peer does not answer"
# What it said meanwhile is no test's
in_peer dmesg -C

# hosts_configure SIDE ADDRESS: the wire there, and svt0 on it once it has its GID
hosts_configure() {
	"in_$1" ip link set eth1 mtu "$PAIR_MTU" up
	"in_$1" ip addr add "$2/24" dev eth1
	"in_$1" modprobe svt_roce
	hosts_add_device "$1"
	"in_$1" rdma resource show svt0 >"/run/svt/idle-$1"
}

hosts_add_device() {
	"in_$1" rdma link add svt0 type svt netdev eth1 || die "no device: $1"
	until_true 20 hosts_gid "$1" >/dev/null || die "svt0 got no IPv4 GID: $1"
}

# hosts_gid SIDE: the index of svt0's IPv4 GID there, if it has one
hosts_gid() {
	"in_$1" bash -c "$(declare -f gid_of_kind); gid_of_kind svt0 v4"
}

hosts_delete_device() {
	"in_$1" rdma link delete svt0
	until_true 60 "in_$1" [ ! -e /sys/class/infiniband/svt0 ] || die "svt0 is still there: $1"
}

# hosts_counter SIDE NAME: of svt0, as `rdma statistic` has it
hosts_counter() {
	"in_$1" rdma statistic show link svt0/1 | value_of "$2"
}

hosts_is_idle() {
	[ "$("in_$1" rdma resource show svt0 | counts)" = "$(counts <"/run/svt/idle-$1")" ]
}

hosts_teardown() {
	local side
	for side in here peer; do
		until_true 20 hosts_is_idle $side || {
			in_$side rdma resource show svt0
			die "svt0 has objects left: $side"
		}
		hosts_delete_device $side
		until_true 10 in_$side modprobe -qr svt_roce || die "svt_roce cannot be unloaded: $side"
		fails in_$side [ -d /sys/module/svt ]
		in_$side ip addr flush dev eth1
	done
}

# Of testlib.sh. Killing all that it started takes with it who was asked to.
after_test() {
	in_peer eval 'echo 1 >/sys/fs/cgroup/jobs/cgroup.kill' >/dev/null 2>&1
	in_peer dmesg -c | sed 's/^/0,0,0;peer: /' >>"$KMSG"
}
