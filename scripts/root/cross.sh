# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# A root of a suite for another architecture, for root.sh, which calls choose and fill.
#
# Programs in it are this machine's: a cross compiler, the kernel's build tools. Libraries, headers
# and kernels are the other one's. Its directory guest/ is a root of that architecture, for an
# emulator: nothing of it ever runs here, so packages are unpacked only, and what their scripts would
# have made is made by set_up_guest().

TOOLS=(make kmod xz-utils zstd sparse pkg-config libc6-dev gcc flex bison bc)
LIBRARIES=(libc6-dev libibverbs-dev librdmacm-dev zlib1g-dev)
GUEST=(kmod rdma-core ibverbs-providers ibverbs-utils rdmacm-utils perftest python3 iproute2
	iputils-ping procps busybox-static tcpdump ethtool socat strace iptables netcat-openbsd)

# choose: sets what root.sh reads: pockets, beside the suite itself, and recipe. The lists of updates lag
# behind for some architectures, and Debian 12 has 6.12 from backports.
choose() {
	pockets=() release=()
	if [ "$suite" = bookworm ]; then
		pockets=(backports)
		release=(-o "APT::Default-Release=$suite-backports")
	fi
	recipe="${pockets[*]} $triplet $flavour ${others[*]} ${TOOLS[*]} ${LIBRARIES[*]} ${GUEST[*]}"
}

# find_kernels: those that have headers: an unpacked one is as good, and needs no compiler of its
# architecture
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
	in_new apt-get install -qq -y -o Dpkg::Use-Pty=0 "$package"
	[ -e "$new/usr/lib/linux-kbuild-$1" ] || ln -s "$package" "$new/usr/lib/linux-kbuild-$1"
}

# unpack_packages PACKAGE...
unpack_packages() {
	local archives=$new/unpacked
	rm -rf "$archives" && mkdir "$archives"
	in_new sh -c 'cd /unpacked && apt-get -qq -o APT::Sandbox::User=root download "$@"' - "$@"
	unpack "$new" "$archives"/*.deb
	rm -rf "$archives"
}

# fill_tools: what compiles
fill_tools() {
	local kernels kernel common
	bootstrap apt "$new" --architectures="$(dpkg --print-architecture),$arch" \
		--include="$(joined "${TOOLS[@]}" "gcc-${triplet/_/-}" "${LIBRARIES[@]/%/:$arch}")"
	in_new apt-get update -qq
	mapfile -t kernels < <(find_kernels)
	[ ${#kernels[@]} -gt 0 ] || die "no kernel of $arch has headers"
	common=${kernels[0]%-"$flavour"}
	install_kbuild "$common"
	unpack_packages "linux-headers-$common-common" "${kernels[@]/#/linux-headers-}"
	for kernel in "${kernels[@]}"; do
		# Signed or not, the package has the same name
		unpack_packages "linux-image-$kernel:$arch"
		in_new depmod "$kernel"
	done
	in_new apt-get clean
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

# fill_guest: directories of merged /usr come first, for packages are unpacked in any order
fill_guest() {
	local guest=$new/guest kernel
	# shellcheck disable=SC2016 # for the shell there
	bootstrap extract "$guest" --mode=root --architectures="$arch" \
		--include='?essential' --include="$(joined "${GUEST[@]}")" \
		--setup-hook='mkdir -p "$1"/usr/bin "$1"/usr/sbin "$1"/usr/lib "$1"/usr/lib64' \
		--setup-hook='ln -s usr/bin usr/sbin usr/lib usr/lib64 "$1"'
	rm -rf "$guest"/var/lib/apt/lists/* "$guest"/var/cache/apt/*
	set_up_guest "$guest"
	mkdir -p "$guest/usr/lib/modules"
	for kernel in "$new"/usr/lib/modules/*/kernel; do
		kernel=${kernel%/kernel}
		cp -al "$kernel" "$guest/usr/lib/modules/"
	done
}

fill() {
	fill_tools
	fill_guest
}
