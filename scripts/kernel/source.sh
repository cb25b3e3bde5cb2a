# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034
#
# Where the kernel source package is and where things made of it are cached.
# Sourced by scripts/kernel.sh and scripts/check-style.sh, after scripts/lib.sh.

kernel_package=linux-source-6.12
kernel_tarball=/usr/src/$kernel_package.tar.xz
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/svt

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

# hold_lock FILE: one at a time.  The lock ends with the (sub)shell that called this.
hold_lock() {
	local fd

	mkdir -p "$(dirname "$1")"
	exec {fd}>"$1"
	if ! flock -n "$fd"; then
		echo "waiting for the process that holds $1" >&2
		flock "$fd"
	fi
}
