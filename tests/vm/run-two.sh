#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Boots two VMs with two wires between them and runs a command in the first, for what works in the
# first network namespace only. Usage: run-two.sh NAME [OPTION...] -- COMMAND [ARGUMENT...]
#
# NAME is the kernel of the second, the peer; the options are those of run.sh, and are for both.
# COMMAND has the peer do things by tests/lib/hosts.sh. The status is that of the first VM, unless
# the peer died, hung or failed. Its console log is that of --console with ".peer" behind.

set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

RUN=$TOP/tests/vm/run.sh

console=/dev/null
split() {
	[[ ${1:---} != -* ]] || die "name the kernel of the peer"
	kernel=$1
	shift
	options=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		[ "$1" != --console ] || console=${2:-}.peer
		options+=("$1")
		shift
	done
	command=("$@")
}

# It ends when the first VM says so (end_peer)
start_peer() {
	"$RUN" "${options[@]}" --kernel "$kernel" --results /dev/null --console "$console" \
		--wires "$wires:2" -- "$TOP/tests/vm/agent.sh" </dev/null &
	peer=$!
	until [ -S "$wires/lan" ] && [ -S "$wires/wire" ]; do
		kill -0 "$peer" 2>/dev/null || wait "$peer" || exit
		sleep 0.1
	done
}

# Nobody tells it to end when the first VM died
end_peer() {
	local watch
	case $status in 97 | 98 | 99) kill "$peer" 2>/dev/null || : ;; esac
	# Its own stderr is closed, for its end is told there
	(
		exec 3>&2 2>/dev/null
		sleep "$(scaled 60)" && echo "run-two.sh: the peer hangs" >&3 && kill "$peer"
	) &
	watch=$!
	peer_status=0
	wait "$peer" || peer_status=$?
	pkill -P "$watch" || :
	kill "$watch" 2>/dev/null || :
}

clean_up() {
	[ -z "${first:-}" ] || kill "$first" || :
	[ -z "${peer:-}" ] || kill "$peer" || :
	wait
	rm -rf "$wires"
} 2>/dev/null

split "$@"
wires=$(mktemp -d)
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
start_peer
"$RUN" "${options[@]}" --wires "$wires:1" "${command[@]}" &
first=$!
status=0
wait "$first" || status=$?
first=
end_peer
peer=
case $status in 97 | 98 | 99) exit "$status" ;; esac
[ "$peer_status" = 0 ] || echo "run-two.sh: the peer ended with status $peer_status" >&2
case $peer_status in
0) exit "$status" ;;
97 | 98 | 99) exit "$peer_status" ;;
*) exit 98 ;;
esac
