# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# A root of another suite for this machine's architecture, for root.sh, which calls choose and fill: its
# compiler, its libibverbs and its programs for verbs, and its kernels with their headers.

PACKAGES=(make gcc libc6-dev binutils kmod xz-utils zstd sparse pkg-config zlib1g-dev
	libibverbs-dev librdmacm-dev libcmocka-dev
	rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest python3 python3-pyverbs
	pahole iproute2 procps busybox-static tcpdump ethtool socat strace iptables
	debhelper dh-dkms)
# Programs that the long tests are about
FUNCTIONS=(infiniband-diags iperf netcat-traditional dropbear-bin tshark prometheus-node-exporter ndctl)
KERNELS=(linux-image-amd64 linux-headers-amd64)

# choose: sets what root.sh reads: pockets, beside the suite itself, and recipe
choose() {
	flavours=() backports='' pockets=() packages=("${PACKAGES[@]}")
	case $suite in
	trixie)
		flavours=(linux-{image,headers}-rt-amd64 linux-headers-cloud-amd64)
		backports=trixie-backports
		pockets=(updates backports security)
		packages+=("${FUNCTIONS[@]}")
		;;
	sid) ;;
	*) die "usage: root.sh trixie|sid|SUITE-ARCHITECTURE|SUITE-machine|SUITE-minimal" ;;
	esac
	recipe="$backports ${packages[*]} ${KERNELS[*]} ${flavours[*]}"
}

# unpack_kernels APT-ARGUMENT...: as files, for as packages each would make an initramfs
unpack_kernels() {
	local archives=$new/var/cache/apt/archives
	in_new apt-get install -qq -y --download-only "$@"
	shopt -s nullglob
	unpack "$new" "$archives"/linux-{image,binary,modules,headers,kbuild,base}-[0-9]*.deb
	in_new apt-get clean
}

fill() {
	local modules
	bootstrap apt "$new" --include="$(joined "${packages[@]}")"
	in_new apt-get update -qq
	unpack_kernels "${KERNELS[@]}" "${flavours[@]}"
	[ -z "$backports" ] || unpack_kernels -t "$backports" "${KERNELS[@]}"
	for modules in "$new"/lib/modules/*/kernel; do
		modules=${modules%/kernel}
		in_new depmod "${modules##*/}"
	done
}
