#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes the packages svt-dkms and ibverbs-provider-svt of this tree. Usage: package.sh deb|rpm
#   deb  for the Debian that this runs on, in build/deb
#   rpm  in build/rpm. Elsewhere than on a distribution of RPM what it needs is not asked for, and the
#        provider is for the libibverbs that is here.
# They are built of a copy of the files of the tree, without the network.

set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$TOP"

# copy_tree DIRECTORY: the sources as they would be in a release
copy_tree() {
	rm -rf "$1"
	mkdir -p "$1"
	list_files | tar -cf - -T - | tar -xf - -C "$1"
}

# logged COMMAND...: its output goes to a log; of a failure its end is shown
logged() {
	"$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2 && die "no packages were made; all of it is in $log"; }
}

# Of what each package is built with by default C++ is not needed
make_deb() {
	local missing
	need dpkg-buildpackage "dpkg-dev debhelper dh-dkms"
	missing=$(dpkg-checkbuilddeps -I 2>&1) ||
		die "packages are missing: apt-get install debhelper dh-dkms libibverbs-dev (${missing##*: })"
	copy_tree "$to/svt-$version"
	rm -f "$to"/*.deb
	(cd "$to/svt-$version" && BUILD='' logged dpkg-buildpackage --ignore-builtin-builddeps -us -uc -b)
	rm -rf "$to/svt-$version"
	ls "$to"/*"_${version}_"*.deb
}

make_rpm() {
	local foreign=()
	need rpmbuild rpm
	[ -z "$(command -v dpkg)" ] || foreign=(--nodeps)
	rm -rf "$to"/{BUILD,BUILDROOT,RPMS,SRPMS}
	copy_tree "$to/svt-$version"
	mkdir -p "$to/SOURCES"
	tar -czf "$to/SOURCES/svt-$version.tar.gz" -C "$to" "svt-$version"
	rm -rf "$to/svt-$version"
	sed "s/@VERSION@/$version/" packaging/svt.spec.in >"$to/svt.spec"
	BUILD='' logged rpmbuild "${foreign[@]}" --define "_topdir $to" -ba "$to/svt.spec"
	find "$to" -name '*.rpm' ! -name '*debug*'
}

case ${1:-} in
deb | rpm) ;;
*) die "usage: package.sh deb|rpm" ;;
esac
version=$(scripts/version.sh)
to=$BUILD/$1
log=$to/build.log
mkdir -p "$to"
"make_$1"
