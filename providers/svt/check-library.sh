#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# check-library.sh HEADER: is the installed libibverbs the one that HEADER (ibverbs-private.h) describes?
# Prints the release of rdma-core that it comes from. Compares the private ABI that the library exports, the release
# of its static twin, and the order of the operations in that one's table of dummies with those in HEADER.

set -euo pipefail

ABI=34
FIRST=39
LAST=56

die() {
	echo "svt provider: $*" >&2
	exit 1
}

need() {
	command -v "$1" >/dev/null || die "'$1' is missing: apt-get install $2"
}

# release_of VERSION: the release of rdma-core in the version of libibverbs (1.14.44.0 is of rdma-core 44).
release_of() {
	local release
	release=$(cut -d. -f3 <<<"$1")
	[[ $release =~ ^[0-9]+$ ]] || die "libibverbs has a version, '$1', that does not tell its release of rdma-core"
	echo "$release"
}

# library_file NAME: the path that the compiler finds NAME at.
library_file() {
	local path
	path=$("${CC:-cc}" -print-file-name="$1")
	[ -e "$path" ] || die "$1 is missing: apt-get install libibverbs-dev"
	echo "$path"
}

# header_slots HEADER: the names of the operations in struct verbs_context_ops, in order, one a line.
header_slots() {
	awk '/^struct verbs_context_ops \{/ { inside = 1; next }
		/^\}/ { inside = 0 }
		inside && match($0, /\(\*[a-z_]+\)\(/) { print substr($0, RSTART + 2, RLENGTH - 4) }' "$1"
}

# library_slots OBJECT: lines "SLOT NAME" for each function that stands in the table of OBJECT. Two names may share an
# address, when the compiler found their code equal; then there is a line for both.
library_slots() {
	local offset name
	{
		nm "$1"
		readelf --relocs --wide "$1"
	} | awk '
		function strip(hex) { sub(/^0+/, "", hex); return hex == "" ? "0" : hex }
		NF == 3 && ($2 == "t" || $2 == "T") { at[strip($1)] = at[strip($1)] " " $3; next }
		/^Relocation section/ { inside = /data\.rel\.ro/; next }
		inside && $3 == "R_X86_64_64" {
			count = split($5 == ".text" ? at[strip($7)] : $5, names, " ")
			for (i = 1; i <= count; i++)
				print $1, names[i]
		}' | while read -r offset name; do
		echo "$((16#$offset / 8)) $name"
	done
}

check_slots() {
	local object=$1 header=$2 slot=0 name
	library_slots "$object" >"$object.slots"
	while read -r name; do
		grep -qx "$slot $name" "$object.slots" ||
			die "libibverbs has '$(awk -v s=$slot '$1 == s { print $2; exit }' "$object.slots")', not '$name', as operation $slot: $header is not for this library"
		slot=$((slot + 1))
	done < <(header_slots "$header")
	[ "$slot" = "$(cut -d' ' -f1 "$object.slots" | sort -u | wc -l)" ] ||
		die "libibverbs and $header do not have the same number of operations"
}

main() {
	local header=$1 version release archive shared twin
	need pkg-config pkg-config
	need nm binutils
	version=$(pkg-config --modversion libibverbs 2>/dev/null) || die "libibverbs is missing: apt-get install libibverbs-dev"
	release=$(release_of "$version")
	((release >= FIRST && release <= LAST)) ||
		die "libibverbs is from rdma-core $release, this works with $FIRST to $LAST: build the provider in a tree of rdma-core (see CMakeLists.txt)"

	shared=$(library_file libibverbs.so)
	archive=$(library_file libibverbs.a)
	nm -D "$shared" | grep -q " verbs_register_driver_$ABI@" ||
		die "$shared does not have the private ABI $ABI: build the provider in a tree of rdma-core (see CMakeLists.txt)"

	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	ar p "$archive" dummy_ops.c.o >"$scratch/dummy_ops.o" || die "$archive has no table of operations to compare with"
	twin=$(nm "$scratch/dummy_ops.o" | sed -n 's/.* rdmacore\([0-9]*\)_[0-9]*_verbs_dummy_ops$/\1/p')
	[ "$twin" = "$release" ] || die "$archive is from rdma-core ${twin:-(unknown)}, the headers are from $release: reinstall libibverbs-dev"
	check_slots "$scratch/dummy_ops.o" "$header"
	echo "$release"
}

main "$@"
