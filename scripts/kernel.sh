#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Makes a kernel of the Debian package linux-source-6.12 for the tests, unless it is there, and
# prints where it is. Usage: kernel.sh NAME
#   um        User-Mode Linux, for tests/vm/run.sh: programs run in it as fast as on the host
#   um-debug  the same with KASAN and the other checkers; for scripts/kunit.sh, too
#   um-debug-newest  that of the source of the newest kernel of Debian 13's backports
#   debug     the same checkers in a kernel for QEMU
#   kcsan     one that looks for data races, for QEMU
#   ROOT-ARCHITECTURE/kunit[-64k]  for scripts/kunit.sh, of another architecture
#
# It is kept outside the tree, under a name with the package's version and a checksum of the
# configuration, and made anew when either changes. There: the kernel (linux or bzImage),
# lib/modules, .kernelrelease, and what external modules are built against.

# shellcheck source-path=SCRIPTDIR
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=cache.sh
. "$TOP/scripts/cache.sh"
# shellcheck source=arch.sh
. "$TOP/scripts/arch.sh"
# shellcheck source=kernel/source.sh
. "$TOP/scripts/kernel/source.sh"
# shellcheck source=kernel/cross.sh
. "$TOP/scripts/kernel/cross.sh"

usage="usage: kernel.sh um|um-debug|um-debug-newest|debug|kcsan|ROOT-ARCHITECTURE/kunit[-64k]"

choose() {
	name=$1 ARCH=x86_64 image=arch/x86/boot/bzImage flags=() targets=(all) cross=
	case $name in
	um) ARCH=um image=linux configs=(common guest clients um um-plain) ;;
	um-debug) ARCH=um image=linux configs=(common guest clients checkers um um-debug) ;;
	um-debug-newest) ARCH=um image=linux configs=(common guest checkers um um-debug) ;;
	debug) configs=(common guest checkers x86 debug) ;;
	kcsan)
		configs=(common guest x86 kcsan)
		# Only our modules are looked at: faster, and no report is about others
		flags=(KCSAN_SANITIZE=n)
		;;
	*-*/kunit*) choose_cross "$name" ;;
	*) die "$usage" ;;
	esac
	export ARCH
	configs=("${configs[@]/#/$TOP/scripts/kernel/}")
	configs=("${configs[@]/%/.config}")
}

need_tools() {
	[[ $(uname -m) = x86_64 ]] || die "the test kernels need an x86_64 host"
	case $name in
	*-newest) find_newest_source trixie ;;
	*) need_kernel_package ;;
	esac
	[[ -z $cross ]] || return 0
	need gcc gcc
	need make make
	need flex flex
	need bison bison
	need bc bc
	[[ $ARCH = um || -e /usr/include/gelf.h ]] || die "no gelf.h: apt-get install libelf-dev"
}

# What external modules need of a built tree: names relative to it.
kept_of_kernel() {
	find Makefile Kbuild .config .kernelrelease Module.symvers include arch/um arch/x86 scripts \
		\( -name '*.o' -o -name '*.a' -o -name '*.cmd' -o -name '*.S' -o -name '*.rst' \
		-o -name '*.dts*' -o -name 'vmlinux*' -o -path 'arch/*.c' \) -prune -o \
		\( -type f -o -type l \) -print
	find tools/objtool -name objtool -type f
}

# Sources of architectures and devices that no test kernel can use: half of the tree.
unpack_for_build() {
	unpack_kernel "$1" \
		--exclude='linux-source-*/arch/[!ux]*/*.[chS]' \
		--exclude='linux-source-*/arch/*.dts*' \
		--exclude='linux-source-*/drivers/gpu/*.[ch]' \
		--exclude='linux-source-*/drivers/media/*.[ch]' \
		--exclude='linux-source-*/drivers/staging/*.[ch]' \
		--exclude='linux-source-*/drivers/scsi/*.[ch]' \
		--exclude='linux-source-*/drivers/net/ethernet/*.[ch]' \
		--exclude='linux-source-*/drivers/net/wireless/*.[ch]' \
		--exclude='linux-source-*/sound/*.[ch]' \
		--exclude='linux-source-*/Documentation/*.rst' \
		--exclude='linux-source-*/tools/testing/*.[ch]'
}

# widen_registers TREE: of the extended state of a processor User-Mode Linux 6.12 keeps 2696 bytes, and
# on one with AMX, which has 11008, no program starts: ptrace() takes the whole or nothing.
widen_registers() {
	local file=$1/arch/x86/um/user-offsets.c

	sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' "$file"
	grep -q 12288 "$file" || die "$file: it does not say how large the extended state is"
}

# wanted_options: an option has another name in the newest kernel; where the guest has no modules, none is
# made
wanted_options() {
	local edits=(-e '')
	[[ $name != *-newest ]] || edits+=(-e 's/^CONFIG_PROC_SYSCTL=/CONFIG_SYSCTL=/')
	[[ -z $cross ]] || edits+=(-e 's/=m$/=y/')
	cat "${configs[@]}" | sed "${edits[@]}"
}

configure_kernel() {
	local missing

	wanted_options >"$1/wanted.config"
	in_root_of "$name" make -s -C "$1" KCONFIG_ALLCONFIG=wanted.config allnoconfig
	missing=$(grep -E '^(# )?CONFIG_' "$1/wanted.config" | grep -vxFf "$1/.config" || true)
	[[ -z $missing ]] || die "scripts/kernel/*.config ask for what this kernel lacks: $missing"
}

# Runs a long command with its output in a log; says every 20 seconds that it lives.
with_progress() {
	local log=$1 pid seconds=0
	shift

	"$@" >"$log" 2>&1 &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		seconds=$((seconds + 1))
		if ((seconds % 20 == 0)); then
			say "kernel:   $seconds s, $(grep -c '^  [A-Z]' "$log") steps"
		fi
	done
	wait "$pid"
}

# keep TREE DIR: of a built tree, what is needed later
keep() {
	local to=$2

	make -s -C "$1" "${flags[@]}" INSTALL_MOD_PATH="$to" modules_install
	make -s -C "$1" kernelrelease >"$1/.kernelrelease"
	rm -f "$to/lib/modules/"*/{build,source}
	cp "$1/$image" "$to/${image##*/}"
	[[ $ARCH != um ]] || strip "$to/linux"
	(cd "$1" && kept_of_kernel | tar -cf - -T -) | tar -xf - -C "$to"
}

make_kernel() {
	local tree=$1.building/tree log=$1.building/build.log start=$SECONDS

	say "kernel: making the test kernel '$name' (once; 5 to 20 minutes on 2 cores): $1"
	rm -rf "$1.building"
	mkdir -p "$tree" "$1.building/kernel"
	"unpack${cross:-_for_build}" "$tree"
	# Newer ones ask the processor
	if [[ $ARCH = um ]] && grep -q HOST_FP_SIZE "$tree/arch/x86/um/user-offsets.c"; then
		widen_registers "$tree"
	fi
	configure_kernel "$tree"
	if ! with_progress "$log" in_root_of "$name" nice make -C "$tree" -j"$(nproc)" "${flags[@]}" \
		"${targets[@]}"; then
		tail -n 20 "$log" >&2
		cp "$log" "$1.log"
		die "the kernel does not build, see $1.log"
	fi
	"keep$cross" "$tree" "$1.building/kernel" >>"$log" 2>&1
	mv "$log" "$1.building/kernel/build.log"
	mv "$1.building/kernel" "$1"
	rm -rf "$1.building"
	say "kernel: '$name' made in $((SECONDS - start)) s, $(du -sh "$1" | cut -f1)"
}

# Another recipe, configuration, compiler or package makes another kernel.
place() {
	local key

	key=$({
		cat "${configs[@]}"
		declare -f unpack_for_build widen_registers kept_of_kernel keep
		[[ $name != *-newest ]] || declare -f wanted_options
		if [[ -n $cross ]]; then
			declare -f unpack_cross keep_cross
			echo "${kernel_root##*/}"
		else
			echo "${flags[@]}" "$(gcc -dumpfullversion)"
		fi
	} | sha256sum | cut -c1-12)
	echo "$cache_root/kernel-${newest_version:-$(kernel_package_version)}-${name//\//-}-$key"
}

[[ $# = 1 ]] || die "$usage"
choose "$1"
need_tools
kernel=$(place)
if [[ ! -d $kernel ]]; then
	(
		hold_lock "$kernel.lock"
		trap 'rm -rf "$kernel.building"' EXIT
		[[ -d $kernel ]] || make_kernel "$kernel"
	) >&2
fi
use_kept "$kernel"
echo "$kernel"
