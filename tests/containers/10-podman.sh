#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Containers of podman, with the image that image.sh built, as Documentation/containers.rst has them: root's
# and those of a user, by device node and by CDI, on the network of the host and on a macvlan, in shared and in
# exclusive mode. The host is the first namespace, with svt0 on wire0; its peer is namespace b, with svtb.

. "$(dirname "$0")/../lib/testlib.sh"

TEST_LIMIT=300
ROOT=/run/svt/image
STORE=/run/svt/podman
SPEC=/run/cdi/svt.json
PODMAN=(podman --storage-driver vfs --cgroup-manager cgroupfs --events-backend none)
AS_ROOT=(--root "$STORE/root" --runroot "$STORE/run" --tmpdir "$STORE/tmp"
	--network-config-dir "$STORE/networks")

# Somebody without privileges, and with 65536 other users for his containers
USER_ID=54321
USER_HOME=/run/svt/user
AS_USER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups env -i "HOME=$USER_HOME" "PATH=$PATH"
	"XDG_RUNTIME_DIR=$USER_HOME/run" USER=svtuser LC_ALL=C)

# What starts podman, if anything
LIMIT=()

# start_box PREFIX OPTION... -- COMMAND...: a container of whom the words of the array PREFIX make it
start_box() {
	local -n prefix=$1
	local options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	"${prefix[@]}" run --rm "${options[@]}" --rootfs "$ROOT" "${@:2}"
}

# box OPTION... -- COMMAND...: of root's
box() {
	# shellcheck disable=SC2034 # by its name
	local of_root=("${LIMIT[@]}" "${PODMAN[@]}" "${AS_ROOT[@]}")
	start_box of_root "$@"
}

# user_box OPTION... -- COMMAND...: of the user's. There is no systemd that would lend a control group
user_box() {
	# shellcheck disable=SC2034 # by its name
	local of_user=("${AS_USER[@]}" "${LIMIT[@]}" "${PODMAN[@]}")
	start_box of_user --cgroups=disabled "$@"
}

# Where `pair` has its server, and its client: a command, with the options of box
SERVER=() CLIENT=()
exec_in_a() {
	"${SERVER[@]}" -- "$@"
}
exec_in_b() {
	if [ ${#CLIENT[@]} = 0 ]; then
		exec ip netns exec b "$@"
	fi
	"${CLIENT[@]}" -- "$@"
}

# listens NAMESPACE: somebody there, by TCP; - is the first
listens() {
	if [ "$1" = - ]; then
		grep -qs ' 0A ' /proc/net/tcp /proc/net/tcp6
	else
		ip netns exec "$1" grep -qs ' 0A ' /proc/net/tcp /proc/net/tcp6
	fi
}

listens_by_cm() {
	[[ $(rdma resource show cm_id) == *LISTEN* ]]
}

# is_ready COMMAND...: or the server of `pair` has ended
is_ready() {
	"$@" || ! kill -0 "${server:-}" 2>/dev/null
}

# pingpong NAMESPACE DEVICE GID ADDRESS: of a server there, by its GID, with b, or with CLIENT
pingpong() {
	local client=svtb gid
	gid=$(gid_index svtb v4)
	[ ${#CLIENT[@]} = 0 ] || client=$2 gid=$CLIENT_GID
	PAIR_READY="until_true 100 is_ready listens $1" pair ibv_rc_pingpong -d "$2" -g "$3" -n 100 -- \
		ibv_rc_pingpong -d "$client" -g "$gid" -n 100 "$4"
	grep -q '100 iters' "$WORK/client"
}

# mapped ADDRESS: the GID of an IPv4 address, as sysfs has it
mapped() {
	# shellcheck disable=SC2046 # numbers
	printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' $(tr . ' ' <<<"$1")
}

# make_pod NAME NUMBER: a namespace with a macvlan on wire0
make_pod() {
	add_namespace "$1"
	ip link add link wire0 name net0 netns "$1" type macvlan mode bridge
	ip -n "$1" link set lo up
	ip -n "$1" link set net0 up
	ip -n "$1" addr add "10.0.7.$2/24" dev net0
}

end_pod() {
	ip netns delete "$1"
	until_true 20 namespace_gone "$1"
}

setup() {
	[ "$PAIR_MODE" = "$(rdma_mode)" ] || set_rdma_mode "$PAIR_MODE"
	add_namespace b
	ip link add wire0 mtu 4200 type veth peer name veth0 mtu 4200 netns b
	ip link set wire0 up
	ip -n b link set lo up
	ip -n b link set veth0 up
	ip addr add 10.0.0.1/24 dev wire0
	ip -n b addr add 10.0.0.2/24 dev veth0
	ip -n b addr add 10.0.7.2/24 dev veth0
	ip -n b addr add 10.0.8.2/24 dev veth0
	rdma link add svt0 type svt netdev wire0
	ip netns exec b rdma link add svtb type svt netdev veth0
	gid_index svt0 v4
	gid_index svtb v4
	NODE=$(node_of svt0)
	echo "$NODE" >/run/svt/node
}

# After a failed test: what it left goes, and all is set up afresh
recover_pair() {
	local namespace
	{
		"${PODMAN[@]}" "${AS_ROOT[@]}" rm -fa -t 0
		"${AS_USER[@]}" "${PODMAN[@]}" rm -fa -t 0
		"${AS_USER[@]}" "${PODMAN[@]}" system migrate
		for namespace in pod other b; do
			ip netns pids "$namespace" | xargs -r kill -9
			ip netns delete "$namespace"
		done
		rdma link delete svt0
		ip link delete wire0
		until_true 20 device_gone svtb
		setup
	} >/dev/null 2>&1
}

# What a machine has that runs podman
prepare() {
	mkdir -p "$ROOT" "$STORE/networks" "$USER_HOME/run"
	mountpoint -q "$ROOT" || mount --bind "$BUILD/container/root" "$ROOT"
	mount --make-rshared /
	chmod 755 /run /run/svt
	chown -R $USER_ID:$USER_ID "$USER_HOME"
	echo "svtuser:x:$USER_ID:$USER_ID::$USER_HOME:/bin/sh" >>/etc/passwd
	echo "svtuser:x:$USER_ID:" >>/etc/group
	echo svtuser:200000:65536 | tee -a /etc/subuid >>/etc/subgid
	setup
}

use() {
	NODE=$(</run/svt/node)
	DEVICES=(--device "$NODE" --device /dev/infiniband/rdma_cm)
}

image_has_provider_alone() {
	diff "$BUILD"/container/{base,image}.packages | tee "$WORK/more" || :
	[ "$(sed -n 's/^[<>] //p' "$WORK/more")" = ibverbs-provider-svt ]
	ls "$ROOT"/usr/lib/*/libibverbs/libsvt-rdmav*.so "$ROOT/etc/libibverbs.d/svt.driver"
	fails ls "$ROOT"/usr/lib/svt "$ROOT"/tmp/*.deb
}

on_network_of_host() {
	SERVER=(box --network host "${DEVICES[@]}")
	pingpong - svt0 "$(gid_index svt0 v4)" 10.0.0.1
}

without_device() {
	local major minor make
	box --network host -- ibv_devices >"$WORK/devices"
	cat "$WORK/devices"
	grep device "$WORK/devices"
	fails grep svt "$WORK/devices"
	fails_with 'No IB devices found' box --network host -- ibv_rc_pingpong
	major=$((16#$(stat -c %t "$NODE"))) minor=$((16#$(stat -c %T "$NODE")))
	make="mknod /dev/node c $major $minor && exec <>/dev/node"
	fails_with 'Operation not permitted' box --network none --cap-add MKNOD -- sh -c "$make"
	box --network none --cap-add MKNOD "${DEVICES[@]}" -- sh -c "$make"
}

# large OPTION...: a pingpong of a MiB, of a container with these
large() {
	SERVER=(box --network host "${DEVICES[@]}" "$@")
	PAIR_READY="until_true 100 is_ready listens -" pair ibv_rc_pingpong -d svt0 -g "$(gid_index svt0 v4)" \
		-s 1048576 -n 5 -- ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -s 1048576 -n 5 10.0.0.1
}

# Whoever started podman may have little
limit_of_locked_memory() {
	LIMIT=(prlimit --memlock=65536:65536)
	fails_with "Couldn't register MR" box --network host "${DEVICES[@]}" -- \
		ibv_rc_pingpong -d svt0 -g 0 -s 1048576
	large --ulimit memlock=-1:-1
	large --cap-add IPC_LOCK
}

by_cdi() {
	"$TOP/packaging/svt-cdi" $SPEC
	box --network host --device svt/rdma=svt0 -- ls -l /dev/infiniband >"$WORK/nodes"
	cat "$WORK/nodes"
	[ "$(sed -n 's/.* //p' "$WORK/nodes" | grep -v '^[0-9]*$' | sort | xargs)" = "rdma_cm ${NODE##*/}" ]
	[ "$(box --network none --device svt/rdma=all -- ls /dev/infiniband | grep -c uverbs)" = 2 ]
	fails_with 'unresolvable CDI devices svt/rdma=nosuch' \
		box --network none --device svt/rdma=nosuch -- true
	SERVER=(box --network host --device svt/rdma=svt0)
	pingpong - svt0 "$(gid_index svt0 v4)" 10.0.0.1
}

# One device, each by an address of its own, as a user without privileges
two_containers() {
	make_pod pod 1
	make_pod other 3
	SERVER=(box --network ns:/run/netns/pod --user 1000:1000 "${DEVICES[@]}")
	CLIENT=(box --network ns:/run/netns/other --user 1000:1000 "${DEVICES[@]}")
	CLIENT_GID=$(gid_index svt0 "$(mapped 10.0.7.3)")
	pingpong pod svt0 "$(gid_index svt0 "$(mapped 10.0.7.1)")" 10.0.7.1
	end_pod other
	end_pod pod
}

# The device is there, and the address is not the container's
address_of_host() {
	make_pod pod 1
	SERVER=(box --network ns:/run/netns/pod "${DEVICES[@]}")
	fails pingpong pod svt0 "$(gid_index svt0 "$(mapped 10.0.0.1)")" 10.0.7.1
	grep 'Failed to modify QP to RTR' "$WORK/server"
	end_pod pod
}

# A network that podman itself makes, and the connection manager
network_of_podman() {
	"${PODMAN[@]}" "${AS_ROOT[@]}" network create -d macvlan -o parent=wire0 --subnet 10.0.8.0/24 rdma
	SERVER=(box --network rdma --ip 10.0.8.7 --device svt/rdma=svt0)
	PAIR_READY="until_true 100 is_ready listens_by_cm" pair ib_send_bw -R -F -d svt0 -n 200 -- \
		ib_send_bw -R -F -d svtb -n 200 10.0.8.7
	"${PODMAN[@]}" "${AS_ROOT[@]}" network rm rdma
}

# Made by the host in the container's namespace, before the container
device_of_its_own() {
	make_pod pod 1
	ip netns exec pod rdma link add svtp type svt netdev net0
	SERVER=(box --network ns:/run/netns/pod --device "$(node_of svtp)")
	pingpong pod svtp "$(gid_index svtp "$(mapped 10.0.7.1)")" 10.0.7.1
	end_pod pod
	until_true 20 device_gone svtp
}

of_a_user() {
	SERVER=(user_box --network host "${DEVICES[@]}")
	pingpong - svt0 "$(gid_index svt0 v4)" 10.0.0.1
	user_box --network host --device svt/rdma=svt0 -- ibv_devices | grep svt0
	user_box --network host -- ibv_devices >"$WORK/devices"
	fails grep svt "$WORK/devices"
	user_box --network host -- cat /proc/self/uid_map | grep -E "^ +0 +$USER_ID +1$"
}

# The administrator starts it in that namespace, and podman leaves it at that
of_a_user_on_a_macvlan() {
	make_pod pod 1
	SERVER=(nsenter --net=/run/netns/pod bash -c "$(declare -p AS_USER LIMIT PODMAN ROOT; declare -f start_box user_box)
		user_box \"\$@\"" - --network host "${DEVICES[@]}")
	pingpong pod svt0 "$(gid_index svt0 "$(mapped 10.0.7.1)")" 10.0.7.1
	"${AS_USER[@]}" "${PODMAN[@]}" system migrate
	end_pod pod
}

limits_of_a_user() {
	LIMIT=(prlimit --memlock=65536:65536)
	fails_with "Couldn't register MR" user_box --network host "${DEVICES[@]}" -- \
		ibv_rc_pingpong -d svt0 -g 0 -s 1048576
	fails_with 'RLIMIT_MEMLOCK.*Operation not permitted' \
		user_box --network host --ulimit memlock=-1:-1 -- true
	# The limit stays with its pause process
	"${AS_USER[@]}" "${PODMAN[@]}" system migrate
}

# takedown: all that setup made
takedown() {
	"${AS_USER[@]}" "${PODMAN[@]}" system migrate
	rdma link delete svt0
	ip link delete wire0
	until_true 20 device_gone svtb
	ip netns delete b
	until_true 20 namespace_gone b
}

# sees_devices NAME...: a container in namespace pod that got all nodes
sees_devices() {
	local node nodes=()
	for node in /dev/infiniband/uverbs*; do
		nodes+=(--device "$node")
	done
	box --network ns:/run/netns/pod "${nodes[@]}" -- ibv_devices >"$WORK/devices"
	cat "$WORK/devices"
	[ "$(awk 'NR > 2 { print $1 }' "$WORK/devices" | sort | xargs)" = "$*" ]
}

exclusive_mode() {
	takedown
	PAIR_MODE=exclusive
	setup
	make_pod pod 1
	sees_devices
	ip netns exec pod rdma link add svtp type svt netdev net0
	sees_devices svtp
	ip netns exec pod rdma link delete svtp
}

# in_pod FUNCTION ARGUMENT...: of ours, by the sysfs of that namespace
in_pod() {
	ip netns exec pod bash -c "$(declare -f "$1"); $*"
}

# The netdev stays where it is, the address that it uses is the container's
device_moves_to_container() {
	local there
	there=$(mapped 10.0.7.1)
	rdma dev set svt0 netns pod
	until_true 20 in_pod gid_of_kind svt0 "$there"
	sees_devices svt0
	SERVER=(box --network ns:/run/netns/pod --device "$(in_pod node_of svt0)")
	PAIR_READY="until_true 100 is_ready listens pod" \
		pair ibv_rc_pingpong -d svt0 -g "$(in_pod gid_of_kind svt0 "$there")" -n 100 -- \
		ibv_rc_pingpong -d svtb -g "$(gid_index svtb v4)" -n 100 10.0.7.1
	ip netns attach host 1
	ip netns exec pod rdma dev set svt0 netns host
	ip netns delete host
	until_true 20 rdma dev show svt0
	end_pod pod
}

nothing_is_left() {
	takedown
	umount "$ROOT"
	unload
	set_rdma_mode shared
	[ -z "$(ip netns list)" ]
}

run_test "a machine with podman, a device and a peer" prepare
[ ! -e /run/svt/node ] || use
run_test "the image has the provider, and nothing else that its base has not" image_has_provider_alone
run_test "a container on the host's network" on_network_of_host
run_test "without --device there is none" without_device
run_test "a low limit of locked memory is said by libibverbs" limit_of_locked_memory
run_test "by CDI" by_cdi
run_test "two containers with a macvlan each share the device" two_containers
run_test "the host's address is none of a container's" address_of_host
run_test "a macvlan network of podman's, and rdma_cm" network_of_podman
run_test "a device of the container's own" device_of_its_own
run_test "rootless: on the host's network" of_a_user
run_test "rootless: in a namespace with a macvlan" of_a_user_on_a_macvlan
run_test "rootless: limits of locked memory" limits_of_a_user
run_test "exclusive mode shows a container its own devices only" exclusive_mode
run_test "exclusive mode: the host's device moves to a container" device_moves_to_container
run_test "teardown leaves nothing" nothing_is_left
finish
