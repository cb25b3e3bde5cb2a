#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make bench-host`: what `make bench` measures, between two machines with the devices that they have.

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/bench/figures.sh"

usage() {
	cat <<-END
	usage: bench-host.sh --server --dev DEVICE [OPTION...]
	       bench-host.sh --dev DEVICE [OPTION...] SERVER
	Start it on the server first, with the same options on both sides. The client prints a table.
	  --dev DEVICE    RDMA device (rdma link show)
	  --gid INDEX     of its GID; default: perftest's choice
	  --seconds S     for a bandwidth; default 5
	  --system NAME   column of the table: svt (default), rxe
	  --out DIR       where values.csv and the table go; default build/bench-host. A second run
	                  with another --system adds its column.
	  --wait S        how long to try to reach the other side; default 20
	END
}

server='' host='' dev='' gid='' seconds=5 system=svt out=$BUILD/bench-host limit=20

parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		--server) server=1 ;;
		--help | -h) usage && exit 0 ;;
		--dev | --gid | --seconds | --system | --out | --wait)
			[ $# -ge 2 ] || die "$1 needs a value"
			case $1 in
			--dev) dev=$2 ;;
			--gid) gid=$2 ;;
			--seconds) seconds=$2 ;;
			--system) system=$2 ;;
			--out) out=$2 ;;
			--wait) limit=$2 ;;
			esac
			shift
			;;
		-*) die "unknown option '$1'; --help tells them" ;;
		*) host=$1 ;;
		esac
		shift
	done
	[ -n "$dev" ] || die "--dev is needed: one of $(list_devices)"
	[ -e "/sys/class/infiniband/$dev" ] || die "no device '$dev': there is $(list_devices)"
	[ -n "$server" ] || [ -n "$host" ] || die "name the server, or say --server"
	[[ $seconds =~ ^[1-9][0-9]*$ ]] || die "--seconds needs a number, not '$seconds'"
	[[ $limit =~ ^[1-9][0-9]*$ ]] || die "--wait needs a number, not '$limit'"
	case $system in
	svt | rxe) ;;
	*) die "--system is svt or rxe, not '$system'" ;;
	esac
}

list_devices() {
	(cd /sys/class/infiniband 2>/dev/null && echo *) || echo none
}

# attempt COMMAND...: the client's, again until the server listens
attempt() {
	local end=$((SECONDS + limit))
	until "$@" >"$out/output" 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.3
	done
}

# record MEASURE SIZE UNIT SYSTEM VALUE
record() {
	local value=$5
	if [[ $value =~ ^[0-9]+(\.[0-9]+)?$ ]]; then
		echo "ok $1 of $2 bytes: $value $3"
		echo "$1,$2,$3,$4,$value" >>"$out/values.csv"
		passed=$((passed + 1))
	else
		tail -n 20 "$out/output"
		echo "FAIL $1 of $2 bytes: no figure"
		failed=$((failed + 1))
	fi
}

# both MEASURE SIZE UNIT SYSTEM FILTER SERVER-COMMAND -- CLIENT-COMMAND: the side that this is
both() {
	local measure=$1 size=$2 unit=$3 name=$4 filter=$5 command=()
	shift 5
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	if [ -n "$server" ]; then
		echo "$measure of $size bytes"
		"${command[@]}" >"$out/output" 2>&1 || { tail -n 5 "$out/output"; false; }
		return
	fi
	: >"$out/output"
	attempt "$@" || :
	record "$measure" "$size" "$unit" "$name" "$($filter <"$out/output")"
}

# verbs MEASURE SIZE UNIT FILTER PROGRAM [OPTION...]
verbs() {
	local command=("$5" -F -d "$dev" ${gid:+-x "$gid"} -s "$2" "${@:6}")
	both "$1" "$2" "$3" "$system" "$4" "${command[@]}" -- "${command[@]}" "$host"
}

measure() {
	local size operation qps
	for size in 4096 65536 1048576; do
		for operation in send write read; do
			verbs $operation $size MB/s "perftest_figure 4" ib_${operation}_bw -D "$seconds"
		done
	done
	for qps in 1 16 64; do
		for operation in send write; do
			verbs "$operation $qps QP" 64 1/s perftest_rate ib_${operation}_bw -D "$seconds" -q $qps
		done
	done
	verbs "read rate" 4096 1/s perftest_rate ib_read_bw -D "$seconds"
	verbs "fetch and add" 8 1/s perftest_rate ib_atomic_bw -A FETCH_AND_ADD -D "$seconds"
	for size in 2 64 4096; do
		verbs "send latency" $size us "perftest_figure 5" ib_send_lat -n 1000 -e
		verbs "send latency polling" $size us "perftest_figure 5" ib_send_lat -n 1000
	done
	for size in 4096 65536 1048576; do
		both send $size MB/s tcp iperf_figure iperf3 -s -1 -- iperf3 -c "$host" -l $size -t "$seconds" -J
	done
	for size in 2 64 4096; do
		both "send latency" $size us tcp qperf_figure qperf -- \
			qperf -t 1 -m $size "$host" tcp_lat quit
	done
}

passed=0 failed=0
parse "$@"
mkdir -p "$out"
for program in ib_send_bw iperf3 qperf; do
	command -v $program >/dev/null || die "$program is missing: make deps, and scripts/install-deps.sh bench"
done
if [ -n "$server" ]; then
	measure
	exit
fi
# The columns of other systems stay
touch "$out/values.csv"
sed -i "/,$system,/d; /,tcp,/d" "$out/values.csv"
measure
/usr/bin/python3 "$TOP/tests/bench/report.py" --no-targets --kernel "$(uname -r)" "$out" "$out/table"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
