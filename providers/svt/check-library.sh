#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# check-library.sh [--find] [ROOT]: what the provider has to know of libibverbs, that of the system or the one below ROOT.
# Prints it as C, for library-facts.h; with --find only the number of its private ABI and its path. Nothing is taken from
# its version: the library is asked what it exports, its headers what they declare, and the table of dummies in its static
# twin for the order of the operations, which has to be that of ibverbs-private.h.
# CC is the compiler, with what it needs to find the headers. A library that this does not work with: one line that says
# what to do, and status 2.

set -euo pipefail

# The private ABIs that ibverbs-private.h describes
ABIS=(34 57 59 64 65)
DIR=$(dirname "$0")
ADVICE="build the provider in a tree of rdma-core (see CMakeLists.txt)"

die() {
	echo "svt provider: $*" >&2
	exit 2
}

need() {
	command -v "$1" >/dev/null || die "'$1' is missing: install $2"
}

compiler() {
	# shellcheck disable=SC2086
	$CC "$@"
}

# library_file NAME: the path of NAME, where the linker finds it or below the root; nothing if it is not there.
library_file() {
	local path folder
	if [ -z "$root" ]; then
		path=$(compiler -print-file-name="$1")
		[ "$path" = "$1" ] || echo "$path"
		return
	fi
	for folder in "lib/$(compiler -print-multiarch)" lib64 lib; do
		[ ! -e "$root/usr/$folder/$1" ] || { echo "$root/usr/$folder/$1"; return; }
	done
}

has_headers() {
	[ -z "$root" ] || [ -e "$root/usr/include/infiniband/verbs.h" ] || return 1
	compiler -fsyntax-only -include infiniband/verbs.h -x c /dev/null 2>/dev/null
}

# exported LIBRARY: the names of its functions, one a line.
exported() {
	readelf --dyn-syms --wide "$1" | awk '$4 == "FUNC" && $7 != "UND" { sub(/@.*/, "", $NF); print $NF }'
}

# find_abi: sets $abi, after $shared and $exports.
find_abi() {
	abi=$(sed -n 's/^verbs_register_driver_\([0-9]*\)$/\1/p' <<<"$exports")
	[ -n "$abi" ] || die "$shared has no verbs_register_driver_NN, it is too old: install rdma-core 39 or later"
	[[ " ${ABIS[*]} " != *" $abi "* ]] || return 0
	((abi > ABIS[0])) || die "$shared has private ABI $abi, it is too old: install rdma-core 39 or later"
	die "$shared has private ABI $abi, this works with ${ABIS[*]}: take a later svt, or $ADVICE"
}

# check_versions: headers, library and static twin are from one package. The first has its version in the .pc file, the
# second in its name, the last in those of its variables.
check_versions() {
	local real pc declared twin
	real=$(basename "$(readlink -f "$shared")")
	version=${real#libibverbs.so.}
	pc=$(dirname "$shared")/pkgconfig/libibverbs.pc
	if [ -e "$pc" ]; then
		declared=$(sed -n 's/^Version: *//p' "$pc")
		[ "$declared" = "$version" ] ||
			die "$shared is version $version, its headers $declared: reinstall libibverbs-dev"
	fi
	[ -n "$archive" ] || return 0
	twin=$(readelf --syms --wide "$table" | sed -nE 's/.* rdmacore([0-9]+)_([0-9]+)_verbs_dummy_ops$/\1.\2/p')
	[[ $version = *."${twin:-unknown}" ]] ||
		die "$archive is of rdma-core ${twin:-unknown}, $shared is version $version: reinstall libibverbs-dev"
}

# member_fact NAME MEMBER: defines NAME when struct ibv_qp_ex has MEMBER.
member_fact() {
	printf '#include <stddef.h>\n#include <infiniband/verbs.h>\nsize_t at = offsetof(struct ibv_qp_ex, %s);\n' "$2" |
		compiler -fsyntax-only -x c - 2>/dev/null || return 0
	printf '#define %s 1\n' "$1"
}

# export_fact NAME FUNCTION: defines NAME when the library has FUNCTION.
export_fact() {
	! grep -qx "$2" <<<"$exports" || printf '#define %s 1\n' "$1"
}

# table_fact NAME: defines NAME as the size of the table of dummies, when there is one.
table_fact() {
	[ -n "$archive" ] || return 0
	readelf --syms --wide "$table" | awk -v name="$1" '$8 ~ /verbs_dummy_ops$/ { print "#define", name, $3 }'
}

facts() {
	echo "/* Of libibverbs $version, by check-library.sh */"
	echo "#define SVT_PRIVATE_ABI $abi"
	echo "#define verbs_register_driver verbs_register_driver_$abi"
	export_fact SVT_HAVE_PORT_SPEED_OPS ibv_cmd_query_port_speed
	member_fact SVT_HAVE_WR_ATOMIC_WRITE wr_atomic_write
	member_fact SVT_HAVE_WR_FLUSH wr_flush
	table_fact SVT_OPERATIONS_SIZE
}

# header_slots: the names of the operations in struct verbs_context_ops, in order, one a line.
header_slots() {
	compiler -E -P -I"$scratch" "$DIR/ibverbs-private.h" |
		sed -n '/^struct verbs_context_ops {/,/^}/s/.*(\*\([a-z_]*\))(.*/\1/p'
}

# library_slots: lines "SLOT NAME" for each function that stands in the table of dummies. Two names may share an
# address, when the compiler found their code equal; then there is a line for both.
library_slots() {
	local offset name
	{
		readelf --syms --wide "$table"
		readelf --relocs --wide "$table"
	} | awk '
		function strip(hex) { sub(/^0+/, "", hex); return hex == "" ? "0" : hex }
		$4 == "FUNC" { at[strip($2)] = at[strip($2)] " " $NF; next }
		/^Relocation section/ { inside = /data\.rel\.ro/; next }
		inside && $3 ~ /^R_/ {
			count = split($5 == ".text" ? at[strip($7)] : $5, names, " ")
			for (i = 1; i <= count; i++)
				print $1, names[i]
		}' | while read -r offset name; do
		echo "$((16#$offset / 8)) $name"
	done
}

check_slots() {
	local slot=0 name theirs
	theirs=$(library_slots)
	while read -r name; do
		grep -qx "$slot $name" <<<"$theirs" ||
			die "$archive has '$(awk -v s=$slot '$1 == s { print $2; exit }' <<<"$theirs")', not '$name', as operation $slot: $ADVICE"
		slot=$((slot + 1))
	done < <(header_slots)
	[ "$slot" = "$(cut -d' ' -f1 <<<"$theirs" | sort -u | wc -l)" ] ||
		die "$archive has not the $slot operations of ibverbs-private.h: $ADVICE"
}

CC=${CC:-cc}
find_only=false
[ "${1:-}" != --find ] || { find_only=true; shift; }
root=${1:-}
need "${CC%% *}" gcc
need readelf binutils
shared=$(library_file libibverbs.so)
[ -n "$shared" ] ||
	die "libibverbs.so is missing${root:+ below $root}: install libibverbs-dev (rdma-core-devel on Fedora and SUSE, rdma-core on Arch)"
exports=$(exported "$shared")
find_abi
! $find_only || { echo "$abi $shared"; exit; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
has_headers ||
	die "infiniband/verbs.h is missing${root:+ below $root}: install libibverbs-dev (rdma-core-devel on Fedora and SUSE, rdma-core on Arch)"
# Not all distributions have the static twin: without it the order is seen when a device is opened (library.c).
archive=$(library_file libibverbs.a)
table=$scratch/dummy_ops.o
if [ -n "$archive" ]; then
	ar p "$archive" dummy_ops.c.o >"$table" 2>/dev/null || die "$archive has no table of operations: $ADVICE"
fi
check_versions
facts >"$scratch/library-facts.h"
[ -z "$archive" ] || check_slots
cat "$scratch/library-facts.h"
