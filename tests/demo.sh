#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# `make demo`: from a machine without anything to RDMA between two namespaces in a VM. The steps
# inside the VM are in tests/demo-guest.sh.

set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
cd "$TOP"

SERIES_SHOWN=${SERIES[0]}
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

# build VERSION: all that is loaded into that kernel, and the provider
build() {
	quietly provider make provider
	quietly modules scripts/build-modules.sh --lean "$1"
}

mkdir -p "$log"
# What compiles comes first, so that most packages are unpacked while it does
step "Packages: a compiler, the headers of a kernel, libibverbs"
scripts/install-deps.sh build
version=$(kernel_version "$SERIES_SHOWN" headers)

step "The kernel modules svt, svt_roce and svt_loop, for the stock kernel $version, and the provider;
       packages meanwhile: that kernel, QEMU, perftest"
build "$version" &
scripts/install-deps.sh demo
wait $! || exit
booted=$(kernel_version "$SERIES_SHOWN" image)
# Headers that were there may be older than the kernel that is installed now
[ "$booted" = "$version" ] || build "$booted"

step "A VM with that kernel: no RDMA hardware needed (it takes 10 to 20 seconds without KVM)"
status=0
export SVT_CLOCK=$SECONDS
tests/vm/run.sh --kernel "$booted" --timeout 240 -- tests/demo-guest.sh || status=$?
[ "$status" -lt 97 ] || echo "0 passed, 1 failed"
exit "$status"
