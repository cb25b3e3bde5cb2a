#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What scripts/vm.sh runs in the VM: makes hosts of network namespaces, and runs the command in host a.
# Usage there: session.sh DIRECTORY COMMAND [ARGUMENT...], with SVT_HOSTS=1 or 2.
#
# Each host sees its own device only (the RDMA subsystem's exclusive mode).

# shellcheck source-path=SCRIPTDIR
set -euo pipefail
PAIR_MODE=exclusive
# shellcheck source=../lib/pair.sh
. "$(dirname "$0")/../lib/pair.sh"

HOSTS=/run/svt/hosts

# What fails here is not the command
not_started() {
	echo "session.sh: ${1:-the hosts could not be made}"
	exit 99
}

# setup_alone: one host, with nobody at the other end
setup_alone() {
	set_rdma_mode "$PAIR_MODE"
	add_namespace a
	ip -n a link add veth0 type dummy
	configure_side a 1
	add_device svta
}

# tell SIDE NUMBER PEER'S-NUMBER: what the programs of that host find in their environment
tell() {
	local lines=("SVT_HOST=$1" "SVT_HOSTS=$SVT_HOSTS" "SVT_DEVICE=svt$1" SVT_NETDEV=veth0
		"SVT_GID_INDEX=$(gid_index "svt$1" v4)" "SVT_ADDRESS=10.0.0.$2")
	[ "$SVT_HOSTS" = 1 ] || lines+=("SVT_PEER=10.0.0.$3")
	printf '%s\n' "${lines[@]}" >"$HOSTS/$1"
}

make_hosts() {
	mkdir -p "$HOSTS"
	if [ "$SVT_HOSTS" = 1 ]; then
		setup_alone
		tell a 1
	else
		setup_pair
		tell a 1 2
		tell b 2 1
	fi
}

trap not_started EXIT
make_hosts
cd "$1" 2>/dev/null || { trap - EXIT; not_started "the VM has no $1: name it by --share"; }
shift
trap - EXIT
# Those of run.sh, which are no concern of the command
unset BUILD SVT_KERNEL SVT_RESULTS
# The other one of b is a
SVT_HOST=b exec "$TOP/tests/vm/bin/on-peer" "$@"
