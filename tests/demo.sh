#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make demo`: from a machine without anything to RDMA between two namespaces in a VM. The steps
# inside the VM are in tests/demo-guest.sh.

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
cd "$TOP"

SERIES_SHOWN=6.1
log=$BUILD/demo

step() {
	printf '\n[%d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*"
}

# quietly NAME COMMAND...: the output goes to a file, and is shown when the command fails.
quietly() {
	local to=$log/$1.log
	shift
	"$@" >"$to" 2>&1 && return
	tail -n 40 "$to"
	die "'$*' failed; all of its output is in $to"
}

mkdir -p "$log"
step "Debian packages: a kernel and its headers, QEMU, libibverbs, perftest"
scripts/install-deps.sh demo
version=$(kernel_version "$SERIES_SHOWN" image)

step "The kernel modules svt, svt_roce and svt_loop, for the stock Debian kernel $version, and the provider"
quietly provider make provider &
quietly modules scripts/build-modules.sh "$version"
wait $! || exit

step "A VM with that kernel: no RDMA hardware needed (it takes 10 to 20 seconds without KVM)"
status=0
export SVT_CLOCK=$SECONDS
tests/vm/run.sh --kernel "$version" --timeout 240 -- tests/demo-guest.sh || status=$?
[ "$status" -lt 97 ] || echo "0 passed, 1 failed"
exit "$status"
