#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Installs the Debian packages that are missing. Usage: install-deps.sh
# build|package|demo|check|full|coverage|bench
#   build  what `make` needs: a compiler, a kernel's headers, libibverbs
#   package  what `make deb` and `make rpm` need
#   demo   what `make demo` and `make vm` need besides: that kernel, QEMU, perftest
#   check  what `make check` needs: both kernels, the analysers, the programs that the tests run
#   full   what `make check-full` needs besides for containers and for rules of Prometheus
#   coverage  what `make coverage` needs besides
#   bench  what `make bench` needs besides `make check`
# Elsewhere than on Debian it installs nothing. For `build` and `demo` it says in one line which packages
# of that distribution they are; what is missing then is said by what needs it.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

COMPILE=(make gcc libc6-dev binutils kmod libibverbs-dev)
PACKAGE=(debhelper dh-dkms rpm)
DEMO=("${COMPILE[@]}" cpio xz-utils busybox-static qemu-system-x86 ibverbs-utils perftest iproute2
	procps)
CHECK=("${PACKAGE[@]}" lintian e2fsprogs
	librdmacm-dev zlib1g-dev git python3-yaml
	sparse clang libclang-rt-dev libcmocka-dev python3 python3-sphinx
	tcpdump tshark strace ethtool nftables iptables
	rdma-core ibverbs-providers rdmacm-utils python3-pyverbs
	mmdebstrap qemu-system-arm qemu-system-misc
	linux-source-6.12 flex bison bc libelf-dev libssl-dev rsync
	nvme-cli fio nfs-kernel-server open-iscsi ksmbd-tools cifs-utils socat
	prometheus-node-exporter ndctl
	iperf netcat-traditional dropbear-bin infiniband-diags
	ucx-utils libfabric-bin openmpi-bin python3-mpi4py)

FULL=(podman crun netavark uidmap prometheus)
COVERAGE=(gcovr)
BENCH=(iperf3 qperf sockperf linux-perf python3-matplotlib)

# The same elsewhere: what compiles, and what the demo needs besides. Others may be without cmp, which
# each Debian has, and compress their modules by zstd.
DNF=(make gcc binutils diffutils kmod kernel-devel rdma-core-devel)
DNF_DEMO=(cpio xz zstd busybox qemu-system-x86-core libibverbs-utils perftest iproute procps-ng)
PACMAN=(make gcc binutils diffutils kmod linux-headers rdma-core)
PACMAN_DEMO=(cpio xz zstd busybox qemu-system-x86 iproute2 procps-ng)
ZYPPER=(make gcc binutils diffutils kmod kernel-default-devel rdma-core-devel)
ZYPPER_DEMO=(cpio xz zstd busybox-static qemu-x86 libibverbs-utils perftest iproute2 procps)

# Seconds to wait for those who hold apt's locks
LOCK_LIMIT=600

has() {
	command -v "$1" >/dev/null
}

# name_packages build|demo: where there is no apt. They may be there: no error
name_packages() {
	local names demo
	if has dnf; then
		names=(dnf install "${DNF[@]}") demo=("${DNF_DEMO[@]}")
	elif has pacman; then
		names=(pacman -S "${PACMAN[@]}") demo=("${PACMAN_DEMO[@]}" "(perftest is in the AUR)")
	elif has zypper; then
		names=(zypper install "${ZYPPER[@]}") demo=("${ZYPPER_DEMO[@]}")
	else
		names=("what Debian calls" "${COMPILE[@]}" linux-headers-amd64)
		demo=("${DEMO[@]:${#COMPILE[@]}}")
	fi
	[ "$1" = build ] || names+=("${demo[@]}")
	say "it needs: ${names[*]}" >&2
}

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

# refresh_lists LOG: others may hold apt's locks, as another run of this does, and what looks for
# updates each day. apt-get waits for that of packages if it is told to, for that of lists it does not.
refresh_lists() {
	local end=$((SECONDS + LOCK_LIMIT)) said=
	until LC_ALL=C apt-get update -qq >"$1" 2>&1; do
		if ! grep -q '^E: Could not get lock' "$1" || [ "$SECONDS" -ge "$end" ]; then
			cat "$1" >&2
			return 1
		fi
		[ -n "$said" ] || say "waiting for another that uses apt"
		said=1
		sleep 1
	done
}

install() {
	local log=$BUILD/apt.log
	export DEBIAN_FRONTEND=noninteractive
	[ "$(id -u)" = 0 ] ||
		die "packages are missing; as root: apt-get install --no-install-recommends $*"
	say "installing: $*"
	refresh_lists "$log" || die "apt-get update failed: check /etc/apt and the network"
	# What tcpdump, tshark and the kernels ask at installation has good defaults.
	apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 \
		-o DPkg::Lock::Timeout="$LOCK_LIMIT" "$@" >"$log" 2>&1 ||
		die "apt-get could not install $*; see $log: $(grep '^E:' "$log" | head -n 1)"
}

parts=both
case ${1:-} in
build)
	wanted=("${COMPILE[@]}")
	kernels=("${SERIES[0]}") parts=headers
	;;
package)
	wanted=("${COMPILE[@]}" "${PACKAGE[@]}")
	kernels=()
	;;
demo)
	wanted=("${DEMO[@]}")
	kernels=("${SERIES[0]}")
	;;
check)
	wanted=("${DEMO[@]}" "${CHECK[@]}")
	kernels=("${SERIES[@]}")
	;;
full)
	wanted=("${DEMO[@]}" "${CHECK[@]}" "${FULL[@]}")
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
*) die "usage: install-deps.sh build|package|demo|check|full|coverage|bench" ;;
esac

if ! has dpkg-query; then
	[ "$1" = build ] || [ "$1" = demo ] ||
		die "'$1' needs Debian 12, 13 or sid; elsewhere there are make and make demo"
	name_packages "$1"
	exit
fi
mapfile -t missing < <(missing_packages "${wanted[@]}")
[ ${#missing[@]} = 0 ] && exit
mkdir -p "$BUILD"
install "${missing[@]}"
mapfile -t missing < <(missing_packages "${wanted[@]}")
[ ${#missing[@]} = 0 ] || die "still missing: ${missing[*]}; see $BUILD/apt.log"
