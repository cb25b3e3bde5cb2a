#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# SMC-R: sockets of AF_SMC, which find each other by TCP and go on over RDMA, under rsync, which
# takes them for TCP's. That none fell back to TCP is counted. What is taken away under I/O ends a
# connection; the next one is of SMC again.

. "$(dirname "$0")/../lib/testlib.sh"

# SMC looks for further paths of a link among all devices that a namespace sees
PAIR_MODE=exclusive
STORE=/run/svt/store
SHARE=rsync://10.0.0.1/store
PORT=873
TEST_LIMIT=200

server_start() {
	exec_in_a env LD_PRELOAD="$BUILD/tools/svt_smc.so" rsync --daemon --no-detach --ipv4 \
		--port=$PORT --config=/run/svt/rsyncd.conf &
	DAEMON=$!
	until_true 10 is_listened $DAEMON || die "rsync does not listen"
}

server_stop() {
	kill $DAEMON
	wait $DAEMON || :
}

# copy FROM TO [OPTION...]
copy() {
	in_b env LD_PRELOAD="$BUILD/tools/svt_smc.so" timeout "$(scaled 100)" \
		rsync -rW "${@:3}" "$1" "$2"
}

# count SIDE NAME: of the connections of SMC there
count() {
	ip netns exec "$1" "$BUILD/tools/svt_smc" counts | value_of "$2"
}

# There and back, and it was not TCP that carried it
copy_and_compare() {
	local server client bytes tree=$TOP/drivers/svt/
	server=$(count a server) client=$(count b client) bytes=$(counter rx_bytes)
	rm -rf "${STORE:?}"/* "$WORK/back"
	copy "$tree" "$SHARE/tree/"
	diff -r "$tree" $STORE/tree
	head -c 8M /dev/urandom >$STORE/tree/noise
	copy "$SHARE/tree/" "$WORK/back/"
	diff -r $STORE/tree "$WORK/back"
	[ "$(count a server)" = $((server + 2)) ] || die "the server did not use SMC twice"
	[ "$(count b client)" = $((client + 2)) ] || die "the client did not use SMC twice"
	[ "$(count a fallback) $(count b fallback)" = "0 0" ] || die "it fell back to TCP"
	[ "$(counter rx_bytes)" -gt $((bytes + 8000000)) ] || die "svtb received little"
}

over_smc() {
	server_start
	copy_and_compare
	server_stop
}

# They share a link
many_at_once() {
	local client number clients=()
	number=$(count b client)
	head -c 1M /dev/urandom >$STORE/shared
	server_start
	for client in {1..8}; do
		copy "$SHARE/shared" "$WORK/$client" &
		clients+=($!)
	done
	for client in {1..8}; do
		wait "${clients[client - 1]}"
		cmp $STORE/shared "$WORK/$client"
	done
	[ "$(count b client)" = $((number + 8)) ] || die "not all used SMC"
	device_is svta active 1
	device_is svtb active 1
	server_stop
}

refusals() {
	fails_with 'Connection refused \(111\)' copy "$SHARE/" "$WORK/back/"
	server_start
	fails_with "@ERROR: Unknown module 'other'" copy "${SHARE%store}other/" "$WORK/back/"
	server_stop
}

# start_io pull|push: a copy that takes its time, to $COPY
start_io() {
	local from=$STORE to=$WORK
	server_start
	if [ "$1" = push ]; then
		from=$WORK to=$STORE
	fi
	COPY=$to/copy
	rm -rf "$COPY"
	mkdir "$COPY"
	head -c 8M /dev/zero >"$from/large"
	copy "${from/#$STORE/$SHARE}/large" "${COPY/#$STORE/$SHARE}/" --bwlimit=100 \
		>"$WORK/io" 2>&1 &
	IO=$!
	until_true 30 under_way || die "no copy: $(<"$WORK/io")"
}

under_way() {
	[ -n "$(find "$COPY" -name '.large.*' -size +64k)" ]
}

io_ends() {
	! wait $IO || die "rsync does not know that its connection is gone"
	cat "$WORK/io"
	fails [ -e "$COPY/large" ]
}

kill_client() {
	pkill -9 -x -f '.*bwlimit.*'
}

# What smc_diag says of the connection, at both ends
diagnosed() {
	local gid='0000:0000:0000:0000:0000:ffff:0a00:000'
	start_io pull
	ip netns exec a "$BUILD/tools/svt_smc" sockets | tee "$WORK/a"
	ip netns exec b "$BUILD/tools/svt_smc" sockets | tee "$WORK/b"
	grep -x "SMC-R svta ${gid}1 ${gid}2" "$WORK/a"
	grep -x "SMC-R svtb ${gid}2 ${gid}1" "$WORK/b"
	fails grep TCP "$WORK/a" "$WORK/b"
	kill_client
	io_ends
	server_stop
}

client_killed() {
	start_io pull
	kill_client
	io_ends
	copy_and_compare
	server_stop
}

server_killed() {
	local processes
	start_io pull
	mapfile -t processes < <(ip netns pids a)
	kill -9 "${processes[@]}"
	io_ends
	wait $DAEMON || :
	server_start
	copy_and_compare
	server_stop
}

# device_is NAME active|inactive LINKS: to SMC
device_is() {
	"$BUILD/tools/svt_smc" devices | grep -x "$*" >/dev/null
}

# await NAME active|inactive LINKS
await() {
	until_true 60 device_is "$@" || die "not $*: $("$BUILD/tools/svt_smc" devices)"
}

link_goes() {
	start_io pull
	ip -n b link set veth0 down
	io_ends
	await svta inactive 0
	await svtb inactive 0
	ip -n b link set veth0 up
	await svta active 0
	await svtb active 0
	copy_and_compare
	server_stop
}

# device_goes pull|push DEVICE OTHER: OTHER sends, and so misses its peer soon. Who comes back before
# would be reset.
device_goes() {
	start_io "$1"
	in_ns_of "$2" rdma link delete "$2"
	until_true 60 device_gone "$2" || die "$2 is still there"
	io_ends
	await "$3" active 0
	in_ns_of "$2" rdma link add "$2" type svt netdev veth0
	gid_index "$2" v4 >/dev/null
	await "$2" active 0
	copy_and_compare
	server_stop
}

setup() {
	pkill -9 -x rsync
	modprobe -qr smc_diag
	setup_pair
	mkdir -p $STORE
	mountpoint -q $STORE || mount -t tmpfs -o size=32M store $STORE
	cat >/run/svt/rsyncd.conf <<-END
		reverse lookup = no
		use chroot = no
		uid = root
		gid = root
		[store]
		path = $STORE
		read only = no
	END
	modprobe smc_diag
	"$BUILD/tools/svt_smc" eid SVT
	# An answer that is two seconds late would be the end of a link
	in_a sysctl -qw net.smc.smcr_testlink_time=0
	in_b sysctl -qw net.smc.smcr_testlink_time=0
	# a has regions of single pages, b of contiguous ones
	in_a sysctl -qw net.smc.smcr_buf_type=1
	echo setup >/run/svt/pair
}

# SMC keeps a link for ten minutes after its last connection
teardown() {
	umount $STORE
	until_true 20 modprobe -qr smc_diag || die "smc does not go"
	teardown_pair
}

setup
run_test "rsync over SMC-R" over_smc
run_test "many connections share a link" many_at_once
run_test "smc_diag knows device and peer" diagnosed
run_test "what is not there is refused" refusals
run_test "the client is killed under I/O" client_killed
run_test "the server is killed under I/O" server_killed
run_test "the link goes and comes back under I/O" link_goes
run_test "the client's device goes and comes back under I/O" device_goes pull svtb svta
run_test "the server's device goes and comes back under I/O" device_goes push svta svtb
run_test "teardown leaves nothing" teardown
finish
