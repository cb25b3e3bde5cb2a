#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# The packages: made, looked at, and installed on a machine that knows nothing of svt, a root of
# scripts/root.sh under an overlay. Runs on the host, as root. The modules are built once, by DKMS, for the
# kernel of that machine, which is booted once: what survives more is in tests/boot.sh.

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/debian.sh"
version=$(scripts/version.sh)
dkms=/var/lib/dkms/svt/$version

# said PATTERN: by what this test ran, an extended regular expression for a whole line
said() {
	grep -qE "^$1\$" "$WORK/log" || die "nothing said '$1'"
}

# modules: those that are installed
modules() {
	find "$machine/lib/modules/$kernel" -name 'svt*.ko*'
}

state_of() {
	on_machine dpkg-query -W -f '${db:Status-Status}' "$1"
}

are_made() {
	rm -rf "$BUILD/deb"
	unshare -n scripts/package.sh deb
}

have_no_flaws() {
	lintian --allow-root --fail-on warning,error "$BUILD"/deb/svt_*.changes
}

# package_files: of all packages, but for sources of the modules and documentation
package_files() {
	sed -E '/^\/usr\/(src|share\/(doc|licenses|lintian))(\/|$)/d; s/\.gz$//; s,^/lib/,/usr/lib/,' | sort
}

FILES='/etc/libibverbs.d/svt.driver
/etc/rdma/svt.conf
/usr/lib/svt/svt-cdi
/usr/lib/svt/svt-device
/usr/lib/svt/svt-metrics
/usr/lib/systemd/system/svt@.service
/usr/lib/udev/rules.d/59-svt.rules
/usr/lib/LIBRARIES/libibverbs/libsvt-rdmavN.so
/usr/share/man/man7/svt.7
/usr/share/man/man8/svt@.service.8'

# have_files: what comes in is the list of theirs
have_files() {
	sed -E 's,/[^/]+/libibverbs/libsvt-rdmav[0-9]+,/LIBRARIES/libibverbs/libsvt-rdmavN,' | package_files |
		diff <(sort <<<"$FILES") -
}

debs_have_files() {
	local deb
	for deb in "$BUILD"/deb/{svt-dkms,ibverbs-provider-svt}_"$version"_*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -t | sed -n '/\/$/!s/^\.//p'
	done | have_files
}

# libibverbs of another rdma-core would not load it, or take its structures for others
provider_is_for_this_library() {
	local wanted
	wanted=$(dpkg-query -W -f '${source:Upstream-Version}' libibverbs-dev)
	wanted=${wanted%%.*}
	dpkg-deb -f "$BUILD"/deb/ibverbs-provider-svt_*.deb Depends | tee -a /dev/stderr |
		grep -F "libibverbs1 (>= $wanted), libibverbs1 (<< $((wanted + 1))~)"
}

without_headers() {
	mv "$machine/lib/modules/$kernel/build" "$WORK/build"
	install_packages
	mv "$WORK/build" "$machine/lib/modules/$kernel/build"
	said "Module build for kernel $kernel was skipped since the"
	said "kernel headers for this kernel do not seem to be installed."
	[ -z "$(modules)" ]
	[ "$(state_of svt-dkms)" = installed ]
}

# with_empty DIRECTORY COMMAND...: while that has nothing in it
with_empty() {
	local status=0
	mount -t tmpfs none "$1"
	"${@:2}" || status=$?
	umount "$1"
	return "$status"
}

kernel_without_verbs() {
	local config
	config=$(readlink -f "$machine/usr/src/linux-headers-$kernel/.config")
	sed -i.whole '/^CONFIG_INFINIBAND=/d' "$config"
	fails on_machine dkms build "svt/$version" -k "$kernel"
	mv "$config.whole" "$config"
	said "Error! The .*/dkms.conf for module svt includes a BUILD_EXCLUSIVE directive which does not match .*"
	[ -z "$(modules)" ]
}

headers_without_verbs() {
	local headers
	headers=$(echo "$machine"/usr/src/linux-headers-*-common/include/rdma)
	with_empty "$headers" fails on_machine dkms build "svt/$version" -k "$kernel"
	said "Consult $dkms/build/make.log for more information."
	tail -n 1 "$machine$dkms/build/make.log" |
		grep -x 'svt: not for this kernel: its headers lack rdma/ib_verbs.h'
	[ -z "$(modules)" ]
}

# What is said last is what to do
no_room() {
	on_machine apt-get purge -qq -y svt-dkms
	mount -t tmpfs -o size=20m none "$machine/var/lib/dkms"
	fails install_packages
	said "svt: $dkms/build has [0-9]+ MB left and needs 39: make room, then 'dkms autoinstall -k $kernel'"
	said "svt-dkms: no module was installed; when that is mended: dpkg --configure svt-dkms"
	umount "$machine/var/lib/dkms"
	[ -z "$(modules)" ]
	[ "$(state_of svt-dkms)" = half-configured ]
}

half_installed() {
	on_machine dpkg --configure svt-dkms
	[ "$(state_of svt-dkms)" = installed ]
	on_machine dkms status "svt/$version" -k "$kernel" | tee -a /dev/stderr |
		grep -x "svt/$version, $kernel, $(uname -m): installed"
}

modules_are_there() {
	local module
	for module in svt svt_roce svt_loop; do
		on_machine modinfo -k "$kernel" "$module" >"$WORK/modinfo"
		grep -E '^(filename|version|signer):' "$WORK/modinfo"
		grep -qx "version: *$version" "$WORK/modinfo"
		grep -qx "signer: *DKMS module signing key" "$WORK/modinfo"
	done
	# What `rdma link add` has the kernel ask for
	on_machine modprobe -S "$kernel" -R rdma-link-svt | grep -x svt_roce
}

library_takes_provider() {
	on_machine sh -c 'ldd -r /usr/lib/*/libibverbs/libsvt-rdmav*.so' | tee -a /dev/stderr |
		fails grep -E 'undefined symbol|not found|not defined'
}

unit_is_right() {
	on_machine systemd-analyze verify --man=no 'svt@eth0.service' 2>&1 | tee -a /dev/stderr | fails grep svt
}

# Enabled before, so that it is the boot which makes the device
it_boots() {
	on_machine systemctl enable svt@eth0
	make_disk one "$version"
	run_machine one once 2 -netdev user,id=n0,restrict=on -device virtio-net-pci,netdev=n0,romfile=
}

# But for the key that DKMS made, which enrolled machines keep
purge_leaves_nothing() {
	local unit=etc/systemd/system/sys-subsystem-net-devices-eth0.device.wants/svt@eth0.service
	on_machine systemctl enable svt@eth0
	[ -L "$machine/$unit" ]
	on_machine apt-get purge -qq -y svt-dkms ibverbs-provider-svt
	diff <(cd "$lower" && find . | sort) <(cd "$machine" && find . -xdev | sort) | sed -n 's/^> //p' |
		grep -vE '^\./(var/(log|cache|lib/(dpkg|apt|systemd))/|var/lib/dkms/mok\.|run/systemd)' >"$WORK/left" || :
	cat "$WORK/left"
	[ ! -s "$WORK/left" ]
}

rpms_are_made() {
	rm -rf "$BUILD/rpm"
	unshare -n scripts/package.sh rpm
	rpm -qlp "$BUILD"/rpm/RPMS/*/{svt-dkms,ibverbs-provider-svt}-"$version"-*.rpm | grep -vx /usr/lib/svt |
		have_files
	rpm -qp --requires "$BUILD"/rpm/RPMS/*/ibverbs-provider-svt-*.rpm |
		grep -E '^libibverbs.so.1\(IBVERBS_PRIVATE_[0-9]+\)'
}

# dkms_sources: of the list of files that comes in
dkms_sources() {
	sed -nE 's,^\.?/usr/src/(.*/(Kbuild|VERSION|[^/]*\.([chS]|sh|conf)))$,\1,p' | sort
}

sources_are_alike() {
	dpkg-deb --fsys-tarfile "$BUILD"/deb/svt-dkms_*.deb | tar -t | dkms_sources >"$WORK/deb"
	rpm -qlp "$BUILD"/rpm/RPMS/*/svt-dkms-*.rpm | dkms_sources | diff "$WORK/deb" -
	grep -x "svt-$version/drivers/svt/main.c" "$WORK/deb"
}

set_up_machine bookworm-machine
run_test "make deb, without the network" are_made
run_test "lintian finds no flaw" have_no_flaws
run_test "the packages have what they are to have" debs_have_files
run_test "the provider is for this libibverbs and no other" provider_is_for_this_library
run_test "a kernel without headers is passed over, and told" without_headers
run_test "a kernel without verbs is passed over" kernel_without_verbs
run_test "headers without verbs: told in one line" headers_without_verbs
run_test "no room to build in: told in one line, nothing half done" no_room
run_test "what was half installed is mended by dpkg --configure" half_installed
run_test "modules: version, signature, alias" modules_are_there
run_test "the provider finds its library" library_takes_provider
run_test "the unit is one for systemd" unit_is_right
run_test "a machine with them boots, to the end of its tests" it_boots
tell_results one
run_test "purge leaves nothing" purge_leaves_nothing
run_test "make rpm, without the network: the same files" rpms_are_made
run_test "the RPM package has the same sources" sources_are_alike
finish
