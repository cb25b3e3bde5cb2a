#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What parallel programs reach verbs by: UCX, libfabric, and Open MPI over either. Each host sees its
# own device only.

. "$(dirname "$0")/../lib/testlib.sh"

PAIR_MODE=exclusive

# ucx TRANSPORT TEST [OPTION...]: rc connects by datagrams
ucx() {
	pair env "UCX_TLS=$1" "${UCX[@]}" ucx_perftest -- \
		env "UCX_TLS=$1" "${UCX[@]}" ucx_perftest 10.0.0.1 -t "${@:2}"
}

# over_ipv6 COMMAND...: UCX takes an IPv4 GID by itself
over_ipv6() {
	UCX=("UCX_IB_GID_INDEX=$(gid_index svta v6)")
	"$@"
}

# Each size, each byte compared
fabric() {
	pair fi_pingpong -p "$1" -e "$2" -I 3 -S all -c -- \
		fi_pingpong -p "$1" -e "$2" -I 3 -S all -c 10.0.0.1
}

# What mpirun takes for ssh: remote_shell HOST COMMAND...
write_remote_shell() {
	cat >"$WORK/remote_shell" <<-'END'
		#!/bin/bash
		[ "$1" = 10.0.0.2 ] || exit
		exec ip netns exec b sh -c "${*:2}"
	END
	chmod +x "$WORK/remote_shell"
}

# mpi OPTION...: a process on each host
mpi() {
	write_remote_shell
	in_a mpirun --allow-run-as-root --host 10.0.0.1,10.0.0.2 \
		--mca plm_rsh_agent "$WORK/remote_shell" "$@" \
		/usr/bin/python3 "$TOP/tests/lib/ring.py" | tee "$WORK/ranks"
	[ "$(grep -c 'of 2: all is right' "$WORK/ranks")" = 2 ]
}

mpi_on_ucx() {
	mpi --mca pml ucx -x "UCX_TLS=$1,self"
}

mpi_on_libfabric() {
	mpi --mca pml cm --mca mtl ofi --mca mtl_ofi_provider_include 'verbs;ofi_rxm'
}

UCX=()
setup_pair
run_test "UCX, RC: messages" went_over_svt 6400000 ucx rc tag_bw -n 100 -s 64000
run_test "UCX, RC: put" went_over_svt 6400000 ucx rc ucp_put_bw -n 100 -s 64000
run_test "UCX, RC: get" ucx rc ucp_get -n 100 -s 64000
run_test "UCX, RC: atomics" ucx rc ucp_fadd -n 100 -s 8
run_test "UCX, UD: messages" went_over_svt 1000000 ucx ud tag_bw -n 100 -s 10000
run_test "UCX, UD over IPv6: messages" \
	went_over_svt 1000000 over_ipv6 ucx ud tag_bw -n 100 -s 10000
# Reliable datagrams of libfabric are what Open MPI has below
run_test "libfabric: messages, compared" went_over_svt 1000000 fabric verbs msg
run_test "libfabric: datagrams" went_over_svt 10000 fabric verbs dgram
run_test "Open MPI over UCX, RC, compared" went_over_svt 1000000 mpi_on_ucx rc
run_test "Open MPI over UCX, UD, compared" went_over_svt 1000000 mpi_on_ucx ud
run_test "Open MPI over libfabric, compared" went_over_svt 1000000 mpi_on_libfabric
run_test "teardown leaves nothing" teardown_pair
finish
