#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Builds the kernel modules for one kernel in build/VERSION, so that one source tree serves several
# kernels. Usage: build-modules.sh [OPTION]... VERSION
#   --strict      any warning is an error
#   --sparse      run sparse over every source file as well
#   --lean        without debug information, which takes a seventh of the time
#   --coverage    count the lines that run, for a kernel with gcov
#   --source DIR  take drivers/ and include/ from DIR instead of this tree
#
# build/VERSION mirrors drivers/, include/ and the file VERSION by symbolic links; the build is
# incremental, and sources that were removed vanish. Kernels that are made for KUnit get the suites too. A
# kernel that svt can not have is said so in one line, with status 2. Warnings appear only when a file is
# compiled: after some, the next strict build starts afresh.

set -euo pipefail
. "$(dirname "$0")/lib.sh"

# BTF needs the kernel's vmlinux, which the headers packages do not have; kbuild says so for each
# module.
HARMLESS='Skipping BTF generation for|^warning: (the compiler|pahole version) differs from the one used|'
HARMLESS+='^  (The kernel was built (by|with)|You are using):|'
HARMLESS+='checker-valid.sh: No such file|: C=2 specified, but sparse is not available|'
# What make says after an error that was told
HARMLESS+='^make(\[[0-9]+\])?: \*\*\* (\[.*\] Error [0-9]+|Waiting for unfinished jobs\.+)$'

# Sources only: kbuild may have been run in the source tree as well
mirror() {
	local folder folders=(drivers)
	[ ! -d "$source/include" ] || folders+=(include)
	while read -r folder; do
		mkdir -p "$tree/$folder"
		find "$source/$folder" -maxdepth 1 -type f \( -name '*.[chS]' -o -name 'K*' \) \
			! -name '*.mod.c' ! -name probed.h -exec ln -sft "$tree/$folder" {} +
	done < <(cd "$source" && find "${folders[@]}" -type d)
	[ ! -e "$source/VERSION" ] || ln -sft "$tree" "$source/VERSION"
	find "$tree" -xtype l -delete
}

build() {
	# check-style.sh reads kernel-doc, once for all kernels
	local arguments=(W=1 cmd_checkdoc=)
	# Headers of Debian lack the script by which 7.3 looks whether there is sparse: it is told
	[ -z "$sparse" ] || arguments+=(C=2 KBUILD_CHECKSRC=2 "CHECK=$TOP/scripts/sparse.sh"
		"CF=-D__CHECK_ENDIAN__")
	[ -z "$lean" ] || arguments+=(CONFIG_DEBUG_INFO= CONFIG_DEBUG_INFO_BTF_MODULES=)
	[ -z "$coverage" ] || arguments+=(GCOV_PROFILE=y)
	if is_uml "$version"; then
		arguments+=(ARCH=um)
		# The compiler is told to look there; no build makes it
		mkdir -p "$kernel_tree/arch/um/include/generated/uapi"
	fi
	! has_kunit "$version" || arguments+=(CONFIG_SVT_KUNIT_TEST=y)
	in_root_of "$version" make --no-print-directory -j"$(nproc)" -C "$kernel_tree" M="$tree/drivers" \
		"${arguments[@]}" modules
}

strict= sparse= lean= coverage= source=$TOP
while [ $# -gt 1 ]; do
	case $1 in
	--strict) strict=1 ;;
	--sparse) sparse=1 ;;
	--lean) lean=1 ;;
	--coverage) coverage=1 ;;
	--source) source=$(realpath "$2") && shift ;;
	*) die "unknown option '$1'" ;;
	esac
	shift
done
[ $# = 1 ] ||
	die "usage: build-modules.sh [--strict] [--sparse] [--lean] [--coverage] [--source DIR] VERSION"
version=$(kernel_version "$1" headers) || exit 2
find_kernel "$version"
tree=$BUILD/$version
log=$tree/build.log
[ -e "$source/drivers/Kbuild" ] || die "no $source/drivers/Kbuild: nothing to build"
need gcc gcc
[ -z "$sparse" ] || need sparse sparse

mkdir -p "$tree"
exec 9>"$tree/lock"
flock 9
made_for "$tree" "$kernel_root$kernel_tree"
[ -z "$strict" ] || [ ! -e "$tree/warned" ] || rm -rf "$tree/drivers" "$tree/include" "$tree/warned"
mirror
status=0
build 2>&1 9>&- | { grep --line-buffered -vE "$HARMLESS" || :; } | tee "$log" || status=$?
if grep -q 'warning:' "$log"; then
	touch "$tree/warned"
	[ -z "$strict" ] || status=1
fi
! grep -q '^svt: not for this kernel' "$log" || exit 2
[ "$status" = 0 ] || die "the modules for $version do not build cleanly; see above and $log"
