#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Installs or removes what was built: modules below /lib/modules/VERSION/updates, the provider where
# libibverbs looks, and what keeps devices over a reboot. Usage: install.sh install|uninstall [VERSION...];
# DESTDIR is put in front of every path, and the module index is left alone then.
#
# For packages, below DESTDIR: install.sh dkms (the sources of the modules), provider, or host (what keeps
# devices).

set -euo pipefail
. "$(dirname "$0")/lib.sh"

DESTDIR=${DESTDIR:-}
DRIVER_DIR=/etc/libibverbs.d
CONF=/etc/rdma/svt.conf

# What is installed of packaging/ besides: mode, file, and where it goes
HOST_FILES=(
	"755 svt-device /usr/lib/svt"
	"755 svt-cdi /usr/lib/svt"
	"755 svt-metrics /usr/lib/svt"
	"644 svt@.service /usr/lib/systemd/system"
	"644 59-svt.rules /usr/lib/udev/rules.d"
	"644 svt.7 /usr/share/man/man7"
	"644 svt@.service.8 /usr/share/man/man8"
)

# libibverbs: the library of what runs with a kernel, in its root if it has one
libibverbs() {
	if [ -n "$kernel_root" ]; then
		find "$kernel_root/usr/lib" -maxdepth 2 -name libibverbs.so.1
	else
		libibverbs_here
	fi
}

# find_libibverbs VERSION: sets $provider_dir and $suffix. libibverbs has the place of its providers
# compiled in, as DIRECTORY/lib%s-rdmavNN.so, or the end of their names alone.
find_libibverbs() {
	local library place
	find_root "$1"
	library=$(libibverbs)
	[ -n "$library" ] || die "libibverbs is not installed: apt-get install libibverbs-dev"
	place=$(grep -aoE '(/[[:alnum:]_./-]+/lib%s)?-rdmav[0-9]+\.so' "$library" | LC_ALL=C sort | tail -n 1) || :
	[ -n "$place" ] || die "$library does not tell the names of its providers"
	suffix=-${place##*-}
	provider_dir=${place%/lib%s*}
	[ "$provider_dir" != "$place" ] || provider_dir=$(dirname "${library#"$kernel_root"}")/libibverbs
}

# built_modules VERSION: the modules of the last build, not those of an earlier one that are still
# around, and not svt_test, which is for tests only.
built_modules() {
	local order=$BUILD/$1/drivers/modules.order
	[ -e "$order" ] || return 0
	sed -E "/\/svt_test\.(ko|o)\$/d; s,^([^/]),$BUILD/$1/drivers/\\1,; s,\\.o\$,.ko," "$order"
}

install_modules() {
	local version=$1 to module
	find_kernel "$version"
	to=$DESTDIR/lib/modules/$kernel_release/updates/svt
	[ -n "$DESTDIR$(built_modules "$version")" ] ||
		die "no modules for $version in build/: run make first"
	rm -rf "$to"
	for module in $(built_modules "$version"); do
		install -D -m 644 "$module" "$to/${module##*/}"
		# shellcheck disable=SC2016 # for the shell there
		in_root_of "$version" sh -c '"${STRIP:-strip}" --strip-debug "$0"' "$to/${module##*/}"
	done
	[ -n "$DESTDIR" ] || /sbin/depmod "$version"
}

uninstall_modules() {
	rm -rf "$DESTDIR/lib/modules/$1/updates/svt"
	rmdir --ignore-fail-on-non-empty "$DESTDIR/lib/modules/$1/updates" 2>/dev/null || :
	[ -n "$DESTDIR" ] || /sbin/depmod "$1"
}

install_provider() {
	local from name=libsvt$suffix
	from=$(provider_of "$1")
	if [ ! -e "$from/$name" ]; then
		[ -z "$(ls "$from"/libsvt-rdmav*.so 2>/dev/null)" ] ||
			die "the provider in build/ is for another libibverbs, this one wants $name: run make first"
		[ -n "$DESTDIR" ] || die "no provider in build/: run make first"
		return
	fi
	install -D -m 644 "$from/$name" "$DESTDIR$provider_dir/$name"
	install -D -m 644 "$from/svt.driver" "$DESTDIR$DRIVER_DIR/svt.driver"
}

# A provider for a libibverbs that was replaced since goes too
uninstall_provider() {
	rm -f "$DESTDIR$provider_dir"/libsvt-rdmav*.so "$DESTDIR$DRIVER_DIR/svt.driver"
}

# A configuration that somebody wrote stays as it is
install_host() {
	local line mode file to
	for line in "${HOST_FILES[@]}"; do
		read -r mode file to <<<"$line"
		install -D -m "$mode" "$TOP/packaging/$file" "$DESTDIR$to/$file"
	done
	[ -e "$DESTDIR$CONF" ] || install -D -m 644 "$TOP/packaging/svt.conf" "$DESTDIR$CONF"
	reload
}

uninstall_host() {
	local line file to
	for line in "${HOST_FILES[@]}"; do
		read -r _ file to <<<"$line"
		rm -f "$DESTDIR$to/$file"
	done
	rmdir "$DESTDIR/usr/lib/svt" 2>/dev/null || :
	! cmp -s "$TOP/packaging/svt.conf" "$DESTDIR$CONF" || rm "$DESTDIR$CONF"
	reload
}

# udev sees for itself that its rules are others
reload() {
	[ -n "$DESTDIR" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
}

# needed_options: those of the kernel that compat/Kbuild asks for, in a line
needed_options() {
	sed -n '/^needed :=/,/[^\\]$/p' "$TOP/drivers/svt/compat/Kbuild" | grep -oE '[A-Z][A-Z_]+' |
		sed 's/^/CONFIG_/' | xargs
}

# The sources of the modules, as DKMS wants them
install_dkms() {
	local to=$DESTDIR/usr/src/svt-$svt_version file
	while read -r file; do
		install -D -m 644 "$TOP/$file" "$to/$file"
	done < <(cd "$TOP" && find VERSION Kbuild include drivers \
		\( -name tests -o -name svt_test \) -prune -o -type f ! -name '*.mod.c' ! -name probed.h \
		\( -name '*.[chS]' -o -name 'K*' -o -name VERSION \) -print)
	install -m 755 "$TOP/packaging/dkms-build.sh" "$to"
	sed "s/#MODULE_VERSION#/$svt_version/; s/#NEEDED#/$(needed_options)/" "$TOP/packaging/dkms.conf" \
		>"$to/dkms.conf"
}

svt_version=$("$TOP/scripts/version.sh")
action=${1:-}
[ $# = 0 ] || shift
case $action in
install | uninstall) ;;
dkms | host | provider)
	[ -n "$DESTDIR" ] || die "$action is for packages: DESTDIR says where"
	[ "$action" != provider ] || find_libibverbs ''
	"install_$action" ''
	exit
	;;
*) die "usage: install.sh install|uninstall [VERSION...]" ;;
esac
[ -n "$DESTDIR" ] || [ "$(id -u)" = 0 ] || die "$action needs root (or DESTDIR): run it with sudo"
for version in "$@"; do
	"${action}_modules" "$version"
	[ -n "$DESTDIR" ] || say "${action}ed the modules for $version"
done
find_libibverbs "${version:-}"
"${action}_provider" "${version:-}"
[ -n "$DESTDIR" ] || say "${action}ed the provider in $provider_dir"
"${action}_host"
[ -n "$DESTDIR" ] || say "${action}ed svt@.service: svt $svt_version is ${action}ed"
