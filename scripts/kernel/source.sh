# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034
#
# Where the kernel source package is.
# Sourced by scripts/kernel.sh and scripts/check-style.sh, after scripts/lib.sh.

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

# unpack_kernel DIR TAR-ARGUMENT...: the package's tree, or parts of it, as DIR
unpack_kernel() {
	local dir=$1
	shift

	mkdir -p "$dir"
	tar -xJf "$kernel_tarball" -C "$dir" --strip-components=1 --wildcards "$@"
}
