# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# A machine on which svt is installed as people do it, for root.sh, which calls choose and fill: Debian
# with systemd, its kernel, and what packages of svt need and programs for RDMA. svt itself is not there.

PACKAGES=(systemd-sysv udev dbus kmod iproute2 ifupdown procps
	linux-image-amd64 linux-headers-amd64 initramfs-tools dkms openssl
	rdma-core ibverbs-providers ibverbs-utils perftest)

# choose: sets what root.sh reads: pockets, beside the suite itself, and recipe
choose() {
	pockets=(updates backports security)
	recipe="${PACKAGES[*]}"
}

fill() {
	bootstrap apt "$new" --include="$(joined "${PACKAGES[@]}")"
	in_new apt-get update -qq
	in_new apt-get clean
}
