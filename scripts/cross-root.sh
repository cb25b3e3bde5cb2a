#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes a root of a Debian suite for another architecture, unless it is there, and prints where it
# is. Usage: cross-root.sh SUITE-ARCH, as root.sh, which calls it
#
# Programs in it are this machine's: a cross compiler, the kernel's build tools. Libraries, headers
# and kernels are the other one's. Its directory guest/ is a root of that architecture, for an
# emulator: nothing of it ever runs here, so packages are unpacked only, and what their scripts would
# have made is made by set_up_guest().

set -euo pipefail
. "$(dirname "$0")/lib.sh"
. "$TOP/scripts/arch.sh"
# shellcheck source=kernel/source.sh
. "$TOP/scripts/kernel/source.sh"

TOOLS=(make kmod xz-utils zstd sparse pkg-config libc6-dev gcc)
LIBRARIES=(libc6-dev libibverbs-dev librdmacm-dev zlib1g-dev)
GUEST=(kmod rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest python3 iproute2
	iputils-ping procps busybox-static tcpdump ethtool socat strace iptables netcat-openbsd)

in_new() {
	DEBIAN_FRONTEND=noninteractive chroot "$new" "$@"
}

joined() {
	local IFS=,
	echo "$*"
}

# add_backports: what Debian 12 has 6.12 from; the same mirror has them
add_backports() {
	[ "$arch_suite" = bookworm ] || return 0
	sed -i "p; s/ $arch_suite / $arch_suite-backports /" "$new/etc/apt/sources.list"
	release=(-o "APT::Default-Release=$arch_suite-backports")
}

# Those that have headers: an unpacked one is as good, and needs no compiler of its architecture
find_kernels() {
	local name
	for name in "$flavour" "${others[@]}"; do
		in_new apt-cache "${release[@]}" depends "linux-headers-$name:$arch" |
			sed -n 's/.*Depends: linux-headers-\([^:]*\).*/\1/p' | head -n 1
	done
}

# install_kbuild VERSION: the build tools of the kernel, which run here. Where another architecture
# lags behind, this one has those of a later kernel of the series only.
install_kbuild() {
	local package
	package=$(in_new apt-cache pkgnames "linux-kbuild-${1%.*}." | sort -V | tail -n 1)
	in_new apt-get install -qq -y --no-install-recommends "$package"
	[ -e "$new/usr/lib/linux-kbuild-$1" ] || ln -s "$package" "$new/usr/lib/linux-kbuild-$1"
}

# unpack DIRECTORY PACKAGE...: the files, without scripts
unpack() {
	local to=$1 package archives=$new/unpacked
	shift
	rm -rf "$archives" && mkdir "$archives"
	in_new sh -c 'cd /unpacked && apt-get -qq -o APT::Sandbox::User=root download "$@"' - "$@"
	for package in "$archives"/*.deb; do
		dpkg-deb --fsys-tarfile "$package" | tar -x -C "$to" --keep-directory-symlink
	done
	rm -rf "$archives"
}

# fill_tools: what compiles
fill_tools() {
	local kernels kernel common release=()
	mmdebstrap --variant=apt --architectures="$(dpkg --print-architecture),$arch" \
		--include="$(joined "${TOOLS[@]}" "gcc-${triplet/_/-}" "${LIBRARIES[@]/%/:$arch}")" \
		--aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Retries "3"' \
		"$arch_suite" "$new" ${mirror:+"$mirror"}
	add_backports
	in_new apt-get update -qq
	mapfile -t kernels < <(find_kernels)
	common=${kernels[0]%-"$flavour"}
	install_kbuild "$common"
	unpack "$new" "linux-headers-$common-common" "${kernels[@]/#/linux-headers-}"
	for kernel in "${kernels[@]}"; do
		unpack "$new" "$(image_of "$kernel")"
		in_new depmod "$kernel"
	done
	in_new apt-get clean
}

# image_of KERNEL: the package with its files; signed or not, it has the same name
image_of() {
	echo "linux-image-$1:$arch"
}

# link_in GUEST LINK TARGET: what update-alternatives would have chosen
link_in() {
	[ -e "$1$3" ] || die "no $3 in the root of $arch"
	ln -sf "$3" "$1$2"
}

# set_up_guest GUEST: what scripts of packages would have made
set_up_guest() {
	local kind
	for kind in passwd group; do
		cp "$1/usr/share/base-passwd/$kind.master" "$1/etc/$kind"
	done
	cp "$1/usr/share/libc-bin/nsswitch.conf" "$1/etc/"
	printf '127.0.0.1 localhost svt-vm\n::1 localhost\n' >"$1/etc/hosts"
	link_in "$1" /usr/bin/awk /usr/bin/mawk
	link_in "$1" /usr/bin/which /usr/bin/which.debianutils
	link_in "$1" /usr/bin/nc /usr/bin/nc.openbsd
	link_in "$1" /usr/sbin/iptables /usr/sbin/iptables-nft
	link_in "$1" /usr/sbin/ip6tables /usr/sbin/ip6tables-nft
}

# Directories of merged /usr come first, for packages are unpacked in any order
fill_guest() {
	local guest=$new/guest kernel
	# shellcheck disable=SC2016 # for the shell there
	mmdebstrap --variant=extract --mode=root --architectures="$arch" \
		--include='?essential' --include="$(joined "${GUEST[@]}")" \
		--aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Retries "3"' \
		--setup-hook='mkdir -p "$1"/usr/bin "$1"/usr/sbin "$1"/usr/lib "$1"/usr/lib64' \
		--setup-hook='ln -s usr/bin usr/sbin usr/lib usr/lib64 "$1"' \
		"$arch_suite" "$guest" ${mirror:+"$mirror"}
	rm -rf "$guest"/var/lib/apt/lists/* "$guest"/var/cache/apt/*
	set_up_guest "$guest"
	mkdir -p "$guest/usr/lib/modules"
	for kernel in "$new"/usr/lib/modules/*/kernel; do
		kernel=${kernel%/kernel}
		cp -al "$kernel" "$guest/usr/lib/modules/"
	done
}

# find_mirror: that of this machine, where it is one of Debian. Only the suite itself is taken: for
# some architectures the lists of its updates lag behind
find_mirror() {
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$' || :
}

make_root() {
	new=$root.unfinished
	log=$root.log
	mirror=$(find_mirror)
	rm -rf "$new"
	say "making a root of Debian $arch_suite for $arch in $root" >&2
	# Before || nothing would end at the first failure
	(
		fill_tools
		fill_guest
	) >"$log" 2>&1 &
	wait $! || die "no root of $arch_suite for $arch: $(tail -n 1 "$log") See $log"
	rm -rf "$cache_root/root-$1-"????????????
	mv "$new" "$root"
}

find_arch "${1:-}"
[ -n "$arch" ] || die "usage: cross-root.sh SUITE-ARCH"
root=$cache_root/root-$1-$(cat "$0" "$TOP/scripts/arch.sh" | md5sum | cut -c1-12)
if [ ! -d "$root" ]; then
	[ "$(id -u)" = 0 ] || die "as root: a root of another architecture is made by mmdebstrap and chroot"
	need mmdebstrap mmdebstrap
	(
		hold_lock "$root.lock"
		[ -d "$root" ] || make_root "$1"
	)
fi
echo "$root"
