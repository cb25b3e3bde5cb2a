#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# What a machine lacks to build svt is said in one line, which tells what to do. Runs on the host, as
# root: what has to be missing is hidden in a mount namespace. For libibverbs see
# providers/svt/tests/libraries.sh.

set -uo pipefail
. "$(dirname "$0")/../scripts/lib.sh"
. "$(dirname "$0")/lib/host.sh"
cd "$TOP" || exit

# elsewhere PROGRAM COMMAND...: on a machine whose packages are installed by PROGRAM, not by apt
elsewhere() {
	mkdir -p "$WORK/bin"
	find /usr/bin /usr/sbin /bin/ /sbin/ -maxdepth 1 ! -name 'apt*' ! -name 'dpkg*' -name '[a-z]*' \
		-exec ln -sft "$WORK/bin" {} +
	rm -f "$WORK"/bin/{dnf,pacman,zypper}
	[ "$1" = none ] || ln -sf true "$WORK/bin/$1"
	PATH=$WORK/bin "${@:2}"
}

# hiding WHERE WITH COMMAND...: WITH is a file that stands in its place, or `nothing`
hiding() {
	# shellcheck disable=SC2016 # for the shell there
	with_mounts sh -ec 'if [ "$2" = nothing ]; then
			mount -t tmpfs none "$1"
		else
			mount --bind "$2" "$1"
		fi
		trap "umount -l \"$1\"" EXIT
		shift 2
		"$@"' - "$@"
}

# packages_are_named PROGRAM WORDS BUILD DEMO: the last that compiles, one more of the demo
packages_are_named() {
	local first="it needs: $2 make gcc .* $3"
	says 0 "$first" elsewhere "$1" scripts/install-deps.sh build
	says 0 "$first .* $4\W.*" elsewhere "$1" scripts/install-deps.sh demo
}

tests_need_debian() {
	says 1 "install-deps.sh: 'check' needs Debian .*; elsewhere there are make and make demo" \
		elsewhere dnf scripts/install-deps.sh check
}

unknown_kernel() {
	says 2 'build-modules.sh: no 9\.9 kernel headers here: give .* or an installed version' \
		scripts/build-modules.sh 9.9
	says 2 "build-modules.sh: no kernel headers for 'mine' here: give .* or an installed version" \
		scripts/build-modules.sh mine
}

kernel_without_headers() {
	says 2 "build-modules.sh: no ${SERIES[0]} kernel headers here: apt-get install linux-headers-.*" \
		hiding /lib/modules nothing scripts/build-modules.sh "${SERIES[0]}"
	says 2 "build-modules.sh: no ${SERIES[0]} .*: scripts/install-deps.sh build names its package" \
		elsewhere dnf hiding /lib/modules nothing scripts/build-modules.sh "${SERIES[0]}"
}

# What make says of it comes behind
make_modules() {
	hiding /lib/modules nothing make -s modules 2>&1 | sed -E '/^make(\[[0-9]+\])?: [*]{3} /d'
	return "${PIPESTATUS[0]}"
}

make_without_headers() {
	says 2 'build-modules.sh: no .* kernel headers here: apt-get install linux-headers-.*' make_modules
}

# find_headers: of a kernel that can be built for
find_headers() {
	version=$(buildable_kernels)
	version=${version%%$'\n'*}
	find_kernel "$version"
	# shellcheck disable=SC2154 # of find_kernel
	sources=$(sed -nE 's/^include (.*)\/Makefile$/\1/p' "$kernel_tree/Makefile")
	: "${sources:=$kernel_tree}"
	export BUILD=$WORK/build
}

kernel_without_verbs() {
	find_headers
	sed '/^CONFIG_INFINIBAND=/d' "$kernel_tree/include/config/auto.conf" >"$WORK/auto.conf"
	says 2 "svt: not for this kernel: it was built without CONFIG_INFINIBAND" \
		hiding "$kernel_tree/include/config/auto.conf" "$WORK/auto.conf" \
		scripts/build-modules.sh "$version"
}

headers_without_verbs() {
	find_headers
	says 2 "svt: not for this kernel: its headers lack rdma/ib_verbs.h" \
		hiding "$sources/include/rdma" nothing scripts/build-modules.sh "$version"
}

# lacking PACKAGE COMMAND...: on a machine of Debian's that has all others, until apt-get installed it.
# Another holds apt's lists when it begins.
lacking() {
	mkdir -p "$WORK/apt"
	rm -f "$WORK"/apt/*
	cat >"$WORK/apt/dpkg-query" <<-EOF
		#!/bin/sh
		[ "\$4" = "$1" ] && [ ! -e "$WORK/apt/installed" ] || echo installed
	EOF
	cat >"$WORK/apt/apt-get" <<-EOF
		#!/bin/sh
		echo "\$*" >>"$WORK/apt/said"
		case \$1 in
		install) >"$WORK/apt/installed" ;;
		update) [ -e "$WORK/apt/waited" ] || { >"$WORK/apt/waited"; echo "\$HELD" >&2; exit 100; } ;;
		esac
	EOF
	chmod +x "$WORK"/apt/*
	PATH=$WORK/apt:$PATH BUILD=$WORK "${@:2}"
}

apt_lists_are_waited_for() {
	export HELD="E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"
	lacking kmod scripts/install-deps.sh build >"$WORK/said"
	printf '%s\n' "installing: kmod" "waiting for another that uses apt" | cmp - "$WORK/said"
	[ "$(cut -d' ' -f1 "$WORK/apt/said" | xargs)" = "update update install" ]
	grep -q 'install .*DPkg::Lock::Timeout=.* kmod$' "$WORK/apt/said"
}

apt_update_fails() {
	export HELD="E: Failed to fetch http://nowhere/InRelease"
	! lacking kmod scripts/install-deps.sh build >"$WORK/said" 2>&1 || return
	tail -n 1 "$WORK/said" | grep '^install-deps.sh: apt-get update failed: check '
	grep -q "^$HELD$" "$WORK/said"
	[ "$(cat "$WORK/apt/said")" = "update -qq" ]
}

REFUSED='\*\*\* svt needs a processor of 64 bits, whose caches do not alias; this kernel is for another\.'

# answers PATTERN VARIABLE=VALUE...: drivers/Kbuild, asked by make about a kernel of that configuration
answers() {
	env -u MAKEFLAGS make --eval='probe: ; @echo taken' -f drivers/Kbuild obj=drivers \
		CONFIG_MODULES=y "${@:2}" probe >"$WORK/said" 2>&1 || :
	cat "$WORK/said"
	grep -q "$1" "$WORK/said"
}

run_test "Fedora's packages are named" packages_are_named dnf "dnf install" rdma-core-devel iproute
run_test "Arch's packages are named" packages_are_named pacman "pacman -S" rdma-core "in the AUR"
run_test "SUSE's packages are named" packages_are_named zypper "zypper install" rdma-core-devel qemu-x86
run_test "others get Debian's names" \
	packages_are_named none "what Debian calls" linux-headers-amd64 perftest
run_test "tests need Debian" tests_need_debian
run_test "what holds apt's lists is waited for" apt_lists_are_waited_for
run_test "another failure of apt is not" apt_update_fails
run_test "an unknown kernel is refused" unknown_kernel
run_test "a kernel without headers is refused" kernel_without_headers
run_test "make without any headers says how to get them" make_without_headers
run_test "a kernel without verbs is refused" kernel_without_verbs
run_test "headers without verbs are refused" headers_without_verbs
run_test "64 bits are taken" answers '^taken$' CONFIG_64BIT=y
run_test "32 bits are refused" answers "$REFUSED" CONFIG_64BIT=
run_test "caches that alias are refused" \
	answers "$REFUSED" CONFIG_64BIT=y CONFIG_ARCH_HAS_CPU_CACHE_ALIASING=y
finish
