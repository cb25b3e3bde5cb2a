#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes a root of a Debian suite for the tests, unless it is there, and prints where it is: its
# compiler, its libibverbs and its programs for verbs, and its kernels with their headers. Usage:
# root.sh trixie|sid, or trixie-ARCHITECTURE (cross-root.sh)
#
# It is kept outside the tree, under a name with a checksum of the packages' names, and is made anew when
# these change, or when it was removed. Nothing of it is installed here.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
# shellcheck source=kernel/source.sh
. "$TOP/scripts/kernel/source.sh"

PACKAGES=(make gcc libc6-dev binutils kmod xz-utils zstd sparse pkg-config zlib1g-dev
	libibverbs-dev librdmacm-dev libcmocka-dev
	rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest python3 python3-pyverbs
	pahole iproute2 procps busybox-static tcpdump ethtool socat strace iptables)

KERNELS=(linux-image-amd64 linux-headers-amd64)
FLAVOURS=()

choose() {
	suite=$1 backports=
	case $suite in
	trixie)
		backports=trixie-backports
		FLAVOURS=(linux-{image,headers}-rt-amd64 linux-headers-cloud-amd64)
		;;
	sid) ;;
	*) die "usage: root.sh trixie|sid" ;;
	esac
}

in_new() {
	DEBIAN_FRONTEND=noninteractive chroot "$new" "$@"
}

# The same mirror has them
add_backports() {
	local line
	line=$(grep -rhm 1 "^deb .* $suite main" "$new/etc/apt" | head -n 1)
	sed "s/ $suite / $backports /" <<<"$line" >"$new/etc/apt/sources.list.d/backports.list"
}

# unpack_kernels APT-ARGUMENT...: as files, for as packages each would make an initramfs
unpack_kernels() {
	local archives=$new/var/cache/apt/archives file
	in_new apt-get install -qq -y --no-install-recommends --download-only "$@"
	for file in "$archives"/linux-{image,binary,modules,headers,kbuild,base}-[0-9]*.deb; do
		[ ! -e "$file" ] || dpkg-deb --fsys-tarfile "$file" | tar -x -C "$new" --keep-directory-symlink
	done
	in_new apt-get clean
}

index_modules() {
	local modules
	for modules in "$new"/lib/modules/*; do
		[ ! -d "$modules/kernel" ] || in_new depmod "${modules##*/}"
	done
}

fill() {
	local include
	set -e
	include=$(IFS=, && echo "${PACKAGES[*]}")
	mmdebstrap --quiet --variant=apt --include="$include" "${ways[@]/#/--aptopt=}" "$suite" "$new"
	[ -z "$backports" ] || add_backports
	in_new apt-get update -qq
	unpack_kernels "${KERNELS[@]}" "${FLAVOURS[@]}"
	[ -z "$backports" ] || unpack_kernels -t "$backports" "${KERNELS[@]}"
	index_modules
}

make_root() {
	# How this machine comes to its mirror
	mapfile -t ways < <(apt-config dump | grep -E '^Acquire::(https?|Check|Retries|Force)[^ ]* "[^"]')
	new=$root.unfinished
	log=$root.log
	rm -rf "$new"
	say "making a root of Debian $suite in $root" >&2
	# In a condition errors would not end it
	(fill) >"$log" 2>&1 &
	wait $! || die "no root of $suite: $(grep '^E: ' "$log" | tail -n 1) See $log"
	mv "$new" "$root"
}

[[ ${1:-} != *-* ]] || exec "$TOP/scripts/cross-root.sh" "$1"
choose "${1:-}"
root=$cache_root/root-$suite-$(md5sum <<<"$backports ${PACKAGES[*]} ${KERNELS[*]} ${FLAVOURS[*]}" | cut -c1-12)
if [ ! -d "$root" ]; then
	[ "$(id -u)" = 0 ] || die "as root: a root of another suite is made by mmdebstrap and chroot"
	need mmdebstrap mmdebstrap
	(
		hold_lock "$root.lock"
		[ -d "$root" ] || make_root
	)
fi
echo "$root"
