# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034
#
# Where the kernel source package is: that of this machine, or that of the newest kernel of a root.
# To be sourced after scripts/lib.sh and cache.sh.

kernel_package=linux-source-6.12
kernel_tarball=/usr/src/$kernel_package.tar.xz

kernel_package_version() {
	dpkg-query -W -f '${Version}' "$kernel_package" 2>/dev/null
}

need_kernel_package() {
	if [[ ! -r $kernel_tarball ]] || ! kernel_package_version >/dev/null; then
		die "no kernel source: apt-get install $kernel_package"
	fi
	need xz xz-utils
}

# download PACKAGE: of the suite, into the directory in which this runs. The root's lists may be of yesterday
download() {
	# shellcheck disable=SC2016 # for the shell there
	"$TOP/scripts/in-root.sh" "$suite" sh -c \
		'set -- apt-get -qq -o APT::Sandbox::User=root download "$1"; "$@" || { apt-get update -qq && "$@"; }' \
		- "$1"
}

fetch_source() {
	local place package
	# The root sees nothing but the tree and what is built of it
	mkdir -p "$BUILD" "$cache_root"
	place=$(mktemp -d "$BUILD/source.XXXXXX")
	(cd "$place" && download "linux-source-$(cut -d. -f1,2 <<<"$1")")
	package=("$place"/*.deb)
	dpkg-deb --fsys-tarfile "${package[0]}" | tar -xO --wildcards '*/linux-source-*.tar.xz' \
		>"$kernel_tarball.unfinished"
	rm -r "$place"
	mv "$kernel_tarball.unfinished" "$kernel_tarball"
}

# find_newest_source SUITE: sets kernel_tarball to the source of the newest kernel of that root, which is
# kept where the roots are, and newest_version to its version
find_newest_source() {
	local suite=$1
	newest_version=$(kernel_version "$suite/newest" image)
	newest_version=${newest_version##*/}
	kernel_tarball=$cache_root/source-$newest_version.tar.xz
	(
		hold_lock "$kernel_tarball.lock"
		[ -e "$kernel_tarball" ] || fetch_source "$newest_version"
	)
	use_kept "$kernel_tarball"
}

# unpack_kernel DIR TAR-ARGUMENT...: the package's tree, or parts of it, as DIR
unpack_kernel() {
	local dir=$1
	shift

	mkdir -p "$dir"
	tar -xJf "$kernel_tarball" -C "$dir" --strip-components=1 --wildcards "$@"
}
