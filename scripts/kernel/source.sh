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

# download SUITE PACKAGE: into the directory in which this runs. The root's lists may be of yesterday
download() {
	# shellcheck disable=SC2016 # for the shell there
	"$TOP/scripts/in-root.sh" "$1" sh -c \
		'set -- apt-get -qq -o APT::Sandbox::User=root download "$1"; "$@" || { apt-get update -qq && "$@"; }' \
		- "$2"
}

# fetch_source SUITE VERSION: as kernel_tarball
fetch_source() {
	local place=$kernel_tarball.unfinished package
	rm -rf "$place"
	mkdir -p "$place"
	(cd "$place" && download "$1" "linux-source-$(cut -d. -f1,2 <<<"$2")")
	package=("$place"/*.deb)
	dpkg-deb --fsys-tarfile "${package[0]}" | tar -xO --wildcards '*/linux-source-*.tar.xz' \
		>"$place/source"
	mv "$place/source" "$kernel_tarball"
	rm -r "$place"
}

# find_newest_source SUITE: sets kernel_tarball to the source of the newest kernel of that root, which is
# kept where the roots are, and newest_version to its version
find_newest_source() {
	newest_version=$(kernel_version "$1/newest" image)
	newest_version=${newest_version##*/}
	kernel_tarball=$cache_root/source-$newest_version.tar.xz
	(
		hold_lock "$kernel_tarball.lock"
		[ -e "$kernel_tarball" ] || fetch_source "$1" "$newest_version"
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
