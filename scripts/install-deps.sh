#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Installs the Debian packages that are missing. Usage: install-deps.sh
# build|demo|check|coverage|bench
#   build  what `make KERNEL=6.1` needs: a compiler, the kernel's headers, libibverbs
#   demo   what `make demo` and `make vm` need besides: the 6.1 kernel, QEMU, perftest
#   check  what `make check` needs: both kernels, the analysers, the programs that the tests run
#   coverage  what `make coverage` needs besides
#   bench  what `make bench` needs besides `make check`

set -euo pipefail
. "$(dirname "$0")/lib.sh"

COMPILE=(make gcc libc6-dev binutils kmod xz-utils libibverbs-dev librdmacm-dev zlib1g-dev pkg-config)
DEMO=("${COMPILE[@]}" cpio busybox-static qemu-system-x86 ibverbs-utils perftest iproute2 procps)
CHECK=(sparse clang libclang-rt-dev libcmocka-dev python3 tcpdump tshark strace ethtool
	rdma-core ibverbs-providers rdmacm-utils python3-pyverbs
	linux-source-6.12 flex bison bc libelf-dev libssl-dev rsync
	nvme-cli fio e2fsprogs nfs-kernel-server open-iscsi socat
	iperf netcat-traditional dropbear-bin infiniband-diags
	ucx-utils libfabric-bin openmpi-bin python3-mpi4py)

COVERAGE=(gcovr)
BENCH=(iperf3 qperf sockperf linux-perf python3-matplotlib)

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# A kernel counts as there when one version of its series has all the parts that are wanted of it.
missing_packages() {
	local package series suffix
	for package in "$@"; do
		is_installed "$package" || echo "$package"
	done
	for series in "${kernels[@]}"; do
		suffix=$(package_suffix "$series")
		newest_kernel "$series" "$parts" >/dev/null || {
			[ "$parts" = headers ] || echo "linux-image-$suffix"
			echo "linux-headers-$suffix"
		}
	done
}

install() {
	local log=$BUILD/apt.log
	export DEBIAN_FRONTEND=noninteractive
	[ "$(id -u)" = 0 ] ||
		die "packages are missing; as root: apt-get install --no-install-recommends $*"
	say "installing: $*"
	apt-get update -qq || die "apt-get update failed: check /etc/apt and the network"
	# What tcpdump, tshark and the kernels ask at installation has good defaults.
	apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1 ||
		die "apt-get could not install $*; see $log: $(grep '^E:' "$log" | head -n 1)"
}

parts=both
case ${1:-} in
build)
	wanted=("${COMPILE[@]}")
	kernels=(6.1) parts=headers
	;;
demo)
	wanted=("${DEMO[@]}")
	kernels=(6.1)
	;;
check)
	wanted=("${DEMO[@]}" "${CHECK[@]}")
	kernels=("${SERIES[@]}")
	;;
coverage)
	wanted=("${DEMO[@]}" "${CHECK[@]}" "${COVERAGE[@]}")
	kernels=("${SERIES[@]}")
	;;
bench)
	wanted=("${DEMO[@]}" "${CHECK[@]}" "${BENCH[@]}")
	kernels=("${SERIES[@]}")
	;;
*) die "usage: install-deps.sh build|demo|check|coverage|bench" ;;
esac

command -v dpkg-query >/dev/null ||
	die "this is no Debian: install yourself what is like ${wanted[*]}"
mapfile -t missing < <(missing_packages "${wanted[@]}")
[ ${#missing[@]} = 0 ] && exit
mkdir -p "$BUILD"
install "${missing[@]}"
mapfile -t missing < <(missing_packages "${wanted[@]}")
[ ${#missing[@]} = 0 ] || die "still missing: ${missing[*]}; see $BUILD/apt.log"
