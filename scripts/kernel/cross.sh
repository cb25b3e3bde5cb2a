# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034,SC2154
# Kernels of other architectures for KUnit; to be sourced by kernel.sh. The root of the architecture compiles
# them. They are without modules, for the guest's root has those of Debian's kernels only.

# choose_cross NAME: ROOT/kunit, or ROOT/kunit-64k with pages of 64 KiB
choose_cross() {
	find_arch "${1%%/*}"
	find_root "$1"
	ARCH=$karch cross=_cross configs=(common kunit "kunit-$arch")
	case ${1#*-} in
	arm64/kunit) image=arch/arm64/boot/Image ;;
	arm64/kunit-64k)
		image=arch/arm64/boot/Image
		configs+=(pages-64k)
		;;
	s390x/kunit) image=arch/s390/boot/bzImage ;;
	*) die "there is a kernel for KUnit of arm64 (kunit, kunit-64k) and of s390x (kunit)" ;;
	esac
	targets=("${image##*/}" modules)
}

# unpack_cross DIR: unpack_for_build leaves out other architectures
unpack_cross() {
	unpack_for_build "$1"
	unpack_kernel "$1" "linux-source-*/arch/$ARCH/*"
}

# keep_cross TREE DIR: as keep does, with what modules need of the architecture
keep_cross() {
	keep "$1" "$2"
	(cd "$1" && find "arch/$ARCH" \( -name '*.h' -o -name 'Makefile*' -o -name '*.lds' \) -print |
		tar -cf - -T -) | tar -xf - -C "$2"
}
