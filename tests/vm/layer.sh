#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Installs what is built for one kernel into a tree that the VM lays over its root, with the module
# index made here, where depmod takes a second. Usage: layer.sh VERSION [bare]; prints the path of
# the tree.
#
# A tree is never changed once a VM may use it: each build has its own, named by a checksum.

set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

fingerprint() {
	mkdir -p "$BUILD/$version/drivers" "$(provider_of "$version")"
	{
		ls -d "$TOP/scripts/install.sh" "$0" "$kernel_modules/modules.order"
		find "$BUILD/$version/drivers" -name '*.ko'
		find "$(provider_of "$version")" -name '*.so' -o -name '*.driver'
	} | sort | xargs stat -c '%n %s %Y' | md5sum | cut -c1-12
}

# With the kernel's own modules in reach depmod indexes both; the VM sees those at their usual
# place, if they are there.
index_modules() {
	local modules=$1/usr/lib/modules/$kernel_release
	mkdir -p "$modules"
	cp "$kernel_modules"/modules.{order,builtin,builtin.modinfo} "$modules/"
	ln -s "$kernel_modules/kernel" "$modules/kernel"
	ln -s usr/lib "$1/lib"
	/sbin/depmod -b "$1" "$kernel_release"
	rm "$1/lib"
	is_made "$version" || rm "$modules/kernel"
}

fill() {
	local new=$layer.$$
	mkdir -p "$new/usr/lib"
	ln -s usr/lib "$new/lib"
	DESTDIR=$new "$TOP/scripts/install.sh" install "$version"
	rm "$new/lib"
	index_modules "$new"
	mv -T "$new" "$layer" 2>/dev/null || rm -rf "$new"
}

version=$1
find_kernel "$version"
if [ "${2:-}" = bare ]; then
	[ -n "$kernel_root" ] || ! is_made "$version" ||
		die "--bare is for kernels that are installed here"
	layer=$BUILD/vm/layer-${version//\//-}-bare
	mkdir -p "$layer"
else
	layer=$BUILD/vm/layer-${version//\//-}-$(fingerprint)
	[ -d "$layer" ] || fill
	touch "$layer"
	find "$BUILD/vm" -maxdepth 1 \( -name 'layer-*' -o -name 'run.*' \) -mmin +300 \
		-exec rm -rf {} +
fi
echo "$layer"
