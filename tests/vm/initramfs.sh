#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the small initramfs for one kernel: its architecture's busybox, tests/vm/init and the
# modules that reach a root over 9p. Usage: initramfs.sh VERSION; prints the path of the image, which
# is reused while its sources are older.

set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

ROOT_MODULES=(virtio_pci virtio_console 9pnet_virtio 9p overlay)

# The files of ROOT_MODULES and all that they need, in loading order, each once. What is built in
# needs none.
module_files() {
	local module
	for module in "${ROOT_MODULES[@]}"; do
		/sbin/modprobe -d "${kernel_modules%/lib/*}" -S "$kernel_release" --show-depends \
			"$module" ||
			die "kernel $version has no module $module: reinstall linux-image-$version"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

unpack_module() {
	local name=${1##*/}
	name=${name%%.ko*}.ko
	case $1 in
	*.xz) xz -dc "$1" >"$2/$name" ;;
	*.zst) zstd -qdc "$1" >"$2/$name" ;;
	*) cp "$1" "$2/$name" ;;
	esac
	echo "$name" >>"$2/list"
}

build() {
	local file
	tree=$(mktemp -d)
	trap 'rm -rf "$tree"' EXIT
	mkdir -p "$tree/bin" "$tree/modules"
	cp "$busybox" "$tree/bin/busybox"
	cp "$TOP/tests/vm/init" "$tree/init"
	chmod 755 "$tree/init"
	: >"$tree/modules/list"
	for file in $(module_files); do
		unpack_module "$file" "$tree/modules"
	done
	(cd "$tree" && find . | cpio --quiet -o -H newc -R 0:0) >"$image.$$"
	mv "$image.$$" "$image"
}

version=$1
find_kernel "$version"
image=$BUILD/vm/initramfs-${version//\//-}.cpio
need busybox busybox-static
busybox=$(guest_root "$version")$(command -v busybox)
! ldd "$busybox" >/dev/null 2>&1 ||
	die "busybox is not the static one: apt-get install busybox-static"
need cpio cpio
need xz xz-utils
mkdir -p "$BUILD/vm"
if [ ! -e "$image" ] || [ "$TOP/tests/vm/init" -nt "$image" ] || [ "$0" -nt "$image" ] ||
	[ "$kernel_image" -nt "$image" ]; then
	build
fi
echo "$image"
