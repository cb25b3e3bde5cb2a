#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes a root of another Debian suite or architecture for the tests, unless it is there, and prints
# where it is. Usage: root.sh trixie|sid|SUITE-ARCHITECTURE|SUITE-machine|SUITE-minimal
#
# It is kept outside the tree, under a name with a checksum of the packages' names, and is made anew
# when these change, or when it was removed. Nothing of it is installed here. What a root has in it say
# root/native.sh, for this machine's architecture, root/cross.sh, for another, root/machine.sh, for a
# machine that svt is installed on, and root/minimal.sh, for a container of CI.

# shellcheck source-path=SCRIPTDIR
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=arch.sh
. "$TOP/scripts/arch.sh"
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"

in_new() {
	DEBIAN_FRONTEND=noninteractive chroot "$new" "$@"
}

joined() {
	local IFS=,
	echo "$*"
}

# mirror_of POCKET: where this machine has Debian from, or, of -security, its security updates; it
# fails when it has none
mirror_of() {
	local codename
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	# shellcheck disable=SC2016 # for apt
	apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
		sed -nE "s/^(${codename:-sid}|stable)$1 //p" | head -n 1 | grep .
}

# find_sources: what apt is told in the root, as here: mirrors, and how to come to them
find_sources() {
	local mirror pocket
	mirror=$(mirror_of '') || die "apt knows no mirror of Debian here"
	sources=("deb $mirror $suite main")
	for pocket in "${pockets[@]}"; do
		[ "$pocket" != security ] || mirror=$(mirror_of -security) || continue
		sources+=("deb $mirror $suite-$pocket main")
	done
	mapfile -t ways < <(apt-config dump | grep -E '^Acquire::(https?|Check|Retries|Force)[^ ]* "[^"]')
}

# bootstrap VARIANT DIRECTORY OPTION...: a root of the suite, with packages
bootstrap() {
	mmdebstrap --variant="$1" --aptopt='APT::Install-Recommends "false"' \
		--aptopt='Acquire::Retries "3"' "${ways[@]/#/--aptopt=}" "${@:3}" \
		"$suite" "$2" "${sources[@]}"
}

# unpack DIRECTORY FILE...: packages as files, without their scripts
unpack() {
	local file
	for file in "${@:2}"; do
		dpkg-deb --fsys-tarfile "$file" | tar -x -C "$1" --keep-directory-symlink
	done
}

make_root() {
	local log=$root.log
	new=$root.unfinished
	find_sources
	rm -rf "$new"
	say "making a root of Debian $1 in $root" >&2
	# In a condition errors would not end it
	(fill) >"$log" 2>&1 &
	wait $! || die "no root of $1: $(grep -E '^(E|root\.sh): ' "$log" | tail -n 1) See $log"
	touch "$new"
	mv "$new" "$root"
}

name=${1:-} kind=native
case $name in
*-machine | *-minimal) suite=${name%-*} kind=${name##*-} ;;
*)
	find_arch "$name"
	suite=$arch_suite
	[ -z "$arch" ] || kind=cross
	;;
esac
# shellcheck source=root/native.sh
. "$TOP/scripts/root/$kind.sh"
choose
root=$cache_root/root-$name-$(md5sum <<<"$recipe" | cut -c1-12)
if [ ! -d "$root" ]; then
	[ "$(id -u)" = 0 ] || die "as root: a root of another suite is made by mmdebstrap and chroot"
	need mmdebstrap mmdebstrap
	(
		hold_lock "$root.lock"
		[ -d "$root" ] || make_root "$name"
	)
fi
use_kept "$root"
echo "$root"
