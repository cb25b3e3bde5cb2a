# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# shellcheck shell=bash disable=SC2034
# The architectures that svt is built for, to be sourced after lib.sh. A root TRIXIE-ARM64 has that
# suite's compiler for the architecture, which runs here, and its libraries and kernels.

# find_arch SUITE[-ARCH]: sets arch_suite, arch (Debian's name; empty: this machine's own), triplet,
# what the kernel calls it (karch), the flavour of its kernel that most have, and others
find_arch() {
	arch_suite=${1%%-*} arch= triplet= karch= flavour=amd64 others=()
	[[ $1 = *-* ]] || return 0
	arch=${1#*-}
	case $arch in
	arm64) triplet=aarch64-linux-gnu karch=arm64 flavour=arm64 others=(arm64-16k) ;;
	s390x) triplet=s390x-linux-gnu karch=s390 flavour=s390x ;;
	riscv64) triplet=riscv64-linux-gnu karch=riscv flavour=riscv64 ;;
	ppc64el)
		triplet=powerpc64le-linux-gnu karch=powerpc flavour=powerpc64le others=(powerpc64le-64k)
		;;
	armhf) triplet=arm-linux-gnueabihf karch=arm flavour=armmp-lpae ;;
	*) die "no root of '$1': the architectures are arm64, s390x, riscv64, ppc64el and armhf" ;;
	esac
}
